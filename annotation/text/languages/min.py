"""Minangkabau: how numbers are said."""

from annotation.text.languages.base import Language, NumberWords, listed, valued

LANGUAGE = Language(
    code="min",
    names=("Minangkabau", "Minang"),
    numbers=NumberWords(
        words=valued(
            """
            nol 0 ciek/satu/aso 1 duo/dua 2 tigo/tiga 3 ampek 4 limo/lima 5 anam 6 tujuah 7 salapan/lapan 8 sambilan 9
            sapuluah 10 sabaleh 11 saratuih 100 saribu 1000
            """
        ),
        sizes=valued("puluah 10 ratuih 100 ribu/rb 1000 juta/jt 1000000"),
        teens=listed("baleh"),
    ),
    doubling=True,
)
