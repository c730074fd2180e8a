"""Labels: how often writers gave each, and how often the votes settled on it."""

from annotation.text.gettext import gettext_noop
from validation.insights.reports.base import Chart, Column, Insight, Table, TableRows, filters_from_columns
from validation.insights.reports.reading import Reading


def compute(reading: Reading) -> TableRows:
    """Count labels of authors and of gold; shares are of what has one."""
    items = reading.items
    by_author = items["author_label"].value_counts()
    by_gold = items["gold"].value_counts()
    authors = int(by_author.drop("", errors="ignore").sum())
    settled = int(by_gold.drop("", errors="ignore").sum())
    rows = []
    for key in reading.kind.question.label_keys:
        given, gold = int(by_author.get(key, 0)), int(by_gold.get(key, 0))
        rows.append(
            {
                "label": key,
                "author": given,
                "author_share": 100 * given / authors if authors else None,
                "gold": gold,
                "gold_share": 100 * gold / settled if settled else None,
                **_ends(reading, key),
            }
        )
    return {"labels": rows}


def _ends(reading: Reading, key: str) -> dict[str, float | None]:
    """The interval of the share of this label among items with gold, in percent."""
    from validation.insights.rules.clusters import share_interval

    gold = reading.items["gold"].astype(object).to_numpy()
    there = gold != ""
    ends = share_interval(gold[there] == key, reading.sources[there]) if there.any() else None
    return {f"gold_{name}": ends and 100 * getattr(ends, name) for name in ("low", "high")}


INSIGHT = Insight(
    slug="balance",
    title=gettext_noop("Label balance"),
    introduction=gettext_noop("How often each label was given, and how often votes or a lead settled on it."),
    order=20,
    compute=compute,
    tables=(
        Table(
            key="labels",
            title=gettext_noop("Labels"),
            columns=(
                Column("label", gettext_noop("Label"), "label"),
                Column("author", gettext_noop("By writers"), "number"),
                Column("author_share", gettext_noop("Share"), "percent"),
                Column("gold", gettext_noop("Gold"), "number"),
                Column("gold_share", gettext_noop("Share of gold"), "percent"),
                Column(
                    "gold_low",
                    gettext_noop("From"),
                    "percent",
                    gettext_noop("lower end of the 95 % interval over items, those of one source together"),
                ),
                Column("gold_high", gettext_noop("To"), "percent", gettext_noop("its upper end")),
            ),
            chart=Chart("bar", "label", ("author", "gold")),
            item_filters=filters_from_columns(gold="label"),
        ),
    ),
)
