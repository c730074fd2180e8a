"""docker-compose.yml holds: its command lines start as processes on a real PostgreSQL and Redis, with the settings
that it gives them; no secret has a default; the same lines stand in deploy/start."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import psutil
import pytest
import yaml
from celery import Celery
from django.conf import settings
from redis import Redis
from redis.exceptions import AuthenticationError

from annotation.jobs.queue import JOB_QUEUES, WORK
from config import background, schedule
from tests import binaries, services
from tests.conventions.sources import ROOT

HOST = "mufakat.example.org"
ANSWERS = {
    "SITE_HOST": HOST,
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN",
    "POSTGRES_PASSWORD": "not-used-here",
    "REDIS_PASSWORD": "a-word-for-redis",
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
    named = compose()["services"]["web"]["environment"]
    given = {name: filled(str(value)) for name, value in named.items() if value is not None}
    base = os.environ["REDIS_URL"].rsplit("/", 1)[0]
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        **given,
        "DATABASE_URL": process_env["DATABASE_URL"],
        "REDIS_URL": f"{base}/8",
        "CACHE_URL": f"{base}/9",
        "DATA_DIR": str(tmp_path),
        "TMPDIR": str(tmp_path),
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


def probed(environment: dict[str, str], folder: Path) -> int:
    """How the health check of background work ends, run beside it."""
    kind, *line = compose()["services"]["background"]["healthcheck"]["test"]
    assert kind == "CMD"
    return started(line, environment, folder / "probe.log").child.wait(120)


def test_web_answers(environment: dict[str, str], tmp_path: Path) -> None:
    port = services.free_port()
    line = command("web", **{"0.0.0.0:8000": f"127.0.0.1:{port}"})
    assert f"127.0.0.1:{port}" in line
    web = started(line, environment, tmp_path / "web.log")
    try:
        web.wait_for(lambda: status(port, "/healthz") == 200)
        probe = compose()["services"]["web"]["healthcheck"]["test"]
        assert probe[0] == "CMD"
        check = started([*probe[1:-1], probe[-1].replace("8000", str(port))], environment, tmp_path / "probe.log")
        assert check.child.wait(120) == 0, check.tail()
    finally:
        web.stop()


def has(log: Path, seen: re.Pattern[str]) -> bool:
    return seen.search(log.read_text()) is not None


def test_background_work_is_done(environment: dict[str, str], tmp_path: Path) -> None:
    """The clock's messages reach the decider; one for a job reaches the worker."""
    environment["LOG_LEVEL"] = "DEBUG"  # else a message leaves no line
    environment["PYTHONWARNINGS"] = "ignore"  # of running as root, as some machines run tests
    work = started(command("background"), environment, tmp_path / "background.log")
    try:
        with Celery(broker=environment["REDIS_URL"], set_as_current=False) as app:
            app.send_task(WORK.task, queue=schedule.TASK_ROUTES[WORK.task]["queue"], ignore_result=True)
        for task in (r"validation\.decide_due", r"annotation\.run_job"):
            seen = re.compile(rf"{task}.*succeeded")
            work.wait_for(partial(has, work.log, seen))
        assert probed(environment, tmp_path) == 0
        lines = work.log.read_text().splitlines()
        assert [line for line in lines if not line.startswith('{"')] == []
    finally:
        work.stop()
    assert work.child.returncode == 0
    assert probed(environment, tmp_path) == 1  # nobody of these names is there


def test_metrics_are_served(environment: dict[str, str], tmp_path: Path) -> None:
    environment["METRICS_BIND"] = f"127.0.0.1:{(port := services.free_port())}"
    figures = started(command("metrics"), environment, tmp_path / "metrics.log")
    try:
        figures.wait_for(lambda: services.port_answers(port))
        kind, *line = compose()["services"]["metrics"]["healthcheck"]["test"]
        line[-1] = line[-1].replace("9464", str(port))
        assert (kind, started(line, environment, tmp_path / "probe.log").child.wait(120)) == ("CMD", 0)
    finally:
        figures.stop()


def test_no_job_holds_up_what_is_decided() -> None:
    """Every queue has a part, and none has two: what takes minutes never stands before a decision."""
    routed = {each["queue"] for each in schedule.TASK_ROUTES.values()} | {schedule.DEFAULT_QUEUE}
    served = [queue for part in background.PARTS.values() for queue in part.queues.split(",")]
    assert sorted(served) == sorted(routed)
    assert {schedule.TASK_ROUTES[queue.task]["queue"] for queue in JOB_QUEUES} == {queue.name for queue in JOB_QUEUES}
    assert schedule.DEFAULT_QUEUE not in {queue.name for queue in JOB_QUEUES}


OURS = ["migrate", "web", "background", "metrics"]
# Set for requests alone: jobs may take their time, and do not go through a pooler.
OF_WEB = {"DATABASE_POOLED", "LOCK_SECONDS", "SILENCE_SECONDS", "STATEMENT_SECONDS"}


def test_every_service_that_runs_us_has_one_environment() -> None:
    every = compose()["services"]
    ours = [name for name, service in every.items() if service.get("image") == "mufakat"]
    assert ours == OURS
    common = [{key: value for key, value in every[name]["environment"].items() if key not in OF_WEB} for name in ours]
    assert len({json.dumps(each, sort_keys=True) for each in common}) == 1
    assert [name for name, service in every.items() if service.get("ports")] == ["proxy"]


def test_every_variable_that_can_be_set_reaches_the_containers() -> None:
    """A variable of the table in docs/operating.md is set here, or goes through from `.env` to whoever reads it."""
    table = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "operating.md").read_text(), re.M))
    web = compose()["services"]["web"]["environment"]
    # Of the image, of the proxy, or of no server at all.
    not_here = {"BIND", "DEBUG", "HTTPS", "PG_BINDIR", "PORT", "STATIC_ROOT"}
    assert table - not_here == set(web) - {"TMPDIR"}
    assert set(web) - set(compose()["services"]["background"]["environment"]) == OF_WEB


def test_no_container_has_more_than_it_needs() -> None:
    for name, service in compose()["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert set(service["logging"]["options"]) == {"max-size", "max-file"}, name
        assert ("cap_add" in service) == (name == "proxy"), name
        assert "privileged" not in service, name


def test_who_reaches_whom() -> None:
    every, networks = compose()["services"], compose()["networks"]
    members = {
        network: {name for name, service in every.items() if network in service["networks"]} for network in networks
    }
    assert members["front"] == {"proxy", "web"}
    assert members["database"] == {"db", "migrate", "web", "background", "metrics"}
    assert members["broker"] == {"redis", "web", "background", "metrics"}
    assert members["out"] == {"background"}
    internal = {network for network, given in networks.items() if (given or {}).get("internal")}
    assert internal == {"database", "broker", "watch"}
    assert members["watch"] == {"metrics", "proxy"}


def test_every_service_says_whether_it_works_and_has_time_to_stop() -> None:
    every = compose()["services"]
    without = {name for name, service in every.items() if "healthcheck" not in service}
    assert without == {"migrate"}  # it ends by itself
    graceful = int(every["web"]["command"][every["web"]["command"].index("--graceful-timeout") + 1])
    assert int(every["web"]["stop_grace_period"].rstrip("s")) > graceful
    assert int(every["background"]["stop_grace_period"].rstrip("s")) > settings.CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT


def test_every_image_can_be_pinned() -> None:
    """A digest cannot be known here; each reference can be given in `.env`, as name, tag and digest."""
    for name, service in compose()["services"].items():
        assert service["image"] == "mufakat" or re.fullmatch(r"\$\{\w+_IMAGE:-[\w:.-]+\}", service["image"]), name
    file = (ROOT / "Dockerfile").read_text()
    assert set(re.findall(r"^FROM (\S+)", file, re.M)) == {"${PYTHON_IMAGE}"}
    given = compose()["services"]["web"]["build"]["args"]["PYTHON_IMAGE"]
    default = re.search(r"^ARG PYTHON_IMAGE=(.*)$", file, re.M)
    assert default is not None
    assert given == f"${{PYTHON_IMAGE:-{default[1]}}}"


def test_no_secret_has_a_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    asked = {name: mode for name, mode, _ in VARIABLE.findall(text) if SECRETS.search(name)}
    assert asked == dict.fromkeys(("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "EMAIL_URL"), ":?")
    for name, value in compose()["services"]["web"]["environment"].items():
        if SECRETS.search(name):
            assert value is None or VARIABLE.match(str(value)), f"{name} is written into the file"


def test_redis_asks_for_its_password(tmp_path: Path) -> None:
    """The command and the health check of the file, with a folder of the test's in place of /tmp."""
    service, port = compose()["services"]["redis"], services.free_port()
    shell, flag, script = service["command"]
    assert "noeviction" in script
    line = script.replace("$$", "$").replace("/tmp/", f"{tmp_path}/") + f" --port {port} --bind 127.0.0.1"
    env = {"PATH": os.environ["PATH"], "REDIS_PASSWORD": "a-word-for-redis"}
    server = Path(binaries.redis_server())
    env["PATH"] = f"{server.parent}:{env['PATH']}"
    redis = services.Process([shell, flag, line.replace("redis-server ", f"{server} ")], tmp_path / "log", env=env)
    try:
        redis.wait_for(lambda: services.port_answers(port))
        with pytest.raises(AuthenticationError):
            Redis(port=port).ping()
        with Redis(port=port, password=env["REDIS_PASSWORD"]) as client:
            assert client.ping()
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert env["REDIS_PASSWORD"] not in " ".join(psutil.Process(redis.pid).cmdline())
        assert (tmp_path / "redis.conf").stat().st_mode & 0o077 == 0
    finally:
        redis.stop()


def test_the_image_holds_what_runs_and_no_key(tmp_path: Path) -> None:
    """What .dockerignore lets through starts; keys and data that lie about in the folder are not among it."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert lines[0] == "*"  # everything is left out but what is named
    named = [line[1:] for line in lines if line.startswith("!")]
    left_out = [line for line in lines[1:] if not line.startswith("!")]
    assert all(line.startswith("**/") for line in left_out)
    assert not {"deploy", ".env", "var", "."} & set(named)
    ignore = shutil.ignore_patterns(*(line.removeprefix("**/") for line in left_out))
    for path in (found for name in named for found in ROOT.glob(name)):
        there = tmp_path / path.relative_to(ROOT)
        there.parent.mkdir(exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, there, ignore=ignore)
        else:
            shutil.copy(path, there)
    for name in ("tls.pem", "privkey.key", "db.sqlite3", "db.sqlite3-wal", ".env", ".env.production"):
        assert name in ignore("", [name])
    env = {"PATH": os.environ["PATH"], "SECRET_KEY": ANSWERS["SECRET_KEY"], "ALLOWED_HOSTS": HOST}
    env |= {
        "DATABASE_URL": "postgres://nowhere.invalid/none",
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
    }
    (tmp_path / "staticfiles").mkdir()
    for command in (["collectstatic", "--no-input"], ["check"], ["migrate", "--help"]):
        line = [sys.executable, "manage.py", *command]
        done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]


def test_production_refuses_what_is_missing(environment: dict[str, str], tmp_path: Path) -> None:
    for name in ("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL"):
        without = {key: value for key, value in environment.items() if key != name}
        refused = started(["python", "manage.py", "check"], without, tmp_path / f"{name}.log")
        assert refused.child.wait(120) != 0
        assert name in refused.tail()


@pytest.mark.parametrize("service", ["web", "background", "metrics"])
def test_the_server_without_containers_starts_the_same(service: str) -> None:
    script = (ROOT / "deploy" / "start").read_text().replace("\\\n", " ")
    match = re.search(rf"^{service}\)\n\s+exec (.*)$", script, re.M)
    assert match is not None
    words = [word.replace("${BIND:-127.0.0.1:8000}", "0.0.0.0:8000") for word in shlex.split(match.group(1))]
    assert words == command(service)
