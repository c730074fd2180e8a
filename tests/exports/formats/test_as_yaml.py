"""What heads of cards and files of tasks hold of odd characters: YAML reads back what was written."""

import json

import pytest
import yaml

from exports.releases.rules.card import front_matter
from exports.releases.rules.markdown import as_yaml

ODD = ["\x7f", "\x80", "\x85", "\x9f", "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff"]


@pytest.mark.parametrize("odd", ODD)
def test_the_head_of_a_card_comes_back_as_it_was(odd: str) -> None:
    """A name with U+0085 was folded, one with another control character was refused with all of the head."""
    head = {"pretty_name": f"a{odd}b", "tags": [f"{odd}"], f"plain-{ord(odd)}": "“a”: \\ \t 😀\n"}
    lines = front_matter(head)
    assert (lines[0], lines[-2:]) == ("---", ["---", ""])
    assert yaml.safe_load("\n".join(lines[1:-2])) == head


@pytest.mark.parametrize("odd", [*ODD, "\ud800"])
def test_no_odd_character_stands_as_it_is_and_none_is_another(odd: str) -> None:
    told = as_yaml(json.dumps(f"é{odd}", ensure_ascii=False))
    assert odd not in told
    assert "é" in told
    assert json.loads(told) == f"é{odd}"
