"""Values of JSON, and of cells that hold a list or an object as JSON, pandas or numpy write them.

A number keeps the digits that the file has: one that no float and no 64-bit integer holds is never rounded in silence.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import orjson

from annotation.text.gettext import gettext_noop
from validation.imports.rules.problems import MOST_COLUMNS, Problem, excerpt

MOST_DEPTH = 20
_KEY_PATTERN = re.compile(rb'"\s*:')
# A number that may read otherwise than it is written: many digits, an exponent, zeros at its end.
_UNUSUAL_NUMBER = re.compile(rb"[:\[,]\s*-?(?:[\d.]{16}|\d[\d.]*[eE]|\d+\.\d+0(?!\d))")
_LEAST_INTEGER, _MOST_INTEGER = -(1 << 63), (1 << 64) - 1
# The words of Python, numpy and JSON beside numbers; nan is how pandas writes a missing value.
_WORDS: dict[str, bool | None] = dict.fromkeys(("None", "nan", "NaN", "<NA>", "NaT", "null"))
_WORDS |= {"True": True, "False": False, "true": True, "false": False}
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>[bru]?'(?:[^'\\]|\\.)*'|[bru]?"(?:[^"\\]|\\.)*")|(?P<mark>[\[\](){},:])"""
    r"""|(?P<word><NA>|[^\s\[\](){},:'"]+))""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r?\n|.))", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
_CLOSED_BY = {"[": "]", "(": ")", "{": "}"}
# numpy: array(['a', 'b'], dtype=object), np.str_('a'), np.float64(0.5).
_WRAPPER = re.compile(r"array|(?:np|numpy)\.\w+", re.ASCII)


class WrittenNumber(float):
    """A number that a float writes otherwise than the file: as a text it is what the file says."""

    text: str

    def __new__(cls, text: str) -> "WrittenNumber":
        """The number that a file writes so."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __str__(self) -> str:
        return self.text

    @property
    def loses_digits(self) -> bool:
        """Whether the float is another number than the one that is written."""
        return Decimal(self.text) != Decimal(repr(float(self)))


def number_text(value: float) -> str | bool:
    """A number as the file writes it; yes and no are no numbers."""
    return value if isinstance(value, bool) else str(value)


def to_json(value: Any, option: int = 0) -> bytes:
    """A value of a record as JSON."""
    return orjson.dumps(value, option=option, default=float)


def read_object(line: bytes) -> dict[str, Any] | Problem:
    """One JSON object, or what is wrong with the line."""
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return _line_problem(line, str(error))
    if type(found) is not dict:
        return Problem("not_object", "", gettext_noop("The line is JSON, but no object in braces."))
    if len(found) > MOST_COLUMNS:
        message = gettext_noop("The row has %(count)s fields; at most %(most)s can be read.")
        return Problem("fields_too_many", "", message, {"count": len(found), "most": MOST_COLUMNS})
    # As many colons as keys, or behind quotes as keys at any depth: none stands twice. Otherwise a slower reader looks.
    once = line.count(b":") == len(found) or len(_KEY_PATTERN.findall(line)) == _count_keys(found)
    # What no float holds exactly was read as one, so rows without a float need no look.
    return found if once and not (_holds_float(found) and _UNUSUAL_NUMBER.search(line)) else _read_strictly(line)


def parse_json(text: str) -> Any:
    """A value as JSON, with the digits of its numbers. Raises ValueError."""
    found = orjson.loads(text)
    try:
        return _strict_json(text) if _UNUSUAL_NUMBER.search(f":{text}".encode("utf-8", "surrogatepass")) else found
    except RecursionError:
        raise ValueError(text) from None


def parse_literal(text: str) -> Any:
    """A list or an object in a cell, as JSON, pandas or numpy write it. Raises ValueError."""
    try:
        return parse_json(text)
    except ValueError:
        return _LiteralParser(text).parse()


# --- JSON, read slowly ---------------------------------------------------------------------------


class _DuplicateKey(ValueError):
    pass


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _DuplicateKey(next(key for key, _ in pairs if times[key] > 1))
    return found


def _read_integer(text: str) -> int | str:
    value = int(text)
    return value if _LEAST_INTEGER <= value <= _MOST_INTEGER else text


def _read_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(text)
    return value if repr(value) == text else WrittenNumber(text)


def _strict_json(text: str | bytes) -> Any:
    return json.loads(text, object_pairs_hook=_unique_keys, parse_int=_read_integer, parse_float=_read_float)


def _read_strictly(line: bytes) -> dict[str, Any] | Problem:
    """The object with the digits of its numbers, unless a key stands twice."""
    try:
        found: dict[str, Any] = _strict_json(line)
    except _DuplicateKey as twice:
        message = gettext_noop("The key “%(key)s” is used twice; keep one.")
        return Problem("key_twice", "", message, {"key": excerpt(str(twice), 40)})
    except (ValueError, RecursionError):
        return Problem("not_json", "", gettext_noop("The JSON is nested too deeply, or a number is too long."))
    return found


def _holds_float(found: Mapping[str, Any]) -> bool:
    """Whether a float stands in an object, at any depth."""
    inner = list(found.values())
    for value in inner:  # which grows meanwhile
        if type(value) is float:
            return True
        if type(value) is list:
            inner += value
        elif type(value) is dict:
            inner += value.values()
    return False


def _count_keys(value: Any) -> int:
    """How many keys an object holds, at any depth."""
    keys, inner = 0, [value]
    while inner:
        value = inner.pop()
        values = value
        if type(value) is dict:
            keys, values = keys + len(value), value.values()
        inner += [each for each in values if type(each) in (dict, list)]
    return keys


def _line_problem(line: bytes, error: str) -> Problem:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as bad:
        message = gettext_noop("Byte %(place)s (0x%(byte)s) is not UTF-8; save the file as UTF-8.")
        return Problem("not_utf8", "", message, {"place": bad.start + 1, "byte": f"{line[bad.start]:02x}"})
    message = gettext_noop("This is no whole JSON value (%(why)s); is the file torn?")
    return Problem("not_json", "", message, {"why": error.replace("line 1 ", "")[:150]})


# --- lists and objects as Python and numpy write them ----------------------------------------------


class _LiteralParser:
    """Reads `['a', 'b']`, `['a' 'b']`, `[1. nan]`, `array([…], dtype=object)` and `{'a': 1}`; evaluates nothing."""

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0

    def parse(self) -> Any:
        """The value. Raises ValueError for anything else, and where numpy left out the middle of a list (`...`)."""
        value = self._value(*self._next(), depth=0)
        if self._text[self._place :].strip():
            raise ValueError(self._text)
        return value

    def _next(self) -> tuple[str, str]:
        """The sort of the next token, and the token."""
        found = _TOKEN.match(self._text, self._place)
        if found is None or found.lastgroup is None:
            raise ValueError(self._text)
        self._place = found.end()
        return found.lastgroup, found[found.lastgroup]

    def _value(self, sort: str, word: str, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise ValueError(self._text)
        if sort == "text":
            return _unescaped(word)
        if sort == "word" and _WRAPPER.fullmatch(word):
            return self._wrapped(depth)
        if sort == "word":
            return _WORDS[word] if word in _WORDS else _number(word)
        if word == "{":
            return self._object(depth)
        if word in "[(":
            return self._list(_CLOSED_BY[word], depth)
        raise ValueError(self._text)

    def _wrapped(self, depth: int) -> Any:
        """What stands first within the brackets; behind it, numpy says of which sort it is."""
        if self._next() != ("mark", "("):
            raise ValueError(self._text)
        value = self._value(*self._next(), depth + 1)
        while self._next() != ("mark", ")"):
            pass
        return value

    def _list(self, close: str, depth: int) -> list[Any]:
        """The entries up to the bracket: commas or blanks stand between them."""
        found: list[Any] = []
        behind_comma = True
        while (token := self._next()) != ("mark", close):
            if token == ("mark", ","):
                if behind_comma:
                    raise ValueError(self._text)
                behind_comma = True
                continue
            found.append(self._value(*token, depth + 1))
            behind_comma = False
        return found

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (token := self._next()) != ("mark", "}"):
            if token == ("mark", ","):
                continue
            key = self._value(*token, depth + 1)
            if isinstance(key, (list, dict)) or self._next() != ("mark", ":") or str(key) in found:
                raise ValueError(self._text)
            found[str(key)] = self._value(*self._next(), depth + 1)
        return found


def _number(token: str) -> Any:
    """A number; numpy writes `1.` for a whole one."""
    if not re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", token, re.ASCII):
        raise ValueError(token)
    return _read_integer(token) if re.fullmatch(r"[+-]?\d+", token) else _read_float(token)


def _unescaped(token: str) -> str:
    """The text between quotation marks."""
    quote = max(token.find("'"), 0) if token.endswith("'") else max(token.find('"'), 0)
    prefix, inner = token[:quote], token[quote + 1 : -1]
    if "b" in prefix:
        raise ValueError(token)
    return inner if prefix == "r" or "\\" not in inner else _ESCAPE.sub(_unescape, inner)


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is not None:
        return chr(int(code, 16))
    mark = found[4]
    return _SIMPLE_ESCAPES.get(mark.replace("\r\n", "\n"), mark if mark in "\\'\"" else f"\\{mark}")
