"""Prompts for the tasks of releases: those of the papers, and a project's own with their versions."""

from itertools import pairwise
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.text.differences import Part, text_parts
from annotation.text.line_breaks import plain_breaks
from annotation.ui.pages import page_context
from exports.lm_eval import queries as task_prompts
from exports.lm_eval.actions import prompt_end, prompt_save
from exports.lm_eval.models import TaskPrompt
from exports.lm_eval.rules.tasks import LONGEST, LONGEST_NAME, PromptFault, TaskType, starting_text

PROMPT_SAVED = _("The prompt was saved. Releases frozen from now on have it.")


class TaskPromptForm(forms.Form):
    """A prompt; `version` is the number that the page showed, 0 for a new one, which alone has a name to give."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=LONGEST_NAME,
        help_text=gettext_lazy(
            "Small letters, digits and hyphens. It stands in the names of tasks, and never changes."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "dir": "auto", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, is_new: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_new:
            del self.fields["name"]


@login_required
@require_safe
def task_prompts_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Every sort of task that the project's releases may hold, with its prompts."""
    membership = access.administrator_membership(request.user, slug)
    own = sorted(task_prompts.newest_prompts(membership.project).values(), key=lambda row: (row.ended, row.name))
    sorts = [
        (sort, [row for row in own if row.task == sort.slug]) for sort in task_prompts.task_types(membership.project)
    ]
    return render(request, "exports/lm_eval/prompts.html", page_context(membership, "releases", sorts=sorts))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_prompt_new(request: HttpRequest, slug: str, task: str) -> HttpResponse:
    """A prompt of one's own for a sort of task."""
    return _prompt(request, slug, task)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_prompt(request: HttpRequest, slug: str, task: str, name: str) -> HttpResponse:
    """One prompt with its versions; POST makes the next one, or with `wish=end` leaves it out of further releases."""
    return _prompt(request, slug, task, name)


def _prompt(request: HttpRequest, slug: str, task: str, name: str = "") -> HttpResponse:
    """A prompt, or a new one where it has no name yet."""
    membership = access.administrator_membership(request.user, slug)
    project = membership.project
    sort = task_prompts.task_type_named(project, task)
    rows = task_prompts.prompt_versions(project, task, name) if name else []
    if sort is None or (name and not rows):
        raise NotFound
    if request.method != "POST":
        return _page(request, membership, sort, _form(sort, rows), rows)
    form = TaskPromptForm(request.POST, is_new=not name)
    if not form.is_valid():
        return _page(request, membership, sort, form, rows, status=422)
    sent = form.cleaned_data
    key, by, seen = name or sent["name"], membership.user, sent["version"] if name else 0
    ends = bool(name) and request.POST.get("wish") == "end"
    try:
        if ends:
            prompt_end(project=project, by=by, task=task, name=key, seen=seen)
        else:
            prompt_save(project=project, by=by, task=task, name=key, text=sent["text"], seen=seen)
    except Conflict as refusal:
        if not name:
            form.add_error("name", problem_words(refusal.code))
            return _page(request, membership, sort, form, rows, status=409)
        # What was typed, in a form that can be sent again, and how it differs from what stands now.
        rows = task_prompts.prompt_versions(project, task, name)
        parts = text_parts(rows[-1].text, plain_breaks(sent["text"]))
        form = _form(sort, rows, sent["text"])
        return _page(request, membership, sort, form, rows, status=409, difference=parts)
    except Invalid as refusal:
        form.add_error("text" if name else refusal.field, _refusal_in_words(refusal))
        return _page(request, membership, sort, form, rows, status=422)
    words = _("The prompt was ended. Releases that have it keep it.") if ends else PROMPT_SAVED
    messages.success(request, gettext(words))
    return redirect("task_prompt", slug=slug, task=task, name=key)


def _refusal_in_words(refusal: Invalid) -> str:
    """What is wrong, in words: of a prompt the reason with what it is about."""
    fault = refusal.details.get("fault")
    if not isinstance(fault, PromptFault):
        return problem_words(refusal.code)
    sentence = gettext("This name %(reason)s.") if refusal.field == "name" else gettext("This text %(reason)s.")
    return sentence % {"reason": gettext(fault.reason) % fault.params}


def _form(sort: TaskType, rows: list[TaskPrompt], text: str | None = None) -> TaskPromptForm:
    present = rows[-1].text if rows else starting_text(sort)
    initial = {"version": rows[-1].n if rows else 0, "text": present if text is None else text}
    return TaskPromptForm(is_new=not rows, initial=initial)


def _page(
    request: HttpRequest,
    membership: Membership,
    sort: TaskType,
    form: TaskPromptForm,
    rows: list[TaskPrompt],
    *,
    status: int = 200,
    difference: list[Part] | None = None,
) -> HttpResponse:
    texts = ["", *(row.text for row in rows)]
    shown = page_context(
        membership,
        "releases",
        sort=sort,
        now=rows[-1] if rows else None,
        form=form,
        places=[(f"{{{{{name}}}}}", words) for name, words in sort.places.items()],
        versions=[(row, text_parts(*pair)) for row, pair in zip(rows, pairwise(texts), strict=True)][::-1],
        difference=difference,
    )
    return render(request, "exports/lm_eval/prompt.html", shown, status=status)
