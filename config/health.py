"""Is the site alive, and can it work: for proxies, monitors and people on call. No names, no texts."""

import os
import shutil
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from annotation.content.models.item import items_due
from annotation.core.database import now
from annotation.core.schema import schema_fault
from annotation.jobs.models import Job
from annotation.jobs.queue import last_seen
from config.migrated import is_migrated

LATE_SECONDS = 120
PATHS = ("/healthz", "/readyz")


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is asked. Behind gunicorn config.wsgi answers before Django."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether all that people need is at work: 503 where not. What is missing is only told inside."""
    try:
        state = _state()
    except (DatabaseError, InterfaceError):
        state = {"ready": False, "database": False}
    shown = state if _is_inside(request) else {"ready": state["ready"]}
    return JsonResponse(shown, status=200 if state["ready"] else 503)


def _is_inside(request: HttpRequest) -> bool:
    """Whether who asks is in one of the networks that are told more (READYZ_NETWORKS).

    Their address is what trusted proxies say, or who is connected. What came through a proxy that nobody named as
    trusted is outside: the address is then the proxy's, which is near.
    """
    if "HTTP_X_FORWARDED_FOR" in request.META and not settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        return False
    try:
        address = ip_address(get_adapter().get_client_ip(request))
    except (PermissionDenied, ImproperlyConfigured, ValueError):
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return any(address in network for network in settings.READYZ_NETWORKS)


def _state() -> dict[str, Any]:
    if not is_migrated():
        return {"ready": False, "database": True, "migrated": False, "reason": schema_fault()}
    moment = now()
    due = items_due(moment).values_list("due_at", flat=True).first()
    state: dict[str, Any] = {
        "database": True,
        "migrated": True,
        "oldest_due_seconds": 0 if due is None else round((moment - due).total_seconds()),
    }
    late = False
    for part, seen in last_seen().items():
        age = None if seen is None else round((moment - seen).total_seconds())
        state[f"{part}_seen_seconds"] = age
        state[f"{part}_late"] = age is None or age > LATE_SECONDS
        late = late or state[f"{part}_late"]
    state["jobs_waiting"] = Job.objects.filter(state__in=["queued", "running"]).count()
    state["disk_full"] = any(_is_full(folder) for folder in _folders())
    state["mode"] = settings.MUFAKAT_MODE
    return {"ready": not late and not state["disk_full"], **state}


def _folders() -> set[Path]:
    """Where this site writes: its files, and the database if that is a file."""
    folders = {Path(settings.MUFAKAT_DATA_DIR)}
    if connection.vendor == "sqlite":
        folders.add(Path(connection.settings_dict["NAME"]).parent)
    return folders


def _is_full(folder: Path) -> bool:
    """Whether less is free than DISK_MIN_BYTES, or nothing may be written; a folder that is not yet there counts as
    the one that it will be made in."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    return free < settings.DISK_MIN_BYTES or not os.access(folder, os.W_OK)
