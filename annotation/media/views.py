"""The images and sounds of a project, for its members alone; the list of them for those who lead."""

import re
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access
from annotation.core.errors import NotFound, first_or_not_found
from annotation.media.actions import media_remove
from annotation.media.models import MediaFile
from annotation.media.queries import media_file, media_read, media_shown
from annotation.media.rules.files import TYPES, original_reference, use_of
from annotation.ui.pages import page

_RANGE = re.compile(r"bytes=([0-9]{1,12})-([0-9]{0,12})")
KEPT_SECONDS = 365 * 24 * 3600
ROWS_A_PAGE = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def media_files(request: HttpRequest, slug: str) -> HttpResponse:
    """What was sent, and which of it nothing shows; an administrator removes that, one by one or all at once."""
    membership = access.lead_membership(request.user, slug)
    if request.method == "POST":
        membership = access.administrator_membership(request.user, slug)
        names = None if "unused" in request.POST else request.POST.getlist("name")
        n = len(media_remove(project=membership.project, by=membership.user, names=names))
        messages.success(request, ngettext("%(n)s file was removed.", "%(n)s files were removed.", n) % {"n": n})
        return redirect("media_files", slug)
    files, shown = list(MediaFile.objects.filter(project=membership.project).order_by("name")), set[str]()
    if files:
        shown = media_shown(membership.project)
    unused = [each for each in files if each.reference not in shown]
    chosen = unused if request.GET.get("unused") else files
    listed = Paginator(chosen, ROWS_A_PAGE).get_page(request.GET.get("page"))
    rows = [(each, each.reference.rpartition("/")[2], use_of(each.type), each.reference in shown) for each in listed]
    return page(
        request,
        membership,
        "imports",
        "annotation/media/files.html",
        page=listed,
        rows=rows,
        n=len(files),
        unused=len(unused),
        only_unused=chosen is unused,
    )


@login_required
@require_safe
def media_original(request: HttpRequest, slug: str, file_id: int) -> HttpResponse:
    """What was uploaded, with its metadata, for administrators alone; a download that no browser keeps."""
    membership = access.administrator_membership(request.user, slug)
    originals = MediaFile.objects.filter(project=membership.project).exclude(original_sha256="")
    file = first_or_not_found(originals.filter(pk=file_id))
    try:
        data = b"".join(media_read(membership.project.pk, original_reference(file.original_sha256, file.type)))
    except OSError:
        raise NotFound from None
    headers = {"Cache-Control": "no-store", "Content-Type": TYPES[file.type], "X-Content-Type-Options": "nosniff"}
    headers["Content-Disposition"] = f'attachment; filename="original-{file.pk}.{file.type}"'
    return HttpResponse(data, headers=headers)


@login_required
@require_safe
def media(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """One file under its hash, which reveals nothing about the item; a part of it if a player asks for that."""
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
    asked = _RANGE.fullmatch(request.headers.get("Range", ""))
    first, last = (int(asked[1]), min(int(asked[2] or found.size), found.size - 1)) if asked else (0, found.size - 1)
    if first > last:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{found.size}"})
    headers["Content-Length"] = str(last - first + 1)
    if asked:
        headers["Content-Range"] = f"bytes {first}-{last}/{found.size}"
    try:
        pieces = media_read(place.project.pk, found.reference, first, last - first + 1)
    except OSError:
        raise NotFound from None
    return StreamingHttpResponse(pieces, status=206 if asked else 200, headers=headers)
