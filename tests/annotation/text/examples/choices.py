"""Sets that show the checks of `annotation/text/checks/choices.py`."""

from tests.annotation.text.examples.sets import Examples, asked

_ASKED = "Naik apa orang biasanya pulang dari pasar?"
_OFTEN_C = {"A": 3, "B": 2, "C": 11, "D": 2, "E": 2}

EXAMPLES = {
    "choices_missing": Examples(
        good=(asked(_ASKED), asked("Tanda apa untuk menjumlah?", "+", "-", "×", ":", "=")),
        bad=(asked(_ASKED, "Becak", ""), asked(_ASKED, " \u200b")),
    ),
    "choices_equal": Examples(
        good=(
            asked(_ASKED),
            asked(_ASKED, "", ""),
            asked("Tanda apa untuk menjumlah?", "+", "-", "×", ":", "="),
        ),
        bad=(
            asked(_ASKED, "Becak", "becak."),
            asked(_ASKED, "Kereta  api", "“kereta API”"),
            asked("What do people ride home?", "A rickshaw", "a rickshaw", language="en"),
        ),
    ),
    "choices_near": Examples(
        good=(
            asked(_ASKED),
            asked(_ASKED, "Becak", "becak"),
            asked("Kapan pasar itu dibuka?", "12 Agustus 1951", "13 Agustus 1951"),
            asked(_ASKED, "Kereta kuda", "Keretta kuda", settings={"near_percent": 100}),
        ),
        bad=(
            asked(_ASKED, "Kereta kuda", "Keretta kuda"),
            asked(_ASKED, "Naik kendaraan umum", "Naik kendaraan umum saja", settings={"near_percent": 80}),
            asked("Naék naon ti pasar?", "Karéta kuda", "Kareta kuda", language="su"),
        ),
    ),
    "answer_missing": Examples(
        good=(asked(_ASKED), asked(_ASKED, answer="E")),
        bad=(asked(_ASKED, answer=""), asked(_ASKED, answer="F")),
    ),
    "distractor_missing": Examples(
        good=(asked(_ASKED), asked(_ASKED, answer="", distractor="E")),
        bad=(asked(_ASKED, distractor=""), asked(_ASKED, answer="D", distractor="D")),
    ),
    "choice_repeats_question": Examples(
        good=(
            asked(_ASKED),
            asked(_ASKED, "Becak yang dari sana"),
            asked("", "Becak"),
            asked("Naék naon ti pasar?", "Béca", language="su"),
        ),
        bad=(
            asked(_ASKED, "Angkutan yang pulang"),
            asked("Naik kuda apa?", "Kuda hitam", "Kuda coklat", "Kuda putih", "Kuda belang", "Kuda lumping"),
            asked("Numpak naon ti pasar?", "Delman pasar", language="su"),
            asked("What do people ride home from the market?", "A market cart", language="en"),
        ),
    ),
    "answer_place": Examples(
        good=(
            asked(_ASKED),
            asked(_ASKED, answers={"A": 19}),
            asked(_ASKED, answers={"A": 10, "B": 10}),
            asked(_ASKED, answers=_OFTEN_C, settings={"answer_place_from": 21}),
            asked(_ASKED, settings={"answer_place_from": 0}),
        ),
        bad=(
            asked(_ASKED, answers=_OFTEN_C),
            asked(_ASKED, answers={"A": 3, "E": 4}, settings={"answer_place_from": 7}),
        ),
    ),
}
