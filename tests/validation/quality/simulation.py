"""Simulated teams under the rules of gold questions: who is paused, after how many votes.

    python -m tests.validation.quality.simulation

prints the table of docs/qc-leads.md. Each person gives 1,000 votes on three labels; gold questions come at the places
and are judged by the rules that the system uses. Colluding people ask each other: whoever meets a text first chooses
at random, the others of the three repeat that.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from validation.quality.rules.gold import standing_of
from validation.quality.rules.signs import FAST_SHARE, FEWEST_VOTES
from validation.voting.rules.dealing import place_of

SEEDS, VOTES, LABELS = 200, 1_000, "enc"
LATEST = 200
Answer = Callable[[random.Random, int, str], str]


def right_with(share: float) -> Answer:
    """Right so often, else one of the other labels."""

    def answer(draw: random.Random, text: int, label: str) -> str:
        return label if draw.random() < share else draw.choice([each for each in LABELS if each != label])

    return answer


def one_label(draw: random.Random, text: int, label: str) -> str:
    """Always the same."""
    return LABELS[0]


def colluding() -> Answer:
    """What whoever met the text first chose."""
    told: dict[int, str] = {}

    def answer(draw: random.Random, text: int, label: str) -> str:
        return told.setdefault(text, draw.choice(LABELS))

    return answer


TEAMS: dict[str, Callable[[], Answer]] = {
    "careful": lambda: right_with(0.92),
    "hasty": lambda: right_with(0.6),
    "random": lambda: right_with(1 / 3),
    "one label": lambda: one_label,
    "colluding": colluding,
}


# Of the answers of each sort this share is too fast: whoever does not read is, whoever thinks hardly ever.
FAST = {"careful": 0.03, "hasty": 0.25, "random": 0.4, "one label": 0.4, "colluding": 0.03}


@dataclass(frozen=True)
class Outcome:
    """Of so many people the share who were ever paused, and the votes before that: middle and nine in ten; and the
    share who were paused, or shown to leads to be looked at first."""

    people: int
    paused: float
    shown: float
    median_votes: float | None
    most_votes: int | None


def paused_after(
    answer: Answer, draw: random.Random, person: str, pool: Sequence[str], fast: float = 0.0
) -> tuple[int | None, bool]:
    """After how many votes somebody is paused for the first time (None: never within `VOTES`); whether they were paused
    or shown first, where this share of their answers is too fast."""
    results: list[bool] = []
    shown, pace = False, random.Random(f"pace:{person}")
    while (card := place_of(len(results) + 1, "simulated", person)) <= VOTES:
        text = draw.randrange(len(pool))
        results.append(answer(draw, text, pool[text]) == pool[text])
        standing = standing_of(results)
        if standing is not None and standing.must_pause:
            return card, True
        if standing is not None and standing.noted and card >= FEWEST_VOTES:
            latest = min(card, LATEST)
            shown |= sum(pace.random() < fast for _ in range(latest)) / latest >= FAST_SHARE
    return None, shown


def outcome(team: str, people: int = 3) -> Outcome:
    """Teams of three people of one sort, over all seeds."""
    found: list[tuple[int | None, bool]] = []
    for seed in range(SEEDS):
        draw = random.Random(f"{team}:{seed}")
        pool = [draw.choice(LABELS) for _ in range(400)]
        answer = TEAMS[team]()
        found += [paused_after(answer, draw, f"{team}-{seed}-{n}", pool, FAST[team]) for n in range(people)]
    stopped = sorted(each for each, _ in found if each is not None)
    return Outcome(
        len(found),
        len(stopped) / len(found),
        sum(shown for _, shown in found) / len(found),
        median(stopped) if stopped else None,
        stopped[int(0.9 * (len(stopped) - 1))] if stopped else None,
    )


if __name__ == "__main__":
    for name in TEAMS:
        print(name, outcome(name))
