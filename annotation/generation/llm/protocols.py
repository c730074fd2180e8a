"""What is sent to an endpoint and read from its answer: OpenAI's chat completions and embeddings, LibreTranslate.

Everything that comes back is read with suspicion: sizes, types and numbers of tokens that no answer has are faults
(reliability.md A46).
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import orjson

from annotation.generation.llm.parameters import most_tokens
from annotation.generation.models import Endpoint

_MILLION = Decimal(1_000_000)
_COST_STEP = Decimal("0.00000001")
MOST_TOKENS = 10_000_000
MOST_NUMBERS = 16_384
# What a message costs beside its text: its role and the marks around it.
MESSAGE_TOKENS = 16
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
Messages = Sequence[Mapping[str, str]]


class RequestParts(NamedTuple):
    """The path behind an endpoint's address, the body, and headers that hold no secret but the key's."""

    path: str
    body: bytes
    headers: dict[str, str]


@dataclass(frozen=True)
class Answer:
    """What an endpoint answered: the text to keep, what it used, or the code of the fault."""

    text: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    fault: str = ""


def build_request(endpoint: Endpoint, parameters: Mapping[str, Any], messages: Messages, key: str) -> RequestParts:
    """One question as the endpoint's protocol has it. Raises ValueError for messages that it has no place for."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if endpoint.what == Endpoint.What.CHAT:
        body = {"model": endpoint.model, "messages": [dict(each) for each in messages], **parameters}
        return RequestParts("/chat/completions", orjson.dumps(body), headers)
    asked = _single_content(messages)
    if endpoint.what == Endpoint.What.EMBEDDING:
        body = {"model": endpoint.model, "input": [asked["text"]], "encoding_format": "float", **parameters}
        return RequestParts("/embeddings", orjson.dumps(body), headers)
    # LibreTranslate takes the key in the body.
    wanted = {"q": asked["text"], "source": asked["source"], "target": asked["target"], "format": "text"}
    return RequestParts("/translate", orjson.dumps(wanted | ({"api_key": key} if key else {})), {})


def _single_content(messages: Messages) -> dict[str, str]:
    """What the one message of a translation or an embedding holds."""
    asked = orjson.loads(messages[0]["content"]) if len(messages) == 1 else None
    if not isinstance(asked, dict) or not isinstance(asked.get("text"), str):
        raise ValueError("one message that holds a text")
    return {"source": "auto", "target": "en"} | asked


def read_body(endpoint: Endpoint, messages: Messages, body: bytes) -> Answer:
    """What the body of a success holds. Never raises."""
    try:
        value = orjson.loads(body)  # no NaN, no depth without end
    except orjson.JSONDecodeError:
        return Answer(fault="not_json")
    if not isinstance(value, dict):
        return Answer(fault="not_protocol")
    try:
        text = _TEXT_READERS[endpoint.what](value)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        return Answer(fault="not_protocol")
    cleaned = _LONE_SURROGATES.sub("\ufffd", text.replace("\x00", "\ufffd"))
    tokens_in, tokens_out = _tokens_used(endpoint, messages, value, cleaned)
    return Answer(cleaned, tokens_in, tokens_out, "" if cleaned.strip() else "empty")


def _chat(value: Mapping[str, Any]) -> str:
    """What the model wrote; refused or cut off by its length, it is what it is: whoever reads it decides."""
    content = value["choices"][0]["message"]["content"]
    if content is not None and not isinstance(content, str):
        raise TypeError
    return content or ""


def _embedding(value: Mapping[str, Any]) -> str:
    numbers = value["data"][0]["embedding"]
    if not isinstance(numbers, list) or not 1 <= len(numbers) <= MOST_NUMBERS:
        raise TypeError
    vector = []
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise TypeError
        vector.append(float(f"{number:.7g}"))  # the precision that the numbers have at the endpoint
    return json.dumps({"vector": vector}, separators=(",", ":"))


def _translation(value: Mapping[str, Any]) -> str:
    text = value["translatedText"]
    if not isinstance(text, str):
        raise TypeError
    return json.dumps({"text": text}, ensure_ascii=False) if text.strip() else ""


_TEXT_READERS = {
    Endpoint.What.CHAT.value: _chat,
    Endpoint.What.EMBEDDING.value: _embedding,
    Endpoint.What.TRANSLATION.value: _translation,
}


def _tokens_used(endpoint: Endpoint, messages: Messages, value: Mapping[str, Any], text: str) -> tuple[int, int]:
    """The tokens that the endpoint says it used; what it does not say, or cannot be, counts as the most it can be."""
    if endpoint.what != Endpoint.What.CHAT:
        return _largest_size(endpoint, messages), 0
    usage = value.get("usage")
    usage = usage if isinstance(usage, dict) else {}

    def count(name: str, otherwise: int) -> int:
        given = usage.get(name)
        if isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= MOST_TOKENS:
            return given
        return otherwise

    return count("prompt_tokens", _largest_size(endpoint, messages)), count("completion_tokens", len(text.encode()))


def _largest_size(endpoint: Endpoint, messages: Messages) -> int:
    """What a question comes to at most: its bytes (a token has one at least); elsewhere the characters of its text."""
    if endpoint.what == Endpoint.What.CHAT:
        return sum(len(each["content"].encode()) + MESSAGE_TOKENS for each in messages)
    return sum(len(_single_content([each])["text"]) for each in messages)


def cost_of(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> Decimal:
    """What so many tokens cost at the endpoint's prices."""
    cost = (endpoint.price_in * tokens_in + endpoint.price_out * tokens_out) / _MILLION
    return cost.quantize(_COST_STEP)


def most_cost(endpoint: Endpoint, parameters: Mapping[str, Any], messages: Messages) -> Decimal:
    """What a call may cost at most: what is reserved for it before it is sent."""
    return cost_of(endpoint, _largest_size(endpoint, messages), most_tokens(parameters))
