"""Lengths: how many words (`annotation.text.tokens`) the texts of a set have; for writers and leads, not a paper."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from annotation.kinds import Kind
from annotation.kinds.texts import OPTION_PREFIX, text_at
from annotation.text.gettext import gettext_noop
from annotation.text.histogram import bins, spread
from annotation.text.tokens import word_count
from validation.consensus.stages import EXCLUDED
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
from validation.insights.rules.conflicts import natural_key

MOST_BINS = 24
_CHOICES = gettext_noop("Choices")

# Lengths of texts of a name, of a label or a category: each length with how often it occurs.
Lengths = defaultdict[tuple[str, str], Counter[int]]


def compute(reading: Reading) -> TableRows:
    """Count the words of every text once, by its name, by the item's label and by its category."""
    kind = reading.kind
    labels, groups, excluded = _labels(reading), reading.groups, _excluded(reading)
    whole: defaultdict[str, Counter[int]] = defaultdict(Counter)
    by_label: Lengths = defaultdict(Counter)
    by_group: Lengths = defaultdict(Counter)
    own: Counter[int] = Counter()
    for item, _, content in reading.texts():
        if item in excluded:
            continue
        for name, text, is_own in _texts(kind, content):
            n = word_count(text)
            whole[name][n] += 1
            by_group[groups.get(item, ""), name][n] += 1
            if is_own and item in labels:
                by_label[labels[item], name][n] += 1
        own[word_count(kind.presentation.headline(content)[0])] += 1
    return {
        "texts": [{"text": name, **_figures(found)} for name, found in whole.items()],
        "labels": [
            {"label": label, "text": name, **_figures(by_label[key])}
            for key in sorted(by_label, key=lambda key: kind.question.label_keys.index(key[0]))
            for label, name in [key]
        ],
        "groups": [
            {"group": group, "text": name, **_figures(by_group[group, name])}
            for group in sorted({group for group, _ in by_group}, key=natural_key)
            for name in whole
            if (group, name) in by_group
        ],
        "spread": [
            {
                "words": f"{first}–{last}" if last > first else str(first),
                "n": n,
                "share": 100 * n / own.total(),
            }
            for first, last, n in bins(own, MOST_BINS)
        ],
    }


def _labels(reading: Reading) -> dict[int, str]:
    """Each item's label, gold or the author's, where labels are the same for all items; nothing elsewhere."""
    kind = reading.kind
    if kind.question.own_options or kind.excludes_family_contributors or "review" in kind.features:
        return {}
    items = reading.items
    gold, author = items["gold"].astype(object), items["author_label"].astype(object)
    counted = gold.where(gold != "", author)
    labelled = zip(items.index.tolist(), counted.tolist(), strict=True)
    return {pk: label for pk, label in labelled if label in kind.question.label_keys}


def _excluded(reading: Reading) -> set[int]:
    """The items that a lead or the system took out: what they say is not in the set."""
    items = reading.items
    return set(items.index[(items["stage"] == EXCLUDED).to_numpy()].tolist())


def _texts(kind: Kind, content: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """The texts of an item that people are shown: names, texts, whether it alone has them; options by their roles."""
    for text in kind.presentation.texts_in(content):
        if text.shown and not text.key.startswith(OPTION_PREFIX) and (words := text_at(content, text.key)):
            yield text.name, words, not text.shared
    alone = kind.partial_input
    names = dict(alone.classes) if alone and alone.right_class else {}
    for option in content.get("options", ()):
        role = option.get("role") or (alone.default_class if alone else "")
        yield names.get(role, _CHOICES), option["text"], True


def _figures(counts: Counter[int]) -> Row:
    found = spread(counts)
    assert found is not None  # noqa: S101 - a counter is made where a text is counted
    return asdict(found)


label_filter = filters_from_columns(labelled="label")
_FIGURES = (
    Column("n", gettext_noop("Texts"), "number"),
    Column("mean", gettext_noop("Mean"), "figure", digits=1),
    Column("sd", gettext_noop("Standard deviation"), "figure", digits=1),
    Column("median", gettext_noop("Median"), "figure", digits=1),
    Column("least", gettext_noop("Shortest"), "number"),
    Column("most", gettext_noop("Longest"), "number"),
)
_TEXT_COLUMN = Column("text", gettext_noop("Text"), "text")


INSIGHT = Insight(
    slug="lengths",
    title=gettext_noop("Lengths"),
    introduction=gettext_noop("How many words the texts have. A label whose texts are longer gives itself away."),
    order=30,
    compute=compute,
    tables=(
        Table(
            key="texts",
            title=gettext_noop("Words in each text"),
            columns=(_TEXT_COLUMN, *_FIGURES),
            note=gettext_noop(
                "Words are letters and digits with their marks; the table of a release counts what stands between "
                "blanks, as IndoNLI's Table 4 does. A text that several items share counts once for each; excluded "
                "items do not."
            ),
        ),
        Table(
            key="spread",
            title=gettext_noop("How lengths are spread"),
            columns=(
                Column("words", gettext_noop("Words"), "word"),
                Column("n", gettext_noop("Texts"), "number"),
                Column("share", gettext_noop("Share"), "percent"),
            ),
            note=gettext_noop("Of what is written for an item, without what it is made from."),
            chart=Chart("bar", "words", ("n",)),
        ),
        Table(
            key="labels",
            title=gettext_noop("By label"),
            columns=(Column("label", gettext_noop("Label"), "label"), _TEXT_COLUMN, *_FIGURES),
            note=gettext_noop("By the gold label; where there is none, by the label that the item came with."),
            chart=Chart("bar", "label", ("mean",)),
            item_filters=label_filter,
        ),
        Table(
            key="groups",
            title=gettext_noop("By category"),
            columns=(Column("group", gettext_noop("Category"), "group"), _TEXT_COLUMN, *_FIGURES),
            item_filters=filters_from_columns(group="group"),
        ),
    ),
)
