"""The tables of a release for a paper, each declared once: its counts, its paper, its columns and its rows.

A table of the release's items is made of what was gathered (rules.py); one of its people or of its making is made of
rows that the job reads (facts.py). Pages, CSV and LaTeX files draw what is declared here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.generation.candidate_text import LEVELS
from annotation.text.gettext import gettext_noop as _
from annotation.ui.tables import FIGURE, INTERVAL, LABEL, NUMBER, PERCENT, PERCENTS, TEXT, WORD, Column
from exports.statistics import rules
from exports.statistics.rules import WHOLE, ReleaseCounts

# So many words a class, concepts of more than can be told whole, and classes or labels that are columns of their own.
WORDS, CONCEPTS, ALL_CONCEPTS, MOST_COLUMNS = 3, 10, 25, 12
Row = dict[str, Any]


@dataclass(frozen=True)
class TableFacts:
    """What tables are made from: what was gathered, and rows of people (`people`, `crossed`), of
    assessments (`assessed`: part, error, how many) and of tasks, as facts.py reads them."""

    gathered: ReleaseCounts
    people: Sequence[Row] = ()
    crossed: Sequence[Row] = ()
    assessed: Sequence[Row] = ()
    tasks: Sequence[Row] = ()
    genders: Sequence[str] = ()


@dataclass(frozen=True)
class TableContent:
    """The columns and rows of a table for one release."""

    columns: Sequence[Column]
    rows: Sequence[Row]


@dataclass(frozen=True)
class Statistic:
    """A table: its name in files, its title, what it counts (the caption of a paper), the paper's table that it is.

    `draw` gives what it is for a release, without rows where it says nothing.
    """

    key: str
    title: str
    definition: str
    source: str
    draw: Callable[[TableFacts], TableContent] = field(repr=False)


_SPLIT = Column("split", _("Split"), WORD)
_TARGET = Column("target", _("Target"), WORD)
_INTERVAL = Column("interval", _("95 % interval"), PERCENTS)


def _interval_column(key: str, name: str = "") -> Column:
    """The interval of a column, whose name it follows in files."""
    return Column(f"{key}_ends", name or _("95 % interval"), PERCENTS)


def _splits_and_targets(gathered: ReleaseCounts) -> Iterator[tuple[str, str]]:
    """Every split and the whole, in each target where there are several; with the whole of all targets behind them."""
    splits, targets = gathered.splits, gathered.targets
    for split in [*splits, WHOLE] if len(splits) > 1 else splits:
        for target in [*targets, WHOLE] if len(targets) > 1 else targets:
            yield split, target


def _belongs_to(key: Sequence[Any], split: str, target: str) -> bool:
    return split in (WHOLE, key[0]) and target in (WHOLE, key[1])


def _place_columns(gathered: ReleaseCounts) -> list[Column]:
    return [_SPLIT, _TARGET] if len(gathered.targets) > 1 else [_SPLIT]


# --- the tables ----


def sizes(facts: TableFacts) -> TableContent:
    """IndoNLI, Table 4."""
    found, rows = facts.gathered, []
    question = found.kind.question
    labels = {} if question.own_options else {label.key: label.name for label in question.labels}
    groups = {group: group for group in sorted({key[2] for key in found.groups if key[2]})}
    # More than so many are no columns of a table.
    labels, groups = (each if len(each) <= MOST_COLUMNS else {} for each in (labels, groups))
    names = list(dict.fromkeys(key[2] for key in found.lengths))
    for split, target in _splits_and_targets(found):
        row: Row = {"split": split, "target": target}
        row["items"] = sum(n for key, n in found.rows.items() if _belongs_to(key, split, target))
        for prefix, counts, columns in (("label", found.labels, labels), ("class", found.groups, groups)):
            here = rules.merge_counters({key[2]: n} for key, n in counts.items() if _belongs_to(key, split, target))
            unknown = prefix == "label" and found.hides(split)
            row |= {f"{prefix}:{name}": None if unknown else here[name] for name in columns}
        for name in names:
            mine = (n for key, n in found.lengths.items() if _belongs_to(key, split, target) and key[2] == name)
            if told := rules.length_spread(mine):
                row |= {f"mean:{name}": told.mean, f"sd:{name}": told.sd}
                row[f"ends:{name}"] = rules.mean_interval(told)
        rows.append(row)
    return TableContent([*_place_columns(found), *_size_columns(labels, groups, names)], rows)


def _size_columns(labels: dict[str, str], groups: dict[str, str], names: Sequence[str]) -> list[Column]:
    columns = [Column("items", _("Items"), NUMBER)]
    columns += [Column(f"label:{key}", name, NUMBER) for key, name in labels.items()]
    columns += [Column(f"class:{key}", name, NUMBER) for key, name in groups.items()]
    for name in names:
        columns += [
            Column(f"mean:{name}", name, FIGURE, _("mean number of words"), digits=1),
            Column(f"sd:{name}", _("SD"), FIGURE, digits=1),
            Column(f"ends:{name}", _("95 % interval"), INTERVAL, digits=1),
        ]
    return columns


def overlap(facts: TableFacts) -> TableContent:
    """IndoNLI, Table 5."""
    found = facts.gathered
    columns = [_SPLIT, Column("label", _("Label"), LABEL), Column("n", _("Texts"), NUMBER)]
    for key, name in (("jaccard", _("Jaccard")), ("lcs", _("Common subsequence")), ("new", _("New tokens"))):
        columns += [Column(key, name, PERCENT), _interval_column(key)]
    rows = []
    for split in [*found.splits, WHOLE] if len(found.splits) > 1 else found.splits:
        for told in found.kind.partial_input.keys if found.kind.partial_input else ():
            figures = [
                each
                for (where, what), many in found.overlaps.items()
                if split in (WHOLE, where) and what == told
                for each in many
            ]
            if figures:
                rows.append({"split": split, "label": told, **rules.medians(figures)})
    return TableContent(columns, rows)


def words(facts: TableFacts) -> TableContent:
    """IndoNLI, Table 9."""
    found = facts.gathered
    keys = found.kind.partial_input.keys if found.kind.partial_input else ()
    rows = []
    for split in [*found.splits, WHOLE] if len(found.splits) > 1 else found.splits:
        cells = rules.merge_counters(each for where, each in found.cells.items() if split in (WHOLE, where))
        for told, score in rules.strongest_words(cells, keys, WORDS):
            row = {"split": split, "word": score.word, "label": told, "pmi": score.pmi}
            rows.append(
                row
                | {
                    "n": score.with_label,
                    "of": score.in_all,
                    **rules.percent_with_interval(score.with_label, score.in_all),
                }
            )
    columns = [
        _SPLIT,
        Column("word", _("Word"), WORD),
        Column("label", _("Label"), LABEL),
        Column("pmi", _("PMI"), FIGURE, digits=2),
        Column("n", _("n(word, label)"), NUMBER),
        Column("of", _("n(word)"), NUMBER),
        Column("percent", _("Share"), PERCENT),
        _INTERVAL,
    ]
    return TableContent(columns, rows)


_AUTHORING = {True: _("with the authors' labels"), False: _("without them")}


def rounds(facts: TableFacts) -> TableContent:
    """IndoNLI, Table 2."""
    found, rows = facts.gathered, []
    several = len(found.decided) > 1
    if found.protocol.author_counts:
        for target in [*sorted(found.decided), WHOLE] if several else sorted(found.decided):
            decided = rules.merge_counters(n for key, n in found.decided.items() if target in (WHOLE, key))
            for authoring, name in _AUTHORING.items():
                rows.append(
                    {
                        "target": target,
                        "counted": name,
                        **rules.saved_annotations(decided, authoring=authoring),
                    }
                )
    columns = [
        *([_TARGET] if several else []),
        Column("counted", _("Counted"), TEXT),
        Column("items", _("Items"), NUMBER),
        Column("five", _("With five each"), NUMBER),
        Column("used", _("Annotations"), NUMBER),
        Column("percent", _("Saved, share"), PERCENT),
        _INTERVAL,
    ]
    return TableContent(columns, rows)


def quality(facts: TableFacts) -> TableContent:
    """IndoNLI, Table 3."""
    found, rows = facts.gathered, []
    several = len(found.decided) > 1
    for target in [*sorted(found.decided), WHOLE] if several else sorted(found.decided):
        told = rules.individual_agreement(
            rules.merge_counters(n for key, n in found.decided.items() if target in (WHOLE, key))
        )
        met = sum(n for key, n in found.record_item.items() if target in (WHOLE, key))
        for name, n, of in (
            (_("Items whose votes ended, of all items"), told.items, met),
            (_("Gold label"), told.gold, told.items),
            (_("Individual label is the gold label"), told.is_gold, told.labels),
            (_("Individual label is the author's label"), told.is_author, told.authored_labels),
            (_("Gold label is the author's label"), told.gold_is_author, told.authored),
            (_("Gold label is not the author's label"), told.gold_differs, told.authored),
            (_("No gold label"), told.no_gold, told.items),
        ):
            rows.append({"target": target, "measure": name, "n": n, "of": of, **rules.percent_with_interval(n, of)})
    columns = [*([_TARGET] if several else []), Column("measure", _("Measure"), TEXT), *_SHARE]
    return TableContent(columns, rows)


_SHARE = (
    Column("n", _("Number"), NUMBER),
    Column("of", _("Of"), NUMBER),
    Column("percent", _("Share"), PERCENT),
    _INTERVAL,
)


def errors(facts: TableFacts) -> TableContent:
    """id-csqa, Tables 2, 5, 7 and 9."""
    columns = [Column("part", _("Part"), TEXT), Column("error", _("Error type"), TEXT), _SPLIT, *_SHARE]
    sums = rules.merge_counters({(row["part"], row["split"]): row["n"]} for row in facts.assessed)
    rows = [
        {**row, "of": of, **rules.percent_with_interval(row["n"], of)}
        for row in facts.assessed
        for of in [sums[row["part"], row["split"]]]
    ]
    return TableContent(columns, rows)


def concepts(facts: TableFacts) -> TableContent:
    """id-csqa, Figure 2; Kalahi, Table 3."""
    found = facts.gathered
    whole = rules.merge_counters({concept: n} for (_split, concept), n in found.concepts.items())
    of, rows = whole.total(), []
    most = ALL_CONCEPTS if len(whole) <= ALL_CONCEPTS else CONCEPTS
    for concept, n in sorted(whole.items(), key=lambda each: (-each[1], each[0]))[:most]:
        row = {"concept": concept, "n": n, "of": of, **rules.percent_with_interval(n, of)}
        rows.append(row | {f"split:{split}": found.concepts[split, concept] for split in found.splits})
    splits = [Column(f"split:{split}", split, NUMBER) for split in found.splits]
    return TableContent([Column("concept", _("Concept"), WORD), *splits, *_SHARE], rows if len(whole) > 1 else [])


def people(facts: TableFacts) -> TableContent:
    """LoraxBench, Table 7."""
    columns = [_TARGET, Column("people", _("People"), NUMBER)]
    columns += [Column(f"is:{word}", word, NUMBER) for word in facts.genders]
    return TableContent(columns, facts.people)


def ethnicity_by_domicile(facts: TableFacts) -> TableContent:
    """id-csqa, Table 10."""
    columns = [
        Column("ethnicity", _("Ethnicity"), WORD),
        Column("domicile", _("Domicile"), WORD),
        Column("n", _("People"), NUMBER),
    ]
    return TableContent(columns, facts.crossed)


def tasks(facts: TableFacts) -> TableContent:
    """LoraxBench, Table 3."""
    columns = [
        Column("task", _("Task"), WORD),
        Column("from", _("Made from"), WORD),
        Column("rows", _("Rows of a language"), NUMBER),
        Column("languages", _("Languages and registers"), NUMBER, _("the source's among them where it has a file")),
        Column("total", _("Rows"), NUMBER),
    ]
    of_all = {"task": WHOLE, "total": sum(row["total"] for row in facts.tasks)}
    return TableContent(columns, [*facts.tasks, of_all] if len(facts.tasks) > 1 else facts.tasks)


def levels(facts: TableFacts) -> TableContent:
    """mCSQA, Table 2."""
    found = facts.gathered
    names = sorted({level for _split, _target, level in found.levels} - {""})
    rows = []
    for split, target in _splits_and_targets(found) if names else ():
        of = rules.merge_counters({key[2]: n} for key, n in found.levels.items() if _belongs_to(key, split, target))
        row = {"split": split, "target": target, "items": of.total()}
        rows.append(row | {f"level:{name}": of[name] for name in names})
    columns = [Column("items", _("Items"), NUMBER)]
    columns += [Column(f"level:{name}", LEVELS.get(name, name), NUMBER) for name in names]
    return TableContent([*_place_columns(found), *columns], rows)


STATISTICS = (
    Statistic(
        "sizes",
        _("Rows by split, label and class"),
        _(
            "Rows of each split, how many have each label and each class of source, and the words of each text, which "
            "are what stands between blanks: mean, standard deviation (of the population) and the 95 % interval of the "
            "mean. A text that several items share counts once for each."
        ),
        "IndoNLI, Table 4; id-csqa, Table 1; Kalahi, §3.1",
        sizes,
    ),
    Statistic(
        "overlap",
        _("Overlap with the source"),
        _(
            "Medians over texts, by split and label, in percent, with 95 % intervals by order statistics. Jaccard: "
            "token types that text and source share, of those of both. Common subsequence: the longest one of tokens, "
            "of the text's tokens. New tokens: the text's token types that the source lacks, of its token types."
        ),
        "IndoNLI, §3.3 and Table 5",
        overlap,
    ),
    Statistic(
        "words",
        _("Words that give labels away"),
        _(
            "The three words with the highest pointwise mutual information with each label, in bits, 10 added to every "
            "count of word and label; n(word, label) as a share of n(word), with Wilson's 95 % interval."
        ),
        "IndoNLI, §5.2 and Table 9",
        words,
    ),
    Statistic(
        "rounds",
        _("Annotations saved by rounds"),
        _(
            "Annotations over items whose votes ended, against five labels an item (four without the author's), and "
            "the share saved, with the 95 % interval of the mean over items."
        ),
        "IndoNLI, §3.2 and Table 2",
        rounds,
    ),
    Statistic(
        "quality",
        _("Gold labels and individual labels"),
        _(
            "Over items whose votes ended. Individual labels are all that counted, the author's included where it is a "
            "vote; items without a gold label are in the denominator. With Wilson's 95 % intervals."
        ),
        "IndoNLI, §3.2 and Table 3",
        quality,
    ),
    Statistic(
        "errors",
        _("Errors of machine-written items"),
        _(
            "The main error of each part of the assessed machine-written items, as the machine wrote them, by split; "
            "with Wilson's 95 % intervals."
        ),
        "id-csqa, §5.1 and Tables 2, 5, 7 and 9",
        errors,
    ),
    Statistic(
        "concepts",
        _("The most frequent concepts"),
        _(
            "Items of each concept or topic, by split, as a share of all items, with Wilson's 95 % interval. Of more "
            "than 25 only the ten of most items."
        ),
        "id-csqa, §5.1.1 and Figure 2; Kalahi, §3.1 and Table 3",
        concepts,
    ),
    Statistic(
        "tasks",
        _("Rows by task"),
        _(
            "Rows of each task in the language that has most of them, the languages and registers that have it, the "
            "source's among them where the release has a file of it, and the rows in all of them."
        ),
        "LoraxBench, §3.5 and Table 3",
        tasks,
    ),
    Statistic(
        "levels",
        _("Easy and hard questions"),
        _(
            "Machine-written questions by split: easy where the model answered its own question, hard where it did not "
            "and people confirmed the answer."
        ),
        "mCSQA, §3.4 and Table 2",
        levels,
    ),
    Statistic(
        "people",
        _("People by target"),
        _(
            "People who wrote or judged released items of each target, and the gender of those who agreed to be "
            "counted. A number below the project's threshold, or from which one would follow, is not given."
        ),
        "LoraxBench, Appendix C and Table 7",
        people,
    ),
    Statistic(
        "crossed",
        _("Ethnicity and domicile"),
        _(
            "People who took part in the release and agreed to be counted. A number below the project's threshold, or "
            "from which one would follow, is not given; the last row is of everybody in such a group."
        ),
        "id-csqa, Appendix C and Table 10",
        ethnicity_by_domicile,
    ),
)


def get(key: str) -> Statistic:
    """The table of that name; KeyError where there is none."""
    return {each.key: each for each in STATISTICS}[key]
