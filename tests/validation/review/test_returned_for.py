"""What items are returned for: a project's own list, its counts, and the notes that come of them."""

from datetime import date

import pytest

from annotation.core.rules import error_types
from annotation.core.rules.error_types import parse, text_of
from annotation.core.rules.fields import FieldError
from annotation.core.rules.settings import ProjectSettings
from annotation.projects.actions.projects import with_note
from validation.review.rules.error_counts import ReturnCount, table


def test_a_list_of_error_types():
    text = "too-general: Too general: not about us\r\n\r\n  x2 :  Dua  \n"
    found = (("too-general", "Too general: not about us"), ("x2", "Dua"))
    assert parse(text) == found
    assert parse(text_of(found)) == found
    assert parse("  \n\n") == ()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("a: A\nno colon here", 2, "no colon"),
        ("Too General: words", 1, "small letters"),
        (": words", 1, "small letters"),
        ("a-: words", 1, "small letters"),
        ("a" * 41 + ": words", 1, "small letters"),
        ("a: \t", 1, "must be words"),
        ("a: " + "x" * 121, 1, "must be words"),
        ("a: \x00", 1, "must be words"),
        ("\na: A\nb: B\na: C", 4, "twice"),
        ("\n".join(f"a{n}: A" for n in range(41)), 41, "more than 40"),
    ],
)
def test_a_line_that_cannot_be_is_named(text, line, reason):
    with pytest.raises(FieldError) as caught:
        parse(text)
    assert (caught.value.params["line"], reason in caught.value.reason) == (line, True)
    with pytest.raises(ValueError, match=f"error_types: line {line}: "):
        ProjectSettings.from_dict({"error_types": text})


def test_as_many_as_can_be():
    assert len(parse("\n".join(f"a{n}: A" for n in range(error_types.MOST_TYPES)))) == error_types.MOST_TYPES


MONDAY, NEXT = date(2026, 11, 16), date(2026, 11, 23)


def test_counts_by_writer_and_week():
    counts = [
        ReturnCount("language", "W02", NEXT, 2),
        ReturnCount("gone", "W01", MONDAY, 1),
        ReturnCount("subjective", "W01", MONDAY, 1),
        ReturnCount("subjective", "W02", MONDAY, 3),
    ]
    found = table(counts, {"language": "Language", "subjective": "Subjective"})
    assert (found.writers, found.weeks, found.total) == (("W01", "W02"), (MONDAY, NEXT), 7)
    assert [(line.name, line.total, line.writers, line.weeks) for line in found.lines] == [
        ("Subjective", 4, (1, 3), (4, 0)),
        ("Language", 2, (0, 2), (0, 2)),
        ("gone", 1, (1, 0), (1, 0)),
    ]
    assert (found.by_writer, found.by_week) == ((2, 5), (5, 2))


def test_equally_frequent_ones_stand_as_in_the_list():
    counts = [ReturnCount(code, "W01", MONDAY, 1) for code in ("y", "b", "x", "a")]
    assert [line.code for line in table(counts, {"b": "B", "a": "A"}).lines] == ["b", "a", "x", "y"]


def test_nothing_returned():
    assert table([], {"a": "A"}).lines == ()


NOTES = [
    ("Write well.\n", "Write well.\n\n## Taste\n\nAsk for facts.\n"),
    ("## Taste\n", "## Taste\n\nAsk for facts.\n"),
    ("## Taste\n\nMind it.\n\n## Next\n\nx", "## Taste\n\nMind it.\n\nAsk for facts.\n\n## Next\n\nx\n"),
    ("## Taste\n\n### Deeper\n\ny\n\n# Top", "## Taste\n\n### Deeper\n\ny\n\nAsk for facts.\n\n# Top\n"),
    ("## Taste of it\n\nx", "## Taste of it\n\nx\n\n## Taste\n\nAsk for facts.\n"),
]


@pytest.mark.parametrize(("before", "after"), NOTES)
def test_a_note_stands_under_its_heading_once(before, after):
    noted = with_note(before, " Taste\n", " Ask for facts.\n")
    assert noted == after
    assert with_note(noted, "Taste", "Ask for facts.") == noted
