"""The only writers of predictions: take a file in, withdraw it, show the results of a release to everybody or not."""

import hashlib
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now
from django.utils.translation import gettext

from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.core.models.member import Event
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.text.normalise import storage_problem
from exports.predictions.models import Leaderboard, Predictions
from exports.predictions.reading import Reader, ReadFile, problem_texts
from exports.predictions.release_rows import asked_rows, hides_test_answers, kind_of
from exports.releases.models import Release

JOB_KIND = "predictions"
LONGEST_MODEL, LONGEST_RESTART = 120, 40
# The maximum of files a day for a release with hidden answers: each reveals a little of them.
HIDDEN_A_DAY = 3
MOST_PROBLEMS_SHOWN = 3


def predictions_add(
    *,
    release: Release,
    by: User | None,
    model: str,
    name: str,
    chunks: Iterable[bytes],
    restart: str = "",
    here: bool = False,
) -> Predictions:
    """Take a model's answers in and have them scored; the same file of the same model and restart is taken once.

    `name` is the file's, whose ending tells its form; `restart` which of the model's restarts it is, empty where it has
    none; `here` where the caller scores them. Raises Invalid (with
    `read`, what is wrong by row) where it cannot be read or does not fit, Conflict where the release asks nothing, or
    was asked too often today.
    """
    model, restart = " ".join(model.split()), " ".join(restart.split())
    if not model or len(model) > LONGEST_MODEL or storage_problem(model):
        raise Invalid(field="model", code="predictions_model")
    if len(restart) > LONGEST_RESTART or storage_problem(restart):
        raise Invalid(field="restart", code="predictions_restart")
    reader = Reader(asked_rows(release), list(dict.fromkeys([kind_of(release).export.id_column, "id"])))
    digest, read = _read(reader, name, chunks, restart)
    if read.refused:
        raise Invalid(_refusals(read), field="file", code="predictions_refused", read=read)
    with transaction.atomic():
        fresh = locked(Release.objects.filter(pk=release.pk)).get()
        mine = Predictions.objects.filter(release=fresh)
        same = mine.filter(model=model, digest=digest, withdrawn_at=None).first()
        if same is not None:
            return same
        if (
            hides_test_answers(fresh)
            and mine.filter(baseline=False, at__gt=Now() - timedelta(days=1)).count() >= HIDDEN_A_DAY
        ):
            raise Conflict(code="predictions_too_many", field="file")
        n = (mine.aggregate(n=Max("n"))["n"] or 0) + 1
        values = {"model": model, "restart": restart, "digest": digest, "given": read.answers}
        made = Predictions(release=fresh, n=n, by=by, **values)
        made.save(force_insert=True)
        args = {"predictions": made.pk}
        made.job = jobs.enqueue(kind=JOB_KIND, project=release.project, by=by, args=args, here=here)
        made.save(update_fields=["job"])
        Event.record(release.project_id, by, "predictions_added", release=release.n, n=n, model=model)
    return made


def baseline_add(*, release: Release, name: str, given: dict[str, Any]) -> Predictions:
    """Store what can be answered without the source, once a release; whoever calls has it scored."""
    fresh = locked(Release.objects.filter(pk=release.pk)).get()
    there = Predictions.objects.filter(release=fresh)
    n = (there.aggregate(n=Max("n"))["n"] or 0) + 1
    values = {"n": n, "model": name, "digest": "", "given": given}
    return there.get_or_create(release=fresh, baseline=True, defaults=values)[0]


def _refusals(read: ReadFile) -> str:
    """How many rows cannot be taken, and why the first ones cannot."""
    first = [
        (gettext("Row %(n)d: ") % {"n": n} if n else "") + gettext(message) % params
        for n, _, message, params in list(problem_texts(read.problems))[:MOST_PROBLEMS_SHOWN]
    ]
    return " ".join([problem_words("predictions_refused"), *first])


def _read(reader: Reader, name: str, chunks: Iterable[bytes], restart: str = "") -> tuple[str, ReadFile]:
    """The SHA-256 of restart and file, and what the file says. Raises Invalid."""
    from validation.imports.rules.problems import FileRefused
    from validation.imports.rules.records import open_source

    # Two restarts may answer alike.
    digest, written = hashlib.sha256(restart.encode()), 0
    with NamedTemporaryFile(prefix="predictions-") as file:
        for chunk in chunks:
            written += len(chunk)
            if written > settings.MUFAKAT_UPLOAD_MAX_BYTES:
                raise Invalid(gettext("The file is too large; pack it with gzip."), field="file", code="file_too_large")
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        try:
            source = open_source(Path(file.name), name)
            return digest.hexdigest(), reader.read(source.records())
        except FileRefused as refused:
            raise Invalid(refused.args[0], field="file", code=refused.code) from None


def predictions_withdraw(*, predictions: Predictions, by: User | None) -> None:
    """Take a model's answers out of all tables; what they scored stays stored. Again: nothing."""
    with transaction.atomic():
        done = Predictions.objects.filter(pk=predictions.pk, withdrawn_at=None).update(withdrawn_at=Now())
        if done:
            details = {"release": predictions.release.n, "n": predictions.n, "model": predictions.model}
            Event.record(predictions.release.project_id, by, "predictions_withdrawn", **details)


def leaderboard_set(*, release: Release, by: User | None, public: bool) -> None:
    """Show the results of a release's models to everybody, or to nobody but its leads and administrators."""
    with transaction.atomic():
        Leaderboard.objects.update_or_create(release=release, defaults={"public": public, "by": by})
        Event.record(
            release.project_id,
            by,
            "leaderboard_opened" if public else "leaderboard_closed",
            release=release.n,
        )
