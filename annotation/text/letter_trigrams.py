"""Which language a text looks like, by its letters in threes, learnt from texts that people accepted (domain.md §7).

Languages of one family differ in few words, and a recogniser that knows the large ones calls most of the small ones by
their neighbour's name. Here a project's own accepted texts are all that is known: of each target, and of the source.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from sys import intern
from typing import Any

from annotation.text.tokens import IN_WORD, WORD

LEAST_TEXTS = 200
LEAST_WORDS = 6
# What a model keeps, and what an unseen three counts for.
MOST_KEPT = 6000
SMOOTHING = 0.3
# How much likelier, in nats for each three letters, a text has to be in another language before anything is said.
MARGIN = 0.1
_NO_LETTER = re.compile(rf"(?:[\d_]|[^{IN_WORD}])+")


@dataclass(frozen=True)
class LetterStatistics:
    """How often each three letters stand in a language's texts; learnt from `texts` of them."""

    texts: int = 0
    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def has_enough_texts(self) -> bool:
        """Whether it was learnt from enough to say something."""
        return self.texts >= LEAST_TEXTS

    def to_json(self) -> dict[str, Any]:
        """As a row keeps it."""
        return {"texts": self.texts, "total": self.total, "counts": dict(self.counts)}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "LetterStatistics":
        """Read what `to_json` gave."""
        return cls(int(raw["texts"]), int(raw["total"]), {intern(str(k)): int(n) for k, n in raw["counts"].items()})

    def likelihood(self, threes: Counter[str]) -> float:
        """The mean logarithm of how likely these threes are here."""
        logs, unseen = self._logs, log(SMOOTHING)
        rest = log(self.total + SMOOTHING * MOST_KEPT)
        return sum(n * logs.get(each, unseen) for each, n in threes.items()) / threes.total() - rest

    @cached_property
    def _logs(self) -> dict[str, float]:
        """Made once a process: a text is held against every language of the project while somebody types."""
        return {each: log(n + SMOOTHING) for each, n in self.counts.items()}


def trigrams_of(text: str) -> Iterator[str]:
    """Each three letters in a row, in lower case; a blank stands for whatever is between words."""
    plain = f" {_NO_LETTER.sub(' ', text.lower()).strip()} "
    return (plain[place : place + 3] for place in range(len(plain) - 2))


def learn_letters(texts: Iterable[str]) -> LetterStatistics:
    """Learn a language from texts; those without a letter teach nothing and do not count."""
    counts, read = Counter[str](), 0
    for text in texts:
        threes = [each for each in trigrams_of(text) if not each.isspace()]
        counts.update(threes)
        read += bool(threes)
    # The same texts give the same model: equal counts are kept in the order of their letters.
    kept = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:MOST_KEPT]
    return LetterStatistics(read, counts.total(), dict(kept))


def likelier_language(text: str, own: LetterStatistics, others: Mapping[str, LetterStatistics]) -> str:
    """The name of another language that the text is likelier to be of; empty where nothing can be said.

    Silent where a language was learnt from too few texts, or the text has too few words.
    """
    if not own.has_enough_texts or len(WORD.findall(text)) < LEAST_WORDS:
        return ""
    threes = Counter(trigrams_of(text))
    mine = own.likelihood(threes)
    likely = [(other.likelihood(threes) - mine, name) for name, other in others.items() if other.has_enough_texts]
    best, name = max(likely, default=(0.0, ""))
    return name if best > MARGIN else ""
