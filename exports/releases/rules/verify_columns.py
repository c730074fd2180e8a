"""Columns of a row that follow from its other columns or from its votes, written again by the writer of its kind.

Pure. What people typed is taken as it stands; who marked what, shares, answers and the parts of a choice are not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.kinds import Kind, cultural, mcq, mcq_judged
from annotation.tasks.rules.kind import is_plain
from annotation.tasks.rules.known import task_of
from exports.releases.rules.gold_origins import distribution_of
from exports.releases.rules.verify import Row
from validation.voting.rules.flags import FLAG_NAMES

_NONE = "-"
# Of a machine's row as it wrote it, whatever became of it.
AS_WRITTEN: Mapping[str, Any] = {
    "label_source": "model",
    "gold_label": _NONE,
    "annotation_round": 0,
    "n_labels": 0,
    "stop_reason": None,
    "flags": [],
    "revision": 1,
}
# What it shares with the row that was made of it, where that says it.
_KEPT = ("split", "language", "register", "origin", "guideline", "creator", "level", "set", "relation", "model", "run")


def column_faults(kind: Kind, row: Row, counted: Sequence[Row], languages: Iterable[str]) -> Iterator[str]:
    """What is wrong with the columns of a row, given its counted votes in order."""
    if row.get("language", "") not in {"", *languages} and "language" in row:
        yield f"its language is {row['language']}"
    if strange := sorted({*row.get("flags", ())} - FLAG_NAMES.keys()):
        yield f"there is no flag {strange[0]}"
    if isinstance(distribution := row.get("label_distribution"), dict):
        yield from _distribution_faults(kind, row, counted, distribution)
    again = _WRITERS.get(kind.export.build_row, _own_task)(kind, row, counted)
    differ = sorted(name for name in again.keys() & row.keys() if again[name] != row[name])
    if differ:
        yield f"{', '.join(differ)} does not follow from its other columns and its votes"


def _distribution_faults(
    kind: Kind, row: Row, counted: Sequence[Row], distribution: Mapping[str, int]
) -> Iterator[str]:
    labels = [kind.export.spell(_read(kind, vote)) for vote in counted]
    author = [row["author_label"]] if row.get("n_labels", 0) > len(labels) and row.get("author_label") else []
    if dict(distribution) != distribution_of([*author, *labels], 0):
        yield "its distribution of labels is not that of its votes"


def _read(kind: Kind, vote: Row) -> str:
    label = str(vote["label"])
    return kind.question.read_label(label) or label


def _question(kind: Kind, row: Row, counted: Sequence[Row]) -> dict[str, Any]:
    """A question with choices, and what each person marked of them."""
    keys, texts = row["choices"]["label"], row["choices"]["text"]
    options = [{"key": key, "text": text} for key, text in zip(keys, texts, strict=True)]
    content = {"concept": row["question_concept"], "question": row["question"], "options": options}
    votes = [{**vote, "label": _read(kind, vote)} for vote in counted]
    gold = "" if row["gold_label"] == _NONE else row["gold_label"]
    author = row["answer_creator"] if row["answer_creator"] in keys else ""
    again = mcq.published_row(row["id"], content, author, gold, votes)
    again["choices"] = {"label": list("ABCDEFGH"[: len(keys)]), "text": texts}
    return {name: value for name, value in again.items() if name not in ("category", "reason")}


def _judged(kind: Kind, row: Row, counted: Sequence[Row]) -> dict[str, Any]:
    """A question whose given answer is judged."""
    keys = row["choices"]["label"]
    answer = row["answerKey"] if row["answerKey"] in keys else None
    return {
        "choices": {"label": list("ABCDEFGH"[: len(keys)]), "text": row["choices"]["text"]},
        "answerKey": answer,
        "gold_label": row["gold_label"] if row["gold_label"] in (_NONE, answer) else answer,
        "judgements": {vote["annotator"]: _read(kind, vote) for vote in counted},
    }


def _prompt(kind: Kind, row: Row, counted: Sequence[Row]) -> dict[str, Any]:
    """A prompt with its responses, which stand there in two forms."""
    content = {"category": row["category"], "concept": row["topic"], "question": row["prompt"]}
    labels = [_read(kind, vote) for vote in counted]
    facts = {
        **row,
        "key": row["prompt_variation_id"],
        "content": {**content, "options": row["responses"], **row["parts"]},
        "gold": "" if row["gold_label"] == _NONE else row["gold_label"],
        "counted_labels": labels,
        "counted_annotators": [vote["annotator"] for vote in counted],
    }
    again = cultural.export_row(facts)
    keys = [response["key"] for response in row["responses"]]
    roles = {"R": (cultural.BEST, cultural.RELEVANT), "I": (cultural.IRRELEVANT,)}
    right = len({*keys}) == len(keys) and all(
        response["role"] in roles.get(response["key"][:1], ()) and response["key"][1:].isdecimal()
        for response in row["responses"]
    )
    return {
        **{name: again[name] for name in ("prompt_id", "best_answer", "relevant_answers", "irrelevant_answers")},
        "best_share": again["best_share"],
        "responses": row["responses"] if right else None,
        "parts": {name: text if text in row["prompt"] else None for name, text in row["parts"].items()},
    }


def _own_task(kind: Kind, row: Row, counted: Sequence[Row]) -> dict[str, Any]:
    """An item of a team's own task that asks for one label: the answer stands under the name of its question too."""
    task = task_of(kind.slug)
    if task is None or not is_plain(task):
        return {}
    return {task.main.key: None if row["gold_label"] == _NONE else row["gold_label"]}


# By the function that writes the rows of a kind.
_WRITERS: Mapping[Callable[..., Any], Callable[[Kind, Row, Sequence[Row]], dict[str, Any]]] = {
    mcq.export_row: _question,
    mcq_judged.export_row: _judged,
    cultural.export_row: _prompt,
}


def raw_faults(row: Row, made: Row | None) -> Iterator[str]:
    """What is wrong with a machine's row as it wrote it, beside the row that was made of it."""
    if made is None:
        yield "there is no row that was made of it"
        return
    differ = sorted(name for name, value in AS_WRITTEN.items() if name in row and row[name] != value)
    differ += sorted(name for name in _KEPT if name in row and name in made and row[name] != made[name])
    if not made.get("raw"):
        told = AS_WRITTEN.keys() | {*_KEPT, "label", "silver", "raw", "judgements", "answers", "answer_majority"}
        plain = (name for name in row.keys() & made.keys() if name not in told and not _of_votes(name))
        differ += sorted(name for name in plain if row[name] != made[name])
    if "choices" in row and row.get("label", "") not in {"", _NONE, *row["choices"]["label"]}:
        differ.append("label")
    if differ:
        yield f"{', '.join(differ)} is not what a machine's row has, or not that of the row that was made of it"


def _of_votes(name: str) -> bool:
    return name.endswith(("_ambiguity", "_uncertainty", "_ids", "_labels", "_share")) or name in ("reason", "q")


def vote_faults(row: Row, votes: Iterable[Row], author: str | None) -> Iterator[str]:
    """What votes say that their item's row has: the order in which choices were shown, what the author said."""
    keys = row["choices"]["label"] if "choices" in row else [each["key"] for each in row.get("responses", ())]
    for vote in votes:
        shown = vote["answers"].get("order")
        if isinstance(shown, str) and keys:
            order = shown.split() if " " in shown else list(shown)
            if not {*order} <= {*keys} or len({*order}) != len(order):
                yield f"vote {vote['n']}: shown were {shown}, its choices are {' '.join(keys)}"
        marked = f"{vote['answers'].get('options', '')}{vote['answers'].get('options_unknown', '')}"
        if isinstance(marked, str) and keys and not {*marked} <= {*keys, " "}:
            yield f"vote {vote['n']}: marked were {marked}, its choices are {' '.join(keys)}"
        if vote.get("author_label") and author is not None and vote["author_label"] != author:
            yield f"vote {vote['n']}: its author said {author}, it says {vote['author_label']}"
