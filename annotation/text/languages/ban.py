"""Balinese, low and high: how numbers are said."""

from annotation.text.languages.base import Language, NumberWords, listed, valued

LANGUAGE = Language(
    code="ban",
    names=("Balinese", "Bali"),
    numbers=NumberWords(
        words=valued(
            """
            nol 0 besik/siki/abesik/asiki 1 dua/dadua/kalih/kekalih 2 telu/tetelu/telung/tiga/tigang 3
            papat/pat/petang 4
            lima/limang 5 nem/nenem/enem 6 pitu/pitung/pepitu 7 kutus/ulung/akutus 8 sia/asia/sangang 9 adasa 10
            solas 11 roras 12 telulas 13 patbelas 14 limolas 15 nembelas 16 pitulas 17 plekutus 18 siangolas 19
            duang/pindo 2 satus 100 siu 1000
            """
        ),
        sizes=valued("dasa/puluh 10 atus 100 tali/ribu/rb 1000 yuta/juta/jt 1000000"),
        teens=listed("las"),
    ),
    doubling=True,
)
