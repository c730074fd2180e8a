"""For translators: the next texts of a target, and the accepted translations of a text in other targets."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.source import Allocation
from annotation.core import access
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.translation.actions.targets import units_take
from annotation.translation.queries import targets
from annotation.ui.navigation import navigation_links
from annotation.writing import queries
from annotation.writing.views.form import Form, form_of_allocation
from annotation.writing.views.source_text import SlotReading, reading_of


@login_required
@require_GET
def write_elsewhere(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The accepted translations of the unit in one's hands, each named by its target; never for who reviews them."""
    membership, annotator = access.writer_at_work(request.user, slug)
    allocation = queries.allocation(annotator, token)
    others = [
        (
            item.target,
            _reading(Form(membership.project, form_of_allocation(allocation).source, item.target), content),
        )
        for item, content in targets.settled_in_other_targets(annotator, allocation)
    ]
    context = {
        "project": membership.project,
        "nav": navigation_links(membership, "write"),
        "allocation": allocation,
        "others": others,
    }
    if getattr(request, "htmx", False):
        return render(request, "annotation/writing/partials/elsewhere_list.html", context)
    return render(request, "annotation/writing/elsewhere.html", context)


def _reading(form: Form, content: dict[str, object]) -> SlotReading:
    """The fields of one translation, without what its translator said to the checks."""
    return reading_of(form, form.kind.authoring.slot_from_content({**content, "whys": {}}))


@login_required
@require_POST
def write_take(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Take the next texts of one of one's targets; sent twice, the second leads to what the first brought."""
    membership, annotator = access.writer_at_work(request.user, slug)
    target = access.target(membership, key)
    n = units_take(writer=annotator, target=target)
    if not n and not annotator.allocations.filter(target=target, state=Allocation.State.OPEN).exists():
        words = gettext("Nothing is left in %(target)s for you now. More may come; look again later.")
        messages.info(request, words % {"target": target.local_title})
        return redirect("write", slug=slug)
    return to_next_text(slug, target)


def to_next_text(slug: str, target: Target | None) -> HttpResponseRedirect:
    """To the next text: of the same target, where there are targets."""
    address = reverse("write", args=[slug])
    return HttpResponseRedirect(f"{address}?target={target.key}" if target else address)


def next_allocation(annotator: Annotator, request: HttpRequest) -> Allocation | None:
    """The first source in hand that is not submitted: of the target that the address names, if one is left there."""
    allocations = annotator.allocations.filter(state=Allocation.State.OPEN).order_by("position")
    key = request.GET.get("target", "")
    named = allocations.filter(target__key=key).first() if key.isascii() and key.isprintable() and key else None
    return named or allocations.first()
