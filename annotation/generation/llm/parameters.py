"""Which parameters may go along with a call: a list of names, each with its type; nothing else is sent (A45).

An address, a key or a header that hides among the options of a provider is not on it.
"""

from collections.abc import Callable, Mapping
from typing import Any

LONGEST_WORDS = 200
# What an answer may have where nobody said: what a call may cost at most has to be known before it is sent.
MOST_TOKENS = 2048
MOST_TOKENS_EVER = 200_000


def _number(low: float, high: float) -> Callable[[Any], float | None]:
    def take(value: Any) -> float | None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number and low <= value <= high else None

    return take


def _whole(low: int, high: int) -> Callable[[Any], int | None]:
    def take(value: Any) -> int | None:
        number = _number(low, high)(value)
        return int(number) if number is not None and number == number // 1 else None

    return take


def _words(*allowed: str) -> Callable[[Any], str | None]:
    return lambda value: value if isinstance(value, str) and value in allowed else None


def _stops(value: Any) -> list[str] | None:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not 1 <= len(given) <= 4:
        return None
    fits = all(isinstance(each, str) and 0 < len(each) <= LONGEST_WORDS for each in given)
    return given if fits else None


def _format(value: Any) -> dict[str, str] | None:
    kind = value.get("type") if isinstance(value, dict) and set(value) == {"type"} else value
    return {"type": kind} if isinstance(kind, str) and kind in ("text", "json_object") else None


CHAT: Mapping[str, Callable[[Any], Any]] = {
    "temperature": _number(0, 5),
    "top_p": _number(0, 1),
    "top_k": _whole(-1, 1000),
    "min_p": _number(0, 1),
    "seed": _whole(-(2**63), 2**63 - 1),
    "max_tokens": _whole(1, MOST_TOKENS_EVER),
    "max_completion_tokens": _whole(1, MOST_TOKENS_EVER),
    "stop": _stops,
    "presence_penalty": _number(-2, 2),
    "frequency_penalty": _number(-2, 2),
    "repetition_penalty": _number(0, 10),
    "reasoning_effort": _words("none", "minimal", "low", "medium", "high"),
    "response_format": _format,
}
EMBEDDING: Mapping[str, Callable[[Any], Any]] = {"dimensions": _whole(1, 16384)}
ALLOWED_PARAMETERS: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "chat": CHAT,
    "embedding": EMBEDDING,
    "translation": {},
}


class ParameterRefused(Exception):
    """A parameter that is not on the list, or whose value is not of its type; `name` says which."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def check_parameters(what: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as they are sent. Raises Unlike."""
    sent = {}
    for name, value in sorted(given.items()):
        take = ALLOWED_PARAMETERS[what].get(name)
        taken = take(value) if take else None
        if taken is None:
            raise ParameterRefused(str(name)[:LONGEST_WORDS])
        sent[name] = taken
    return sent


def merge_parameters(what: str, *given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of an endpoint and of a step over them, with a bound on the answer. Raises Unlike."""
    merged: dict[str, Any] = {}
    for each in given:
        merged |= each
    sent = check_parameters(what, merged)
    if what == "chat" and not {"max_tokens", "max_completion_tokens"} & set(sent):
        sent["max_tokens"] = MOST_TOKENS
    return sent


def most_tokens(parameters: Mapping[str, Any]) -> int:
    """How many tokens an answer may have."""
    return max(int(parameters.get(name, 0)) for name in ("max_tokens", "max_completion_tokens"))
