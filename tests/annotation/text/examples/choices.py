"""Sets that show the checks of `annotation/text/checks/choices.py`."""

from tests.annotation.text.examples.sets import Examples, question_example

_ASKED = "Naik apa orang biasanya pulang dari pasar?"
_OFTEN_C = {"A": 3, "B": 2, "C": 11, "D": 2, "E": 2}

EXAMPLES = {
    "choices_missing": Examples(
        good=(
            question_example(_ASKED),
            question_example("Tanda apa untuk menjumlah?", "+", "-", "×", ":", "="),
        ),
        bad=(question_example(_ASKED, "Becak", ""), question_example(_ASKED, " \u200b")),
    ),
    "choices_equal": Examples(
        good=(
            question_example(_ASKED),
            question_example(_ASKED, "", ""),
            question_example("Tanda apa untuk menjumlah?", "+", "-", "×", ":", "="),
        ),
        bad=(
            question_example(_ASKED, "Becak", "becak."),
            question_example(_ASKED, "Kereta  api", "“kereta API”"),
            question_example("What do people ride home?", "A rickshaw", "a rickshaw", language="en"),
        ),
    ),
    "choices_near": Examples(
        good=(
            question_example(_ASKED),
            question_example(_ASKED, "Becak", "becak"),
            question_example("Kapan pasar itu dibuka?", "12 Agustus 1951", "13 Agustus 1951"),
            question_example(_ASKED, "Kereta kuda", "Keretta kuda", settings={"near_percent": 100}),
        ),
        bad=(
            question_example(_ASKED, "Kereta kuda", "Keretta kuda"),
            question_example(_ASKED, "Naik kendaraan umum", "Naik kendaraan umum saja", settings={"near_percent": 80}),
            question_example("Naék naon ti pasar?", "Karéta kuda", "Kareta kuda", language="su"),
        ),
    ),
    "answer_missing": Examples(
        good=(question_example(_ASKED), question_example(_ASKED, answer="E")),
        bad=(question_example(_ASKED, answer=""), question_example(_ASKED, answer="F")),
    ),
    "distractor_missing": Examples(
        good=(question_example(_ASKED), question_example(_ASKED, answer="", distractor="E")),
        bad=(question_example(_ASKED, distractor=""), question_example(_ASKED, answer="D", distractor="D")),
    ),
    "choice_repeats_question": Examples(
        good=(
            question_example(_ASKED),
            question_example(_ASKED, "Becak yang dari sana"),
            question_example("", "Becak"),
            question_example("Naék naon ti pasar?", "Béca", language="su"),
        ),
        bad=(
            question_example(_ASKED, "Angkutan yang pulang"),
            question_example(
                "Naik kuda apa?", "Kuda hitam", "Kuda coklat", "Kuda putih", "Kuda belang", "Kuda lumping"
            ),
            question_example("Numpak naon ti pasar?", "Delman pasar", language="su"),
            question_example("What do people ride home from the market?", "A market cart", language="en"),
        ),
    ),
    "answer_place": Examples(
        good=(
            question_example(_ASKED),
            question_example(_ASKED, answers={"A": 19}),
            question_example(_ASKED, answers={"A": 10, "B": 10}),
            question_example(_ASKED, answers=_OFTEN_C, settings={"answer_place_from": 21}),
            question_example(_ASKED, settings={"answer_place_from": 0}),
        ),
        bad=(
            question_example(_ASKED, answers=_OFTEN_C),
            question_example(_ASKED, answers={"A": 3, "E": 4}, settings={"answer_place_from": 7}),
        ),
    ),
}
