"""Sundanese, loma and lemes."""

from annotation.text.languages.base import (
    VOWELS,
    Affixes,
    Language,
    NumberWords,
    Prefix,
    listed,
    phrases,
    valued,
)

# The nasal swallows k, p, b, t, c and s before a vowel (ngirim, maca, nulis, nyokot, nyapu); others take nga-.
_NASAL = tuple(
    Prefix(head + spelled, VOWELS, restored)
    for head in ("", "pa")
    for spelled, restored in (
        ("ng", ""),
        ("ng", "k"),
        ("ny", "c"),
        ("ny", "s"),
        ("n", "t"),
        ("m", "p"),
        ("m", "b"),
    )
)
_AFFIXES = Affixes(
    prefixes=(
        *_NASAL,
        Prefix("nga", tuple("bcdfghjklmnprswyz")),
        Prefix("nge"),
        Prefix("pam", ("b",)),
        Prefix("pan", ("d", "j")),
        *(
            Prefix(spelled)
            for spelled in (
                "ba",
                "di",
                "ka",
                "mang",
                "mi",
                "pa",
                "pang",
                "per",
                "pi",
                "sa",
                "si",
                "ti",
                "ting",
            )
        ),
    ),
    suffixes=(("na", "ana", "ning", "ing"), ("keun", "eun"), ("an",)),
    circumfixes=(("pang", "na"), ("sa", "na"), ("ka", "an"), ("pa", "an")),
    infixes=("ar", "al", "um", "in"),
    doubled="aeiou",
)
# pang-…-na is also how nouns in pang- are possessed (pangaruhna, pangalamanana), hence adjectives by name.
_ADJECTIVES = """
    ageung alit alus amis anom anyar awon badag beunghar beurat bodo deukeut gancang gedé geulis goréng hadé haneut
    handap hampang heubeul heula heureut jangkung jauh jero kahot kaceluk kasohor kasep kawentar kolot kuat lada
    lega lemah leutik lila loba luhur mahal mimiti murah ngeunah ngora ngetop panas panjang pendék penting pinter
    pondok populér punjul raos ramé resep rubak saé saeutik sepuh seueur séhat tiis unggul wangi
"""

LANGUAGE = Language(
    code="su",
    names=("Sundanese", "Sunda"),
    aliases=("sun",),
    abbreviations=listed(
        "jsb jst dr drs dra drg ir prof h hj kh r rd rh tn ny sdr jl jln gg no nmr thn kab kec pt cv hlm vol"
    ),
    stopwords=listed(
        """
        jeung sareng sarta atawa atanapi tapi nanging sedengkeun bari nalika waktu
        di ka ti tina kana dina pikeun keur kanggo ku ngeunaan antara nepi dugi saprak salila saméméh sateuacan
        saméntara sanggeus saparantos sabada lantaran sabab alatan kusabab margi supados supaya lamun upami mun
        sanajan najan sanaos yén saperti siga sapertos nurutkeun tanpa
        ieu éta eta dieu dinya ditu kieu kitu
        kuring abdi simkuring urang maneh manéh anjeun anjeunna manéhna manehna maranéhna aranjeunna
        nu anu téh teh mah téa oge ogé deui baé wae wé waé pisan leuwih langkung paling rada ngan mung
        nyaéta nyaeta mangrupa aya jadi janten bakal bade badé geus tos parantos keur nuju masih
        bisa tiasa kudu kedah hayang hoyong
        henteu teu lain sanés sanes tara moal acan tacan ulah entong
        naon saha mana iraha kunaon kumaha sabaraha
        kabéh kabeh sadaya unggal saban sababaraha loba seueur saeutik hiji salah séjén sejen lianna
        """
    ),
    negations=listed(
        "henteu hanteu teu lain lainna sanés sanes tara moal acan tacan ulah entong tanpa embung alim"
    ),
    affixes=_AFFIXES,
    folds={"é": "e", "è": "e"},
    superlatives=listed("paling")
    | {f"{pang}{adjective}na" for pang in ("pang", "pang-", "pang ") for adjective in _ADJECTIVES.split()},
    everywhere=phrases(
        "di dunya, di sakuliah dunya, sakuliah dunya, di sakumna dunya, di sadunya, sadunya, di alam dunya, sajagat"
    ),
    harmless=phrases(
        """
        paling henteu, di dunya atikan, di dunya bisnis, di dunya gaib, di dunya gawé, di dunya hiburan,
        di dunya maya, di dunya nyata, di dunya pawayangan, di dunya pendidikan, di dunya usaha
        """
    ),
    numbers=NumberWords(
        words=valued(
            """
            enol/nol 0 hiji/sahiji 1 dua/duaan 2 tilu 3 opat 4 lima 5 genep 6 tujuh 7 dalapan 8 salapan 9
            sapuluh 10 sabelas 11 saratus 100 sarebu/saribu 1000
            """
        ),
        sizes=valued("puluh 10 ratus 100 rebu/ribu/rb 1000 juta/jt 1000000 miliar/milyar 1000000000"),
        teens=listed("belas welas"),
    ),
    doubling=True,
)
