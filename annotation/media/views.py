"""The images and sounds of a project, for its members alone."""

import re
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.core import access
from annotation.core.errors import NotFound
from annotation.media.queries import media_file, media_open
from annotation.media.rules.files import TYPES

_RANGE = re.compile(r"bytes=([0-9]{1,12})-([0-9]{0,12})")
KEPT_SECONDS = 365 * 24 * 3600


@login_required
@require_safe
def media(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """One file under its hash, which tells nothing of the item; a part of it where a player asks for that."""
    place = access.membership(request.user, slug)
    found = media_file(place, name)
    headers: dict[str, Any] = {
        # The bytes never change under their hash; a browser keeps them for its own person.
        "Cache-Control": f"private, max-age={KEPT_SECONDS}, immutable",
        "Content-Type": TYPES[found.type],
        "Content-Disposition": "inline",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
        "Accept-Ranges": "bytes",
    }
    if request.method == "HEAD":
        return HttpResponse(headers={**headers, "Content-Length": str(found.size)})
    try:
        file = media_open(place.project.pk, found.reference)
    except OSError:
        raise NotFound from None
    asked = _RANGE.fullmatch(request.headers.get("Range", ""))
    if asked is None:
        return FileResponse(file, headers=headers)
    with file:
        first, last = int(asked[1]), min(int(asked[2] or found.size), found.size - 1)
        if first > last:
            return HttpResponse(status=416, headers={"Content-Range": f"bytes */{found.size}"})
        file.seek(first)
        headers["Content-Range"] = f"bytes {first}-{last}/{found.size}"
        return HttpResponse(file.read(last - first + 1), status=206, headers=headers)
