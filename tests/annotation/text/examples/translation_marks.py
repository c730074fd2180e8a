"""Sets that show the checks of `annotation/text/checks/translation_marks.py`."""

from tests.annotation.text.examples.sets import Examples, translated

_SOURCE = "Sarmi menjual tiga ikat bayam di pasar pagi."
_TARGET = "Sarmi adol bayem telung unting ing pasar esuk."

EXAMPLES = {
    "translation_empty": Examples(
        good=(translated((_SOURCE, _TARGET)), translated((" ", ""), (_SOURCE, _TARGET))),
        bad=(translated((_SOURCE, "")), translated((_SOURCE, _TARGET), ("Bayam itu segar.", " \u200b"))),
    ),
    "source_copied": Examples(
        good=(
            translated((_SOURCE, _TARGET)),
            translated(("Pasar Johar", "Pasar Johar")),
            translated((f"{_SOURCE} Ayo!", f"{_TARGET} Ayo!")),
        ),
        bad=(
            translated((_SOURCE, _SOURCE)),
            translated((_SOURCE, _SOURCE.upper().rstrip("."))),
            translated((f"{_SOURCE} Bayam itu segar.", f"{_TARGET} Bayam itu segar.")),
        ),
    ),
    "alternatives_slash": Examples(
        good=(
            translated((_SOURCE, _TARGET)),
            translated(("Ibu dan/atau bapak datang.", "Ibu lan/utawa bapak teka.")),
            translated(("Buka 08/12.", "Bukak 08/12.")),
            translated(("Lihat https://contoh.id/pasar.", "Delengen https://contoh.id/pasar.")),
        ),
        bad=(
            translated((_SOURCE, "Sarmi adol/sade bayem telung unting ing pasar esuk.")),
            translated(("Ibu dan/atau bapak datang.", "Ibu lan/utawa bapak teka/rawuh.")),
        ),
    ),
    "brackets_added": Examples(
        good=(
            translated((_SOURCE, _TARGET)),
            translated(("Pasar itu (Johar) ramai.", "Pasar kuwi (Johar) rame.")),
            translated(("Halo [NAMA]!", "Halo [NAMA]!")),
        ),
        bad=(
            translated((_SOURCE, "Sarmi adol bayem (janganan) telung unting ing pasar esuk.")),
            translated((_SOURCE, "Sarmi adol bayem telung unting ing pasar esuk [esuk-esuk].")),
        ),
    ),
    "end_mark_differs": Examples(
        good=(
            translated((_SOURCE, _TARGET)),
            translated(("Bayam", "Bayem.")),
            translated(("Kata Sarmi, “Ayo!”", "Ujare Sarmi, “Ayo.”")),
            translated(("Lalu…", "Banjur...")),
            translated(("Apa itu?!", "Apa kuwi?!")),
        ),
        bad=(
            translated((_SOURCE, "Sarmi adol bayem telung unting ing pasar esuk")),
            translated((_SOURCE, f"{_TARGET}.")),
            translated(("Siapa yang menjual bayam?", "Sing adol bayem sapa.")),
            translated((_SOURCE, _TARGET.replace(".", "?"))),
        ),
    ),
    "outer_blanks": Examples(
        good=(translated((_SOURCE, _TARGET)), translated((_SOURCE, " "))),
        bad=(translated((_SOURCE, f" {_TARGET}")), translated((_SOURCE, f"{_TARGET}\n"))),
    ),
    "blanks_doubled": Examples(
        good=(translated((_SOURCE, f" {_TARGET} ")), translated(("Satu.\n\nDua.", "Siji.\n\nLoro."))),
        bad=(
            translated((_SOURCE, _TARGET.replace(" ", "  "))),
            translated(("Satu.\n\nDua.", "Siji.\n\nLo  ro.")),
        ),
    ),
    "mixed_unicode": Examples(
        good=(
            translated(("Sate itu enak.", "Sat\u00e9 kuwi \u00e9nak.")),
            translated(("Sate itu enak.", "Sate\u0301 kuwi e\u0301nak.")),
        ),
        bad=(
            translated(("Sate itu enak.", "Sat\u00e9 kuwi e\u0301nak.")),
            translated(("Sate", "Sat\u00e9"), ("Enak", "E\u0301nak")),
            translated(("Sate itu enak.", "Sate ku\u200bwi enak.")),
        ),
    ),
}
