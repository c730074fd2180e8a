"""The same text in other targets, for who translates it: on request, and only what is settled."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.core import access
from annotation.ui.navigation import rooms
from annotation.writing.views.form import Form, form_of_allocation
from annotation.writing.views.source_text import Reading, reading_of


@login_required
@require_GET
def write_elsewhere(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The accepted translations of the unit in one's hands, each named by its target; never for who reviews them."""
    membership, annotator = access.member(request.user, slug, "writer")
    allocation = access.allocation(annotator, token)
    found = [
        (
            item.target,
            _reading(Form(membership.project, form_of_allocation(allocation).source, item.target), content),
        )
        for item, content in access.settled_elsewhere(annotator, allocation)
    ]
    context = {
        "project": membership.project,
        "nav": rooms(membership, "write"),
        "allocation": allocation,
        "others": found,
    }
    if getattr(request, "htmx", False):
        return render(request, "annotation/translation/partials/elsewhere_list.html", context)
    return render(request, "annotation/translation/elsewhere.html", context)


def _reading(form: Form, content: dict[str, object]) -> Reading:
    """The fields of one translation, without what its translator said to the checks."""
    return reading_of(form, form.kind.written({**content, "whys": {}}))
