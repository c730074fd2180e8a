"""`media`: images and sounds that rows of items name."""

from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Row
from annotation.core import access
from annotation.core.errors import Invalid
from annotation.media.actions import media_keep, media_remove
from annotation.media.models import MediaFile
from annotation.media.rules.files import MOST_BYTES


class MediaRow(Row):
    """A file. Rows of items name it by `name` or by `reference`, which releases have; `size` is in bytes."""

    name = serializers.CharField()
    reference = serializers.CharField()
    type = serializers.CharField()
    size = serializers.IntegerField()
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField()


class MediaFiles(ApiView):
    """The images and sounds of a project."""

    tag = "imports"
    parser_classes = [MultiPartParser]

    @operation(scopes=[READ], gives=MediaRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the images and sounds that were sent. For leads and administrators."""
        project = access.lead_membership(self.user, slug).project
        return self.page_response(MediaFile.objects.filter(project=project))

    @operation(scopes=[MANAGE], gives=MediaRow, status=201, upload=True)
    def post(self, request: Request, slug: str) -> Response:
        """Send an image (JPEG, PNG, WebP, GIF) or a sound (MP3, OGG, WAV, M4A), as `file` of a form. Rows of items
        then name it. The same file under the same name changes nothing. For administrators."""
        membership = access.administrator_membership(self.user, slug)
        sent = request.FILES.get("file")
        if sent is None:
            raise Invalid(field="file", code="file_missing")
        # One byte more than can be: what is too large is not read whole.
        data = sent.read(max(MOST_BYTES.values()) + 1)
        kept = media_keep(project=membership.project, by=self.user, name=sent.name or "", data=data)
        kept.refresh_from_db(fields=["at"])
        return self.row_response(kept, status=201)


class RemovedRow(Row):
    """How many names the file had."""

    removed = serializers.IntegerField()


class MediaRemove(ApiView):
    """The end of one file."""

    tag = "imports"

    @operation(scopes=[MANAGE], gives=RemovedRow)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Remove a file that no item shows, by its reference without “media/”. For administrators."""
        membership = access.administrator_membership(self.user, slug)
        return self.row_response({"removed": len(media_remove(project=membership.project, by=self.user, names=[name]))})
