"""Label confusion: writers' labels against gold labels, and labels that voters disagree on."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from annotation.core.models.project import Project
from annotation.text.gettext import gettext_noop
from validation.insights.reports.base import (
    Chart,
    Column,
    Insight,
    Row,
    Table,
    TableRows,
    filters_from_columns,
)
from validation.insights.reports.reading import Reading
from validation.insights.rules.label_counts import count_votes_by_label, label_cooccurrence, patterns
from validation.review.rules.filters import NO_LABEL

if TYPE_CHECKING:
    import pandas as pd


def fits(project: Project) -> bool:
    """Where voters choose among labels: not where they review what was written."""
    return "review" not in project.kind_spec.features


def compute(reading: Reading) -> TableRows:
    """Cross author and gold, author and votes, votes and votes; count how votes fell on items."""
    import numpy as np
    import pandas as pd

    keys, items = reading.kind.question.label_keys, reading.items
    votes = reading.votes
    known = votes[votes["label"].isin(keys)]
    rows = items.index.get_indexer(pd.Index(known["item"])) if len(known) else np.empty(0, dtype=np.int64)
    columns = known["label"].astype(object).map({key: n for n, key in enumerate(keys)})
    matrix = count_votes_by_label(rows.astype(np.int64), np.asarray(columns, dtype=np.int64), (len(items), len(keys)))
    met, fell = label_cooccurrence(matrix), patterns(matrix)
    authors = items["author_label"].astype(object)
    total = sum(fell.values())
    return {
        "gold": _cross_table(authors, items["gold"].astype(object).replace("", NO_LABEL), keys, (*keys, NO_LABEL)),
        "votes": [
            {"author": author, "vote": key, "n": int(n)}
            for author in keys
            for key, n in zip(keys, matrix[(authors == author).to_numpy()].sum(axis=0), strict=True)
        ]
        if (authors != "").any() and matrix.any()
        else [],
        "meetings": [
            {"one": one, "other": other, "n": int(met[a, b])}
            for (a, one), (b, other) in product(enumerate(keys), repeat=2)
        ]
        if met.any()
        else [],
        "patterns": [
            {"pattern": " – ".join(map(str, pattern)), "n": n, "share": 100 * n / total} for pattern, n in fell.items()
        ],
    }


def _cross_table(
    authors: "pd.Series[str]", golds: "pd.Series[str]", down: Sequence[str], across: Sequence[str]
) -> list[Row]:
    """How many items carry each label of the author and each gold one; nothing where no author gave any."""
    counts = Counter(zip(authors, golds, strict=True))
    if not any(author in down for author, _ in counts):
        return []
    return [{"author": author, "gold": gold, "n": counts[author, gold]} for author, gold in product(down, across)]


INSIGHT = Insight(
    slug="labels",
    title=gettext_noop("Label confusion"),
    introduction=gettext_noop(
        "What a label was meant to be against what votes made of it, and where voters disagree with each other."
    ),
    order=25,
    applies_to=fits,
    compute=compute,
    tables=(
        Table(
            key="gold",
            title=gettext_noop("Writer against gold"),
            columns=(
                Column("author", gettext_noop("Writer"), "label"),
                Column("gold", gettext_noop("Gold"), "label"),
                Column("n", gettext_noop("Items"), "number"),
            ),
            note=gettext_noop("The last column has no gold label, or none yet."),
            chart=Chart("heat", "author", ("gold", "n")),
            item_filters=filters_from_columns(label="author", gold="gold"),
        ),
        Table(
            key="votes",
            title=gettext_noop("Writer against votes"),
            columns=(
                Column("author", gettext_noop("Writer"), "label"),
                Column("vote", gettext_noop("Vote"), "label"),
                Column("n", gettext_noop("Votes"), "number"),
            ),
            chart=Chart("heat", "author", ("vote", "n")),
        ),
        Table(
            key="meetings",
            title=gettext_noop("Votes against votes"),
            columns=(
                Column("one", gettext_noop("One vote"), "label"),
                Column("other", gettext_noop("Another on the same item"), "label"),
                Column("n", gettext_noop("Pairs of votes"), "number"),
            ),
            chart=Chart("heat", "one", ("other", "n")),
        ),
        Table(
            key="patterns",
            title=gettext_noop("How votes fell"),
            columns=(
                Column("pattern", gettext_noop("Votes for each label"), "word"),
                Column("n", gettext_noop("Items"), "number"),
                Column("share", gettext_noop("Share"), "percent"),
            ),
            note=gettext_noop(
                "4 – 1 is an item with four votes for one label and one for another; votes alone are counted."
            ),
            chart=Chart("bar", "pattern", ("n",)),
        ),
    ),
)
