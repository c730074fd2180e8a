"""How cards are dealt where a project limits them, or mixes gold questions in: from counts, without a database.

A person is given a card while they are below the limits of the day, of the round and of the level: as many cards as all
who are present could still have. Gold questions come among the cards at places that nobody can foresee: the rates of
`GOLD_RATES`, and never fewer than the root of the cards (Liu, Ihler and Steyvers 2013, "Scoring workers in
crowdsourcing: how many control questions are enough?": about √L of L).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from math import ceil, isqrt
from typing import Any

from annotation.core.rules.draws import draw

# Of the first so many cards one in so many; of those behind them one in so many.
FIRST_CARDS, FIRST_EVERY, LATER_EVERY = 50, 10, 25
# Where answers are a matter of taste a person's own earlier item comes again, after so many others.
AGAIN_AFTER = 50
# Where gold questions are too few one comes at every so manieth place at least.
LEAST_SHARE = 4
# The first two places are drawn among so many cards: one place among one card would always be the first card.
OPENING_CARDS = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """What one person can be given in a target: cards a day (0: any), cards by round, cards in all.

    `gold` is the target that keeps gold questions for this one; 0: none are asked. One comes at every so manieth
    place (`gold_every`) where too few are left for all places.
    """

    day: int = 0
    rounds: Mapping[str, int] = field(default_factory=dict)
    level: int | None = None
    gold: int = 0
    gold_every: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they are stored."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Dealt:
    """What one person was given in a target: cards in all, on `day` and by round; how many were gold questions.

    Rounds count no gold questions. `passed` places of gold questions went by without one. None is looked for before the
    card number `wait`. `own` is the target that keeps what this person is asked again; 0 where there is none.
    """

    cards: int = 0
    day: str = ""
    today: int = 0
    rounds: Mapping[str, int] = field(default_factory=dict)
    gold: int = 0
    passed: int = 0
    wait: int = 0
    own: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they are stored."""
        return asdict(self)

    def after(self, *, day: str, round: int, gold: bool, gold_every: int = 1) -> "Dealt":
        """The counts with one more card."""
        rounds = self.rounds if gold else {**self.rounds, str(round): self.rounds.get(str(round), 0) + 1}
        today = self.today + 1 if day == self.day else 1
        # Counted whether it is one or not, by as many calls: the next place is beyond the block of this card.
        number, block = self.gold + gold, blocks_before(self.cards) + 1
        passed = max(self.passed + gold_every - 1, block - number) if gold else self.passed
        counts = {"cards": self.cards + 1, "today": today, "gold": number, "passed": passed}
        return replace(self, day=day, rounds=rounds, **counts)

    def without_gold(self) -> "Dealt":
        """The counts of somebody for whom there was no gold question: the next comes at its own place, never two in a
        row to make up for this one; what they are asked again is looked for some cards later."""
        if self.own:
            return replace(self, wait=self.cards + 1 + LATER_EVERY)
        return replace(self, passed=max(self.passed + 1, blocks_before(self.cards) + 1 - self.gold))


@dataclass(frozen=True, slots=True)
class Deal:
    """What somebody can be given next: where one is `due` first a gold question, of the target `gold` (0: none are
    asked), or an item of their `own`; nothing of the rounds `closed`."""

    gold: int = 0
    due: bool = False
    closed: tuple[int, ...] = ()
    own: bool = False
    gold_every: int = 1


UNLIMITED_DEAL = Deal()


def next_deal(limits: Limits, dealt: Dealt, *, day: str, secret: str, person: str) -> Deal | None:
    """What this person can be given next; None where they are at a limit. `day` is today's, as the counts have it."""
    today = dealt.today if day == dealt.day else 0
    if limits.day and today >= limits.day:
        return None
    if limits.level is not None and dealt.cards - dealt.gold >= limits.level:
        return None
    closed = tuple(sorted(int(n) for n, most in limits.rounds.items() if dealt.rounds.get(n, 0) >= most))
    if dealt.own:
        # What is kept there is due: it was made when it was.
        return Deal(dealt.own, dealt.cards + 1 >= dealt.wait, closed, own=True)
    due = dealt.cards + 1 >= max(dealt.wait, place_of(dealt.gold + dealt.passed + 1, secret, person))
    return Deal(limits.gold, bool(limits.gold) and due, closed, gold_every=limits.gold_every)


def repeats_target_key(annotator: int) -> str:
    """The key of the target that keeps what this person alone is asked again."""
    return f"again-{annotator}"


def block_end(number: int) -> int:
    """The card up to which the gold question of this number (from 1) has come: by the root, or by the rates."""
    first = FIRST_CARDS // FIRST_EVERY
    by_rate = number * FIRST_EVERY if number <= first else FIRST_CARDS + (number - first) * LATER_EVERY
    return min(number * number, by_rate)


def blocks_before(cards: int) -> int:
    """How many gold questions would have come with so many cards."""
    first = FIRST_CARDS // FIRST_EVERY
    by_rate = cards // FIRST_EVERY if cards <= FIRST_CARDS else first + (cards - FIRST_CARDS) // LATER_EVERY
    return max(isqrt(cards), by_rate) if cards >= OPENING_CARDS else 0


def gold_every(cards: int, left: int) -> int:
    """At which places a gold question comes (1: at each), where these cards wait and `left` can still be asked."""
    return max(1, min(LEAST_SHARE, ceil(cards / LATER_EVERY / left))) if left else 1


@lru_cache(maxsize=4096)
def place_of(number: int, secret: str, person: str) -> int:
    """Which card of a person their gold question of this number is, drawn with the project's secret."""
    if number <= 2:
        places = sorted(range(1, OPENING_CARDS + 1), key=lambda place: draw(secret, "gold", f"{person}:0:{place}"))
        return sorted(places[:2])[number - 1]
    before, end = block_end(number - 1), block_end(number)
    return before + 1 + draw(secret, "gold", f"{person}:{number}") % (end - before)


def common_level(waiting: int, had: Sequence[int]) -> int:
    """The level that all who are present can come to: the least that takes up the cards that wait.

    `had`: the cards of each person who is present. Somebody who has as many waits until the others had theirs.
    """
    level, left = min(had, default=0), waiting
    rising = sorted(had)
    for place, (here, above) in enumerate(zip(rising, [*rising[1:], None], strict=True), start=1):
        level = here
        if above is None or (above - here) * place >= left:
            return level + ceil(left / place)
        left -= (above - here) * place
    return level


def most_cards_of_round(items: int, percent: int) -> int:
    """How many cards of a round with so many items one person is given at most; at least one."""
    return max(1, ceil(items * percent / 100))
