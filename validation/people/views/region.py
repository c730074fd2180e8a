"""The region that somebody answers from: optional, their own word, used for agreement by region and nowhere else."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotation.core import access
from annotation.core.actions.members import region_change
from annotation.core.errors import Forbidden, Invalid
from annotation.ui.navigation import rooms


@login_required
@require_POST
def my_region(request: HttpRequest, slug: str) -> HttpResponse:
    """Say or take back one's own region in a project; a refusal keeps what was typed."""
    membership = access.membership(request.user, slug)
    if membership.annotator is None:
        raise Forbidden
    typed = request.POST.get("region", "")
    try:
        region_change(
            project=membership.project, annotator_id=membership.annotator.pk, region=typed, by=membership.user
        )
    except Invalid as refusal:
        context = {"project": membership.project, "membership": membership, "nav": rooms(membership)}
        refused = {"region": typed, "problem": refusal.code}
        return render(request, "validation/people/my_region.html", {**context, **refused}, status=422)
    messages.success(request, gettext("Saved."))
    return redirect("my_record")


@login_required
@require_POST
def people_region(request: HttpRequest, slug: str, annotator_id: int) -> HttpResponse:
    """An administrator enters what somebody said; a region that cannot be stays as it was, and says so."""
    membership = access.administrator(request.user, slug)
    region = request.POST.get("region", "")
    try:
        region_change(
            project=membership.project, annotator_id=annotator_id, region=region, by=membership.user
        )
    except Invalid:
        messages.error(
            request, gettext("This cannot be a region: at most 80 characters. Nothing was changed.")
        )
        return redirect("people", slug=slug)
    messages.success(request, gettext("The region was saved."))
    return redirect("people", slug=slug)
