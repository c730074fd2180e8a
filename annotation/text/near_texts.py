"""Texts that are nearly the same: they share a run of three words, and are at least 90 % alike.

Alike is the ratio of equal characters, as Levenshtein's with two for a replacement; texts are compared without
capitals, outer blanks and what is not seen (`key_form`).
"""

from collections import defaultdict
from collections.abc import Iterator

from annotation.text.normalise import key_form

NEAR_PERCENT = 90
RUN_WORDS = 3
# A run of words that more texts share than this is a common phrase, and shows no similarity.
MOST_WITH_RUN = 20


class NearTexts:
    """Texts by their runs of words, numbered from 0 as they were added."""

    def __init__(self) -> None:
        self._forms: list[str] = []
        self._runs: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)

    def add(self, text: str) -> None:
        """Remember a text."""
        form = key_form(text, casefold=True)
        for run in _runs(form):
            self._runs[run].append(len(self._forms))
        self._forms.append(form)

    def near(self, text: str, *, equal: bool = False) -> Iterator[int]:
        """The numbers of texts that are near this one; of equal ones only where `equal` says so."""
        from rapidfuzz import fuzz

        form = key_form(text, casefold=True)
        for place in self._candidates(form):
            other = self._forms[place]
            if other == form:
                if equal:
                    yield place
            elif fuzz.ratio(other, form) >= NEAR_PERCENT:
                yield place

    def _candidates(self, form: str) -> list[int]:
        found: set[int] = set()
        for run in _runs(form):
            places = self._runs.get(run, ())
            if len(places) <= MOST_WITH_RUN:
                found.update(places)
        return sorted(found)


def _runs(form: str) -> set[tuple[str, ...]]:
    words = form.split()
    if len(words) <= RUN_WORDS:
        return {tuple(words)}
    return {tuple(words[at : at + RUN_WORDS]) for at in range(len(words) - RUN_WORDS + 1)}
