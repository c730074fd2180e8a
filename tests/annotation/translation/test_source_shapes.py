"""Rows of source sets become units: what is shared is translated once, and what a row asks for is told with it."""

from annotation.core.rules.settings import ProjectSettings
from annotation.kinds import Source, get
from annotation.translation.rules.source_units import SHAPES, Row, units_of


def test_rows_that_share_a_text_are_one_unit() -> None:
    rows = [
        Row("a", {"premise": "P.", "hypothesis": "H1."}),
        Row("b", {"premise": "Q.", "hypothesis": "H2."}),
        Row("c", {"premise": "P.", "hypothesis": "H3."}),
    ]
    first, second = units_of(SHAPES["pair"], rows)
    assert (first.key, second.key) == ("a", "b")
    assert [each["key"] for each in first.fields] == ["premise", "hypothesis.1", "hypothesis.2"]
    assert [(row.key, dict(names)) for row, names in first.rows] == [
        ("a", {"premise": "premise", "hypothesis": "hypothesis.1"}),
        ("c", {"premise": "premise", "hypothesis": "hypothesis.2"}),
    ]


def test_what_a_row_asks_for_is_told_with_its_first_text() -> None:
    texts = {"premise": "P.", "alternative-1": "A.", "alternative-2": "B."}
    cause, other = units_of(
        SHAPES["alternatives"],
        [Row("a", texts, data={"question": "cause"}), Row("b", texts, data={"question": "whatever"})],
    )
    assert [each.get("asks") for each in cause.fields] == ["cause", None, None]
    assert not any("asks" in each for each in other.fields)
    extra = {"fields": cause.fields, "shape": "alternatives", "task": "causal", "revision": 1}
    kind, source = get("translation"), Source("a", "P.", extra=extra)
    (first, *_) = kind.authoring.form_fields(ProjectSettings(), source)
    assert first.name == "Premise (what was its cause?)"


def test_texts_stand_in_the_shapes_order() -> None:
    (unit,) = units_of(
        SHAPES["choices"], [Row("a", {"choice-B": "b", "question": "Q?", "choice-A": "a", "choice-C": "c"})]
    )
    assert [each["key"] for each in unit.fields] == ["question", "choice-A", "choice-B", "choice-C"]
