"""The tables of agreement and the words in them (no insight of its own)."""

from annotation.text.gettext import gettext_noop
from validation.consensus.stages import NO_CONSENSUS
from validation.insights.reports.base import Chart, Column, Row, Table, filters_from_columns
from validation.insights.rules.conflicts import NOBODY

ALPHA = gettext_noop("Krippendorff's alpha (nominal)")
FLEISS = gettext_noop("Fleiss' kappa")
COHEN = gettext_noop("Cohen's kappa, mean over pairs of people")
POOLED_KAPPA = gettext_noop("Cohen's kappa, pooled over pairs of people")
PERCENT_AGREEMENT = gettext_noop("Percent agreement, as a share")

WITH_GOLD = gettext_noop("Items with a gold label")
IS_GOLD = gettext_noop("Individual label = gold label")
IS_AUTHOR = gettext_noop("Individual label = author's label")
IS_GOLD_OF_OTHERS = gettext_noop("Vote = gold that the other labels make, as a share")
AUTHOR_IS_GOLD_OF_VOTES = gettext_noop("Author's label = gold that the votes alone make, as a share")
UNANIMOUS = gettext_noop("Items on which all labels are alike, as a share")
ENTROPY = gettext_noop("Entropy of an item's labels in bits, mean over items")
GOLD_IS_AUTHOR = gettext_noop("Gold label = author's label")
GOLD_DIFFERS = gettext_noop("Gold label ≠ author's label")
OF_AUTHOR = (IS_AUTHOR, GOLD_IS_AUTHOR, GOLD_DIFFERS)
NO_GOLD = gettext_noop("No gold label")
BY_LEAD = gettext_noop("Settled by a lead, in no figure above")

TOO_MANY = gettext_noop("too many pairs of votes to draw from")
NEVER_GIVEN = gettext_noop("nobody gave this label to an item that others judged")
NO_AUTHOR_LABELS = gettext_noop("no decided item has a label of its writer")
NO_OTHERS = gettext_noop("without it the rules never give a gold label")
NOTHING_DECIDED = gettext_noop("no votes have come to a decision yet")
# The only part there is, where items are not parted at all.
UNNAMED = (NOBODY, "main")

_ITEMS = Column("items", gettext_noop("Items"), "number", gettext_noop("judged by two people or more"))
_RATINGS = Column("ratings", gettext_noop("Votes"), "number", gettext_noop("on these items"))
_LOW = Column(
    "low",
    gettext_noop("From"),
    "figure",
    gettext_noop("lower end of the 95 % interval over items, those of one source together"),
)
_HIGH = Column("high", gettext_noop("To"), "figure", gettext_noop("its upper end"))
_PAIRS = Column("pairs", gettext_noop("Pairs"), "number", gettext_noop("pairs of people whose kappas the mean is over"))
_OVER = Column("over", gettext_noop("Over"), "text")
_PARTS = (
    _ITEMS,
    _RATINGS,
    Column("alpha", gettext_noop("Alpha"), "figure"),
    _LOW,
    _HIGH,
    Column(
        "fleiss",
        gettext_noop("Fleiss' kappa"),
        "figure",
        gettext_noop("only where all items have equally many votes"),
    ),
    Column("percent", gettext_noop("Agreement"), "percent", gettext_noop("mean share of agreeing pairs of votes")),
    _OVER,
)


def _part(key: str, title: str, name: str, sort: str, note: str = "") -> Table:
    """A table of one sort of part: one row each, drawn by alpha."""
    chart = Chart("bar", "part", ("alpha",))
    opens = {"targets": filters_from_columns(target="part"), "categories": category_filter}.get(key)
    return Table(key, title, (Column("part", name, sort), *_PARTS), note, chart, opens)


def individual_filter(row: Row) -> dict[str, str]:
    """The items without gold."""
    return {"stage": NO_CONSENSUS} if row["measure"] == NO_GOLD else {}


def category_filter(row: Row) -> dict[str, str]:
    """The items of that category."""
    return {} if row["part"] in UNNAMED else {"group": str(row["part"])}


person_filter = filters_from_columns(person="person")
_ENDS = gettext_noop("lower end of the 95 % interval: the wider of those over items and over people; files have both")
_BOTH = tuple(
    Column(f"{over}_{end}", f"{over}_{end}", "figure", help, file_only=True)
    for over, help in (
        ("items", gettext_noop("end of the 95 % interval over items, those of one source together")),
        ("people", gettext_noop("end of the 95 % interval over people (jackknife with Student's t)")),
    )
    for end in ("low", "high")
)
ENDS_OF_BOTH = (Column("low", gettext_noop("From"), "figure", _ENDS), _HIGH, *_BOTH)
OVERALL = Table(
    key="overall",
    title=gettext_noop("All votes"),
    columns=(
        Column("coefficient", gettext_noop("Coefficient"), "text"),
        Column("value", gettext_noop("Value"), "figure"),
        Column("low", gettext_noop("From"), "figure", _ENDS),
        _HIGH,
        _OVER,
        _ITEMS,
        _RATINGS,
        _PAIRS,
        *_BOTH,
    ),
    note=gettext_noop(
        "Standing votes of each item's present text, those beyond the decision too. A label that is none of the "
        "project's agrees with nobody who gave one of them. Votes without a name count, but make no pairs of people."
    ),
)
COMPLETE = Table(
    key="complete",
    title=gettext_noop("All labels of an item"),
    columns=(
        Column("measure", gettext_noop("Measure"), "text"),
        Column("value", gettext_noop("Value"), "figure"),
        Column("low", gettext_noop("From"), "figure", _ENDS),
        _HIGH,
        _OVER,
        Column("compared", gettext_noop("Compared"), "number", gettext_noop("votes, or items, that the figure is of")),
        Column(
            "left_out",
            gettext_noop("Left out"),
            "number",
            gettext_noop("without a gold of the others, or asked for only because of what others had said"),
        ),
        *_BOTH,
    ),
    note=gettext_noop(
        "Over the items that votes came to an end on. A vote is compared with the gold that the rules give without it, "
        "since its own gold holds it: agreement with that is too high. All labels are as many as the protocol asks for "
        "at most, the key among them where it counts as a vote; where it stops early they are estimated from what was "
        "given, which holds if who comes first to an item has nothing to do with what they answer."
    ),
)
INDIVIDUAL = Table(
    key="individual",
    title=gettext_noop("Individual labels and gold"),
    columns=(
        Column("measure", gettext_noop("Measure"), "text"),
        Column("part", gettext_noop("Count"), "number"),
        Column("whole", gettext_noop("Of"), "number"),
        Column("percent", gettext_noop("Share"), "percent"),
    ),
    note=gettext_noop(
        "Over the items that votes came to an end on (IndoNLI, Table 3). Individual labels are all that counted as "
        "votes; items without gold stand in the denominator, excluded ones nowhere. Each label is one of those that "
        "made its gold, so that agreement with gold is too high: cite the table above."
    ),
    item_filters=individual_filter,
)
LABELS = Table(
    key="labels",
    title=gettext_noop("By label"),
    columns=(
        Column("label", gettext_noop("Label"), "label"),
        Column("votes", gettext_noop("Votes"), "number"),
        Column("specific", gettext_noop("Specific agreement"), "percent"),
        Column("alpha", gettext_noop("Alpha"), "figure"),
        _OVER,
    ),
    note=gettext_noop(
        "How often another vote on the item says the same as a vote for this label; alpha sets this label against all "
        "the others."
    ),
    chart=Chart("bar", "label", ("specific",)),
)
PEOPLE = Table(
    key="people",
    title=gettext_noop("By person"),
    columns=(
        Column("person", gettext_noop("Person"), "person"),
        Column("others", gettext_noop("Others met"), "number"),
        Column(
            "meetings",
            gettext_noop("Their votes"),
            "number",
            gettext_noop("votes of others on the same items"),
        ),
        Column("percent", gettext_noop("Agreement"), "percent"),
        Column("kappa", gettext_noop("Mean kappa"), "figure"),
        _PAIRS,
        _OVER,
    ),
    note=gettext_noop(
        "Cohen's kappa, mean over the others. In the order of names: it is no ranking, and only those who oversee the "
        "project see it."
    ),
    item_filters=person_filter,
)
PAIRS = Table(
    key="pairs",
    title=gettext_noop("By pair of people"),
    columns=(
        Column("one", gettext_noop("Person"), "person"),
        Column("other", gettext_noop("and"), "person"),
        Column("items", gettext_noop("Items"), "number"),
        Column("percent", gettext_noop("Agreement"), "percent"),
        Column("kappa", gettext_noop("Cohen's kappa"), "figure", digits=2),
        _OVER,
    ),
    note=gettext_noop(
        "Cohen's kappa; the forty people who share most items with others. Empty where two have no item in common, or "
        "always gave the same one label."
    ),
    chart=Chart("heat", "one", ("other", "kappa")),
)
TABLES = (
    OVERALL,
    COMPLETE,
    INDIVIDUAL,
    _part(
        "sizes",
        gettext_noop("By number of votes"),
        gettext_noop("Votes on the item"),
        "number",
        gettext_noop("Where later rounds ask about disputed items only, those with more votes are the disputed ones."),
    ),
    _part(
        "rounds",
        gettext_noop("By round"),
        gettext_noop("Round"),
        "number",
        gettext_noop("Votes given in that round. Later rounds ask only about what the first left open."),
    ),
    LABELS,
    _part("categories", gettext_noop("By category"), gettext_noop("Category"), "group"),
    _part("targets", gettext_noop("By target"), gettext_noop("Target"), "word"),
    _part(
        "regions",
        gettext_noop("By region"),
        gettext_noop("Region"),
        "word",
        gettext_noop("Votes of people of one region among themselves."),
    ),
    PEOPLE,
    PAIRS,
)
