"""Sundanese, loma and lemes."""

from annotation.rules.languages.base import Language, listed

LANGUAGE = Language(
    code="su",
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
)
