"""How many texts of an item are its writer's, and how many sentences they have."""

import pytest

from annotation import kinds
from annotation.content.rules.counts import revision_counts
from annotation.pay.rules import UNITS_OF
from annotation.pay.sources import all_sources

NLI, MCQ, TRANSLATION = kinds.get("nli"), kinds.get("mcq"), kinds.get("translation")
QUESTION = {
    "concept": "tikar",
    "category": "culture",
    "question": "Untuk apa tikar dipakai? Pilih satu.",
    "options": [{"key": key, "text": f"pilihan {key}", "role": ""} for key in "ABCDE"],
}
TRANSLATED = {
    "shape": "pair",
    "source": [{"key": "premise", "role": "premise", "text": "A. B."}],
    "fields": [{"key": "premise", "role": "premise", "text": "Satu iki. Loro iku."}],
    "whys": {"numbers": "It is right."},
}


@pytest.mark.parametrize(
    ("kind", "content", "fields", "sentences"),
    [
        (NLI, {"premise": "A. B. C.", "hypothesis": "Satu kalimat."}, 1, 1),
        (NLI, {"premise": "A.", "hypothesis": "Ini satu. Itu dua."}, 1, 2),
        (NLI, {"premise": "A.", "hypothesis": "tanpa titik"}, 1, 1),
        (NLI, {"premise": "A.", "hypothesis": " "}, 0, 0),
        (MCQ, QUESTION, 6, 7),
        (TRANSLATION, TRANSLATED, 1, 2),
    ],
    ids=["a pair", "two sentences", "no mark", "nothing", "a question", "a translation"],
)
def test_counts(kind: kinds.Kind, content: dict[str, object], fields: int, sentences: int) -> None:
    assert revision_counts(kind, content, "id") == {"fields_n": fields, "sentences_n": sentences}


def test_every_action_is_counted_by_the_units_that_it_can_be_paid_by() -> None:
    assert {each.action: set(each.units) for each in all_sources()} == {
        action: set(units) for action, units in UNITS_OF.items()
    }
