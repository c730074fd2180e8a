"""Annotators: how far each can be relied on, by plain agreement and by two models of who errs; for overseers only."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from annotation.text.gettext import gettext_noop
from validation.consensus import design
from validation.consensus.protocol import Protocol
from validation.insights.reports.agreement_tables import ENDS_OF_BOTH, person_filter
from validation.insights.reports.base import MOST_ROWS, Column, Insight, Row, Table, TableRows
from validation.insights.reports.others import beside_others, has_imported
from validation.insights.reports.reading import Reading
from validation.insights.reports.vote_columns import CodedVotes, code_votes, writer_votes

if TYPE_CHECKING:
    from validation.insights.rules import dawid_skene, mace
    from validation.insights.rules.tallies import Ballots, Codes


# A little in every cell of a person's matrix: three votes prove nobody unfailing.
SMOOTHING = 0.1
# Fewer starts where the votes are many: each takes seconds, and the likelihood has fewer summits to be lost on.
MANY_VOTES, STARTS_OF_MANY = 200_000, 3
# A way of erring that is shown: so many per cent of the items of a label.
LEAST_PERCENT = 10
LEAST_MET = 1


def compute(reading: Reading) -> TableRows:
    """Plain shares for everybody who voted by name, and both models over the items that two such people judged."""
    votes = reading.cached(code_votes)
    judged, ids = _shared_votes(votes)
    if not len(judged.item):
        over = _over(votes)
        return {"people": _people(votes, None, None, judged), "mean": [], "errors": [], "models": [], "over": over}
    from validation.insights.rules import dawid_skene, mace

    skene = dawid_skene.fit(judged, smoothing=SMOOTHING, tick=reading.tick)
    starts = STARTS_OF_MANY if len(judged.item) > MANY_VOTES else mace.STARTS
    hovy = mace.fit(judged, reading.project.seed, starts=starts, tick=reading.tick)
    return {
        "people": _people(votes, skene, hovy, judged),
        "mean": [_mean_accuracy(votes, skene, judged, ids)],
        "errors": _errors(votes, skene, judged),
        "models": [
            _model(votes, MAJORITY, _majority(judged), ids),
            _model(votes, DAWID_SKENE, skene.truth, ids),
            _model(votes, MACE, hovy.truth, ids),
        ],
        "over": _over(votes),
    }


def _over(votes: CodedVotes) -> Sequence[Row]:
    """Which votes each figure of the page rests on."""
    if not votes.people:
        return []
    stored = votes.reading.project.protocols.values_list("rules", flat=True)
    rules, imported = [Protocol.from_stored(each) for each in stored], has_imported(votes)
    plain, complete = (design.votes_behind(rules, use, imported=imported) for use in (design.PLAIN, design.COMPLETE))
    author = any(each.author_counts for each in rules) and votes.reading.kind.has_author_labels
    models = MODEL_OVER_AUTHOR if author else MODEL_OVER
    figures = ((AS_OTHERS, plain), (AS_GOLD, complete), (AS_AUTHOR, plain), (SKENE_NAME, models), (MACE, models))
    return [
        {"figure": name, "over": over}
        for name, over in figures
        if name != AS_AUTHOR or votes.reading.kind.has_author_labels
    ]


def _shared_votes(votes: CodedVotes) -> "tuple[Ballots, Codes]":
    """The labels of the kind by name, on items that two or more such people judged; which items.

    A writer's label is among them where the protocol counts it: without it the models lack the one label that does not
    depend on what others said, and people who differ from most look too wrong. Writers who never voted have codes
    behind the voters'.
    """
    import numpy as np

    named = votes.ballots.select((votes.ballots.person >= 0) & (votes.ballots.label < votes.of_kind))
    stored = votes.reading.project.protocols.values_list("pk", "rules")
    counting = [pk for pk, rules in stored if Protocol.from_stored(rules).author_counts]
    item, person, label, people = writer_votes(votes, np.unique(named.item), counting)
    named = named._replace(
        item=np.r_[named.item, item],
        person=np.r_[named.person, person],
        label=np.r_[named.label, label],
        people=people,
    )
    several = np.bincount(named.item, minlength=named.items) > 1
    named = named.select(several[named.item])
    ids, place = np.unique(named.item, return_inverse=True)
    return named._replace(item=place, items=len(ids), labels=votes.of_kind), ids


def _mean_accuracy(votes: CodedVotes, skene: "dawid_skene.Fitted", judged: "Ballots", ids: "Codes") -> Row:
    """The mean over everybody who judged with others, with its intervals."""
    import numpy as np

    from validation.insights.rules.skene_accuracy import mean_accuracy

    people, sources = np.unique(judged.person), np.unique(votes.reading.sources[ids], return_inverse=True)[1]
    estimate = mean_accuracy(judged, skene, sources, people, tick=votes.reading.tick)
    row = {"measure": DAWID_SKENE, "people": len(people), "items": len(ids)}
    return row | {key: end and 100 * min(max(end, 0.0), 1.0) for key, end in estimate.columns.items()}


def _majority(judged: "Ballots") -> "Codes":
    """Votes for each label of each item."""
    import numpy as np

    n, k = judged.items, judged.labels
    return np.bincount(judged.item * k + judged.label, minlength=n * k).reshape(n, k)


def _people(
    votes: CodedVotes, skene: "dawid_skene.Fitted | None", hovy: "mace.Fitted | None", judged: "Ballots"
) -> Sequence[Row]:
    """Everybody in the order of their names, with how much each figure is over."""
    import numpy as np

    n, mine = len(votes.people), votes.ballots.select(votes.ballots.person >= 0)
    tick = votes.reading.tick
    tick()
    with_others, met = _with_others(votes)
    tick()
    author, beside = votes.author[mine.item], votes.reading.cached(beside_others)
    seen = np.bincount(judged.person, minlength=n)
    marks, seconds = _marks(votes), _seconds(votes)
    rows = []
    for person, name in enumerate(votes.people[:MOST_ROWS]):
        tick()
        of = mine.person == person
        row: dict[str, Any] = {"person": name, "votes": int(of.sum()), "met": met[person]}
        row["others"] = with_others[person]
        share, row["gold_n"], row["gold_out"] = beside.share(votes.ballots.person == person)
        row["gold"] = None if share is None else 100 * share
        row |= _percent_equal("author", mine.label[of], author[of])
        row |= {"seconds": seconds[person]} | {key: share[person] for key, share in marks.items()}
        relied = bool(seen[person]) and skene is not None and hovy is not None
        row["skene"] = 100 * float(skene.accuracy[person]) if skene is not None and relied else None
        row["mace"] = 100 * float(hovy.competence[person]) if hovy is not None and relied else None
        rows.append(row | ({} if relied else {"why": MET_NOBODY}))
    return rows


def _percent_equal(key: str, labels: "Codes", codes: "Codes") -> dict[str, Any]:
    """How often a person's votes equal the label, in percent, over how many that have one."""
    there = codes >= 0
    n = int(there.sum())
    return {f"{key}_n": n, key: 100 * int((labels[there] == codes[there]).sum()) / n if n else None}


def _with_others(votes: CodedVotes) -> tuple[list[float | None], list[int]]:
    """The mean share of others on the same items who say the same, in percent; on how many votes of each person."""
    import numpy as np

    from validation.insights.rules.tallies import number_distinct_rows

    ballots = votes.ballots
    _, labels = number_distinct_rows(ballots.item, ballots.label)
    others = np.bincount(ballots.item, minlength=1)[ballots.item] - 1
    of = (ballots.person >= 0) & (others > 0)
    person = ballots.person[of]
    share = (np.bincount(labels, minlength=1)[labels[of]] - 1) / others[of]
    n = np.bincount(person, minlength=ballots.people)
    sums = np.bincount(person, share, minlength=ballots.people)
    return [100 * s / m if m else None for s, m in zip(sums.tolist(), n.tolist(), strict=True)], n.tolist()


def _marks(votes: CodedVotes) -> dict[str, list[float | None]]:
    """The shares of votes that were marked unsure or ambiguous, in percent, among those of which it is known."""
    import numpy as np

    named = votes.ballots.person >= 0
    found = {}
    for key in ("unsure", "ambiguous"):
        marks = votes.frame[key].to_numpy()
        known = named & (marks >= 0)
        person = votes.ballots.person[known]
        n = np.bincount(person, minlength=votes.ballots.people).tolist()
        marked = np.bincount(person, marks[known], minlength=votes.ballots.people)
        found[key] = [100 * m / of if of else None for m, of in zip(marked.tolist(), n, strict=True)]
    return found


def _seconds(votes: CodedVotes) -> list[float | None]:
    """The median seconds of each person's votes; None where none was timed."""
    import pandas as pd

    timed = pd.Series(votes.frame["seconds"].to_numpy()).dropna()
    medians = timed.groupby(votes.ballots.person[timed.index]).median()
    return [float(medians[person]) if person in medians.index else None for person in range(len(votes.people))]


def _errors(votes: CodedVotes, skene: "dawid_skene.Fitted", judged: "Ballots") -> Sequence[Row]:
    """What each person says instead, as Dawid and Skene's model has it; only what is more than a little."""
    import numpy as np

    percent = 100 * skene.errors[: len(votes.people)]
    for person in range(len(votes.people)):
        votes.reading.tick()
        mine = judged.item[judged.person == person]
        # Of a label that they met less than once nothing is known.
        percent[person, skene.truth[mine].sum(axis=0) < LEAST_MET] = 0
    percent[:, range(judged.labels), range(judged.labels)] = 0
    return [
        {
            "person": votes.people[person],
            "true": votes.names[true],
            "said": votes.names[given_label],
            "percent": float(percent[person, true, given_label]),
        }
        for person, true, given_label in np.argwhere(percent >= LEAST_PERCENT)[:MOST_ROWS].tolist()
    ]


def _model(votes: CodedVotes, name: str, truth: "Codes", ids: "Codes") -> Row:
    """How often the likeliest label of a model is the gold that votes made, over the items that have both."""
    votes.reading.tick()
    gold = votes.gold[ids]
    there = gold >= 0
    n, same = int(there.sum()), int((truth.argmax(axis=1)[there] == gold[there]).sum())
    row = {"model": name, "judged": len(ids), "gold": n, "percent": 100 * same / n if n else None}
    return row | {"differ": n - same} | ({} if n else {"why": NO_GOLD})


MAJORITY = gettext_noop("Most votes")
DAWID_SKENE = gettext_noop("Dawid and Skene")
MACE = gettext_noop("MACE")
MET_NOBODY = gettext_noop("judged no item that somebody else judged by name")
NO_GOLD = gettext_noop("no item has a gold label from votes yet")

OTHERS = gettext_noop("mean share of the others on the same items who said the same")
GOLD_N = gettext_noop("votes that can be compared with the gold that the other labels make by the rules, without them")
GOLD_OUT = gettext_noop("votes without such a gold, or asked for only because of what others had said")
AS_OTHERS, AS_GOLD, AS_AUTHOR = gettext_noop("As others"), gettext_noop("As gold"), gettext_noop("As author")
SKENE_NAME = gettext_noop("Dawid–Skene")
MODEL_OVER = gettext_noop("all votes of named people on items that two of them judged")
MODEL_OVER_AUTHOR = gettext_noop(
    "all votes of named people and the labels of writers, on items that two of them judged: with these early stopping "
    "makes no bias"
)
SKENE = gettext_noop("how often they say what is likely true, by the errors that the model finds")

PEOPLE = Table(
    key="people",
    title=gettext_noop("People"),
    columns=(
        Column("person", gettext_noop("Person"), "person"),
        Column("votes", gettext_noop("Votes"), "number"),
        Column("met", gettext_noop("Met"), "number", gettext_noop("votes on items that others judged too")),
        Column("others", AS_OTHERS, "percent", OTHERS),
        Column("gold_n", gettext_noop("Gold"), "number", GOLD_N),
        Column("gold_out", gettext_noop("Left out"), "number", GOLD_OUT),
        Column("gold", AS_GOLD, "percent"),
        Column(
            "author_n",
            gettext_noop("Author"),
            "number",
            gettext_noop("votes on items with a label of their writer"),
        ),
        Column("author", AS_AUTHOR, "percent"),
        Column("skene", SKENE_NAME, "percent", SKENE),
        Column("mace", gettext_noop("MACE"), "percent", gettext_noop("how likely they know, and do not guess")),
        Column("seconds", gettext_noop("Seconds"), "seconds", gettext_noop("median time of a vote")),
        Column("unsure", gettext_noop("Unsure"), "percent"),
        Column("ambiguous", gettext_noop("Ambiguous"), "percent"),
    ),
    note=gettext_noop(
        "In the order of names; it is no ranking, and only those who oversee the project see it. Few votes say "
        "little: both models lean on what most others said, and a person who is right against most looks wrong. "
        "Votes of people whom an import did not name are nobody's."
    ),
    item_filters=person_filter,
)
ERRORS = Table(
    key="errors",
    title=gettext_noop("What is said instead"),
    columns=(
        Column("person", gettext_noop("Person"), "person"),
        Column("true", gettext_noop("Likely true"), "label"),
        Column("said", gettext_noop("Said"), "label"),
        Column("percent", gettext_noop("Share"), "percent"),
    ),
    note=gettext_noop(
        "By Dawid and Skene's model: shares of the items that likely have a label, from 10 % on. Of a label that a "
        "person met less than once nothing is said."
    ),
    item_filters=person_filter,
)
MODELS = Table(
    key="models",
    title=gettext_noop("Labels by model"),
    columns=(
        Column("model", gettext_noop("Model"), "text"),
        Column("judged", gettext_noop("Items"), "number", gettext_noop("judged by two named people or more")),
        Column("gold", gettext_noop("With gold"), "number"),
        Column("percent", gettext_noop("As gold"), "percent"),
        Column("differ", gettext_noop("Another label"), "number"),
    ),
    note=gettext_noop("What weighing votes by who gave them would change; gold is never made so."),
)
OVER = Table(
    key="over",
    title=gettext_noop("Which votes the figures rest on"),
    columns=(Column("figure", gettext_noop("Figure"), "text"), Column("over", gettext_noop("Over"), "text")),
)
MEAN = Table(
    key="mean",
    title=gettext_noop("Mean accuracy"),
    columns=(
        Column("measure", gettext_noop("Model"), "text"),
        Column("value", gettext_noop("Accuracy"), "percent", gettext_noop("mean over people")),
        *(replace(column, kind="percent") for column in ENDS_OF_BOTH),
        Column("people", gettext_noop("People"), "number"),
        Column("items", gettext_noop("Items"), "number"),
    ),
    note=gettext_noop("Each person whose label is a vote counts alike."),
)
TABLES = (PEOPLE, MEAN, ERRORS, MODELS, OVER)
INSIGHT = Insight(
    slug="annotators",
    title=gettext_noop("Annotators"),
    introduction=gettext_noop("How far each person's votes can be relied on, and on how many votes that is said."),
    order=60,
    compute=compute,
    tables=TABLES,
)
