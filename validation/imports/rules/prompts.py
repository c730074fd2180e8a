"""The form of a row of prompts: Kalahi's columns, the parts given by the id (domain.md §6); or only a topic.

Responses get the keys that the form gives them, in the file's order: R1, R2, … relevant, I1, I2, … irrelevant, so
that a file comes out as it went in.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.elicitation.rules.prompts import (
    MESSAGES,
    PART_NAMES,
    Parts,
    PromptFault,
    PromptId,
    compose,
    read_id,
    split_text,
)
from annotation.elicitation.rules.responses import MOST_RELEVANT, CellFault, read_cell
from annotation.text.gettext import gettext_noop
from validation.imports.rules.cells import LONGEST_ID, MOST_VOTES, Cells, read_joined_text, read_whole_text
from validation.imports.rules.columns import PLAIN_ID, SPLIT, SPLIT_HELP, SPLIT_NAMES, ColumnMapping, Columns
from validation.imports.rules.people import Answer, answers_of
from validation.imports.rules.problems import FileRefused, Problem, RowRefused, excerpt
from validation.imports.rules.questions import LONGEST_CATEGORY, LONGEST_CONCEPT, ConceptRow, QuestionRow

KEY, RELEVANT, IRRELEVANT, BEST = (
    "prompt_variation_id",
    "relevant_answers",
    "irrelevant_answers",
    "best_answer",
)
MC1, MC2 = "mc1_targets", "mc2_targets"
# Without one of these no prompt can be stored.
PROMPT_FIELDS = (KEY, BEST, RELEVANT, IRRELEVANT)
# TruthfulQA's form has both sides in these.
TARGET_FIELDS = (KEY, MC1, MC2)
# Fields of topics, and those of them that prompts have no use for.
TOPIC_FIELDS, TOPIC_ONLY_FIELDS = ("topic", "topic_key", "category", "source"), ("topic_key", "source")

_ALIASES: Mapping[str, tuple[str, ...]] = {
    KEY: (KEY, "variation_id"),
    "prompt_id": ("prompt_id",),
    "category": ("category", "kategori"),
    "topic": ("topic", "topik"),
    "topic_key": ("topic_key", "topic_id"),
    "source": ("source", "sumber"),
    "prompt": ("prompt", "question"),
    BEST: (BEST,),
    RELEVANT: (RELEVANT,),
    IRRELEVANT: (IRRELEVANT,),
    "answers": ("answers", "votes"),
    MC1: (MC1,),
    MC2: (MC2,),
    SPLIT: SPLIT_NAMES,
}
_HELP: Mapping[str, str] = {
    KEY: gettext_noop("The prompt's id, ten digits: context, user, instruction, personal situation. Needed."),
    "prompt_id": gettext_noop("The id without its last two digits; compared with it, not stored."),
    "category": gettext_noop("ethics or shared knowledge; in a file of topics the topic's own category."),
    "topic": gettext_noop("What the prompt is about. Alone, without a prompt: the file holds topics."),
    "topic_key": gettext_noop("What the topic is called, in a file of topics; made from its text otherwise."),
    "source": gettext_noop("Where the topic is from; kept with it, in a file of topics."),
    "prompt": gettext_noop("The whole prompt: user, context, personal situation, instruction, a line each."),
    BEST: gettext_noop("The best response, which is one of the relevant ones. Needed for prompts."),
    RELEVANT: gettext_noop("Relevant responses: a list, or with semicolons between. Needed for prompts."),
    IRRELEVANT: gettext_noop("Irrelevant responses, the same. Needed for prompts."),
    MC1: gettext_noop("The best response against the irrelevant ones, in TruthfulQA's form."),
    MC2: gettext_noop("The relevant responses against the irrelevant ones, the same."),
    "answers": gettext_noop("What validators chose: an object of names and responses' keys (R1, I2)."),
    SPLIT: SPLIT_HELP,
}


def _complete_mapping(found: ColumnMapping, by_name: Mapping[str, str]) -> None:
    """A plain `id` names what the rows are."""
    if PLAIN_ID in by_name:
        found.setdefault(KEY if "prompt" in found else "topic_key", by_name[PLAIN_ID])


def _missing_field(mapping: ColumnMapping, columns: str) -> FileRefused | None:
    if "prompt" in mapping:
        wanted = TARGET_FIELDS if MC2 in mapping and RELEVANT not in mapping else PROMPT_FIELDS
        missing = [field for field in wanted if field not in mapping]
        if not missing:
            return None
        message = gettext_noop(
            "Beside the prompt, no column is taken for %(missing)s: say which one it is. The columns: %(columns)s."
        )
        return FileRefused("prompt_columns", message, missing=", ".join(missing), columns=columns)
    if "topic" in mapping:
        return None
    message = gettext_noop(
        "No column is taken for the prompt, nor for the topic: say which one it is. The columns: %(columns)s."
    )
    return FileRefused("prompt_unmapped", message, columns=columns)


def _fields_read(mapping: ColumnMapping) -> Collection[str]:
    return [field for field in mapping if field not in TOPIC_ONLY_FIELDS] if "prompt" in mapping else TOPIC_FIELDS


PROMPTS = Columns(
    _ALIASES, _HELP, _complete_mapping, _missing_field, fields_read=_fields_read, ids=(KEY, "prompt_id", "topic_key")
)


# A user, a context and an instruction have a line each.
LEAST_LINES = 3
TOPICS = "topics"
"""The category of topics that come without one."""


@dataclass(slots=True)
class PromptRow(QuestionRow):
    """A prompt in its parts; `concept` is its topic, `author_label` the key of the best response."""

    parts: Parts
    user_left_out: bool = False


class PromptReader(Cells[ConceptRow | PromptRow]):
    """Reads records of Kalahi's columns under one mapping. `users_left_out`: no text has a line for its user."""

    def __init__(
        self,
        mapping: Mapping[str, str],
        read_label: Callable[[str], str | None],
        *,
        users_left_out: bool = False,
    ) -> None:
        super().__init__(mapping)
        self._users_left_out = users_left_out
        self._read_label = read_label
        self.whole = "prompt" in mapping

    def _source(self, n: int, data: Mapping[str, Any]) -> ConceptRow:
        return ConceptRow(
            n,
            self._id(data, "topic_key"),
            self._line(data, "category", LONGEST_CATEGORY).strip() or TOPICS,
            self._line(data, "topic", LONGEST_CONCEPT, needed=True).strip(),
            "",
            "",
            read_joined_text(self._value(data, "source"), "source"),
        )

    def _item(self, n: int, data: Mapping[str, Any]) -> PromptRow:
        numbers = self._numbers(data)
        prompt = self._text(data, "prompt")
        best, relevant, irrelevant = self._sides(data)
        if best not in relevant:
            message = gettext_noop("The best response is not among the relevant ones.")
            raise RowRefused("best_missing", BEST, message)
        options = (*_with_keys("R", relevant), *_with_keys("I", irrelevant))
        key = f"R{1 + relevant.index(best)}"
        return PromptRow(
            n=n,
            key=numbers.variation_id,
            category=self._line(data, "category", LONGEST_CATEGORY),
            concept=self._line(data, "topic", LONGEST_CONCEPT),
            question=prompt,
            options=options,
            author_label=key,
            distractor="",
            author="",
            votes=self._votes(data, (key, *(each for each, _ in _with_keys("I", irrelevant)))),
            parallel="",
            majority="",
            parts=_split_parts(prompt, numbers._replace(user=0) if self._users_left_out else numbers),
            user_left_out=self._users_left_out and bool(numbers.user),
        )

    def _numbers(self, data: Mapping[str, Any]) -> PromptId:
        given = self._id(data, KEY)
        if not given:
            raise RowRefused("missing", KEY, gettext_noop("The prompt's id is missing."))
        try:
            numbers = read_id(given)
        except PromptFault as fault:
            raise _refusal(fault, KEY, given) from None
        own = self._short(data, "prompt_id", LONGEST_ID)
        if own and own != numbers.prompt_id:
            message = gettext_noop("“%(variation)s” is no variation of the prompt “%(prompt)s”.")
            raise RowRefused("id_other", "prompt_id", message, variation=given, prompt=excerpt(own, 40))
        return numbers

    def _sides(self, data: Mapping[str, Any]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """The best response, the relevant ones with it, and the irrelevant ones."""
        if MC2 in self.mapping and RELEVANT not in self.mapping:
            best, sides = self._targets(data, MC1), self._targets(data, MC2)
            return "".join(best[1][:1]), sides[1], sides[0]
        relevant, irrelevant = self._responses(data, RELEVANT), self._responses(data, IRRELEVANT)
        return self._text(data, BEST), relevant, irrelevant

    def _targets(self, data: Mapping[str, Any], field: str) -> dict[int, tuple[str, ...]]:
        """Choices by their label, in the form of TruthfulQA: `{"choices": […], "labels": [1, 0, …]}`."""
        given = self._value(data, field)
        inside: Mapping[str, Any] = given if isinstance(given, dict) else {}
        choices, labels = inside.get("choices"), inside.get("labels")
        if choices is None or labels is None or not _are_targets(choices, labels):
            message = gettext_noop("This has to be an object of choices and as many labels, each 0 or 1.")
            raise RowRefused("targets_form", field, message)
        both = list(zip(choices, labels, strict=True))
        return {side: parse_responses([text for text, label in both if label == side], field) for side in (0, 1)}

    def _responses(self, data: Mapping[str, Any], field: str) -> tuple[str, ...]:
        return parse_responses(self._value(data, field), field)

    def _votes(self, data: Mapping[str, Any], keys: Sequence[str]) -> tuple[Answer, ...]:
        given = self._value(data, "answers")
        votes = answers_of({} if given is None or given == "" else given, keys, self._read_label)
        if len(votes) > MOST_VOTES:
            message = gettext_noop("There are more than %(most)s votes on one prompt.")
            raise RowRefused("votes_too_many", "answers", message, most=MOST_VOTES)
        return votes


@dataclass
class UserLineCheck:
    """Whether a file leaves users out: texts whose ids name one have no line for it (Kalahi, Appendix H)."""

    named: int = 0
    lacking: int = 0

    def add(self, data: Mapping[str, Any], mapping: Mapping[str, str]) -> None:
        """Count one row; what cannot be read is refused later, at its row."""
        key, text = data.get(mapping.get(KEY, "")), data.get(mapping.get("prompt", ""))
        try:
            numbers = read_id(key) if isinstance(key, str) else None
        except PromptFault:
            return
        if numbers is not None and numbers.user and isinstance(text, str):
            self.named += 1
            self.lacking += text.count("\n") + 1 < LEAST_LINES + bool(numbers.personal)

    @property
    def are_left_out(self) -> bool:
        """Whether more than half of the texts that should have a line for a user lack one: then none has."""
        return 2 * self.lacking > self.named

    def problem(self) -> Problem | None:
        """What is assumed of the file, in words."""
        if not self.are_left_out:
            return None
        message = gettext_noop(
            "The ids of %(rows)s prompts name a user, and the texts have no line for one: users are left out in this "
            "file, and the prompts are stored without them."
        )
        return Problem("users_left_out", "prompt", message, {"rows": self.named})


def parse_responses(given: object, field: str) -> tuple[str, ...]:
    """Responses of one side: a list of texts, or a text with semicolons between, blanks kept."""
    if given is None:
        return ()
    if isinstance(given, str):
        try:
            given = read_cell(given)
        except CellFault as fault:
            raise RowRefused(fault.code, field, fault.message, **fault.params) from None
    elif not isinstance(given, list):
        raise RowRefused("wrong_type", field, gettext_noop("This has to be a list."))
    if len(given) > MOST_RELEVANT:
        message = gettext_noop("There are %(n)s responses; at most %(most)s can be stored.")
        raise RowRefused("responses_many", field, message, n=len(given), most=MOST_RELEVANT)
    return tuple(read_whole_text(text, field) for text in given)


def _are_targets(choices: Any, labels: Any) -> bool:
    """Whether these are lists of one length, the second of 0 and 1."""
    if not isinstance(choices, list) or not isinstance(labels, list):
        return False
    return 0 < len(choices) == len(labels) and all(label in (0, 1) for label in labels)


def _with_keys(side: str, texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((f"{side}{n}", text) for n, text in enumerate(texts, start=1))


def _split_parts(prompt: str, numbers: PromptId) -> Parts:
    """The parts of the text; refused where the id does not tell them, or they would not give the text again."""
    try:
        parts = split_text(prompt, numbers)
    except PromptFault as fault:
        raise _refusal(fault, "prompt", numbers.variation_id) from None
    empty = next((part for part in PART_NAMES if numbers.get(part) and not parts.get(part).strip()), None)
    if empty is not None:
        message = gettext_noop("The id “%(id)s” says that there is this part, and its line is empty: %(part)s.")
        raise RowRefused("part_empty", "prompt", message, id=numbers.variation_id, part=PART_NAMES[empty])
    assert compose(parts) == prompt  # noqa: S101 - no part is left out
    return parts


def _refusal(fault: PromptFault, field: str, given: str) -> RowRefused:
    params = {**fault.params, "id": excerpt(given, 40)}
    return RowRefused(fault.code, field, MESSAGES[fault.code], **params)
