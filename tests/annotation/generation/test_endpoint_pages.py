"""Endpoints on pages: entered, changed, tried and ended by site administrators; budgets by those of a project (A45)."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core import sealing
from annotation.core.models.member import Event
from annotation.generation.models import Endpoint, MachineLimit
from tests import factory, llm_server
from tests.endpoint_runs import a_run, an_endpoint, ask
from tests.llm_server import Server

pytestmark = pytest.mark.django_db
SECRET = "sk-very-secret"


@pytest.fixture
def server() -> Iterator[Server]:
    with llm_server.serving(lambda seen: f'{{"text": "{seen.text}!"}}') as started:
        yield started


@pytest.fixture
def boss(client: Client) -> Client:
    client.force_login(factory.user("boss@example.org", administrator=True))
    return client


def typed(server: Server | None = None, **fields: Any) -> dict[str, Any]:
    values = {
        "name": "Model",
        "what": "chat",
        "address": server.url if server else "",
        "model": "small",
        "key": "",
        "parameters": 'temperature = 0.5\nstop = ["x"]',
        "price_in": "1.5",
        "price_out": "2",
        "currency": "USD",
        "seconds": "20",
        "at_once": "2",
        "per_minute": "30",
        "version": "0",
    }
    return values | fields


def entered(boss: Client, server: Server | None = None, **fields: Any) -> Endpoint:
    answer = boss.post(reverse("endpoint_new"), typed(server, **fields))
    assert answer.status_code == 302, answer.content
    return Endpoint.objects.latest("pk")


def changed(boss: Client, endpoint: Endpoint, **fields: Any) -> Any:
    fields.setdefault("version", endpoint.version)
    return boss.post(reverse("endpoint", args=[endpoint.pk]), typed(**fields))


def test_an_endpoint_is_entered_and_its_key_is_seen_by_nobody(boss: Client, server: Server) -> None:
    made = entered(boss, server, key=SECRET)
    assert made.parameters == {"temperature": 0.5, "stop": ["x"]}
    assert made.key_host == f"http://{server.host}"
    assert sealing.unseal(made.key_sealed, made.key_host) == SECRET
    stored = str([*Endpoint.objects.values(), *Event.objects.values()])
    pages = [boss.get(reverse("endpoint", args=[made.pk])), boss.get(reverse("endpoints"))]
    assert "a key is kept" in pages[1].content.decode()
    shown = [page.content.decode() for page in pages]
    assert not any(SECRET in text for text in (stored, *shown))
    assert not any(made.key_sealed in text for text in shown)
    assert Event.objects.get(verb="endpoint_created").data["key"] == "entered"


def test_what_is_refused_keeps_what_was_typed_but_the_key(boss: Client) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"address": "https://169.254.169.254/v1"}, "private or reserved"),
        ({"address": "http://api.example.com/v1"}, "needs an https address"),
        ({"parameters": "api_base = http://evil"}, "api_base"),
        ({"parameters": "temperature"}, "one parameter a line"),
        ({"model": ""}, "which model"),
        ({"key": SECRET}, "kept for an address"),
        ({"currency": "XXX"}, "not one of the available"),
        ({"seconds": "100000"}, "300"),
    ]
    for fields, words in refused:
        answer = boss.post(reverse("endpoint_new"), typed(**fields))
        page = answer.content.decode()
        assert answer.status_code == 422, fields
        assert words in page
        assert SECRET not in page
        assert 'value="Model"' in page
    assert not Endpoint.objects.exists()


def test_a_name_is_taken_once(boss: Client) -> None:
    entered(boss)
    assert boss.post(reverse("endpoint_new"), typed()).status_code == 422


@pytest.mark.parametrize("keep", ["path", "host", "scheme"])
def test_another_host_clears_the_key(boss: Client, server: Server, settings: Any, keep: str) -> None:
    settings.ENDPOINT_HOSTS_ALLOWED = ["127.0.0.1:*", "127.0.0.2:*"]
    made = entered(boss, server, key=SECRET)
    address = {
        "path": f"http://{server.host}/v2",
        "host": f"http://127.0.0.2:{server.port}/v1",
        "scheme": f"https://{server.host}/v1",
    }[keep]
    assert changed(boss, made, address=address).status_code == 302
    made.refresh_from_db()
    assert bool(made.key_sealed) == (keep == "path")
    if keep != "path":
        assert "Enter the key for this one" in boss.get(reverse("endpoint", args=[made.pk])).content.decode()


def test_the_key_never_reaches_another_host(boss: Client, server: Server) -> None:
    made = entered(boss, server, key=SECRET, price_in="0", price_out="0")
    run = a_run()
    ask(run, made, ["a"])
    assert server.seen[0].headers["authorization"] == f"Bearer {SECRET}"
    with llm_server.serving(lambda seen: '{"text": "b"}') as other:
        assert changed(boss, made, address=other.url).status_code == 302
        ask(run, made, ["b"])
        assert "authorization" not in other.seen[0].headers
        assert SECRET not in str(other.seen)


def test_a_key_is_replaced_removed_or_left(boss: Client, server: Server) -> None:
    made = entered(boss, server, key=SECRET)
    changed(boss, made, address=server.url)
    made.refresh_from_db()
    assert sealing.unseal(made.key_sealed, made.key_host) == SECRET
    changed(boss, made, address=server.url, key="another")
    made.refresh_from_db()
    assert sealing.unseal(made.key_sealed, made.key_host) == "another"
    changed(boss, made, address=server.url, remove_key="on")
    made.refresh_from_db()
    assert (made.key_sealed, made.key_host) == ("", "")


def test_somebody_else_was_faster(boss: Client) -> None:
    made = entered(boss)
    assert changed(boss, made, model="large").status_code == 302
    answer = changed(boss, made, model="huge", key="")
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "huge" in page
    assert "large" in page
    made.refresh_from_db()
    assert made.model == "large"


def test_trying_says_how_it_went_and_echoes_nothing(boss: Client, server: Server) -> None:
    made = entered(boss, server, key=SECRET)
    address = reverse("endpoint_try", args=[made.pk])
    page = boss.post(address).content.decode()
    assert "It answered." in page
    assert "Say yes.!" in page
    for misdeed, words in (
        ("401", "does not accept the key"),
        ("301", "not followed"),
        ("500", "status 500"),
    ):
        server.misdeeds = [misdeed]
        page = boss.post(address).content.decode()
        assert words in page
        assert "upstream words" not in page
        assert SECRET not in page
    assert Event.objects.filter(verb="endpoint_tried").count() == 4


def test_an_ended_endpoint_has_no_key_and_is_not_tried(boss: Client, server: Server) -> None:
    made = entered(boss, server, key=SECRET)
    boss.post(reverse("endpoint_ending", args=[made.pk]), {"ended": "yes"})
    made.refresh_from_db()
    assert made.ended_at is not None
    assert made.key_sealed == ""
    assert boss.post(reverse("endpoint_try", args=[made.pk])).status_code == 409
    assert server.seen == []
    boss.post(reverse("endpoint_ending", args=[made.pk]), {"ended": "no"})
    made.refresh_from_db()
    assert made.ended_at is None


def test_the_list_asks_the_same_of_the_database_however_long(boss: Client, django_assert_num_queries: Any) -> None:
    an_endpoint()
    boss.get(reverse("endpoints"))
    with CaptureQueriesContext(
        connection,
    ) as few:
        boss.get(reverse("endpoints"))
    for _ in range(45):
        an_endpoint()
    with django_assert_num_queries(len(few)):
        boss.get(reverse("endpoints"))


# --- budgets --------------------------------------------------------------------------------


def test_a_budget_is_set_seen_and_guarded(boss: Client, server: Server) -> None:
    run = a_run(factory.project(preset="mcsqa"), budget=None)
    address = reverse("machine_limit", args=[run.project.slug])
    assert "Without a budget" in boss.get(address).content.decode()
    wanted = {"budget": "2.5", "currency": "USD", "per_minute": "9", "seen": ""}
    assert boss.post(address, wanted).status_code == 302
    limit = MachineLimit.objects.get()
    assert (str(limit.budget), limit.currency, limit.per_minute) == ("2.5000", "USD", 9)
    # Somebody who saw no limit does not overwrite it.
    answer = boss.post(address, {**wanted, "budget": "7"})
    assert answer.status_code == 409
    assert "Stands now" in answer.content.decode()
    ask(run, an_endpoint(server), ["a"])
    page = boss.get(address).content.decode()
    assert "0.003" in page
    seen = limit.at.isoformat()
    # What was spent was spent in that currency.
    answer = boss.post(address, {**wanted, "currency": "EUR", "seen": seen})
    assert answer.status_code == 422
    assert boss.post(address, {**wanted, "budget": "3", "seen": seen}).status_code == 302
    assert Event.objects.filter(verb="limit_set", project=run.project).count() == 2
