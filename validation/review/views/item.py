"""One item with its history, and the actions of a lead."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.answers import FIELD_PREFIX
from annotation.content.models.item import Item, Revision
from annotation.content.queries import current_content
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import ensure_lead_place
from annotation.core.errors import Conflict, Invalid, NotFound, Refusal
from annotation.core.messages import problem_words
from annotation.core.models.member import Annotator
from annotation.elicitation.queries import second_look_standing
from annotation.kinds import text_at
from annotation.text.line_breaks import typed_text
from annotation.ui.navigation import frame_context
from annotation.ui.pages import posted_number, with_media
from validation.consensus import stages
from validation.group_review.queries import lineage_of
from validation.insights.queries import text_metrics as measured
from validation.review.actions.assessments import item_assess
from validation.review.actions.corrections import correct, proposal_accept, proposal_decline
from validation.review.actions.decisions import (
    adjudicate,
    approve,
    comment_add,
    flag_close,
    reopen,
    return_item,
)
from validation.review.queries import desk as fetch
from validation.review.queries.answers import gold_form
from validation.review.queries.desk import Neighbours
from validation.review.queries.item_detail import ItemDetail, detail_of
from validation.review.rules.filters import Filters
from validation.review.views import assess
from validation.review.views.desk import filters_of
from validation.voting.actions.steps import SAME_MEANING, bar_lead_from_voting, exclude
from validation.voting.actions.verdicts import protocol_of
from validation.voting.actions.votes import vote_void
from validation.voting.rules.card_questions import CardQuestion, posted_answers


def _number(post: QueryDict, name: str) -> int:
    raw = post.get(name, "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 18 else 0


def _read_required(post: QueryDict, name: str) -> str:
    sent = post.get(name, "")
    if not sent.strip():
        raise Invalid(field=name, code=f"{name}_missing")
    return sent


# What actions take of a form that is no plain text.
FIELD_READERS: Mapping[str, Callable[[QueryDict], Any]] = {
    "unseen": lambda post: "unseen" in post,
    "label": lambda post: "" if posted_answers(post.lists()) else _read_required(post, "label"),
    "posted": lambda post: posted_answers(post.lists()),
    "reason": lambda post: _read_required(post, "words"),
    "vote_n": lambda post: _number(post, "vote"),
    "proposal_id": lambda post: _number(post, "proposal"),
    "check": assess.read,
}


@dataclass(frozen=True)
class Act:
    """What a lead can do: the action, what it takes of the form, how it is said, whether the list goes on after it."""

    do: Callable[..., Any]
    takes: tuple[str, ...]
    done: str
    goes_on: bool = False

    def __call__(self, lead: Annotator, item_id: int, version: int, post: QueryDict) -> None:
        """Do it with what was sent."""
        sent = {name: FIELD_READERS[name](post) if name in FIELD_READERS else post.get(name, "") for name in self.takes}
        self.do(lead=lead, item_id=item_id, version=version, **sent)


ACTS: Mapping[str, Act] = {
    "approve": Act(approve, ("meaning", "words", "unseen"), _("Approved."), True),
    "return": Act(return_item, ("error_type", "words"), _("Returned to its writer."), True),
    "correct": Act(correct, ("field", "text", "meaning", "words"), _("Corrected."), True),
    "adjudicate": Act(adjudicate, ("label", "words", "posted"), _("Settled by you."), True),
    "exclude": Act(exclude, ("words",), _("Excluded."), True),
    "reopen": Act(reopen, ("words",), _("Reopened.")),
    "void": Act(vote_void, ("vote_n", "reason"), _("The vote does not count any more; another is asked for.")),
    "accept": Act(proposal_accept, ("proposal_id", "meaning", "words"), _("The proposal is the text now.")),
    "decline": Act(proposal_decline, ("proposal_id", "words"), _("The text stays as it is.")),
    "close": Act(flag_close, ("flag", "words"), _("The flag is closed.")),
    "comment": Act(lambda version, **sent: comment_add(**sent), ("text",), _("Your comment is kept.")),
    "assess": Act(item_assess, ("check",), _("Checked."), True),
}


ASKED_ANEW = _(
    "Words that somebody marked do not stand in the new text, or more than once: the votes are set aside, and "
    "validation starts again."
)


@login_required
@require_GET
def item(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """The item's page, with what leads and administrators can do about it."""
    membership = access.lead_membership(request.user, slug)
    filters = filters_of(request, membership)
    here = fetch.item(membership, item_id)
    if membership.annotator is not None:
        bar_lead_from_voting(item_id=item_id, lead=membership.annotator)
    return _page(request, membership, here, filters, fetch.neighbours(membership, filters, here))


@login_required
@require_POST
def item_act(request: HttpRequest, slug: str, item_id: int, act: str) -> HttpResponse:
    """Do one thing and go on with the list; what cannot be done keeps what was typed and says why."""
    membership = access.lead_membership(request.user, slug)
    if act not in ACTS:
        raise NotFound
    filters = filters_of(request, membership)
    here = fetch.item(membership, item_id)
    membership, lead = ensure_lead_place(request.user, slug)
    beside = fetch.neighbours(membership, filters, here)
    try:
        ACTS[act](lead, item_id, posted_number(request, "version"), _with_stored_breaks(here, act, request.POST))
    except (Conflict, Invalid) as refusal:
        return _refused_page(request, membership, item_id, filters, act, refusal)
    messages.success(request, gettext(ACTS[act].done))
    if request.POST.get("meaning") == SAME_MEANING and Item.objects.filter(pk=item_id, epoch__gt=here.epoch).exists():
        messages.warning(request, gettext(ASKED_ANEW))
    if act == "assess":
        return redirect(assess.next_item_url(membership, filters, here, slug))
    return redirect(_next_url(slug, item_id, filters, beside, ACTS[act].goes_on))


def _with_stored_breaks(here: Item, act: str, post: QueryDict) -> QueryDict:
    """What was sent, where texts that nobody changed are the stored ones byte for byte."""
    fields = {"text": post.get("field", "")} if act == "correct" else {}
    if act == "assess":
        fields = {name: name.removeprefix(assess.TEXT) for name in post if name.startswith(assess.TEXT)}
    if not fields:
        return post
    content, sent = current_content(here), post.copy()
    for name, field in fields.items():
        sent[name] = typed_text(post.get(name, ""), text_at(content, field))
    return sent


def _next_url(slug: str, item_id: int, filters: Filters, beside: Neighbours, goes_on: bool) -> str:
    """The next item of the list, or the list itself after its last one."""
    trail = f"?{filters.trail}" if filters.trail else ""
    if not goes_on:
        return reverse("item", args=[slug, item_id]) + trail
    if beside.after is not None:
        return reverse("item", args=[slug, beside.after]) + trail
    query = filters.query.rstrip("&")
    return reverse(filters.of, args=[slug]) + (f"?{query}" if query else "")


def _refused_page(
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
        seen=posted_number(request, "version") if stale else None,
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
    found = detail_of(here, membership)
    wrong = ("", "")
    if refusal is not None and refusal.field.startswith(FIELD_PREFIX):
        wrong, problem = (refusal.field, problem_words(refusal.code) % refusal.details), "question_problem"
    sent = typed if act == "assess" else None
    form = assess.form_of(found, sent, refusal if act == "assess" else None)
    context = {
        **frame_context(membership, "desk"),
        "keys_off": not membership.user.single_keys,
        "item": here,
        "detail": found,
        "gold_form": _gold_form(here, typed if act == "adjudicate" else None, wrong) if found.answered else (),
        "kinship": lineage_of(here),
        "looks": second_look_standing(here),
        "asks_unseen": here.stage == stages.SUBMITTED or (here.stage == stages.CORRECTED and not found.began),
        "sure": measured.certainty_of(here),
        "can": _possible_acts(found, checks=form is not None and form.first),
        "form": form,
        "verdicts": assess.verdicts_of(here),
        "kind": membership.project.kind_spec,
        "filters": filters,
        "beside": beside,
        "act": act,
        "typed": typed or {},
        "problem": problem,
        "since": found.entries_since(seen) if seen is not None else [],
        "changes_since": found.changes_since(seen) if seen is not None else [],
    }
    page = render(request, "validation/review/item.html", context, status=status)
    return with_media(page, membership.project.kind_spec)


def _gold_form(here: Item, typed: Mapping[str, Any] | None, wrong: tuple[str, str]) -> tuple[CardQuestion, ...]:
    """The questions for a lead to settle the item by, where its voters answer questions."""
    content = Revision.objects.get(item=here, n=here.revision_n).content
    posted = posted_answers(typed.lists()) if isinstance(typed, QueryDict) else None
    return gold_form(here.project.kind_spec, here, content, protocol_of(here).criteria, posted=posted, problem=wrong)


def _possible_acts(found: ItemDetail, *, checks: bool = False) -> dict[str, bool]:
    """What the stage table lets a lead do with the item as it stands.

    Where a machine's item waits for its check, that form does most of it (`checks`).
    """
    stage, author = found.item.stage, found.item.author
    corrected, excluded = stage == stages.CORRECTED, stage == stages.EXCLUDED
    reachable = author is not None and author.user_id is not None and author.left_at is None
    event = stages.reopening_event(in_validation=found.began, unchecked=found.unchecked)
    if checks:
        return {
            "any": stages.is_possible(stage, stages.ADJUDICATE),
            "adjudicate": stages.is_possible(stage, stages.ADJUDICATE),
        }
    return {
        "any": True,
        "approve": not (excluded and not found.decided_by_votes)
        and any(stages.is_possible(stage, how) for how in (stages.APPROVE, stages.APPROVE_WRITTEN)),
        "meaning": corrected and found.began,
        "return": reachable and stages.is_possible(stage, stages.RETURN),
        "correct": stages.is_possible(stage, stages.CORRECT_SAME),
        "adjudicate": stages.is_possible(stage, stages.ADJUDICATE) and (found.began or not excluded),
        "exclude": stages.is_possible(stage, stages.EXCLUDE),
        "reopen": stages.is_possible(stage, event) and not found.decided_by_votes,
    }
