"""Tokens and cursors as text."""

import pytest

from annotation.api import rules


def test_a_token_is_read_as_it_was_written() -> None:
    for secret in ("abc", "a_b-c", rules.new_secret()):
        token = rules.TokenText(7, secret)
        assert rules.read_token(str(token)) == token
    assert str(rules.TokenText(7, "abc")) == "muf_7_abc"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "muf",
        "muf_7",
        "muf_7_",
        "muf__abc",
        "muf_x_abc",
        "MUF_7_abc",
        "muf_-7_abc",
        "muf_٣_abc",
        f"muf_{'9' * 19}_a",
    ],
)
def test_what_is_no_token(text: str) -> None:
    assert rules.read_token(text) is None


@pytest.mark.parametrize("key", [0, 1, 255, 2**31, rules.MOST_ID])
def test_a_cursor_is_read_as_it_was_written(key: int) -> None:
    assert rules.read_cursor(rules.cursor_of(key)) == key


@pytest.mark.parametrize("text", ["!", "a", "LTE", "YWJj", "é", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk"])
def test_what_is_no_cursor(text: str) -> None:
    assert rules.read_cursor(text) is None
