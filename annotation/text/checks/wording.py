"""How a hypothesis is worded: one sentence, about its premise, no give-away, no slip (domain.md §4)."""

from collections.abc import Iterator

from annotation.text.checks.base import (
    BLOCK,
    WARN,
    WHOLE_SET,
    Check,
    Hit,
    SetContext,
    SlotText,
)
from annotation.text.checks.examples import example
from annotation.text.common_words import OFTEN_FROM, Often
from annotation.text.gettext import gettext_noop
from annotation.text.sentences import has_several
from annotation.text.tokens import WORD, tokens

CONTRADICTION = "c"
_SHORTEST_ROOT = 4
# Words of one side times words of the other; nothing is said about texts that are longer than any hypothesis.
_MOST_COMPARED = 50_000


def _several_sentences(context: SetContext) -> Iterator[Hit]:
    for slot in context.slots:
        if not slot.one_sentence and has_several(slot.text, context.language):
            yield slot.key, gettext_noop("This looks like more than one sentence."), {}


def _no_shared_word(context: SetContext) -> Iterator[Hit]:
    stopwords, given = context.lists.stopwords, context.about.content
    for slot in context.written:
        if not given.isdisjoint(slot.words):
            continue
        own = set(slot.words) - stopwords
        if given and own and not _related(own, given):
            yield slot.key, gettext_noop("No content word of the source text occurs here."), {}


def _related(own: set[str], given: frozenset[str]) -> bool:
    """Say whether a word is part of one on the other side: affixes hide that two share a root."""
    if len(own) * len(given) > _MOST_COMPARED:
        return True
    return any(
        len(left) >= _SHORTEST_ROOT and len(right) >= _SHORTEST_ROOT and (left in right or right in left)
        for left in own
        for right in given
    )


def _negation_only(context: SetContext) -> Iterator[Hit]:
    negations = context.lists.negations
    denied = [slot for slot in context.written if slot.label == CONTRADICTION]
    if len(denied) < 2 or not all(_negates(slot, negations) for slot in denied):
        return
    yield (
        WHOLE_SET,
        gettext_noop("Every contradiction of this set has a negation word; reword at least one."),
        {},
    )


def _negates(slot: SlotText, negations: frozenset[str]) -> bool:
    return not negations.isdisjoint(tokens(slot.text.replace("’", "'")))


def _near_word(context: SetContext) -> Iterator[Hit]:
    if not context.often:
        return
    often, given = Often.of(context.often), context.about.words
    for slot in context.written:
        for word in dict.fromkeys(slot.words):
            near = None if word in given else often.near(word)
            # A capital letter says that it is a name.
            if near and word in WORD.findall(slot.text):
                message = gettext_noop(
                    "“%(word)s” is one letter away from “%(near)s”, which is used often here."
                )
                yield slot.key, message, {"word": word, "near": near}


_SEVERAL = "Rina membeli tiga ekor ikan. Adiknya ikut pulang naik becak."
_COUNTS = {"pasar": 3, "membeli": OFTEN_FROM, "becak": OFTEN_FROM * 2, "becek": OFTEN_FROM - 1}

SEVERAL_SENTENCES = Check(
    id="several_sentences",
    title=gettext_noop("Several sentences"),
    catches=gettext_noop("A text of two or more sentences, unless its writer says that it is one."),
    level=BLOCK,
    find=_several_sentences,
    good=(
        example(("e", "Rina membeli ikan.")),
        example(SlotText("s1", "e", _SEVERAL, one_sentence=True)),
        example(("n", "Rina membeli ikan di toko milik Dr. Hasan dan H. R. Wijaya di Jl. Melati No. 5.")),
        example(("n", "Rina pergi. Ia membeli ikan.")),
        example(("n", "Rina membeli dua setengah (2.5) kilogram ikan di pasar.")),
    ),
    bad=(
        example(("e", _SEVERAL)),
        example(("e", "Apakah Rina pergi ke pasar? Ia membeli tiga ekor ikan")),
        example(("e", "Rina membeli tiga ekor ikan!\nIa lalu pulang naik becak.")),
    ),
)
NO_SHARED_WORD = Check(
    id="no_shared_word",
    title=gettext_noop("Nothing in common with the source"),
    catches=gettext_noop("A text that shares no content word, nor part of one, with its source."),
    level=WARN,
    find=_no_shared_word,
    good=(
        example(("e", "Ada ikan yang dibeli.")),
        example(("e", "Jalan itu macet."), source="Ia melakukan perjalanan."),
        example(("n", "Itu dia.")),
        example(("n", "Kucing tidur."), source="Ia di sana."),
    ),
    bad=(example(("n", "Gunung berapi meletus kemarin.")), example(("n", "Dia tidak suka kopi."))),
)
NEGATION_ONLY = Check(
    id="negation_only",
    title=gettext_noop("Contradiction by negation alone"),
    catches=gettext_noop("A set in which each contradiction, of two or more, has a negation word."),
    level=WARN,
    find=_negation_only,
    good=(
        example(("c", "Rina tidak membeli ikan."), ("c", "Rina membeli ayam.")),
        example(("c", "Rina tidak membeli ikan."), ("e", "Rina membeli ikan, bukan ayam.")),
        example(("e", "Rina bukan penjual."), ("n", "Rina tidak lelah.")),
    ),
    bad=(
        example(("c", "Rina tidak membeli ikan."), ("c", "Rina bukan pembeli."), ("e", "Rina pulang.")),
        example(("c", "TIDAK ada becak."), ("c", "Adiknya belum pulang."), ("c", "")),
    ),
)
NEAR_WORD = Check(
    id="near_word",
    title=gettext_noop("Perhaps a slip of the pen"),
    catches=gettext_noop("A rare word, no name and not of the source, one edit away from a word often used."),
    level=WARN,
    find=_near_word,
    good=(
        example(("e", "Rina membeli ikan."), often=_COUNTS),
        example(("e", "Rina membeil ikan.")),
        example(("e", "Ikan milik Membelik."), often=_COUNTS),
        example(("e", "Rina membela ikan."), often=_COUNTS, source="Rina membela adiknya."),
        example(("e", "Jalan itu becek."), often=_COUNTS),
    ),
    bad=(
        example(("e", "Rina membeil ikan."), often=_COUNTS),
        example(("e", "Rina naik becakk."), often=_COUNTS),
        example(("e", "Rina membli ikan dan membelli ayam."), often=_COUNTS),
    ),
)
