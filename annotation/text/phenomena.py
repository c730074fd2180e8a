"""The fifteen phenomenon tags that expert writers put on a pair (IndoNLI Appendix F).

A tag names what a reader has to master to reach the label. The tags and what they cover are the
paper's; definitions and examples are our own.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from annotation.text.gettext import gettext_noop


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


def _tag(code: str, name: str, definition: str) -> Phenomenon:
    example = _EXAMPLES[code]
    return Phenomenon(
        code,
        name,
        definition,
        example["premise"],
        example["hypothesis"],
        example["label"],
        example["premise_gloss"],
        example["hypothesis_gloss"],
    )


PHENOMENA: tuple[Phenomenon, ...] = (
    _tag(
        "MORPH",
        gettext_noop("Word formation"),
        gettext_noop(
            "A word comes back in another form of the same base, often in another word class: "
            "a verb made into a noun, a noun into a verb."
        ),
    ),
    _tag(
        "STRUCT",
        gettext_noop("Sentence structure"),
        gettext_noop(
            "The same participants stand in another build of sentence: active and passive, another "
            "order, or the roles exchanged."
        ),
    ),
    _tag(
        "LSUB",
        gettext_noop("Overlapping words"),
        gettext_noop(
            "The hypothesis is the premise with words left out or put in and its structure kept, so "
            "that likeness alone invites a guess."
        ),
    ),
    _tag(
        "NEG",
        gettext_noop("Negation"),
        gettext_noop("The label hangs on a word that denies, such as tidak, bukan, belum, tanpa or jangan."),
    ),
    _tag(
        "COORD",
        gettext_noop("Coordination"),
        gettext_noop(
            "Parts of a sentence are joined by words such as dan, atau, tetapi, and one has to work out "
            "what the joined whole says of each part."
        ),
    ),
    _tag(
        "QUANT",
        gettext_noop("Quantifiers"),
        gettext_noop(
            "Words for all, some, most or none (semua, setiap, beberapa, kebanyakan, ada) decide how "
            "many things a statement covers."
        ),
    ),
    _tag(
        "COMP",
        gettext_noop("Comparison"),
        gettext_noop("Things are compared by degree or amount: more, less, as much as, the most, the least."),
    ),
    _tag(
        "LEXSEM",
        gettext_noop("Meaning of words"),
        gettext_noop(
            "Two words are related in meaning: the same, opposite, or one a kind of the other, and the "
            "label follows from that relation."
        ),
    ),
    _tag(
        "NUM",
        gettext_noop("Numbers"),
        gettext_noop(
            "Numbers, ranks, shares or sums of money have to be understood, counted or calculated with."
        ),
    ),
    _tag(
        "COREF",
        gettext_noop("Reference"),
        gettext_noop(
            "A pronoun, a name or another phrase points to someone or something named elsewhere, and one "
            "has to find out to whom or what."
        ),
    ),
    _tag(
        "IDIOM",
        gettext_noop("Idioms"),
        gettext_noop("An expression means something else than its words put together."),
    ),
    _tag(
        "SPAT",
        gettext_noop("Space"),
        gettext_noop(
            "Places, directions and positions matter: what is inside, above, near or on the way to what."
        ),
    ),
    _tag(
        "TEMP",
        gettext_noop("Time"),
        gettext_noop(
            "One has to reason about time: what comes first, how long something lasts, when it is "
            "usually done."
        ),
    ),
    _tag(
        "CS",
        gettext_noop("Common sense"),
        gettext_noop(
            "Everyday knowledge that nearly everybody shares, wherever they come from: how things behave, "
            "how people act, what causes what."
        ),
    ),
    _tag(
        "WORLD",
        gettext_noop("World knowledge"),
        gettext_noop(
            "Facts about named places, people, history, culture or a field of work are needed that the "
            "text does not give."
        ),
    ),
)

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
