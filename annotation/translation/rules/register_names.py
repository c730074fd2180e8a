"""Which of several registers of a language is the formal one, by the names that they are known by.

Javanese ngoko and krama, Sundanese loma and lemes, Madurese enja'iya and engghi-ethen (LoraxBench §3.2), Balinese kasar
and alus; and the plain words. A name that is not listed says nothing.
"""

from collections.abc import Sequence

from annotation.translation.rules.target_lines import target_key

_FORMAL = "formal resmi krama kromo krama-inggil krama-alus lemes alus halus engghi-ethen engghi-bhunten"
_CASUAL = "informal casual santai ngoko loma kasar akrab enja-iya enje-iye sehari-hari"
FORMAL, CASUAL = frozenset(_FORMAL.split()), frozenset(_CASUAL.split())


def formal_first(registers: Sequence[str]) -> tuple[int, int]:
    """The places of the formal and the casual one among two or more registers.

    One that is known to be formal and one that is known to be casual, or else no register at all, come first; where
    the names say nothing it is the first two as they stand.
    """
    keys = [target_key("", register) for register in registers]
    places = range(len(keys))
    formal = next((n for n in places if keys[n] in FORMAL), None)
    casual = next((n for n in places if keys[n] in CASUAL), None)
    if casual is None:
        casual = next((n for n in places if n != formal and not keys[n]), None)
    if formal is None:
        formal = next(n for n in places if n != casual)
    if casual is None:
        casual = next(n for n in places if n != formal)
    return formal, casual
