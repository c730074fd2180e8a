"""Buginese: how numbers are said."""

from annotation.text.languages.base import Language, NumberWords, valued

LANGUAGE = Language(
    code="bug",
    names=("Buginese", "Bugis"),
    numbers=NumberWords(
        words=valued(
            """
            nolo 0 seddi/sedi/siddi 1 dua 2 tellu 3 eppa 4 lima 5 enneng/enneg 6 pitu 7 arua/aruwa 8 asera 9 seppulo 10
            siratu 100 sisebbu 1000
            """
        ),
        sizes=valued("pulo 10 ratu 100 sebbu/ribu/rb 1000 juta/jt 1000000"),
    ),
    doubling=True,
)
