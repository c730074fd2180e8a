"""Files of premises and pairs, of concepts and questions, of topics and prompts: opened, cut into records, their
columns guessed, each row read or refused with a reason.

Nothing here knows a database. A file that cannot be read raises `FileRefused`; a row that cannot be stored is a
`Problem` with its row number; no input of any kind raises anything else (design: reliability F30–F36).
"""

from validation.imports.rules.columns import Columns
from validation.imports.rules.pairs import PairRow, PremiseRow, Reader
from validation.imports.rules.problems import FileRefused, Problem
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
    "open_source",
]
