"""Whether a set is whole: every text there, as many as asked for, short enough, tagged where tags are asked."""

from collections.abc import Iterator

from annotation.text.checks.base import BLOCK, WHOLE_SET, FindingHit, SetContext, check
from annotation.text.gettext import gettext_noop
from annotation.text.tokens import WORD

MOST_CHARACTERS = 4_000
_TOO_MANY_CHARACTERS = gettext_noop("This text has %(count)s characters; at most %(most)s are taken.")


@check(BLOCK, gettext_noop("Nothing written"))
def empty(context: SetContext) -> Iterator[FindingHit]:
    """A text without a letter or digit: empty, blanks, or marks alone."""
    for slot in context.slots:
        if not WORD.search(slot.text):
            yield slot.key, gettext_noop("Nothing written here yet."), {}


@check(BLOCK, gettext_noop("Too long"))
def too_long(context: SetContext) -> Iterator[FindingHit]:
    """A text of more characters than are taken (4,000, or `max_characters`)."""
    setting = context.settings.get("max_characters", MOST_CHARACTERS)
    most = setting if isinstance(setting, int) else MOST_CHARACTERS
    for slot in context.slots:
        for text, params in slot.texts:
            if len(text) > most:
                yield slot.key, _TOO_MANY_CHARACTERS, {**params, "count": len(text), "most": most}


@check(BLOCK, gettext_noop("Not as many for each label as asked for"))
def per_label(context: SetContext) -> Iterator[FindingHit]:
    """A set with more or fewer texts of a label than the project asks for."""
    given = [slot.label for slot in context.slots]
    for label in context.labels:
        count = given.count(label)
        if count != context.per_label:
            message = gettext_noop("You chose %(label)s for %(count)s texts; it has to be %(wanted)s.")
            yield WHOLE_SET, message, {"label": label, "count": count, "wanted": context.per_label}


@check(BLOCK, gettext_noop("No phenomenon chosen"))
def tags_missing(context: SetContext) -> Iterator[FindingHit]:
    """A text without any phenomenon tag in a project that requires them."""
    if context.settings.get("tags") != "required":
        return
    for slot in context.filled_slots:
        if not slot.tags:
            yield slot.key, gettext_noop("Choose at least one phenomenon for this text."), {}
