"""Sundanese."""

from annotation.generation.rules.recipes.lists.base import LATIN, Lists
from annotation.text.languages.base import listed, phrases

LISTS = Lists(
    code="su",
    aliases=("sun",),
    surface=phrases(
        """
        sabaraha hurup, sabaraha aksara, sabaraha engang, dimimitian ku hurup, dimimitian ku aksara, mimitina hurup,
        tungtungna hurup, pilihan kahiji, pilihan kadua, pilihan katilu, pilihan di luhur, pilihan di handap
        """
    ),
    opinions=phrases(
        "numutkeun anjeun, ceuk anjeun, ceuk maneh, pamanggih anjeun, kumaha pamanggih, karesep anjeun"
    ),
    harmless=phrases("paling sering, paling mindeng, paling umum, paling ilahar"),
    refusals=phrases(
        "salaku modél basa, salaku model basa, salaku ai, hapunten abdi, abdi teu tiasa, kuring teu bisa"
    ),
    offensive=listed(
        "anying belegug bangsat goblog heunceut kanyut kontol lonte palacur porno sundal ewean ngewe"
    ),
    script=LATIN,
)
