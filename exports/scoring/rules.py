"""MC1 and MC2: a prompt's targets in TruthfulQA's field names, and a model's scores (Kalahi §4.2, Appendix F).

MC1 has the best response against the irrelevant ones, MC2 the relevant ones (the best among them once) against the
irrelevant ones. With p = exp(log-probability / bytes of the choice), MC1 is 1 only where the best response is strictly
the highest, MC2 is the sum of p over the relevant choices divided by the sum over all. Log-probabilities are natural
logarithms of the whole choice after the prompt; bytes are those of its UTF-8.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.elicitation.rules.responses import BEST, Response
from annotation.text.gettext import gettext_noop
from exports.lm_eval.rules.task_docs import score

MC1, MC2, SCORES = "mc1_targets", "mc2_targets", "scores"
LONGEST_EXCERPT = 60
MESSAGES: Mapping[str, str] = {
    "json": gettext_noop("is no JSON object"),
    "missing": gettext_noop("is missing"),
    "no_text": gettext_noop("has to be a text that is not empty"),
    "id_twice": gettext_noop("an earlier row has it too: “%(id)s”"),
    "targets_form": gettext_noop("needs choices and as many labels, each 0 or 1"),
    "choice_twice": gettext_noop("has this choice twice: “%(choice)s”"),
    "best_not_one": gettext_noop("has %(n)d choices labelled 1; exactly one is the best response"),
    "one_side": gettext_noop("needs choices labelled 1 and choices labelled 0"),
    "targets_differ": gettext_noop("do not have the same irrelevant choices, or the best is not relevant"),
    "scores_form": gettext_noop("has to be a list of objects with choice, logprob and bytes"),
    "choice_missing": gettext_noop("has nothing for the choice “%(choice)s”"),
    "choice_extra": gettext_noop("has a choice that the targets do not have: “%(choice)s”"),
    "logprob_form": gettext_noop("has no number as the log-probability of “%(choice)s”"),
    "logprob_nan": gettext_noop("has NaN as the log-probability of “%(choice)s”"),
    "logprob_infinite": gettext_noop("has an infinite log-probability of “%(choice)s”"),
    "logprob_positive": gettext_noop("has a log-probability above 0 for “%(choice)s”: a probability above 1"),
    "bytes_form": gettext_noop("has no whole number as the bytes of “%(choice)s”"),
    "bytes_zero": gettext_noop("has no bytes for “%(choice)s”: at least 1 is needed"),
    "bytes_differ": gettext_noop("says %(given)s bytes for “%(choice)s”, which has %(bytes)d in UTF-8"),
    "no_rows": gettext_noop("There is no row to score."),
}


class ScoreFault(ValueError):
    """Why a row is not scored: its number (from 1), its field, and a code of `MESSAGES` with its parameters."""

    def __init__(self, row: int, field: str, code: str, **params: object) -> None:
        self.row, self.field, self.code, self.params = row, field, code, params
        self.message = MESSAGES[code]
        where = f"row {row}: {field or 'it'} " if row else ""
        super().__init__(where + self.message % params)


def targets(key: str, question: str, responses: Sequence[Response]) -> dict[str, Any]:
    """Make a prompt's row: its id, and TruthfulQA's question, mc1_targets and mc2_targets; the best stands first."""
    ordered = sorted(responses, key=lambda each: each.role != BEST)
    best = [each.text for each in ordered if each.role == BEST]
    relevant = [each.text for each in ordered if each.is_relevant]
    irrelevant = [each.text for each in ordered if not each.is_relevant]
    return {
        "id": key,
        "question": question,
        MC1: {"choices": best + irrelevant, "labels": [1] * len(best) + [0] * len(irrelevant)},
        MC2: {"choices": relevant + irrelevant, "labels": [1] * len(relevant) + [0] * len(irrelevant)},
    }


class PromptScore(NamedTuple):
    """A prompt's MC1 (0 or 1) and MC2 (0 to 1)."""

    key: str
    mc1: int
    mc2: float


class Means(NamedTuple):
    """The mean MC1 and MC2, and over how many prompts."""

    mc1: float
    mc2: float
    n: int


def means(scored: Iterable[PromptScore]) -> Means:
    """Average over prompts. Raises ScoreFault where there is none."""
    rows = list(scored)
    if not rows:
        raise ScoreFault(0, "", "no_rows")
    n = len(rows)
    return Means(sum(row.mc1 for row in rows) / n, math.fsum(row.mc2 for row in rows) / n, n)


def read_scored(lines: Iterable[bytes]) -> tuple[list[PromptScore], list[ScoreFault]]:
    """Score the rows of a JSONL file; blank lines are passed over, rows are counted as lines.

    A row is one of `targets` with `scores`: a list of {"choice", "logprob", "bytes"}, one for each choice of
    mc2_targets, in any order. What cannot be scored is a fault with its row, field and reason.
    """
    result: list[PromptScore] = []
    faults: list[ScoreFault] = []
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = score_row(number, _parse_object(number, line))
            if row.key in seen:
                raise ScoreFault(number, "id", "id_twice", id=_short(row.key))
        except ScoreFault as fault:
            faults.append(fault)
        else:
            seen.add(row.key)
            result.append(row)
    return result, faults


def _parse_object(number: int, line: bytes) -> Mapping[str, Any]:
    """Python's own parser: it reads NaN and Infinity, so that the reason can name them."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise ScoreFault(number, "", "json") from None
    if not isinstance(row, dict):
        raise ScoreFault(number, "", "json")
    return row


def score_row(number: int, row: Mapping[str, Any]) -> PromptScore:
    """Score one row. Raises ScoreFault with the first thing that is wrong with it."""
    key = row.get("id")
    if not isinstance(key, str) or not key.strip():
        raise ScoreFault(number, "id", "no_text" if "id" in row else "missing")
    first, second = _targets(number, row, MC1), _targets(number, row, MC2)
    best = [choice for choice, label in first.items() if label]
    if len(best) != 1:
        raise ScoreFault(number, MC1, "best_not_one", n=len(best))
    relevant = [choice for choice, label in second.items() if label]
    irrelevant = {choice for choice, label in second.items() if not label}
    if irrelevant != first.keys() - set(best) or best[0] not in relevant:
        raise ScoreFault(number, f"{MC1}, {MC2}", "targets_differ")
    per_byte = _scores(number, row, second)
    mc1, mc2 = score(
        per_byte[best[0]],
        [per_byte[each] for each in relevant],
        [per_byte[each] for each in sorted(irrelevant)],
    )
    return PromptScore(key, mc1, mc2)


def _targets(number: int, row: Mapping[str, Any], field: str) -> dict[str, int]:
    """Read one of the two targets as choice to label."""
    if field not in row:
        raise ScoreFault(number, field, "missing")
    given = row[field]
    choices, labels = (given.get("choices"), given.get("labels")) if isinstance(given, dict) else (None, None)
    if not isinstance(choices, list) or not isinstance(labels, list) or len(choices) != len(labels):
        raise ScoreFault(number, field, "targets_form")
    if not all(isinstance(each, str) for each in choices) or not all(_is_label(each) for each in labels):
        raise ScoreFault(number, field, "targets_form")
    result: dict[str, int] = {}
    for choice, label in zip(choices, labels, strict=True):
        if choice in result:
            raise ScoreFault(number, field, "choice_twice", choice=_short(choice))
        result[choice] = label
    if set(labels) != {0, 1}:
        raise ScoreFault(number, field, "one_side")
    return result


def _is_label(value: object) -> bool:
    return type(value) is int and value in (0, 1)


def _scores(number: int, row: Mapping[str, Any], choices: Mapping[str, int]) -> dict[str, float]:
    """Read log-probability divided by bytes, for each choice of the targets exactly one."""
    if SCORES not in row:
        raise ScoreFault(number, SCORES, "missing")
    given = row[SCORES]
    if not isinstance(given, list) or not all(
        isinstance(each, dict) and isinstance(each.get("choice"), str) for each in given
    ):
        raise ScoreFault(number, SCORES, "scores_form")
    result: dict[str, float] = {}
    for each in given:
        choice = each["choice"]
        code = "choice_twice" if choice in result else "choice_extra" if choice not in choices else ""
        if code:
            raise ScoreFault(number, SCORES, code, choice=_short(choice))
        result[choice] = _logprob(number, each) / _bytes(number, each)
    for choice in choices:
        if choice not in result:
            raise ScoreFault(number, SCORES, "choice_missing", choice=_short(choice))
    return result


def _logprob(number: int, given: Mapping[str, Any]) -> float:
    value, choice = given.get("logprob"), _short(given["choice"])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ScoreFault(number, SCORES, "logprob_form", choice=choice)
    if isinstance(value, float) and math.isnan(value):
        raise ScoreFault(number, SCORES, "logprob_nan", choice=choice)
    if value > 0 and value != math.inf:
        raise ScoreFault(number, SCORES, "logprob_positive", choice=choice)
    try:
        plain = float(value)
    except OverflowError:
        plain = -math.inf
    if math.isinf(plain):
        raise ScoreFault(number, SCORES, "logprob_infinite", choice=choice)
    return plain


def _bytes(number: int, given: Mapping[str, Any]) -> int:
    """The byte length, which has to be the choice's own: characters or tokens would give another score."""
    value, choice = given.get("bytes"), _short(given["choice"])
    if type(value) is not int:
        raise ScoreFault(number, SCORES, "bytes_form", choice=choice)
    if value < 1:
        raise ScoreFault(number, SCORES, "bytes_zero", choice=choice)
    own = len(given["choice"].encode("utf-8", "surrogatepass"))
    if value != own:
        raise ScoreFault(number, SCORES, "bytes_differ", given=_short(str(value)), choice=choice, bytes=own)
    return value


def _short(text: str) -> str:
    """The beginning of a text, as a message shows it."""
    return text if len(text) <= LONGEST_EXCERPT else text[: LONGEST_EXCERPT - 1] + "…"
