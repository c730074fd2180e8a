"""The tables of what annotators' votes are worth, and the words in them (no insight of its own)."""

from validation.insights.reports.agreement_tables import opens_person
from validation.insights.reports.base import (
    LABEL,
    NUMBER,
    PERCENT,
    PERSON,
    SECONDS,
    TEXT,
    Column,
    Table,
    gettext_noop,
)

MAJORITY = gettext_noop("Most votes")
DAWID_SKENE = gettext_noop("Dawid and Skene")
MACE = gettext_noop("MACE")
MET_NOBODY = gettext_noop("judged no item that somebody else judged by name")
NO_GOLD = gettext_noop("no item has a gold label from votes yet")

OTHERS = gettext_noop("mean share of the others on the same items who said the same")
GOLD_N = gettext_noop(
    "votes on items whose votes made gold, this one among them; what a lead settled does not count"
)
SKENE = gettext_noop("how often they say what is likely true, by the errors that the model finds")

PEOPLE = Table(
    key="people",
    title=gettext_noop("People"),
    columns=(
        Column("person", gettext_noop("Person"), PERSON),
        Column("votes", gettext_noop("Votes"), NUMBER),
        Column("met", gettext_noop("Met"), NUMBER, gettext_noop("votes on items that others judged too")),
        Column("others", gettext_noop("As others"), PERCENT, OTHERS),
        Column("gold_n", gettext_noop("Gold"), NUMBER, GOLD_N),
        Column("gold", gettext_noop("As gold"), PERCENT),
        Column(
            "author_n",
            gettext_noop("Author"),
            NUMBER,
            gettext_noop("votes on items with a label of their writer"),
        ),
        Column("author", gettext_noop("As author"), PERCENT),
        Column("skene", gettext_noop("Dawid–Skene"), PERCENT, SKENE),
        Column("mace", gettext_noop("MACE"), PERCENT, gettext_noop("how likely they know, and do not guess")),
        Column("seconds", gettext_noop("Seconds"), SECONDS, gettext_noop("median time of a vote")),
        Column("unsure", gettext_noop("Unsure"), PERCENT),
        Column("ambiguous", gettext_noop("Ambiguous"), PERCENT),
    ),
    note=gettext_noop(
        "In the order of names; it is no ranking, and only those who oversee the project see it. Few votes say "
        "little: both models lean on what most others said, and a person who is right against most looks wrong. "
        "Votes of people whom an import did not name are nobody's."
    ),
    opens=opens_person,
)
ERRORS = Table(
    key="errors",
    title=gettext_noop("What is said instead"),
    columns=(
        Column("person", gettext_noop("Person"), PERSON),
        Column("true", gettext_noop("Likely true"), LABEL),
        Column("said", gettext_noop("Said"), LABEL),
        Column("percent", gettext_noop("Share"), PERCENT),
    ),
    note=gettext_noop(
        "By Dawid and Skene's model: shares of the items that likely have a label, from 10 % on. Of a label that a "
        "person met less than once nothing is said."
    ),
    opens=opens_person,
)
MODELS = Table(
    key="models",
    title=gettext_noop("Labels by model"),
    columns=(
        Column("model", gettext_noop("Model"), TEXT),
        Column("judged", gettext_noop("Items"), NUMBER, gettext_noop("judged by two named people or more")),
        Column("gold", gettext_noop("With gold"), NUMBER),
        Column("percent", gettext_noop("As gold"), PERCENT),
        Column("differ", gettext_noop("Another label"), NUMBER),
    ),
    note=gettext_noop("What weighing votes by who gave them would change; gold is never made so."),
)
TABLES = (PEOPLE, ERRORS, MODELS)
