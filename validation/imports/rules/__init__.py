"""Files of premises and pairs, of concepts and questions, of topics and prompts: opened, cut into records, their
columns guessed, each row read or refused with a reason.

Nothing here knows a database. A file that cannot be read raises `FileRefused`; a row that cannot be stored is a
`Problem` with its row number; no input of any kind raises anything else (design: reliability F30–F36).
"""

from collections.abc import Mapping

from validation.imports.rules.columns import Columns
from validation.imports.rules.pairs import PAIRS, PairRow, PremiseRow, Reader
from validation.imports.rules.problems import FileRefused, Problem
from validation.imports.rules.prompts import PROMPTS
from validation.imports.rules.questions import QUESTIONS
from validation.imports.rules.records import Record, Source, open_source

__all__ = [
    "Columns",
    "FileRefused",
    "PairRow",
    "PremiseRow",
    "Problem",
    "Reader",
    "Record",
    "Source",
    "columns_of",
    "open_source",
]

_BY_FORM: Mapping[str, Columns] = {"pair": PAIRS, "qa": QUESTIONS, "prompts": PROMPTS}


def columns_of(form: str) -> Columns:
    """The fields that a file of this form (`Kind.file_form`) can hold."""
    return _BY_FORM[form]
