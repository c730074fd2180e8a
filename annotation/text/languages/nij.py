"""Ngaju: how numbers are said."""

from annotation.text.languages.base import Language, NumberWords, listed, valued

LANGUAGE = Language(
    code="nij",
    names=("Ngaju", "Ngaju Dayak", "Dayak Ngaju"),
    numbers=NumberWords(
        words=valued(
            """
            ije 1 due 2 telu 3 epat 4 lime 5 jahawen 6 uju 7 hanya 8 jalatien/tien 9 sapuluh/sepuluh 10 sawalas 11
            saratus/seratus 100 saribu 1000
            """
        ),
        sizes=valued("puluh 10 ratus 100 ribu/rb 1000 juta/jt 1000000"),
        teens=listed("welas walas belas"),
    ),
    doubling=True,
)
