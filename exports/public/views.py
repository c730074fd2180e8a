"""The public page of a release and its files, for everybody; its settings and error reports, for leads.

Public pages read nothing but the release's own public files and what an administrator typed for them.
"""

from typing import Any

from allauth.core.internal import ratelimit
from django import forms
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.core import access as people
from annotation.core.accounts import RATE_LIMIT_APP
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.files import storage
from annotation.text.markdown import render as rendered
from annotation.ui.fields import area_field, line_field, whole_number_field
from annotation.ui.pages import page, show_refusal
from exports.public import actions, queries
from exports.public.given_out import questions_in
from exports.public.models import Publication
from exports.public.rules import (
    DOI,
    LONGEST_ITEM,
    LONGEST_REPORT,
    Creator,
    bibtex,
    cff,
    creators_text,
    datacite,
    parse_creators,
)
from exports.releases.queries import ReleaseFile
from exports.releases.queries import release as release_of

# A report is sent between so many seconds after its form was shown: a person reads it first.
LEAST_FORM_SECONDS, MOST_FORM_SECONDS = 3, 24 * 3600
SALT = "erratum"
_PAGE = "exports/public/release.html"


class ErratumForm(forms.Form):
    """What somebody found wrong. `website` is for machines that fill in everything: people do not see it."""

    item = line_field(gettext_lazy("Item"), LONGEST_ITEM, gettext_lazy("Its id in the files."), required=False)
    text = area_field(
        gettext_lazy("What is wrong"),
        LONGEST_REPORT,
        4,
        gettext_lazy("Everybody can read it once it is answered; do not name yourself or others."),
    )
    website = forms.CharField(required=False)
    shown = forms.CharField(required=False, widget=forms.HiddenInput)


# --- for everybody ------------------------------------------------------------------------


@require_safe
def public_newest(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest public release of a data set."""
    return redirect("public_release", slug, queries.newest_public_number(slug))


@require_safe
def release_keys(request: HttpRequest) -> JsonResponse:
    """The public keys of this site that sign releases, the newest first, each with its dates."""
    return JsonResponse({"keys": queries.public_signing_keys()}, json_dumps_params={"indent": 2})


@require_safe
def public_release(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Card, figures, files, citation, versions and answered reports of a release."""
    return _public_page(request, queries.find_public_release(slug, n), ErratumForm())


def _public_page(request: HttpRequest, found: Publication, form: ErratumForm, status: int = 200) -> HttpResponse:
    release, cited, versions = found.release, queries.citation_of(found), queries.public_versions(found)
    context = {
        "slug": release.project.slug,
        "n": release.n,
        "cited": cited,
        "creators": cited.creators,
        "parts": queries.parts_of(release),
        "files": queries.public_files(release),
        "files_withdrawn_at": found.files_withdrawn_at,
        "replaced": release.replaced,
        "replaces": release.replaces,
        "linked": {each.release.n for each in versions},
        "bibtex": bibtex(cited),
        "card": _markdown_as_html(queries.card_of(release)),
        "changes": _markdown_as_html(queries.read_public_text(release, queries.CHANGES_FILE)),
        "versions": [(each.release.n, each.title, each.year) for each in versions],
        "errata": list(queries.answered_errata(release).values("n", "item", "text", "answer", "at", "answered_at")),
        "form": form,
        "shown": signing.TimestampSigner(salt=SALT).sign(str(release.pk)),
        "reported": request.GET.get("reported") == "yes",
    }
    return render(request, _PAGE, context, status=status)


def _markdown_as_html(text: str) -> SafeString:
    """A Markdown file as HTML that cannot harm: `render` lets only a short list of elements out."""
    return SafeString(rendered(text))


@require_safe
def public_file(request: HttpRequest, slug: str, n: int, name: str) -> HttpResponseBase:
    """One file, to keep: never shown by the browser; of a version whose files were withdrawn that they were (410)."""
    found = queries.find_public_release(slug, n)
    file = queries.public_file(found.release, name)
    if found.files_withdrawn_at:
        return render(request, "exports/public/files_withdrawn.html", {"slug": slug, "n": n}, status=410)
    return _file_response(request, file, f"{slug}-{n}-{file.name.replace('/', '-')}")


def _file_response(request: HttpRequest, file: ReleaseFile, name: str) -> HttpResponseBase:
    answer: HttpResponseBase
    if request.method == "HEAD":
        answer = HttpResponse(headers={"Content-Length": str(file.bytes)})
    else:
        if link := storage().download_url(file.stored, kept_as=name, content_type=file.content_type):
            return HttpResponseRedirect(link, headers={"Cache-Control": "no-store"})
        try:
            pieces = storage().read(file.stored)
        except FileNotFoundError:
            raise NotFound from None
        answer = StreamingHttpResponse(pieces, headers={"Content-Length": str(file.bytes)})
    answer.headers["Content-Type"] = file.content_type
    answer.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return answer


@require_safe
def public_citation(request: HttpRequest, slug: str, n: int, form: str) -> HttpResponse:
    """How the release is cited: BibTeX, CITATION.cff, or DataCite's metadata."""
    cited = queries.citation_of(queries.find_public_release(slug, n))
    if form == "datacite.json":
        return JsonResponse(datacite(cited), json_dumps_params={"indent": 2, "ensure_ascii": False})
    text = bibtex(cited) if form == "citation.bib" else cff(cited)
    answer = HttpResponse(text, content_type="text/plain; charset=utf-8")
    answer.headers["Content-Disposition"] = content_disposition_header(True, form) or "attachment"
    return answer


@require_POST
def erratum_new(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Report an error, without an account; so many an hour from one address."""
    found = queries.find_public_release(slug, n)
    form = ErratumForm(request.POST)
    if not form.is_valid():
        return _public_page(request, found, form, 422)
    given = form.cleaned_data
    if given["website"]:
        # A program that fills in every field gets the same response as everybody, and nothing is stored.
        return redirect(_report_received_url(slug, n))
    if not _is_form_in_time(given["shown"], found):
        form.add_error(None, problem_words("erratum_stale"))
        return _public_page(request, found, form, 422)
    if not ratelimit.consume(request, app=RATE_LIMIT_APP, action="erratum"):
        form.add_error(None, gettext("Too many reports came from your address. Please try again in an hour."))
        return _public_page(request, found, form, 429)
    try:
        actions.erratum_report(release=found.release, item=given["item"], text=given["text"])
    except (Invalid, Conflict) as refusal:
        return _public_page(request, found, form, show_refusal(form, refusal))
    return redirect(_report_received_url(slug, n))


def _report_received_url(slug: str, n: int) -> str:
    return reverse("public_release", args=[slug, n]) + "?reported=yes#report"


def _is_form_in_time(shown: str, found: Publication) -> bool:
    """Whether the form was shown for this release, long enough ago and not too long."""
    signer = signing.TimestampSigner(salt=SALT)
    try:
        named = signer.unsign(shown, max_age=MOST_FORM_SECONDS)
    except signing.BadSignature:
        return False
    try:
        signer.unsign(shown, max_age=LEAST_FORM_SECONDS)
    except signing.SignatureExpired:
        return named == str(found.release.pk)
    return False


# --- for leads and administrators ---------------------------------------------------------


class PublicationForm(forms.Form):
    """The texts of the public page in addition to the release's files."""

    title = line_field(gettext_lazy("Title"), 200)
    creators = area_field(
        gettext_lazy("Creators"),
        20_000,
        4,
        gettext_lazy("One a line: Family, Given; ORCID; affiliation. A group without a comma."),
    )
    publisher = line_field(gettext_lazy("Publisher"), 200, gettext_lazy("The institution or team that publishes it."))
    year = whole_number_field(gettext_lazy("Year"), 1900, 2999)
    description = area_field(gettext_lazy("Description"), 5000, 5, required=False)
    keywords = line_field(gettext_lazy("Keywords"), 300, gettext_lazy("With commas between."), required=False)
    doi = line_field(
        gettext_lazy("DOI"), 200, gettext_lazy("Such as 10.5281/zenodo.1, once it has one."), required=False
    )

    def clean_creators(self) -> list[Creator]:
        """The creators, each line by itself."""
        try:
            return parse_creators(self.cleaned_data["creators"])
        except ValueError as wrong:
            message = gettext("Line %(n)s is no name; ORCID; affiliation, or its ORCID is mistyped.")
            raise forms.ValidationError(message % {"n": wrong.args[0]}) from None

    def clean_doi(self) -> str:
        """The DOI without the address of its resolver."""
        doi = self.cleaned_data["doi"].strip().removeprefix("https://doi.org/")
        if doi and not DOI.fullmatch(doi):
            raise forms.ValidationError(gettext("A DOI begins with 10., a number and a slash."))
        return str(doi)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def publication(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """The content of the public page, whether it is open, and error reports; POST changes it (administrators)."""
    posted = request.method == "POST"
    membership = (people.administrator_membership if posted else people.lead_membership)(request.user, slug)
    release = release_of(membership, n)
    stands = queries.publication_of(release)
    form, status = PublicationForm(request.POST if posted else None, initial=_initial(release, stands)), 200
    take_out = request.POST.get("take_out") == "yes"
    if request.POST.get("files") == "withdraw":  # the button is there where that can be
        actions.files_withdraw(release=release, by=membership.user)
        return redirect("publication", slug, n)
    if posted:
        status = 422
        if form.is_valid():
            told = {**form.cleaned_data, "creators": [list(each) for each in form.cleaned_data["creators"]]}
            public = request.POST.get("public") == "yes"
            try:
                actions.publication_set(
                    release=release, by=membership.user, public=public, told=told, take_out=take_out
                )
                return redirect("publication", slug, n)
            except Conflict as refusal:
                status = show_refusal(form, refusal)
    return page(
        request,
        membership,
        "releases",
        "exports/public/publication.html",
        status=status,
        release=release,
        form=form,
        public=stands is not None and stands.public,
        files_withdrawn_at=stands and stands.files_withdrawn_at,
        take_out=take_out,
        questions=questions_in(release) if membership.is_administrator else None,
        errata=list(queries.errata_of(membership, release)),
        longest=LONGEST_REPORT,
    )


def _initial(release: Any, stands: Publication | None) -> dict[str, Any]:
    """What was said before; for the first time the project's name and the year of the release."""
    if stands is None:
        before = Publication.objects.filter(release__project=release.project).order_by("-release__n").first()
        if before is None:
            return {"title": release.project.name, "year": release.at.year}
        return {**_initial(before.release, before), "year": release.at.year, "doi": ""}
    names = ("title", "publisher", "year", "description", "keywords", "doi")
    creators = creators_text([Creator(*each) for each in stands.creators])
    return {**{name: getattr(stands, name) for name in names}, "creators": creators}


@login_required
@require_POST
def erratum_done(request: HttpRequest, slug: str, n: int, number: int) -> HttpResponse:
    """Answer a report (leads too), or hide it (`wish=hide`)."""
    membership = people.lead_membership(request.user, slug)
    release = release_of(membership, n)
    found = queries.errata_of(membership, release).filter(n=number).first()
    if found is None:
        raise NotFound
    hide = request.POST.get("wish") == "hide"
    try:
        actions.erratum_answer(erratum=found, by=membership.user, answer=request.POST.get("answer", ""), hide=hide)
    except Invalid as refusal:
        stands = queries.publication_of(release)
        shown: dict[str, Any] = {
            "release": release,
            "form": PublicationForm(initial=_initial(release, stands)),
            "public": stands is not None and stands.public,
            "errata": list(queries.errata_of(membership, release)),
            "longest": LONGEST_REPORT,
            "wrong": (number, problem_words(refusal.code), request.POST.get("answer", "")),
        }
        return page(request, membership, "releases", "exports/public/publication.html", status=422, **shown)
    return redirect("publication", slug, n)
