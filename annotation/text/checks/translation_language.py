"""Whether a translation is in the language and in the register that it should be in."""

from collections.abc import Iterator, Mapping

from annotation.text import letter_trigrams as letters
from annotation.text.checks.base import WARN, FieldHit, FieldPair, FindingHit, SetContext, check, each_field
from annotation.text.gettext import gettext_noop
from annotation.text.tokens import TOKEN
from annotation.translation.rules.target_resources import TargetResources


@check(WARN, gettext_noop("Perhaps another language"))
@each_field
def other_language(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """A text of six words or more whose letters are likelier in the source's language or another target's than in its
    own, by what this project accepted. Silent below 200 accepted texts; sometimes wrong.
    """
    known = context.resources
    other = letters.likelier_language(pair.text, known.letters, known.other_letters) if known else ""
    if other:
        message = gettext_noop("By its letters this looks like another language (%(language)s).")
        yield message, {"language": other}


def _with_blanks(text: str) -> str:
    """A text's words with a blank around each, so that a word or phrase is found whole: not inside `cuma-cuma`."""
    return f" {' '.join(TOKEN.findall(text.lower()))} "


def _words_of_other_registers(resources: TargetResources) -> Mapping[str, list[str]]:
    """Register to the words on its list that this register's list has not."""
    own = {_with_blanks(word) for word, _ in resources.words}
    return {
        register: [word for word, _ in listed if _with_blanks(word) not in own and _with_blanks(word).strip()]
        for register, listed in resources.others.items()
    }


@check(WARN, gettext_noop("A word of another register"))
def other_register(context: SetContext) -> Iterator[FindingHit]:
    """A word or phrase on the list of another register of the language and not on this one's. Silent without lists."""
    if context.resources is None or not context.resources.others:
        return
    strangers = _words_of_other_registers(context.resources)
    for pair in context.filled_pairs:
        text = _with_blanks(pair.text)
        for register, listed in strangers.items():
            words = list(dict.fromkeys(word for word in listed if _with_blanks(word) in text))
            if words:
                message = gettext_noop("“%(words)s” belongs to another register (%(register)s).")
                params = {"field": pair.key, "words": ", ".join(words), "register": register}
                yield context.slot, message, params
