"""What is known of a target when a translation into it is checked: its languages, word lists, what was learnt."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Words = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Lore:
    """A target as checks read it. `words` is its register's list (word, what it stands for), `others` the lists of
    the language's other registers by their names.
    """

    source_language: str
    language: str
    register: str = ""
    words: Words = ()
    others: Mapping[str, Words] = field(default_factory=dict)
