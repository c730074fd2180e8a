"""With which probability a vote was asked for, by the protocol: which votes statistics may rest on (pure).

Early stopping asks further people about disputed items only, so that all votes together look less agreed, and each
item's own more, than people are. Unbiased are votes that were asked for whatever others had said (the first round, the
panel), and votes of known probability, weighted by its inverse (Horvitz and Thompson 1952): the second vote under
two-agree-audit.
"""

from validation.consensus.audit import AUDITED, DISAGREEMENT, DOUBT, PANEL
from validation.consensus.protocol import Protocol

FIRST_TWO = 2


def stops_early(protocol: Protocol) -> bool:
    """Whether some votes are asked for only because of what others said."""
    return len(protocol.rounds) > 1


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
