"""Files of models' outputs for the prompts of a project (Kalahi Appendix I): read, or refused row by row."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.core.errors import Invalid
from annotation.text.gettext import gettext_noop
from validation.imports.actions import shown_name
from validation.imports.outcome import problem_in_words
from validation.imports.rules import FileRefused, Problem, open_source
from validation.imports.rules.cells import same_hash
from validation.imports.rules.outputs import TEXT, OutputReader, OutputRow, PromptIndex, mapping_of
from validation.imports.rules.problems import excerpt

MOST_ROWS, MOST_TOLD = 10_000, 50


class ModelOutput(NamedTuple):
    """What a model wrote for a prompt (its key)."""

    prompt: int
    model: str
    text: str


class OutputsField(forms.FileField):
    """A file of outputs; clean gives its rows. Every row that cannot be read is told."""

    def clean(self, data: Any, initial: Any = None) -> Any:
        sent: UploadedFile[Any] = super().clean(data, initial)
        if (sent.size or 0) > settings.MUFAKAT_UPLOAD_MAX_BYTES:
            raise forms.ValidationError(_("The file is too large; send it in parts."))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "outputs"
            with path.open("wb") as file:
                file.writelines(sent.chunks())
            try:
                return read_outputs(path, shown_name(sent.name or "file"))
            except Invalid as refusal:
                raise forms.ValidationError(refusal.message.split("\n")) from None


def read_outputs(path: Path, name: str) -> list[OutputRow]:
    """The rows of a file. Raises Invalid, with a line for each row that cannot be read."""
    try:
        source = open_source(path, name)
        reader = OutputReader(mapping_of(source.columns))
        records = list(islice(source.records(), MOST_ROWS + 1))
    except FileRefused as refused:
        raise Invalid(problem_in_words(refused), field="file", code=refused.code) from None
    if len(records) > MOST_ROWS:
        message = gettext("The file has more than 10,000 rows; send it in parts.")
        raise Invalid(message, field="file", code="rows_many")
    rows = [(record.n, reader.read(record)) for record in records]
    _refuse([(n, row) for n, row in rows if isinstance(row, Problem)])
    return [row for _n, row in rows if not isinstance(row, Problem)]


def outputs_by_prompt(rows: Sequence[OutputRow], keys: Mapping[str, int]) -> list[ModelOutput]:
    """The outputs by the prompts that they are of, each once. Raises Invalid for rows of no prompt, or of two minds."""
    prompts, seen, wrong = PromptIndex(keys), dict[tuple[int, str], str](), list[tuple[int, Problem]]()
    for row in rows:
        item = prompts.find(row.prompt)
        if isinstance(item, Problem):
            wrong.append((row.n, item))
            continue
        before = seen.setdefault((item, row.model), row.text)
        if same_hash(before) != same_hash(row.text):
            message = gettext_noop(
                "%(model)s has another output for “%(key)s” already. There: “%(there)s” Here: “%(here)s”"
            )
            named = {"model": excerpt(row.model, 40), "key": excerpt(row.prompt, 40)}
            shown = {"there": excerpt(before), "here": excerpt(row.text)}
            wrong.append((row.n, Problem("output_taken", TEXT, message, {**named, **shown})))
    _refuse(wrong)
    return [ModelOutput(item, model, text) for (item, model), text in seen.items()]


def _refuse(wrong: Sequence[tuple[int, Problem]]) -> None:
    if wrong:
        raise Invalid("\n".join(_lines(wrong)), field="file", code="rows_refused")


def _lines(wrong: Sequence[tuple[int, Problem]]) -> Iterator[str]:
    for n, problem in wrong[:MOST_TOLD]:
        yield gettext("Row %(n)d: %(why)s") % {"n": n, "why": problem_in_words(problem)}
    if more := len(wrong[MOST_TOLD:]):
        yield gettext("… and %(n)d more rows.") % {"n": more}
