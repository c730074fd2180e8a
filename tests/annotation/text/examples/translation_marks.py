"""Sets that show the checks of `annotation/text/checks/translation_marks.py`."""

from tests.annotation.text.examples.sets import Examples, translation_example

_SOURCE = "Sarmi menjual tiga ikat bayam di pasar pagi."
_TARGET = "Sarmi adol bayem telung unting ing pasar esuk."

EXAMPLES = {
    "translation_empty": Examples(
        good=(translation_example((_SOURCE, _TARGET)), translation_example((" ", ""), (_SOURCE, _TARGET))),
        bad=(
            translation_example((_SOURCE, "")),
            translation_example((_SOURCE, _TARGET), ("Bayam itu segar.", " \u200b")),
        ),
    ),
    "source_copied": Examples(
        good=(
            translation_example((_SOURCE, _TARGET)),
            translation_example(("Pasar Johar", "Pasar Johar")),
            translation_example((f"{_SOURCE} Ayo!", f"{_TARGET} Ayo!")),
        ),
        bad=(
            translation_example((_SOURCE, _SOURCE)),
            translation_example((_SOURCE, _SOURCE.upper().rstrip("."))),
            translation_example((f"{_SOURCE} Bayam itu segar.", f"{_TARGET} Bayam itu segar.")),
        ),
    ),
    "alternatives_slash": Examples(
        good=(
            translation_example((_SOURCE, _TARGET)),
            translation_example(("Ibu dan/atau bapak datang.", "Ibu lan/utawa bapak teka.")),
            translation_example(("Buka 08/12.", "Bukak 08/12.")),
            translation_example(("Lihat https://contoh.id/pasar.", "Delengen https://contoh.id/pasar.")),
        ),
        bad=(
            translation_example((_SOURCE, "Sarmi adol/sade bayem telung unting ing pasar esuk.")),
            translation_example(("Ibu dan/atau bapak datang.", "Ibu lan/utawa bapak teka/rawuh.")),
        ),
    ),
    "brackets_added": Examples(
        good=(
            translation_example((_SOURCE, _TARGET)),
            translation_example(("Pasar itu (Johar) ramai.", "Pasar kuwi (Johar) rame.")),
            translation_example(("Halo [NAMA]!", "Halo [NAMA]!")),
        ),
        bad=(
            translation_example((_SOURCE, "Sarmi adol bayem (janganan) telung unting ing pasar esuk.")),
            translation_example((_SOURCE, "Sarmi adol bayem telung unting ing pasar esuk [esuk-esuk].")),
        ),
    ),
    "end_mark_differs": Examples(
        good=(
            translation_example((_SOURCE, _TARGET)),
            translation_example(("Bayam", "Bayem.")),
            translation_example(("Kata Sarmi, “Ayo!”", "Ujare Sarmi, “Ayo.”")),
            translation_example(("Lalu…", "Banjur...")),
            translation_example(("Apa itu?!", "Apa kuwi?!")),
        ),
        bad=(
            translation_example((_SOURCE, "Sarmi adol bayem telung unting ing pasar esuk")),
            translation_example((_SOURCE, f"{_TARGET}.")),
            translation_example(("Siapa yang menjual bayam?", "Sing adol bayem sapa.")),
            translation_example((_SOURCE, _TARGET.replace(".", "?"))),
        ),
    ),
    "outer_blanks": Examples(
        good=(translation_example((_SOURCE, _TARGET)), translation_example((_SOURCE, " "))),
        bad=(translation_example((_SOURCE, f" {_TARGET}")), translation_example((_SOURCE, f"{_TARGET}\n"))),
    ),
    "blanks_doubled": Examples(
        good=(
            translation_example((_SOURCE, f" {_TARGET} ")),
            translation_example(("Satu.\n\nDua.", "Siji.\n\nLoro.")),
        ),
        bad=(
            translation_example((_SOURCE, _TARGET.replace(" ", "  "))),
            translation_example(("Satu.\n\nDua.", "Siji.\n\nLo  ro.")),
        ),
    ),
    "mixed_unicode": Examples(
        good=(
            translation_example(("Sate itu enak.", "Sat\u00e9 kuwi \u00e9nak.")),
            translation_example(("Sate itu enak.", "Sate\u0301 kuwi e\u0301nak.")),
        ),
        bad=(
            translation_example(("Sate itu enak.", "Sat\u00e9 kuwi e\u0301nak.")),
            translation_example(("Sate", "Sat\u00e9"), ("Enak", "E\u0301nak")),
            translation_example(("Sate itu enak.", "Sate ku\u200bwi enak.")),
        ),
    ),
}
