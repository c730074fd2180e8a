"""A new task and the task of a project: the description in YAML, its card, and the effect of a change."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.validators import validate_slug
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation.core import access
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.project import Project
from annotation.kinds.rendered_texts import MEDIA_WIDGETS
from annotation.media.queries import media_examples
from annotation.tasks.actions import task_project_create, task_publish
from annotation.tasks.queries import task_of, task_of_project
from annotation.tasks.rules.changes import Change, changes
from annotation.tasks.rules.example import example
from annotation.tasks.rules.kind import as_kind
from annotation.tasks.rules.question import localised_text
from annotation.tasks.rules.reading import LONGEST_FILE, TaskRefused, read, task_as_yaml
from annotation.tasks.rules.task import Task
from annotation.tasks.rules.templates import template, templates
from annotation.ui.pages import page, posted_number, show_refusal, with_media
from validation.tasks.editor import DO_FIELD, TO_FIELD, YAML, Editor, editor_of_request, editor_of_text
from validation.voting.queries import SeenItem
from validation.voting.rules.option_order import order_shown
from validation.voting.views.cards import build_card

PREVIEW = "preview"
# What a card is previewed in: a telephone and a screen, in CSS pixels.
WIDTHS = (360, 1280)


class DescriptionForm(forms.Form):
    """A description in YAML; where it is edited as a form, its fields are drawn beside this one's (`editor.py`)."""

    task = forms.CharField(
        label=_("Description, in YAML"),
        max_length=LONGEST_FILE,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 28, "spellcheck": "false", "autocapitalize": "off"}),
    )

    def __init__(self, data: Any = None, *, editor: Editor) -> None:
        super().__init__(data, initial={"task": editor.text})
        if editor.draft is not None:
            del self.fields["task"]


class TaskForm(DescriptionForm):
    """What a new project needs beside its description."""

    name = forms.CharField(
        label=_("Name of the project"),
        max_length=200,
        required=False,
        help_text=_("Empty: that of the task."),
    )
    slug = forms.CharField(
        label=_("Short name"),
        max_length=60,
        validators=[validate_slug],
        help_text=_("Stands in addresses and file names: small letters, digits and hyphens. It never changes."),
    )
    field_order = ("name", "slug", "task")


@dataclass(frozen=True)
class Preview:
    """What a description makes: its card as a whole document in each width, or what is wrong with it."""

    widths: tuple[tuple[int, str], ...] = ()
    problems: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def invalidates(self) -> bool:
        """Whether a change would invalidate votes, or items, that are there."""
        return any(change.invalidates for change in self.changes)


def card_document(request: HttpRequest, task: Task, project: Project | None = None) -> str:
    """The card of an example item as the vote page draws it, as a document of its own; with the project's own images
    and sounds where it has any."""
    language = get_language() or "en"
    media = {"image": static("img/mark.svg"), "audio": static("audio/example.wav")}
    if project is not None:
        uses = {field.key: field.type for field in task.source if field.type in MEDIA_WIDGETS}
        media |= media_examples(project, uses)
    kind, content = as_kind(task, language), example(task, media, task.language)
    order = order_shown(kind, content, drawn_with="", item="", annotator="")
    card = build_card(
        SeenItem(kind, content, order, PREVIEW, task.language, card_questions=kind.question.card_questions()),
        {},
    )
    slug = project.slug if project else PREVIEW
    context = {"card": card, "project": {"slug": slug}, "send_url": "", "name": kind.name}
    return render_to_string("validation/tasks/card_document.html", context, request)


def _preview(request: HttpRequest, text: str, project: Project | None = None) -> Preview:
    try:
        task = read(text)
    except TaskRefused as refusal:
        return Preview(problems=tuple(refusal.problems))
    document, old = card_document(request, task, project), task_of(project.kind) if project else None
    return Preview(tuple((width, document) for width in WIDTHS), (), tuple(changes(old, task)) if old else ())


def _is_preview_request(request: HttpRequest) -> bool:
    """Whether a button was pressed that saves nothing: a preview, a row, form or YAML."""
    return any(name in request.POST for name in (PREVIEW, DO_FIELD, TO_FIELD))


def _as_typed(form: type[DescriptionForm], request: HttpRequest, editor: Editor) -> DescriptionForm:
    """The form with what was typed, and nothing said of what is missing yet."""
    shown = form(editor=editor)
    for name in shown.fields.keys() - {"task"}:
        shown.initial[name] = request.POST.get(name, "")
    return shown


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_new(request: HttpRequest) -> HttpResponse:
    """Choose a template, change its description, look at the card, and make the project."""
    person = access.site_administrator(request.user)
    if request.method != "POST":
        text = templates().get(request.GET.get("template", ""), "")
        if not text:
            return render(request, "validation/tasks/templates.html", {"templates": _templates()})
        editor = editor_of_text(text, as_form=request.GET.get("as") != YAML)
        return _new(request, TaskForm(editor=editor), editor, _preview(request, text))
    editor = editor_of_request(request)
    preview = _preview(request, editor.text)
    if _is_preview_request(request):
        return _new(request, _as_typed(TaskForm, request, editor), editor, preview)
    form = TaskForm(request.POST, editor=editor)
    if not _is_valid(form, preview):
        return _new(request, form, editor, preview, 422)
    sent = form.cleaned_data
    try:
        project = task_project_create(slug=sent["slug"], name=sent["name"], task=read(editor.text), by=person)
    except (Invalid, Conflict) as refusal:
        return _new(request, form, editor, preview, show_refusal(form, refusal))
    messages.success(request, gettext("The project was made. Next: its guidelines, items and people."))
    return redirect("project", slug=project.slug)


def _templates() -> list[tuple[str, str, str]]:
    """What a task can start from: slug, name, description."""
    language = get_language() or "en"
    pairs = [(slug, template(slug)) for slug in templates()]
    return [
        (slug, localised_text(task.name, language), localised_text(task.description, language)) for slug, task in pairs
    ]


def _is_valid(form: forms.Form, preview: Preview) -> bool:
    """Whether form and description can be; what is wrong with the description is said in the form."""
    if form.is_valid() and preview.problems:
        if "task" in form.fields:
            for problem in preview.problems:
                form.add_error("task", problem)
        else:
            form.add_error(None, gettext("The task is not complete: notes beside its fields say what is wrong."))
    return form.is_valid()


def _new(request: HttpRequest, form: forms.Form, editor: Editor, preview: Preview, status: int = 200) -> HttpResponse:
    editor.draw(preview.problems, beside=request.method == "POST" and DO_FIELD not in request.POST)
    context = {"form": form, "editor": editor, "preview": preview}
    return render(request, "validation/tasks/task_new.html", context, status=status)


@login_required
@require_POST
def task_preview(request: HttpRequest) -> HttpResponse:
    """The preview alone, for the page that asks while somebody types."""
    person = access.site_administrator(request.user)
    editor, slug = editor_of_request(request), request.POST.get("project", "")
    project = access.administrator_membership(person, slug).project if slug else None
    preview = _preview(request, editor.text, project)
    editor.draw(preview.problems, beside=False)
    return render(request, "validation/tasks/preview.html", {"preview": preview, "editor": editor})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The task of a project with its versions; an administrator publishes another one."""
    membership = access.lead_membership(request.user, slug)
    project = membership.project
    old = task_of_project(project)
    if old is None:
        raise NotFound
    if request.method != "POST":
        editor = editor_of_text(task_as_yaml(old), as_form=request.GET.get("as") != YAML)
        preview = _preview(request, editor.text, project)
        return _shown(request, membership, DescriptionForm(editor=editor), editor, preview)
    membership = access.administrator_membership(request.user, slug)
    editor = editor_of_request(request)
    preview = _preview(request, editor.text, project)
    if _is_preview_request(request):
        form = _as_typed(DescriptionForm, request, editor)
        return _shown(request, membership, form, editor, preview)
    form = DescriptionForm(request.POST, editor=editor)
    if not _is_valid(form, preview):
        return _shown(request, membership, form, editor, preview, 422)
    try:
        task, version = read(editor.text), posted_number(request, "version")
        made = task_publish(project=project, task=task, by=membership.user, version=version)
    except (Invalid, Conflict) as refusal:
        return _shown(request, membership, form, editor, preview, show_refusal(form, refusal))
    messages.success(
        request, gettext("The task has a new version.") if made else gettext("The description is as it was.")
    )
    return redirect("task", slug=slug)


def _shown(
    request: HttpRequest,
    membership: access.Membership,
    form: forms.Form,
    editor: Editor,
    preview: Preview,
    status: int = 200,
) -> HttpResponse:
    project = membership.project
    editor.draw(preview.problems, beside=request.method == "POST" and DO_FIELD not in request.POST)
    context: dict[str, Any] = {
        "form": form,
        "editor": editor,
        "preview": preview,
        "version": project.version,
        "versions": project.tasks.order_by("-n"),
    }
    shown = page(request, membership, "settings", "validation/tasks/task.html", status=status, **context)
    return with_media(shown, project.kind_spec)
