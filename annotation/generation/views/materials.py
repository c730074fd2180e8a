"""Materials of machine-written questions: the list in drawn order, imports, and the counts of filters.

Leads and administrators see it; concepts are taken by either, files and other projects' questions by administrators.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext_lazy
from django.views.decorators.http import require_GET, require_POST

from annotation.content import item_choice
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.generation.actions.materials import (
    MaterialsTaken,
    concepts_as_materials,
    items_as_materials,
    material_sort,
    questions_take,
)
from annotation.generation.forms import QuestionsForm
from annotation.generation.queries import materials, runs
from annotation.generation.rules import recipes
from annotation.generation.rules.conceptnet import parse_relations
from annotation.generation.rules.recipes.forms import CONCEPT, ITEM, QUESTION, SET
from annotation.generation.views.runs import render_page
from annotation.jobs.models import Import
from annotation.text.normalise import storage_problem
from annotation.ui.pages import show_refusal

MATERIALS_A_PAGE = 50
FILES_SHOWN = 5
# What was done, by the counts of `MaterialsTaken`.
COUNT_MESSAGES: Mapping[str, Any] = {
    "new": ngettext_lazy("%(n)d was taken in.", "%(n)d were taken in.", "n"),
    "changed": ngettext_lazy("%(n)d was taken anew.", "%(n)d were taken anew.", "n"),
    "removed": ngettext_lazy("%(n)d was taken out.", "%(n)d were taken out.", "n"),
    "held": ngettext_lazy(
        "%(n)d stays as it is, because a run has begun with it.",
        "%(n)d stay as they are, because runs have begun with them.",
        "n",
    ),
    "same": ngettext_lazy("%(n)d was here already.", "%(n)d were here already.", "n"),
}


def _membership_and_sort(request: HttpRequest, slug: str, *, administrator: bool = False) -> tuple[Membership, str]:
    """The membership and what the project's questions start from; NotFound where a person writes them."""
    membership = runs.machine_membership(request.user, slug)
    try:
        sort = material_sort(membership.project)
    except Invalid as refusal:
        raise NotFound from refusal
    if administrator and not membership.is_administrator:
        raise Forbidden
    return membership, sort


def _page(request: HttpRequest, membership: Membership, sort: str, *, status: int = 200, **more: Any) -> HttpResponse:
    given = [request.GET.get(name, "").strip() for name in ("group", "q")]
    group, words = ("" if storage_problem(each) else each[:200] for each in given)
    query = urlencode({name: each for name, each in (("group", group), ("q", words)) if each})
    rows = materials.list_materials(membership, sort, group=group, words=words)
    context = {
        "sort": sort,
        "ways": f"annotation/generation/partials/materials_{sort}.html",
        "recipe": recipes.get(membership.project.rules.recipe),
        "group": group,
        "words": words,
        "query": f"{query}&" if query else "",
        "groups": [(name, f"{name} ({intcomma(n)})") for name, n in materials.groups(membership, sort)],
        "page": Paginator(rows, MATERIALS_A_PAGE).get_page(request.GET.get("page")),
        **_intake_context(membership, sort),
    }
    return render_page(request, membership, "materials", status=status, **{**context, **more})


def _intake_context(membership: Membership, sort: str) -> dict[str, Any]:
    """How materials of this sort come in, and what is known of those that came."""
    project = membership.project
    if sort == SET:
        return {
            "filters": materials.filter_report(membership),
            "relations": parse_relations(project.rules.relations),
        }
    if sort == CONCEPT:
        return {"waiting": materials.concepts_waiting(project)}
    if sort == ITEM:
        others = materials.source_projects(membership) if membership.is_administrator else []
        return {"sources": others, "choices": item_choice.CHOICES.items()}
    form = QuestionsForm() if membership.is_administrator else None
    return {"form": form, "files": list(materials.question_files(membership)[:FILES_SHOWN])}


@login_required
@require_GET
def material_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The list with how more comes in."""
    membership, sort = _membership_and_sort(request, slug)
    return _page(request, membership, sort)


@login_required
@require_POST
def materials_concepts(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the approved concepts."""
    membership, sort = _membership_and_sort(request, slug)
    given: dict[str, Any] = {"project": membership.project, "by": membership.user}
    return _take_and_report(request, membership, sort, lambda: concepts_as_materials(**given))


@login_required
@require_POST
def materials_items(request: HttpRequest, slug: str) -> HttpResponse:
    """Take over the questions of another project that the administrator chose."""
    membership, sort = _membership_and_sort(request, slug, administrator=True)

    def take() -> MaterialsTaken:
        wanted = request.POST.get("source", "")
        source = next((each for each in materials.source_projects(membership) if each.slug == wanted), None)
        if source is None:
            raise Invalid(field="source", code="materials_source_missing")
        choice = request.POST.get("items", item_choice.SETTLED)
        return items_as_materials(project=membership.project, source=source, choice=choice, by=membership.user)

    return _take_and_report(request, membership, sort, take)


def _take_and_report(
    request: HttpRequest, membership: Membership, sort: str, take: Callable[[], MaterialsTaken]
) -> HttpResponse:
    try:
        taken = take()
    except (Invalid, Conflict) as refusal:
        return _page(request, membership, sort, status=refusal.page_status, problem=refusal.code)
    done = [words % {"n": n} for name, words in COUNT_MESSAGES.items() if (n := getattr(taken, name))]
    if taken.not_taken:
        done.append(gettext("Not taken: %(reasons)s.") % {"reasons": item_choice.reasons_in_words(taken.not_taken)})
    level = messages.INFO if taken.nothing else messages.SUCCESS
    messages.add_message(request, level, " ".join(done) or gettext("There is nothing to take."))
    return redirect("materials", slug=membership.project.slug)


@login_required
@require_POST
def materials_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Take finished questions from a file that was sent; the report shows every refused row."""
    membership, sort = _membership_and_sort(request, slug, administrator=True)
    form = QuestionsForm(request.POST, request.FILES)
    if sort != QUESTION or not form.is_valid():
        problem = "" if sort == QUESTION else "materials_other_sort"
        return _page(request, membership, sort, status=422, form=form, problem=problem)
    try:
        taken = _take_file(membership, form.cleaned_data["file"], form.cleaned_data["split"])
    except (Invalid, Conflict) as refusal:
        return _page(request, membership, sort, status=show_refusal(form, refusal), form=form)
    return redirect("materials_report", slug, taken.pk)


def _take_file(membership: Membership, sent: "UploadedFile[Any]", split: str) -> Import:
    given: dict[str, Any] = {"project": membership.project, "by": membership.user}
    with NamedTemporaryFile(prefix="mufakat-questions-") as file:
        file.writelines(sent.chunks())
        file.flush()
        return questions_take(path=Path(file.name), name=sent.name or "file", split=split, **given)


@login_required
@require_GET
def materials_report(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """The outcome of one file: counts, and each refused row with its field, the reason and what to do."""
    membership, _sort = _membership_and_sort(request, slug)
    taken = materials.question_file(membership, import_id)
    page = Paginator(taken.rows.order_by("n", "pk"), MATERIALS_A_PAGE).get_page(request.GET.get("page"))
    notes = [gettext(message) % params for message, params in taken.mapping.get("notes", ())]
    return render_page(request, membership, "materials_report", taken=taken, page=page, notes=notes)
