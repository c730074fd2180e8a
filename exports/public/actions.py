"""The only writers of public pages: open one, close it, take a report of an error in, answer it."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max, Q
from django.db.models.functions import Now

from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.text.normalise import storage_problem
from exports.public.given_out import questions_in
from exports.public.models import Erratum, Publication
from exports.public.queries import reveals_open_votes
from exports.public.rules import LONGEST_ITEM, LONGEST_REPORT, too_many_links
from exports.releases.models import Release
from validation.qualification.actions import quiz_item_retire
from validation.quality.actions.gold import gold_retire
from validation.quality.models import GoldQuestion

# Of one release so many reports wait for an answer; more are not taken before some are answered.
MOST_OPEN_REPORTS = 200


def publication_set(
    *, release: Release, by: User | None, public: bool, told: Mapping[str, Any], take_out: bool = False
) -> Publication:
    """Change the public page of a release, and open or close it. One with a DOI can be had elsewhere.

    Raises Conflict for a release that is not ready, or is only a part of one of several projects; and as
    `release_give_out` does.
    """
    if public and release.state != Release.State.READY:
        raise Conflict(code="publication_not_ready")
    if public and release.whole_id is not None:
        raise Conflict(code="publication_part")
    with transaction.atomic():
        page = Publication.objects.filter(release=release).first()
        was = page is not None and page.public
        if public and not was and release.replaced and not (page and page.files_withdrawn_at):
            raise Conflict(code="publication_replaced")
        if public:
            release_give_out(release=release, by=by, take_out=take_out)
        elif told.get("doi") and not release.published_at:
            release_give_out(release=release, by=by, take_out=take_out, with_open_votes=True)
        made, _ = Publication.objects.update_or_create(release=release, defaults={**told, "public": public, "by": by})
        if was != public:
            verb = "release_opened" if public else "release_closed"
            Event.record(release.project_id, by, verb, release=release.n)
    return made


def files_withdraw(*, release: Release, by: User | None) -> None:
    """Take the files of a release from its public page for good; copies under a DOI or on a hub are not reached.

    Raises Conflict for one that was not replaced.
    """
    with transaction.atomic():
        locked(Release.objects.filter(pk=release.pk)).get()
        if not release.replacements.exists():
            raise Conflict(code="files_not_replaced")
        if Publication.objects.filter(release=release, files_withdrawn_at=None).update(files_withdrawn_at=Now(), by=by):
            Event.record(release.project_id, by, "files_withdrawn", release=release.n)


def release_give_out(
    *, release: Release, by: User | None, take_out: bool = False, with_open_votes: bool = False
) -> None:
    """Remember for good that the public files of a release leave the installation; what they would give away is taken
    out of gold questions and quizzes (`take_out`).

    Raises Conflict without `take_out` where there is something; and, unless `with_open_votes`, where the files hold
    votes on items that are voted on now.
    """
    with transaction.atomic():
        of_it = Q(pk=release.pk) | Q(whole=release.pk)
        # Whoever chooses a question there waits, and finds then that its source is given out.
        projects = Project.objects.filter(pk__in=Release.objects.filter(of_it).values("project")).order_by("pk")
        list(locked(projects).values_list("pk", flat=True))
        known = questions_in(release)
        if known and not take_out:
            raise Conflict(code="publication_questions")
        for question in known.gold:
            gold_retire(question=question, by=by, why=GoldQuestion.Why.PUBLIC)
        for row in known.quiz:
            quiz_item_retire(row=row, by=by)
        # What asks again about its items waits, and finds the page open, or is found here.
        locked(Release.objects.filter(pk=release.pk)).get()
        if not with_open_votes and reveals_open_votes(release):
            raise Conflict(code="publication_open_votes")
        Release.objects.filter(of_it, published_at=None).update(published_at=Now())


def erratum_report(*, release: Release, item: str, text: str) -> Erratum:
    """Take a report in; the same words again are the same report. Raises Invalid, and Conflict where too many wait."""
    item, text = item.strip(), text.strip()
    if not text or len(text) > LONGEST_REPORT or storage_problem(text):
        raise Invalid(field="text", code="erratum_text")
    if len(item) > LONGEST_ITEM or storage_problem(item):
        raise Invalid(field="item", code="erratum_item")
    if too_many_links(item + " " + text):
        raise Invalid(field="text", code="erratum_links")
    with transaction.atomic():
        fresh = locked(Release.objects.filter(pk=release.pk)).get()
        mine = Erratum.objects.filter(release=fresh)
        same = mine.filter(item=item, text=text).first()
        if same is not None:
            return same
        if mine.filter(state=Erratum.State.OPEN).count() >= MOST_OPEN_REPORTS:
            raise Conflict(field="text", code="errata_too_many")
        n = (mine.aggregate(n=Max("n"))["n"] or 0) + 1
        made = Erratum.objects.create(release=fresh, n=n, item=item, text=text)
        Event.record(release.project_id, None, "erratum_reported", release=release.n, n=n)
    return made


def erratum_answer(*, erratum: Erratum, by: User | None, answer: str, hide: bool = False) -> None:
    """Answer a report, which shows it on the public page, or hide it. Again: what is said last."""
    answer = answer.strip()
    if not hide and (not answer or len(answer) > LONGEST_REPORT or storage_problem(answer)):
        raise Invalid(field="answer", code="erratum_answer")
    state = Erratum.State.HIDDEN if hide else Erratum.State.ANSWERED
    with transaction.atomic():
        Erratum.objects.filter(pk=erratum.pk).update(
            state=state, answer="" if hide else answer, answered_by=by, answered_at=Now()
        )
        verb = "erratum_hidden" if hide else "erratum_answered"
        Event.record(erratum.release.project_id, by, verb, release=erratum.release.n, n=erratum.n)
