"""One item with all that happened to it, and what a lead can do about it."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import lead_place
from annotation.core.errors import Conflict, Invalid, NotFound, Refusal
from annotation.core.models.member import Annotator
from annotation.elicitation.queries import looked_at
from annotation.ui.navigation import rooms
from annotation.ui.pages import number
from validation.consensus import stages
from validation.group_review.queries import kinship_of
from validation.insights.queries import text_metrics as measured
from validation.review.actions.comments import comment_add
from validation.review.actions.corrections import correct, proposal_accept, proposal_decline
from validation.review.actions.decisions import adjudicate, approve, exclude, reopen, return_
from validation.review.queries import desk as fetch
from validation.review.queries.desk import Neighbours
from validation.review.queries.item_detail import ItemDetail, detail_of
from validation.review.rules.filters import Filters
from validation.review.views import assess
from validation.review.views.desk import filters_of
from validation.voting.actions.votes import vote_void

Act = Callable[[Annotator, int, int, QueryDict], Any]


def _number(post: QueryDict, name: str) -> int:
    raw = post.get(name, "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 18 else 0


def _approve(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    meaning, words = post.get("meaning", ""), post.get("words", "")
    unseen = "unseen" in post
    approve(lead=lead, item_id=item, version=version, meaning=meaning, words=words, unseen=unseen)


def _return(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    error, words = post.get("error_type", ""), post.get("words", "")
    return_(lead=lead, item_id=item, version=version, error_type=error, words=words)


def _correct(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    given = {name: post.get(name, "") for name in ("field", "text", "meaning", "words")}
    correct(lead=lead, item_id=item, version=version, **given)


def _adjudicate(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    if not post.get("label"):
        raise Invalid(field="label", code="label_missing")
    label, words = post.get("label", ""), post.get("words", "")
    adjudicate(lead=lead, item_id=item, version=version, label=label, words=words)


def _exclude(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    exclude(lead=lead, item_id=item, version=version, words=post.get("words", ""))


def _reopen(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    reopen(lead=lead, item_id=item, version=version, words=post.get("words", ""))


def _void(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    if not post.get("words", "").strip():
        raise Invalid(field="words", code="words_missing")
    vote_void(
        lead=lead, item_id=item, vote_n=_number(post, "vote"), version=version, reason=post.get("words", "")
    )


def _accept(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    meaning, words = post.get("meaning", ""), post.get("words", "")
    proposal_accept(
        lead=lead,
        item_id=item,
        version=version,
        proposal_id=_number(post, "proposal"),
        meaning=meaning,
        words=words,
    )


def _decline(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    proposal_decline(
        lead=lead,
        item_id=item,
        version=version,
        proposal_id=_number(post, "proposal"),
        words=post.get("words", ""),
    )


def _comment(lead: Annotator, item: int, version: int, post: QueryDict) -> None:
    comment_add(lead=lead, item_id=item, text=post.get("text", ""))


# What is done, how it is said, and whether the list goes on after it.
ACTS: Mapping[str, tuple[Act, str, bool]] = {
    "approve": (_approve, _("Approved."), True),
    "return": (_return, _("Returned to its writer."), True),
    "correct": (_correct, _("Corrected."), True),
    "adjudicate": (_adjudicate, _("Settled by you."), True),
    "exclude": (_exclude, _("Excluded."), True),
    "reopen": (_reopen, _("Reopened."), False),
    "void": (_void, _("The vote does not count any more; another is asked for."), False),
    "accept": (_accept, _("The proposal is the text now."), False),
    "decline": (_decline, _("The text stays as it is."), False),
    "comment": (_comment, _("Your comment is kept."), False),
    "assess": (assess.assess, _("Checked."), True),
}


@login_required
@require_GET
def item(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """The item's page, with what leads and administrators can do about it."""
    membership = access.overseer(request.user, slug)
    filters = filters_of(request, membership)
    here = fetch.item(membership, item_id)
    return _page(request, membership, here, filters, fetch.neighbours(membership, filters, here))


@login_required
@require_POST
def item_act(request: HttpRequest, slug: str, item_id: int, act: str) -> HttpResponse:
    """Do one thing and go on with the list; what cannot be done keeps what was typed and says why."""
    membership = access.overseer(request.user, slug)
    if act not in ACTS:
        raise NotFound
    filters = filters_of(request, membership)
    here = fetch.item(membership, item_id)
    membership, lead = lead_place(request.user, slug)
    beside = fetch.neighbours(membership, filters, here)
    do, done, goes_on = ACTS[act]
    try:
        do(lead, item_id, number(request, "version"), request.POST)
    except (Conflict, Invalid) as refusal:
        return _refused(request, membership, item_id, filters, act, refusal)
    messages.success(request, gettext(done))
    if act == "assess":
        return redirect(assess.onward(membership, filters, here, slug))
    return redirect(_onward(slug, item_id, filters, beside, goes_on))


def _onward(slug: str, item_id: int, filters: Filters, beside: Neighbours, goes_on: bool) -> str:
    """The next item of the list, or the list itself after its last one."""
    trail = f"?{filters.trail}" if filters.trail else ""
    if not goes_on:
        return reverse("item", args=[slug, item_id]) + trail
    if beside.after is not None:
        return reverse("item", args=[slug, beside.after]) + trail
    query = filters.query.rstrip("&")
    return reverse(filters.of, args=[slug]) + (f"?{query}" if query else "")


def _refused(
    request: HttpRequest, membership: Membership, item_id: int, filters: Filters, act: str, refusal: Refusal
) -> HttpResponse:
    """The page as the item stands now, with what was typed and what happened since."""
    here = fetch.item(membership, item_id)
    stale = refusal.code == "stale"
    return _page(
        request,
        membership,
        here,
        filters,
        fetch.neighbours(membership, filters, here),
        status=409 if isinstance(refusal, Conflict) else 422,
        act=act,
        typed=request.POST,
        problem="stale_item" if stale else refusal.code,
        refusal=refusal,
        seen=number(request, "version") if stale else None,
    )


def _page(
    request: HttpRequest,
    membership: Membership,
    here: Item,
    filters: Filters,
    beside: Neighbours,
    *,
    status: int = 200,
    act: str = "",
    typed: Mapping[str, Any] | None = None,
    problem: str = "",
    refusal: Refusal | None = None,
    seen: int | None = None,
) -> HttpResponse:
    found = detail_of(here)
    sent = typed if act == "assess" else None
    form = assess.form_of(found, sent, refusal if act == "assess" else None)
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "desk"),
        "keys_off": not membership.user.single_keys,
        "item": here,
        "detail": found,
        "kinship": kinship_of(here),
        "looks": looked_at(here),
        "asks_unseen": here.stage == stages.SUBMITTED or (here.stage == stages.CORRECTED and not found.began),
        "sure": measured.sure_of(here),
        "can": _can(found, checks=form is not None and form.first),
        "form": form,
        "verdicts": assess.verdicts_of(here),
        "kind": membership.project.kind_spec,
        "filters": filters,
        "beside": beside,
        "act": act,
        "typed": typed or {},
        "problem": problem,
        "since": found.since(seen) if seen is not None else [],
        "changes_since": found.changes_since(seen) if seen is not None else [],
    }
    return render(request, "validation/review/item.html", context, status=status)


def _can(found: ItemDetail, *, checks: bool = False) -> dict[str, bool]:
    """What the stage table lets a lead do with the item as it stands.

    Where a machine's item waits for its check, that form does most of it (`checks`).
    """
    stage, author = found.item.stage, found.item.author
    corrected, excluded = stage == stages.CORRECTED, stage == stages.EXCLUDED
    reachable = author is not None and author.user_id is not None and author.left_at is None
    event = stages.reopening(in_validation=found.began, unchecked=found.unchecked)
    if checks:
        return {
            "any": stages.can(stage, stages.ADJUDICATE),
            "adjudicate": stages.can(stage, stages.ADJUDICATE),
        }
    return {
        "any": True,
        "approve": not (excluded and not found.by_house)
        and any(stages.can(stage, how) for how in (stages.APPROVE, stages.APPROVE_WRITTEN)),
        "meaning": corrected and found.began,
        "return": reachable and stages.can(stage, stages.RETURN),
        "correct": stages.can(stage, stages.CORRECT_SAME),
        "adjudicate": stages.can(stage, stages.ADJUDICATE) and (found.began or not excluded),
        "exclude": stages.can(stage, stages.EXCLUDE),
        "reopen": stages.can(stage, event) and not found.by_house,
    }
