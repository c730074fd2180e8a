"""What is known of a target when a translation into it is checked, and which checks say nothing of it yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation.text import length_ratios as lengths
from annotation.text import letter_trigrams as letters
from annotation.text.gettext import gettext_noop as _
from annotation.text.languages import get
from annotation.text.length_ratios import LengthStatistics
from annotation.text.letter_trigrams import LetterStatistics

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
    lengths: LengthStatistics = field(default_factory=LengthStatistics)
    letters: LetterStatistics = field(default_factory=LetterStatistics)
    other_letters: Mapping[str, LetterStatistics] = field(default_factory=dict)


FEW_ROWS, FEW_TEXTS, NOTHING_ELSE = "few_rows", "few_texts", "nothing_else"
NO_WORDS, NUMERALS_ONLY = "no_words", "numerals_only"
SILENCE_REASONS: Mapping[str, str] = {
    FEW_ROWS: _("Lengths are compared from %(least)s accepted texts on; there are %(have)s."),
    FEW_TEXTS: _("The check for another language works from %(least)s accepted texts on; there are %(have)s."),
    NOTHING_ELSE: _("The check for another language works once there are %(least)s texts of another one."),
    NO_WORDS: _("No other register of this language has a word list, so none of their words is found."),
    NUMERALS_ONLY: _("Words for numbers are not known in this language: a number that is written out is warned of."),
}


@dataclass(frozen=True)
class SilentCheck:
    """A check that cannot speak of a target, or not fully; `reason` is one of `SILENCE_REASONS`."""

    check: str
    reason: str
    params: Mapping[str, object] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What to say, to be translated and filled with `params`."""
        return SILENCE_REASONS[self.reason]


def silent_checks(resources: TargetResources) -> list[SilentCheck]:
    """Say which checks are silent about translations into this target."""
    silences = []
    if resources.lengths.rows < lengths.LEAST_ROWS:
        params = {"have": resources.lengths.rows, "least": lengths.LEAST_ROWS}
        silences.append(SilentCheck("length_unusual", FEW_ROWS, params))
    if not resources.letters.has_enough_texts:
        params = {"have": resources.letters.texts, "least": letters.LEAST_TEXTS}
        silences.append(SilentCheck("other_language", FEW_TEXTS, params))
    elif not any(other.has_enough_texts for other in resources.other_letters.values()):
        silences.append(SilentCheck("other_language", NOTHING_ELSE, {"least": letters.LEAST_TEXTS}))
    if resources.others and not any(resources.others.values()):
        silences.append(SilentCheck("other_register", NO_WORDS))
    if get(resources.language).numbers is None:
        silences.append(SilentCheck("numbers_differ", NUMERALS_ONLY))
    return silences
