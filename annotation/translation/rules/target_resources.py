"""What is known of a target when a translation into it is checked: its languages, word lists, what was learnt."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation.text.length_ratios import Lengths
from annotation.text.letter_trigrams import Letters

Words = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TargetResources:
    """A target as checks read it. `words` is its register's list (word, what it stands for), `others` the lists of
    the language's other registers by their names.

    `lengths` and `letters` were learnt from the target's accepted translations, `other_letters` from those of targets
    in other languages and from the source, each by the language's name.
    """

    source_language: str
    language: str
    register: str = ""
    words: Words = ()
    others: Mapping[str, Words] = field(default_factory=dict)
    lengths: Lengths = field(default_factory=Lengths)
    letters: Letters = field(default_factory=Letters)
    other_letters: Mapping[str, Letters] = field(default_factory=dict)
