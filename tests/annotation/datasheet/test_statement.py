"""What a card says of a project: nothing that formats what follows it, and of small groups what they agreed to."""

from typing import Any

import pytest

from annotation.datasheet.rules import SECTIONS, StatedAnswer, count_field
from exports.releases.rules import statement


def a_part(suffix: str = "", **about: Any) -> dict[str, Any]:
    whole = {
        "canary": "mufakat:p1:canary:0",
        "licence": "",
        "citation": "",
        "homepage": "",
        "ethics": {"board": "", "number": ""},
        "consent": None,
        "entry": {},
        "statement": {},
        "people": {"threshold": 5, "fields": []},
    }
    return {
        "suffix": suffix,
        "project": {"slug": "p1", "name": "One", "kind": "nli", "language": "su"},
        "context": {"about": {**whole, **about}},
        "counts": {"people": {"authors": 3, "voters": 4}},
    }


def told(**about: Any) -> str:
    return "\n".join(statement.sections(a_part(**about)))


def test_what_nobody_said_is_called_so() -> None:
    text = told()
    assert text.count("Not stated.") == 4
    assert "The project's language is `su`." in text
    assert "3 people wrote the items, 4 voted on them." in text
    assert "too few said something" in text
    assert "No approval by an ethics board is stated." in text
    assert "### Recording quality" not in text


def test_sections_stand_in_their_order() -> None:
    text = told(statement=dict.fromkeys(SECTIONS, "Words."))
    at = [text.index(f"### {title}") for title, _ in SECTIONS.values()]
    assert at == sorted(at)
    assert text.count("Words.") == len(SECTIONS)
    assert "Not stated." not in text


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("# Head", "\\# Head"),
        ("a\n  ## b", "a\n  \\## b"),
        ("a\n---", "a\n\\---"),
        ("a\n===", "a\n\\==="),
        ("<script>", "&lt;script>"),
        ("\\<script>", "\\&lt;script>"),
        ("> quoted", "> quoted"),
        ("```\n# open", "\n\\# open"),
        ("~~~ python\nx", " python\nx"),
        ("- one\n- **two**", "- one\n- **two**"),
    ],
)
def test_words_format_themselves_alone(typed: str, written: str) -> None:
    assert statement.markdown(typed) == written


def test_ethics_and_consent() -> None:
    text = told(ethics={"board": "IRB of *X*", "number": "12"}, consent={"n": 2, "text": "We <b>count</b>.\n\n# End"})
    assert "Approved by IRB of \\*X\\*, number 12." in text
    assert "> We &lt;b>count&lt;/b>.\n>\n> # End" in text
    assert "Approved by X." in told(ethics={"board": "X", "number": ""})


def test_entry_conditions() -> None:
    assert "confirms before they work" not in told()
    both = told(entry={"native_language": "Sunda", "years": 15})
    assert "that Sunda is a native language of theirs and that they had lived" in both
    assert "15 years or more" in both
    assert "native language of theirs" not in told(entry={"years": 15})


def test_counts_of_people() -> None:
    table = count_field("ethnicity", [StatedAnswer(word) for word in ["Sunda"] * 6 + ["Jawa"] * 3 + ["Bali"] * 2], 5)
    text = told(people={"threshold": 5, "fields": [table.to_dict()]})
    assert "| Ethnicity | people |\n|---|---:|\n| Sunda | 6 |\n| others | 5 |" in text
    assert "Jawa" not in text
    assert "fewer than 5 are shown" not in text


def test_a_lower_threshold_and_an_earlier_table_are_told() -> None:
    small = count_field(
        "gender", [StatedAnswer("a", 2), StatedAnswer("a", 2), StatedAnswer("b", 2), StatedAnswer("b", 2)], 2
    ).to_dict()
    text = told(people={"threshold": 2, "fields": [small, {**small, "field": "region", "earlier": True}]})
    assert text.count("fewer than 5 are shown here: everybody in this table agreed to it.") == 2
    assert "| a | 2 |" in text
    assert text.count("As counted for an earlier release") == 1
    assert "in groups of at least 5" in text


# --- of the whole release -------------------------------------------------------------------


def test_one_licence_once_and_two_by_part() -> None:
    lay, expert = (
        a_part("lay", licence="MIT"),
        a_part("expert", licence="CC-BY-4.0", homepage="https://x.y/a b"),
    )
    assert statement.licence([lay, lay]) == ["Released under MIT."]
    assert statement.licence([lay, expert]) == [
        "`lay`: Released under MIT.",
        "`expert`: Released under CC-BY-4.0.",
        "`expert`: More: <https://x.y/a%20b>",
    ]
    assert statement.licence([a_part()]) == ["The licence of this release is not stated here."]


def test_a_citation_cannot_end_its_block() -> None:
    text = "@misc{x,\n```\n}"
    assert statement.citation([a_part(citation=text)]) == ["## Citation", "", "````", text, "````", ""]
    assert statement.citation([a_part()]) == []
    twice = statement.citation([a_part(citation="A"), a_part(citation="A"), a_part(citation="B")])
    assert (twice.count("A"), twice.count("B")) == (1, 1)


def test_a_canary_of_each_part() -> None:
    lines = statement.canaries([a_part(canary="c1"), a_part(canary="c2")])
    assert [line.strip() for line in lines if line.startswith("    ")] == ["c1", "c2"]


def test_a_release_of_before_says_nothing() -> None:
    before = {**a_part(), "context": {}}
    assert statement.sections(before) == []
    assert statement.canaries([before]) == []
    assert statement.licence([before]) == ["The licence of this release is not stated here."]
