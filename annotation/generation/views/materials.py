"""What machine-written questions start from: the list in drawn order, how it comes in, what each filter dropped.

Leads and administrators see it; concepts are taken by either, files and other projects' questions by administrators.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.generation.actions.material_files import questions_take
from annotation.generation.actions.materials import (
    Taken,
    concepts_as_materials,
    items_as_materials,
    sort_of,
)
from annotation.generation.forms.materials import QuestionsForm
from annotation.generation.queries import materials
from annotation.generation.rules import recipes
from annotation.generation.rules.conceptnet import chosen
from annotation.generation.rules.recipes.forms import CONCEPT, ITEM, QUESTION, SET
from annotation.jobs.models import Import
from annotation.text.normalise import storable
from annotation.ui.navigation import rooms

PAGE = 50
FILES = 5


@dataclass(frozen=True)
class Shown:
    """How materials of a sort are shown: how they come in, their table, what groups them, what to do without any."""

    ways: str
    table: str
    group_name: str
    empty_text: str


_PARTS = "annotation/generation/partials/"
SHOWN = {
    SET: Shown(
        f"{_PARTS}materials_set.html",
        f"{_PARTS}material_rows_set.html",
        _("Relation"),
        _("Give the command above on the server; the sets that it draws stand here then."),
    ),
    CONCEPT: Shown(
        f"{_PARTS}materials_concept.html",
        f"{_PARTS}material_rows_concept.html",
        _("Category"),
        _("Take the approved concepts with the button above; approve some first where there are none."),
    ),
    QUESTION: Shown(
        f"{_PARTS}materials_question.html",
        f"{_PARTS}material_rows_question.html",
        _("Category"),
        _("Take a file of questions in above."),
    ),
    ITEM: Shown(
        f"{_PARTS}materials_item.html",
        f"{_PARTS}material_rows_question.html",
        _("Category"),
        _("Take the questions of another project over above."),
    ),
}


@dataclass(frozen=True)
class Narrowed:
    """What of the list is shown, from the address."""

    group: str
    words: str

    @classmethod
    def of(cls, request: HttpRequest) -> "Narrowed":
        given = [request.GET.get(name, "").strip() for name in ("group", "q")]
        group, words = ("" if storable(each) else each[:200] for each in given)
        return cls(group, words)

    @property
    def query(self) -> str:
        """For links to other pages of the same list."""
        plain = urlencode({name: each for name, each in (("group", self.group), ("q", self.words)) if each})
        return f"{plain}&" if plain else ""


def _place(request: HttpRequest, slug: str) -> tuple[Membership, str]:
    """The viewer's place and what the project's questions start from; NotFound where a person writes them."""
    membership = access.machine_place(request.user, slug)
    try:
        return membership, sort_of(membership.project)
    except Invalid as refused:
        raise NotFound from refused


def _context(membership: Membership, **more: Any) -> dict[str, Any]:
    return {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "machine"),
        **more,
    }


def _page(
    request: HttpRequest, membership: Membership, sort: str, *, status: int = 200, **more: Any
) -> HttpResponse:
    narrowed = Narrowed.of(request)
    rows = materials.listed(membership, sort, group=narrowed.group, words=narrowed.words)
    shown = SHOWN[sort]
    context = _context(
        membership,
        ways=shown.ways,
        table=shown.table,
        group_name=gettext(shown.group_name),
        empty_text=gettext(shown.empty_text),
        recipe=recipes.get(membership.project.rules.recipe),
        narrowed=narrowed,
        groups=materials.groups(membership, sort),
        page=Paginator(rows, PAGE).get_page(request.GET.get("page")),
        **_ways(membership, sort),
    )
    return render(request, "annotation/generation/materials.html", {**context, **more}, status=status)


def _ways(membership: Membership, sort: str) -> dict[str, Any]:
    """How materials of this sort come in, and what is told of those that came."""
    project = membership.project
    if sort == SET:
        return {"filters": materials.filters(membership), "relations": chosen(project.rules.relations)}
    if sort == CONCEPT:
        return {"waiting": materials.concepts_waiting(project)}
    if sort == ITEM:
        return {"sources": materials.sources(membership) if membership.is_administrator else []}
    form = QuestionsForm() if membership.is_administrator else None
    return {"form": form, "files": list(materials.files(membership)[:FILES])}


@login_required
@require_GET
def material_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The list with how more comes in."""
    membership, sort = _place(request, slug)
    return _page(request, membership, sort)


@login_required
@require_POST
def materials_concepts(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the approved concepts."""
    membership, sort = _place(request, slug)
    try:
        taken = concepts_as_materials(project=membership.project, by=membership.user)
    except (Invalid, Conflict) as refused:
        return _page(request, membership, sort, status=_status(refused), problem=refused.code)
    _say(request, taken)
    return redirect("materials", slug=slug)


@login_required
@require_POST
def materials_items(request: HttpRequest, slug: str) -> HttpResponse:
    """Take over the questions of another project that the administrator chose."""
    membership, sort = _administrator(request, slug)
    try:
        source = _source(membership, request.POST.get("source", ""))
        taken = items_as_materials(project=membership.project, source=source, by=membership.user)
    except (Invalid, Conflict) as refused:
        return _page(request, membership, sort, status=_status(refused), problem=refused.code)
    _say(request, taken)
    return redirect("materials", slug=slug)


@login_required
@require_POST
def materials_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Take finished questions from a file that was sent; the report shows every refused row."""
    membership, sort = _administrator(request, slug)
    form = QuestionsForm(request.POST, request.FILES)
    if sort != QUESTION or not form.is_valid():
        problem = "" if sort == QUESTION else "materials_other_sort"
        return _page(request, membership, sort, status=422, form=form, problem=problem)
    try:
        taken = _taken(membership, form.cleaned_data["file"], form.cleaned_data["split"])
    except (Invalid, Conflict) as refused:
        words = (refused.message if isinstance(refused, Invalid) else "") or problem_words(refused.code)
        form.add_error(refused.field if refused.field in form.fields else None, words)
        return _page(request, membership, sort, status=_status(refused), form=form)
    return redirect("materials_report", slug, taken.pk)


def _taken(membership: Membership, sent: "UploadedFile[Any]", split: str) -> Import:
    with NamedTemporaryFile(prefix="mufakat-questions-") as file:
        for chunk in sent.chunks():
            file.write(chunk)
        file.flush()
        name = sent.name or "file"
        return questions_take(
            project=membership.project, path=Path(file.name), name=name, split=split, by=membership.user
        )


@login_required
@require_GET
def materials_report(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """What came of one file: counts, and each refused row with its field, the reason and what to do."""
    membership = _place(request, slug)[0]
    taken = materials.file(membership, import_id)
    page = Paginator(taken.rows.order_by("n", "pk"), PAGE).get_page(request.GET.get("page"))
    return render(
        request, "annotation/generation/materials_report.html", _context(membership, taken=taken, page=page)
    )


def _administrator(request: HttpRequest, slug: str) -> tuple[Membership, str]:
    membership, sort = _place(request, slug)
    if not membership.is_administrator:
        raise Forbidden
    return membership, sort


def _source(membership: Membership, slug: str) -> Project:
    found = next((each for each in materials.sources(membership) if each.slug == slug), None)
    if found is None:
        raise Invalid(field="source", code="materials_source_missing")
    return found


def _status(refused: Invalid | Conflict) -> int:
    return refused.status if isinstance(refused, Conflict) else 422


def _say(request: HttpRequest, taken: Taken) -> None:
    """What was done, in words."""
    said = []
    if taken.new:
        said.append(ngettext("%(n)d was taken in.", "%(n)d were taken in.", taken.new) % {"n": taken.new})
    if taken.changed:
        words = ngettext("%(n)d was taken anew.", "%(n)d were taken anew.", taken.changed)
        said.append(words % {"n": taken.changed})
    if taken.removed:
        words = ngettext("%(n)d was taken out.", "%(n)d were taken out.", taken.removed)
        said.append(words % {"n": taken.removed})
    if taken.held:
        words = ngettext(
            "%(n)d stays as it is, because a run has begun with it.",
            "%(n)d stay as they are, because runs have begun with them.",
            taken.held,
        )
        said.append(words % {"n": taken.held})
    if taken.unfit:
        words = ngettext(
            "%(n)d was left out: it has no answer.", "%(n)d were left out: they have no answer.", taken.unfit
        )
        said.append(words % {"n": taken.unfit})
    if said:
        messages.success(request, " ".join(said))
    else:
        messages.info(request, gettext("Nothing was new: all of it is here already."))
