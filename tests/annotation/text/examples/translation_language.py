"""Sets that show the checks of `annotation/text/checks/translation_language.py`."""

from annotation.text import letter_trigrams as letters
from annotation.translation.rules.target_resources import TargetResources, Words
from tests.annotation.text.examples.sets import Examples, translated

_KRAMA: Words = (("kula", "saya"), ("boten", "tidak"), ("inggih menika", "yaitu"), ("saking", "dari"))
_NGOKO: Words = (("aku", "saya"), ("ora", "tidak"), ("saking", "dari"))
_RESOURCES = TargetResources("id", "jv", "ngoko", _NGOKO, {"krama": _KRAMA})
_JAVANESE = "Sarmi adol bayem telung unting ing pasar esuk karo adhine."
_INDONESIAN = "Sarmi menjual tiga ikat bayam di pasar pagi bersama adiknya."
_TAUGHT = TargetResources(
    "id",
    "jv",
    letters=letters.learn([_JAVANESE] * letters.LEAST_TEXTS),
    other_letters={"Indonesian": letters.learn([_INDONESIAN] * letters.LEAST_TEXTS)},
)
_UNTAUGHT = TargetResources(
    "id", "jv", letters=letters.learn([_JAVANESE]), other_letters={"id": letters.learn([_INDONESIAN])}
)

EXAMPLES = {
    "other_language": Examples(
        good=(
            translated((_INDONESIAN, _JAVANESE), resources=_TAUGHT),
            translated((_INDONESIAN, _INDONESIAN), resources=_UNTAUGHT),
            translated(("Bayam di pasar.", "Bayam di pasar."), resources=_TAUGHT),
        ),
        bad=(translated((_JAVANESE, _INDONESIAN), resources=_TAUGHT),),
    ),
    "other_register": Examples(
        good=(
            translated(("Saya tidak dari pasar.", "Aku ora saking pasar."), resources=_RESOURCES),
            translated(("Saya tidak dari pasar.", "Aku ora saking kula-kula."), resources=_RESOURCES),
            translated(("Saya tidak dari pasar.", "Kula boten saking peken.")),
        ),
        bad=(
            translated(("Saya tidak dari pasar.", "Kula boten saking pasar."), resources=_RESOURCES),
            translated(("Yaitu pasar.", "Inggih  menika pasar."), resources=_RESOURCES),
        ),
    ),
}
