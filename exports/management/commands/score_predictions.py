"""`manage.py score_predictions PROJECT N FILE --model NAME`: a model's score on a release."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.core.rules.os_errors import os_reason
from annotation.jobs import queue as jobs
from exports.predictions.actions import predictions_add
from exports.predictions.models import Predictions
from exports.predictions.queries import MEASURES, standings
from exports.releases.models import Release
from exports.scoring.free_answers import missing_sentences

UNUSABLE = 2


class Command(BaseCommand):
    """Exit 0; 1 where the file does not fit the release, or scoring failed; 2 where one of them cannot be used."""

    help = "Store a model's predictions for a release, score them, and print the figures; of restarts their means."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        parser.add_argument("n", metavar="N", type=int, help="the release's number")
        parser.add_argument("file", metavar="FILE", type=Path, help="JSON Lines, a JSON list or CSV; also .gz")
        parser.add_argument("--model", required=True, help="the model's name in the results")
        parser.add_argument("--restart", default="", help="which of the model's restarts it is, such as a seed")
        parser.add_argument("--json", action="store_true", help="print all results as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        release = Release.objects.filter(project__slug=options["project"], n=options["n"]).first()
        if release is None:
            raise CommandError("There is no such release.", returncode=UNUSABLE)
        file: Path = options["file"]
        try:
            with file.open("rb") as chunks:
                given: dict[str, Any] = {name: options[name] for name in ("model", "restart")}
                made = predictions_add(release=release, by=None, here=True, name=file.name, chunks=chunks, **given)
        except OSError as failed:
            raise CommandError(f"{file}: {os_reason(failed)}", returncode=UNUSABLE) from None
        except (Invalid, Conflict) as refused:
            raise CommandError(refused.message or problem_words(refused.code)) from None
        if not made.result and made.job is not None and (failed_with := jobs.run_here(made.job).error):
            raise CommandError(failed_with)
        self._tell(Predictions.objects.get(pk=made.pk), whole=options["json"])

    def _tell(self, made: Predictions, *, whole: bool) -> None:
        if whole:
            self.stdout.write(json.dumps({"n": made.n, "model": made.model, **made.result}))
            return
        for split, split_figures in made.result["splits"].items():
            figures = [
                f"{name} {split_figures['figures'][name]['value']:.4f}"
                for name in MEASURES
                if name in split_figures["figures"]
            ]
            self.stdout.write(f"{split}  {'  '.join(figures)}  n {split_figures['rows']}")
            for sentence in missing_sentences(split_figures.get("missing", {})):
                self.stdout.write(sentence)
        for split, ranked in standings(made.release).items():
            for standing in ranked:
                if standing.predictions.model == made.model and standing.restarts > 1:
                    means = (f"{name} {of['value']:.4f} ({of['sd']:.4f})" for name, of in standing.figures.items())
                    self.stdout.write(f"{split}  {'  '.join(means)}  mean (sd) of {standing.restarts} restarts")
