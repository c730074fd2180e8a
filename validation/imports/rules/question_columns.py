"""The fields of questions and of concepts: id-csqa's published form, CommonsenseQA's, sheets with a column a choice."""

from collections.abc import Collection, Mapping

from validation.imports.rules.columns import PLAIN_ID, Columns, Mapped
from validation.imports.rules.problems import FileRefused, gettext_noop

# A sheet may have more choices than a kind has keys for: they are read, so that the row can be refused for them.
LETTERS = "ABCDEFGH"
CHOICE = "choice_"
LEFT_OUT = "left_out"
OF_CONCEPTS = ("item_id", "category", "concept", "shared_key", "parallel")

_ALIASES: Mapping[str, tuple[str, ...]] = {
    "item_id": ("item_id", "question_id", "q_id", "qid", "uid"),
    "category": ("category", "kategori"),
    "concept": ("question_concept", "concept", "konsep"),
    "shared_key": ("shared_key",),
    "parallel": ("parallel",),
    "question": ("question", "stem", "pertanyaan"),
    "choices": ("choices", "options"),
    **{
        f"{CHOICE}{letter.lower()}": (f"choice_{letter.lower()}", f"option_{letter.lower()}", letter.lower())
        for letter in LETTERS
    },
    "answer": ("answer_creator", "answerkey", "answer_key", "author_label", "answer", "label"),
    "distractor": ("distractor",),
    "majority": ("answer_majority",),
    "creator": ("creator", "author", "writer", "author_id", "writer_id"),
    "answers": ("answers", "votes"),
    "uncertainty": ("answers_uncertainty",),
    "question_ambiguity": ("question_ambiguity",),
    "option_ambiguity": ("option_ambiguity",),
    "reason": ("reason", "reasons"),
    LEFT_OUT: (),
}
_HELP: Mapping[str, str] = {
    "item_id": gettext_noop("What the question is called; made from its texts where there is none."),
    "category": gettext_noop("The category of the concept."),
    "concept": gettext_noop(
        "What the question is about. Alone, without a question: the file holds concepts."
    ),
    "shared_key": gettext_noop("The concept's key in the projects of all languages; for files of concepts."),
    "parallel": gettext_noop("The concept's wording in the other language."),
    "question": gettext_noop("The text of the question, or an object of its stem and choices."),
    "choices": gettext_noop("The choices: lists of labels and texts, or a list of objects of both."),
    **{f"{CHOICE}{letter.lower()}": gettext_noop("The text of one choice.") for letter in LETTERS},
    "answer": gettext_noop("The writer's answer: its letter, or its text."),
    "distractor": gettext_noop("The letter of the choice that is meant to mislead."),
    "majority": gettext_noop("The published gold answer: compared with what the answers give, not stored."),
    "creator": gettext_noop("Who wrote the question."),
    "answers": gettext_noop("What each person answered: an object of names and letters."),
    "uncertainty": gettext_noop("Whether each person was certain or uncertain."),
    "question_ambiguity": gettext_noop("Whether each person calls the question clear or ambiguous."),
    "option_ambiguity": gettext_noop("For each person a list: each choice clear or ambiguous."),
    "reason": gettext_noop("Each person's reason."),
    LEFT_OUT: gettext_noop("Who wrote it: the one person of the file who does not answer it."),
}


def _settle(found: Mapped, by_name: Mapping[str, str]) -> None:
    """A plain `id` names the question; where nobody is named as its creator, who does not answer may tell."""
    if PLAIN_ID in by_name:
        found.setdefault("item_id", by_name[PLAIN_ID])
    if "answers" in found and "creator" not in found:
        found[LEFT_OUT] = found["answers"]
    if "choices" in found:
        for letter in LETTERS:
            found.pop(f"{CHOICE}{letter.lower()}", None)


def _needed(mapping: Mapped, columns: str) -> FileRefused | None:
    if "question" in mapping or "concept" in mapping:
        return None
    message = gettext_noop(
        "No column is taken for the question, nor for the concept: say which one it is. The columns: %(columns)s."
    )
    return FileRefused("question_unmapped", message, columns=columns)


def _read(mapping: Mapped) -> Collection[str]:
    if "question" not in mapping:
        return OF_CONCEPTS
    lettered = "choices" in mapping
    return [field for field in mapping if not (lettered and field.startswith(CHOICE))]


QUESTIONS = Columns(_ALIASES, _HELP, _settle, _needed, silent=(LEFT_OUT,), read=_read)
