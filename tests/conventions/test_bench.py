"""The bench: what it starts is what a server runs, and what it says of a run."""

import importlib
import json
import os
import sys
from types import ModuleType
from typing import Any

import pytest

from bench import __main__ as bench
from bench import api, team

LOOP: dict[str, Any] = {
    "measure": "loop",
    "clients": 8,
    "overlap": 1,
    "errors": {},
    "double_assigned": 0,
    "acknowledged": 10,
    "stored_votes": 10,
}
END = {"peer": "mufakat", "measure": "memory_after_all"}


def test_it_starts_the_processes_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    base: Any = ModuleType("adapters.base")
    base.Adapter, base.Session = object, object
    monkeypatch.setitem(sys.modules, "adapters", ModuleType("adapters"))
    monkeypatch.setitem(sys.modules, "adapters.base", base)
    adapter = importlib.import_module("bench.adapter").Mufakat
    platform = adapter.__new__(adapter)
    platform.redis_port, platform.cfg = 1, {"pg": {"user": "u", "host": "h", "port": 2}, "data": "/nowhere"}
    lines = [line for line, _, _ in platform.commands()]
    assert [name for _, name in lines] == ["web", "background"]
    assert all(os.access(script, os.X_OK) for script, _ in lines)


def test_it_says_each_measure_as_a_part_of_the_floors() -> None:
    rows = [{**LOOP, "peer": peer, "votes_per_s": n} for peer, n in (("floor", 100), ("mufakat", 105))]
    assert list(bench.ratios(rows)) == ["votes/s, 8 annotators: 1.05 of the floor"]


def test_it_fails_where_votes_are_lost_or_requests_fail() -> None:
    assert list(bench.faults([{**LOOP, "peer": "mufakat"}, END])) == []
    assert len(list(bench.faults([]))) == 1
    for fault in ({"errors": {"get 500": 1}}, {"double_assigned": 1}, {"stored_votes": 9}):
        assert len(list(bench.faults([{**LOOP, "peer": "mufakat", **fault}, END]))) == 1


def test_the_pairs_of_the_api_are_six_a_premise_with_each_label_twice() -> None:
    rows = [json.loads(line) for start in (0, 9) for line in api.pairs(start, 9).splitlines()]
    assert len({row["pair_id"] for row in rows}) == 18
    sets = [[row["author_label"] for row in rows if row["premise_id"] == f"s{n}"] for n in range(3)]
    assert sets == [list("eenncc")] * 3


def test_a_team_is_told_a_minute_at_a_time_with_what_went_wrong() -> None:
    log = team.Log()
    log.seconds[0] += [n / 1000 for n in range(1, 101)]
    log.seconds[1].append(0.5)
    log.errors["vote 503"] += 2
    first, second, every, errors = team.report_lines(log, minutes=2)
    assert first == "minute 1: 100 votes, next card 51 / 96 / 100 ms"
    assert second.endswith("500 / 500 / 500 ms")
    assert "101 votes, 0.8 votes/s" in every
    assert errors == "errors: {'vote 503': 2}; times that there was no card: 0"
