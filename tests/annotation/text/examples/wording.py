"""Sets that show the checks of `annotation/text/checks/wording.py`."""

from annotation.text.checks.base import SlotText
from annotation.text.common_words import COMMON_FROM
from tests.annotation.text.examples.sets import Examples, example

_SEVERAL = "Rina membeli tiga ekor ikan. Adiknya ikut pulang naik becak."
_COUNTS = {"pasar": 3, "membeli": COMMON_FROM, "becak": COMMON_FROM * 2, "becek": COMMON_FROM - 1}

EXAMPLES = {
    "several_sentences": Examples(
        good=(
            example(("e", "Rina membeli ikan.")),
            example(SlotText("s1", "e", _SEVERAL, one_sentence=True)),
            example(("n", "Rina membeli ikan di toko milik Dr. Hasan dan H. R. Wijaya di Jl. Melati No. 5.")),
            example(("n", "Ya. Ia membeli ikan.")),
            example(("n", "Rina membeli dua setengah (2.5) kilogram ikan di pasar.")),
        ),
        bad=(
            example(("e", _SEVERAL)),
            example(("e", "Budi pergi. Ani tinggal.")),
            example(("e", "Apakah Rina pergi ke pasar? Ia membeli tiga ekor ikan")),
            example(("e", "Rina membeli tiga ekor ikan!\nIa lalu pulang naik becak.")),
        ),
    ),
    "no_shared_word": Examples(
        good=(
            example(("e", "Ada ikan yang dibeli.")),
            example(("e", "Jalan itu macet."), source="Ia melakukan perjalanan."),
            example(("n", "Itu dia.")),
            example(("n", "Kucing tidur."), source="Ia di sana."),
        ),
        bad=(example(("n", "Gunung berapi meletus kemarin.")), example(("n", "Dia tidak suka kopi."))),
    ),
    "negation_only": Examples(
        good=(
            example(("c", "Rina tidak membeli ikan."), ("c", "Rina membeli ayam.")),
            example(("c", "Rina tidak membeli ikan."), ("e", "Rina membeli ikan, bukan ayam.")),
            example(("e", "Rina bukan penjual."), ("n", "Rina tidak lelah.")),
        ),
        bad=(
            example(("c", "Rina tidak membeli ikan."), ("c", "Rina bukan pembeli."), ("e", "Rina pulang.")),
            example(("c", "TIDAK ada becak."), ("c", "Adiknya belum pulang."), ("c", "")),
        ),
    ),
    "near_word": Examples(
        good=(
            example(("e", "Rina membeli ikan."), often=_COUNTS),
            example(("e", "Rina membeil ikan.")),
            example(("e", "Ikan milik Membelik."), often=_COUNTS),
            example(("e", "Rina membela ikan."), often=_COUNTS, source="Rina membela adiknya."),
            example(("e", "Jalan itu becek."), often=_COUNTS),
        ),
        bad=(
            example(("e", "Rina membeil ikan."), often=_COUNTS),
            example(("e", "Rina naik becakk."), often=_COUNTS),
            example(("e", "Rina membli ikan dan membelli ayam."), often=_COUNTS),
        ),
    ),
}
