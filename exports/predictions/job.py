"""The job that scores a model's answers, and flags items that every model misses although people agreed."""

from typing import Any

from django.conf import settings
from django.db import transaction

from annotation.content.models.item import Item
from annotation.core.database import locked
from annotation.jobs.queue import Handle, handles
from exports.formats.rules import source_free
from exports.predictions import results
from exports.predictions.actions import JOB_KIND, baseline_add
from exports.predictions.checked import agreement_with_people
from exports.predictions.models import Predictions
from exports.predictions.release_rows import (
    asked_rows,
    contents_of,
    hides_test_answers,
    items_of,
    kind_of,
    sources_of,
    votes_behind_soft_labels,
)
from exports.predictions.results import Other
from exports.predictions.rules import TEXT, AskedRow, label_names
from exports.releases.models import Release
from exports.releases.rules.settings import TEST
from exports.scoring.neural import installed_scorers
from exports.scoring.open_ended import OVERLAPS
from validation.insights.reports.reading import once_a_second
from validation.voting.actions.flags import flag_raise
from validation.voting.rules.flags import MISSED_BY_MODELS

# With so many models before, a new one is compared with the newest of them.
MOST_COMPARED = 50
# One model that is wrong says more of the model than of the item.
FEWEST_MODELS = 2
AT_ONCE = 200


@handles(JOB_KIND)
def score(handle: Handle) -> dict[str, Any]:
    """Score the file that the job names; done again it comes to the same."""
    mine = Predictions.objects.select_related("release__project").get(pk=handle.job.args["predictions"])
    release, rows = mine.release, asked_rows(mine.release)
    hidden = _hidden_splits(release)
    if not mine.baseline:
        _baseline(handle, release, rows)
    _score(handle, mine, rows)
    mine.refresh_from_db()
    flagged, newest = 0, _newest_right_or_wrong(release)
    if len(newest) >= FEWEST_MODELS and mine.withdrawn_at is None:
        # A flag on an item says what models scored on it.
        flagged = _flag_missed_items(handle, release, [each for each in rows if each.split not in hidden], newest)
    return {"rows": len(mine.outcomes), "flagged": flagged}


def _score(handle: Handle, mine: Predictions, rows: list[AskedRow]) -> None:
    release, given, missing = mine.release, mine.given, dict[str, str]()
    if any(row.targets is not None and TEXT in given.get(row.id, ()) for row in rows):
        scorers = installed_scorers(settings.MUFAKAT_DATA_DIR)
        given, missing = results.with_margins(rows, given, {**OVERLAPS, **scorers.measures}), dict(scorers.missing)
    outcomes = results.outcomes_of(rows, given)
    # Stored before others are read: of two models that are scored at once, one sees the other.
    _store(handle, mine, outcomes=outcomes)
    others = _scores_of_others(mine)
    found = results.results(
        rows,
        given,
        others,
        labels=label_names(kind_of(release)),
        seed=release.rules.get("seed") or release.project.seed,
        hidden=_hidden_splits(release),
        missing=missing,
        over=votes_behind_soft_labels(release),
        sources=sources_of(release),
    )
    found["assisted"] = agreement_with_people(release, given, lambda: handle.progress(handle.job.done))
    _store(handle, mine, result=found)


def _hidden_splits(release: Release) -> list[str]:
    return [TEST] if hides_test_answers(release) else []


def _baseline(handle: Handle, release: Release, rows: list[AskedRow]) -> None:
    """Score the predictions without the source, once a release; nothing if nothing can be learnt."""
    kind, seed = kind_of(release), release.rules.get("seed") or release.project.seed
    if kind.partial_input is None:
        return
    there = Predictions.objects.filter(release=release, baseline=True).first()
    if there is not None:
        if not there.result:  # a job stored it, and was killed before it had scored it
            _score(handle, there, rows)
        return
    contents = contents_of(release)
    known = [each for each in rows if each.id in contents]
    given = source_free.baseline_answers(
        kind, known, contents, seed, once_a_second(lambda: handle.progress(handle.job.done))
    )
    if given:
        with transaction.atomic():
            handle.lock_claim()
            made = baseline_add(release=release, name=kind.partial_input.name, given=given)
        _score(handle, made, rows)


def _newest_right_or_wrong(release: Release) -> dict[str, Any]:
    """What the newest file of labels of each model scored; a baseline is no model."""
    done = Predictions.objects.filter(release=release, withdrawn_at=None, baseline=False).exclude(outcomes={})
    rows = done.order_by("-n")[: MOST_COMPARED + 1].values_list("model", "outcomes")
    return {model: outcomes for model, outcomes in list(rows)[::-1] if results.are_right_or_wrong(outcomes.values())}


def _store(handle: Handle, mine: Predictions, **values: Any) -> None:
    with transaction.atomic():
        handle.lock_claim()
        Predictions.objects.filter(pk=mine.pk).update(**values)


def _scores_of_others(mine: Predictions) -> list[Other]:
    """What other models scored, the newest first."""
    done = Predictions.objects.filter(release=mine.release, withdrawn_at=None).exclude(outcomes={})
    rows = done.exclude(model=mine.model).order_by("-n")[:MOST_COMPARED]
    return [Other(*each) for each in rows.values_list("n", "model", "outcomes", "baseline")]


def _flag_missed_items(handle: Handle, release: Release, rows: list[AskedRow], newest: dict[str, Any]) -> int:
    """Flag the items that every model answered wrong, a few at a time; how many they are."""
    answered = list(newest.values())
    items = items_of(release)
    wanted = sorted(items[id][0] for id in results.missed_by_all_models(rows, answered) if id in items)
    detail = {"release": release.n, "models": len(answered)}
    for begin in range(0, len(wanted), AT_ONCE):
        with transaction.atomic():
            handle.lock_claim()
            for item in locked(Item.objects.filter(pk__in=wanted[begin : begin + AT_ONCE]).order_by("pk")):
                flag_raise(item=item, code=MISSED_BY_MODELS, detail=detail)
        handle.progress(begin + AT_ONCE, len(wanted))
    return len(wanted)
