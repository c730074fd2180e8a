"""Traces by OpenTelemetry, sent to a collector that runs: what spans say, and what they do not. `make test-deploy`."""

import http.client
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from celery import Celery

from annotation.jobs.queue import WORK
from tests import services
from tests.faults import site
from tests.wait import wait_until

pytestmark = [pytest.mark.deploy, pytest.mark.django_db(transaction=True)]
SAID = {
    "http.request.method",
    "http.route",
    "http.response.status_code",
    "db.system.name",
    "db.operation.name",
}
SECRETS = [b"a-token-of-an-invitation", b"rahasia", b"siti@example.org", b"Netscape/4"]


class Collector:
    """Takes what is exported."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def spans(self) -> dict[str, dict[str, Any]]:
        """The spans so far, by name, with their attributes."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        found: dict[str, dict[str, Any]] = {}
        for body in list(self.bodies):
            for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in sent.scope_spans:
                    for span in scope.spans:
                        found[span.name] = {each.key: each.value for each in span.attributes}
        return found


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def env(collector: Collector, process_env: dict[str, str], tmp_path: Path) -> dict[str, str]:
    base = process_env["REDIS_URL"].rsplit("/", 1)[0]
    return {
        **site.environment(process_env["DATABASE_URL"], f"{base}/8", tmp_path, "production"),
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server.server_port}",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "PYTHONWARNINGS": "ignore",
    }


def test_requests_and_statements_by_name_alone(collector: Collector, env: dict[str, str], tmp_path: Path) -> None:
    web = site.Web(env, tmp_path).start()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=30)
        headers = {"User-Agent": "Netscape/4", "X-Secret": "rahasia"}
        for path in (
            "/invitations/a-token-of-an-invitation/?q=rahasia",
            "/accounts/login/?next=siti@example.org",
        ):
            connection.request("GET", path, headers=headers)
            connection.getresponse().read()
        connection.close()
        wanted = {"GET invitations/<str:token>/", "GET accounts/login/", "SELECT"}
        wait_until(lambda: wanted <= set(collector.spans()), what="the spans to arrive")
    finally:
        web.stop()
    spans = collector.spans()
    assert spans["GET accounts/login/"]["http.response.status_code"].int_value == 200
    assert spans["GET invitations/<str:token>/"]["http.response.status_code"].int_value == 404
    assert {key for attributes in spans.values() for key in attributes} == SAID
    sent = b"".join(collector.bodies)
    assert [each for each in SECRETS if each in sent] == []


def test_tasks_of_background_work(collector: Collector, env: dict[str, str], tmp_path: Path) -> None:
    work = services.Process([sys.executable, "-m", "config.background"], tmp_path / "background.log", env=env)
    try:
        with Celery(broker=env["REDIS_URL"], set_as_current=False) as app:
            app.send_task(WORK.task, queue=WORK.name, ignore_result=True)
        wanted = {"validation.decide_due", WORK.task}
        wait_until(lambda: wanted <= set(collector.spans()), 120, "the tasks' spans to arrive")
    finally:
        work.stop()


@pytest.mark.parametrize("endpoint", ["", "http://127.0.0.1:9"])
def test_nothing_is_imported_where_they_are_off(endpoint: str, tmp_path: Path) -> None:
    env = site.environment("sqlite://:memory:", "", tmp_path, "production") | {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
    code = "import sys; from config import wsgi; print('config.traces' in sys.modules)"
    line = [sys.executable, "-c", code]
    done = subprocess.run(
        line, cwd=services.ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(bool(endpoint))
