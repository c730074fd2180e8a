"""Versions of releases without withdrawn rows, and who withdrew, as on the pages."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import READ, RELEASE, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access
from exports.releases.api import ReleaseWhole, release_with_files
from exports.releases.models import Release, Replacement
from exports.releases.queries import release as release_of
from exports.releases.withheld import Withdrawn
from exports.withdrawals import actions, queries


def _names_field() -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(max_length=220), default=list, max_length=10_000)


class WithheldIn(Body):
    """What a version is made without: people by pseudonym, items by id, sources by key; and all that was withdrawn
    before."""

    people = _names_field()
    items = _names_field()
    sources = _names_field()


class ReplaceIn(WithheldIn):
    """The same with the reason, which everybody can read. `withdraw_files`: the files of the old version are not on its
    public page any more."""

    kind = serializers.ChoiceField(Replacement.Kind.values)
    reason = serializers.CharField(max_length=actions.LONGEST_REASON)
    withdraw_files = serializers.BooleanField(default=False)


class EffectRow(Row):
    """What the version lacks that the release has: rows, of them for their gold label alone, and votes. `remaining`:
    the rows that it would hold; with none, no version can be made."""

    rows = serializers.IntegerField()
    without_gold = serializers.IntegerField()
    votes = serializers.IntegerField()
    remaining = serializers.IntegerField()


class WithdrawalRow(Row):
    """Somebody who withdrew their consent; no release from then on holds what they wrote or voted."""

    n = serializers.IntegerField()
    person = serializers.CharField(source="annotator.pseudonym")
    at = serializers.DateTimeField()


class ReplaceView(ApiView):
    """A version of a release without some of its rows."""

    tag = "releases"

    def named(self, slug: str, n: int) -> tuple[Release, Withdrawn, dict[str, Any]]:
        """The release, what is named of it, and what else was sent. For administrators."""
        release = release_of(access.administrator_membership(self.user, slug), n)
        sent = self.validated_body()
        names = {name: sent.pop(name) for name in ("people", "items", "sources")}
        return release, queries.find_withdrawn(release, **names), sent


class ReleaseReplace(ReplaceView):
    """A new version of a release without what was withdrawn."""

    @operation(scopes=[RELEASE], takes=ReplaceIn, gives=ReleaseWhole, status=202, repeats=True)
    def post(self, request: Request, slug: str, n: int) -> Response:
        """Make a version of a release without people's work, items or sources; its files are built in the background.
        For administrators."""
        release, named, sent = self.named(slug, n)
        made = actions.release_replace(release=release, named=named, by=self.user, **sent)
        membership = access.administrator_membership(self.user, made.project.slug)
        return self.row_response(release_with_files(membership, made.n), status=202)


class ReleaseReplacePreview(ReplaceView):
    """What such a version would lack."""

    @operation(scopes=[READ, RELEASE], takes=WithheldIn, gives=EffectRow)
    def post(self, request: Request, slug: str, n: int) -> Response:
        """Count what a version without people's work, items or sources would lack; nothing is stored. For
        administrators."""
        release, named, _ = self.named(slug, n)
        return self.row_response(queries.effect_of(release, named))


class Withdrawals(ApiView):
    """Who withdrew their consent."""

    tag = "releases"

    @operation(scopes=[READ], gives=WithdrawalRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str) -> Response:
        """List who withdrew their consent to take part. For administrators."""
        return self.page_response(queries.withdrawn_people(access.administrator_membership(self.user, slug).project))
