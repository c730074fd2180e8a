"""What models are told: the instructions of a project's steps, their versions, and what differs."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.generation.actions.instructions import instruction_now, instruction_save
from annotation.generation.forms.runs import InstructionForm
from annotation.generation.models import InstructionVersion
from annotation.generation.queries import runs as machine
from annotation.generation.rules import instructions as rules
from annotation.generation.rules.instructions import InstructionFault
from annotation.text.differences import Part, text_parts
from annotation.ui.navigation import rooms


@dataclass(frozen=True)
class Told:
    """An instruction of a step, and the version that a run would use now."""

    name: str
    n: int
    at: Any


@dataclass(frozen=True)
class Version:
    """A version with what differs from the one before; number 0 is the text of the house."""

    n: int
    row: InstructionVersion | None
    parts: list[Part]
    text: str


@login_required
@require_safe
def instructions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every step with its instructions and the version in force."""
    membership = access.machine_place(request.user, slug)
    recipe = machine.recipe_of(membership.project)
    newest = {row.name: row for row in membership.project.instructions.order_by("n")}
    told = {
        name: Told(name, newest[name].n if name in newest else 0, newest[name].at if name in newest else None)
        for step in recipe.steps
        for name in step.instructions
    }
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "machine"),
        "steps": [
            (step, [told[name] for name in step.instructions]) for step in recipe.steps if step.instructions
        ],
    }
    return render(request, "annotation/generation/instructions.html", context)


def _of_recipe(membership: Membership, name: str) -> list[str]:
    """The steps that use an instruction; NotFound where none does."""
    steps = machine.recipe_of(membership.project).steps
    found = [gettext(step.name) for step in steps if name in step.instructions]
    if not found or name not in rules.names():
        raise NotFound
    return found


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def instruction(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One instruction with its versions; POST makes the next one, `house` that with the text of the house."""
    membership = access.machine_place(request.user, slug)
    if request.method == "POST" and not membership.is_administrator:
        raise Forbidden
    _of_recipe(membership, name)
    if request.method != "POST":
        return _page(request, membership, name, _form(membership, name))
    form = InstructionForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, name, form, status=422)
    sent = form.cleaned_data
    house = request.POST.get("wish") == "house"
    text = rules.of_the_house(name) if house else sent["text"]
    note = gettext("back to the text of the house") if house else sent["note"]
    try:
        instruction_save(
            project=membership.project,
            by=membership.user,
            name=name,
            text=text,
            note=note,
            seen=sent["version"],
        )
    except Conflict:
        return _stale(request, membership, name, sent)
    except Invalid as refusal:
        form.add_error("text", _fault(refusal))
        return _page(request, membership, name, form, status=422)
    messages.success(request, gettext("The instruction was saved. Runs that began keep theirs."))
    return redirect("instruction", slug=slug, name=name)


def _fault(refusal: Invalid) -> str:
    """What is wrong with a text, in words: of a template the reason with what it is about."""
    fault = refusal.details.get("fault")
    if isinstance(fault, InstructionFault):
        return gettext("This text %(reason)s.") % {"reason": gettext(fault.reason) % fault.params}
    return problem_words(refusal.code)


def _form(membership: Membership, name: str, **sent: Any) -> InstructionForm:
    now = instruction_now(membership.project, name)
    return InstructionForm(initial={"text": now.text, **sent, "version": now.n})


def _stale(request: HttpRequest, membership: Membership, name: str, sent: dict[str, Any]) -> HttpResponse:
    """What was typed, in a form that can be sent again, and how it differs from what stands now."""
    now = instruction_now(membership.project, name)
    parts = text_parts(now.text, sent["text"].replace("\r\n", "\n"))
    form = _form(membership, name, text=sent["text"], note=sent["note"])
    return _page(request, membership, name, form, status=409, difference=parts)


def _page(
    request: HttpRequest,
    membership: Membership,
    name: str,
    form: InstructionForm,
    *,
    status: int = 200,
    difference: list[Part] | None = None,
) -> HttpResponse:
    house = rules.of_the_house(name)
    rows = list(membership.project.instructions.filter(name=name).select_related("by").order_by("n"))
    every = [Version(0, None, [], house), *(Version(row.n, row, [], row.text) for row in rows)]
    told = [Version(new.n, new.row, text_parts(old.text, new.text), new.text) for old, new in pairwise(every)]
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "machine"),
        "name": name,
        "steps": _of_recipe(membership, name),
        "form": form,
        "text": every[-1].text,
        "n": every[-1].n,
        "is_house": every[-1].text.strip() == house.strip(),
        "places": [f"${place}" for place in sorted(rules.places(house))],
        "versions": list(reversed(told)),
        "house": house,
        "difference": difference,
    }
    return render(request, "annotation/generation/instruction.html", context, status=status)
