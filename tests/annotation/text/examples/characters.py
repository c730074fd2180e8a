"""Sets that show the checks of `annotation/text/checks/characters.py`."""

from tests.annotation.text.examples.sets import Examples, example, question_example

EXAMPLES = {
    "suspicious_characters": Examples(
        good=(example(("e", "Ébène dijual “di sini” – 10 °C.")), example(("e", ""))),
        bad=(
            example(("e", "Rina \u202emembeli ikan.")),
            example(("e", "Rina mem\u200bbeli ikan.")),
            example(("e", "Rina membeli\u0093 ikan.")),
            example(("e", "Rina membeli \ufffd ikan.")),
            example(("e", "Rina m\u0435mbeli ikan.")),
            example(("e", "Rina" + "\u0336" * 9)),
            example(("e", "Caf\u00e9 dan cafe\u0301.")),
            question_example("Naik apa ke pasar?", "Be\u200bcak"),
        ),
    ),
    "end_mark": Examples(
        good=(
            example(("e", "Rina membeli ikan. ")),
            example(("e", "Rina berkata, “Ayo!”")),
            example(("e", "他买了鱼。")),
            example(("e", "")),
        ),
        bad=(example(("e", "Rina membeli ikan")), example(("e", "Rina membeli ikan,"))),
    ),
    "doubled_blanks": Examples(
        good=(example(("e", "  Rina membeli ikan. \n")), question_example("Naik apa ke pasar?", " Becak ")),
        bad=(
            example(("e", "Rina  membeli ikan.")),
            example(("e", "Rina membeli \n ikan.")),
            question_example("Naik apa ke pasar?", "Becak", "Kuda  lumping"),
        ),
    ),
}
