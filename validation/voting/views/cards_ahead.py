"""Cards taken along, to be answered where there is no connection; a page of them that works offline."""

from dataclasses import replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import owes_entry
from annotation.elicitation.actions import owes_signature
from annotation.ui.pages import page, typed_number, with_media
from validation.voting.actions.cards_ahead import (
    assignments_return,
    assignments_still_asked,
    assignments_take,
    held_until,
    return_next_card,
    take_next_card,
)
from validation.voting.models.assignment import AHEAD_MOST
from validation.voting.views.cards import card_of
from validation.voting.views.vote import UNTIL_HEADER, VOTE_PAGE

# What is offered; any number up to AHEAD_MOST can be asked for.
OFFERED = 20
AHEAD_PAGE = replace(VOTE_PAGE, take_back_route="")


@login_required
@require_http_methods(["GET", "POST"])
def vote_ahead(request: HttpRequest, slug: str) -> HttpResponse:
    """The cards that this person has taken along, one at a time; POST takes them."""
    membership, annotator = access.require_role(request.user, slug, "validator")
    project = membership.project
    if owes_signature(annotator) or owes_entry(annotator):
        return redirect("vote", slug=slug)
    if request.method == "POST":
        if project.closed_at is None:
            count = min(max(typed_number(request.POST.get("count")), 1), AHEAD_MOST)
            targets = access.targets_of(annotator)
            assignments_take(annotator=annotator, targets=targets, spacing=project.rules.spacing, count=count)
        return redirect("vote_ahead", slug=slug)
    held = [] if project.closed_at is not None else assignments_still_asked(annotator)
    context: dict[str, Any] = {
        "keys_off": not membership.user.single_keys,
        "cards": [AHEAD_PAGE.context(slug, card_of(each, project), closed=False) for each in held],
        "until": min((each.until for each in held if each.until is not None), default=None),
        "offered": OFFERED,
        "most": AHEAD_MOST,
        "closed": project.closed_at is not None,
    }
    return with_media(page(request, membership, "vote", "validation/voting/ahead.html", **context), project.kind_spec)


@login_required
@require_POST
def vote_ahead_return(request: HttpRequest, slug: str) -> HttpResponse:
    """Give back the cards that were taken along and not answered."""
    _, annotator = access.require_role(request.user, slug, "validator")
    assignments_return(annotator=annotator)
    return redirect("vote", slug=slug)


@login_required
@require_POST
def vote_next(request: HttpRequest, slug: str) -> HttpResponse:
    """The card that follows the one `shown` (its token), which the page fetches ahead; 204 where there is none."""
    membership, annotator = access.require_role(request.user, slug, "validator")
    project = membership.project
    targets = access.targets_of(annotator) if project.closed_at is None else []
    shown = request.POST.get("shown", "")
    following = take_next_card(annotator=annotator, targets=targets, shown=shown, spacing=project.rules.spacing)
    if following is None:
        return HttpResponse(status=204)
    answer = VOTE_PAGE.render_card(request, project, card_of(following, project))
    answer[UNTIL_HEADER] = held_until(following.token)
    return answer


@login_required
@require_POST
def vote_next_return(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Give back the card that was fetched ahead and is not shown, as the page is left."""
    _, annotator = access.require_role(request.user, slug, "validator")
    return_next_card(annotator=annotator, token=token, until=request.POST.get("until", ""))
    return HttpResponse(status=204)
