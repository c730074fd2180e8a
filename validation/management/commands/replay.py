"""`manage.py replay FILE --protocol NAME`: recorded votes through the same engine, without a database."""

import csv
import json
import os
from argparse import ArgumentTypeError
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.rules.os_errors import os_reason
from validation.consensus import audit_replay
from validation.consensus.protocol import DEFAULT_PROTOCOL, PRESETS, Protocol
from validation.consensus.replay import (
    OUT_COLUMNS,
    ReplayResult,
    Row,
    RowError,
    compare_protocols,
    out_row,
    read_rows,
    replay,
    summary,
)

# A torn file has one bad row, a wrong file a million: the first ones say enough.
ERRORS_SHOWN = 20


def label_list(text: str) -> tuple[str, ...]:
    """Read `e,n,c`."""
    labels = tuple(dict.fromkeys(label.strip() for label in text.split(",") if label.strip()))
    if not labels:
        raise ArgumentTypeError("names no label")
    return labels


def _rows(lines: IO[bytes]) -> Iterable[bytes]:
    """The rows of a file: its lines, or the entries of the one JSON list that it is."""
    first = lines.read(1)
    lines.seek(0)
    if first != b"[":
        return lines
    try:
        return [json.dumps(row).encode() for row in json.load(lines)]
    except ValueError as error:
        raise CommandError(f"{lines.name}: is no JSON list ({error})", returncode=2) from None


def _audits(rows: list[Row], protocol: Protocol, options: dict[str, Any]) -> dict[str, Any]:
    """The figures of a protocol with audits, over several runs of its draws."""
    items, labels = audit_replay.replayable_items(rows, options["labels"], options["orders"])
    if not items or options["runs"] < 1:
        return {"items": len(items)}
    name = options["name"] or options["file"].stem
    numbers = range(options["run"], options["run"] + options["runs"])
    done = audit_replay.replay_runs(items, labels, protocol, name=name, seed=options["seed"], numbers=numbers)
    summary = {"protocol": protocol.name, "orders": options["orders"], "label_set": list(labels)}
    return summary | {"items": len(items), **audit_replay.summary(done)}


class Command(BaseCommand):
    """Replay recorded votes. Exit 0; 1 when rows were refused; 2 when a file could not be read or written."""

    help = "Put recorded votes (JSONL) through the consensus engine and print what comes out."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--protocol", default=DEFAULT_PROTOCOL, choices=list(PRESETS))
        parser.add_argument("--labels", type=label_list, help="the label set, such as e,n,c")
        parser.add_argument("--stop-hopeless", action="store_true", help="stop where no label can reach the quorum")
        parser.add_argument(
            "--compare",
            action="store_true",
            help="what each protocol costs on these votes, and what it changes",
        )
        parser.add_argument("--name", default="", help="with audits: the set's name in draws; default: the file's")
        parser.add_argument("--seed", default="stop-2026-1", help="with audits: the seed of the draws")
        parser.add_argument("--run", type=int, default=0, metavar="R", help="with audits: the number of the run shown")
        parser.add_argument("--runs", type=int, default=1, help="with audits: how many runs the means are over")
        parser.add_argument(
            "--orders",
            choices=[audit_replay.GIVEN_ORDER, audit_replay.DRAWN_ORDERS],
            default=audit_replay.GIVEN_ORDER,
            help="with audits: validators in the order of the file, or in a drawn one",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        parser.add_argument("--out", metavar="ROWS.csv", type=Path, help="write one line for each row")

    def handle(self, **options: Any) -> None:
        """Read, decide, print."""
        protocol = replace(PRESETS[options["protocol"]], stop_hopeless=options["stop_hopeless"])
        refused: list[RowError] = []
        try:
            with options["file"].open("rb") as lines:
                rows = read_rows(_rows(lines), refused.append)
                if options["compare"]:
                    figures = compare_protocols(rows, protocol, options["labels"])
                elif protocol.alpha:
                    figures = _audits(list(rows), protocol, options)
                else:
                    replayed = replay(rows, protocol, options["labels"], refused.append)
                    figures = summary(replayed)
        except OSError as error:
            raise CommandError(f"{options['file']}: {os_reason(error)}", returncode=2) from None
        refused.sort(key=lambda error: error.row)
        self._print(figures | {"refused": len(refused)}, as_json=options["json"])
        if options["out"] and not options["compare"] and not protocol.alpha:
            self._write(options["out"], replayed)
        if refused:
            shown = "\n".join(map(str, refused[:ERRORS_SHOWN]))
            raise CommandError(f"{len(refused)} rows refused\n{shown}", returncode=1)
        if not figures["items"]:
            raise CommandError(f"{options['file']}: holds no rows", returncode=2)

    def _print(self, figures: dict[str, Any], *, as_json: bool) -> None:
        """Print the figures; text is escaped as JSON is, so that no label can break a terminal or its encoding."""
        if as_json:
            self.stdout.write(json.dumps(figures, indent=2))
            return
        for name, value in figures.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                for each in value:
                    self.stdout.write(f"{name}: {json.dumps(each)}")
            else:
                self.stdout.write(f"{name}: {value if isinstance(value, str) else json.dumps(value)}")

    def _write(self, path: Path, replayed: ReplayResult) -> None:
        """Write the rows beside the name and rename: there is never half a file under it."""
        part = path.with_name(path.name + ".part")
        try:
            with part.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(OUT_COLUMNS)
                writer.writerows(map(out_row, replayed.outcomes))
            os.replace(part, path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise CommandError(f"{path}: {os_reason(error)}", returncode=2) from None
