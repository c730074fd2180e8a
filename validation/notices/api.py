"""`notices`: the news for the person of the request."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, READ, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core.errors import Forbidden
from annotation.core.links import site_link
from validation.notices import actions, queries

CODES = ("returned", "answered", "guidelines", "to_write", "to_vote", "paid", "page_closed")


class NoticeRow(Row):
    """One line. `code` says what is new, `page` is where it is dealt with."""

    code = serializers.ChoiceField(CODES)
    project = serializers.CharField(source="slug")
    words = serializers.CharField()
    at = serializers.DateTimeField()
    page = serializers.URLField()
    new = serializers.BooleanField()


class NoticesRow(Row):
    """The notices of the last weeks, the latest first, and how many are new."""

    notices = NoticeRow(many=True)
    new = serializers.IntegerField()


class SeenIn(Body):
    """Up to which moment (`at` of the latest) one has read."""

    until = serializers.DateTimeField()


class NoticesApi(ApiView):
    """What is new."""

    tag = "notices"

    def shown(self) -> Response:
        """The notices of the projects that the token is for."""
        rows: list[dict[str, Any]] = [
            {**vars(one), "page": site_link(one.url), "new": new}
            for one, new in queries.recent_notices(self.user)[0]
            if self.token_covers(one.slug)
        ]
        return self.row_response({"notices": rows, "new": sum(row["new"] for row in rows)})


class Notices(NoticesApi):
    """What is new."""

    @operation(scopes=[READ], gives=NoticesRow)
    def get(self, request: Request) -> Response:
        """List what is new for you: returned texts, answers, guidelines, something to write or vote on, pay."""
        return self.shown()


class NoticesSeen(NoticesApi):
    """What was read."""

    @operation(scopes=[ANNOTATE], takes=SeenIn, gives=NoticesRow)
    def post(self, request: Request) -> Response:
        """Mark as read what is not later than a moment, in all of your projects."""
        if self.token is not None and self.token.projects is not None:
            raise Forbidden(code="notices_all_projects")
        actions.mark_notices_seen(user=self.user, until=self.validated_body()["until"])
        return self.shown()
