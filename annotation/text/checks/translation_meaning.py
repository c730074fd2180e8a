"""A translation and its source: the same numbers and placeholders, a usual length, answers in the passage."""

from collections.abc import Iterator

from annotation.text import numbers
from annotation.text.checks.base import WARN, FieldHit, FieldPair, SetContext, check, each_field
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form
from annotation.text.placeholders import placeholders, without_placeholders

LENGTH_LIMIT = 3.5


@check(WARN, gettext_noop("Other numbers than the source"))
@each_field
def numbers_differ(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """Numbers that stand on one side only. A number in words counts where the language's are known, unless numerals
    have to stay numerals (`numerals_stay`).
    """
    stay = context.settings.get("numerals_stay") is True
    texts = without_placeholders(pair.source), without_placeholders(pair.text)
    difference = numbers.compare(*texts, (context.source_language, context.language), stay=stay)
    missing, added = ", ".join(difference.missing), ", ".join(difference.added)
    if missing and added:
        message = gettext_noop("The source has %(missing)s where this text has %(added)s.")
        yield message, {"missing": missing, "added": added}
    elif missing:
        yield gettext_noop("The source has %(missing)s, this text has not."), {"missing": missing}
    elif added:
        yield gettext_noop("This text has %(added)s, the source has not."), {"added": added}
    if difference.in_words:
        message = gettext_noop("Numerals stay numerals here: %(numbers)s is written out.")
        yield message, {"numbers": ", ".join(difference.in_words)}


@check(WARN, gettext_noop("A placeholder is missing or new"))
@each_field
def placeholders_differ(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """Parts like {name}, %s, [URL], <b> and addresses that stand on one side only."""
    theirs, mine = placeholders(pair.source), placeholders(pair.text)
    lost, new = sorted((theirs - mine).elements()), sorted((mine - theirs).elements())
    if lost:
        message = gettext_noop("The source has %(missing)s, this text has not: it stays as it is.")
        yield message, {"missing": ", ".join(lost)}
    elif new:
        yield gettext_noop("This text has %(added)s, the source has not."), {"added": ", ".join(new)}


@check(WARN, gettext_noop("Unusual length"))
@each_field
def length_unusual(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """A text much longer or shorter than translations of this pair of languages usually are, by a robust z-score
    (`length_limit`). Silent below 30 accepted texts.
    """
    setting = context.settings.get("length_limit", LENGTH_LIMIT)
    limit = float(setting) if isinstance(setting, (int, float)) else LENGTH_LIMIT
    if context.resources is None or not limit:
        return
    score = context.resources.lengths.score(pair.role, pair.source, pair.text)
    if score is None or abs(score) <= limit:
        return
    if score > 0:
        message = gettext_noop("This is unusually long for its source: is there something added?")
    else:
        message = gettext_noop("This is unusually short for its source: is there something missing?")
    yield message, {"score": round(score, 1)}


@check(WARN, gettext_noop("The answer is not in the passage"))
@each_field
def answer_not_in_passage(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """An answer that is no part of the translated passage, letter by letter. The form has a tool to mark it there."""
    if pair.contained_in and pair.contained_in.strip() and key_form(pair.text) not in key_form(pair.contained_in):
        message = gettext_noop("The translated passage does not contain the answer letter by letter: mark it there.")
        yield message, {}
