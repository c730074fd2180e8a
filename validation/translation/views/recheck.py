"""A lead has a target's translations checked again."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotation.core import access
from annotation.core.errors import Forbidden
from validation.review.actions.check_findings import recheck_start


@login_required
@require_POST
def target_recheck(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Start the job that checks a target again; what it finds stands on the review desk."""
    membership = access.membership(request.user, slug)
    if not membership.sees_all:
        raise Forbidden
    recheck_start(target=access.target(membership, key), by=membership.user)
    messages.success(
        request,
        gettext("The translations are being checked again. What is found will stand on the review desk."),
    )
    return redirect("target", slug=slug, key=key)
