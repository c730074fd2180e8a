"""Sets that show the checks of `annotation/text/checks/copies.py`."""

from annotation.text.checks.base import SlotText
from tests.annotation.text.examples.sets import PREMISE, Examples, example

_OWN = ("e", "Rina membeli ikan.")

EXAMPLES = {
    "copy_of_source": Examples(
        good=(example(_OWN), example(("e", "Ia pulang naik becak."))),
        bad=(
            example(("e", PREMISE)),
            example(("e", PREMISE.upper().rstrip("."))),
            example(_OWN, ("c", "ia pulang naik  becak bersama adiknya!")),
            example(("n", "Ia pulang naik be\u200bcak bersama adiknya.")),
        ),
    ),
    "copy_of_other": Examples(
        good=(
            example(_OWN, ("c", "Rina membeli ayam.")),
            example(("e", ""), ("c", "")),
            example(("e", "!"), ("c", "?")),
        ),
        bad=(
            example(_OWN, ("c", "“rina membeli IKAN”")),
            example(_OWN, SlotText("s2", "n", "Rina  membeli ikan")),
        ),
    ),
}
