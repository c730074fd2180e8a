"""Registers: the figures of LoraxBench's Table 5, on words of our own and on COPAL's two registers."""

import csv
import math
import re
from collections import Counter

import pytest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from annotation.translation.rules.registers import Comparison, words_of
from tests.data import DATA, needs_data


def compared(*pairs: tuple[str, str]) -> Comparison:
    found = Comparison()
    for formal, casual in pairs:
        found.add(formal, casual)
    return found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Kula badhé tindak.", ["kula", "badhé", "tindak"]),
        ("Wong-wong Enja’Iya, enja'iya!", ["wong-wong", "enja'iya", "enja'iya"]),
        ("Rp 1.500,00 (?) _ __", ["rp", "1.500,00"]),
        ("te\u0301h", ["téh"]),
        (" … ", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_figures_over_parallel_texts() -> None:
    found = compared(
        ("Kula nedha sekul", "Aku mangan sega"), ("Kula tuku sega", "Aku tuku sega"), ("", "Ora")
    ).difference()
    assert (found.texts, found.words_formal, found.words_casual) == (2, 6, 6)
    assert (found.types_formal, found.types_casual, found.types_both) == (5, 4, 2)
    assert found.jaccard == pytest.approx((0 + 2 / 4) / 2)
    assert found.only_formal == [("kula", 2), ("nedha", 1), ("sekul", 1)]
    assert found.only_casual == [("aku", 2), ("mangan", 1)]
    assert compared(("Kula", "Aku")).difference(0).only_formal == []


def test_what_is_equal_and_what_is_nothing() -> None:
    same = compared(("Ibu tindak peken enjing.", "Ibu tindak peken enjing.")).difference()
    assert same.bleu == pytest.approx(100)
    assert same.jaccard == 1
    none = compared().difference()
    assert (none.texts, none.bleu, none.jaccard) == (0, None, None)


# --- an independent computation -------------------------------------------------------------


def bleu(hypothesis: str, reference: str) -> float:
    """Sentence BLEU-4 from its definition, over sacrebleu's tokens: effective order, exponential smoothing."""
    one, other = (Tokenizer13a()(text.strip()).split() for text in (hypothesis, reference))
    logs, halved = [], 1.0
    for n in range(1, min(4, len(one)) + 1):
        mine, theirs = (Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1)) for words in (one, other))
        right = sum((mine & theirs).values())
        if not right:
            halved *= 2
        logs.append(math.log((right or 1 / halved) / mine.total()))
    if not (set(one) & set(other)):
        return 0.0
    brevity = 1.0 if len(one) > len(other) else math.exp(1 - len(other) / len(one))
    return 100 * brevity * math.exp(sum(logs) / len(logs))


def copal() -> list[tuple[str, str]]:
    standard, colloquial = (read(name) for name in ("test_copal.csv", "test_copal_colloquial.csv"))
    return [
        (one[field], other[field])
        for one, other in zip(standard, colloquial, strict=True)
        for field in ("premise", "choice1", "choice2")
    ]


def read(name: str) -> list[dict[str, str]]:
    with (DATA / "copal" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@needs_data
def test_copal_in_its_two_registers() -> None:
    pairs = copal()
    found = compared(*pairs).difference()
    plain = [[set(re.findall(r"\w+(?:[-.,/']\w+)*", text.lower())) for text in pair] for pair in pairs]
    formal, casual = set().union(*(one for one, _ in plain)), set().union(*(other for _, other in plain))
    assert found.texts == len(pairs) == 1677
    assert (found.types_formal, found.types_casual) == (len(formal), len(casual)) == (2509, 2938)
    assert found.types_both == len(formal & casual) == 1584
    jaccard = sum(len(one & other) / len(one | other) for one, other in plain) / len(plain)
    assert found.jaccard == pytest.approx(jaccard)
    assert round(jaccard, 4) == 0.3576
    mean = sum(bleu(one, other) for one, other in pairs) / len(pairs)
    assert found.bleu == pytest.approx(mean)
    assert round(mean, 3) == 18.671
    assert found.only_formal[:3] == [("tidak", 67), ("sedang", 63), ("tersebut", 49)]
    assert [word for word, _ in found.only_casual[:3]] == ["org", "pake", "gue"]
