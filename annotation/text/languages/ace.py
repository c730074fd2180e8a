"""Acehnese: how numbers are said."""

from annotation.text.languages.base import Language, NumberWords, listed, valued

LANGUAGE = Language(
    code="ace",
    names=("Acehnese", "Aceh"),
    numbers=NumberWords(
        words=valued(
            """
            nol 0 saboh/sa 1 dua 2 lhee 3 peuet 4 limong 5 nam 6 tujoh 7 lapan 8 sikureueng/sikureung 9 siploh/siplôh 10
            siblah 11 sireutoh/seureutoh 100 siribee/seuribee/seuribèe 1000
            """
        ),
        sizes=valued("ploh/plôh 10 reutoh 100 ribee/ribe/ribu/rb 1000 juta/jt 1000000"),
        teens=listed("blah"),
    ),
    doubling=True,
)
