"""`python -m bench.insights [--votes N]`: a made-up project of a million votes: insights computed, pages opened.

It starts a PostgreSQL of its own. Everything is computed in one process of its own, whose memory at the peak and whose
time for each insight are printed; then the pages are opened as a lead opens them.
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, repeat
from typing import TYPE_CHECKING, Any

from tests import services

if TYPE_CHECKING:
    from django.test import Client

SLUG, LEAD = "insights-bench", "lead@bench.example"
VOTES_EACH, PAIRS_EACH = 4, 6
VALIDATORS, WRITERS = 40, 20
LABELS = ("e", "n", "c")
SIZES = ("single", "single", "single", "double", "paragraph")
_SOUNDS = ("ba", "ka", "ro", "mi", "tu", "na", "se", "li", "po", "ga", "du", "ra", "wi", "ten", "lang", "kur")


def vocabulary(chance: random.Random, count: int) -> list[str]:
    """So many words; the first ones are drawn most often."""
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(chance.choice(_SOUNDS) for _ in range(chance.randint(1, 4)))] = None
    return list(found)


def text(chance: random.Random, words: Sequence[str], least: int, most: int) -> str:
    """A sentence of words that no language has; few of them make most of it."""
    drawn = [words[int(len(words) ** chance.random()) - 1] for _ in range(chance.randint(least, most))]
    return " ".join(drawn).capitalize() + "."


def fill(votes: int) -> None:
    """Store the project: premises, six pairs each, a revision each, four votes each, some of them deviating."""
    from django.db import connection

    from tests import factory

    project = factory.project(SLUG)
    factory.member(project, "lead", account=factory.user(LEAD))
    writers = [factory.member(project, "writer").pk for _ in range(WRITERS)]
    voters = [factory.member(project, "validator").pk for _ in range(VALIDATORS)]
    chance, items = random.Random(1), votes // VOTES_EACH
    words = vocabulary(chance, 20_000)
    labels = [chance.choice(LABELS) for _ in range(items)]
    premises = [text(chance, words, 8, 30) for _ in range(-(-items // PAIRS_EACH))]
    hypotheses = [hypothesis_text(chance, words, label) for label in labels]
    own = {"project_id": project.pk, "target_id": project.targets.get().pk}
    copy("annotation_premise", (premise_row(own, n, each) for n, each in enumerate(premises)))
    first = lowest_id("annotation_premise")
    held = {**own, "protocol_id": project.protocols.get().pk}
    of_premise = [first + n // PAIRS_EACH for n in range(items)]
    drawn = (chance.choice(writers) for _ in range(items))
    copy("annotation_item", map(item_row, repeat(held), of_premise, count(), drawn, labels))
    at = lowest_id("annotation_item")
    written = zip(count(at), of_premise, hypotheses, strict=False)
    copy("annotation_hypothesis", (hypothesis_row(project.pk, *row) for row in written))
    given = ((at + n, premises[n // PAIRS_EACH], each, labels[n]) for n, each in enumerate(hypotheses))
    copy("annotation_revision", (revision_row(project.pk, *row) for row in given))
    copy("validation_vote", vote_rows(project.pk, at, labels, voters, chance))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    print(f"{items:,} pairs of {len(premises):,} premises, {items * VOTES_EACH:,} votes", flush=True)


def hypothesis_text(chance: random.Random, words: Sequence[str], label: str) -> str:
    """A hypothesis; half of the contradictions say that something is not so."""
    found = text(chance, words, 4, 14)
    return f"Tidak {found.lower()}" if label == "c" and chance.random() < 0.5 else found


def premise_row(own: dict[str, Any], n: int, words: str) -> dict[str, Any]:
    return {
        **own,
        "key": f"p{n}",
        "text": words,
        "text_hash": f"{n:064x}",
        "sentence_class": SIZES[n % len(SIZES)],
        "document": f"d{n // 5}",
        "extra": "{}",
        "revision": 1,
        "skips": 0,
    }


def hypothesis_row(project: int, item: int, premise: int, words: str) -> dict[str, Any]:
    return {"item_id": item, "project_id": project, "premise_id": premise, "text": words, "tags": "[]"}


def item_row(own: dict[str, Any], family: int, n: int, writer: int, label: str) -> dict[str, Any]:
    return {
        **own,
        "author_id": writer,
        "slot": f"{label}1",
        "key": f"i{n}",
        "origin": "written",
        "family": family,
        "author_label": label,
        "sampled": True,
        "version": 2,
        "stage": "settled",
        "epoch": 1,
        "round": 1 + (n % 9 == 0) + (n % 30 == 0),
        "slots_free": 0,
        "pending": 0,
        "votes_n": VOTES_EACH,
        "revision_n": 1,
        "priority": 0,
        "shuffle": n,
        "gold": label,
        "gold_from": "votes",
        "words": 20,
        "doubt": 0,
        "returns": 0,
    }


def revision_row(project: int, item: int, premise: str, hypothesis: str, label: str) -> dict[str, Any]:
    return {
        "project_id": project,
        "item_id": item,
        "n": 1,
        "version": 1,
        "epoch": 1,
        "event": "submit",
        "meaning": "first",
        "content": f'{{"premise": "{premise}", "hypothesis": "{hypothesis}"}}',
        "author_label": label,
        "why": "",
    }


def vote_rows(
    project: int, at: int, labels: Sequence[str], voters: Sequence[int], chance: random.Random
) -> Iterator[dict[str, Any]]:
    for n, label in enumerate(labels):
        for place, voter in enumerate(chance.sample(voters, VOTES_EACH), 1):
            yield {
                "project_id": project,
                "item_id": at + n,
                "annotator_id": voter,
                "n": place,
                "epoch": 1,
                "round": max(1, place - 1),
                "revision_n": 1,
                "label": label if chance.random() < 0.85 else chance.choice(LABELS),
                "answers": "{}",
                "unsure": "f",
                "ambiguous": "f",
                "comment": "",
                "seconds": round(chance.uniform(2, 60), 1),
                "imported": "f",
                "surplus": "f",
                "withdrawn_why": "",
                "withdrawn_reason": "",
            }


def copy(table: str, rows: Iterable[dict[str, Any]]) -> None:
    """Store rows of a table as fast as PostgreSQL takes them; all have the columns of the first."""
    from django.db import connection

    with connection.cursor() as cursor:
        found = iter(rows)
        first = next(found)
        statement = f"COPY {table} ({', '.join(first)}) FROM STDIN"
        with cursor.cursor.copy(statement) as stream:
            stream.write_row(tuple(first.values()))
            for row in found:
                stream.write_row(tuple(row.values()))


def lowest_id(table: str) -> int:
    """The first id of a table; those of one COPY follow each other."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"SELECT min(id) FROM {table}")
        return int(cursor.fetchone()[0])


def compute() -> None:
    """Compute every insight in this process; print how long each took and the memory at the peak."""
    from annotation.core.models.project import Project
    from annotation.jobs import queue as jobs
    from validation.insights.actions import insights_ask
    from validation.insights.models import Insight

    project, begun = Project.objects.get(slug=SLUG), time.monotonic()
    job = jobs.run_here(insights_ask(project=project, by=None, nightly=True))
    job.refresh_from_db()
    wall, own = time.monotonic() - begun, time.process_time()
    print(f"{job.state} {job.error}".strip(), f"in {wall:.0f} s, {own:.0f} s of the processor in this process")
    for each in Insight.objects.filter(project=project).order_by("pk"):
        print(f"  {each.slug:<14} {each.seconds:8.1f} s")
    print(f"  peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


def pages() -> None:
    """Open the project page, the overview and every insight, five times each; print how long that took."""
    from django.test import Client

    from annotation.core.models.project import Project
    from annotation.core.models.user import User
    from validation.insights.models import Insight
    from validation.insights.reports.reading import project_state

    client, project = Client(), Project.objects.get(slug=SLUG)
    client.force_login(User.objects.get(email=LEAD))
    client.get("/")
    print_times("what it is all of", lambda: project_state(project))
    slugs = Insight.objects.order_by("pk").values_list("slug", flat=True)
    for path in ("", "insights/", *(f"insights/{slug}/" for slug in slugs)):
        print_times(path or "project page", lambda path=path: open_page(client, f"/p/{SLUG}/{path}"))


def print_times(name: str, work: Callable[[], Any]) -> None:
    """Do it five times; print the fastest and the slowest, and what it takes of this process' processor."""
    times, own = [], time.process_time()
    for _ in range(5):
        begun = time.monotonic()
        work()
        times.append(1000 * (time.monotonic() - begun))
    mean = 200 * (time.process_time() - own)
    print(f"  {name:<24} {min(times):6.0f} to {max(times):6.0f} ms, {mean:5.0f} ms of the processor", flush=True)


def open_page(client: "Client", url: str) -> None:
    answer = client.get(url)
    assert answer.status_code == 200, url


def main() -> None:
    """Fill, compute in a process of its own, open."""
    parser = argparse.ArgumentParser(prog="python -m bench.insights", description=__doc__)
    parser.add_argument("--votes", type=int, default=1_000_000)
    parser.add_argument("--compute", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    cluster = None if wanted.compute else services.start_postgres()
    if cluster is not None:
        os.environ["DATABASE_URL"] = cluster.url()
    os.environ["LOG_LEVEL"] = "WARNING"
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    import django

    django.setup()
    if wanted.compute:
        compute()
        return
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    fill(wanted.votes)
    for what in ("first", "again"):
        print(f"computed, {what}:", flush=True)
        subprocess.run([sys.executable, "-m", "bench.insights", "--compute"], check=True)
    print("pages:")
    pages()


if __name__ == "__main__":
    main()
