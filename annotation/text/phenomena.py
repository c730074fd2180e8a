"""The fifteen phenomenon tags that expert writers put on a pair (IndoNLI Appendix F).

A tag names what a reader has to master to reach the label. The tags and what they cover are the
paper's; definitions and examples are our own.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from annotation.text.gettext import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Phenomenon:
    """One tag: its code, name and definition, and an Indonesian pair with its label (e, n, c).

    The examples are in the language of the data; ``premise_gloss`` and ``hypothesis_gloss`` say
    them in English.
    """

    code: str
    name: str
    definition: str
    example_premise: str
    example_hypothesis: str
    example_label: Literal["e", "n", "c"]
    premise_gloss: str
    hypothesis_gloss: str


ALIASES = {"SEMLEX": "LEXSEM"}

_EXAMPLES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


_TAGS: Mapping[str, tuple[str, str]] = {
    "MORPH": (
        _("Word formation"),
        _(
            "A word comes back in another form of the same base, often in another word class: a verb made into a "
            "noun, a noun into a verb."
        ),
    ),
    "STRUCT": (
        _("Sentence structure"),
        _(
            "The same participants stand in another build of sentence: active and passive, another order, or the "
            "roles exchanged."
        ),
    ),
    "LSUB": (
        _("Overlapping words"),
        _(
            "The hypothesis is the premise with words left out or put in and its structure kept, so that likeness "
            "alone invites a guess."
        ),
    ),
    "NEG": (
        _("Negation"),
        _("The label hangs on a word that denies, such as tidak, bukan, belum, tanpa or jangan."),
    ),
    "COORD": (
        _("Coordination"),
        _(
            "Parts of a sentence are joined by words such as dan, atau, tetapi, and one has to work out what the "
            "joined whole says of each part."
        ),
    ),
    "QUANT": (
        _("Quantifiers"),
        _(
            "Words for all, some, most or none (semua, setiap, beberapa, kebanyakan, ada) decide how many things "
            "a statement covers."
        ),
    ),
    "COMP": (
        _("Comparison"),
        _("Things are compared by degree or amount: more, less, as much as, the most, the least."),
    ),
    "LEXSEM": (
        _("Meaning of words"),
        _(
            "Two words are related in meaning: the same, opposite, or one a kind of the other, and the label "
            "follows from that relation."
        ),
    ),
    "NUM": (
        _("Numbers"),
        _("Numbers, ranks, shares or sums of money have to be understood, counted or calculated with."),
    ),
    "COREF": (
        _("Reference"),
        _(
            "A pronoun, a name or another phrase points to someone or something named elsewhere, and one has to "
            "find out to whom or what."
        ),
    ),
    "IDIOM": (
        _("Idioms"),
        _("An expression means something else than its words put together."),
    ),
    "SPAT": (
        _("Space"),
        _("Places, directions and positions matter: what is inside, above, near or on the way to what."),
    ),
    "TEMP": (
        _("Time"),
        _("One has to reason about time: what comes first, how long something lasts, when it is usually done."),
    ),
    "CS": (
        _("Common sense"),
        _(
            "Everyday knowledge that nearly everybody shares, wherever they come from: how things behave, how "
            "people act, what causes what."
        ),
    ),
    "WORLD": (
        _("World knowledge"),
        _(
            "Facts about named places, people, history, culture or a field of work are needed that the text does "
            "not give."
        ),
    ),
}
PHENOMENA = tuple(Phenomenon(code, *words, **_EXAMPLES[code]) for code, words in _TAGS.items())

_BY_CODE = {phenomenon.code: phenomenon for phenomenon in PHENOMENA}
_ORDER = {phenomenon.code: place for place, phenomenon in enumerate(PHENOMENA)}


def get(code: str) -> Phenomenon:
    """The phenomenon of this code in any case, ``SEMLEX`` included. Raises KeyError for another code."""
    key = code.strip().upper()
    try:
        return _BY_CODE[ALIASES.get(key, key)]
    except KeyError:
        raise KeyError(f"no phenomenon {code!r}") from None


def canonical(codes: Iterable[str]) -> tuple[str, ...]:
    """These codes as they are stored: aliases resolved, each once, in the order of PHENOMENA.

    Raises KeyError for a code that is none of the fifteen.
    """
    return tuple(sorted({get(code).code for code in codes}, key=_ORDER.__getitem__))
