"""`python -m bench.conceptnet FILE [--lines N]`: a made-up file of assertions in ConceptNet's form and proportions.

The same call gives the same bytes (packed where the name ends in .gz). About one line in eight is of a relation that
questions are made from with both ends in one language, as in ConceptNet 5.7; the rest is synonyms, forms, links.
"""

import argparse
import gzip
import random
from collections.abc import Iterator
from pathlib import Path

from annotation.generation.rules.conceptnet import RELATIONS

LANGUAGES = ("en",) * 10 + ("fr",) * 6 + ("de",) * 4 + ("ja",) * 3 + ("zh",) * 2 + ("ru", "pt", "nl", "es", "it")
OTHER_RELATIONS = (
    ("RelatedTo",) * 9 + ("FormOf",) * 9 + ("Synonym",) * 5 + ("DerivedFrom",) * 4 + ("IsA",) * 3 + ("HasContext",) * 2
)
SENSES = ("", "", "", "/n", "/v", "/n/wn/artifact", "/n/wikt/en_1")
SOURCE_JSON = (
    '{"dataset": "/d/conceptnet/4/en", "license": "cc:by/4.0", "sources": [{"activity": "/s/activity/omcs/vote", '
    '"contributor": "/s/contributor/omcs/user%d"}, {"activity": "/s/activity/omcs/omcs1_possibly_free_text", '
    '"contributor": "/s/contributor/omcs/user%d"}], "weight": %d.0}'
)
HAN = "山川木火水金土日月年人口手目耳心車門雨電食飲馬鳥魚犬米糸貝言走足身風空花草虫石田町村国道店駅家"


def term(chance: random.Random, language: str, common: int) -> str:
    """A word of the language, or a few; low numbers come far more often than high ones."""
    n = int(common ** chance.random())
    if language in ("ja", "zh"):
        return "".join(HAN[(n * step + step) % len(HAN)] for step in range(1, 2 + n % 5))
    parts = 1 + (n % 17 > 9) + (n % 29 > 22) + 3 * (n % 97 == 0)
    return "_".join(f"{language}{n % 89:x}word{n + part:x}" for part in range(parts))


def assertions(count: int, seed: int = 1) -> Iterator[str]:
    """So many lines."""
    chance = random.Random(seed)
    for n in range(count):
        language = chance.choice(LANGUAGES)
        other = language if chance.random() < 0.6 else chance.choice(LANGUAGES)
        listed = chance.random() < 0.2
        relation = chance.choice(RELATIONS) if listed else chance.choice(OTHER_RELATIONS)
        start = f"/c/{language}/{term(chance, language, 60_000)}{chance.choice(SENSES)}"
        end = f"/c/{other}/{term(chance, other, 400_000)}{chance.choice(SENSES)}"
        told = SOURCE_JSON % (n % 9973, n % 7919, 1 + n % 5)
        yield f"/a/[/r/{relation}/,{start}/,{end}/]\t/r/{relation}\t{start}\t{end}\t{told}\n"


def write(path: Path, count: int) -> None:
    """Write the file, packed where its name says so."""
    with gzip.open(path, "wb", compresslevel=6) if path.suffix == ".gz" else path.open("wb") as file:
        for line in assertions(count):
            file.write(line.encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--lines", type=int, default=1_000_000)
    given = parser.parse_args()
    write(given.file, given.lines)


if __name__ == "__main__":
    main()
