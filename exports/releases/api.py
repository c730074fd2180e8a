"""`releases` and their files: previewed, frozen and downloaded as on the pages."""

import re
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.jobs import JobRow
from annotation.api.views import READ, RELEASE, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access as people
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.rules.fields import FieldError
from annotation.files import storage
from annotation.ui.rule_forms import reason_of
from exports.releases import queries as access
from exports.releases.actions import release_downloaded, release_freeze
from exports.releases.datasheet_facts import missing_now
from exports.releases.models import Release, Replacement
from exports.releases.preview import Confirmations, confirmations_of, preview, preview_shown_to
from exports.releases.rules.settings import PRESETS, SplitRules, default_rules, implied_rules, layout_of

RELEASE_FIELDS = ("n", "state", "rules", "counts", "at", "replaced", "replaces")
CHUNK = 256 * 1024
RELEASE_TIMES = ("at", "job__finished_at", "whole__job__finished_at")
RANGE_HEADER = re.compile(r"bytes=(\d{0,18})-(\d{0,18})\Z")


class FileRow(Row):
    """A file of a release."""

    path = serializers.CharField(source="name")
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class OtherVersionRow(Row):
    """A version without rows that were withdrawn, or the one that it replaces: its number, when that was, and why."""

    n = serializers.IntegerField()
    kind = serializers.ChoiceField(Replacement.Kind.values)
    reason = serializers.CharField()
    at = serializers.DateTimeField()


class ReleaseRow(Row):
    """A release, by its number. `counts` is empty until it is ready. `replaced` is the version without withdrawn rows
    that stands for it, `replaces` the one that it stands for."""

    n = serializers.IntegerField()
    state = serializers.ChoiceField(Release.State.values)
    rules = serializers.DictField()
    counts = serializers.DictField()
    at = serializers.DateTimeField()
    replaced = OtherVersionRow(allow_null=True)
    replaces = OtherVersionRow(allow_null=True)


class ReleaseWhole(ReleaseRow):
    """A release with its job and its files, those that you may take. `signed_by` is the key that signed its
    manifest, as `/.well-known/mufakat-release-keys.json` lists it; empty where it is not signed."""

    job = JobRow(allow_null=True)
    signed_by = serializers.CharField(source="signing_key", allow_blank=True)
    files = FileRow(many=True, source="shown")


class RulesIn(Body):
    """The rules of a release by name; what is left out is the preset's (the project's own where none is named)."""

    rules = serializers.DictField(default=dict)


class FreezeIn(RulesIn):
    """The rules, and what is to be confirmed where the preview asks for it."""

    confirm_shared = serializers.BooleanField(default=False)
    confirm_licence = serializers.BooleanField(default=False)
    confirm_audits = serializers.BooleanField(default=False)


class PreviewRow(Row):
    """What a release would hold. `asks` are the names of what has to be confirmed; `withdrawals` how often something
    was withdrawn, which is left out when it is built and still counted here."""

    rules = serializers.DictField()
    counts = serializers.DictField()
    asks = serializers.ListField(child=serializers.CharField())
    withdrawals = serializers.IntegerField()
    not_stated = serializers.ListField(
        child=serializers.CharField(),
        help_text="What the card will say is missing; most of it is stated under `about`.",
    )


def _rules(membership: Membership, given: dict[str, Any]) -> SplitRules:
    """The rules as they were sent, over those of the preset. Raises Invalid."""
    project, named = membership.project, given.get("preset", "")
    preset = named if isinstance(named, str) and named in PRESETS else project.rules.release
    base = default_rules(layout_of(project.kind_spec.shape), preset)
    try:
        plain = {**base.to_dict(), **implied_rules(base, given), **given}
        return access.checked_rules(project, SplitRules.from_dict(plain))
    except FieldError as error:
        reason = f"{error.field} {reason_of(error)}"
        raise Invalid(reason, field=f"rules.{error.field}", code="release_rule_wrong") from error


def _needed_confirmations(found: Confirmations) -> list[str]:
    names = [
        ("confirm_shared", found.sharing),
        ("confirm_licence", found.unlicensed),
        ("confirm_audits", found.open_audits),
    ]
    return [name for name, projects in names if projects]


def release_with_files(membership: Membership, n: int) -> dict[str, Any]:
    release = access.release(membership, n)
    own = {field: getattr(release, field) for field in RELEASE_FIELDS}
    own["signing_key"] = (release.whole or release).signing_key
    return {**own, "job": release.job, "shown": access.visible_files(membership, release)}


class Releases(ApiView):
    """The releases of a project."""

    tag = "releases"

    @operation(
        scopes=[READ, RELEASE],
        gives=ReleaseRow,
        paged=True,
        since=RELEASE_TIMES,
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the releases. For leads and administrators."""
        return self.page_response(access.releases(people.lead_membership(self.user, slug)))

    @operation(scopes=[RELEASE], takes=FreezeIn, gives=ReleaseWhole, status=202, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Freeze a release; its files are built in the background. What the preview asks for has to be confirmed. For
        administrators."""
        membership, sent = people.administrator_membership(self.user, slug), self.validated_body()
        rules = _rules(membership, sent["rules"])
        counts = preview(membership.project, rules)
        if counts["items"] and not counts["released"]:
            raise Conflict(code="release_holds_nothing")
        for name in _needed_confirmations(confirmations_of([(membership.project, counts)])):
            if not sent[name]:
                raise Invalid(field=name, code="release_unconfirmed")
        made = release_freeze(project=membership.project, rules=rules, by=self.user)
        return self.row_response(release_with_files(membership, made.n), status=202)


class ReleasesPreview(ApiView):
    """What a release would hold."""

    tag = "releases"

    @operation(scopes=[READ, RELEASE], takes=RulesIn, gives=PreviewRow)
    def post(self, request: Request, slug: str) -> Response:
        """Count what a release frozen now would hold; nothing is stored. For leads and administrators."""
        membership = people.lead_membership(self.user, slug)
        rules = _rules(membership, self.validated_body()["rules"])
        counts = preview_shown_to(membership, rules)
        found = confirmations_of([(membership.project, counts)])
        return self.row_response(
            {
                "rules": rules.to_dict(),
                "counts": counts,
                "asks": _needed_confirmations(found),
                "withdrawals": found.withdrawals,
                "not_stated": missing_now(membership.project),
            }
        )


class ReleaseView(ApiView):
    """One release."""

    tag = "releases"

    @operation(scopes=[READ, RELEASE], gives=ReleaseWhole)
    def get(self, request: Request, slug: str, n: int) -> Response:
        """Read how far a release is, with the size and SHA-256 of each of its files. For leads and administrators."""
        return self.row_response(release_with_files(people.lead_membership(self.user, slug), n))


class ReleaseFileView(ApiView):
    """One file of a release."""

    tag = "releases"

    @operation(scopes=[RELEASE], media="application/octet-stream")
    def get(self, request: Request, slug: str, n: int, name: str) -> HttpResponseBase:
        """Download a file. It has its SHA-256 as `ETag`, and takes `Range` for a download that goes on. Who took it is
        noted. For leads and administrators."""
        membership = people.lead_membership(self.user, slug)
        release = access.release(membership, n)
        file = access.release_file(membership, release, name)
        tag = f'"{file.sha256}"'
        headers = {"ETag": tag, "Accept-Ranges": "bytes", "Content-Type": file.content_type}
        headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        if request.headers.get("If-None-Match") == tag:
            return HttpResponse(status=304, headers={"ETag": tag})
        part = _byte_range(request, file.bytes, tag)
        if part is None:
            return HttpResponse(status=416, headers={"Content-Range": f"bytes */{file.bytes}"})
        first, last = part
        whole = (first, last) == (0, file.bytes - 1)
        headers["Content-Length"] = str(last - first + 1)
        if not whole:
            headers["Content-Range"] = f"bytes {first}-{last}/{file.bytes}"
        if request.method == "HEAD":
            return HttpResponse(headers=headers)
        if first == 0:
            release_downloaded(release=release, name=name, by=self.user)
        body = storage().read(file.stored, first, last - first + 1)
        return StreamingHttpResponse(body, status=200 if whole else 206, headers=headers)


def _byte_range(request: Request, size: int, tag: str) -> tuple[int, int] | None:
    """The first and last byte asked for: all where no part is, or of another file; None for what is not there."""
    everything = (0, size - 1)
    found = RANGE_HEADER.match(request.headers.get("Range", ""))
    if found is None or found.groups() == ("", "") or request.headers.get("If-Range", tag) != tag:
        return everything
    first, last = found.groups()
    if not first:
        return (max(0, size - int(last)), size - 1) if int(last) else None
    if int(first) >= size or (last and int(last) < int(first)):
        return None
    return int(first), min(int(last), size - 1) if last else size - 1
