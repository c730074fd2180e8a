"""Banjarese: how numbers are said."""

from annotation.text.languages.base import Language, NumberWords, listed, valued

LANGUAGE = Language(
    code="bjn",
    names=("Banjarese", "Banjar"),
    numbers=NumberWords(
        words=valued(
            """
            nol 0 asa/satu/suatu 1 dua 2 talu/tiga 3 ampat 4 lima 5 anam 6 pitu/tujuh 7 walu/dalapan 8 sanga/sambilan 9
            sapuluh 10 sabalas 11 saratus 100 saribu 1000
            """
        ),
        sizes=valued("puluh 10 ratus 100 ribu/rb 1000 juta/jt 1000000"),
        teens=listed("balas"),
    ),
    doubling=True,
)
