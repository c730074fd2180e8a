"""One action on many items of the review desk: preview, carrying it out, progress, undo."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import ensure_lead_place
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.ui.navigation import frame_context
from annotation.ui.pages import whole_number
from validation.review.actions.many import many_begin, undo_begin, undoable_steps
from validation.review.queries import many as fetch
from validation.review.rules import many as rules
from validation.review.rules.filters import Filters
from validation.review.views.desk import filters_of, list_row
from validation.voting.rules.flags import FLAG_NAMES

SHOWN = 25
LEFT_SHOWN = 100
QUIET_SECONDS = 60


def _read_act(sent: QueryDict) -> rules.BulkAct:
    """What the form asks for; Invalid for an act or a flag that there is not."""
    wish = rules.BulkAct(sent.get("act", ""), sent.get("close", ""), sent.get("words", ""))
    if wish.act not in rules.ACT_NAMES:
        raise Invalid(field="act", code="choice_unknown")
    if wish.act == rules.CLOSE and wish.flag not in FLAG_NAMES:
        raise Invalid(field="close", code="flag_missing")
    return wish


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def many(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what an act would do to the chosen items; POST does it to those that were shown."""
    membership = access.lead_membership(request.user, slug)
    filters = filters_of(request, membership)
    if request.method == "POST":
        return _begin(request, membership, filters)
    try:
        wish = _read_act(request.GET)
    except Invalid as refusal:
        return _preview(request, membership, filters, rules.BulkAct(""), None, problem=refusal.code)
    if request.GET.get("which") == "all":
        return _preview(request, membership, filters, wish, fetch.preview_of_filters(membership, filters, wish))
    ids = [whole_number(each) for each in request.GET.getlist("item")]
    return _preview(request, membership, filters, wish, fetch.preview_of_ids(membership, ids, wish))


def _begin(request: HttpRequest, membership: Membership, filters: Filters) -> HttpResponse:
    wish, (_membership, lead) = (
        _read_act(request.POST),
        ensure_lead_place(request.user, membership.project.slug),
    )
    try:
        items = rules.parse_versions(request.POST.get("items", ""))
    except ValueError as error:
        raise Invalid(field="items", code="choice_unknown") from error
    try:
        job = many_begin(lead=lead, wish=wish, items=items)
    except Invalid as refusal:
        again = fetch.preview_of_ids(membership, dict(items), wish, dict(items))
        return _preview(request, membership, filters, wish, again, problem=refusal.code)
    return redirect("desk_many_job", slug=membership.project.slug, job_id=job.pk)


def _preview(
    request: HttpRequest,
    membership: Membership,
    filters: Filters,
    wish: rules.BulkAct,
    found: fetch.Preview | None,
    *,
    problem: str = "",
) -> HttpResponse:
    if found is not None and not found.included_items and not problem:
        problem = "many_none"
    context = {
        **frame_context(membership, "desk"),
        "filters": filters,
        "wish": wish,
        "act_name": rules.ACT_NAMES.get(wish.act, ""),
        "flag_name": FLAG_NAMES.get(wish.flag, ""),
        "needs_words": wish.act == rules.EXCLUDE,
        "found": found,
        "rows": _rows(membership, found.included_items[:SHOWN]) if found else [],
        "further": max(len(found.included_items) - SHOWN, 0) if found else 0,
        "left": [(why, items) for why, items in found.excluded_items.items()] if found else [],
        "most": rules.MOST,
        "kind": membership.project.kind_spec,
        "problem": problem,
    }
    status = 422 if problem and request.method == "POST" else 200
    return render(request, "validation/review/many.html", context, status=status)


def _rows(membership: Membership, items: list[Item]) -> list[dict[str, Any]]:
    contents = content_queries.contents(items)
    return [list_row(item, membership.project.kind_spec, contents[item.pk]) for item in items]


@login_required
@require_GET
def many_job(request: HttpRequest, slug: str, job_id: int) -> HttpResponse:
    """How far an act is, what it did, what it left out and why; and the button that takes it back."""
    membership = access.lead_membership(request.user, slug)
    return _job_page(request, membership, fetch.job_of(membership, job_id))


def _job_page(request: HttpRequest, membership: Membership, job: Job, problem: str = "") -> HttpResponse:
    unfinished = job.state in jobs.UNFINISHED
    left: list[tuple[int, str]] = job.result.get("left", [])
    keys: Mapping[int, str] = dict(
        Item.objects.filter(pk__in=[pk for pk, _why in left[:LEFT_SHOWN]]).values_list("pk", "key")
    )
    context = {
        **frame_context(membership, "desk"),
        "job": job,
        "unfinished": unfinished,
        "nobody": unfinished and job.state == Job.State.QUEUED and jobs.worker_is_quiet(QUIET_SECONDS),
        "act_name": rules.ACT_NAMES.get(job.args["act"], gettext("Undo")),
        "flag_name": FLAG_NAMES.get(job.args.get("flag", ""), ""),
        "done": job.result.get("done", 0),
        "left_n": len(left),
        "left": [(pk, keys[pk], problem_words(why)) for pk, why in left[:LEFT_SHOWN] if pk in keys],
        "undoable": 0 if unfinished else undoable_steps(job).count(),
        "problem": problem,
    }
    return render(request, "validation/review/many_job.html", context, status=409 if problem else 200)


@login_required
@require_POST
def many_undo(request: HttpRequest, slug: str, job_id: int) -> HttpResponse:
    """Take an act back on the items to which nothing happened since."""
    membership, lead = ensure_lead_place(request.user, slug)
    job = fetch.job_of(membership, job_id)
    try:
        undoing = undo_begin(lead=lead, job=job)
    except Conflict as refusal:
        return _job_page(request, membership, job, refusal.code)
    return redirect("desk_many_job", slug=slug, job_id=undoing.pk)
