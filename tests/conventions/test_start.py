"""What each process imports when it starts: modules that only jobs and commands need are not among them."""

import json
import os
import subprocess
import sys

import pytest

from tests import services
from tests.conventions import sources

# Libraries that are large, or that nothing in the process uses.
LARGE = (
    "pandas",
    "numpy",
    "pyarrow",
    "sacrebleu",
    "krippendorff",
    "jinja2",
    "unittest",
    "rich",
    "fido2",
    # Its generator makes the schema, which is a file: the views themselves need Django REST framework alone.
    "drf_spectacular",
    # Django REST framework takes them where they are there.
    "requests",
    "uritemplate",
)
# What jobs and commands do: by package or module.
OF_JOBS = (
    "annotation.generation.run_batch",
    "annotation.generation.llm.calls",
    "annotation.generation.llm.wire",
    "exports.backup",
    "exports.demo",
    "exports.releases.build",
    "exports.releases.project_build",
    "exports.releases.layouts",
    "exports.predictions.job",
    "exports.predictions.results",
    *(f"exports.scoring.{module}" for module in ("measures", "neural", "open_ended", "rules", "texts")),
    "validation.imports.job",
    "validation.imports.taker",
    "validation.insights.jobs",
)
LATE = ("annotation.jobs.tasks", "celery.worker.consumer", "celery.concurrency.prefork")
LEAN = ("celery", "redis", "psycopg", "pydantic", "config.urls", "markdown_it", "rapidfuzz")
# What config/lazily.py names and nobody has used is not imported.
SHOW = "\nprint(json.dumps(sorted(name for name, it in sys.modules.items() if type(it).__name__ != '_LazyModule')))"
WEB = """
import gc
from io import BytesIO
from config import wsgi
from config import migrated
assert gc.isenabled() and gc.get_freeze_count() > 100_000
before = set(sys.modules)
migrated._seen.append(True)
request = {"REQUEST_METHOD": "GET", "PATH_INFO": "/accounts/login/", "SERVER_NAME": "127.0.0.1",
    "SERVER_PORT": "80", "wsgi.input": BytesIO(), "wsgi.url_scheme": "http"}
answer = []
b"".join(wsgi.application(request, lambda status, headers: answer.append(status)))
assert answer == ["200 OK"], answer
# What is imported at the first page is imported by each worker for itself.
print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""
# As the worker does it: the tasks of each app, then what its children share.
WORKER = """
from types import SimpleNamespace
from config import celery
celery.app.loader.import_default_modules()
queues = SimpleNamespace(consume_from={{"{queue}": None}})
celery.prepare_child(SimpleNamespace(app=SimpleNamespace(amqp=SimpleNamespace(queues=queues))))
"""
# What the parts of background work share: loaded before they are forked.
SHARED = """
from config import background
background.load_shared()
"""


def modules_of(code: str, **env: str) -> tuple[set[str], str]:
    """The modules that a new process has once it ran this, and what it wrote to its errors."""
    settings = {
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "DATABASE_URL": "sqlite://:memory:",
        "REDIS_URL": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", "import json, sys\n" + code + SHOW],
        cwd=services.ROOT,
        env={**os.environ, **settings, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return set(json.loads(done.stdout.splitlines()[-1])), done.stderr


def among(names: tuple[str, ...], modules: set[str]) -> list[str]:
    """Which of these packages or modules are imported."""
    return [name for name in names if any(each == name or each.startswith(f"{name}.") for each in modules)]


def test_the_web_server_imports_nothing_that_only_jobs_need() -> None:
    modules, told = modules_of(WEB)
    assert among((*LARGE, *OF_JOBS, "celery", "kombu"), modules) == []
    later = json.loads(told.splitlines()[-1])
    assert [name for name in later if name.split(".")[0] in sources.APPS] == []
    assert len(later) < 40


@pytest.mark.parametrize("queue", ["due", "jobs"])
def test_a_worker_imports_a_job_when_it_runs(queue: str) -> None:
    modules, _ = modules_of(WORKER.format(queue=queue))
    assert among((*LARGE, *OF_JOBS, "config.urls"), modules) == []
    # A worker that only does jobs has none of what decides, and a decider all of it before it forks.
    assert ("validation.voting.actions.decide" in modules) == (queue == "due")


def test_parts_of_background_work_share_models_and_celery_alone() -> None:
    modules, _ = modules_of(SHARED)
    assert among((*LARGE, *OF_JOBS, "config.urls", "pydantic", "markdown_it", "rapidfuzz"), modules) == []
    assert among(LATE, modules) == list(LATE)


def test_a_command_that_says_what_there_is_imports_models_alone() -> None:
    modules, _ = modules_of(
        "from django.core.management import execute_from_command_line\n"
        "execute_from_command_line(['manage.py', '--help'])"
    )
    assert among((*LARGE, *OF_JOBS, *LEAN), modules) == []


def test_every_job_that_an_app_declares_has_a_handler() -> None:
    """Each module registers its kind; what another app adds to a page or a check is there."""
    from annotation.core import declared
    from annotation.jobs import queue

    declared_kinds = declared.entries("jobs") | declared.entries("sending_jobs")
    assert [kind for kind in declared_kinds if queue.handler(kind) is None] == []
    for table in ("rooms", "steps"):
        assert all(callable(declared.attribute(table, name)) for name in declared.entries(table))
    for table in ("integrity", "eligibility"):
        declared.load(table)
