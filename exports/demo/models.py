"""Three invented models, and their answers to the demo's first release.

They know what is true, and err on drawn rows, none of them where both others do. One pair of the demo has a wrong gold
label that everybody agreed on (`planted` in sets.jsonl says what is true): all three miss it, and so it stands on the
review desk.
"""

import json

from annotation.content.models.item import Hypothesis
from annotation.core.rules.draws import fraction
from annotation.jobs import queue as jobs
from exports.demo.story import SEED, rows
from exports.predictions.actions import predictions_add
from exports.predictions.release_rows import asked_rows, items_of
from exports.releases.models import Release

# Each errs where the draw of a row is from the first to below the second number.
MODELS = {"contoh-besar": (0.94, 1.0), "contoh-sedang": (0.0, 0.2), "contoh-kecil": (0.1, 0.5)}


def score_models(release: Release) -> None:
    """Have the answers of each model scored, once the release is built."""
    release.refresh_from_db()
    texts = [text for row in rows("sets.jsonl") for text in row["hypotheses"]]
    truth = {text["text"]: text["planted"] for text in texts if "planted" in text}
    items, questions = items_of(release), asked_rows(release)
    written = dict(Hypothesis.objects.filter(project=release.project).values_list("pk", "text"))
    for model, (first, last) in MODELS.items():
        lines = []
        for each in questions:
            true = truth.get(written[items[each.id][0]], each.gold)
            errs = first <= fraction(SEED, "model", written[items[each.id][0]]) < last
            others = [label for label in each.options if label not in (true, each.gold)]
            said = others[0] if errs else true
            shares = {label: 0.8 if label == said else 0.1 for label in each.options}
            lines.append(json.dumps({"id": each.id, "prediction": said, "probabilities": shares}).encode())
        made = predictions_add(
            release=release, by=None, model=model, name="demo.jsonl", chunks=[b"\n".join(lines)], here=True
        )
        assert made.job is not None  # noqa: S101 - predictions_add made it
        jobs.run_here(made.job)
