"""docker-compose.yml holds: its command lines start as processes on a real PostgreSQL and Redis, with the settings
that it gives them; no secret has a default; the same lines stand in deploy/start."""

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
import yaml
from celery import Celery

from annotation.jobs import TASK
from config import schedule
from tests import services
from tests.house.sources import ROOT

HOST = "mufakat.example.org"
ANSWERS = {
    "SITE_HOST": HOST,
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN",
    "POSTGRES_PASSWORD": "not-used-here",
    "EMAIL_URL": "consolemail://",
    "DEFAULT_FROM_EMAIL": f"mufakat@{HOST}",
}
VARIABLE = re.compile(r"\$\{(\w+)(?:(:[-?])([^}]*))?\}")
SECRETS = re.compile(r"SECRET|PASSWORD|TOKEN|KEY|EMAIL_URL")


def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return read


def filled(text: str) -> str:
    """A value as compose would fill it in from `.env`; a variable that is not there must have a default."""

    def value(match: re.Match[str]) -> str:
        name, mode, rest = match.groups()
        if name in ANSWERS:
            return ANSWERS[name]
        assert mode == ":-", f"{name} is neither asked for nor defaulted"
        return str(rest)

    return VARIABLE.sub(value, text)


@pytest.fixture
def environment(process_env: dict[str, str], transactional_db: None, tmp_path: Path) -> dict[str, str]:
    """What compose gives the service `web`, with the addresses of this machine in place of its services."""
    given = {name: filled(str(value)) for name, value in compose()["services"]["web"]["environment"].items()}
    base = os.environ["REDIS_URL"].rsplit("/", 1)[0]
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        **given,
        "DATABASE_URL": process_env["DATABASE_URL"],
        "REDIS_URL": f"{base}/8",
        "CACHE_URL": f"{base}/9",
        "DATA_DIR": str(tmp_path),
    }


def command(service: str, **replaced: str) -> list[str]:
    words: list[str] = compose()["services"][service]["command"]
    return [replaced.get(word, word) for word in words]


def started(line: list[str], environment: dict[str, str], log: Path) -> services.Process:
    return services.Process([str(Path(sys.executable).parent / line[0]), *line[1:]], log, env=environment)


def status(port: int, path: str) -> int:
    headers = {"Host": HOST, "X-Forwarded-Proto": "https"}
    try:
        with urlopen(Request(f"http://127.0.0.1:{port}{path}", headers=headers), timeout=10) as answer:
            return int(answer.status)
    except (URLError, OSError):
        return 0


def test_web_answers(environment: dict[str, str], tmp_path: Path) -> None:
    port = services.free_port()
    line = command("web", **{"0.0.0.0:8000": f"127.0.0.1:{port}"})
    assert f"127.0.0.1:{port}" in line
    web = started(line, environment, tmp_path / "web.log")
    try:
        web.wait_for(lambda: status(port, "/healthz") == 200)
        probe = compose()["services"]["web"]["healthcheck"]["test"]
        assert probe[0] == "CMD"
        check = started(
            [*probe[1:-1], probe[-1].replace("8000", str(port))], environment, tmp_path / "probe.log"
        )
        assert check.child.wait(120) == 0, check.tail()
    finally:
        web.stop()


def test_decider_and_beat_work_together(environment: dict[str, str], tmp_path: Path) -> None:
    """Beat's ring reaches the decider, which does the task that decides."""
    schedule = str(tmp_path / "schedule")
    environment["LOG_LEVEL"] = "DEBUG"  # else a ring leaves no line
    line = command("beat", **{"/tmp/celerybeat-schedule": schedule})
    assert schedule in line
    beat = started(line, environment, tmp_path / "beat.log")
    decider = started(command("decider"), environment, tmp_path / "decider.log")
    try:
        seen = re.compile(r"validation\.decide_due.*succeeded")
        decider.wait_for(lambda: seen.search(decider.log.read_text()))
        assert beat.alive(), beat.tail()
    finally:
        beat.stop()
        decider.stop()


def test_the_worker_does_jobs(environment: dict[str, str], tmp_path: Path) -> None:
    """A ring for a job reaches the worker, which looks for the job that it names."""
    environment["LOG_LEVEL"] = "DEBUG"  # else a ring leaves no line
    worker = started(command("worker"), environment, tmp_path / "worker.log")
    try:
        with Celery(broker=environment["REDIS_URL"], set_as_current=False) as app:
            app.send_task(TASK, args=(0,), queue=schedule.TASK_ROUTES[TASK]["queue"], ignore_result=True)
        seen = re.compile(r"annotation\.run_job.*succeeded")
        worker.wait_for(lambda: seen.search(worker.log.read_text()))
    finally:
        worker.stop()


def test_no_job_holds_up_what_is_decided() -> None:
    """Every queue has a service, and none has two: what takes minutes never stands before a decision."""
    queues: dict[str, str] = {}
    for name, service in compose()["services"].items():
        line = service.get("command", [])
        if "--queues" in line:
            queues[name] = line[line.index("--queues") + 1]
    assert queues == {"decider": "due", "worker": "jobs"}
    routed = {each["queue"] for each in schedule.TASK_ROUTES.values()} | {schedule.DEFAULT_QUEUE}
    assert set(queues.values()) == routed


def test_every_service_that_runs_us_has_one_environment() -> None:
    every = compose()["services"]
    ours = [name for name, service in every.items() if service.get("image") == "mufakat"]
    assert ours == ["migrate", "web", "decider", "worker", "beat"]
    assert len({json.dumps(every[name]["environment"], sort_keys=True) for name in ours}) == 1
    assert "noeviction" in every["redis"]["command"]
    assert [name for name, service in every.items() if service.get("ports")] == ["proxy"]


def test_no_secret_has_a_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    asked = {name: mode for name, mode, _ in VARIABLE.findall(text)}
    assert {name for name in asked if SECRETS.search(name)} == {
        "SECRET_KEY",
        "POSTGRES_PASSWORD",
        "EMAIL_URL",
        "SECRET_KEY_FALLBACKS",
    }
    # Former keys are optional; without any there is none.
    assert "${SECRET_KEY_FALLBACKS:-}" in text
    defaulted = {name for name, mode in asked.items() if SECRETS.search(name) and mode != ":?"}
    assert defaulted == {"SECRET_KEY_FALLBACKS"}
    for name, value in compose()["services"]["web"]["environment"].items():
        if SECRETS.search(name):
            assert VARIABLE.match(str(value)), f"{name} is written into the file"


def test_production_refuses_what_is_missing(environment: dict[str, str], tmp_path: Path) -> None:
    for name in ("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL"):
        without = {key: value for key, value in environment.items() if key != name}
        refused = started(["python", "manage.py", "check"], without, tmp_path / f"{name}.log")
        assert refused.child.wait(120) != 0
        assert name in refused.tail()


@pytest.mark.parametrize("service", ["web", "decider", "worker", "beat"])
def test_the_server_without_containers_starts_the_same(service: str) -> None:
    script = (ROOT / "deploy" / "start").read_text().replace("\\\n", " ")
    match = re.search(rf"^{service}\)\n\s+exec (.*)$", script, re.M)
    assert match is not None
    words = [word.replace("${BIND:-127.0.0.1:8000}", "0.0.0.0:8000") for word in shlex.split(match.group(1))]
    assert words == command(service)
