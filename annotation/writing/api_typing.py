"""`typing`: how texts came to be, in sums by writer, as leads read it on its page."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import READ, ApiView, operation
from annotation.api.wire import Row
from annotation.core import access
from annotation.writing.typing_queries import texts_in_one_insertion, writers


class TypingWriterRow(Row):
    """A writer's texts in sums: how many there are, were measured and attested; characters typed, pasted, or put in by
    another program; texts that arrived in one insertion."""

    pseudonym = serializers.CharField()
    texts = serializers.IntegerField(source="sums.texts")
    measured = serializers.IntegerField(source="sums.measured")
    attested = serializers.IntegerField(source="sums.attested")
    not_attested = serializers.IntegerField(source="sums.not_attested")
    typed = serializers.IntegerField(source="sums.typed")
    pasted = serializers.IntegerField(source="sums.pasted")
    inserted = serializers.IntegerField(source="sums.inserted")
    one_insertion = serializers.IntegerField(source="sums.one_insertion")


class TypingRow(Row):
    """Every writer; and the newest texts of which most arrived in one insertion, by the keys of their items."""

    writers = TypingWriterRow(many=True)
    at_once = serializers.ListField(child=serializers.CharField())


class Typing(ApiView):
    """How texts were typed."""

    tag = "quality"

    @operation(scopes=[READ], gives=TypingRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read how each writer's texts came to be, in sums. For leads and administrators."""
        project = access.lead_membership(self.user, slug).project
        found = [record.item.key for record in texts_in_one_insertion(project)]
        return self.row_response({"writers": writers(project), "at_once": found})
