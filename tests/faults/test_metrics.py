"""Figures for Prometheus: served by a process of its own, from the database and from what web processes count; nothing
personal in them; and what the dashboard and the alerts name is served."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import yaml
from django.db.models.functions import Now
from prometheus_client.parser import text_string_to_metric_families

from annotation.core.models.member import Annotator
from annotation.jobs.models import Job
from annotation.jobs.queue import CHECK_INTEGRITY, record_heartbeat
from tests import factory, services
from tests.faults import site
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
DEPLOY = services.ROOT / "deploy"
NAMED = re.compile(r"\bmufakat_\w+")
Samples = dict[str, dict[tuple[str, ...], float]]


def served(port: int) -> str:
    """What is served now; empty where nobody answers."""
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
            text: str = answer.read().decode()
            return text
    except (URLError, OSError):
        return ""


def samples(text: str) -> Samples:
    """By name and values of labels."""
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def metrics(env: dict[str, str], folder: Path, *words: str) -> tuple[services.Process, int]:
    """The process, once it serves, and its port."""
    port = services.free_port()
    line = [sys.executable, "-m", "config.metrics", *words]
    process = services.Process(line, folder / "metrics.log", env={**env, "METRICS_BIND": f"127.0.0.1:{port}"})
    process.wait_for(lambda: services.port_answers(port))
    return process, port


def test_figures_of_a_site_at_work_and_nothing_personal(process_env: dict[str, str], tmp_path: Path) -> None:
    env = site.environment(process_env["DATABASE_URL"], process_env["REDIS_URL"], tmp_path, "production")
    env |= {"METRICS_DIR": str(tmp_path / "counts"), "METRICS_DATABASE_DIR": str(tmp_path)}
    made = site.fill(env, people=1, pairs=3, votes=1)
    user = factory.user("siti.rahasia@example.org", name="Siti Rahasia")
    factory.member(factory.project("proyek-rahasia"), "lead", account=user)
    Job.objects.create(kind="import", by=user)
    Job.objects.create(kind="import", by=user, state="failed", finished_at=Now())
    record_heartbeat(CHECK_INTEGRITY)
    web = site.Web(env, tmp_path).start()
    env["METRICS_WEB"] = f"http://127.0.0.1:{web.port}"
    voter = site.Voter(web.port, made["slug"], made["sessions"][0])
    figures, port = metrics(env, tmp_path)
    alone, port_alone = metrics(env, tmp_path, "--requests")
    try:
        wait_until(lambda: voter.step() and len(voter.acked) == 3, what="three votes")
        assert (web.get("/healthz"), web.get("/nowhere/"), web.get("/api/v1/me")) == (200, 404, 401)
        # Beside ours one of each process, which tries what it serves before it serves it (config/wsgi.py): the second
        # may still be at it.

        def refused() -> float | None:
            return samples(served(port))["mufakat_requests_total"].get(("api", "401"))

        wait_until(lambda: refused() == 1 + 2, what="both web processes to have begun")
        text = served(port)
        found = samples(text)
        assert found["mufakat_database_up"][()] == 1
        assert found["mufakat_votes_total"][()] >= 3
        assert found["mufakat_items_total"][()] >= 3
        assert found["mufakat_due_seconds"][()] >= 0
        assert found["mufakat_jobs"]["import", "queued"] == Job.objects.filter(state="queued").count()
        assert found["mufakat_job_wait_seconds"][()] > 0
        assert found["mufakat_database_connections"]["active",] >= 1
        assert found["mufakat_storage_free_bytes"][()] > 0
        assert (found["mufakat_jobs_failed"], found["mufakat_redis_up"]) == ({("import",): 1}, {(): 1})
        assert (found["mufakat_web_up"], found["mufakat_web_ready"]) == ({(): 1}, {(): 0})  # no worker, no decider
        assert 0 <= found["mufakat_done_seconds"]["check_integrity",] < 600
        # Two web processes counted, each in files of its own; what says that the process lives is not counted.
        assert found["mufakat_requests_total"]["vote", "200"] == voter.statuses[200]
        assert found["mufakat_requests_total"]["pages", "404"] == 1
        assert ("pages", "503") not in found["mufakat_requests_total"]  # /readyz, which was asked for the figures
        assert found["mufakat_requests_total"]["api", "401"] == 1 + 2
        assert found["mufakat_request_seconds_count"]["vote",] == voter.statuses.total()
        asked = samples(served(port_alone))
        assert asked["mufakat_requests_total"] == found["mufakat_requests_total"]
        assert "mufakat_votes_total" not in asked
        assert asked["mufakat_web_up"] == {(): 1}
        personal = ["example.org", "Rahasia", "rahasia", made["slug"], made["sessions"][0]]
        personal += Annotator.objects.values_list("pseudonym", flat=True)
        assert [each for each in personal if each in text] == []
        assert set(NAMED.findall(in_deploy())) - set(found) - PART_SEEN == set()
    finally:
        for process in (figures, alone):
            process.stop()
        web.stop()
        if voter.connection is not None:
            voter.connection.close()
    assert (figures.child.returncode, alone.child.returncode) == (0, 0)


# Only there once a decider has run, or where there is a replica (tests/faults/test_replica.py), or where METRICS_TLS
# names who speaks TLS (tests/deploy/test_alerts.py).
PART_SEEN = {
    "mufakat_part_seen_seconds",
    "mufakat_tls_up",
    "mufakat_certificate_seconds",
    "mufakat_replica_up",
    "mufakat_replica_lag_bytes",
    "mufakat_replica_passed_over_seconds",
}


def in_deploy() -> str:
    """What the dashboard and the alerts ask for."""
    board = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]
    rules = yaml.safe_load((DEPLOY / "prometheus-alerts.yml").read_text())
    asked += [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    assert len(asked) > 15
    return "\n".join(asked)


COST = """
import sys
from types import SimpleNamespace as Is
import django
django.setup()
from config.counts import CountsMiddleware
counted = CountsMiddleware(lambda request: Is(status_code=200))
request = Is(path="/p/x/vote/t/", resolver_match=Is(url_name="vote_send"))
counted(request)
calls = 0
def seen(frame, event, arg):
    global calls
    calls += event == "call"
sys.setprofile(seen)
counted(request)
sys.setprofile(None)
print(calls)
"""


def test_counting_costs_a_vote_a_fiftieth_of_its_calls_and_no_statement(tmp_path: Path) -> None:
    """A vote takes some 2,830 Python calls and may take 2,900 (tests/validation/voting/test_budget.py)."""
    env = site.environment("sqlite://:memory:", "", tmp_path, "production")
    env["METRICS_DIR"] = str(tmp_path / "counts")
    done = subprocess.run(
        [sys.executable, "-c", COST], cwd=services.ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert 0 < int(done.stdout) <= 60


def test_a_database_that_is_away_is_a_figure(tmp_path: Path) -> None:
    url = f"postgres://nobody@127.0.0.1:{services.free_port()}/none"
    env = site.environment(url, os.environ["REDIS_URL"], tmp_path, "production")
    process, port = metrics(env, tmp_path)
    try:
        found = samples(served(port))
    finally:
        process.stop()
    assert found["mufakat_database_up"][()] == 0
    assert "mufakat_votes_total" not in found
    assert found["mufakat_storage_bytes"][()] > 0


def test_each_alert_says_what_to_do() -> None:
    rules = yaml.safe_load((DEPLOY / "prometheus-alerts.yml").read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in ("page", "ticket"), rule["alert"]
            assert {"summary", "description"} == set(rule["annotations"]), rule["alert"]
