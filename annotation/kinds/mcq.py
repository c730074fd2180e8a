"""mcq: commonsense questions with five choices (id-csqa §4.2, Appendix B–E; domain.md §5)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from annotation.answers import Label
from annotation.core.rules.settings import ProjectSettings
from annotation.kinds.base import Kind
from annotation.kinds.columns import only_columns, provenance
from annotation.kinds.forms import FormField, Slot, SlotIn, Source, TextField
from annotation.kinds.partial_input import PartialInput, PartialText, options_by_role
from annotation.kinds.parts import Authoring, Export, Presentation, QuestionPart
from annotation.kinds.shapes import QA
from annotation.kinds.texts import option_field
from annotation.text.gettext import gettext_noop

KEYS = ("A", "B", "C", "D", "E")
SHAPES = ("circle", "square", "triangle", "diamond", "pentagon")
ANSWER, DISTRACTOR, OTHER = "answer", "distractor", "other"
LABELS = tuple(Label(key, key, key, shape) for key, shape in zip(KEYS, SHAPES, strict=True))
ALIASES = {key.casefold(): key for key in KEYS}
PARTIAL_CLASSES = (
    (ANSWER, gettext_noop("Answer")),
    (DISTRACTOR, gettext_noop("Wrong answer that looks right")),
    (OTHER, gettext_noop("Other choice")),
)


_UNCERTAINTY = {True: "uncertain", False: "certain", None: None}
_AMBIGUITY = {"ambiguous": "ambiguous", "": "clear", "unknown": None}


def slots(settings: ProjectSettings) -> tuple[Slot, ...]:
    """One question a concept and writer (id-csqa §4.2)."""
    return (Slot("q", "", gettext_noop("Question")),)


def fields(settings: ProjectSettings) -> tuple[FormField, ...]:
    """Five choices, which of them is the answer, which the distractor; the own wording of a parallel concept."""
    own = FormField(
        "concept",
        gettext_noop("The concept in your language"),
        help=gettext_noop("How the concept is called where you live; the question has to contain it."),
    )
    choices = tuple(FormField(option_field(key), key, "option") for key in KEYS)
    picks = (
        FormField(ANSWER, gettext_noop("Answer"), "pick"),
        FormField(DISTRACTOR, gettext_noop("Wrong answer that looks right"), "pick"),
    )
    return ((own,) if settings.own_wording else ()) + choices + picks


def content(source: Source, written: SlotIn) -> dict[str, Any]:
    """A question as revisions keep it. An option's key is for good; its role is `answer`, `distractor` or empty."""
    more = written.more
    roles = {more.get(DISTRACTOR, ""): DISTRACTOR, more.get(ANSWER, ""): ANSWER}
    made: dict[str, Any] = {
        "concept": concept if (concept := more.get("concept", "")).strip() else source.text,
        "category": source.group,
        "question": written.text,
        "options": [{"key": key, "text": more.get(option_field(key), ""), "role": roles.get(key, "")} for key in KEYS],
    }
    return made | ({"parallel": source.parallel} if source.parallel else {})


def form_values(content: Mapping[str, Any]) -> SlotIn:
    """The form's fields of a stored question."""
    options = content.get("options", ())
    more = {option_field(str(option["key"])): str(option["text"]) for option in options}
    more |= {str(option["role"]): str(option["key"]) for option in options if option.get("role")}
    return SlotIn(str(content.get("question", "")), True, more=more | {"concept": str(content.get("concept", ""))})


def slot_from_source(texts: Mapping[str, str]) -> tuple[str, SlotIn]:
    """A question of a source set as what stands in a slot; what it is about is not distinguished from it there."""
    choices = {
        option_field(key.removeprefix("choice-")): text for key, text in texts.items() if key.startswith("choice-")
    }
    return texts["question"], SlotIn(texts["question"], True, more=choices)


def author_label(slot: Slot, written: SlotIn) -> str:
    """The option that the writer calls the answer."""
    answer = written.more.get(ANSWER, "")
    return answer if answer in KEYS else ""


def partial_texts(content: Mapping[str, Any], label: str) -> tuple[PartialText, ...]:
    """The choices without their question; the answer is what the label says, whatever its writer meant."""
    options = [
        {**option, "role": ANSWER if option["key"] == label else _not_the_answer(option)}
        for option in content.get("options", ())
    ]
    right = any(option["role"] == ANSWER for option in options)
    return options_by_role({**content, "options": options}, OTHER) if right else ()


def _not_the_answer(option: Mapping[str, Any]) -> str:
    role = str(option.get("role", ""))
    return "" if role == ANSWER else role


def published_row(
    key: str, content: Mapping[str, Any], author_label: str, gold: str, votes: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """One question in the published file's own form (id-csqa, human_gen), field by field.

    `votes` hold annotator, label, unsure, answers (what is marked, by the options' keys) and, where it is told, the
    comment: without one in any of them the row has no `reason`. What is not known of a vote is null.
    """
    options = content.get("options", ())
    keys = [option["key"] for option in options]
    row: dict[str, Any] = {
        "id": key,
        "category": content.get("category", ""),
        "question_concept": content["concept"],
        "question": content["question"],
        "choices": {"label": keys, "text": [option["text"] for option in options]},
        "answer_creator": author_label,
        "answer_majority": gold,
        "answers": {vote["annotator"]: vote["label"] for vote in votes},
        "answers_uncertainty": {vote["annotator"]: _UNCERTAINTY[vote["unsure"]] for vote in votes},
        "question_ambiguity": {vote["annotator"]: _AMBIGUITY[vote["answers"].get("question", "")] for vote in votes},
        "option_ambiguity": {
            vote["annotator"]: [_AMBIGUITY[_mark(key, vote["answers"])] for key in keys] for vote in votes
        },
    }
    if all("comment" in vote for vote in votes):
        row["reason"] = {vote["annotator"]: vote["comment"] for vote in votes}
    return row


def _mark(key: str, answers: Mapping[str, str]) -> str:
    if key in answers.get("options", ""):
        return "ambiguous"
    return "unknown" if key in answers.get("options_unknown", "") else ""


def as_source_row(content: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The question and its choices as a source set of translations has them."""
    choices = ((f"choice-{option['key']}", str(option["text"])) for option in content.get("options", ()))
    return (("question", str(content["question"])), *choices)


def export_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The published file's own form, with our own columns behind it."""
    published = published_row(row["key"], row["content"], row["author_label"], row["gold"], row.get("votes", ()))
    return published | {
        "label": row["label"],
        "label_source": row["label_source"],
        "gold_label": row["gold"] or "-",
        "creator": row["author"],
        "annotation_round": row["round"],
        **provenance(row),
    }


PARTIAL_INPUT = PartialInput(
    gettext_noop("Choices without their questions"),
    PARTIAL_CLASSES,
    partial_texts,
    right_class=ANSWER,
    wrong_classes=(DISTRACTOR, OTHER),
    default_class=OTHER,
    reveals_position=True,
)
KIND = Kind(
    slug="mcq",
    name=gettext_noop("Commonsense questions"),
    shape=QA,
    source=replace(QA.source, read_source_row=slot_from_source, judged_row_shape="choices"),
    authoring=Authoring(
        slots=slots,
        fields=fields,
        content_from_slot=content,
        slot_from_content=form_values,
        author_label=author_label,
        checks=(
            "empty",
            "too_long",
            "choices_missing",
            "choices_equal",
            "answer_missing",
            "distractor_missing",
            "concept_missing",
            "concept_other_form",
            "choices_near",
            "superlative",
            "in_the_world",
            "choice_repeats_question",
            "answer_place",
            "question_mark",
            "suspicious_characters",
            "doubled_blanks",
        ),
        error_types=(
            ("too-general", gettext_noop("Too general: not about this culture")),
            ("subjective", gettext_noop("Subjective: a matter of taste or opinion")),
            ("logical-causal", gettext_noop("The reasoning or the cause does not hold")),
            ("options-equal", gettext_noop("Two choices mean the same")),
            ("answer-distractor-equivalent", gettext_noop("The answer and another choice are equally right")),
            ("personal-experience", gettext_noop("Needs an experience that not everybody has")),
            ("concept-missing", gettext_noop("The concept is missing from the question")),
            ("language", gettext_noop("Grammar, spelling or punctuation")),
            ("harmful", gettext_noop("Harmful or stereotyping")),
            ("other", gettext_noop("Something else")),
        ),
    ),
    question=QuestionPart(
        labels=LABELS,
        aliases=ALIASES,
        own_options=True,
        ambiguity_marks=("question", "options"),
        text=gettext_noop("Which answer is the right one?"),
        evaluation_kind="mcq",
    ),
    presentation=Presentation(
        item_name=gettext_noop("question"),
        item_plural=gettext_noop("questions"),
        texts=(
            TextField("question", gettext_noop("Question")),
            TextField("concept", gettext_noop("Concept"), shown=False),
        ),
        is_shuffled=True,
    ),
    export=Export(
        build_row=export_row,
        public_columns=only_columns("id", "category", "question_concept", "question", "choices"),
        author_answer=itemgetter("answer_creator"),
        source_row=("choices", as_source_row),
        task="choices",
        column_help="ID-CSQA's field names. `label` is what to score on, `label_source` whose it is, "
        "`answer_majority` what the answers settled on (empty where they made none, `-` in `gold_label`), "
        "`answer_creator` the writer's answer; `answers` and what stands behind it hold each person's answer, under "
        "stable pseudonyms, with what they marked.",
    ),
    features=("rating", "free_answers"),
    settings=(
        "shared_percent",
        "writers_each",
        "per_category",
        "category_target",
        "own_wording",
        "near_percent",
        "answer_place_from",
        "rating_criteria",
        "recipe",
        "place",
        "set_count",
        "relations",
        "concepts_per_call",
        "questions_per_concept",
        "batch_size",
        "offensive_words",
        "similarity",
    ),
    partial_input=PARTIAL_INPUT,
)
