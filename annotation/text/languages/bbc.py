"""Toba Batak: how numbers are said."""

from annotation.text.languages.base import Language, NumberWords, valued

LANGUAGE = Language(
    code="bbc",
    names=("Toba Batak", "Batak Toba", "Toba"),
    numbers=NumberWords(
        words=valued(
            """
            sada 1 dua 2 tolu 3 opat 4 lima 5 onom 6 pitu 7 ualu 8 sia 9 sampulu 10 saratus 100 saribu 1000
            """
        ),
        sizes=valued("pulu 10 ratus 100 ribu/rb 1000 juta/jt 1000000"),
    ),
    doubling=True,
)
