"""Sets that show the checks of `annotation/text/checks/translation_meaning.py`."""

from annotation.text.checks.base import FieldPair
from annotation.text.length_ratios import Lengths, Usual
from annotation.translation.rules.target_resources import TargetResources
from tests.annotation.text.examples.sets import Examples, translated

_SOURCE = "Karcis masuk pasar malam itu 15.000 rupiah untuk 2 orang."
_HALF = TargetResources("id", "jv", lengths=Lengths(Usual(40, 0.0, 0.1)))
_FEW = TargetResources("id", "jv", lengths=Lengths(Usual(29, 0.0, 0.1)))
_PASSAGE = "Pasar kuwi dibukak taun 1950 déning Sarmi."


def _answer(text: str, within: str | None = _PASSAGE) -> FieldPair:
    return FieldPair("field-answer.1", "answer", "tahun 1950", text, within)


EXAMPLES = {
    "numbers_differ": Examples(
        good=(
            translated((_SOURCE, "Karcis mlebu pasar malem kuwi 15.000 rupiah kanggo wong 2.")),
            translated((_SOURCE, "Karcis mlebu pasar malem kuwi limalas ewu rupiah kanggo wong loro.")),
            translated((_SOURCE, "Tickets for that night market are 15,000 rupiah for two."), to="en"),
            translated(("Sarmi punya tiga kambing.", "Sarmi duwe wedhus 3.")),
            translated(("Datang jam 17.48.", "Teka jam 17:48.")),
        ),
        bad=(
            translated((_SOURCE, "Karcis mlebu pasar malem kuwi 150.000 rupiah kanggo wong 2.")),
            translated((_SOURCE, "Karcis mlebu pasar malem kuwi 15.000 rupiah.")),
            translated((_SOURCE, "Karcis mlebu pasar malem kuwi 15.000 rupiah kanggo wong 2, taun 2020.")),
            translated(
                (_SOURCE, "Karcis mlebu pasar malem kuwi limalas ewu rupiah kanggo wong 2."),
                settings={"numerals_stay": True},
            ),
            translated((_SOURCE, "Tanpa angka."), to="xx"),
        ),
    ),
    "placeholders_differ": Examples(
        good=(
            translated(("Halo {nama}, buka https://contoh.id.", "Halo {nama}, bukaken https://contoh.id!")),
            translated(("Diskon 10% sekarang.", "Diskon 10% saiki.")),
        ),
        bad=(
            translated(("Halo {nama}!", "Halo {jeneng}!")),
            translated(("Tulis ke sarmi@contoh.id.", "Tulisen menyang Sarmi.")),
            translated(("Klik di sini.", "Kliken <b>kene</b>.")),
        ),
    ),
    "length_unusual": Examples(
        good=(
            translated(("Sarmi menjual bayam.", "Sarmi adol bayem."), resources=_HALF),
            translated(("Sarmi menjual bayam.", "Sarmi."), resources=_FEW),
            translated(("Sarmi menjual bayam.", "Sarmi."), resources=_HALF, settings={"length_limit": 0.0}),
            translated(("Sarmi menjual bayam.", "Sarmi."), resources=_HALF, settings={"length_limit": 20.0}),
        ),
        bad=(
            translated(("Sarmi menjual bayam.", "Sarmi."), resources=_HALF),
            translated(("Sarmi menjual bayam.", "Sarmi adol bayem ing pasar saben dina."), resources=_HALF),
            translated(
                ("Sarmi menjual bayam.", "Sarmi adol bayem ora."),
                resources=_HALF,
                settings={"length_limit": 0.1},
            ),
        ),
    ),
    "answer_not_in_passage": Examples(
        good=(
            translated(_answer("taun 1950")),
            translated(_answer("tahun 1950", None)),
            translated(_answer("tahun 1950", "")),
        ),
        bad=(translated(_answer("tahun 1950")), translated(_answer("Taun 1950"))),
    ),
}
