"""Reads tests/conventions/routes.csv, and walks the addresses that the site really has."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.conventions.named_objects import PROJECTS, ROLES, Things

TABLE = Path(__file__).with_name("routes.csv")
# Addresses whose answers are others' business; one row stands for the family.
FAMILIES = {"allauth": "allauth", "django.contrib.admin": "admin"}
NOT_TRIED = "-"


@dataclass(frozen=True)
class Row:
    """One route and method of the table."""

    route: str
    method: str
    args: Mapping[str, str]
    data: str
    expected: Mapping[str, tuple[str, str, str]]

    @property
    def id(self) -> str:
        return f"{self.method} {self.route}"

    @property
    def names_more(self) -> bool:
        """Whether the address names something inside the project that may be missing."""
        others = (
            "role",
            "slot",
            "label",
            "n",
            "ledger",
            "instruction",
            "way",
            "costs",
            "insight",
            "insight_table",
        )
        outer = (*PROJECTS, *others)
        return any(field not in outer for field in self.args.values())

    @property
    def is_api(self) -> bool:
        """Whether it is a resource of the REST API: JSON comes and goes, and who is unknown is told so (401)."""
        return self.route.startswith("api_") and self.route not in ("api_docs", "api_schema")

    def url(self, things: Things) -> str:
        return reverse(self.route, kwargs=things.of_route(self.args))

    def request(self, things: Things) -> tuple[str, str]:
        """The address that is asked, and what is sent to it."""
        return self.url(things), self.data.format_map(vars(things))

    def send(self, client: Client, things: Things, extra: str = "", **more: str) -> HttpResponse:
        """The request of this row; `extra` is a query string put beside what the row sends."""
        url, filled = self.request(things)
        if self.method == "GET":
            return read_whole(client.get(f"{url}?{extra}" if extra else url, **more))  # type: ignore[arg-type]
        if self.is_api:
            return read_whole(client.post(url, as_json(f"{filled}&{extra}"), "application/json", **more))  # type: ignore[arg-type]
        fields: dict[str, list[str]] = {}
        for name, value in parse_qsl(f"{filled}&{extra}", keep_blank_values=True):
            fields.setdefault(name, []).append(value)
        return client.post(url, fields, **more)  # type: ignore[return-value,arg-type]


def as_json(query: str) -> bytes:
    """What a row sends, as a body of JSON: numbers as numbers, what is named twice or `name[]` as a list."""
    found: dict[str, Any] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        value: Any = int(text) if text.isascii() and text.isdigit() else text
        if name.endswith("[]"):
            found.setdefault(name[:-2], []).append(value)
        else:
            found[name] = value
    return json.dumps(found).encode()


def read_whole(answer: Any) -> HttpResponse:
    """An answer with all that it says; one that streams (a download) is read to its end."""
    if not answer.streaming:
        return answer  # type: ignore[no-any-return]
    # The test client closes it with the last byte; closing it again would close the test's connection too.
    return HttpResponse(b"".join(answer.streaming_content), status=answer.status_code, headers=answer.headers)


def _cell(text: str) -> tuple[str, str, str]:
    parts = text.split()
    return (parts[0],) * 3 if len(parts) == 1 else (parts[0], parts[1], parts[2])


def rows() -> list[Row]:
    """The table, in its order."""
    lines = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    return [
        Row(
            route=raw["route"],
            method=raw["method"],
            args=dict(part.split("=") for part in raw["args"].split()),
            data=raw["data"],
            expected={role: _cell(raw[role]) for role in ROLES},
        )
        for raw in csv.DictReader(lines)
    ]


def row_params(table: Iterable[Row]) -> pytest.MarkDecorator:
    """A test for each of these rows, called as the row is."""
    return pytest.mark.parametrize("row", table, ids=lambda row: row.id)


@dataclass(frozen=True)
class Address:
    """One URL pattern of the site: its full name, and whose family it is ("" for our own)."""

    name: str
    family: str
    pattern: str


def _family(module: str) -> str:
    return next((name for start, name in FAMILIES.items() if module.startswith(start)), "")


def addresses() -> list[Address]:
    """Every URL pattern that config.urls leads to."""
    return list(_walk(get_resolver().url_patterns, "", ""))


def _walk(patterns: list[URLPattern | URLResolver], space: str, route: str) -> Iterator[Address]:
    for pattern in patterns:
        where = route + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from _walk(pattern.url_patterns, inner, where)
            continue
        module = getattr(pattern.callback, "__module__", "")
        family = "admin" if space.startswith("admin:") else _family(module)
        yield Address(f"{space}{pattern.name or ''}", family, where)


def own_addresses() -> list[Address]:
    return [address for address in addresses() if not address.family]


@cache
def _families() -> dict[str, str]:
    return {address.name: address.family for address in reversed(addresses())}


def family_of(route: str) -> str:
    """The family of a route by its name, "" for our own."""
    return _families().get(route, "")
