"""What validators of cultural prompts chose: Kalahi's report (§3.2, §4.1, Table 4; domain.md §6).

Three people see each prompt with its best and its irrelevant responses and pick one. Pure: prompts and choices in,
figures out, each with what it is over. Agreement needs categories that are the same from prompt to prompt: a response's
category is its letter in one order per prompt, drawn by the seed and the same for everybody (`letters`). Its role would
not do: nearly everybody picks "best", chance agreement is nearly complete, and kappa is 0.03-0.11 instead of 0.761.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from annotation.core.rules.draws import order
from annotation.text.gettext import gettext_noop
from validation.insights.rules.agreement import Figure, alpha_with_interval, mean_pairwise_kappa
from validation.insights.rules.conflicts import is_placeholder

VALIDATORS = 3
# Below two thirds a prompt is flagged (domain.md §3, best-of-3).
LEAST_BEST_SHARE = Fraction(2, 3)
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MESSAGES: Mapping[str, str] = {
    "not_shown": gettext_noop("%(annotator)s chose “%(choice)s” at %(prompt)s, which has no such response."),
    "best_not_shown": gettext_noop("The best response of %(prompt)s is not among those shown."),
    "too_many": gettext_noop("%(prompt)s has %(n)d responses; at most %(most)d have a letter."),
}


class ChoiceFault(ValueError):
    """Choices that cannot be reported: a code of `MESSAGES` and its parameters."""

    def __init__(self, code: str, **params: object) -> None:
        self.code, self.message, self.params = code, MESSAGES[code], params
        super().__init__(self.message % params)


@dataclass(frozen=True)
class JudgedPrompt:
    """A prompt as validators saw it: the keys of the best and the irrelevant responses, who chose which.

    `shown_keys` holds the best one too. Choices are the standing votes, pseudonym to key. `source` is what it shares
    with other prompts (its context); empty: nothing.
    """

    key: str
    best: str
    shown_keys: tuple[str, ...]
    choices: Mapping[str, str]
    source: str = ""

    def __post_init__(self) -> None:
        if self.best not in self.shown_keys:
            raise ChoiceFault("best_not_shown", prompt=self.key)
        if len(self.shown_keys) > len(ALPHABET):
            raise ChoiceFault("too_many", prompt=self.key, n=len(self.shown_keys), most=len(ALPHABET))
        for annotator, choice in sorted(self.choices.items()):
            if choice not in self.shown_keys:
                raise ChoiceFault("not_shown", annotator=annotator, choice=choice, prompt=self.key)

    @property
    def chose_best(self) -> int:
        """How many validators chose the best response."""
        return sum(choice == self.best for choice in self.choices.values())


@dataclass(frozen=True)
class Share:
    """So many of so many; the share is None where there are none."""

    n: int
    of: int

    @property
    def exact(self) -> Fraction | None:
        """The share as an exact fraction."""
        return Fraction(self.n, self.of) if self.of else None


@dataclass(frozen=True)
class Report:
    """The figures over a set of prompts.

    `best` is over choices; `table` maps how many of three chose the best (3, 2, 1, 0) to a share of the prompts that
    have all their choices, `open` counts the others. `baseline` is what picking at random gives, over all prompts.
    `flagged` are prompts of which fewer than two in three chose the best, in the order in which they came.
    """

    prompts: int
    best: Share
    table: Mapping[int, Share]
    open: int
    kappa: Figure
    alpha: Figure
    baseline: Fraction | None
    flagged: tuple[str, ...]


def letters(seed: str, prompt: str, shown: Sequence[str]) -> dict[str, str]:
    """Give each response of a prompt its letter, in one order drawn for everybody."""
    return dict(zip(order(seed, f"letter:{prompt}", shown), ALPHABET, strict=False))


def baseline(shown: Iterable[int]) -> Fraction | None:
    """Give the mean of 1 / responses shown, which is 1 / (1 + irrelevant): 0.2429 on the published file."""
    parts = [Fraction(1, n) for n in shown]
    return sum(parts, Fraction(0)) / len(parts) if parts else None


def report(prompts: Iterable[JudgedPrompt], seed: str, validators: int = VALIDATORS) -> Report:
    """Make the report; prompts with fewer or more choices than `validators` count in all but table and flags."""
    judged = list(prompts)
    lettered = [_choices_as_letters(each, seed) for each in judged]
    # Whom a file did not name is no person to compare with others (domain.md §10, ruling 3).
    named = [{who: letter for who, letter in row.items() if not is_placeholder(who)} for row in lettered]
    sources = [each.source or each.key for each in judged]
    complete = [each for each in judged if len(each.choices) == validators]
    tally = Counter(each.chose_best for each in complete)
    return Report(
        prompts=len(judged),
        best=Share(sum(each.chose_best for each in judged), sum(len(each.choices) for each in judged)),
        table={n: Share(tally[n], len(complete)) for n in range(validators, -1, -1)},
        open=len(judged) - len(complete),
        kappa=mean_pairwise_kappa(named),
        alpha=alpha_with_interval([tuple(row.values()) for row in lettered], sources),
        baseline=baseline(len(each.shown_keys) for each in judged),
        flagged=tuple(each.key for each in complete if Fraction(each.chose_best, validators) < LEAST_BEST_SHARE),
    )


def _choices_as_letters(judged: JudgedPrompt, seed: str) -> dict[str, str | None]:
    """The choices of a prompt as letters."""
    letter = letters(seed, judged.key, judged.shown_keys)
    return {annotator: letter[choice] for annotator, choice in judged.choices.items()}
