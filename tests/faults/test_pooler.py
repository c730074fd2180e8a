"""Web processes behind a pooler that lends connections for a transaction each (DATABASE_POOLED)."""

import http.client
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from annotation.core.models.member import Annotator
from annotation.jobs.models import Import, ImportRow
from config.settings.databases import database
from tests import factory, pooler
from tests.faults import site
from validation.consensus.protocol import Protocol
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE, SETS, SERVER_CONNECTIONS, REFUSED = 6, 2, 2, 4500
ONE_VOTE = Protocol(name="one", rounds=(1,), quorum=1, author="none", plurality=True, tie="lowest-pseudonym")


@pytest.fixture
def pooled(process_env: dict[str, str]) -> Iterator[pooler.Pooler]:
    made = pooler.start_pooler(process_env["DATABASE_URL"], size=SERVER_CONNECTIONS)
    yield made
    made.remove()


@pytest.fixture
def web(pooled: pooler.Pooler, process_env: dict[str, str], tmp_path: Path) -> Iterator[site.Web]:
    """Two processes with four threads each."""
    env = site.environment(pooled.url(), process_env["REDIS_URL"], tmp_path, "production")
    started = site.Web(
        {**env, "DATABASE_POOLED": "1", "SECRET_KEY": settings.SECRET_KEY, "LOGIN_RATE": "1000/m/ip"},
        tmp_path,
    ).start()
    yield started
    started.stop()


def signed_in(web: site.Web, person: Annotator) -> str:
    """Sign in by e-mail and password, as a browser does; the cookie of the session."""
    assert person.user is not None
    # The suite's own hash is none that a production site knows.
    person.user.password = PBKDF2PasswordHasher().encode(factory.PASSWORD, "some-salt-of-the-test", 1000)
    person.user.save(update_fields=["password"])
    status, answer = request(web, "", "/accounts/login/", {"login": person.user.email, "password": factory.PASSWORD})
    assert status == 302, answer[:500]
    found = site.SESSION.search(answer)
    assert found is not None
    return found.group(1)


def request(web: site.Web, session: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str]:
    """Status, and head and body, of one request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
    headers = {
        "Cookie": f"sessionid={session}; csrftoken={site.CSRF}",
        "X-CSRFToken": site.CSRF,
        "HX-Request": "true",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    connection.request("GET" if form is None else "POST", path, urlencode(form or {}), headers)
    answer = connection.getresponse()
    text = f"{answer.headers}\n{answer.read().decode()}"
    connection.close()
    return answer.status, text


def test_the_label_loop_over_few_connections(web: site.Web, pooled: pooler.Pooler) -> None:
    """Eight threads, two connections to the server: sign-in, votes, taking one back, a file read row by row."""
    project = factory.project(protocol=ONE_VOTE)
    factory.written_pairs(project, factory.member(project, "writer"), SETS)
    while decide_due():
        pass
    sessions = [signed_in(web, factory.member(project, "validator")) for _ in range(PEOPLE)]
    count = SETS * 6
    with site.Crowd([site.Voter(web.port, project.slug, session) for session in sessions]) as crowd:
        crowd.more(count)
    assert set(crowd.statuses()) == {200}
    assert Vote.objects.filter(withdrawn_at=None).count() == count
    voted = next(voter for voter in crowd.voters if voter.acked)
    assert request(web, voted.session, f"/p/{project.slug}/vote/back/", {})[0] == 200
    assert Vote.objects.filter(withdrawn_at=None).count() == count - 1

    taken = Import.objects.create(project=project, name="pairs.jsonl", path="pairs.jsonl", refused=REFUSED)
    ImportRow.objects.bulk_create(
        ImportRow(source=taken, n=n, field="premise", reason="It is empty.") for n in range(REFUSED)
    )
    lead = signed_in(web, factory.member(project, "lead"))
    status, refused = request(web, lead, f"/p/{project.slug}/import/{taken.pk}/refused.csv")
    assert (status, refused.count("It is empty.")) == (200, REFUSED)
    with psycopg.connect(pooled.url("pgbouncer"), autocommit=True, prepare_threshold=None) as admin:
        servers = admin.execute("SHOW SERVERS").fetchall()
        clients = admin.execute("SHOW CLIENTS").fetchall()
    assert 1 <= len(servers) <= SERVER_CONNECTIONS < len(clients) - 1


def test_nothing_is_kept_on_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the pooler cannot carry from one transaction to the next is not asked for, nor what it refuses at once."""
    monkeypatch.setenv("STATEMENT_SECONDS", "30")
    direct = database("postgres://u@h/d")
    assert direct["OPTIONS"]["options"] == "-c jit=off -c statement_timeout=30s"
    monkeypatch.setenv("DATABASE_POOLED", "1")
    behind = database("postgres://u@h/d")
    assert "options" not in behind["OPTIONS"]
    assert behind["OPTIONS"]["prepare_threshold"] is None
    assert behind["DISABLE_SERVER_SIDE_CURSORS"] is True


def test_the_pooler_sets_the_limits(pooled: pooler.Pooler) -> None:
    with psycopg.connect(pooled.url(), prepare_threshold=None) as connection:
        told = [connection.execute(f"SHOW {name}").fetchall()[0][0] for name in ("statement_timeout", "lock_timeout")]
    assert told == ["30s", "5s"]
