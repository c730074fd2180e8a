"""Votes beside the gold that the others make, and what all labels of ended items say (no insight).

validation.consensus.completion says how, item by item; here it is read off a project's votes.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import log2
from typing import TYPE_CHECKING, NamedTuple

from validation.consensus import completion, design
from validation.consensus.completion import AgainstOthers, Stopped, against_others
from validation.consensus.protocol import Protocol
from validation.consensus.stages import ADJUDICATED, EXCLUDED, NO_CONSENSUS, SETTLED
from validation.insights.reports import agreement_tables as tables
from validation.insights.reports.base import Row
from validation.insights.reports.designed import audit_chances, shares_of_routes
from validation.insights.reports.reading import Reading
from validation.insights.reports.vote_columns import CodedVotes, code_votes
from validation.insights.rules.agreement import FEW_PEOPLE

if TYPE_CHECKING:
    from validation.insights.rules.clusters import Estimate, Floats
    from validation.insights.rules.tallies import Codes

_NOTHING = 1e-9
ENDED = (SETTLED, NO_CONSENSUS, ADJUDICATED)


class EndedItem(NamedTuple):
    """An item whose votes came to an end, and the places of its counted votes in order. `by_lead`: so was its gold.

    `share`: of the items of its route, those whose votes came to an end.
    """

    by_lead: bool
    stopped: Stopped
    votes: tuple[int, ...]
    share: float = 1.0

    @property
    def weight(self) -> float:
        """How many items this one stands for: also for those of its route whose votes have not come to an end."""
        return self.stopped.weight / self.share


class BesideOthers(NamedTuple):
    """By vote: how far the others make gold, and how far the vote is it; both 0 where it is left out (not `known`)."""

    gold: "Floats"
    agrees: "Floats"
    known: "Floats"

    def share(self, of: "Floats") -> tuple[float | None, int, int]:
        """The share of these votes that are the gold of the others, of how many, and how many are left out."""
        gold, agrees = float(self.gold[of].sum()), float(self.agrees[of].sum())
        compared = round(float((self.gold * self.known)[of].sum()))
        left_out = int(of.sum()) - min(compared, int(of.sum()))
        # Estimates of few votes may lie outside what a share can be.
        return (min(max(agrees / gold, 0.0), 1.0) if gold > 0 else None), int(of.sum()) - left_out, left_out


def ended_items(votes: CodedVotes) -> Iterator[EndedItem]:
    """The items that votes came to an end on, in their order; only votes that count."""
    import numpy as np

    reading, items = votes.reading, votes.reading.items
    rules = {pk: Protocol.from_stored(stored) for pk, stored in reading.project.protocols.values_list("pk", "rules")}
    chances = audit_chances(reading, rules)
    ended = items["stage"].astype(object).isin(ENDED).to_numpy()
    routes, protocols, keys = (items[name].astype(object).tolist() for name in ("route", "protocol", "author_label"))
    by_lead = (items["gold_from"].astype(object).isin(("author", "lead")) | (items["stage"] == ADJUDICATED)).tolist()
    ids, surplus = items.index.tolist(), votes.frame["surplus"].to_numpy(bool)
    shares = decided_shares(votes, rules)
    counted = np.flatnonzero(~surplus & ended[votes.ballots.item])
    if not len(counted):
        return
    item = votes.ballots.item[counted]
    starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]])
    for at in reading.keeping_lease(np.split(counted, starts[1:])):
        place, protocol = int(votes.ballots.item[at[0]]), rules[protocols[int(votes.ballots.item[at[0]])]]
        if (of_routes := shares.get(protocols[place], {})) is None:
            continue
        given = tuple(votes.names[code] for code in votes.ballots.label[at].tolist())
        author = str(keys[place] or "") or None
        stopped = Stopped(protocol, author, given, routes[place] or "", chances.get(ids[place]))
        yield EndedItem(by_lead[place], stopped, tuple(at.tolist()), of_routes.get(stopped.route, 1.0) or 1.0)


def decided_shares(votes: CodedVotes, rules: dict[int, Protocol]) -> dict[int, dict[str, float] | None]:
    """Which share of the items of each route is decided, by version of the protocol (`design.shares_in`)."""
    import numpy as np

    stage = votes.reading.items["stage"].astype(object).to_numpy()
    counted = np.bincount(votes.ballots.item[~votes.frame["surplus"].to_numpy(bool)], minlength=len(stage)) > 0
    counted &= stage != EXCLUDED
    return shares_of_routes(votes.reading, rules, counted, np.isin(stage, ENDED))


def beside_others(reading: Reading) -> BesideOthers:
    """Every vote beside the gold of the others; those of audited items count for the items that stopped at two too."""
    import numpy as np

    votes = reading.cached(code_votes)
    labels = tuple(votes.names[: votes.of_kind])
    gold, agrees, known = (np.zeros(len(votes.ballots.item)) for _ in range(3))
    compared: dict[tuple[Stopped, int], AgainstOthers | None] = {}
    for ended in ended_items(votes):
        if ended.by_lead:
            continue  # such an item counts in no agreement with gold
        alike = ended.stopped._replace(q=None)
        names = _names(votes, ended) if alike.protocol.tie != "none" else ()
        for place, at in enumerate(ended.votes):
            beside = compared.get((alike, place)) if not names else None
            if names or (alike, place) not in compared:
                beside = against_others(ended.stopped, labels, place, names)
                if not names:
                    compared[alike, place] = beside
            if beside is not None:
                gold[at], agrees[at] = (ended.weight * score for score in beside)
                known[at] = 1 / ended.weight
    return BesideOthers(gold, agrees, known)


def _names(votes: CodedVotes, ended: EndedItem) -> tuple[str, ...]:
    """The pseudonyms of who gave these votes."""
    given = votes.frame["annotator"].to_numpy()[list(ended.votes)].tolist()
    return tuple(votes.reading.people[pk].pseudonym for pk in given)


def has_imported(votes: CodedVotes) -> bool:
    """Whether any of the votes came with a file."""
    voters = set(votes.frame["annotator"].unique().tolist())
    return any(person.imported for pk, person in votes.reading.people.items() if pk in voters)


# --- the table --------------------------------------------------------------------------------


def complete_rows(reading: Reading) -> list[Row]:
    """Votes against the gold of the others, unanimity and entropy of all labels, each with its intervals."""
    votes = reading.cached(code_votes)
    if not len(votes.ballots.item):
        return []
    rules = [Protocol.from_stored(stored) for stored in reading.project.protocols.values_list("rules", flat=True)]
    over = design.votes_behind(rules, design.COMPLETE, imported=has_imported(votes))
    rows = [_beside_row(votes, reading.cached(beside_others)), *_item_rows(votes)]
    why = _why_none(votes)
    return [{**row, "over": over} | ({"why": why} if why and not row["compared"] else {}) for row in rows]


def _why_none(votes: CodedVotes) -> str:
    """Why nothing can be compared, where too few audits are decided to stand for other agreements."""
    versions = votes.reading.project.protocols.values_list("pk", "rules")
    shares = decided_shares(votes, {pk: Protocol.from_stored(stored) for pk, stored in versions})
    return design.TOO_FEW_AUDITS if None in shares.values() else ""


def _beside_row(votes: CodedVotes, beside: BesideOthers) -> Row:
    """Every vote that can be compared with the gold of the others: intervals over items and over who gave them."""
    import numpy as np

    from validation.insights.rules.clusters import FEWEST_PEOPLE, MOST_PEOPLE, jackknife_interval, share_ratio

    ballots, everybody = votes.ballots, np.ones(len(beside.gold), bool)
    share, compared, left_out = beside.share(everybody)
    agrees, gold = (np.bincount(ballots.item, scores, ballots.items) for scores in (beside.agrees, beside.gold))
    found = share_ratio(agrees.astype(float), gold.astype(float), votes.reading.sources)
    people = np.unique(ballots.person[(ballots.person >= 0) & (beside.known > 0)]).tolist()
    without = [beside.share(ballots.person != person)[0] for person in people] if len(people) <= MOST_PEOPLE else []
    few = len(people) < FEWEST_PEOPLE and not bool((ballots.person[beside.known > 0] < 0).any())
    over_people = jackknife_interval(share, without)
    estimate = found._replace(value=share, people=over_people, few_people=few).within(0.0, 1.0)
    return _row(tables.IS_GOLD_OF_OTHERS, estimate, compared, left_out)


def _row(name: str, estimate: "Estimate", compared: int, left_out: int) -> Row:
    few = FEW_PEOPLE if estimate.few_people else ""
    why = few if estimate.value is not None else tables.NOTHING_DECIDED if not compared else tables.NO_OTHERS
    return {"measure": name, **estimate.columns, "compared": compared, "left_out": left_out, "why": why}


def _item_rows(votes: CodedVotes) -> list[Row]:
    """The figures of items: each is the mean of estimates of all labels of an item."""
    import numpy as np

    from validation.insights.rules.clusters import ratio, share_ratio

    labels = tuple(votes.names[: votes.of_kind])
    scores: dict[Stopped, tuple[float, ...] | None] = {}
    weights, found, items, left_out = [], [], [], 0
    for ended in ended_items(votes):
        if not ended.stopped.weight:
            continue
        alike = ended.stopped._replace(q=None)
        if alike not in scores:
            scores[alike] = completion.figures_of_all_labels(alike, labels)
        if (told := scores[alike]) is None:
            left_out += 1
        else:
            weights.append(ended.weight)
            found.append(told)
            items.append(ended)
    places = [int(votes.ballots.item[ended.votes[0]]) for ended in items]
    people = _people_of_items(votes, items)
    rows, values, weight = [], np.array(found, float).reshape(len(found), 4), np.array(weights, float)
    for name, part, whole in (
        (tables.AUTHOR_IS_GOLD_OF_VOTES, values[:, 0], values[:, 1]),
        (tables.UNANIMOUS, values[:, 2], np.ones(len(values))),
        (tables.ENTROPY, values[:, 3], np.ones(len(values))),
    ):
        if name == tables.AUTHOR_IS_GOLD_OF_VOTES and not votes.reading.kind.has_author_labels:
            continue
        sums, source = (weight * part, weight * whole), votes.reading.sources[places]
        most = log2(max(len(labels), 2)) if name == tables.ENTROPY else 1.0
        estimate = (ratio if name == tables.ENTROPY else share_ratio)(*sums, source)
        estimate = over_people(estimate, *sums, people).within(0.0, most)
        gone = left_out + (len(values) - round(float(whole.sum())))
        rows.append(_row(name, estimate, len(values) + left_out - gone, gone))
    return rows


def _people_of_items(votes: CodedVotes, items: list[EndedItem]) -> "list[Codes]":
    """Of each person the places among these items of those that they voted on, or wrote; none where nobody knows."""
    import numpy as np

    authors = votes.reading.items["author"].tolist()
    voters, places = votes.frame["annotator"].tolist(), defaultdict[object, set[int]](set)
    for place, ended in enumerate(items):
        for at in ended.votes:
            if votes.ballots.person[at] >= 0:
                places[voters[at]].add(place)
        writer = authors[int(votes.ballots.item[ended.votes[0]])]
        if ended.stopped.author and writer:
            places[writer].add(place)
    return (
        []
        if any(votes.ballots.person[at] < 0 for ended in items for at in ended.votes)
        else [np.array(sorted(those)) for those in places.values()]
    )


def over_people(estimate: "Estimate", parts: "Floats", wholes: "Floats", people: "Sequence[Codes]") -> "Estimate":
    """With the interval over people of a ratio of sums: the jackknife over the items without each person.

    `people` has of each the places of their items. Where each item is everybody's, nobody can be left out.
    """
    from validation.insights.rules.clusters import FEWEST_PEOPLE, MOST_PEOPLE, jackknife_interval

    if not FEWEST_PEOPLE <= len(people) <= MOST_PEOPLE:
        return estimate._replace(few_people=0 < len(people) < FEWEST_PEOPLE)
    all_parts, all_wholes = float(parts.sum()), float(wholes.sum())
    without = []
    for those in people:
        whole = all_wholes - float(wholes[those].sum())
        if whole > _NOTHING:
            without.append((all_parts - float(parts[those].sum())) / whole)
    few = len(without) < FEWEST_PEOPLE
    return estimate._replace(people=jackknife_interval(estimate.value, without), few_people=few)
