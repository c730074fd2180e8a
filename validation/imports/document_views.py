"""Snippets from documents: upload with rules, the results of every rule, then the import of premises.

Administrators send and cut; leads read.
"""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound, Unavailable
from annotation.core.models.project import Project
from annotation.files import storage
from annotation.jobs import queries as job_queries
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, Job
from annotation.text.sentences import CLASSES
from annotation.ui.fields import line_field, whole_number_field
from annotation.ui.pages import page, page_context, show_refusal
from validation.imports.actions import stored_name
from validation.imports.documents import (
    MOST_FILES,
    SnippetRequest,
    documents_keep,
    documents_start,
    takes_documents,
)
from validation.imports.outcome import problem_in_words
from validation.imports.rules import FileRefused
from validation.imports.rules.cells import LONGEST_EXTRA
from validation.imports.rules.documents import ENDINGS, DocumentDefaults
from validation.imports.rules.snippets import (
    CANDIDATE_RULE_NAMES,
    DOCUMENT_RULE_NAMES,
    LONGEST_SEED,
    MOST_PER_DOCUMENT,
    MOST_SNIPPETS,
    MOST_WORDS,
    SnippetRules,
)

SHOWN = 50


class _FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class _FilesField(forms.FileField):
    """As many files as are chosen, each checked as one is."""

    widget = _FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        """The files."""
        one = super().clean
        return [one(each, initial) for each in data] if data else [one(None, initial)]


class RulesForm(forms.Form):
    """Which snippets are asked for, and what is said of all documents."""

    n = whole_number_field(gettext_lazy("Snippets"), 1, MOST_SNIPPETS, initial=100)
    single = whole_number_field(gettext_lazy("Single sentences, percent"), 0, 100, initial=60)
    double = whole_number_field(gettext_lazy("Two sentences, percent"), 0, 100, initial=25)
    paragraph = whole_number_field(gettext_lazy("Paragraphs, percent"), 0, 100, initial=15)
    per_document = whole_number_field(gettext_lazy("Most snippets of one document"), 1, MOST_PER_DOCUMENT)
    least_words = whole_number_field(gettext_lazy("Fewest words"), 1, MOST_WORDS, initial=5)
    most_words = whole_number_field(gettext_lazy("Most words"), 1, MOST_WORDS)
    seed = line_field(
        gettext_lazy("Seed"),
        LONGEST_SEED,
        gettext_lazy("The same seed draws the same snippets; empty: the project’s."),
        required=False,
    )
    source = line_field(
        gettext_lazy("Source"),
        LONGEST_EXTRA,
        gettext_lazy("Kept with each snippet whose file does not say it, such as Wikipedia."),
        required=False,
    )
    topic = line_field(gettext_lazy("Topic"), LONGEST_EXTRA, required=False)
    licence = line_field(gettext_lazy("Licence of the documents"), LONGEST_EXTRA, required=False)

    def __init__(self, *args: Any, project: Project, **more: Any) -> None:
        first = {"per_document": project.rules.per_document, "most_words": project.rules.max_words}
        more["initial"] = {**first, **more.get("initial", {})}
        super().__init__(*args, **more)

    def wish(self) -> SnippetRequest:
        """What was asked for. Raises Invalid for rules that cannot be followed."""
        given = dict(self.cleaned_data)
        given.pop("documents", None)
        about = DocumentDefaults(*(given.pop(name) for name in DocumentDefaults._fields))
        try:
            return SnippetRequest(SnippetRules(**given), about)
        except FileRefused as wrong:
            raise Invalid(problem_in_words(wrong), field="", code=wrong.code) from None


class DocumentsForm(RulesForm):
    """Files of documents beside the rules."""

    documents = _FilesField(
        label=gettext_lazy("Files"),
        help_text=gettext_lazy(
            "Texts (.txt, a document each), JSON Lines, JSON or CSV with a column for the text, or a dump of Wikipedia "
            "(.xml); in UTF-8, also packed with gzip or bzip2. You can choose several at once."
        ),
        widget=_FilesInput(attrs={"accept": ",".join((*ENDINGS, ".gz", ".bz2"))}),
    )
    field_order = ["documents"]


def _membership(request: HttpRequest, slug: str) -> Membership:
    """Leads look, administrators do; nobody where documents are of no use."""
    if request.method == "POST":
        membership = access.administrator_membership(request.user, slug)
    else:
        membership = access.lead_membership(request.user, slug)
    if not takes_documents(membership.project):
        raise NotFound
    return membership


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def documents(request: HttpRequest, slug: str) -> HttpResponse:
    """Send documents and say which snippets are asked for; the ones cut so far."""
    membership = _membership(request, slug)
    form = DocumentsForm(request.POST or None, request.FILES or None, project=membership.project)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            sent = [(file.name or "file", file.chunks()) for file in form.cleaned_data["documents"]]
            try:
                taken = documents_keep(project=membership.project, by=membership.user, files=sent, wish=form.wish())
                return redirect("documents_page", slug, taken.pk)
            except (Invalid, Conflict) as refusal:
                status = show_refusal(form, refusal)
            except Unavailable as refusal:
                status = refusal.status
                form.add_error(None, refusal.message)
    found = membership.project.imports.filter(what=Import.What.DOCUMENTS).select_related("job")
    more = {"form": form, "found": found.order_by("-pk")[:SHOWN], "most_files": MOST_FILES}
    return page(request, membership, "imports", "validation/imports/documents.html", status=status, **more)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def documents_page(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """How far it is, then what came of every rule; POST cuts anew by other rules, or stops."""
    membership = _membership(request, slug)
    taken = _document_import(membership, import_id)
    wish = SnippetRequest.kept(taken)
    stands = {**wish.to_dict()["rules"], **wish.about._asdict()}
    form, status = RulesForm(initial=stands, project=membership.project), 200
    if request.method == "POST":
        if request.POST.get("wish") == "stop" and taken.job is not None:
            jobs.cancel(job_id=taken.job.pk)
            return redirect("documents_page", slug, taken.pk)
        form, status = RulesForm(request.POST, project=membership.project), 422
        if form.is_valid():
            try:
                documents_start(taken=taken, by=membership.user, wish=form.wish())
                return redirect("documents_page", slug, taken.pk)
            except (Invalid, Conflict) as refusal:
                status = show_refusal(form, refusal)
    shown = page_context(membership, "imports", form=form, taken=taken, job=taken.job, **_report_context(taken))
    return render(request, "validation/imports/documents_page.html", shown, status=status)


def _document_import(membership: Membership, import_id: int) -> Import:
    taken = job_queries.project_import(membership, import_id)
    if taken.what != Import.What.DOCUMENTS:
        raise NotFound
    return taken


def _report_context(taken: Import) -> dict[str, Any]:
    """The state of the job, and its report by rule."""
    job = taken.job
    result = job.result if job is not None and job.state == Job.State.DONE else {}
    lines = [
        (gettext(said), n, result.get("examples", {}).get(rule, ()))
        for rule, said in CANDIDATE_RULE_NAMES.items()
        if (n := result.get("candidates_left", {}).get(rule))
    ]
    left = result.get("documents_left", {})
    asked, got = result.get("asked", {}), result.get("taken", {})
    names = {"single": gettext("single"), "double": gettext("double"), "paragraph": gettext("paragraph")}
    return {
        "result": result,
        "unfinished": job is not None and job.state in jobs.UNFINISHED,
        "failed": job is not None and job.state == Job.State.FAILED,
        "classes": [(names[name], got.get(name, 0), asked.get(name, 0)) for name in CLASSES] if result else (),
        "short": bool(result) and sum(got.values()) < sum(asked.values()),
        "by_rule": lines,
        "by_document": [
            (gettext(said), left[rule], result.get("documents_by_rule", {}).get(rule, ()))
            for rule, said in DOCUMENT_RULE_NAMES.items()
            if left.get(rule)
        ],
        "snippets": Import.objects.filter(pk=taken.mapping.get("snippets", 0), project=taken.project).first(),
    }


@login_required
@require_safe
def documents_file(request: HttpRequest, slug: str, import_id: int) -> HttpResponseBase:
    """The snippets as JSON Lines, to keep, as long as they were not taken in."""
    membership = _membership(request, slug)
    taken = _document_import(membership, import_id)
    made = Import.objects.filter(pk=taken.mapping.get("snippets", 0), project=taken.project).first()
    if made is None or not storage().exists(stored_name(made)):
        raise NotFound
    answer = StreamingHttpResponse(storage().read(stored_name(made)), content_type="application/x-ndjson")
    kept_as = f"{slug}-snippets-{taken.pk}.jsonl"
    answer.headers["Content-Disposition"] = content_disposition_header(True, kept_as) or "attachment"
    return answer
