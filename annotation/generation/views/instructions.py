"""Instructions for models: those of a project's steps, their versions, and differences."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.generation.actions.instructions import current_instruction, instruction_save
from annotation.generation.forms import InstructionForm
from annotation.generation.queries import runs as machine
from annotation.generation.rules import instructions as rules
from annotation.generation.rules.instructions import InstructionFault
from annotation.generation.views.runs import render_page
from annotation.text.differences import Part, text_parts
from annotation.text.line_breaks import plain_breaks


@login_required
@require_safe
def instructions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every step with its instructions and the version in force."""
    membership = machine.machine_membership(request.user, slug)
    newest = {row.name: row for row in membership.project.instructions.order_by("n")}
    rows = [
        (step, name, newest.get(name))
        for step in machine.recipe_of(membership.project).steps
        for name in step.instructions
    ]
    return render_page(request, membership, "instructions", rows=rows)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def instruction(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One instruction with its versions; POST makes the next one, `wish` that with the default text.

    NotFound where no step uses it.
    """
    membership = machine.machine_membership(request.user, slug)
    if request.method == "POST" and not membership.is_administrator:
        raise Forbidden
    if not _steps_using(membership, name) or name not in rules.names():
        raise NotFound
    if request.method != "POST":
        return _page(request, membership, name, _form(membership, name))
    form = InstructionForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, name, form, status=422)
    text, note = form.cleaned_data["text"], form.cleaned_data["note"]
    if request.POST.get("wish") == "house":
        text, note = rules.default_text(name), gettext("back to the built-in text")
    seen = form.cleaned_data["version"]
    try:
        instruction_save(project=membership.project, by=membership.user, name=name, text=text, note=note, seen=seen)
    except Conflict:
        # What was typed, in a form that can be sent again, and how it differs from what stands now.
        now, typed = current_instruction(membership.project, name), form.cleaned_data
        parts = text_parts(now.text, plain_breaks(typed["text"]))
        again = _form(membership, name, text=typed["text"], note=typed["note"])
        return _page(request, membership, name, again, status=409, difference=parts)
    except Invalid as refusal:
        form.add_error("text", _fault_in_words(refusal))
        return _page(request, membership, name, form, status=422)
    messages.success(request, gettext("The instruction was saved. Runs that began keep theirs."))
    return redirect("instruction", slug=slug, name=name)


def _steps_using(membership: Membership, name: str) -> list[str]:
    """The steps that use an instruction."""
    steps = machine.recipe_of(membership.project).steps
    return [gettext(step.name) for step in steps if name in step.instructions]


def _fault_in_words(refusal: Invalid) -> str:
    """What is wrong with a text, in words: of a template the reason with what it is about."""
    fault = refusal.details.get("fault")
    if isinstance(fault, InstructionFault):
        return gettext("This text %(reason)s.") % {"reason": gettext(fault.reason) % fault.params}
    return problem_words(refusal.code)


def _form(membership: Membership, name: str, **typed: Any) -> InstructionForm:
    now = current_instruction(membership.project, name)
    return InstructionForm(initial={"text": now.text, **typed, "version": now.n})


def _page(
    request: HttpRequest,
    membership: Membership,
    name: str,
    form: InstructionForm,
    *,
    status: int = 200,
    difference: list[Part] | None = None,
) -> HttpResponse:
    default = rules.default_text(name)
    rows = list(membership.project.instructions.filter(name=name).select_related("by").order_by("n"))
    texts = [default, *(row.text for row in rows)]
    versions = [(row, text_parts(before, row.text)) for before, row in zip(texts, rows, strict=False)]
    return render_page(
        request,
        membership,
        "instruction",
        status=status,
        name=name,
        steps=_steps_using(membership, name),
        form=form,
        text=texts[-1],
        n=rows[-1].n if rows else 0,
        is_default=texts[-1].strip() == default.strip(),
        places=[f"${place}" for place in sorted(rules.placeholders(default))],
        versions=versions[::-1],
        default=default,
        difference=difference,
    )
