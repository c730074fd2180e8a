"""Kalahi's CSV, byte for byte as published: its eight columns, CRLF between lines and none behind the last one.

Cells are quoted only where they must be (RFC 4180), responses are separated by `;`. Cells stand as they are: nothing
is put before those that a spreadsheet would take for a formula, or the bytes would not be the published ones.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.core.rules.draws import order
from annotation.elicitation.rules.prompts import PromptFault, read_id
from annotation.elicitation.rules.responses import (
    BEST,
    IRRELEVANT,
    RELEVANT,
    CellFault,
    Response,
    read_cell,
    write_cell,
)
from annotation.text.gettext import gettext_noop

COLUMNS = (
    "prompt_variation_id",
    "prompt_id",
    "category",
    "topic",
    "prompt",
    "best_answer",
    "relevant_answers",
    "irrelevant_answers",
)
LISTS = ("relevant_answers", "irrelevant_answers")
NEWLINE = "\r\n"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MESSAGES: Mapping[str, str] = {
    "csv_utf8": gettext_noop("The file is not in UTF-8."),
    "csv_columns": gettext_noop("The first line has to be the columns %(columns)s, in this order."),
    "csv_quotes": gettext_noop("This row cannot be read: its quotes do not come out even, or a cell is too long."),
    "csv_cells": gettext_noop("This row has %(cells)d cells; %(needed)d are needed."),
    "csv_storable": gettext_noop("A text of this row cannot be written in UTF-8."),
    "best_missing": gettext_noop("The best response is not among the relevant ones."),
    "best_not_one": gettext_noop("%(n)d responses are marked as the best; this format has exactly one."),
    "responses_many": gettext_noop("There are %(n)d responses; at most %(most)d are taken."),
}


class CsvFault(ValueError):
    """Why a row is not read or written: its number (the header is 0), field, and a code with its parameters.

    `message` is an English source string for gettext, to be filled with `params` after translation.
    """

    def __init__(self, row: int, field: str, code: str, message: str, **params: object) -> None:
        self.row, self.field, self.code, self.message, self.params = row, field, code, message, params
        super().__init__(f"row {row}{', ' + field if field else ''}: {message % params}")


def _fault(code: str, row: int, field: str = "", **params: object) -> CsvFault:
    return CsvFault(row, field, code, MESSAGES[code], **params)


class KalahiRow(NamedTuple):
    """One prompt as a row: the columns of the published file, the answers as lists."""

    prompt_variation_id: str
    prompt_id: str
    category: str
    topic: str
    prompt: str
    best_answer: str
    relevant_answers: tuple[str, ...]
    irrelevant_answers: tuple[str, ...]


def write(rows: Iterable[KalahiRow]) -> bytes:
    """Give the file's bytes; `read` gives the same rows again. Raises CsvFault for a row that it could not hold."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=NEWLINE)
    writer.writerow(COLUMNS)
    for number, row in enumerate(rows, 1):
        cells = [_cell(number, name, value) if name in LISTS else value for name, value in row._asdict().items()]
        try:
            "".join(cells).encode()
        except UnicodeEncodeError:
            raise _fault("csv_storable", number) from None
        writer.writerow(cells)
    return text.getvalue().removesuffix(NEWLINE).encode()


def _cell(number: int, field: str, texts: Sequence[str]) -> str:
    try:
        return write_cell(texts)
    except CellFault as fault:
        raise CsvFault(number, field, fault.code, fault.message, **fault.params) from None


def read(data: bytes) -> list[KalahiRow]:
    """Read the file's rows, texts as they are. Raises CsvFault with the row's number and field."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _fault("csv_utf8", 0) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[KalahiRow] = []
    number = -1
    try:
        if tuple(next(reader, ())) != COLUMNS:
            raise _fault("csv_columns", 0, columns=", ".join(COLUMNS))
        number = 0
        for number, cells in enumerate(reader, 1):
            rows.append(_row(number, cells))
    except csv.Error:
        raise _fault("csv_quotes", number + 1) from None
    return rows


def _row(number: int, cells: Sequence[str]) -> KalahiRow:
    if len(cells) != len(COLUMNS):
        raise _fault("csv_cells", number, cells=len(cells), needed=len(COLUMNS))
    lists: list[tuple[str, ...]] = []
    for name, cell in zip(LISTS, cells[-len(LISTS) :], strict=True):
        try:
            lists.append(read_cell(cell))
        except CellFault as fault:
            raise CsvFault(number, name, fault.code, fault.message, **fault.params) from None
    variation_id, prompt_id, category, topic, prompt, best = cells[: -len(LISTS)]
    return KalahiRow(variation_id, prompt_id, category, topic, prompt, best, *lists)


def responses_of(row: KalahiRow, number: int = 0) -> tuple[Response, ...]:
    """Give a row's responses in its order: relevant, then irrelevant, with stable keys. Raises CsvFault.

    Keys are letters in an order drawn by the row's id, so that a key tells nobody what its response is.
    """
    if row.best_answer not in row.relevant_answers:
        raise _fault("best_missing", number, "best_answer")
    texts = (*row.relevant_answers, *row.irrelevant_answers)
    if len(texts) > len(LETTERS):
        raise _fault("responses_many", number, n=len(texts), most=len(LETTERS))
    best = row.relevant_answers.index(row.best_answer)
    places = [str(place) for place in range(len(texts))]
    drawn = order(row.prompt_variation_id, "response-key", places)
    keys = {int(place): letter for place, letter in zip(drawn, LETTERS, strict=False)}
    roles = [RELEVANT] * len(row.relevant_answers) + [IRRELEVANT] * len(row.irrelevant_answers)
    roles[best] = BEST
    return tuple(Response(keys[place], text, role) for place, (text, role) in enumerate(zip(texts, roles, strict=True)))


def row_of(
    variation_id: str, category: str, topic: str, prompt: str, responses: Sequence[Response], number: int = 0
) -> KalahiRow:
    """Make a row of a prompt; the best response stands among the relevant ones too. Raises CsvFault."""
    best = [each.text for each in responses if each.role == BEST]
    if len(best) != 1:
        raise _fault("best_not_one", number, "best_answer", n=len(best))
    try:
        prompt_id = read_id(variation_id).prompt_id
    except PromptFault as fault:
        raise CsvFault(number, COLUMNS[0], fault.code, fault.message, **fault.params) from None
    return KalahiRow(
        variation_id,
        prompt_id,
        category,
        topic,
        prompt,
        best[0],
        tuple(each.text for each in responses if each.is_relevant),
        tuple(each.text for each in responses if not each.is_relevant),
    )
