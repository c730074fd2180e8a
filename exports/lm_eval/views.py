"""Prompts for the tasks of releases: those of the papers, and a project's own with their versions."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.text.differences import Part, text_parts
from annotation.ui.navigation import rooms
from exports.lm_eval import queries as task_prompts
from exports.lm_eval.actions import prompt_end, prompt_save
from exports.lm_eval.forms import TaskPromptForm
from exports.lm_eval.models import TaskPrompt
from exports.lm_eval.rules.tasks import PromptFault, Sort, begun

SAVED = _("The prompt was saved. Releases frozen from now on have it.")


@dataclass(frozen=True)
class Version:
    """A version of a prompt, with what differs from the one before."""

    row: TaskPrompt
    parts: list[Part]


@login_required
@require_safe
def task_prompts_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Every sort of task that the project's releases may hold, with its prompts."""
    membership = access.administrator(request.user, slug)
    own = sorted(task_prompts.newest(membership.project).values(), key=lambda row: (row.ended, row.name))
    sorts = [
        (sort, [row for row in own if row.task == sort.slug])
        for sort in task_prompts.sorts(membership.project)
    ]
    return render(request, "exports/lm_eval/prompts.html", {**_room(membership), "sorts": sorts})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_prompt_new(request: HttpRequest, slug: str, task: str) -> HttpResponse:
    """A prompt of one's own for a sort of task."""
    membership = access.administrator(request.user, slug)
    sort = _sort(membership.project, task)
    if request.method != "POST":
        form = TaskPromptForm(is_new=True, initial={"version": 0, "text": begun(sort)})
        return _page(request, membership, sort, form)
    form = TaskPromptForm(request.POST, is_new=True)
    if not form.is_valid():
        return _page(request, membership, sort, form, status=422)
    sent = form.cleaned_data
    try:
        made = prompt_save(
            project=membership.project, by=membership.user, task=task, name=sent["name"], text=sent["text"]
        )
    except (Invalid, Conflict) as refusal:
        field = refusal.field if isinstance(refusal, Invalid) else "name"
        form.add_error(field, _words(refusal))
        return _page(request, membership, sort, form, status=422 if isinstance(refusal, Invalid) else 409)
    messages.success(request, gettext(SAVED))
    return redirect("task_prompt", slug=slug, task=task, name=made.name)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_prompt(request: HttpRequest, slug: str, task: str, name: str) -> HttpResponse:
    """One prompt with its versions; POST makes the next one, or with `wish=end` leaves it out of further releases."""
    membership = access.administrator(request.user, slug)
    sort, rows = _sort(membership.project, task), task_prompts.versions(membership.project, task, name)
    if not rows:
        raise NotFound
    if request.method != "POST":
        return _page(request, membership, sort, _form(rows[-1]), rows)
    form = TaskPromptForm(request.POST, is_new=False)
    if not form.is_valid():
        return _page(request, membership, sort, form, rows, status=422)
    sent, which = form.cleaned_data, {"task": task, "name": name}
    ends = request.POST.get("wish") == "end"
    try:
        if ends:
            prompt_end(project=membership.project, by=membership.user, seen=sent["version"], **which)
        else:
            prompt_save(
                project=membership.project,
                by=membership.user,
                text=sent["text"],
                seen=sent["version"],
                **which,
            )
    except Conflict:
        return _stale(request, membership, sort, name, sent["text"])
    except Invalid as refusal:
        form.add_error("text", _words(refusal))
        return _page(request, membership, sort, form, rows, status=422)
    words = _("The prompt was ended. Releases that have it keep it.") if ends else SAVED
    messages.success(request, gettext(words))
    return redirect("task_prompt", slug=slug, task=task, name=name)


def _sort(project: Project, task: str) -> Sort:
    found = next((sort for sort in task_prompts.sorts(project) if sort.slug == task), None)
    if found is None:
        raise NotFound
    return found


def _words(refusal: Invalid | Conflict) -> str:
    """What is wrong, in words: of a prompt the reason with what it is about."""
    fault = refusal.details.get("fault")
    if isinstance(fault, PromptFault):
        said = (
            gettext("This name %(reason)s.") if refusal.field == "name" else gettext("This text %(reason)s.")
        )
        return said % {"reason": gettext(fault.reason) % fault.params}
    return problem_words(refusal.code)


def _form(now: TaskPrompt, text: str | None = None) -> TaskPromptForm:
    return TaskPromptForm(
        is_new=False, initial={"version": now.n, "text": now.text if text is None else text}
    )


def _stale(request: HttpRequest, membership: Membership, sort: Sort, name: str, text: str) -> HttpResponse:
    """What was typed, in a form that can be sent again, and how it differs from what stands now."""
    rows = task_prompts.versions(membership.project, sort.slug, name)
    parts = text_parts(rows[-1].text, text.replace("\r\n", "\n"))
    return _page(request, membership, sort, _form(rows[-1], text), rows, status=409, difference=parts)


def _room(membership: Membership) -> dict[str, Any]:
    return {"project": membership.project, "place": membership, "nav": rooms(membership, "releases")}


def _page(
    request: HttpRequest,
    membership: Membership,
    sort: Sort,
    form: TaskPromptForm,
    rows: list[TaskPrompt] | None = None,
    *,
    status: int = 200,
    difference: list[Part] | None = None,
) -> HttpResponse:
    told = rows or []
    texts = ["", *(row.text for row in told)]
    versions = [Version(row, text_parts(*pair)) for row, pair in zip(told, pairwise(texts), strict=True)]
    context = {
        **_room(membership),
        "sort": sort,
        "now": told[-1] if told else None,
        "form": form,
        "places": [(f"{{{{{name}}}}}", words) for name, words in sort.places.items()],
        "versions": list(reversed(versions)),
        "difference": difference,
    }
    return render(request, "exports/lm_eval/prompt.html", context, status=status)
