"""One output a screen: a rater's answers, stored once, taken back within ten minutes (Kalahi Appendix I)."""

import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.jobs.database import after, locked
from annotation.pay import actions as pay
from annotation.pay.rules import RATE, Counted
from annotation.text.normalise import storable
from validation.studies.models import Rating, RatingRun
from validation.studies.queries.ratings import criteria_of
from validation.studies.rules.ratings import NO, YES

LONGEST_COMMENT = 2_000


class Saved(NamedTuple):
    """A stored rating, and whether it had been stored before (a replay)."""

    rating: Rating
    replayed: bool


def rating_next(*, annotator: Annotator) -> Rating | None:
    """What this person rates next, the time noted when they are first shown it; None where nothing waits."""
    waiting = Rating.objects.filter(
        annotator=annotator, answered_at=None, run__state=RatingRun.State.OPEN
    ).select_related("run", "generation__item__target")
    rating = waiting.order_by("run", "position").first()
    if rating is not None and rating.shown_at is None:
        Rating.objects.filter(pk=rating.pk, shown_at=None).update(shown_at=Now())
    return rating


def rating_save(*, annotator: Annotator, token: str, answers: Mapping[str, str], comment: str = "") -> Saved:
    """Store yes or no for every criterion. The same again answers as before; anything else then is a Conflict.

    Raises NotFound for a token that is not this person's, Conflict where the rating or the project was closed,
    Invalid where a criterion has no answer (`missing` names them).
    """
    with transaction.atomic():
        rating, moment = _held(annotator, token)
        given = {name: answers.get(name, "") for name in criteria_of(rating.run)}
        words = comment.strip()
        if rating.answered_at is not None:
            if (rating.answers, rating.comment) != (given, words):
                raise Conflict(code="rating_differs")
            return Saved(rating, replayed=True)
        if rating.run.state != RatingRun.State.OPEN:
            raise Conflict(code="rating_closed")
        if rating.run.project.closed_at is not None:
            raise Conflict(code="project_closed")
        check_answers(given, words, (YES, NO), "criteria_unanswered")
        rating.answers, rating.comment, rating.answered_at = given, words, moment
        begun = rating.shown_at or moment
        rating.seconds = max(0.0, (moment - begun).total_seconds())
        rating.save(update_fields=["answers", "comment", "answered_at", "seconds"])
        _pay(rating)
    return Saved(rating, replayed=False)


def rating_back(*, annotator: Annotator) -> Rating:
    """Take back one's last rating within ten minutes; its answers stay to be changed, its old token ends."""
    young = Rating.objects.filter(annotator=annotator, answered_at__gt=after(-settings.TAKE_BACK_SECONDS))
    last = young.order_by("-answered_at", "-pk").values_list("token", flat=True).first()
    if last is None:
        raise Conflict(code="nothing_to_take_back")
    with transaction.atomic():
        rating, moment = _held(annotator, last)
        closed = rating.run.state != RatingRun.State.OPEN or rating.run.project.closed_at is not None
        if rating.answered_at is None or closed:
            raise Conflict(code="nothing_to_take_back")
        if rating.run.project.pays:
            pay.unpost(key=pay.rate_key(rating.pk, rating.token))
        rating.answered_at, rating.shown_at, rating.token = None, moment, secrets.token_urlsafe(18)
        rating.save(update_fields=["answered_at", "shown_at", "token"])
    return rating


def _pay(rating: Rating) -> None:
    """What one rated output earned: no text is written or voted on, so it counts as one item."""
    if not rating.run.project.pays:
        return
    item = rating.generation.item
    pay.post(
        project=item.project_id,
        annotator=rating.annotator_id,
        target=item.target_id,
        item=item.pk,
        action=RATE,
        key=pay.rate_key(rating.pk, rating.token),
        counted=Counted(item=1),
    )


def _held(annotator: Annotator, token: str) -> tuple[Rating, datetime]:
    """Lock one of this person's ratings; with it what the database's clock says."""
    rows = Rating.objects.select_related("run__project", "generation__item__target").annotate(moment=Now())
    rating = locked(rows.filter(token=token, annotator=annotator)).first()
    if rating is None:
        raise NotFound
    return rating, vars(rating)["moment"]


def check_answers(given: Mapping[str, str], comment: str, known: Collection[str], code: str) -> None:
    """Raise Invalid where an answer is missing (`missing` names all), or the comment cannot be stored."""
    missing = [name for name, answer in given.items() if answer not in known]
    if missing:
        raise Invalid(field=missing[0], code=code, missing=missing)
    if storable(comment) or len(comment) > LONGEST_COMMENT:
        raise Invalid(field="comment", code="text_not_storable")
