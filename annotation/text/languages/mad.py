"""Madurese: how numbers are said."""

from annotation.text.languages.base import Language, NumberWords, listed, valued

LANGUAGE = Language(
    code="mad",
    names=("Madurese", "Madura"),
    numbers=NumberWords(
        words=valued(
            """
            nol 0 settong/sittung/sèttong 1 dhuwa/duwe/dua 2 tello/tellok 3
            empa/empak 4 lema/lemak 5 ennem 6 petto/pettok 7
            ballu/balluk 8 sanga/sangak 9 sapolo 10 sabellas 11 dubellas 12 saratos 100 saebu 1000
            """
        ),
        sizes=valued("polo 10 ratos 100 ebu/ebuh/ribu/rb 1000 juta/jt 1000000"),
        teens=listed("bellas"),
    ),
    doubling=True,
)
