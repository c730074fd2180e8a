"""The texts of a unit as clean-up leaves them: their order, which of them living rows need, how long they are.

Sentences are the unit of pay (LoraxBench, Appendix C), words those of every length of the house.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.text.normalise import key_form
from annotation.text.sentences import sentences
from annotation.text.tokens import word_count
from annotation.translation.rules.source_shapes import SourceShape, span_of

Field = Mapping[str, str]


class Size(NamedTuple):
    """How long a unit's texts are together."""

    sentences: int
    words: int


def size_of(fields: Iterable[Field], language: str) -> Size:
    """Count a unit's sentences, at least one a text, and its words."""
    texts = [each["text"] for each in fields]
    return Size(
        sum(max(len(sentences(text, language)), 1) for text in texts), sum(word_count(text) for text in texts)
    )


def in_unit_order(shape: SourceShape, fields: Iterable[Field]) -> list[Field]:
    """The fields of a unit as `units_of` put them: the shared text, then row by row in the shape's order."""
    roles = {role.key: place for place, role in enumerate(shape.roles)}

    def place(each: Field) -> tuple[bool, int, int, str]:
        role = shape.role(each["key"])
        stem, _, number = each["key"].partition(".")
        return not role.shared, int(number or 0), roles[role.key], stem

    return sorted(fields, key=place)


def parted(
    shape: SourceShape, fields: Iterable[Field], living: Sequence[Mapping[str, str]]
) -> tuple[list[Field], list[Field]]:
    """What is to be translated, and what no living row needs; where none is left everything stays as it was.

    `living` holds each living row's fields, role key to field key.
    """
    everything = in_unit_order(shape, fields)
    needed = {key for row in living for key in row.values()}
    if not needed:
        return everything, []
    return [f for f in everything if f["key"] in needed], [f for f in everything if f["key"] not in needed]


def answer_key(shape: SourceShape, label: str, keys: Iterable[str]) -> str:
    """Which text of a row its label names: by letter, or by its place from 0; empty where it names none."""
    role = next((role for role in shape.roles if role.distractors), None)
    if role is None or not label:
        return ""
    choices = sorted(key for key in keys if shape.role(key) is role)
    if f"{role.key}-{label}" in choices:
        return f"{role.key}-{label}"
    if label.isascii() and label.isdecimal() and len(label) < 3 and int(label) < len(choices):
        return choices[int(label)]
    return ""


def distractors(shape: SourceShape, label: str, row: Mapping[str, str]) -> list[str]:
    """The field keys of a row's wrong choices; `row` is its fields, role key to field key.

    Of prompts only what is on the wrong side counts: a relevant response is no distractor.
    """
    answer = answer_key(shape, label, row)
    wrong = [key for key in row if shape.role(key).distractors and key != answer]
    side = answer.partition("-")[2][:1]
    if answer.partition("-")[2][1:].isdecimal():
        wrong = [key for key in wrong if key.partition("-")[2][:1] != side]
    return [row[key] for key in wrong] if answer else []


def not_spans(
    shape: SourceShape, texts: Mapping[str, str], rows: Iterable[Mapping[str, str]]
) -> list[tuple[str, str]]:
    """The fields that are no span of the text that they are taken from, with that text's key.

    `texts` is field key to text, `rows` each row's fields.
    """
    found = []
    for row in rows:
        for key, field in row.items():
            within = span_of(shape, key)
            if within and texts[field] not in texts[row[within]]:
                found.append((field, row[within]))
    return found


def same_choice(texts: Mapping[str, str], shape: SourceShape, row: Mapping[str, str], field: str) -> bool:
    """Say whether a choice of a row reads like another one of it."""
    others = [name for key, name in row.items() if shape.role(key).distractors and name != field]
    return key_form(texts[field], casefold=True) in {key_form(texts[name], casefold=True) for name in others}
