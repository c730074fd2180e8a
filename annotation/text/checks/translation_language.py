"""Whether a translation is in the language and in the register that it should be in."""

from collections.abc import Iterator, Mapping

from annotation.text import letter_trigrams as letters
from annotation.text.checks.base import WARN, Check, Hit, SetContext
from annotation.text.checks.examples import translated
from annotation.text.checks.translation_marks import slot_of, written
from annotation.text.gettext import gettext_noop
from annotation.text.tokens import TOKEN
from annotation.translation.rules.target_resources import TargetResources, Words


def _other_language(context: SetContext) -> Iterator[Hit]:
    if context.resources is None:
        return
    for pair in written(context):
        other = letters.looks_like(pair.text, context.resources.letters, context.resources.other_letters)
        if other:
            message = gettext_noop("By its letters this looks like another language (%(language)s).")
            yield slot_of(context), message, {"field": pair.key, "language": other}


def _spaced(text: str) -> str:
    """A text's words with a blank around each, so that a word or phrase is found whole: not inside `cuma-cuma`."""
    return f" {' '.join(TOKEN.findall(text.lower()))} "


def _strangers(resources: TargetResources) -> Mapping[str, list[str]]:
    """Register to the words on its list that this register's list has not."""
    own = {_spaced(word) for word, _ in resources.words}
    return {
        register: [word for word, _ in listed if _spaced(word) not in own and _spaced(word).strip()]
        for register, listed in resources.others.items()
    }


def _other_register(context: SetContext) -> Iterator[Hit]:
    if context.resources is None or not context.resources.others:
        return
    strangers = _strangers(context.resources)
    for pair in written(context):
        text = _spaced(pair.text)
        for register, listed in strangers.items():
            found = list(dict.fromkeys(word for word in listed if _spaced(word) in text))
            if found:
                message = gettext_noop("“%(words)s” belongs to another register (%(register)s).")
                params = {"field": pair.key, "words": ", ".join(found), "register": register}
                yield slot_of(context), message, params


_KRAMA: Words = (("kula", "saya"), ("boten", "tidak"), ("inggih menika", "yaitu"), ("saking", "dari"))
_NGOKO: Words = (("aku", "saya"), ("ora", "tidak"), ("saking", "dari"))
_RESOURCES = TargetResources("id", "jv", "ngoko", _NGOKO, {"krama": _KRAMA})
_JAVANESE = "Sarmi adol bayem telung unting ing pasar esuk karo adhine."
_INDONESIAN = "Sarmi menjual tiga ikat bayam di pasar pagi bersama adiknya."
# What a few hundred texts would teach, from one sentence each.
_TAUGHT = TargetResources(
    "id",
    "jv",
    letters=letters.learn([_JAVANESE] * letters.LEAST_TEXTS),
    other_letters={"Indonesian": letters.learn([_INDONESIAN] * letters.LEAST_TEXTS)},
)
_UNTAUGHT = TargetResources(
    "id", "jv", letters=letters.learn([_JAVANESE]), other_letters={"id": letters.learn([_INDONESIAN])}
)

OTHER_LANGUAGE = Check(
    id="other_language",
    title=gettext_noop("Perhaps another language"),
    catches=gettext_noop(
        "A text of six words or more whose letters are likelier in the source's language or another target's than in "
        "its own, by what this project accepted. Silent below 200 accepted texts; sometimes wrong."
    ),
    level=WARN,
    find=_other_language,
    good=(
        translated((_INDONESIAN, _JAVANESE), resources=_TAUGHT),
        translated((_INDONESIAN, _INDONESIAN), resources=_UNTAUGHT),
        translated(("Bayam di pasar.", "Bayam di pasar."), resources=_TAUGHT),
    ),
    bad=(translated((_JAVANESE, _INDONESIAN), resources=_TAUGHT),),
)
OTHER_REGISTER = Check(
    id="other_register",
    title=gettext_noop("A word of another register"),
    catches=gettext_noop(
        "A word or phrase on the list of another register of the language and not on this one's. Silent without lists."
    ),
    level=WARN,
    find=_other_register,
    good=(
        translated(("Saya tidak dari pasar.", "Aku ora saking pasar."), resources=_RESOURCES),
        translated(("Saya tidak dari pasar.", "Aku ora saking kula-kula."), resources=_RESOURCES),
        translated(("Saya tidak dari pasar.", "Kula boten saking peken.")),
    ),
    bad=(
        translated(("Saya tidak dari pasar.", "Kula boten saking pasar."), resources=_RESOURCES),
        translated(("Yaitu pasar.", "Inggih  menika pasar."), resources=_RESOURCES),
    ),
)
