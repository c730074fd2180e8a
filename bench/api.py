"""`python -m bench api [--pairs 50000]`: batches and exports over the REST API, and what a vote costs over it.

Starts a PostgreSQL whose commits reach the disk, Redis and the web server as it is deployed, all its own. Sends made-up
pairs to `items:batch`, ten thousand a request, the same again by `import_items`, and their texts by COPY into a bare
table; puts four votes on each by SQL; reads `items:export` and `votes:export`, and the same rows by COPY in the same
run. Memory is that of all processes of the web server, what they share counted once.
"""

import argparse
import http.client
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench import release as filling
from tests import services

ROOT, SLUG, EACH = filling.ROOT, filling.SLUG, filling.PAIRS_PER_PREMISE
BATCH_SIZE, CHUNK = 10_000, 256 * 1024
# How many pairs the command and COPY are tried with.
MOST_COMPARED_ROWS = 50_000
PEOPLE = f"""
from annotation.api.tokens import token_create
from annotation.core.actions.members import annotator_add
from annotation.core.models.project import Project
from annotation.models import User
for n in range(2):
    user = User.objects.create_user(f"a{{n}}@example.org", "bench-only-password")
    annotator_add(project=Project.objects.get(slug="{SLUG}"), user=user, validator=True)
boss = User.objects.create_user("boss@example.org", "bench-only-password", is_administrator=True)
print(token_create(user=boss, name="bench", scopes=["read", "manage"]).text)
"""
STATEMENTS = f"""
import json, re
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from annotation.api.tokens import token_create
from annotation.models import User
by_page, by_script = User.objects.filter(email__startswith="a").order_by("email")
script = {{"Authorization": "Bearer " + token_create(user=by_script, name="bench", scopes=["annotate"]).text}}
client = Client(HTTP_HOST="127.0.0.1")
def counted(act):
    with CaptureQueriesContext(connection) as told:
        answer = act()
    assert answer.status_code == 200, answer.content[:300]
    return len(told.captured_queries), answer
def api():
    asked, answer = counted(lambda: client.post("/api/v1/projects/{SLUG}/work:next", headers=script))
    path = "/api/v1/projects/{SLUG}/assignments/" + answer.json()["card"]["token"] + "/vote"
    sent = {{"content_type": "application/json", "headers": script}}
    return asked, counted(lambda: client.post(path, {{"label": "n"}}, **sent))[0]
def page():
    asked, answer = counted(lambda: client.get("/p/{SLUG}/vote/"))
    path = re.search(r'action="(/p/[^/"]+/vote/[\\w-]{{16,}}/)"', answer.content.decode())[1]
    return asked, counted(lambda: client.post(path, {{"label": "n"}}, headers={{"HX-Request": "true"}}))[0]
api()
over = api()
client.force_login(by_page)
page()
print(json.dumps({{"api": over, "page": page()}}))
"""
# The columns of the lines that are exported, and the texts.
ITEMS = """COPY (SELECT i.key, t.key, i.origin, a.pseudonym, i.author_label, i.stage, i.version, i.revision_n, i.epoch,
  i.round, i.votes_n, i.sampled, i.gold, i.gold_answers, i.gold_from, i.doubt, i.returns, i.at, p.text, h.text
FROM annotation_item i JOIN annotation_target t ON t.id = i.target_id LEFT JOIN annotation_annotator a
  ON a.id = i.author_id JOIN annotation_hypothesis h ON h.item_id = i.id JOIN annotation_premise p
  ON p.id = h.premise_id ORDER BY i.id) TO STDOUT"""
VOTES = """COPY (SELECT i.key, v.n, a.pseudonym, v.label, v.answers, v.unsure, v.ambiguous, v.comment, v.seconds,
  v.epoch, v.round, v.revision_n, v.imported, v.surplus, v.cast_at, v.withdrawn_at, v.withdrawn_why, v.withdrawn_reason
FROM validation_vote v JOIN annotation_item i ON i.id = v.item_id JOIN annotation_annotator a
  ON a.id = v.annotator_id ORDER BY v.item_id, v.n) TO STDOUT"""


def pairs(start: int, count: int) -> bytes:
    """So many pairs as lines of JSON, six a premise."""
    rows = (
        {
            "pair_id": f"p{n}",
            "premise_id": f"s{n // EACH}",
            "premise": f"Kalimat nomor {n // EACH} bercerita tentang pasar yang ramai sejak pagi buta.",
            "hypothesis": f"Dugaan nomor {n} tentang pasar yang ramai.",
            "author_label": "enc"[n % EACH // 2],
        }
        for n in range(start, start + count)
    )
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


class Web:
    """The web server, and whoever asks it with a token."""

    def __init__(self, url: str, redis: str, token: str, folder: Path) -> None:
        self.token, self.port = token, services.free_port()
        env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "DATABASE_URL": url,
            "REDIS_URL": redis,
            "SECRET_KEY": "a-key-for-the-bench-only-0123456789-abcdefghijkl",
            "ALLOWED_HOSTS": "127.0.0.1",
            "HTTPS": "0",
            "LOG_LEVEL": "WARNING",
            "DATA_DIR": str(folder),
            "BIND": f"127.0.0.1:{self.port}",
        }
        self.process = services.Process([str(ROOT / "deploy" / "start"), "web"], folder / "web.log", env=env)
        self.process.wait_for(lambda: services.port_answers(self.port))

    def asked(self, method: str, path: str, body: bytes | None = None) -> Iterator[bytes]:
        """The answer, as it comes."""
        asking = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/x-ndjson"}
        asking.request(method, f"/api/v1/projects/{SLUG}/{path}", body, headers)
        answer = asking.getresponse()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {answer.read(500)!r}")
        while chunk := answer.read(CHUNK):
            yield chunk
        asking.close()

    @contextmanager
    def measured(self, figures: dict[str, Any]) -> Iterator[None]:
        """Add to the figures the seconds, and the MiB of memory before, at the peak and after."""
        over, seen = threading.Event(), [filling.memory_of(self.process.pid)]

        def watch() -> None:
            while not over.wait(0.1):
                seen.append(filling.memory_of(self.process.pid))

        watching, began = threading.Thread(target=watch), time.monotonic()
        watching.start()
        try:
            yield
        finally:
            figures["seconds"] = round(time.monotonic() - began, 2)
            over.set()
            watching.join()
            seen.append(filling.memory_of(self.process.pid))
            figures["mib"] = [round(kib / 1024) for kib in (seen[0], max(seen), seen[-1])]


def measure_batches(web: Web, count: int) -> dict[str, Any]:
    """The pairs in batches; every row must have been stored."""
    figures: dict[str, Any] = {"rows": count}
    sent = [pairs(start, min(BATCH_SIZE, count - start)) for start in range(0, count, BATCH_SIZE)]
    stored = 0
    with web.measured(figures):
        for body in sent:
            last = b"".join(web.asked("POST", "items:batch", body)).splitlines()[-1]
            stored += json.loads(last)["stored"]
    if stored != count:
        raise SystemExit(f"{stored} of {count} rows were stored")
    return {**figures, "rows_per_s": round(count / figures["seconds"])}


def time_copy_in(url: str, count: int) -> float:
    """How many seconds COPY takes to store the texts of the pairs in a table without keys and checks."""
    import psycopg

    rows = [tuple(json.loads(line).values()) for line in pairs(0, count).splitlines()]
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE bare (pair text, premise text, text text, hypothesis text, label text)")
        began = time.monotonic()
        with connection.cursor().copy("COPY bare FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        connection.commit()
        took = time.monotonic() - began
        connection.execute("DROP TABLE bare")
        return took


def time_import(url: str, start: int, count: int, folder: Path) -> float:
    """How many seconds `import_items` takes for pairs that are not there yet, from its start to its end."""
    file = folder / "pairs.jsonl"
    file.write_bytes(pairs(start, count))
    began = time.monotonic()
    filling.manage(url, "import_items", SLUG, str(file), data=folder)
    return time.monotonic() - began


def compare_with_imports(figures: dict[str, Any], url: str, folder: Path) -> dict[str, Any]:
    """What batches took, divided by what COPY and the command take for as many pairs in the same run."""
    count = min(figures["rows"], MOST_COMPARED_ROWS)
    # A whole number of premises, which the pairs before have not begun.
    start = -(-figures["rows"] // EACH) * EACH
    copy, command = count / time_copy_in(url, count), count / time_import(url, start, count, folder)
    speed = figures["rows_per_s"]
    return {
        **figures,
        "copy_rows_per_s": round(copy),
        "of_copy": round(speed / copy, 4),
        "command_rows_per_s": round(command),
        "of_command": round(speed / command, 2),
    }


def measure_export(web: Web, path: str, url: str, statement: str) -> dict[str, Any]:
    """All lines of an export, beside COPY of the same rows."""
    figures: dict[str, Any] = {}
    with web.measured(figures):
        rows = sum(chunk.count(b"\n") for chunk in web.asked("GET", path))
    speed, copy = rows / figures["seconds"], time_copy_out(url, statement)
    return {
        "rows": rows,
        **figures,
        "rows_per_s": round(speed),
        "copy_rows_per_s": round(rows / copy),
        "of_copy": round(speed / (rows / copy), 3),
    }


def time_copy_out(url: str, statement: str) -> float:
    """How many seconds COPY takes."""
    import psycopg

    with psycopg.connect(url) as connection:
        began = time.monotonic()
        with connection.cursor().copy(statement.encode()) as rows:
            for _ in rows:
                pass
        return time.monotonic() - began


def main(arguments: list[str]) -> int:
    """Measure; a line of figures each."""
    parser = argparse.ArgumentParser(prog="python -m bench api", description=__doc__)
    parser.add_argument("--pairs", type=int, default=50_000)
    count = parser.parse_args(arguments).pairs
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mufakat-api-")))
        server = services.start_postgres(fsync=True)
        stack.callback(server.remove)
        redis, url = services.start_redis(), server.url()
        stack.callback(redis.remove)
        filling.manage(url, "migrate", "-v", "0")
        filling.manage(url, "shell", "-v", "0", "-c", filling.MAKE)
        token = filling.manage(url, "shell", "-v", "0", "-c", PEOPLE, data=folder)[0].split()[-1]
        web = Web(url, redis.url(), token, folder)
        stack.callback(web.process.stop)
        b"".join(web.asked("GET", "items"))  # what the first request of all costs is not measured
        _print_figures("items:batch", compare_with_imports(measure_batches(web, count), url, folder))
        said = filling.manage(url, "shell", "-v", "0", "-c", STATEMENTS, data=folder)[0]
        _print_figures("statements, next card and vote", json.loads(said.splitlines()[-1]))
        add_votes(url)
        for path, statement in (("items:export", ITEMS), ("votes:export", VOTES)):
            _print_figures(path, measure_export(web, path, url, statement))
    return 0


def add_votes(url: str) -> None:
    """Four votes on each pair; the planner is told, as autovacuum would tell it."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(b"DELETE FROM validation_vote")
        connection.execute(filling.VOTES.encode(), {})
        connection.execute("VACUUM ANALYZE")


def _print_figures(what: str, figures: dict[str, Any]) -> None:
    print(json.dumps({"measure": what, **figures}), flush=True)
