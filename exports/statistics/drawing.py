"""What each table of a release for a paper is made of: its columns and its rows, which tables.py declares.

A table of the release's items is made of what was gathered (rules.py); one of its people or of its making is made of
rows that the job reads (facts.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
        decided = rules.merge_counters(n for key, n in found.decided.items() if target in (WHOLE, key))
        told, beside = (
            rules.individual_agreement(decided),
            rules.votes_beside_others(decided, found.protocol, found.kind),
        )
        met = sum(n for key, n in found.record_item.items() if target in (WHOLE, key))
        for name, n, of in (
            (_("Items whose votes ended, of all items"), told.items, met),
            (_("Gold label"), told.gold, told.items),
            (_("Individual label is the gold label"), told.is_gold, told.labels),
            *([(_("Vote is the gold label of the others"), *beside)] if beside[1] else []),
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
