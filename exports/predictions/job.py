"""The job that scores a model's answers, and flags what every model misses though people agreed on it."""

from typing import Any

from django.db import transaction

from annotation.content.models.item import Item
from annotation.jobs.database import locked
from annotation.jobs.queue import Handle, handles
from exports.predictions import results
from exports.predictions.actions import JOB_KIND
from exports.predictions.models import Predictions
from exports.predictions.release_rows import asked, hides, items_of, kind_of
from exports.predictions.results import Other
from exports.predictions.rules import Asked, label_names
from exports.releases.models import Release
from exports.releases.rules.settings import TEST
from validation.review.actions.flags import flag_raise
from validation.review.rules.flags import MISSED

# With so many models before, a new one is compared with the newest of them.
MOST_COMPARED = 50
# One model that is wrong says more of the model than of the item.
FEWEST_MODELS = 2
AT_ONCE = 200


@handles(JOB_KIND)
def score(handle: Handle) -> dict[str, Any]:
    """Score the file that the job names; done again it comes to the same."""
    mine = Predictions.objects.select_related("release__project").get(pk=handle.job.args["predictions"])
    release, rows = mine.release, asked(mine.release)
    outcomes = results.outcomes_of(rows, mine.given)
    # Stored before others are read: of two models that are scored at once, one sees the other.
    _store(handle, mine, outcomes=outcomes)
    others = _others(mine)
    found = results.results(
        rows,
        mine.given,
        others,
        labels=label_names(kind_of(release)),
        seed=release.rules.get("seed") or release.project.seed,
        hidden=[TEST] if hides(release) else [],
    )
    _store(handle, mine, result=found)
    newest = {other.model: other.outcomes for other in others[::-1]} | {mine.model: outcomes}
    flagged = 0
    if len(newest) >= FEWEST_MODELS and mine.withdrawn_at is None:
        flagged = _flag(handle, release, rows, newest)
    return {"rows": len(outcomes), "flagged": flagged}


def _store(handle: Handle, mine: Predictions, **values: Any) -> None:
    with transaction.atomic():
        handle.fence()
        Predictions.objects.filter(pk=mine.pk).update(**values)


def _others(mine: Predictions) -> list[Other]:
    """What other models scored, the newest first."""
    done = Predictions.objects.filter(release=mine.release, withdrawn_at=None).exclude(outcomes={})
    rows = done.exclude(model=mine.model).order_by("-n")[:MOST_COMPARED]
    return [Other(n, model, outcomes) for n, model, outcomes in rows.values_list("n", "model", "outcomes")]


def _flag(handle: Handle, release: Release, rows: list[Asked], newest: dict[str, Any]) -> int:
    """Flag the items that every model answered wrong, a few at a time; how many they are."""
    answered = [outcomes for outcomes in newest.values() if outcomes]
    items = items_of(release)
    wanted = sorted(items[id] for id in results.missed(rows, answered) if id in items)
    detail = {"release": release.n, "models": len(answered)}
    for begin in range(0, len(wanted), AT_ONCE):
        with transaction.atomic():
            handle.fence()
            for item in locked(Item.objects.filter(pk__in=wanted[begin : begin + AT_ONCE]).order_by("pk")):
                flag_raise(item=item, code=MISSED, detail=detail)
        handle.progress(begin + AT_ONCE, len(wanted))
    return len(wanted)
