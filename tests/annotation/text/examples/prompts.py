"""Sets that show the checks of `annotation/text/checks/prompts.py`."""

from tests.annotation.text.examples.sets import Examples, prompted

EXAMPLES = {
    "context_missing": Examples(
        good=(prompted(), prompted(context="Hujan turun.\nJalan ke balai desa becek.")),
        bad=(prompted(context=""), prompted(context=" \n ")),
    ),
    "parts_one_line": Examples(
        good=(prompted(), prompted(context="Hujan turun.\nJalan becek.", user="", personal="")),
        bad=(
            prompted("Apa yang saya bawa?\nDan kapan saya pulang?"),
            prompted(user="Saya bidan.\nSaya tinggal di Garut."),
            prompted(personal="Saya berpuasa.\nSaya sendirian."),
        ),
    ),
    "category_missing": Examples(
        good=(prompted(), prompted(category="shared knowledge")),
        bad=(prompted(category=""), prompted(category=" ")),
    ),
    "responses_few": Examples(
        good=(
            prompted(),
            prompted(R4="Bertanya dulu kepada pak RT.", I4="Menyuruh anak kecil yang pergi."),
            prompted(R3="", I3="", settings={"least_responses": 2}),
        ),
        bad=(prompted(R3=""), prompted(I1=" ", I2=""), prompted(settings={"least_responses": 4})),
    ),
    "best_missing": Examples(
        good=(prompted(), prompted(best="R3")),
        bad=(prompted(best=""), prompted(best="I1"), prompted(best="R5")),
    ),
    "responses_twice": Examples(
        good=(prompted(), prompted(R4="", R5="", I4="", I5="")),
        bad=(
            prompted(R4="datang lebih awal dan membantu menata kursi"),
            prompted(
                I3="Datang lebih awal, dan membantu menata kursi!",
                R1="Datang lebih awal, dan membantu menata kursi.",
            ),
        ),
    ),
    "responses_near": Examples(
        good=(prompted(), prompted(R4="Datang lebih awal dan membantu menata kursi.")),
        bad=(
            prompted(R4="Datang lebih awal dan bantu menata kursi."),
            prompted(I3="Datang lebih awal dan membantu menata kursi-kursi."),
        ),
    ),
    "best_by_length": Examples(
        good=(prompted(), prompted(best="")),
        bad=(
            prompted(R1="Datang."),
            prompted(
                R1="Datang lebih awal, membantu menata kursi, menyalami tuan rumah, dan bertanya apa yang kurang."
            ),
        ),
    ),
    "response_semicolon": Examples(
        good=(prompted(), prompted(context="Hujan turun; jalan becek.")),
        bad=(prompted(R2="Menitip amplop; tidak perlu datang."), prompted(I3="Pulang saja; tidur.")),
    ),
    "variation_same": Examples(
        good=(
            prompted(personal="Saya berpuasa."),
            prompted(personal="Saya berpuasa.", origin={"personal": ""}),
            prompted(personal="", origin={"personal": "Saya berpuasa."}),
        ),
        bad=(
            prompted(personal="Saya berpuasa. ", origin={"personal": "Saya berpuasa."}),
            prompted(personal="", origin={"personal": "", "user": "Saya bidan."}),
        ),
    ),
}
