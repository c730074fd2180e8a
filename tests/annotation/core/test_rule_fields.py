"""Rules are declared once: the same declaration checks plain values, reads texts, draws the form and lists values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.http import QueryDict

from annotation.core.rules.fields import FieldError, Rules, rule, rule_metadata
from annotation.ui.rule_forms import RulesForm, in_words, named_values


def _no_x(text: str) -> None:
    if "x" in text:
        raise FieldError("", "line %(line)d: has an x", line=1)


@dataclass(frozen=True)
class Toy(Rules):
    """A few rules of every type."""

    sizes: tuple[int, ...] = field(metadata=rule_metadata("Sizes", "How large.", min_length=1, max_length=3))
    most: int = rule(5, "Most", "The most.", "More", ge=1, le=9)
    share: float = rule(0.5, "Share", "The share.", "More", le=1)
    way: str = rule("a", "Way", "Which way.", choices={"a": "This way", "b": "That way"})
    strict: bool = rule(False, "Strict", "Whether.")
    words: str = rule("", "Words", "One a line.", "Lists", lines=True, reads=_no_x, empty="none", max_length=20)

    def __post_init__(self) -> None:
        if self.strict and self.way == "b":
            raise FieldError("strict", "has no meaning that way")


TOY = Toy((1, 2))
PLAIN = {"sizes": [1, 2], "most": 5, "share": 0.5, "way": "a", "strict": False, "words": ""}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": 1}, "colour: is no field here; take it out or look for a typing error"),
        ({"sizes": 1}, "sizes: must be a list"),
        ({"sizes": [1, "2"]}, "sizes: must be a list of whole numbers"),
        ({"sizes": []}, "sizes: needs at least 1 entries"),
        ({"sizes": [1] * 4}, "sizes: has more than 3 entries; shorten it"),
        ({"most": 0}, "most: must be at least 1"),
        ({"most": 10}, "most: must be at most 9"),
        ({"most": True}, "most: must be a whole number"),
        ({"share": True}, "share: must be a number"),
        ({"share": float("nan")}, "share: must be a number"),
        ({"way": "c"}, "way: must be one of a, b"),
        ({"strict": "yes"}, "strict: must be true or false"),
        ({"words": "a\0"}, "words: has a character that cannot be stored"),
        ({"words": "x"}, "words: line 1: has an x"),
        ({"words": "a" * 21}, "words: has more than 20 characters; shorten it"),
        ({"strict": True, "way": "b"}, "strict: has no meaning that way"),
    ],
    ids=str,
)
def test_what_cannot_be_names_its_field_and_the_reason(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FieldError) as caught:
        Toy.from_dict({**PLAIN, **change})
    assert str(caught.value) == message
    assert caught.value.field == next(iter(change))


def test_plain_values_texts_and_what_is_stored() -> None:
    assert Toy.from_dict(PLAIN) == Toy.from_stored(PLAIN) == TOY
    assert Toy.from_dict({"sizes": [1, 2], "share": 1}) == Toy((1, 2), share=1.0)
    assert isinstance(Toy.from_dict({"sizes": [1], "share": 1}).share, float)
    texts = {"most": " 7 ", "strict": "Yes", "sizes": ["3"], "words": "b"}
    assert TOY.changed(texts) == Toy((3,), most=7, strict=True, words="b")
    assert hash(TOY) == hash(Toy((1, 2)))
    with pytest.raises(FieldError, match="sizes: is missing"):
        Toy.from_dict({})


def form(sent: str | None = None, stands: Toy = TOY, **more: Any) -> RulesForm:
    data = QueryDict(sent) if sent is not None else None
    return RulesForm(data, stands=stands, names=tuple(PLAIN), **more)


def test_a_form_has_the_bounds_and_choices_that_are_declared() -> None:
    fields: Mapping[str, Any] = form().fields
    assert (fields["most"].min_value, fields["most"].max_value, fields["share"].max_value) == (1, 9, 1)
    assert fields["way"].choices == [("a", "This way"), ("b", "That way")]
    assert [name for name, each in fields.items() if each.required] == ["sizes", "most", "share", "way"]
    assert all(each.label and each.help_text for each in fields.values())
    assert form()["sizes"].value() == "1, 2"


def test_what_is_not_sent_stays_but_a_box() -> None:
    found = form("most=7", Toy((1, 2), strict=True, words="kept"))
    assert found.is_valid()
    assert found.rules == Toy((1, 2), most=7, words="kept")


@pytest.mark.parametrize(
    ("sent", "field", "said"),
    [
        ("most=10", "most", "less than or equal to 9"),
        ("sizes=1,b", "sizes", "must be a list of whole numbers"),
        ("words=x", "words", "line 1: has an x"),
        ("strict=on&way=b", "strict", "has no meaning that way"),
    ],
)
def test_a_form_says_at_its_field_what_cannot_be(sent: str, field: str, said: str) -> None:
    found = form(sent)
    assert list(found.errors) == [field]
    assert said in str(found.errors[field])
    assert found.rules == TOY
    assert [group.title for group in found.groups if group.has_errors] == [TOY.declared()[field].group]


def test_what_differs_from_the_preset_is_marked() -> None:
    found = form(stands=Toy((1, 2), most=7, words="<b>"), usual=Toy((1, 2), way="b"))
    assert [(group.title, group.changed_count) for group in found.groups] == [
        ("", 1),
        ("More", 1),
        ("Lists", 1),
    ]
    assert "The preset says: That way." in found["way"].help_text
    assert "The preset says" not in found["sizes"].help_text
    assert "<b>" not in found["words"].help_text


def test_values_are_listed_in_words() -> None:
    other = Toy((1, 2), way="b")
    assert named_values(other, ("sizes", "way", "strict", "words")) == [
        ("Sizes", "1, 2"),
        ("Way", "That way"),
        ("Strict", "no"),
        ("Words", "none"),
    ]
    assert in_words(TOY, ("way", "share")) == {"way": "This way", "share": "0.5"}
