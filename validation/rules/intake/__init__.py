"""Files of premises and pairs: opened, cut into records, their columns guessed, each row read or refused with a reason.

Nothing here knows a database. A file that cannot be read raises `FileRefused`; a row that cannot be stored is a
`Problem` with its row number; no input of any kind raises anything else (design: reliability F30–F36).
"""

from .columns import FIELDS, guess_mapping, read_map
from .problems import FileRefused, Problem
from .records import Record, Source, open_source
from .rowshape import PairRow, PremiseRow, Reader

__all__ = [
    "FIELDS",
    "FileRefused",
    "PairRow",
    "PremiseRow",
    "Problem",
    "Reader",
    "Record",
    "Source",
    "guess_mapping",
    "open_source",
    "read_map",
]
