"""Sets that show the checks of `annotation/text/checks/translation_meaning.py`."""

from annotation.text.checks.base import FieldPair
from annotation.text.length_ratios import LengthStatistics, UsualRatio
from annotation.translation.rules.target_resources import TargetResources
from tests.annotation.text.examples.sets import Examples, translation_example

_SOURCE = "Karcis masuk pasar malam itu 15.000 rupiah untuk 2 orang."
_HALF = TargetResources("id", "jv", lengths=LengthStatistics(UsualRatio(40, 0.0, 0.1)))
_FEW = TargetResources("id", "jv", lengths=LengthStatistics(UsualRatio(29, 0.0, 0.1)))
_PASSAGE = "Pasar kuwi dibukak taun 1950 déning Sarmi."


def _answer(text: str, within: str | None = _PASSAGE) -> FieldPair:
    return FieldPair("field-answer.1", "answer", "tahun 1950", text, within)


EXAMPLES = {
    "numbers_differ": Examples(
        good=(
            translation_example((_SOURCE, "Karcis mlebu pasar malem kuwi 15.000 rupiah kanggo wong 2.")),
            translation_example((_SOURCE, "Karcis mlebu pasar malem kuwi limalas ewu rupiah kanggo wong loro.")),
            translation_example((_SOURCE, "Tickets for that night market are 15,000 rupiah for two."), to="en"),
            translation_example(("Sarmi punya tiga kambing.", "Sarmi duwe wedhus 3.")),
            translation_example(("Datang jam 17.48.", "Teka jam 17:48.")),
        ),
        bad=(
            translation_example((_SOURCE, "Karcis mlebu pasar malem kuwi 150.000 rupiah kanggo wong 2.")),
            translation_example((_SOURCE, "Karcis mlebu pasar malem kuwi 15.000 rupiah.")),
            translation_example((_SOURCE, "Karcis mlebu pasar malem kuwi 15.000 rupiah kanggo wong 2, taun 2020.")),
            translation_example(
                (_SOURCE, "Karcis mlebu pasar malem kuwi limalas ewu rupiah kanggo wong 2."),
                settings={"numerals_stay": True},
            ),
            translation_example((_SOURCE, "Tanpa angka."), to="xx"),
        ),
    ),
    "placeholders_differ": Examples(
        good=(
            translation_example(("Halo {nama}, buka https://contoh.id.", "Halo {nama}, bukaken https://contoh.id!")),
            translation_example(("Diskon 10% sekarang.", "Diskon 10% saiki.")),
        ),
        bad=(
            translation_example(("Halo {nama}!", "Halo {jeneng}!")),
            translation_example(("Tulis ke sarmi@contoh.id.", "Tulisen menyang Sarmi.")),
            translation_example(("Klik di sini.", "Kliken <b>kene</b>.")),
        ),
    ),
    "length_unusual": Examples(
        good=(
            translation_example(("Sarmi menjual bayam.", "Sarmi adol bayem."), resources=_HALF),
            translation_example(("Sarmi menjual bayam.", "Sarmi."), resources=_FEW),
            translation_example(("Sarmi menjual bayam.", "Sarmi."), resources=_HALF, settings={"length_limit": 0.0}),
            translation_example(("Sarmi menjual bayam.", "Sarmi."), resources=_HALF, settings={"length_limit": 20.0}),
        ),
        bad=(
            translation_example(("Sarmi menjual bayam.", "Sarmi."), resources=_HALF),
            translation_example(("Sarmi menjual bayam.", "Sarmi adol bayem ing pasar saben dina."), resources=_HALF),
            translation_example(
                ("Sarmi menjual bayam.", "Sarmi adol bayem ora."),
                resources=_HALF,
                settings={"length_limit": 0.1},
            ),
        ),
    ),
    "answer_not_in_passage": Examples(
        good=(
            translation_example(_answer("taun 1950")),
            translation_example(_answer("tahun 1950", None)),
            translation_example(_answer("tahun 1950", "")),
        ),
        bad=(translation_example(_answer("tahun 1950")), translation_example(_answer("Taun 1950"))),
    ),
}
