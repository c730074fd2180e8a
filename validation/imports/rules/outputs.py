"""The form of a row with a model's output: the prompt's id, the model's name, the text (Kalahi Appendix I).

Only what cannot be stored is refused; texts pass through as they are.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form
from validation.imports.rules.cells import Cells, read_short_text, read_whole_text
from validation.imports.rules.problems import FileRefused, Problem, RowRefused, excerpt

PROMPT, MODEL, TEXT = "prompt", "model", "text"
LONGEST_MODEL = 120
# The first of these that a file has is taken; `prompt` may hold the prompt's text beside an id of its own.
COLUMNS: Mapping[str, Sequence[str]] = {
    PROMPT: ("prompt_variation_id", "variation_id", "prompt_id", "id", "key", "item", "prompt"),
    MODEL: ("model", "model_name", "model_id"),
    TEXT: ("text", "output", "generation", "response", "completion"),
}
_VARIATION = re.compile(r"([0-9]{8})([0-9]{2})")


class OutputRow(NamedTuple):
    """What a model wrote for the prompt that the file names, in row `n`."""

    n: int
    prompt: str
    model: str
    text: str


def mapping_of(columns: Iterable[str]) -> dict[str, str]:
    """Say which column holds what. Raises FileRefused, naming the field that no column holds."""
    by_name = {column.strip().casefold().replace(" ", "_"): column for column in reversed(list(columns))}
    found: dict[str, str] = {}
    for field, names in COLUMNS.items():
        column = next((by_name[name] for name in names if name in by_name), None)
        if column is None:
            message = gettext_noop(
                "No column is called %(names)s. A file has the id of a prompt or question, a model, a text."
            )
            raise FileRefused("column_missing", message, names=", ".join(names))
        found[field] = column
    return found


class OutputReader(Cells[OutputRow]):
    """Reads records under one mapping."""

    def _item(self, n: int, data: Mapping[str, object]) -> OutputRow:
        prompt = self._id(data, PROMPT)
        if not prompt:
            raise RowRefused("missing", PROMPT, gettext_noop("The id of the prompt or question is missing."))
        value = self._value(data, MODEL)
        model = key_form(" ".join(read_short_text(value, MODEL, LONGEST_MODEL).split())) if value is not None else ""
        if not model:
            raise RowRefused("missing", MODEL, gettext_noop("The model's name is missing."))
        return OutputRow(n, prompt, model, read_whole_text(data.get(self.mapping[TEXT]), TEXT))


class PromptIndex:
    """The prompts of a project by what files call them: their key, or the id that variations share."""

    def __init__(self, keys: Mapping[str, int]) -> None:
        self._keys = keys
        self._shared: dict[str, list[str]] = {}
        for key in keys:
            if variation := _VARIATION.fullmatch(key):
                self._shared.setdefault(variation[1], []).append(key)

    def find(self, name: str) -> int | Problem:
        """The primary key behind a name. A shared id means the prompt without a personal situation, or the only one."""
        if name in self._keys:
            return self._keys[name]
        shared = self._shared.get(name, [])
        if name + "00" in shared:
            return self._keys[name + "00"]
        if len(shared) == 1:
            return self._keys[shared[0]]
        given = {"key": excerpt(name, 40)}
        if shared:
            message = gettext_noop("“%(key)s” has several variations; give the whole id of one.")
            return Problem("prompt_several", PROMPT, message, given)
        message = gettext_noop("There is no prompt or question “%(key)s” here, or it was excluded.")
        return Problem("prompt_unknown", PROMPT, message, given)
