"""Sets that show the checks of `annotation/text/checks/translation_language.py`."""

from annotation.text import letter_trigrams as letters
from annotation.translation.rules.target_resources import TargetResources, Words
from tests.annotation.text.examples.sets import Examples, translation_example

_KRAMA: Words = (("kula", "saya"), ("boten", "tidak"), ("inggih menika", "yaitu"), ("saking", "dari"))
_NGOKO: Words = (("aku", "saya"), ("ora", "tidak"), ("saking", "dari"))
_RESOURCES = TargetResources("id", "jv", "ngoko", _NGOKO, {"krama": _KRAMA})
_JAVANESE = "Sarmi adol bayem telung unting ing pasar esuk karo adhine."
_INDONESIAN = "Sarmi menjual tiga ikat bayam di pasar pagi bersama adiknya."
_TAUGHT = TargetResources(
    "id",
    "jv",
    letters=letters.learn_letters([_JAVANESE] * letters.LEAST_TEXTS),
    other_letters={"Indonesian": letters.learn_letters([_INDONESIAN] * letters.LEAST_TEXTS)},
)
_UNTAUGHT = TargetResources(
    "id",
    "jv",
    letters=letters.learn_letters([_JAVANESE]),
    other_letters={"id": letters.learn_letters([_INDONESIAN])},
)

EXAMPLES = {
    "other_language": Examples(
        good=(
            translation_example((_INDONESIAN, _JAVANESE), resources=_TAUGHT),
            translation_example((_INDONESIAN, _INDONESIAN), resources=_UNTAUGHT),
            translation_example(("Bayam di pasar.", "Bayam di pasar."), resources=_TAUGHT),
        ),
        bad=(translation_example((_JAVANESE, _INDONESIAN), resources=_TAUGHT),),
    ),
    "other_register": Examples(
        good=(
            translation_example(("Saya tidak dari pasar.", "Aku ora saking pasar."), resources=_RESOURCES),
            translation_example(("Saya tidak dari pasar.", "Aku ora saking kula-kula."), resources=_RESOURCES),
            translation_example(("Saya tidak dari pasar.", "Kula boten saking peken.")),
        ),
        bad=(
            translation_example(("Saya tidak dari pasar.", "Kula boten saking pasar."), resources=_RESOURCES),
            translation_example(("Yaitu pasar.", "Inggih  menika pasar."), resources=_RESOURCES),
        ),
    ),
}
