"""The tables of agreement and the words in them (no insight of its own)."""

from validation.consensus.stages import NO_CONSENSUS
from validation.insights.reports.base import (
    BAR,
    FIGURE,
    GROUP,
    HEAT,
    LABEL,
    NUMBER,
    PERCENT,
    PERSON,
    TEXT,
    WORD,
    Chart,
    Column,
    Row,
    Table,
    gettext_noop,
)
from validation.insights.rules.conflicts import NOBODY

ALPHA = gettext_noop("Krippendorff's alpha (nominal)")
FLEISS = gettext_noop("Fleiss' kappa")
COHEN = gettext_noop("Cohen's kappa, mean over pairs of people")
PERCENT_AGREEMENT = gettext_noop("Percent agreement, as a share")
VOTES = gettext_noop("the votes")
WITH_AUTHOR = gettext_noop("the votes and the writer's label")

WITH_GOLD = gettext_noop("Items with a gold label")
IS_GOLD = gettext_noop("Individual label = gold label")
IS_AUTHOR = gettext_noop("Individual label = author's label")
GOLD_IS_AUTHOR = gettext_noop("Gold label = author's label")
GOLD_DIFFERS = gettext_noop("Gold label ≠ author's label")
NO_GOLD = gettext_noop("No gold label")
BY_LEAD = gettext_noop("Settled by a lead, in no figure above")

TOO_MANY = gettext_noop("too many pairs of votes to draw from")
NEVER_GIVEN = gettext_noop("nobody gave this label to an item that others judged")
NOTHING_DECIDED = gettext_noop("no votes have come to a decision yet")
# The only part there is, where items are not parted at all.
UNNAMED = (NOBODY, "main")

_ITEMS = Column("items", gettext_noop("Items"), NUMBER, gettext_noop("judged by two people or more"))
_RATINGS = Column("ratings", gettext_noop("Votes"), NUMBER, gettext_noop("on these items"))
_LOW = Column(
    "low", gettext_noop("From"), FIGURE, gettext_noop("lower end of the 95 % bootstrap interval over items")
)
_HIGH = Column("high", gettext_noop("To"), FIGURE, gettext_noop("its upper end"))
_PAIRS = Column(
    "pairs", gettext_noop("Pairs"), NUMBER, gettext_noop("pairs of people whose kappas the mean is over")
)
_PARTS = (
    _ITEMS,
    _RATINGS,
    Column("alpha", gettext_noop("Alpha"), FIGURE),
    _LOW,
    _HIGH,
    Column(
        "fleiss",
        gettext_noop("Fleiss' kappa"),
        FIGURE,
        gettext_noop("only where all items have equally many votes"),
    ),
    Column(
        "percent", gettext_noop("Agreement"), PERCENT, gettext_noop("mean share of agreeing pairs of votes")
    ),
)


def _part(key: str, title: str, name: str, sort: str, note: str = "") -> Table:
    """A table of one sort of part: one row each, drawn by alpha."""
    chart = Chart(BAR, "part", ("alpha",))
    opens = {"targets": opens_target, "categories": opens_category}.get(key)
    return Table(key, title, (Column("part", name, sort), *_PARTS), note, chart, opens)


def opens_individual(row: Row) -> dict[str, str]:
    """The items without gold."""
    return {"stage": NO_CONSENSUS} if row["measure"] == NO_GOLD else {}


def opens_person(row: Row) -> dict[str, str]:
    """The items that this person wrote or voted on."""
    return {"person": str(row["person"])}


def opens_target(row: Row) -> dict[str, str]:
    """The items of that target."""
    return {"target": str(row["part"])}


def opens_category(row: Row) -> dict[str, str]:
    """The items of that category."""
    return {} if row["part"] in UNNAMED else {"group": str(row["part"])}


OVERALL = Table(
    key="overall",
    title=gettext_noop("All votes"),
    columns=(
        Column("coefficient", gettext_noop("Coefficient"), TEXT),
        Column("value", gettext_noop("Value"), FIGURE),
        _LOW,
        _HIGH,
        Column("over", gettext_noop("Over"), TEXT),
        _ITEMS,
        _RATINGS,
        _PAIRS,
    ),
    note=gettext_noop(
        "Standing votes of each item's present text, those beyond the decision too. A label that is none of the "
        "project's agrees with nobody who gave one of them. Votes without a name count, but make no pairs of people."
    ),
)
INDIVIDUAL = Table(
    key="individual",
    title=gettext_noop("Individual labels, gold and author"),
    columns=(
        Column("measure", gettext_noop("Measure"), TEXT),
        Column("part", gettext_noop("Count"), NUMBER),
        Column("whole", gettext_noop("Of"), NUMBER),
        Column("percent", gettext_noop("Share"), PERCENT),
    ),
    note=gettext_noop(
        "Over the items that votes came to an end on (IndoNLI, Table 3). Individual labels are all counted ones, the "
        "author's included where it is a vote; items without gold stand in the denominator, excluded ones nowhere."
    ),
    opens=opens_individual,
)
LABELS = Table(
    key="labels",
    title=gettext_noop("By label"),
    columns=(
        Column("label", gettext_noop("Label"), LABEL),
        Column("votes", gettext_noop("Votes"), NUMBER),
        Column("specific", gettext_noop("Met again"), PERCENT),
        Column("alpha", gettext_noop("Alpha"), FIGURE),
    ),
    note=gettext_noop(
        "How often another vote on the item says the same as a vote for this label; alpha sets this label against all "
        "the others."
    ),
    chart=Chart(BAR, "label", ("specific",)),
)
PEOPLE = Table(
    key="people",
    title=gettext_noop("By person"),
    columns=(
        Column("person", gettext_noop("Person"), PERSON),
        Column("others", gettext_noop("Others met"), NUMBER),
        Column(
            "meetings", gettext_noop("Their votes"), NUMBER, gettext_noop("votes of others on the same items")
        ),
        Column("percent", gettext_noop("Agreement"), PERCENT),
        Column("kappa", gettext_noop("Mean kappa"), FIGURE),
        _PAIRS,
    ),
    note=gettext_noop(
        "Cohen's kappa, mean over the others. In the order of names: it is no ranking, and only those who oversee the "
        "project see it."
    ),
    opens=opens_person,
)
PAIRS = Table(
    key="pairs",
    title=gettext_noop("By pair of people"),
    columns=(
        Column("one", gettext_noop("Person"), PERSON),
        Column("other", gettext_noop("and"), PERSON),
        Column("items", gettext_noop("Items"), NUMBER),
        Column("percent", gettext_noop("Agreement"), PERCENT),
        Column("kappa", gettext_noop("Cohen's kappa"), FIGURE, digits=2),
    ),
    note=gettext_noop(
        "Cohen's kappa; the forty people who share most items with others. Empty where two have no item in common, or "
        "always gave the same one label."
    ),
    chart=Chart(HEAT, "one", ("other", "kappa")),
)
TABLES = (
    OVERALL,
    INDIVIDUAL,
    _part(
        "sizes",
        gettext_noop("By number of votes"),
        gettext_noop("Votes on the item"),
        NUMBER,
        gettext_noop(
            "Where later rounds ask about disputed items only, those with more votes are the disputed ones."
        ),
    ),
    _part(
        "rounds",
        gettext_noop("By round"),
        gettext_noop("Round"),
        NUMBER,
        gettext_noop("Votes given in that round. Later rounds ask only about what the first left open."),
    ),
    LABELS,
    _part("categories", gettext_noop("By category"), gettext_noop("Category"), GROUP),
    _part("targets", gettext_noop("By target"), gettext_noop("Target"), WORD),
    _part(
        "regions",
        gettext_noop("By region"),
        gettext_noop("Region"),
        WORD,
        gettext_noop("Votes of people of one region among themselves."),
    ),
    PEOPLE,
    PAIRS,
)
