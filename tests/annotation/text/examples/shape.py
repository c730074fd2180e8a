"""Sets that show the checks of `annotation/text/checks/shape.py`."""

from annotation.text.checks.base import SlotText
from annotation.text.checks.shape import MOST_CHARACTERS
from tests.annotation.text.examples.sets import Examples, example, question_example

_FIRST, _SECOND, _THIRD = ("e", "Rina membeli ikan."), ("n", "Ikan itu mahal."), ("c", "Rina membeli ayam.")
_TAGGED = SlotText("s1", "e", "Rina membeli ikan.", tags=("MORPH",))

EXAMPLES = {
    "empty": Examples(
        good=(example(_FIRST), example(("n", "5"))),
        bad=(example(("e", "")), example(("e", " \n\u200b")), example(_FIRST, ("c", "…"))),
    ),
    "too_long": Examples(
        good=(
            example(("e", "a" * MOST_CHARACTERS)),
            example(_FIRST, settings={"max_characters": len(_FIRST[1])}),
            example(_FIRST, settings={"max_characters": "many"}),
        ),
        bad=(
            example(("e", "a" * (MOST_CHARACTERS + 1))),
            example(_FIRST, settings={"max_characters": len(_FIRST[1]) - 1}),
            question_example("Naik apa?", "Becak dayung", settings={"max_characters": 10}),
        ),
    ),
    "per_label": Examples(
        good=(example(_FIRST, _SECOND, _THIRD), example(_FIRST, _SECOND, per_label=2, labels=())),
        bad=(
            example(_FIRST, _SECOND),
            example(_FIRST, _SECOND, _THIRD, _THIRD),
            example(_FIRST, per_label=2),
        ),
    ),
    "tags_missing": Examples(
        good=(
            example(_FIRST),
            example(_FIRST, settings={"tags": "optional"}),
            example(_TAGGED, settings={"tags": "required"}),
        ),
        bad=(example(_TAGGED, _SECOND, settings={"tags": "required"}),),
    ),
}
