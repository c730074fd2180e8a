"""With which probability a vote was asked for, by the protocol: which votes statistics may rest on (pure).

Early stopping asks further people about disputed items only, so that all votes together look less agreed, and each
item's own more, than people are. Unbiased are votes that were asked for whatever others had said (the first round, the
panel), and votes of known probability, weighted by its inverse (Horvitz and Thompson 1952): the second vote under
two-agree-audit.
"""

from collections.abc import Collection, Mapping

from annotation.text.gettext import gettext_noop
from validation.consensus.audit import AUDITED, DISAGREEMENT, DOUBT, HELD, PANEL, ROUTES, TWO_AGREE
from validation.consensus.protocol import Protocol

FIRST_TWO = 2
# Fewer audits stand for no other agreements.
FEWEST_AUDITS = 10
TOO_FEW_AUDITS = gettext_noop(
    "Not known yet: 10 audits have to be done, and one item whose first vote was not the author's label."
)
# Which votes a figure rests on, in words: every figure of agreement says one of these.
VOTES = gettext_noop("the votes")
FIRST_ROUND = gettext_noop("votes of the first round, asked for whatever others said: cite these")
FIRST_TWO_WEIGHTED = gettext_noop("first two votes, audits weighted by 1/q: cite these")
WRITER_AND_FIRST = gettext_noop("the writer's label and the first vote, there whatever others said: cite these")
STOPPED_EARLY = gettext_noop("all votes, also those asked for only where others disagreed: biased")
LATER_ROUND = gettext_noop("votes of a later round, asked for only where others disagreed: biased")
WITH_AUTHOR = gettext_noop("the votes and the writer's label")
COMPLETED = gettext_noop("votes until the protocol stopped, as estimates of all votes: cite these")
COMPLETED_WEIGHTED = gettext_noop(
    "votes until the protocol stopped, as estimates of all votes, audits weighted by 1/q: cite these"
)
IMPORTED = gettext_noop("imported votes, in the order of their file: why each was asked for is not known")
# How a figure uses votes: all of them as they are, those of known probability, or as estimates of all votes.
PLAIN, KNOWN, COMPLETE = "plain", "known", "complete"


def votes_behind(protocols: Collection[Protocol], use: str, *, imported: bool = False) -> str:
    """Which votes a figure rests on, in words: `use` says how, `imported` whether any of the votes came with a file."""
    if not any(map(stops_early, protocols)):
        return VOTES
    if use == PLAIN:
        return STOPPED_EARLY
    if imported:
        return IMPORTED
    audits = any(protocol.alpha for protocol in protocols)
    if use == KNOWN:
        return FIRST_TWO_WEIGHTED if audits else FIRST_ROUND
    return COMPLETED_WEIGHTED if audits else COMPLETED


def round_behind(over: str, round: int, protocols: Collection[Protocol], *, imported: bool) -> str:
    """Which votes a figure over one round rests on, in words; `over` says it of all rounds."""
    if over != STOPPED_EARLY or round < 1 or any(protocol.alpha for protocol in protocols):
        return over
    if imported:
        return IMPORTED
    return FIRST_ROUND if round == 1 else LATER_ROUND


def stops_early(protocol: Protocol) -> bool:
    """Whether some votes are asked for only because of what others said."""
    return len(protocol.rounds) > 1


def asks_one_voter_first(protocol: Protocol) -> bool:
    """Whether only the writer's label and one vote are there whatever anybody said: no two voters are."""
    return stops_early(protocol) and protocol.rounds[0] == 1 and protocol.author_counts and not protocol.alpha


def asked_in_any_case(protocol: Protocol, *, round: int, route: str = "", imported: bool = False) -> bool:
    """Whether a vote was asked for whatever others had said, and so were those before it on its item.

    Under two-agree-audit these are the votes on panel items. Why imported votes were asked for is not known where a
    protocol stops early.
    """
    if not stops_early(protocol):
        return True
    return not imported and (route == PANEL if protocol.alpha else round == 1)


def asking_probability(
    protocol: Protocol, *, round: int, place: int, route: str = "", q: float | None = None
) -> float | None:
    """The probability (0 to 1) that the `place`-th vote of an item (from 1), in its round (from 1), was asked for.

    `route` and `q` are the item's under two-agree-audit: where its first vote led, and its chance of an audit. None
    where the vote was asked for because of what others had said, with a probability that nobody knows.
    """
    if not protocol.alpha or not route:
        return 1.0 if round == 1 else None
    if place == 1:
        return 1.0
    if place == FIRST_TWO:
        return {PANEL: 1.0, DISAGREEMENT: 1.0, DOUBT: 1.0, AUDITED: q}.get(route)
    return None


def shares_in(items: Mapping[str, int], done: Mapping[str, int]) -> dict[str, float] | None:
    """The share of items that stand for all of their route under two-agree-audit; None where too few do.

    `items` and `done` count by route, under one version of a protocol: all items, and those with the votes that a
    figure needs. Open items have none of its weight, so those that are done carry theirs; drawn agreements also carry
    the weight of those that wait for their draw.
    """
    if not done.get(AUDITED, 0) >= FEWEST_AUDITS:
        waiting = sum(items.get(route, 0) for route in (TWO_AGREE, HELD, AUDITED)) - done.get(AUDITED, 0)
        if waiting:
            return None
    if items.get(DISAGREEMENT) and not done.get(DISAGREEMENT):
        return None
    shares = {route: done.get(route, 0) / items[route] for route in ROUTES if items.get(route)}
    drawn = items.get(TWO_AGREE, 0) + items.get(AUDITED, 0)
    if drawn:
        shares[AUDITED] = shares.get(AUDITED, 1.0) * drawn / (drawn + items.get(HELD, 0))
    return shares
