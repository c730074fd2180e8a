"""Agreement of those who voted: four coefficients with their intervals, over all votes and over every part of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.text.gettext import gettext_noop
from validation.consensus import design
from validation.consensus.protocol import Protocol
from validation.consensus.stages import ADJUDICATED, NO_CONSENSUS, SETTLED
from validation.insights.reports import agreement_tables as tables
from validation.insights.reports.base import MOST_ROWS, Insight, Row, TableRows
from validation.insights.reports.designed import designed_rows
from validation.insights.reports.others import complete_rows, has_imported
from validation.insights.reports.reading import Reading
from validation.insights.reports.vote_columns import CodedVotes, code_votes
from validation.insights.rules import agreement as figures

if TYPE_CHECKING:
    from validation.insights.rules.clusters import Ends
    from validation.insights.rules.individual_labels import DecidedItems
    from validation.insights.rules.pairwise import PairedVotes, PairKappas
    from validation.insights.rules.tallies import Codes, Tally

# More people than this make a table of pairs that nobody reads: those with most items in common are shown.
MOST_PEOPLE = 40


def compute(reading: Reading) -> TableRows:
    """Count the votes once into tallies, and give every coefficient over them and their parts."""
    from validation.insights.rules.pairwise import kappas_of_pairs, pair_votes

    votes = reading.cached(code_votes)
    reading.tick()
    crossed = pair_votes(votes.ballots, reading.tick)
    reading.tick()
    pairs = kappas_of_pairs(crossed)
    overall = _overall(votes, crossed, pairs)
    # Parts are over all votes, as the first plain row is.
    over = next(row["over"] for row in overall if row["coefficient"] == tables.FLEISS)
    parts = {**_parts(votes), "people": _people(votes, pairs), "pairs": _pairs(votes, pairs)}
    rounds = _rounds_over(votes, parts.pop("rounds"), over)
    return {
        "overall": overall,
        "complete": complete_rows(reading),
        "individual": _individual(votes),
        "rounds": rounds,
        **{key: [{**row, "over": over} for row in rows] for key, rows in parts.items()},
    }


def _rounds_over(votes: CodedVotes, rows: Sequence[Row], over: str) -> Sequence[Row]:
    """Rounds, each with the votes that it rests on: those of the first were asked for whatever others said."""
    stored = votes.reading.project.protocols.values_list("rules", flat=True)
    rules, imported = [Protocol.from_stored(each) for each in stored], has_imported(votes)
    return [{**row, "over": design.round_behind(over, row["part"], rules, imported=imported)} for row in rows]


# --- all votes ----------------------------------------------------------------------------


def _tally_of_all(votes: CodedVotes, *, author: bool = False) -> "Tally":
    """All items by the labels that they got; with the author's as one more, those that somebody voted on."""
    import numpy as np

    from validation.insights.rules.tallies import tally

    votes.reading.tick()
    item, label = votes.ballots.item, votes.ballots.label
    if author:
        judged = np.unique(item)
        judged = judged[votes.author[judged] >= 0]
        item, label = np.r_[item, judged], np.r_[label, votes.author[judged]]
        inside = np.isin(item, judged)
        item, label = item[inside], label[inside]
    return tally(item, label, len(votes.names))


def _overall(votes: CodedVotes, crossed: "PairedVotes", pairs: "PairKappas") -> Sequence[Row]:
    designed = designed_rows(votes)
    over = design.STOPPED_EARLY if designed else design.VOTES
    plain = _coefficients(votes, _tally_of_all(votes), over, {} if designed else _over_people(votes))
    rows = [*designed, *plain[:2], {**_mean(votes, crossed, pairs), "over": over}, *plain[2:]]
    if not votes.reading.kind.has_author_labels:
        return rows
    return [*rows, *_coefficients(votes, _tally_of_all(votes, author=True), design.WITH_AUTHOR)[:2]]


def _over_people(votes: CodedVotes) -> "dict[str, Ends | None]":
    """The intervals over people of the coefficients that have one, where no vote hung on others."""
    from validation.insights.rules.weighted import people_intervals

    alpha, percent, _ = people_intervals(votes.ballots, tick=votes.reading.tick)
    return {tables.ALPHA: alpha, tables.PERCENT_AGREEMENT: percent}


def _coefficients(
    votes: CodedVotes, tally: "Tally", over: str, people: "Mapping[str, Ends | None] | None" = None
) -> Sequence[Row]:
    """Alpha, Fleiss' kappa and percent agreement, each with its intervals."""
    from validation.insights.rules.clusters import Estimate
    from validation.insights.rules.coefficients import ALPHA, FLEISS, PERCENT, intervals

    tick = votes.reading.tick
    tick()
    units = tally.units(votes.names)
    ends = intervals(tally, votes.reading.sources)
    tick()
    named = (
        (tables.ALPHA, ALPHA, figures.alpha_by_library(units, votes.names)),
        (tables.FLEISS, FLEISS, figures.fleiss_kappa(units)),
        (tables.PERCENT_AGREEMENT, PERCENT, figures.percent_agreement(units)),
    )
    rows = []
    for name, key, figure in named:
        estimate = Estimate(figure.value, ends[key], (people or {}).get(name))
        row = {"coefficient": name, "over": over, **estimate.columns}
        rows.append(row | {"items": figure.items, "ratings": figure.ratings, "why": figure.why})
    return rows


def _mean(votes: CodedVotes, crossed: "PairedVotes", pairs: "PairKappas") -> Row:
    """The mean of Cohen's kappas; its items are those that two people or more judged by name."""
    import numpy as np

    from validation.insights.rules.pairwise import mean_estimate

    item = votes.ballots.item[votes.ballots.person >= 0]
    by_item = np.bincount(item, minlength=1)
    shared = by_item[by_item > 1]
    estimate = mean_estimate(crossed, votes.reading.sources)._replace(value=pairs.mean)
    reason = figures.ONE_LABEL if len(pairs.items) else figures.NO_PAIRS
    why = figures.REASONS[reason] if pairs.mean is None else tables.TOO_MANY if estimate.items is None else ""
    row = {"coefficient": tables.COHEN, "over": design.VOTES, **estimate.columns}
    return row | {"items": len(shared), "ratings": int(shared.sum()), "pairs": pairs.defined, "why": why}


# --- parts --------------------------------------------------------------------------------


def _parts(votes: CodedVotes) -> TableRows:
    """The same over the items with so many votes, the votes of a round, one label against the rest, and so on."""
    import numpy as np

    whole, items = _tally_of_all(votes), votes.reading.items
    item, targets = votes.ballots.item, votes.reading.targets
    categories, of_item = votes.groups
    regions, of_vote = votes.regions
    target_ids = sorted(targets, key=lambda pk: targets[pk].key)
    place = {pk: n for n, pk in enumerate(target_ids)}
    target_of = np.array([place[pk] for pk in items["target"].tolist()], np.int64)
    sizes = np.unique(whole.with_several_votes.rows.sum(axis=1)).tolist()
    labels = [(key, whole.one_label_against_rest(n)) for n, key in enumerate(votes.names[: votes.of_kind])]
    rounds = [str(n) for n in range(int(votes.round.max(initial=0)) + 1)]
    return {
        "sizes": [_part(votes, size, whole.with_votes(size)) for size in sizes],
        "rounds": [{**row, "part": int(row["part"])} for row in _rows_by_part(votes, rounds, votes.round)],
        "labels": [_of_label(votes, key, two, n) for n, (key, two) in enumerate(labels)],
        "categories": _rows_by_part(votes, categories, of_item[item]),
        "targets": _rows_by_part(votes, [targets[pk].key for pk in target_ids], target_of[item]),
        "regions": _rows_by_part(votes, regions, of_vote),
    }


def _rows_by_part(votes: CodedVotes, names: list[str], part: "Codes") -> list[Row]:
    """A row for each part that votes fall into; none at all where all fall into one that has no name."""
    from validation.insights.rules.tallies import tallies

    votes.reading.tick()
    found = tallies(part, votes.ballots.item, votes.ballots.label, len(votes.names))
    rows = [_part(votes, names[n], found[n]) for n in list(found)[:MOST_ROWS]]
    return [] if len(rows) == 1 and rows[0]["part"] in tables.UNNAMED else rows


def _part(votes: CodedVotes, name: str | int, tally: "Tally") -> Row:
    """Percent agreement, alpha with its interval and Fleiss' kappa over one part."""
    from validation.insights.rules.coefficients import ALPHA, intervals

    tick = votes.reading.tick
    tick()
    units = tally.units(votes.names)
    alpha = figures.alpha_by_library(units, votes.names)
    tick()
    low, high = intervals(tally, votes.reading.sources, wanted=(ALPHA,))[ALPHA] or (None, None)
    return {
        "part": name,
        "items": alpha.items,
        "ratings": alpha.ratings,
        "alpha": alpha.value,
        "low": low,
        "high": high,
        "fleiss": figures.fleiss_kappa(units).value,
        "percent": figures.percent_agreement(units).in_percent,
        "why": alpha.why,
    }


def _of_label(votes: CodedVotes, key: str, two: "Tally", n: int) -> Row:
    """One label against all others; and how often a vote for it meets another one for it."""
    votes.reading.tick()
    ratings = two.with_several_votes
    sizes = ratings.rows.sum(axis=1)
    mine = ratings.rows[:, 0]
    met = int((ratings.times * mine * (mine - 1)).sum())
    could = int((ratings.times * mine * (sizes - 1)).sum())
    alpha = figures.alpha_by_library(two.units(("this", "other")), ("this", "other"))
    return {
        "label": key,
        "votes": int((two.times * two.rows[:, 0]).sum()),
        "specific": 100 * met / could if could else None,
        "alpha": alpha.value,
        "why": alpha.why if could else tables.NEVER_GIVEN,
    }


# --- people -------------------------------------------------------------------------------


def _people(votes: CodedVotes, pairs: "PairKappas") -> Sequence[Row]:
    """Everybody's mean kappa with the others, in the order of their names: this is no ranking."""
    import numpy as np

    rows = []
    for n, name in enumerate(votes.people[:MOST_ROWS]):
        votes.reading.tick()
        mine = (pairs.people == n).any(axis=1)
        kappas, items = pairs.kappas[mine], int(pairs.items[mine].sum())
        defined = kappas[np.isfinite(kappas)]
        reason = "" if len(defined) else figures.REASONS[figures.ONE_LABEL if items else figures.NO_PAIRS]
        row: dict[str, Any] = {"person": name, "others": int(mine.sum()), "meetings": items, "why": reason}
        row["percent"] = 100 * int(pairs.agreeing[mine].sum()) / items if items else None
        rows.append(row | {"kappa": float(defined.mean()) if len(defined) else None, "pairs": len(defined)})
    return rows


def _pairs(votes: CodedVotes, pairs: "PairKappas") -> Sequence[Row]:
    """Cohen's kappa of each two people, among those who share most items with others."""
    import numpy as np

    met = np.zeros(len(votes.people), np.int64)
    np.add.at(met, pairs.people.ravel(), np.repeat(pairs.items, 2))
    shown = set(np.argsort(-met, kind="stable")[:MOST_PEOPLE].tolist())
    rows = []
    for (one, other), items, kappa, same in zip(*(x.tolist() for x in (*pairs[:3], pairs.agreeing)), strict=True):
        if one in shown and other in shown:
            row = {"one": votes.people[one], "other": votes.people[other], "items": items}
            rows.append(row | {"percent": 100 * same / items, "kappa": kappa if np.isfinite(kappa) else None})
    return rows[:MOST_ROWS]


# --- Table 3 ------------------------------------------------------------------------------


def _individual(votes: CodedVotes) -> list[Row]:
    """Labels against gold and against the author's, over the items that votes came to an end on."""
    from validation.insights.rules.individual_labels import count_individual_labels

    found = count_individual_labels(_decided(votes))
    by_lead = int((votes.reading.items["stage"].astype(object) == ADJUDICATED).sum())
    rows: tuple[tuple[str, int, int], ...] = (
        (tables.WITH_GOLD, found.gold, found.items),
        (tables.IS_GOLD, found.is_gold, found.labels),
        (tables.IS_AUTHOR, found.is_author, found.authored_labels),
        (tables.GOLD_IS_AUTHOR, found.gold_is_author, found.authored),
        (tables.GOLD_DIFFERS, found.gold_differs, found.authored),
        (tables.NO_GOLD, found.no_gold, found.items),
    )
    if not votes.reading.kind.has_author_labels:
        rows = tuple(row for row in rows if row[0] not in tables.OF_AUTHOR)
    nothing = tables.NO_AUTHOR_LABELS if found.items else tables.NOTHING_DECIDED
    made = [
        {"measure": name, "part": part, "whole": whole, "percent": 100 * part / whole if whole else None}
        | ({} if whole else {"why": nothing if name in tables.OF_AUTHOR else tables.NOTHING_DECIDED})
        for name, part, whole in rows
    ]
    return [*made, *([{"measure": tables.BY_LEAD, "part": by_lead}] if by_lead else [])]


def _decided(votes: CodedVotes) -> "Iterator[DecidedItems]":
    """The decided items, those that came out alike together: author, counted labels and gold the same."""
    import numpy as np

    from validation.insights.rules.individual_labels import DecidedItems
    from validation.insights.rules.tallies import number_distinct_rows

    votes.reading.tick()
    items, project = votes.reading.items, votes.reading.project
    versions = {pk: Protocol.from_stored(rules) for pk, rules in project.protocols.values_list("pk", "rules")}
    counts = {pk: rules.author_counts for pk, rules in versions.items()}
    voices = items["protocol"].map(counts).to_numpy(bool)
    stage = items["stage"].astype(object)
    others = items["gold_from"].astype(object).isin(("author", "lead"))
    ended = stage.isin((SETTLED, NO_CONSENSUS)).to_numpy() & ~others.to_numpy()
    ballots = votes.ballots.select(~votes.frame["surplus"].to_numpy(bool))
    k, n = len(votes.names), len(items)
    rows = np.bincount(ballots.item * k + ballots.label, minlength=n * k).reshape(n, k)
    if not ended.any():
        return
    columns = (votes.author[ended], votes.gold[ended], voices[ended], *rows[ended].T)
    first, like = number_distinct_rows(*columns)
    author, gold, voiced, *given = (column[first].tolist() for column in columns)
    for at, times in votes.reading.keeping_lease(enumerate(np.bincount(like).tolist())):
        labels = [name for name, n in zip(votes.names, (column[at] for column in given), strict=True) for _ in range(n)]
        own = votes.names[author[at]] if author[at] >= 0 else None
        yield DecidedItems(own, voiced[at], labels, votes.names[gold[at]] if gold[at] >= 0 else None, times)


INSIGHT = Insight(
    slug="agreement",
    title=gettext_noop("Agreement"),
    introduction=gettext_noop("How far people who judged the same items without seeing each other said the same."),
    order=10,
    compute=compute,
    headline=("overall", "value"),
    tables=tables.TABLES,
)
