"""How a hypothesis is worded: one sentence, about its premise, no give-away, no slip (domain.md §4)."""

from collections.abc import Iterator

from annotation.text.checks.base import BLOCK, WARN, WHOLE_SET, FindingHit, SetContext, SlotText, check
from annotation.text.common_words import CommonWords
from annotation.text.gettext import gettext_noop
from annotation.text.sentences import has_several
from annotation.text.tokens import WORD, tokens

CONTRADICTION = "c"
_SHORTEST_ROOT = 4
# Words of one side times words of the other; nothing is said about texts that are longer than any hypothesis.
_MOST_COMPARED = 50_000


@check(BLOCK, gettext_noop("Several sentences"))
def several_sentences(context: SetContext) -> Iterator[FindingHit]:
    """A text of two or more sentences, unless its writer says that it is one."""
    for slot in context.slots:
        if not slot.one_sentence and has_several(slot.text, context.language):
            yield slot.key, gettext_noop("This looks like more than one sentence."), {}


@check(WARN, gettext_noop("Nothing in common with the source"))
def no_shared_word(context: SetContext) -> Iterator[FindingHit]:
    """A text that shares no content word, nor part of one, with its source."""
    stopwords, given = context.word_lists.stopwords, context.parsed_source.content_words
    for slot in context.filled_slots:
        if not given.isdisjoint(slot.words):
            continue
        own = set(slot.words) - stopwords
        if given and own and not _related(own, given):
            yield slot.key, gettext_noop("This shares no word with the source text."), {}


def _related(own: set[str], given: frozenset[str]) -> bool:
    """Say whether a word is part of one on the other side: affixes hide that two share a root."""
    if len(own) * len(given) > _MOST_COMPARED:
        return True
    return any(
        len(left) >= _SHORTEST_ROOT and len(right) >= _SHORTEST_ROOT and (left in right or right in left)
        for left in own
        for right in given
    )


@check(WARN, gettext_noop("Contradiction by negation alone"))
def negation_only(context: SetContext) -> Iterator[FindingHit]:
    """A set in which each contradiction, of two or more, has a negation word."""
    negations = context.word_lists.negations
    denied = [slot for slot in context.filled_slots if slot.label == CONTRADICTION]
    if len(denied) < 2 or not all(_negates(slot, negations) for slot in denied):
        return
    yield (
        WHOLE_SET,
        gettext_noop("All your contradictions use a word like “not”. Write at least one without it."),
        {},
    )


def _negates(slot: SlotText, negations: frozenset[str]) -> bool:
    return not negations.isdisjoint(tokens(slot.text.replace("’", "'")))


@check(WARN, gettext_noop("Perhaps a slip of the pen"))
def near_word(context: SetContext) -> Iterator[FindingHit]:
    """A rare word, no name and not of the source, one edit away from a word often used."""
    if not context.word_counts:
        return
    often, given = CommonWords.of(context.word_counts), context.parsed_source.words
    for slot in context.filled_slots:
        for word in dict.fromkeys(slot.words):
            near = None if word in given else often.near_word(word)
            # A capital letter says that it is a name.
            if near and word in WORD.findall(slot.text):
                message = gettext_noop("“%(word)s” is one letter away from “%(near)s”, which is used often here.")
                yield slot.key, message, {"word": word, "near": near}
