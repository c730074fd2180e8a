"""Is the site alive, and can it work: for proxies, monitors and people on call. No names, no texts."""

from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from annotation.db import now
from annotation.models import Heartbeat, Item, Job

LATE_SECONDS = 120
_seen_migrated: list[bool] = []


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is asked."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether the database is there and migrated, and how far behind the background work is; 503 where not."""
    try:
        state = _state()
    except (DatabaseError, InterfaceError):
        return JsonResponse({"ready": False, "database": False}, status=503)
    return JsonResponse(state, status=200 if state["ready"] else 503)


def _migrated() -> bool:
    # Checked until it holds, then remembered by this process: a schema does not go back under it. Not in a cache
    # that processes share, where the old version would answer for the new one, and which may be down itself.
    if not _seen_migrated:
        executor = MigrationExecutor(connection)
        if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
            _seen_migrated.append(True)
    return bool(_seen_migrated)


def _state() -> dict[str, Any]:
    migrated = _migrated()
    if not migrated:
        return {"ready": False, "database": True, "migrated": False}
    moment = now()
    due = Item.objects.filter(due_at__lte=moment).order_by("due_at").values_list("due_at", flat=True).first()
    seen = Heartbeat.objects.filter(name="worker").values_list("at", flat=True).first()
    age = None if seen is None else round((moment - seen).total_seconds())
    return {
        "ready": True,
        "database": True,
        "migrated": True,
        "oldest_due_seconds": 0 if due is None else round((moment - due).total_seconds()),
        "worker_seen_seconds": age,
        "worker_late": age is None or age > LATE_SECONDS,
        "jobs_waiting": Job.objects.filter(state__in=["queued", "running"]).count(),
        "mode": settings.MUFAKAT_MODE,
    }
