"""`python -m bench.scale --items 1000000 --votes 5`: what pages, votes, decisions and insights cost in a large project.

Fills a PostgreSQL of its own, with its usual settings (bench/crowd.py), prints how large it is; then, in one process
over Django's test client, what each thing takes: statements, time, the slowest statement with the pages (8 KiB) that
it touches. `--plans FILE` writes that statement's plan for each. `--only WORD` leaves out what has not the word in its
name.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench import crowd
from tests import services

REPEAT = 5
LEAD_PAGES: dict[str, str] = {
    "home": "/",
    "project page": "/p/{slug}/",
    "desk": "/p/{slug}/desk/",
    "desk, one flag": "/p/{slug}/desk/?flag=text_error",
    "desk, of a label": "/p/{slug}/desk/?label=e",
    "desk, searched": "/p/{slug}/desk/?q=p77",
    "items": "/p/{slug}/items/",
    "items, a stage": "/p/{slug}/items/?stage=voting",
    "items, of a person": "/p/{slug}/items/?person={person}",
    "items, flagged": "/p/{slug}/items/?flag=text_error",
    "items, searched": "/p/{slug}/items/?q=p777",
    "items, in no text": "/p/{slug}/items/?q=nowhere",
    "item": "/p/{slug}/items/{item}/",
    "people": "/p/{slug}/people/",
    "people's work": "/p/{slug}/quality/",
    "one's work": "/p/{slug}/quality/{annotator}/",
    "gold questions": "/p/{slug}/quality/gold/",
    "qualification": "/p/{slug}/qualification/",
    "errors": "/p/{slug}/errors/",
    "conflicts": "/p/{slug}/conflicts/",
    "model votes": "/p/{slug}/model/votes/",
    "insights": "/p/{slug}/insights/",
    "agreement": "/p/{slug}/insights/agreement/",
    "releases": "/p/{slug}/releases/",
    "new release": "/p/{slug}/releases/new/",
    "imports": "/p/{slug}/import/",
    "questions": "/p/{slug}/questions/",
    "pay": "/p/{slug}/pay/",
    "notices": "/me/notices/",
}
VALIDATOR_PAGES = {
    "vote page": "/p/{slug}/vote/",
    "project page of a validator": "/p/{slug}/",
    "one's own record": "/me/",
    "one's own pay": "/me/pay/",
}


class Statement(NamedTuple):
    """A statement that was run, and how long it took."""

    sql: str
    params: Any
    seconds: float


class Measurement(NamedTuple):
    """What something took: the times in ms, the statements of the last time."""

    times: list[float]
    said: list[Statement]
    status: int


@contextmanager
def recorded_statements() -> Iterator[list[Statement]]:
    """The statements of this process' connection meanwhile."""
    from django.db import connection

    said: list[Statement] = []

    def listen(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        begun = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            said.append(Statement(sql, params, time.perf_counter() - begun))

    with connection.execute_wrapper(listen):
        yield said


def measure_repeatedly(work: Callable[[], int]) -> Measurement:
    times: list[float] = []
    for _ in range(REPEAT):
        with recorded_statements() as said:
            begun = time.perf_counter()
            status = work()
            times.append(1000 * (time.perf_counter() - begun))
        if times[-1] > 20_000:
            break
    return Measurement(times, said, status)


def plan_of(statement: Statement) -> dict[str, Any] | None:
    """How PostgreSQL ran it, with the pages it touched; what it wrote is taken back."""
    from django.db import DatabaseError, connection, transaction

    if not statement.sql.lstrip().startswith(("SELECT", "WITH", "UPDATE", "INSERT")):
        return None
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement.sql}", statement.params)
            ((plan,),) = cursor.fetchall()
            transaction.set_rollback(True)
    except DatabaseError:
        return None
    found: dict[str, Any] = plan[0]
    return found


def report_line(name: str, found: Measurement, plans: dict[str, Any]) -> None:
    """One line: statements, median and slowest time, and the slowest statement with its pages."""
    slowest = max(found.said, key=lambda each: each.seconds, default=None)
    plan = plan_of(slowest) if slowest else None
    line = f"{name:<28} {found.status} {len(found.said):4} statements {statistics.median(found.times):9.1f} ms"
    line += f" (to {max(found.times):.1f})"
    if slowest and plan:
        top = plan["Plan"]
        pages = top["Shared Hit Blocks"] + top["Shared Read Blocks"]
        line += f"; slowest {1000 * slowest.seconds:.1f} ms, {pages:,} pages"
        plans[name] = {"sql": slowest.sql, "plan": plan}
    print(line, flush=True)


def pages(wanted: str, plans: dict[str, Any]) -> None:
    """Open what leads and validators open; cast votes; decide one item."""
    from django.test import Client

    from annotation.content.models.item import Item
    from annotation.core.models.member import Annotator
    from annotation.core.models.user import User

    def client_of(email: str) -> Client:
        client = Client()
        client.force_login(User.objects.get(email=email))
        return client

    person = Annotator.objects.select_related("user").filter(is_validator=True)[7]
    item = Item.objects.filter(stage="settled").order_by("pk")[1000]
    names = {"slug": crowd.SLUG, "person": person.pseudonym, "annotator": person.pk, "item": item.pk}
    assert person.user is not None
    validator, lead = client_of(person.user.email), client_of(crowd.LEAD)
    for client, paths in ((validator, VALIDATOR_PAGES), (lead, LEAD_PAGES)):
        for name, path in paths.items():
            if wanted in name:
                address = path.format_map(names)
                report_line(
                    name,
                    measure_repeatedly(lambda client=client, address=address: client.get(address).status_code),
                    plans,
                )
    if wanted in "vote with the next card":
        _votes(validator, plans)
    if wanted in "decision of one item":
        _decision(plans)


def _votes(client: Any, plans: dict[str, Any]) -> None:
    from django.db import connection

    def position() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")
            return int(cursor.fetchone()[0])

    shown = client.get(f"/p/{crowd.SLUG}/vote/").content

    def vote() -> int:
        nonlocal shown
        (token,) = crowd.TOKEN.findall(shown)[:1]
        address = f"/p/{crowd.SLUG}/vote/{token.decode()}/"
        answer = client.post(address, {"label": "e"}, headers={"HX-Request": "true"})
        shown = answer.content
        return int(answer.status_code)

    before = position()
    found = measure_repeatedly(vote)
    report_line("vote with the next card", found, plans)
    print(f"  WAL of a vote, right after its tables were filled: {(position() - before) / len(found.times):,.0f} bytes")
    picks = [each for each in found.said if each.sql.startswith("UPDATE annotation_item SET slots_free")]
    for pick in picks:
        report_line("  its pick", Measurement([1000 * pick.seconds], [pick], 200), plans)


def _decision(plans: dict[str, Any]) -> None:
    from django.db.models.functions import Now

    from annotation.content.models.item import Item
    from validation.voting.actions.decide import decide_due

    due = iter(Item.objects.filter(stage="voting", votes_n=4).order_by("pk").values_list("pk", flat=True)[:REPEAT])

    def decide() -> int:
        Item.objects.filter(pk=next(due)).update(due_at=Now())
        decide_due()
        return 200

    report_line("decision of one item", measure_repeatedly(decide), plans)


def print_table_sizes() -> None:
    """What tables and their indexes take, the largest first."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, reltuples::bigint, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace "
            "ORDER BY pg_total_relation_size(oid) DESC LIMIT 9"
        )
        for name, rows, table, indexes in cursor.fetchall():
            print(f"  {name:<24} {rows:>11,} rows {table / 2**20:8,.0f} MiB, indexes {indexes / 2**20:8,.0f} MiB")
        cursor.execute(
            "SELECT indexrelname, idx_scan, pg_relation_size(indexrelid) FROM pg_stat_user_indexes "
            "ORDER BY 3 DESC LIMIT 16"
        )
        for name, scans, size in cursor.fetchall():
            print(f"  index {name:<48} {size / 2**20:8,.0f} MiB, {scans} scans")
        cursor.execute("SELECT pg_database_size(current_database())")
        print(f"  database {cursor.fetchone()[0] / 2**20:,.0f} MiB", flush=True)


def compute() -> None:
    """Every insight, in this process: how long each took, and the memory at the peak."""
    from annotation.core.models.project import Project
    from annotation.jobs import queue as jobs
    from validation.insights.actions import insights_ask
    from validation.insights.models import Insight

    begun = time.monotonic()
    project = Project.objects.get(slug=crowd.SLUG)
    job = jobs.run_here(insights_ask(project=project, by=None, nightly=True))
    took, own = time.monotonic() - begun, time.process_time()
    print(f"insights: {job.state} {job.error} in {took:.0f} s, {own:.0f} s of the processor")
    for each in Insight.objects.filter(project=project).order_by("-seconds"):
        print(f"  {each.slug:<14} {each.seconds:8.1f} s")
    print(f"  peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB", flush=True)


def main() -> None:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--votes", type=int, default=5, help="of an item")
    parser.add_argument("--database", help="postgres://… of an empty database; without it one of its own is started")
    parser.add_argument("--filled", action="store_true", help="the database is as an earlier run left it")
    parser.add_argument("--keep", action="store_true", help="leave the server running until Enter is pressed")
    parser.add_argument("--only", default="", help="what has this word in its name")
    parser.add_argument("--insights", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--plans", type=Path, help="where the plans are written")
    parser.add_argument("--compute", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    url = given.database or services.start_postgres(fsync=True).url()
    os.environ |= {
        "DATABASE_URL": url,
        "LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
    }
    import django

    django.setup()
    if given.compute:
        compute()
        return
    if not given.filled:
        begun = time.monotonic()
        crowd.fill(url, given.items, given.votes)
        print(f"{url}: filled in {time.monotonic() - begun:.0f} s", flush=True)
    print_table_sizes()
    plans: dict[str, Any] = {}
    pages(given.only, plans)
    if given.insights:
        line = [sys.executable, "-m", "bench.scale", "--compute", "--database", url]
        subprocess.run(line, check=True)
        pages("insight", plans)
    if given.plans:
        given.plans.write_text(json.dumps(plans, indent=1))
    if given.keep:
        input()


if __name__ == "__main__":
    main()
