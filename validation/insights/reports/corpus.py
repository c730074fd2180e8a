"""The texts of a project as they are read alone, cut into tokens once for every insight of words.

A million hypotheses take about 200 MB: numbers of tokens one after another, and one dictionary of types.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
from django.db import DEFAULT_DB_ALIAS

from annotation.core.database import fetch_rows
from annotation.core.models.project import Project
from annotation.core.rules.draws import draw
from annotation.kinds.partial_input import PartialInput
from annotation.text import languages
from annotation.text.artefacts import COLUMNS, measure_text, to_columns
from annotation.text.classifier import FOLDS
from annotation.text.tokens import tokens
from validation.consensus.stages import EXCLUDED
from validation.insights.actions import measures_store
from validation.insights.models import Measure
from validation.insights.reports.reading import Reading

if TYPE_CHECKING:
    import numpy as np

PAGE = 5000
NO_CLASS = -1

# Items whose present text was not measured yet; an index of measures by item is what this walks.
_UNMEASURED = """SELECT i.id, i.revision_n, i.target_id, i.author_label, i.gold, r.content FROM annotation_item i
JOIN annotation_revision r ON r.item_id = i.id AND r.n = i.revision_n
LEFT JOIN validation_measure m ON m.item_id = i.id AND m.revision_n = i.revision_n
WHERE i.project_id = %s AND i.id > %s AND m.item_id IS NULL ORDER BY i.id LIMIT %s"""


def has_partial_input(project: Project) -> bool:
    """Whether a project's items have texts that a classifier can use alone."""
    return project.kind_spec.partial_input is not None


def partial_input_of(reading: Reading) -> PartialInput:
    """What the project's kind reads alone; KeyError where it reads nothing so."""
    if reading.kind.partial_input is None:
        raise KeyError(reading.kind.slug)
    return reading.kind.partial_input


@dataclass
class Corpus:
    """One entry a text, in the order of items: the item's place among the reading's items, its place in the item, the
    class that counts and the one that its writer gave (-1: none), its fold; tokens by their number in `types`, those
    of text n from starts[n] on."""

    item: "array[int]" = field(default_factory=lambda: array("i"))
    place: "array[int]" = field(default_factory=lambda: array("b"))
    labels: "array[int]" = field(default_factory=lambda: array("b"))
    author_labels: "array[int]" = field(default_factory=lambda: array("b"))
    fold: "array[int]" = field(default_factory=lambda: array("b"))
    starts: "array[int]" = field(default_factory=lambda: array("q", [0]))
    flat: "array[int]" = field(default_factory=lambda: array("i"))
    types: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.item)

    def words(self, n: int) -> list[str]:
        """The tokens of a text."""
        return [self.types[number] for number in self.flat[self.starts[n] : self.starts[n + 1]]]

    def occurrences(self, *, once: bool) -> "tuple[np.ndarray, np.ndarray]":
        """Every token as text and number of its type; `once`: each type once a text."""
        import numpy as np

        starts = np.frombuffer(self.starts, dtype=np.int64)
        lengths = starts[1:] - starts[:-1]
        text = np.repeat(np.arange(len(self), dtype=np.int32), lengths)
        number = np.frombuffer(self.flat, dtype=np.int32)
        if not once:
            return text, number
        whole = np.int64(max(len(self.types), 1))
        pairs = text * whole
        pairs += number
        del text
        pairs = np.unique(pairs)
        return (pairs // whole).astype(np.int32), (pairs % whole).astype(np.int32)


def corpus_of(reading: Reading) -> Corpus:
    """The texts of a reading, read once however many insights ask."""
    return reading.cached(_read)


def _read(reading: Reading) -> Corpus:
    alone, items, made = partial_input_of(reading), reading.items, Corpus()
    numbers: dict[str, int] = {}
    index = {key: n for n, key in enumerate(alone.keys)}
    ids, excluded = items.index.tolist(), (items["stage"] == EXCLUDED).tolist()
    gold, given = items["gold"].tolist(), items["author_label"].tolist()
    seed, here = reading.project.seed, 0
    for item, _, content in reading.keeping_lease(reading.texts()):
        while here < len(ids) and ids[here] < item:
            here += 1
        # What came in since the items were read is of the next time.
        if here == len(ids) or ids[here] != item or excluded[here]:
            continue
        counts = alone.texts(content, gold[here] or given[here])
        owns = counts if not gold[here] or gold[here] == given[here] else alone.texts(content, given[here])
        for place, text in enumerate(counts or owns):
            made.item.append(here)
            made.place.append(place)
            made.labels.append(index[text.label] if counts else NO_CLASS)
            made.author_labels.append(index[owns[place].label] if owns else NO_CLASS)
            made.fold.append(draw(seed, "artefact-fold", text.group) % FOLDS)
            made.flat.extend(numbers.setdefault(token, len(numbers)) for token in tokens(text.text))
            made.starts.append(len(made.flat))
    made.types = list(numbers)
    return made


# --- what is measured of each text --------------------------------------------------------


def measure_new_texts(reading: Reading) -> int:
    """Measure the texts that are new or other than when they were measured; how many items that were."""
    alone, done, last = partial_input_of(reading), 0, -1
    negations = {pk: languages.get(target.language).negations for pk, target in reading.targets.items()}
    while rows := fetch_rows(_UNMEASURED, [reading.project.pk, last, PAGE], reading.using):
        made = []
        for item, revision, target, given, gold, raw in reading.keeping_lease(rows):
            content = orjson.loads(raw) if isinstance(raw, (str, bytes)) else raw
            if texts := alone.texts(content, gold or given):
                none: frozenset[str] = frozenset()
                figures = [measure_text(each.text, each.source, negations.get(target, none)) for each in texts]
                made.append((item, revision, to_columns(figures)))
        measures_store(project=reading.project, rows=made)
        done, last = done + len(made), rows[-1][0]
        reading.tick()
    return done


def measures_of(reading: Reading) -> "dict[str, np.ndarray]":
    """The figures of the corpus' texts by their names, measured where they were not; NaN where there are none."""
    return reading.cached(_aligned_measures)


def _aligned_measures(reading: Reading) -> "dict[str, np.ndarray]":
    import numpy as np

    # What was stored a moment ago is the primary's alone.
    using = DEFAULT_DB_ALIAS if measure_new_texts(reading) else reading.using
    corpus, ids = corpus_of(reading), reading.items.index.tolist()
    columns = {name: np.full(len(corpus), np.nan) for name in COLUMNS}
    here = 0
    for item, figures in reading.keeping_lease(_figures(reading, using)):
        while here < len(corpus) and ids[corpus.item[here]] < item:
            here += 1
        while here < len(corpus) and ids[corpus.item[here]] == item:
            place = corpus.place[here]
            for name, column in columns.items():
                if place < len(figures[name]):
                    column[here] = figures[name][place]
            here += 1
    return columns


def _figures(reading: Reading, using: str) -> Iterator[tuple[int, dict[str, Sequence[Any]]]]:
    last = -1
    rows = Measure.objects.using(using).filter(project=reading.project).order_by("item_id")
    while page := list(rows.filter(item__gt=last).values_list("item_id", "figures")[:PAGE]):
        yield from page
        last = page[-1][0]
        reading.tick()
