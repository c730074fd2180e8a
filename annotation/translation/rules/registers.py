"""How two registers of a language differ, over texts that say the same (LoraxBench §3.5, Table 5).

Pure, and streamed: texts come in pairs, the formal one first, and what is kept grows with the words only.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from sacrebleu import sentence_bleu

from annotation.text.tokens import tokens

WORDS_SHOWN = 25
# Marks that people type for the apostrophe inside a word, such as enja'iya.
_APOSTROPHES = re.compile("[\u2018\u2019\u02bc\u02bb`\u00b4]")


def words_of(text: str) -> list[str]:
    """The words of a text: composed, in lower case, with their inner marks (`wong-wong`, `enja'iya`), no others."""
    plain = _APOSTROPHES.sub("'", unicodedata.normalize("NFC", text))
    return [token for token in tokens(plain) if token[0].isalnum()]


@dataclass(frozen=True)
class Difference:
    """The figures of Table 5: `types` are vocabularies, `bleu` (0 to 100) and `jaccard` means over `texts`.

    `only_formal` and `only_casual` are the most frequent words of one register that the other never uses, with how
    often. `words` count running words. The means are None where there is no text.
    """

    texts: int
    words_formal: int
    words_casual: int
    types_formal: int
    types_casual: int
    types_both: int
    bleu: float | None
    jaccard: float | None
    only_formal: list[tuple[str, int]]
    only_casual: list[tuple[str, int]]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, to be kept."""
        return asdict(self)


@dataclass
class Comparison:
    """Counts pairs of texts as they come. A pair with an empty side is no pair."""

    formal: Counter[str] = field(default_factory=Counter)
    casual: Counter[str] = field(default_factory=Counter)
    texts: int = 0
    bleu: float = 0.0
    jaccard: float = 0.0

    def add(self, formal: str, casual: str) -> None:
        """Compare one pair: sentence BLEU-4 with the formal text as hypothesis and the casual one as reference.

        sacrebleu's defaults: tokeniser 13a, exponential smoothing, effective order. Jaccard: types in both over types
        in either.
        """
        one, other = words_of(formal), words_of(casual)
        if not one or not other:
            return
        self.formal.update(one)
        self.casual.update(other)
        self.texts += 1
        self.bleu += sentence_bleu(formal, [casual]).score
        types, others = set(one), set(other)
        self.jaccard += len(types & others) / len(types | others)

    def difference(self, shown: int = WORDS_SHOWN) -> Difference:
        """Its outcome."""
        formal, casual = self.formal, self.casual
        return Difference(
            texts=self.texts,
            words_formal=formal.total(),
            words_casual=casual.total(),
            types_formal=len(formal),
            types_casual=len(casual),
            types_both=len(formal.keys() & casual.keys()),
            bleu=self.bleu / self.texts if self.texts else None,
            jaccard=self.jaccard / self.texts if self.texts else None,
            only_formal=_words_of_one_side(formal, casual, shown),
            only_casual=_words_of_one_side(casual, formal, shown),
        )


def _words_of_one_side(mine: Counter[str], others: Counter[str], shown: int) -> list[tuple[str, int]]:
    """The most frequent words that the others never use; equally frequent ones in the order of their letters."""
    alone = [(word, n) for word, n in mine.items() if word not in others]
    return sorted(alone, key=lambda pair: (-pair[1], pair[0]))[:shown]
