"""Sets that show the checks of `annotation/text/checks/prompts.py`."""

from tests.annotation.text.examples.sets import Examples, prompt_example

EXAMPLES = {
    "context_missing": Examples(
        good=(prompt_example(), prompt_example(context="Hujan turun.\nJalan ke balai desa becek.")),
        bad=(prompt_example(context=""), prompt_example(context=" \n ")),
    ),
    "parts_one_line": Examples(
        good=(prompt_example(), prompt_example(context="Hujan turun.\nJalan becek.", user="", personal="")),
        bad=(
            prompt_example("Apa yang saya bawa?\nDan kapan saya pulang?"),
            prompt_example(user="Saya bidan.\nSaya tinggal di Garut."),
            prompt_example(personal="Saya berpuasa.\nSaya sendirian."),
        ),
    ),
    "category_missing": Examples(
        good=(prompt_example(), prompt_example(category="shared knowledge")),
        bad=(prompt_example(category=""), prompt_example(category=" ")),
    ),
    "responses_few": Examples(
        good=(
            prompt_example(),
            prompt_example(R4="Bertanya dulu kepada pak RT.", I4="Menyuruh anak kecil yang pergi."),
            prompt_example(R3="", I3="", settings={"least_responses": 2}),
        ),
        bad=(
            prompt_example(R3=""),
            prompt_example(I1=" ", I2=""),
            prompt_example(settings={"least_responses": 4}),
        ),
    ),
    "best_missing": Examples(
        good=(prompt_example(), prompt_example(best="R3")),
        bad=(prompt_example(best=""), prompt_example(best="I1"), prompt_example(best="R5")),
    ),
    "responses_twice": Examples(
        good=(prompt_example(), prompt_example(R4="", R5="", I4="", I5="")),
        bad=(
            prompt_example(R4="datang lebih awal dan membantu menata kursi"),
            prompt_example(
                I3="Datang lebih awal, dan membantu menata kursi!",
                R1="Datang lebih awal, dan membantu menata kursi.",
            ),
        ),
    ),
    "responses_near": Examples(
        good=(prompt_example(), prompt_example(R4="Datang lebih awal dan membantu menata kursi.")),
        bad=(
            prompt_example(R4="Datang lebih awal dan bantu menata kursi."),
            prompt_example(I3="Datang lebih awal dan membantu menata kursi-kursi."),
        ),
    ),
    "best_by_length": Examples(
        good=(prompt_example(), prompt_example(best="")),
        bad=(
            prompt_example(R1="Datang."),
            prompt_example(
                R1="Datang lebih awal, membantu menata kursi, menyalami tuan rumah, dan bertanya apa yang kurang."
            ),
        ),
    ),
    "response_semicolon": Examples(
        good=(prompt_example(), prompt_example(context="Hujan turun; jalan becek.")),
        bad=(
            prompt_example(R2="Menitip amplop; tidak perlu datang."),
            prompt_example(I3="Pulang saja; tidur."),
        ),
    ),
    "variation_same": Examples(
        good=(
            prompt_example(personal="Saya berpuasa."),
            prompt_example(personal="Saya berpuasa.", origin={"personal": ""}),
            prompt_example(personal="", origin={"personal": "Saya berpuasa."}),
        ),
        bad=(
            prompt_example(personal="Saya berpuasa. ", origin={"personal": "Saya berpuasa."}),
            prompt_example(personal="", origin={"personal": "", "user": "Saya bidan."}),
        ),
    ),
}
