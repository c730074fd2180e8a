"""Import: a file is sent, its columns are matched, the first rows are shown; then a job takes it in (screens.md 8).

Administrators import; leads read the reports.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, cast

import orjson
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound, Unavailable
from annotation.files import storage
from annotation.jobs import queries as job_queries
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, Job
from annotation.kinds.rendered_texts import MEDIA_WIDGETS
from annotation.media.actions import media_zip_keep
from annotation.ui.csv_files import csv_streamed
from annotation.ui.navigation import navigation_links
from annotation.ui.options import Options
from annotation.ui.pages import typed_number
from validation.imports.actions import import_keep, import_start, stored_name
from validation.imports.outcome import notes_in_words, unread_lines
from validation.imports.pipeline import LONGEST_MODEL, columns_for, format_of
from validation.imports.preview import Preview, preview, samples
from validation.imports.rules.csv_rows import SEPARATOR_NAMES
from validation.imports.rules.questions import LEFT_OUT
from validation.imports.rules.values import MOST_DRAWN

ROWS_A_PAGE = 50
QUIET_SECONDS = 60
# What a form calls "unknown", which is kept as nothing.
UNKNOWN = "?"
# Of a ZIP file of images and sounds: what a web process looks through within its time.
MOST_ZIP = 64 * 1024 * 1024


@login_required
@require_http_methods(["GET", "POST"])
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a file (administrators); the files taken in so far (leads too)."""
    membership = access.lead_membership(request.user, slug)
    problem, media = "", None
    if request.method == "POST":
        membership = access.administrator_membership(request.user, slug)
        try:
            taken, media = _sent_file(request, membership)
            if taken is not None:
                return redirect("import_page", slug, taken.pk)
        except (Invalid, Unavailable) as refused:
            problem = refused.message
    files = membership.project.imports.filter(what=Import.What.ITEMS).select_related("job")
    page = Paginator(files.order_by("-pk"), ROWS_A_PAGE)
    context = {
        **_context(membership),
        "page": page.get_page(request.GET.get("page")),
        "problem": problem,
        "shows_media": bool(
            set(MEDIA_WIDGETS).intersection(membership.project.kind_spec.presentation.widgets.values())
        ),
        "media": media,
        "media_there": membership.project.media.count(),
        "separators": SEPARATOR_NAMES,
        "snippets": format_of(membership.project.kind_spec.file_format).allows_snippets,
    }
    return render(request, "validation/imports/imports.html", context, status=422 if problem else 200)


def _sent_file(request: HttpRequest, membership: Membership) -> tuple[Import | None, dict[str, Any] | None]:
    """The file of rows that was sent, and the outcome of the ZIP file beside it. Raises Invalid without either."""
    file, packed = request.FILES.get("file"), request.FILES.get("media")
    project, by = membership.project, membership.user
    if file is None and packed is None:
        raise Invalid(gettext("Choose a file first."), field="file", code="file_missing")
    media = None
    if packed is not None:
        if (packed.size or 0) > MOST_ZIP:
            message = gettext("The ZIP file has more than %(most)s MB: send it in parts, or by import_items.")
            raise Invalid(message % {"most": MOST_ZIP // 1024**2}, field="media", code="file_too_large")
        media = media_zip_keep(project=project, by=by, file=cast(BinaryIO, packed.file)).to_dict()
    if file is None:
        return None, media
    details, separator = {"media": media} if media else None, request.POST.get("separator", "")
    more: dict[str, Any] = {"details": details, "separator": separator}
    return import_keep(project=project, by=by, name=file.name or "file", chunks=file.chunks(), **more), media


def _context(membership: Membership) -> dict[str, Any]:
    return {
        "project": membership.project,
        "membership": membership,
        "nav": navigation_links(membership, "imports"),
    }


@login_required
@require_GET
def import_page(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """Before the start: columns and first rows. After it: how far it is, and the report."""
    membership = access.lead_membership(request.user, slug)
    taken = _item_import(membership, import_id)
    if taken.job is None:
        fields, machine = taken.mapping.get("fields", {}), taken.mapping.get("machine", "")
        return _mapping_page(request, membership, taken, fields, machine=machine)
    return _report(request, membership, taken, taken.job)


def _item_import(membership: Membership, import_id: int) -> Import:
    """A file of the kind's items or sources: rows of source sets have pages of their own."""
    taken = job_queries.project_import(membership, import_id)
    if taken.what != Import.What.ITEMS:
        raise NotFound
    return taken


def _mapping_page(
    request: HttpRequest,
    membership: Membership,
    taken: Import,
    fields: Mapping[str, str],
    problem: str = "",
    machine: str = "",
    meaning: "Meaning | None" = None,
) -> HttpResponse:
    meaning = meaning or Meaning.kept(taken)
    known = columns_for(taken.project)
    chosen = {column: field for field, column in fields.items() if field in known.fields}
    columns, there = taken.mapping.get("columns", []), storage().exists(stored_name(taken))
    values, nothing = samples(taken) if there else {}, gettext("empty in the first rows")
    shown = preview(taken, fields, machine, meaning.values) if there else None
    context = {
        **_context(membership),
        "taken": taken,
        "columns": [
            (str(n), column, chosen.get(column, ""), " · ".join(values.get(column, ())) or nothing)
            for n, column in enumerate(columns)
        ],
        "fields": Options((field, known.help[field]) for field in known.fields),
        "left": [column for column in columns if column not in known.columns_read(fields)],
        "left_out": LEFT_OUT in fields if known.hidden_fields else None,
        "preview": shown,
        "values": _values(taken, fields, meaning, shown) if shown else (),
        "meaning": meaning,
        "unread_lines": unread_lines(shown.unread) if shown else (),
        "notes": shown.notes if shown else (),
        "most_drawn": MOST_DRAWN,
        "problem": problem,
        "by_machines": format_of(taken.project.kind_spec.file_format).allows_machine_items,
        "machine": machine,
        "longest_model": LONGEST_MODEL,
    }
    return render(request, "validation/imports/import_set_up.html", context, status=422 if problem else 200)


class Meaning(NamedTuple):
    """What is said of a file's values (column, person, value, taken for), and how many rows are drawn by which seed."""

    values: Sequence[Sequence[str]] = ()
    sample: int = 0
    seed: str = ""

    @classmethod
    def kept(cls, taken: Import) -> "Meaning":
        """As it is kept with an import."""
        drawn = taken.mapping.get("sample") or {}
        return cls(taken.mapping.get("values", ()), drawn.get("n", 0), drawn.get("seed", ""))


class ValueLine(NamedTuple):
    """A value that cannot be read, or that is taken for another one: where, how often, and what it can be."""

    key: str
    column: str
    person: str
    value: str
    times: int | None
    words: Sequence[tuple[str, str]]
    chosen: str


def _values(taken: Import, fields: Mapping[str, str], meaning: Meaning, shown: Preview) -> list[ValueLine]:
    """The values of which somebody may say what they mean: of a trial of the whole file, else of its first rows."""
    job, form = taken.job, format_of(taken.project.kind_spec.file_format)
    result = job.result if job is not None else {}
    tried = [*result.get("unread", ()), *result.get("strange", ())] or shown.unread
    said = {(column, person, value): to for column, person, value, to in meaning.values}
    counts = {(str(column), str(person), str(value)): int(n) for column, person, value, n in tried if column}
    by_column = {column: field for field, column in fields.items()}
    lines = []
    for column, person, value in sorted({*counts, *said}):
        words = [(word, word) for word in form.cell_values(taken.project, by_column.get(column, ""))]
        if value:
            words.insert(0, (UNKNOWN, gettext("unknown")))
        to = said.get((column, person, value))
        chosen = "" if to is None else to or UNKNOWN
        key = orjson.dumps([column, person, value]).decode()
        n = counts.get((column, person, value))
        lines.append(ValueLine(key, column, person, value, n, words, chosen))
    return lines


def _posted_meaning(sent: QueryDict, taken: Import) -> Meaning:
    """What the form says of values and sample; where it has no such field, what stood there."""
    if "sample" not in sent:
        return Meaning.kept(taken)
    found = []
    for key, to in zip(sent.getlist("value_key"), sent.getlist("value_to"), strict=False):
        with suppress(orjson.JSONDecodeError, ValueError):
            column, person, value = orjson.loads(key)
            if to:
                found.append((str(column), str(person), str(value), "" if to == UNKNOWN else to))
    return Meaning(found, typed_number(sent.get("sample")), sent.get("seed", "").strip())


def _report(request: HttpRequest, membership: Membership, taken: Import, job: Job) -> HttpResponse:
    rows = Paginator(taken.rows.order_by("n", "pk"), ROWS_A_PAGE)
    unfinished = job.state in jobs.UNFINISHED
    context = {
        **_context(membership),
        "taken": taken,
        "job": job,
        "dry_run": bool(job.args.get("dry_run")),
        "unfinished": unfinished,
        "nobody": unfinished and job.state == Job.State.QUEUED and jobs.worker_is_quiet(QUIET_SECONDS),
        "again": not unfinished and (bool(job.args.get("dry_run")) or job.state != Job.State.DONE),
        "page": rows.get_page(request.GET.get("page")),
        "flagged": job.result.get("flagged", 0),
        "unused": job.result.get("unused", ()),
        "unused_n": job.result.get("unused_n", 0),
        "left": job.result.get("left", ()),
        "notes": notes_in_words(job.result.get("notes", ())),
        "unread": unread_lines(job.result.get("unread", ())),
        "strange": unread_lines(job.result.get("strange", ())),
        "drawn": job.result.get("sample"),
        "taken_for": job.result.get("values", ()),
    }
    return render(request, "validation/imports/import_report.html", context)


@login_required
@require_POST
def import_begin(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """Match the columns anew and look again, try the whole file out, or take it in."""
    membership = access.administrator_membership(request.user, slug)
    taken = _item_import(membership, import_id)
    fields, problem = _posted_mapping(request.POST, taken)
    wish = request.POST.get("wish", "look")
    machine = request.POST.get("machine", taken.mapping.get("machine", "")).strip()
    meaning = _posted_meaning(request.POST, taken)
    if problem or wish not in ("try", "take"):
        return _mapping_page(request, membership, taken, fields, problem, machine, meaning)
    given = {"mapping": fields, "dry_run": wish == "try", "machine": machine, **meaning._asdict()}
    try:
        import_start(taken=taken, by=membership.user, **given)
    except Invalid as refused:
        return _mapping_page(request, membership, taken, fields, refused.message, machine, meaning)
    except Conflict:
        pass  # It runs already: the page says how far it is.
    return redirect("import_page", slug, taken.pk)


def _posted_mapping(sent: QueryDict, taken: Import) -> tuple[dict[str, str], str]:
    """Field → column as the form says; where it names no column at all, what stood there."""
    fields: dict[str, str] = {}
    problem, named, known = "", False, columns_for(taken.project)
    for n, column in enumerate(taken.mapping.get("columns", [])):
        field = sent.get(f"column_{n}")
        named = named or field is not None
        if not field or field not in known.fields:
            continue
        if field in fields:
            message = gettext("“%(one)s” and “%(two)s” are both taken for %(field)s; choose one of them.")
            problem = message % {"one": fields[field], "two": column, "field": field}
        fields[field] = column
    # A box that is not ticked is not sent; it means something beside answers, and without a creator's own column.
    if LEFT_OUT in known.hidden_fields and sent.get(LEFT_OUT) and "answers" in fields and "creator" not in fields:
        fields[LEFT_OUT] = fields["answers"]
    return (fields if named else dict(taken.mapping.get("fields", {}))), problem


@login_required
@require_POST
def import_cancel(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """Stop at the next batch; what was stored by then stays."""
    membership = access.administrator_membership(request.user, slug)
    taken = job_queries.project_import(membership, import_id)
    if taken.job is not None:
        jobs.cancel(job_id=taken.job.pk)
    return redirect("import_page", slug, taken.pk)


@login_required
@require_GET
def import_refused(request: HttpRequest, slug: str, import_id: int) -> StreamingHttpResponse:
    """The refused rows as CSV."""
    membership = access.lead_membership(request.user, slug)
    taken = job_queries.project_import(membership, import_id)
    rows = taken.rows.order_by("n", "pk").iterator(chunk_size=2000)
    rows_text = ([row.n, row.field, row.reason] for row in rows)
    return csv_streamed(request, chain([["row", "field", "reason"]], rows_text), f"import-{taken.pk}-refused.csv")
