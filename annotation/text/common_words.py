"""Words often used in a project, and which of them a rare word is one edit away from."""

from collections.abc import Iterator, Mapping

from rapidfuzz.distance import OSA

COMMON_FROM = 20
SHORTEST, LONGEST = 5, 30
MOST_REMEMBERED = 100_000


class CommonWords(Mapping[str, int]):
    """Counts of a project's words in lower case, with an index of near ones: make it once, ask many times.

    A word counts as often used from `least` occurrences on. The index holds each such word with any one letter
    left out, so that asking costs by the length of a word, not by the number of words.
    """

    def __init__(self, counts: Mapping[str, int], least: int = COMMON_FROM) -> None:
        self._counts = dict(counts)
        self._least = least
        self._index: dict[str, list[str]] = {}
        self._asked: dict[str, str | None] = {}
        for word, count in self._counts.items():
            if count >= least and SHORTEST <= len(word) <= LONGEST:
                for form in {word, *_one_letter_shorter(word)}:
                    self._index.setdefault(form, []).append(word)

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "CommonWords":
        """Take counts as they come; those that have their index already keep it."""
        return counts if isinstance(counts, cls) else cls(counts)

    def __getitem__(self, word: str) -> int:
        return self._counts[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def near_word(self, word: str) -> str | None:
        """Find the most used word that is one edit (letter more, less, other, or two swapped) from a rare one.

        A word that is itself used more than once in twenty of the other's uses is nobody's slip.
        """
        if not SHORTEST <= len(word) <= LONGEST:
            return None
        if word not in self._asked:
            if len(self._asked) >= MOST_REMEMBERED:
                self._asked.clear()
            self._asked[word] = self._nearest(word)
        return self._asked[word]

    def _nearest(self, word: str) -> str | None:
        own = self._counts.get(word, 0)
        if own >= self._least:
            return None
        words = {each for form in (word, *_one_letter_shorter(word)) for each in self._index.get(form, ())}
        words.discard(word)
        near = [
            each
            for each in words
            if self._counts[each] >= own * COMMON_FROM and OSA.distance(word, each, score_cutoff=1) <= 1
        ]
        return min(near, key=lambda each: (-self._counts[each], each), default=None)


def _one_letter_shorter(word: str) -> Iterator[str]:
    """Give a word with each of its letters left out in turn."""
    return (word[:place] + word[place + 1 :] for place in range(len(word)))
