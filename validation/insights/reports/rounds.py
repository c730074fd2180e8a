"""Rounds: where items were settled and how many votes that saved, as in IndoNLI's Table 2."""

from typing import TYPE_CHECKING

from annotation.text.gettext import gettext_noop
from validation.consensus import savings, stages
from validation.consensus.protocol import Protocol
from validation.insights.reports.base import Chart, Column, Insight, Row, Table, TableRows
from validation.insights.reports.reading import Reading

if TYPE_CHECKING:
    import pandas as pd

_AUTHORING = {True: gettext_noop("with the authors' labels"), False: gettext_noop("without them")}


def compute(reading: Reading) -> TableRows:
    """Count items by the round that they ended in; compare what was asked for with five votes each."""
    protocol = Protocol.from_stored(reading.project.protocols.order_by("-n")[0].rules)
    items = reading.items
    ended = {stage: _by_round(items, stage) for stage in (stages.SETTLED, stages.NO_CONSENSUS, stages.ADJUDICATED)}
    waiting = _by_round(items, stages.VOTING)
    numbers = range(1, max([len(protocol.rounds), *waiting, *(n for each in ended.values() for n in each)]) + 1)
    decided = {n: sum(each.get(n, 0) for each in ended.values()) for n in numbers}
    entered = [sum(decided[n] for n in numbers if n >= at) for at in numbers]
    rows, so_far = [], 0
    for n, came in zip(numbers, entered, strict=True):
        so_far += ended[stages.SETTLED].get(n, 0)
        row = {"round": n, "entered": came, "settled": ended[stages.SETTLED].get(n, 0)}
        row |= {"without": ended[stages.NO_CONSENSUS].get(n, 0), "lead": ended[stages.ADJUDICATED].get(n, 0)}
        rows.append(row | {"so_far": _share(so_far, entered[0]), "waiting": waiting.get(n, 0)})
    return {"rounds": rows, "saved": _saving_rows(protocol, ended, entered)}


def _by_round(items: "pd.DataFrame", stage: str) -> dict[int, int]:
    """How many items of a stage ended in, or wait in, each round; those that nobody voted on are in none."""
    found = items[(items["stage"] == stage) & (items["round"] > 0)]["round"].value_counts()
    return dict(zip(found.index.tolist(), found.tolist(), strict=True))


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _saving_rows(protocol: Protocol, ended: dict[str, dict[int, int]], entered: list[int]) -> list[Row]:
    """What five votes for each settled item would have taken; nothing where the protocol makes no such comparison."""
    if not savings.is_comparable(protocol) or not entered[0]:
        return []
    of_votes = (stages.SETTLED, stages.NO_CONSENSUS)
    numbers = range(1, len(entered) + 1)
    by_votes = [sum(n for stage in of_votes for at, n in ended[stage].items() if at >= first) for first in numbers]
    rows: list[Row] = []
    for authoring, words in _AUTHORING.items():
        found = savings.compute_saving(protocol, by_votes, authoring=authoring)
        row = {"counted": words, "used": found.used, "five": found.fixed_5, "saved": found.saved}
        rows.append(row | {"percent": _share(found.saved, found.fixed_5)})
    return rows


def round_filter(row: Row) -> dict[str, str]:
    """The items that were settled in that round."""
    return {"round": str(row["round"]), "stage": stages.SETTLED} if row["settled"] else {}


INSIGHT = Insight(
    slug="rounds",
    title=gettext_noop("Rounds"),
    introduction=gettext_noop(
        "In which round items were settled, and what was saved against asking for five votes each."
    ),
    order=15,
    compute=compute,
    headline=("saved", "percent"),
    tables=(
        Table(
            key="rounds",
            title=gettext_noop("Rounds"),
            columns=(
                Column("round", gettext_noop("Round"), "number"),
                Column("entered", gettext_noop("Came into it"), "number", gettext_noop("of those that ended")),
                Column("settled", gettext_noop("Settled in it"), "number"),
                Column("without", gettext_noop("Ended without gold"), "number"),
                Column("lead", gettext_noop("Settled by a lead"), "number"),
                Column("so_far", gettext_noop("Settled so far"), "percent"),
                Column("waiting", gettext_noop("Wait in it now"), "number"),
            ),
            chart=Chart("stacked", "round", ("settled", "without", "lead", "waiting")),
            item_filters=round_filter,
        ),
        Table(
            key="saved",
            title=gettext_noop("Against five votes each"),
            columns=(
                Column("counted", gettext_noop("Counted"), "text"),
                Column("used", gettext_noop("Annotations"), "number"),
                Column("five", gettext_noop("With five each"), "number"),
                Column("saved", gettext_noop("Saved"), "number"),
                Column("percent", gettext_noop("Saved, share"), "percent"),
            ),
            note=gettext_noop("Over the items whose votes came to an end."),
            chart=Chart("bar", "counted", ("used", "five")),
        ),
    ),
)
