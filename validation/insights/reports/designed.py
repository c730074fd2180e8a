"""Agreement over the votes that were asked for whatever others had said (no insight of its own).

Where the protocol stops early these are the figures to cite: validation.consensus.design says why.
"""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from validation.consensus import design
from validation.consensus.audit import AUDITED, HELD, TWO_AGREE
from validation.consensus.design import FIRST_TWO, asking_probability, asks_one_voter_first, stops_early
from validation.consensus.protocol import Protocol
from validation.insights.reports import agreement_tables as tables
from validation.insights.reports.base import Row
from validation.insights.reports.vote_columns import CodedVotes, writer_votes
from validation.insights.rules import weighted
from validation.insights.rules.agreement import FEW_PEOPLE
from validation.voting.models.stopping import StopStep

if TYPE_CHECKING:
    from validation.insights.reports.reading import Reading
    from validation.insights.rules.clusters import Estimate
    from validation.insights.rules.tallies import Ballots, Codes


class DesignedVotes(NamedTuple):
    """Votes of known probability: each as in `Ballots`, its item's weight, and what they are in words."""

    ballots: "Ballots"
    weight: "Codes"
    over: str


def designed_votes(votes: CodedVotes) -> DesignedVotes | None:
    """The votes that headline figures rest on; None where no vote was asked for because of others, or where all came
    with files: when those were given, and why, nobody knows.
    """
    import numpy as np

    reading, items = votes.reading, votes.reading.items
    rules = {pk: Protocol.from_stored(stored) for pk, stored in reading.project.protocols.values_list("pk", "rules")}
    imported = {pk for pk, person in reading.people.items() if person.imported}
    item, protocols = votes.ballots.item, items["protocol"].to_numpy()
    given = ~votes.frame["annotator"].isin(imported).to_numpy()
    # Items that anybody's file has votes on are asked about by other rules.
    given &= ~np.isin(item, np.unique(item[~given]))
    stopping = {pk for pk, protocol in rules.items() if stops_early(protocol)}
    if not stopping or not given.any() or not np.isin(protocols[item[given]], list(stopping)).any():
        return None
    chance = _chances(votes, rules, np.flatnonzero(given))
    known = np.isfinite(chance)
    weight = np.ones(len(items))
    # An item's weight is that of its last vote that counts: those before it were asked for with certainty.
    np.maximum.at(weight, item[known], 1 / chance[known])
    ballots = votes.ballots.select(known)
    over = design.FIRST_ROUND if (weight == 1).all() and not _has_audits(rules) else design.FIRST_TWO_WEIGHTED
    if of_one := [pk for pk in stopping if asks_one_voter_first(rules[pk])]:
        item, person, label, people = writer_votes(votes, np.unique(ballots.item), of_one)
        ballots = ballots._replace(
            item=np.r_[ballots.item, item],
            person=np.r_[ballots.person, person],
            label=np.r_[ballots.label, label],
            people=people,
        )
        over = design.WRITER_AND_FIRST
    return DesignedVotes(ballots, weight[ballots.item], over)


def _has_audits(rules: dict[int, Protocol]) -> bool:
    return any(protocol.alpha for protocol in rules.values())


def audit_chances(reading: "Reading", rules: dict[int, Protocol]) -> dict[int, float]:
    """With which probability agreements that were drawn are audited, by items' ids, under these versions."""
    if not _has_audits(rules):
        return {}
    known = StopStep.objects.using(reading.using).filter(protocol__in=rules, q__isnull=False)
    return {item: q for item, q in known.order_by("n").values_list("item", "q") if q is not None}


def shares_of_routes(
    reading: "Reading", rules: dict[int, Protocol], items: "Codes", done: "Codes"
) -> dict[int, dict[str, float] | None]:
    """`design.shares_in` by version of the protocol, of those with audits; `items` and `done` are masks."""
    routes = reading.items["route"].astype(object).tolist()
    counts: dict[int, tuple[Counter[str], Counter[str]]] = {
        pk: (Counter(), Counter()) for pk, protocol in rules.items() if protocol.alpha
    }
    rows = zip(reading.items["protocol"].tolist(), routes, items.tolist(), done.tolist(), strict=True)
    for protocol, route, counted, is_done in rows if counts else ():
        if route and counted and protocol in counts:
            counts[protocol][0][route] += 1
            counts[protocol][1][route] += is_done
    return {protocol: design.shares_in(*pair) for protocol, pair in counts.items()}


def drawn_shares(reading: "Reading") -> dict[int, float]:
    """Which share of the agreements under each version of the protocol is drawn: some wait for their draw, and those
    that are drawn stand for them.
    """
    routes = reading.items["route"].astype(object).tolist()
    known = list(zip(reading.items["protocol"].tolist(), routes, strict=True))
    held = Counter(protocol for protocol, route in known if route == HELD)
    drawn = Counter(protocol for protocol, route in known if route in (TWO_AGREE, AUDITED))
    return {protocol: drawn[protocol] / (drawn[protocol] + n) for protocol, n in held.items() if drawn[protocol]}


def _chances(votes: CodedVotes, rules: dict[int, Protocol], places: "Codes") -> "Codes":
    """The probability of each vote at these places, NaN where nobody knows it and elsewhere."""
    import numpy as np

    items, item = votes.reading.items, votes.ballots.item
    routes = items["route"].astype(object).to_numpy()
    protocols, keys = items["protocol"].to_numpy(), items.index.to_numpy()
    q = audit_chances(votes.reading, rules)
    times = np.bincount(item[places], minlength=len(items))
    shares = shares_of_routes(votes.reading, rules, times > 0, times >= FIRST_TWO)
    # Votes stand in the order of items, rounds and votes.
    starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]]) if len(item) else item
    order = np.arange(len(item)) - np.repeat(starts, np.diff(np.r_[starts, len(item)])) + 1
    found = np.full(len(item), np.nan)
    rounds = votes.round
    for place in votes.reading.keeping_lease(places.tolist()):
        if order[place] > FIRST_TWO and rounds[place] > 1:
            continue
        at = item[place]
        of_routes = shares.get(int(protocols[at]), {})
        if of_routes is None:
            continue
        chance = asking_probability(
            rules[int(protocols[at])],
            round=int(rounds[place]),
            place=int(order[place]),
            route=routes[at] or "",
            q=q.get(int(keys[at])),
        )
        if chance is not None:
            found[place] = chance * (of_routes.get(routes[at] or "", 1.0) if order[place] == FIRST_TWO else 1.0)
    return found


def designed_rows(votes: CodedVotes) -> list[Row]:
    """Alpha, percent agreement and pooled kappa over those votes, each with the wider of two intervals."""
    designed = designed_votes(votes)
    if designed is None:
        return []
    votes.reading.tick()
    figures = weighted.agreement(designed.ballots, designed.weight, votes.reading.sources, tick=votes.reading.tick)
    named = (
        (tables.ALPHA, figures.alpha),
        (tables.PERCENT_AGREEMENT, figures.percent),
        (tables.POOLED_KAPPA, figures.kappa),
    )
    return [
        {
            "coefficient": name,
            "over": designed.over,
            **estimate.columns,
            "items": figures.items,
            "ratings": figures.ratings,
            "why": _why(designed, estimate, figures.why),
        }
        | ({"pairs": figures.pairs} if name == tables.POOLED_KAPPA else {})
        for name, estimate in named
    ]


def _why(designed: DesignedVotes, estimate: "Estimate", of_figures: str) -> str:
    """Why there is no figure, or no interval."""
    if estimate.value is not None:
        return FEW_PEOPLE if estimate.few_people else ""
    return of_figures if designed.weight.size else design.TOO_FEW_AUDITS
