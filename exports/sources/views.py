"""New source sets: from a file with its columns matched, from a project, or from a release of one (screens.md 8).

For administrators, and for leads of both projects.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.content import item_choice, shapes
from annotation.content.models.units import SourceSet
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.project import Project, Target
from annotation.jobs import queries as job_queries
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, Job
from annotation.translation.actions.source_sets import SetIn
from annotation.translation.queries.sources import sources_membership
from annotation.translation.rules.source_units import SHAPES
from annotation.ui.options import Options
from annotation.ui.pages import page_context, typed_number, whole_number, words_of
from exports.releases.models import Release
from exports.sources import reading
from exports.sources.selection import ORIGINS, SIZES, ItemSelection, find_row_source
from exports.sources.starting import (
    MOST_CONDITIONS,
    preview,
    source_file_keep,
    source_file_start,
    source_take,
)
from validation.imports.outcome import notes_in_words
from validation.imports.rules.csv_rows import SEPARATOR_NAMES
from validation.imports.rules.source_columns import source_columns
from validation.imports.rules.values import MOST_DRAWN
from validation.studies.views.pages import page_of

ROWS_FROM = ("file", "project", "release")
QUIET_SECONDS = 60


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def source_set_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the rows are from, what is chosen of them, and what the set is called."""
    membership = sources_membership(request.user, slug)
    if request.method != "POST":
        return _new_page(request, membership, request.GET)
    try:
        return redirect("source_in", slug, _begin_import(request, membership).pk)
    except (Invalid, Conflict) as refusal:
        words, field, status = words_of(refusal), refusal.field, refusal.page_status
        return _new_page(request, membership, request.POST, problem=words, field=field, status=status)


def _sent_set(sent: QueryDict) -> SetIn:
    shape = sent.get("shape", "")
    return SetIn(sent.get("key", "").strip(), sent.get("name", ""), shape, sent.get("task", ""))


def _sent_selection(sent: QueryDict) -> ItemSelection:
    names = ("project", "origin", "size", "source_set", "target")
    plain = {name: sent.get(name, "") for name in names} | {"gold": sent.get("gold") or item_choice.SETTLED}
    release = whole_number(sent.get("release")) if sent.get("from") == "release" else 0
    split, splits = sent.get("split", "test").strip()[:20], " ".join(sent.getlist("splits"))[:200]
    return ItemSelection(**plain, release=release, split=split, splits=splits)


def _begin_import(request: HttpRequest, membership: Membership) -> Import:
    given = _sent_set(request.POST)
    if request.POST.get("from") not in ("project", "release"):
        sent = request.FILES.get("file")
        if sent is None:
            raise Invalid(gettext("Choose a file first."), field="file", code="file_missing")
        return source_file_keep(
            project=membership.project,
            given=given,
            by=membership.user,
            name=sent.name or "file",
            chunks=sent.chunks(),
            separator=request.POST.get("separator", ""),
        )
    chosen = _sent_selection(request.POST)
    if request.POST.get("from") == "release" and not chosen.release:
        raise Invalid(field="release", code="source_release_missing")
    result = find_row_source(request.user, chosen)
    dry_run = request.POST.get("wish") == "try"
    return source_take(project=membership.project, given=given, row_source=result, by=membership.user, dry_run=dry_run)


def _new_page(
    request: HttpRequest,
    membership: Membership,
    sent: QueryDict,
    *,
    problem: str = "",
    field: str = "",
    status: int = 200,
) -> HttpResponse:
    way = sent.get("from", "file")
    way = way if way in ROWS_FROM else "file"
    chosen, others, count = _sent_selection(sent), _other_projects(membership), None
    if way != "file" and chosen.project:
        with suppress(Invalid):
            result = find_row_source(request.user, chosen)
            count = reading.count_rows(result) if way == "project" or result.release else None
    shown = page_context(
        membership,
        "source_sets",
        way=way,
        shapes=[(shape.slug, shape.name) for shape in SHAPES.values()],
        given=_sent_set(sent),
        chosen=chosen,
        others=[(each.slug, each.name) for each in others],
        count=count,
        problem=problem,
        field=field,
        separators=SEPARATOR_NAMES,
        **_choices_within(others, way, chosen),
    )
    part = request.headers.get("HX-Target") == "source-count"
    template = "exports/sources/partials/source_count.html" if part else "exports/sources/source_set_new.html"
    return render(request, template, shown, status=status)


def _other_projects(membership: Membership) -> list[Project]:
    """The projects that the viewer may take rows from: those that they lead or administer."""
    result = [each.project for each in access.memberships(membership.user) if each.sees_all]
    return [each for each in result if each != membership.project and each.kind_spec.export.source_row is not None]


def _choices_within(others: Sequence[Project], way: str, chosen: ItemSelection) -> dict[str, Any]:
    """What can be chosen within the project that was chosen: releases, splits, sets, targets, a class of premises."""
    other = next((each for each in others if each.slug == chosen.project), None)
    if other is None or way == "file":
        return {"other": None}
    releases = Release.objects.filter(project=other, state=Release.State.READY).order_by("-n")
    targets = Target.objects.filter(project=other).order_by("key")
    release = next((each for each in releases if each.n == chosen.release), None)
    return {
        "other": other,
        "releases": [(each.n, f"{each.n} · {date_format(localtime(each.at))}") for each in releases],
        "splits": sorted((release.counts.get("splits") or {}) if release is not None else {}),
        "golds": item_choice.CHOICES.items(),
        "origins": ORIGINS.items(),
        "sizes": SIZES.items() if shapes.get(other.kind_spec.shape).text_class_path else (),
        "source_sets": SourceSet.objects.filter(project=other).order_by("key").values_list("key", "name"),
        "targets": [(each.key, each.title) for each in targets] if access.has_targets(other) else (),
    }


# --- a set on its way in ------------------------------------------------------------------


def _find_import(request: HttpRequest, slug: str, import_id: int) -> tuple[Membership, Import]:
    membership = sources_membership(request.user, slug)
    taken = job_queries.project_import(membership, import_id)
    if taken.what != Import.What.SOURCE_SET:
        raise NotFound
    return membership, taken


@login_required
@require_GET
def source_in(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """Before the start: columns and first rows. After it: how far it is, and the rows that were refused."""
    membership, taken = _find_import(request, slug, import_id)
    if taken.job is None:
        where = [tuple(each) for each in taken.mapping["where"]]
        return _mapping_page(request, membership, taken, taken.mapping["fields"], where)
    return _report_page(request, membership, taken, taken.job)


Conditions = list[tuple[str, str]]


def _mapping_page(
    request: HttpRequest,
    membership: Membership,
    taken: Import,
    fields: Mapping[str, str],
    where: Conditions,
    problem: str = "",
    drawn: tuple[int, str] | None = None,
) -> HttpResponse:
    stands = taken.mapping.get("sample") or {}
    n, seed = drawn or (stands.get("n", 0), stands.get("seed", ""))
    known = source_columns(taken.mapping["set"]["shape"])
    by_column = {column: field for field, column in fields.items() if field in known.fields}
    columns = taken.mapping["columns"]
    shown = page_context(
        membership,
        "source_sets",
        taken=taken,
        given=taken.mapping["set"],
        shape=SHAPES[taken.mapping["set"]["shape"]],
        columns=[(n, column, by_column.get(column, "")) for n, column in enumerate(columns)],
        fields=Options((field, known.help[field]) for field in known.fields),
        conditions=[*where, *[("", "")] * (min(2, MOST_CONDITIONS) - len(where))],
        preview=preview(taken, fields, where),
        problem=problem,
        sample=n,
        seed=seed,
        most_drawn=MOST_DRAWN,
    )
    return render(request, "exports/sources/source_set_up.html", shown, status=422 if problem else 200)


def _report_page(request: HttpRequest, membership: Membership, taken: Import, job: Job) -> HttpResponse:
    unfinished, dry_run = job.state in jobs.UNFINISHED, bool(job.args.get("dry_run"))
    quiet = jobs.worker_is_quiet(QUIET_SECONDS)
    shown = page_context(
        membership,
        "source_sets",
        taken=taken,
        given=taken.mapping["set"],
        job=job,
        dry_run=dry_run,
        unfinished=unfinished,
        nobody=unfinished and job.state == Job.State.QUEUED and quiet,
        again=bool(taken.path) and not unfinished and (dry_run or job.state != Job.State.DONE),
        made=job.state == Job.State.DONE and not dry_run,
        notes=notes_in_words(job.result.get("notes", ())),
        not_taken=item_choice.reasons_in_words(job.result.get("not_taken", {})),
        page=page_of(request, taken.rows.order_by("n", "pk")),
    )
    return render(request, "exports/sources/source_in.html", shown)


@login_required
@require_POST
def source_begin(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """Match the columns anew and look again, try the whole file out, or make the set; or stop."""
    membership, taken = _find_import(request, slug, import_id)
    wish = request.POST.get("wish", "look")
    if wish == "stop" and taken.job is not None:
        jobs.cancel(job_id=taken.job.pk)
        return redirect("source_in", slug, taken.pk)
    if not taken.path:
        return redirect("source_in", slug, taken.pk)
    fields, where, problem = _sent_mapping(request.POST, taken)
    drawn = typed_number(request.POST.get("sample")), request.POST.get("seed", "").strip()
    if problem or wish not in ("try", "take"):
        return _mapping_page(request, membership, taken, fields, where, problem, drawn)
    given: dict[str, Any] = {
        "mapping": fields,
        "where": where,
        "sample": drawn[0],
        "seed": drawn[1],
        "dry_run": wish == "try",
    }
    try:
        source_file_start(taken=taken, by=membership.user, **given)
    except (Conflict, Invalid) as refusal:
        if refusal.code != "import_started":
            return _mapping_page(request, membership, taken, fields, where, words_of(refusal), drawn)
    return redirect("source_in", slug, taken.pk)


def _sent_mapping(sent: QueryDict, taken: Import) -> tuple[dict[str, str], Conditions, str]:
    """Field → column and the conditions as the form says; where it names no column at all, what stood there."""
    known, problem = source_columns(taken.mapping["set"]["shape"]), ""
    fields: dict[str, str] = {}
    named = False
    for n, column in enumerate(taken.mapping["columns"]):
        field = sent.get(f"column_{n}")
        named = named or field is not None
        if not field or field not in known.fields:
            continue
        if field in fields:
            message = gettext("“%(one)s” and “%(two)s” are both taken for %(field)s; choose one of them.")
            problem = message % {"one": fields[field], "two": column, "field": field}
        fields[field] = column
    if not named:
        return dict(taken.mapping["fields"]), [tuple(each) for each in taken.mapping["where"]], problem
    pairs = zip(sent.getlist("where_column"), sent.getlist("where_value"), strict=False)
    return fields, [(column, value.strip()) for column, value in pairs if column], problem
