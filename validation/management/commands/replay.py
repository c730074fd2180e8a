"""`manage.py replay FILE --protocol NAME`: recorded votes through the same engine, without a database."""

import csv
import json
import os
from argparse import ArgumentTypeError
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from validation.consensus.protocol import DEFAULT_PROTOCOL, PRESETS
from validation.consensus.replay import (
    OUT_COLUMNS,
    Replayed,
    RowError,
    compare,
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


class Command(BaseCommand):
    """Replay recorded votes. Exit 0; 1 when rows were refused; 2 when a file could not be read or written."""

    help = "Put recorded votes (JSONL) through the consensus engine and print what comes out."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--protocol", default=DEFAULT_PROTOCOL, choices=list(PRESETS))
        parser.add_argument("--labels", type=label_list, help="the label set, such as e,n,c")
        parser.add_argument(
            "--stop-hopeless", action="store_true", help="stop where no label can reach the quorum"
        )
        parser.add_argument(
            "--compare",
            action="store_true",
            help="what each protocol costs on these votes, and what it changes",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        parser.add_argument("--out", metavar="ROWS.csv", type=Path, help="write one line for each row")

    def handle(self, **options: Any) -> None:
        """Read, decide, print."""
        protocol = replace(PRESETS[options["protocol"]], stop_hopeless=options["stop_hopeless"])
        refused: list[RowError] = []
        try:
            with options["file"].open("rb") as lines:
                rows = read_rows(lines, refused.append)
                if options["compare"]:
                    figures = compare(rows, protocol, options["labels"])
                else:
                    replayed = replay(rows, protocol, options["labels"], refused.append)
                    figures = summary(replayed)
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}", returncode=2) from None
        refused.sort(key=lambda error: error.row)
        self._print(figures | {"refused": len(refused)}, as_json=options["json"])
        if options["out"] and not options["compare"]:
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

    def _write(self, path: Path, replayed: Replayed) -> None:
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
            raise CommandError(f"{path}: {error.strerror}", returncode=2) from None
