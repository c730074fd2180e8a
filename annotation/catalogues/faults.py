"""What is wrong with a translation whatever the language: things of the English that have to be in it unchanged."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

NAMED_PLACEHOLDER = re.compile(r"%\(\w+\)[#0 +-]*\d*(?:\.\d+)?[a-zA-Z]|\{\w*\}")
POSITIONAL_PLACEHOLDER = re.compile(r"%%|%[#0+-]*\d*(?:\.\d+)?[sdifrx]")
TAG = re.compile(r"</?[a-zA-Z][^<>]*>|&\w+;")
END_MARKS = ".?!:…,;"


def faults(english: str | Sequence[str], translation: str | Sequence[str], forms: int) -> Iterator[str]:
    """Each fault in words. `english` is one string, or singular and plural; `forms` how many a count has in the
    language. Nothing translated has no fault.
    """
    counted = not isinstance(english, str)
    strings = [translation] if isinstance(translation, str) else list(translation)
    if not any(strings):
        return
    if len(strings) != (forms if counted else 1):
        yield f"has {len(strings)} forms, not {forms if counted else 1}"
        return
    if not all(strings):
        yield "lacks a form"
        return
    source = english[-1] if counted else english
    for number, string in enumerate(strings, 1):
        # The singular may leave its number out ("one item"); the last form, which stands for many, may not.
        whole = not counted or number == forms
        yield from _faults_of(str(source), string, whole=whole)


def _faults_of(english: str, string: str, *, whole: bool) -> Iterator[str]:
    wanted, got = Counter(NAMED_PLACEHOLDER.findall(english)), Counter(NAMED_PLACEHOLDER.findall(string))
    if missing := [each for each in wanted if whole and each not in got]:
        yield f"lacks {' '.join(missing)}"
    if strange := [each for each in got if each not in wanted]:
        yield f"has {' '.join(strange)}, which the English has not"
    if POSITIONAL_PLACEHOLDER.findall(NAMED_PLACEHOLDER.sub("", english)) != POSITIONAL_PLACEHOLDER.findall(
        NAMED_PLACEHOLDER.sub("", string)
    ):
        yield "has other placeholders (%s, %d, %%) than the English, or in another order"
    if sorted(TAG.findall(english)) != sorted(TAG.findall(string)):
        yield "has other tags or entities than the English"
    for name, edge in (("begins", r"^\s*"), ("ends", r"\s*$")):
        if re.search(edge, english)[0] != re.search(edge, string)[0]:  # type: ignore[index]
            yield f"{name} with other blanks than the English"
    mine, theirs = _end_mark(string), _end_mark(english)
    if mine != theirs:
        yield f"ends with {mine or 'no mark'}, the English with {theirs or 'no mark'}"


def _end_mark(text: str) -> str:
    """The mark that a text ends with; three dots are one mark."""
    bare = TAG.sub("", text).rstrip().replace("...", "…").rstrip("\"'”’»)")
    return bare[-1:] if bare[-1:] in END_MARKS else ""
