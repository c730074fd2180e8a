"""Counts what web processes answer, in files of METRICS_DIR that config/metrics.py reads. Loaded where it is set."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse

FOLDER = Path(settings.MUFAKAT_METRICS_DIR)
FOLDER.mkdir(parents=True, exist_ok=True)


def _delete_ended_counts() -> None:
    """Take away what processes counted that are no more: each start would leave some files."""
    for file in FOLDER.glob("*.db"):
        _kind, _, pid = file.stem.rpartition("_")
        if pid.isdigit() and not Path("/proc", pid).exists() and Path("/proc/self").exists():
            file.unlink(missing_ok=True)


_delete_ended_counts()
# Read by the library when it is imported: each process counts in files of its own.
os.environ |= {"PROMETHEUS_MULTIPROC_DIR": str(FOLDER)}
from prometheus_client import Counter, Histogram  # noqa: E402

# What people wait for: a page within a second, a vote's answer within a tenth of one.
BUCKETS = (0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
REQUESTS = Counter("mufakat_requests", "Requests that were answered", ["area", "status"])
SECONDS = Histogram("mufakat_request_seconds", "Seconds until they were", ["area"], buckets=BUCKETS)
# Asked by monitors, whose 503 is what is to be known and no error.
WATCHED = frozenset(("/healthz", "/readyz"))
AREAS = {area: SECONDS.labels(area) for area in ("vote", "api", "pages")}
_requests: dict[tuple[str, int], Counter] = {}


class CountsMiddleware:
    """Area (votes, API, other pages), status and time of each request of people: no address, no route, nobody."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path in WATCHED:
            return self.get_response(request)
        started = time.perf_counter()
        response = self.get_response(request)
        area = _area(request)
        AREAS[area].observe(time.perf_counter() - started)
        counter = _requests.get((area, response.status_code))
        if counter is None:
            counter = _requests[area, response.status_code] = REQUESTS.labels(area, response.status_code)
        counter.inc()
        return response


def _area(request: HttpRequest) -> str:
    if request.path.startswith("/api/"):
        return "api"
    match = request.resolver_match
    return "vote" if match and match.url_name and match.url_name.startswith("vote") else "pages"
