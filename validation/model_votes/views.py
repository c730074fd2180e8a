"""The page of a model as a second annotator: leads read it, administrators have a model asked."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.core import access
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.generation.models import Endpoint
from annotation.jobs.models import Job
from annotation.jobs.queue import UNFINISHED
from annotation.ui.pages import page, posted_number, typed_number
from validation.model_votes.actions import JOB_KIND, MOST, model_votes_ask
from validation.model_votes.queries import compare_models
from validation.model_votes.rules import WANTED


@login_required
@require_safe
def model_votes(request: HttpRequest, slug: str) -> HttpResponse:
    """Each model's test, and the items on which all people disagree with it."""
    membership = access.lead_membership(request.user, slug)
    project = membership.project
    running = Job.objects.filter(project=project, kind=JOB_KIND, state__in=UNFINISHED).first()
    endpoints = Endpoint.objects.filter(what=Endpoint.What.CHAT, ended_at=None).order_by("name")
    return page(
        request,
        membership,
        "insights",
        "validation/model_votes/model_votes.html",
        compared=compare_models(membership),
        running=running,
        endpoints=list(endpoints) if membership.is_administrator else [],
        wanted=WANTED[1],
        most=MOST,
    )


@login_required
@require_POST
def model_votes_begin(request: HttpRequest, slug: str) -> HttpResponse:
    """An administrator has a model asked."""
    membership = access.administrator_membership(request.user, slug)
    endpoint = Endpoint.objects.filter(pk=posted_number(request, "endpoint")).first()
    try:
        if endpoint is None:
            raise Invalid(field="endpoint", code="model_cannot_vote")
        count = typed_number(request.POST.get("count"))
        model_votes_ask(project=membership.project, endpoint=endpoint, count=count, by=membership.user)
    except (Invalid, Conflict) as refusal:
        messages.error(request, problem_words(refusal.code))
    else:
        messages.success(request, gettext("The model is being asked; its votes appear here."))
    return redirect("model_votes", slug=slug)
