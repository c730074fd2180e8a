"""Prompts of cultural projects: their parts, their text, and the ids that tell the parts (Kalahi §3.1, Table 1).

A prompt's text is user, context, personal situation and instruction, those that there are, joined by a line break
(domain.md §6). Its id is `CC UU IIII` + `PP`, written without blanks: the number of the context, of the user (00:
none), of the instruction, of the personal situation (00: none). A number stands for one text throughout a project,
so an id and a text give the parts back. What shares a context is a family.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.text.gettext import gettext_noop as _
from annotation.text.normalise import key_form

ID_FORM, ID_ZERO, ID_OTHER = "id_form", "id_zero", "id_other"
PART_MISSING, PART_LINES = "part_missing", "part_lines"
LINES_MISSING, ID_TAKEN = "lines_missing", "id_taken"
NUMBERS_UP, NUMBER_UNLIKE = "numbers_up", "number_unlike"
MESSAGES: Mapping[str, str] = {
    ID_FORM: _("“%(id)s” is no prompt id: %(digits)d digits are expected."),
    ID_ZERO: _("“%(id)s” has no number for the %(part)s."),
    ID_OTHER: _("“%(variation)s” is no variation of the prompt “%(prompt)s”."),
    PART_MISSING: _("The %(part)s is missing."),
    PART_LINES: _("The %(part)s has to be one line: line breaks tell the parts of a prompt apart."),
    LINES_MISSING: _("The prompt has %(lines)d lines, and its id “%(id)s” says that it has at least %(needed)d."),
    ID_TAKEN: _("There is a prompt with this user, context, situation and instruction: “%(id)s”."),
    NUMBERS_UP: _("All %(most)d numbers of a %(part)s are taken."),
    NUMBER_UNLIKE: _("The id “%(id)s” and the text do not agree on whether there is a %(part)s."),
}

USER, CONTEXT, PERSONAL, INSTRUCTION = "user", "context", "personal", "instruction"
# Of an imported prompt whose id has a user and whose file leaves users out.
USER_LEFT_OUT = "user_left_out"
PART_NAMES: Mapping[str, str] = {
    USER: _("user"),
    CONTEXT: _("context"),
    PERSONAL: _("personal situation"),
    INSTRUCTION: _("instruction"),
}
REQUIRED = (CONTEXT, INSTRUCTION)
# The digits of each part's number, in the order in which an id has them.
DIGITS: Mapping[str, int] = {CONTEXT: 2, USER: 2, INSTRUCTION: 4, PERSONAL: 2}
ID_DIGITS = sum(DIGITS.values())
_ID_PATTERN = re.compile("".join(f"(?P<{part}>[0-9]{{{digits}}})" for part, digits in DIGITS.items()))
_BREAKS = re.compile("[\r\n]")


class PromptFault(ValueError):
    """What keeps a prompt or an id from being read or made: a code of `MESSAGES`, the part, and the parameters.

    The parameter `part` is an English source string for gettext, as `message` is.
    """

    def __init__(self, code: str, part: str = "", **params: object) -> None:
        self.code, self.part, self.message = code, part, MESSAGES[code]
        self.params = params | ({"part": PART_NAMES[part]} if part else {})
        super().__init__(self.message % self.params)


class Parts(NamedTuple):
    """The parts of a prompt in the order of its text; user and personal situation may be empty."""

    user: str
    context: str
    personal: str
    instruction: str

    def get(self, part: str) -> str:
        """Give a part by its name."""
        return str(getattr(self, part))


def parts_of(content: Mapping[str, Any]) -> Parts:
    """The parts of a stored prompt."""
    return Parts(*(str(content.get(part, "")) for part in Parts._fields))


class PromptId(NamedTuple):
    """The numbers of a prompt's parts, in the order of its id; 0 where there is no user or personal situation."""

    context: int
    user: int
    instruction: int
    personal: int

    def get(self, part: str) -> int:
        """Give the number of a part by its name."""
        return int(getattr(self, part))

    @property
    def variation_id(self) -> str:
        """The whole id: `CCUUIIIIPP`."""
        return "".join(f"{self.get(part):0{digits}d}" for part, digits in DIGITS.items())

    @property
    def prompt_id(self) -> str:
        """The id that all variations of a prompt share: `CCUUIIII`."""
        return self.variation_id[: -DIGITS[PERSONAL]]

    @property
    def family(self) -> str:
        """What all prompts with this context share: `CC`."""
        return self.variation_id[: DIGITS[CONTEXT]]


def read_id(variation_id: str, prompt_id: str | None = None) -> PromptId:
    """Read `CCUUIIIIPP`, and look that it belongs to `prompt_id` where one is given. Raises PromptFault."""
    match = _ID_PATTERN.fullmatch(variation_id)
    if not match:
        raise PromptFault(ID_FORM, id=variation_id, digits=ID_DIGITS)
    numbers = PromptId(**{part: int(digits) for part, digits in match.groupdict().items()})
    for part in REQUIRED:
        if not numbers.get(part):
            raise PromptFault(ID_ZERO, id=variation_id, part=part)
    if prompt_id is not None and prompt_id != numbers.prompt_id:
        raise PromptFault(ID_OTHER, variation=variation_id, prompt=prompt_id)
    return numbers


def compose(parts: Parts) -> str:
    """Give a prompt's text: the parts that hold something, joined by a line break. Incomplete ones too (preview)."""
    return "\n".join(part for part in parts if part.strip())


def part_faults(parts: Parts) -> list[PromptFault]:
    """Say what keeps the parts from being a prompt; only a context may have several lines."""
    faults = [PromptFault(PART_MISSING, part=part) for part in REQUIRED if not parts.get(part).strip()]
    one_line = (USER, PERSONAL, INSTRUCTION)
    faults += [PromptFault(PART_LINES, part=part) for part in one_line if _BREAKS.search(parts.get(part))]
    return faults


def split_text(text: str, numbers: PromptId) -> Parts:
    """Give the parts of a prompt's text, whose id tells which there are; all else is context. Raises PromptFault."""
    lines = text.split("\n")
    needed = 2 + bool(numbers.user) + bool(numbers.personal)
    if len(lines) < needed:
        raise PromptFault(LINES_MISSING, lines=len(lines), id=numbers.variation_id, needed=needed)
    instruction = lines.pop()
    personal = lines.pop() if numbers.personal else ""
    user = lines.pop(0) if numbers.user else ""
    return Parts(user, "\n".join(lines), personal, instruction)


@dataclass
class CodeBook:
    """Which number stands for which text, part by part, in one project.

    Texts are the same under `key_form`. Feed it every prompt of the project, excluded ones too: a number that was
    given once never means anything else. Where a part was reworded after its number was given, both wordings have it.
    """

    _texts: dict[str, dict[str, int]] = field(default_factory=lambda: {part: {} for part in DIGITS})
    _taken: dict[str, set[int]] = field(default_factory=lambda: {part: set() for part in DIGITS})
    _ids: set[PromptId] = field(default_factory=set)

    def add(self, numbers: PromptId, parts: Parts) -> None:
        """Learn a prompt; a text keeps the first number that it was met under. Raises PromptFault.

        Of a user that was left out the number is known, and no text.
        """
        for part in DIGITS:
            text, number = parts.get(part), numbers.get(part)
            left_out = part == USER and number and not text.strip()
            if bool(number) != bool(text.strip()) and not left_out:
                raise PromptFault(NUMBER_UNLIKE, id=numbers.variation_id, part=part)
        for part in DIGITS:
            text, number = parts.get(part), numbers.get(part)
            if number and text.strip():
                self._texts[part].setdefault(key_form(text), number)
            if number:
                self._taken[part].add(number)
        self._ids.add(numbers)

    def number(self, part: str, text: str) -> int:
        """Give a text's number: 0 for none, the one that it has, or the next free one. Raises PromptFault."""
        if not text.strip():
            return 0
        known = self._texts[part].get(key_form(text))
        return self._next(part) if known is None else known

    def _next(self, part: str) -> int:
        """One above the highest; at the end of the digits the lowest that was never given."""
        taken, most = self._taken[part], 10 ** DIGITS[part] - 1
        number = max(taken, default=0) + 1
        if number > most:
            number = next((free for free in range(1, most + 1) if free not in taken), 0)
        if not number:
            raise PromptFault(NUMBERS_UP, part=part, most=most)
        return number

    def new_id(self, parts: Parts) -> PromptId:
        """Make the id of a new prompt; parts that the project knows keep their numbers. Raises PromptFault."""
        return self._free({part: self.number(part, parts.get(part)) for part in DIGITS}, parts)

    def variation_id(self, base: PromptId, base_parts: Parts, parts: Parts) -> PromptId:
        """Make the id of a variation: parts left as they are in the base have its numbers. Raises PromptFault."""
        numbers = {
            part: base.get(part) if parts.get(part) == base_parts.get(part) else self.number(part, parts.get(part))
            for part in DIGITS
        }
        return self._free(numbers, parts)

    def _free(self, numbers: Mapping[str, int], parts: Parts) -> PromptId:
        for fault in part_faults(parts):
            raise fault
        made = PromptId(**numbers)
        if made in self._ids:
            raise PromptFault(ID_TAKEN, id=made.variation_id)
        return made


class Overview(NamedTuple):
    """How many of what a set of prompts has: for the published file 150, 84, 86, 85, 10."""

    prompts: int
    contexts: int
    prompt_ids: int
    without_personal: int
    without_user: int


def overview(ids: Iterable[PromptId]) -> Overview:
    """Count prompts, contexts (families), prompt ids, and prompts without a personal situation or a user."""
    all_ids = list(ids)
    return Overview(
        prompts=len(all_ids),
        contexts=len({each.context for each in all_ids}),
        prompt_ids=len({each.prompt_id for each in all_ids}),
        without_personal=sum(not each.personal for each in all_ids),
        without_user=sum(not each.user for each in all_ids),
    )
