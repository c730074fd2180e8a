"""nli: hypotheses for premises, three labels (IndoNLI §3.2; SNLI's and MNLI's field names)."""

from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any

from annotation.answers import Label
from annotation.core.rules.settings import ProjectSettings
from annotation.kinds.base import Kind
from annotation.kinds.columns import only_columns, provenance
from annotation.kinds.forms import Slot, SlotIn
from annotation.kinds.partial_input import PartialInput, PartialText
from annotation.kinds.parts import Export, QuestionPart
from annotation.kinds.shapes import PAIR, PAIR_AUTHORING
from annotation.text.gettext import gettext_noop

LABELS = (
    Label(
        "e",
        gettext_noop("Entailment"),
        "E",
        "circle",
        gettext_noop("According to the text, this sentence is certainly true."),
    ),
    Label(
        "n",
        gettext_noop("Neutral"),
        "N",
        "square",
        gettext_noop("The text does not tell whether this sentence is true."),
    ),
    Label(
        "c",
        gettext_noop("Contradiction"),
        "C",
        "triangle",
        gettext_noop("According to the text, this sentence is certainly false."),
    ),
)
LABEL_NAMES = {"e": "entailment", "n": "neutral", "c": "contradiction"}
ALIASES = {
    **{key: key for key in LABEL_NAMES},
    **{name: key for key, name in LABEL_NAMES.items()},
    "entails": "e",
    "contradicts": "c",
}


def slots(settings: ProjectSettings) -> tuple[Slot, ...]:
    """`per_label` slots for each label: e1, e2, n1, … (IndoNLI: two; OCNLI: three)."""
    return tuple(
        Slot(f"{label.key}{number}", label.key, f"{label.name} {number}")
        for label in LABELS
        for number in range(1, settings.per_label + 1)
    )


def slot_from_source(texts: Mapping[str, str]) -> tuple[str, SlotIn]:
    """A pair of a source set as its premise and what stands in a slot."""
    return texts["premise"], SlotIn(texts["hypothesis"], True)


def spell_label(label: str) -> str:
    """A label as published files write it; `-` where there is none."""
    return LABEL_NAMES.get(label, label) or "-"


def as_source_row(content: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The pair's texts as a source set of translations has them."""
    return ("premise", str(content["premise"])), ("hypothesis", str(content["hypothesis"]))


def partial_texts(content: Mapping[str, Any], label: str) -> tuple[PartialText, ...]:
    """The hypothesis without its premise; not defined for a pair without one of the three labels."""
    if label not in LABEL_NAMES:
        return ()
    premise = str(content["premise"])
    return (PartialText(str(content["hypothesis"]), label, premise, premise),)


def export_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """SNLI's and IndoNLI's field names; annotator_labels author first (domain.md §9, docs/releases.md)."""
    content, source, author_label = row["content"], row["source"], row["author_label"]
    extra, given = source["extra"], row["counted_labels"]
    by, first = row["counted_annotators"], [spell_label(author_label) if author_label else None]
    return {
        "pair_id": row["key"],
        "premise_id": source["key"],
        "premise": content["premise"],
        "hypothesis": content["hypothesis"],
        "label": spell_label(row["label"]),
        "label_source": row["label_source"],
        "gold_label": spell_label(row["gold"]),
        "author_label": spell_label(author_label),
        "annotator_labels": [*first, *map(spell_label, given)],
        "annotator_ids": [row["author"] or None, *by],
        "annotation_round": row["round"],
        "sentence_size": source["sentence_class"],
        "inference_phenomena": content.get("tags", []),
        "genre": extra.get("genre", ""),
        "source": extra.get("source", ""),
        "topics": extra.get("topics", ""),
        "document": source["document"],
        **provenance(row),
    }


KIND = Kind(
    slug="nli",
    name=gettext_noop("Natural language inference"),
    shape=PAIR,
    source=replace(PAIR.source, read_source_row=slot_from_source, judged_row_shape="pair"),
    authoring=replace(
        PAIR_AUTHORING,
        slots=slots,
        checks=(
            "empty",
            "too_long",
            "per_label",
            "several_sentences",
            "copy_of_source",
            "copy_of_other",
            "tags_missing",
            "no_shared_word",
            "negation_only",
            "near_word",
            "suspicious_characters",
            "end_mark",
            "doubled_blanks",
        ),
        error_types=(
            ("wrong-label", gettext_noop("The label does not fit")),
            ("language", gettext_noop("Grammar, spelling or punctuation")),
            ("several-sentences", gettext_noop("More than one sentence")),
            ("copy", gettext_noop("Too close to the premise")),
            ("off-topic", gettext_noop("Shares nothing with the premise")),
            ("ambiguous", gettext_noop("Can be read in two ways")),
            ("outside-knowledge", gettext_noop("Needs knowledge that the premise does not give")),
            ("harmful", gettext_noop("Harmful or stereotyping")),
            ("other", gettext_noop("Something else")),
        ),
    ),
    question=QuestionPart(
        labels=LABELS, aliases=ALIASES, text=gettext_noop("Going by the premise alone, the hypothesis is…")
    ),
    presentation=replace(PAIR.presentation, item_name=gettext_noop("pair"), item_plural=gettext_noop("pairs")),
    export=Export(
        build_row=export_row,
        public_columns=only_columns(
            "pair_id",
            "premise_id",
            "premise",
            "hypothesis",
            "sentence_size",
            "genre",
            "source",
            "topics",
            "document",
        ),
        source_row=("pair", as_source_row),
        task="nli",
        spellings=LABEL_NAMES,
        id_column="pair_id",
        author_answer=itemgetter("author_label"),
        opaque_ids=True,
        column_help="SNLI's and IndoNLI's field names. `label` is what to train or score on, `label_source` whose "
        "it is, `gold_label` what the votes settled on (`-` where they made none), `annotator_labels` the labels "
        "that counted, the author's first (null where it is not known).",
    ),
    settings=(
        "shared_percent",
        "per_label",
        "tags",
        "max_words",
        "per_document",
        "allocation_size",
        "sample_unit",
        "paragraph_name",
    ),
    partial_input=PartialInput(
        gettext_noop("Hypotheses without their premises"),
        tuple((label.key, label.name) for label in LABELS),
        partial_texts,
    ),
)
