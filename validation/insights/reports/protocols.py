"""Cost of protocols: the votes that each would have needed on the project's own votes, before the next batch."""

from collections import Counter
from collections.abc import Iterator, Mapping

from annotation.core.models.project import Project
from annotation.text.gettext import gettext_noop
from validation.consensus import protocol_costs
from validation.consensus.engine import VoteIn
from validation.consensus.protocol import Protocol
from validation.consensus.protocol_costs import Case, Point, Price
from validation.insights.reports.base import Chart, Column, Insight, Row, Table, TableRows
from validation.insights.reports.reading import PAGE, Reading


def protocols_of(project: Project) -> dict[int, Protocol]:
    """The project's protocols by id, the oldest first."""
    versions = sorted(project.protocols.all(), key=lambda version: version.n)
    return {version.pk: Protocol.from_stored(version.rules) for version in versions}


def fits(project: Project) -> bool:
    """Where items have one gold label; ratings have one for each criterion, questions an answer each."""
    return not project.kind_spec.question.questions and not any(
        protocol.criteria for protocol in protocols_of(project).values()
    )


def cases_of(reading: Reading) -> Iterator[Case]:
    """The case of every item that somebody voted on."""
    authors = reading.items["author_label"].astype(object).to_dict()
    own = reading.items["protocol"].to_dict()
    routes = reading.items["route"].to_dict()
    names = {pk: person.pseudonym for pk, person in reading.people.items()}
    votes = reading.votes
    columns = (votes[name].tolist() for name in ("item", "annotator", "label", "round", "n", "ambiguous"))
    at: int | None = None
    items = 0
    given: list[VoteIn] = []
    for item, who, label, number, n, mark in zip(*columns, strict=True):
        if item != at:
            if at is not None:
                yield protocol_costs.case_of(own[at], authors[at] or None, given, routes[at])
            at, given, items = item, [], items + 1
            if items % PAGE == 0:
                reading.tick()
        given.append(VoteIn(label or None, names[who], number, n, ambiguous=mark == 1))
    if at is not None:
        yield protocol_costs.case_of(own[at], authors[at] or None, given, routes[at])


def compute(reading: Reading) -> TableRows:
    """Price the project's protocol and every preset; price ways of asking up to five labels."""
    own = protocols_of(reading.project)
    now, labels = list(own.values())[-1], reading.kind.question.label_keys
    cases = Counter(cases_of(reading))
    authors = any(case.author is not None for case in cases)
    compared = protocol_costs.comparable_protocols(now, labels, authors=authors)
    prices = protocol_costs.prices(cases, own, compared, labels)
    reading.tick()
    points = protocol_costs.curve(cases, labels, author=now.author_counts)
    return {
        "protocols": [_price_row(price, present=not n) for n, price in enumerate(prices) if price.items],
        "curve": [_point_row(point) for point in points if point.items],
    }


def _price_row(price: Price, *, present: bool) -> Row:
    row = {
        "protocol": price.protocol.title if present else f"{price.protocol.name}: {price.protocol.title}",
        "place": THIS_PROJECT if present else PRESET,
        "votes": price.votes if price.priced else None,
        "each": price.labels / price.priced if price.priced else None,
        "saved": 100 * (price.five_label_total - price.labels) / price.five_label_total if price.priced else None,
        "gold": price.gold if price.known else None,
        "other": price.different_gold if price.known else None,
        "lost": price.lost_gold if price.known else None,
        "found": price.gained_gold if price.known else None,
        "told": price.known,
        "unknown": price.items - price.known,
    }
    return row if price.priced and price.known else {**row, "why": COST_UNKNOWN}


def _point_row(point: Point) -> Mapping[str, object]:
    return {
        "way": point.way.name,
        "how": UNTIL_AGREED if point.way.stops_early else FIXED_NUMBER,
        "each": point.labels / point.items,
        "labels": point.labels,
        "same": 100 * point.same_gold / point.items,
        "other": point.other_gold,
        "none": point.no_gold,
        "items": point.items,
    }


THIS_PROJECT, PRESET = gettext_noop("This project's"), gettext_noop("Preset")
FIXED_NUMBER, UNTIL_AGREED = gettext_noop("As many for every item"), gettext_noop("Until so many agree")
COST_UNKNOWN = gettext_noop("It asks for votes that nobody gave, and they could turn the result.")

INSIGHT = Insight(
    slug="protocols",
    title=gettext_noop("Cost of protocols"),
    introduction=gettext_noop(
        "What other protocols would have asked for on the votes of this project, and on how many items they would have "
        "settled otherwise: to choose by before the next batch."
    ),
    order=60,
    compute=compute,
    applies_to=fits,
    tables=(
        Table(
            key="protocols",
            title=gettext_noop("Protocols on these votes"),
            note=gettext_noop(
                "Over items whose votes are at their end. Where a protocol asks for more votes than were given, its "
                "gold is told only where no further vote could change it. Labels are all that count as votes."
            ),
            columns=(
                Column("protocol", gettext_noop("Protocol"), "word"),
                Column("place", gettext_noop("Where from"), "text"),
                Column("votes", gettext_noop("Votes"), "number"),
                Column("each", gettext_noop("Labels an item"), "number", digits=2),
                Column("saved", gettext_noop("Saved"), "percent", gettext_noop("Against five labels an item.")),
                Column("gold", gettext_noop("Gold"), "number"),
                Column(
                    "other",
                    gettext_noop("Another gold"),
                    "number",
                    gettext_noop("Both have one; they differ."),
                ),
                Column("lost", gettext_noop("No gold any more"), "number"),
                Column("found", gettext_noop("Gold where there is none"), "number"),
                Column("told", gettext_noop("Items"), "number"),
                Column("unknown", gettext_noop("Not known"), "number"),
            ),
        ),
        Table(
            key="curve",
            title=gettext_noop("Cost against agreement with five labels"),
            note=gettext_noop(
                "Over items on which five labels make a gold for certain. Of so many labels the most given is gold; an "
                "even number often ties. Asking until some agree stops at five."
            ),
            columns=(
                Column("way", gettext_noop("Asked for"), "text"),
                Column("how", gettext_noop("How"), "text"),
                Column("each", gettext_noop("Labels an item"), "number", digits=2),
                Column("same", gettext_noop("Same gold as five"), "percent"),
                Column("other", gettext_noop("Another gold"), "number"),
                Column("none", gettext_noop("No gold"), "number"),
                Column("labels", gettext_noop("Labels"), "number"),
                Column("items", gettext_noop("Items"), "number"),
            ),
            chart=Chart("line", "each", ("same",), by="how"),
        ),
    ),
)
