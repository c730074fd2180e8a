"""`manage.py score_mc FILE.jsonl`: MC1 and MC2 of a model, from its log-probability of each choice."""

import json
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.rules.os_errors import os_reason
from exports.scoring.rules import ScoreFault, means, read_scored

MOST_SHOWN = 20
SCHEMA = """\
A line of FILE.jsonl is one prompt's MC targets, with what the model gives each of its choices:

  {"id": "0101000100", "question": "...",
   "mc1_targets": {"choices": [best, irrelevant, ...], "labels": [1, 0, ...]},
   "mc2_targets": {"choices": [best, relevant, ..., irrelevant, ...], "labels": [1, 1, ..., 0, ...]},
   "scores": [{"choice": "...", "logprob": -41.5, "bytes": 58}, ...]}

scores: one object for each choice of mc2_targets, in any order. logprob: the natural logarithm of the probability of
the whole choice after the prompt, 0 or below. bytes: the length of the choice in UTF-8.
p = exp(logprob / bytes). MC1 is 1 only where the best response is strictly the highest of mc1_targets;
MC2 is the sum of p over the relevant choices divided by the sum over all (Kalahi, Appendix F).
"""


class Command(BaseCommand):
    """Print mean MC1, MC2 and n; exit 1, with rows and reasons, where anything in FILE cannot be scored, 2
    where a file cannot be read or written."""

    help = "Turn a model's log-probabilities of the choices of each prompt into MC1 and MC2."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, epilog=SCHEMA, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="targets with scores, as shown below")
        parser.add_argument("--out", type=Path, metavar="FILE", help="a new JSONL file: id, mc1 and mc2 of each row")
        parser.add_argument("--json", action="store_true", help="print the means as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path | None = options["out"]
        try:
            with options["file"].open("rb") as file:
                scored, faults = read_scored(file)
            if faults:
                raise CommandError(_print_faults(faults))
            mean = means(scored)
            if out is not None:
                with out.open("x", encoding="utf-8", newline="\n") as file_out:
                    rows = ({"id": row.key, "mc1": row.mc1, "mc2": row.mc2} for row in scored)
                    file_out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        except ScoreFault as fault:
            raise CommandError(str(fault)) from None
        except FileExistsError:
            raise CommandError(f"{out} is there already: name a new file.", returncode=2) from None
        except OSError as failed:
            raise CommandError(f"{failed.filename or out}: {os_reason(failed)}", returncode=2) from None
        if options["json"]:
            self.stdout.write(json.dumps(mean._asdict()))
        else:
            self.stdout.write(f"MC1 {mean.mc1:.4f}  MC2 {mean.mc2:.4f}  n {mean.n}")


def _print_faults(faults: list[ScoreFault]) -> str:
    lines = [f"Nothing was scored: {len(faults)} rows cannot be read."]
    lines += [f"  {fault}" for fault in faults[:MOST_SHOWN]]
    if len(faults) > MOST_SHOWN:
        lines.append(f"  … and {len(faults) - MOST_SHOWN} more")
    return "\n".join(lines)
