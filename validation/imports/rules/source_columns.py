"""The fields of rows that are translated, by the shape of their set (domain.md §7): the names of published files."""

from collections.abc import Mapping

from annotation import kinds
from annotation.text.gettext import gettext_noop
from annotation.translation.rules.source_units import SHAPES, SourceShape
from validation.imports.rules.columns import PLAIN_ID, ColumnMapping, Columns
from validation.imports.rules.problems import FileRefused

LETTERS = "ABCDEFGH"
KEY, LABEL, SPLIT, CHOICES, RELEVANT, IRRELEVANT = "id", "label", "split", "choices", "relevant", "irrelevant"
_KEYS = (
    PLAIN_ID,
    "idx",
    "row",
    "pair_id",
    "pairid",
    "prompt_variation_id",
    "item_id",
    "question_id",
    "q_id",
    "qid",
    "key",
)
_LABELS = (LABEL, "gold_label", "answer_majority", "answerkey", "answer_key", "answer_creator", "gold")
_TEXTS: Mapping[str, tuple[str, ...]] = {
    "premise": ("premise", "sentence1", "premise_text"),
    "hypothesis": ("hypothesis", "sentence2", "hypothesis_text"),
    "question": ("question", "stem", "pertanyaan"),
    "context": ("context", "konteks", "premise"),
    "passage": ("passage", "passage_text", "context", "paragraph"),
    "answer": ("answer", "answers", "answer_text"),
    "text": ("text", "sentence", "indonesian"),
    "prompt": ("prompt",),
}
_LISTS: Mapping[str, tuple[str, ...]] = {
    "choice": ("choices", "options"),
    "continuation": ("continuations", "endings", "options", "choices"),
    "alternative": ("alternatives",),
}
_HELP: Mapping[str, str] = {
    KEY: gettext_noop("What the row is called; the same in every target. Needed."),
    LABEL: gettext_noop("The label or the right answer: its letter, its place from 0, or its text."),
    SPLIT: gettext_noop("Which split the row is in; kept in every target."),
    CHOICES: gettext_noop("All choices: a list of texts, or lists of labels and texts."),
    RELEVANT: gettext_noop("Relevant responses: a list, or with semicolons between. Needed."),
    IRRELEVANT: gettext_noop("Irrelevant responses, the same. Needed."),
    "best": gettext_noop("The best response, which is one of the relevant ones. Needed."),
}
_TEXT_HELP = gettext_noop("A text to translate. Needed.")
_ONE_HELP = gettext_noop("The text of one choice.")


def choice_field(role: str, letter: str) -> str:
    """The field of one choice: `choice-A`."""
    return f"{role}-{letter}"


def _choice_names(role: str, place: int) -> tuple[str, ...]:
    """What sheets call the choice at a place: by letter; from 1 (COPA), or from 0 (JCommonsenseQA, SWAG)."""
    letter, stems = LETTERS[place].lower(), (role, "choice", "option", "ending", "alternative")
    by_letter = tuple(f"{stem}_{letter}" for stem in dict.fromkeys(stems))
    return (*by_letter, letter, *(f"{stem}{place + 1}" for stem in dict.fromkeys(stems)))


def _aliases(shape: SourceShape) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {KEY: _KEYS}
    for role in shape.roles:
        if not role.several:
            found[role.key] = _TEXTS[role.key]
        elif role.key in _LISTS:
            found[CHOICES] = _LISTS[role.key]
            for place, letter in enumerate(LETTERS):
                found[choice_field(role.key, letter)] = _choice_names(role.key, place)
        else:
            found |= {
                "best": ("best_answer", "best"),
                RELEVANT: ("relevant_answers",),
                IRRELEVANT: ("irrelevant_answers",),
            }
    if "best" not in found:
        found[LABEL] = _LABELS
    return found | {SPLIT: (SPLIT, "set", "subset")}


def _help(field: str) -> str:
    return _HELP.get(field) or (_ONE_HELP if field[-2:-1] == "-" else _TEXT_HELP)


def _columns(shape: SourceShape) -> Columns:
    several = next((role.key for role in shape.roles if role.several), "")
    aliases = _aliases(shape)
    singles = [choice_field(several, letter) for letter in LETTERS]

    def settle(found: ColumnMapping, by_name: Mapping[str, str]) -> None:
        """A list of choices is all of them; where places are counted from 0 they are moved by one."""
        if CHOICES in found:
            for field in singles:
                found.pop(field, None)
            return
        for stem in (several, "choice", "option", "ending", "alternative"):
            if f"{stem}0" in by_name:
                for place, field in enumerate(singles):
                    found.pop(field, None)
                    if f"{stem}{place}" in by_name:
                        found[field] = by_name[f"{stem}{place}"]
                return

    def needed(mapping: ColumnMapping, columns: str) -> FileRefused | None:
        asked = [KEY, *(role.key for role in shape.roles if not role.several)]
        asked += ["best", RELEVANT, IRRELEVANT] if "best" in aliases else []
        missing = [field for field in asked if field not in mapping]
        # CommonsenseQA has its choices inside the question.
        inside = "question" in mapping or any(field in mapping for field in singles)
        if CHOICES in aliases and CHOICES not in mapping and not inside:
            missing.append(CHOICES)
        if (several or kinds.judging_kind(shape.slug)) and LABEL in aliases and LABEL not in mapping:
            missing.append(LABEL)
        if not missing:
            return None
        message = gettext_noop("No column is taken for %(missing)s: say which one it is. The columns: %(columns)s.")
        return FileRefused("source_columns", message, missing=", ".join(missing), columns=columns)

    return Columns(aliases, {field: _help(field) for field in aliases}, settle, needed, ids=(KEY,))


_BY_SHAPE: Mapping[str, Columns] = {slug: _columns(shape) for slug, shape in SHAPES.items()}


def source_columns(shape: str) -> Columns:
    """The fields that a file of this shape of source set can hold."""
    return _BY_SHAPE[shape]
