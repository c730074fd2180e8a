"""How texts are typed: the question to writers, and the page for leads."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotation.core import access
from annotation.core.errors import Invalid
from annotation.core.messages import problem_words
from annotation.ui.navigation import page_url
from annotation.ui.pages import page
from annotation.writing.actions.typing import typing_choose
from annotation.writing.typing_queries import texts_in_one_insertion, writers


@login_required
@require_POST
def write_typing(request: HttpRequest, slug: str) -> HttpResponse:
    """A writer says whether it may be recorded how they type, or changes their mind."""
    _, annotator = access.require_role(request.user, slug, "writer")
    agreed = request.POST.get("agreed") == "yes"
    try:
        typing_choose(writer=annotator, agreed=agreed)
    except Invalid as refusal:
        messages.error(request, problem_words(refusal.code))
        return redirect("write", slug=slug)
    message = (
        gettext("From now on it is recorded how you type.") if agreed else gettext("How you type is not recorded.")
    )
    messages.success(request, message)
    return redirect("write", slug=slug)


@login_required
@require_GET
def typing(request: HttpRequest, slug: str) -> HttpResponse:
    """How each writer's texts came to be, in sums, and the texts that arrived in one insertion. For leads."""
    membership = access.lead_membership(request.user, slug)
    project = membership.project
    found = [
        (record, page_url("item", project.slug, record.item_id), round(100 * record.longest / record.length))
        for record in texts_in_one_insertion(project)
        if record.longest
    ]
    template = "annotation/writing/typing.html"
    return page(request, membership, "insights", template, writers=writers(project), at_once=found)
