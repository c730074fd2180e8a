"""The public page of a release: opened, read by everybody, silent on the rest; errors reported, answered; pushed."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.content.models.item import Item
from annotation.core.models.feed import FeedEvent
from annotation.core.models.user import User
from annotation.projects.actions.projects import project_close
from exports.public.actions import erratum_report
from exports.public.models import Erratum, Publication
from exports.releases.models import Release
from tests import factory, review
from tests.exports.releases.test_pages import client
from tests.exports.world import Staged, build, freeze, staged
from tests.hub_server import TOKEN, hub_server
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db
SAID = {
    "title": "Pasar",
    "creators": "Sartika, Ayu; 0000-0002-1825-0097\nTim",
    "publisher": "Lembaga",
    "year": "2026",
    "keywords": "nli, id",
    "public": "yes",
}


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    cache.clear()
    return standing(closed, slug="own", seed="a-seed-that-nobody-guesses")


def closed(**project: Any) -> Staged:
    """A world in which nobody votes any more."""
    made = staged(**project)
    project_close(project=made.project, by=None, closed=True)
    return made


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


def opened(made: Staged, boss: User, **rules: str) -> Release:
    release = build(freeze(made, dev_percent="0", **rules))
    answer = client(boss).post(reverse("publication", args=["own", release.n]), SAID)
    assert answer.status_code == 302, answer.content.decode()
    return release


def _email(member: Any) -> str:
    return str(member.user.email)


def data_of(release: Release, name: str) -> bytes:
    """A public file, as everybody gets it."""
    answer: Any = Client().get(page_of(release, "public_file", name))
    return b"".join(answer.streaming_content)


def page_of(release: Release, name: str = "public_release", *more: Any) -> str:
    return reverse(name, args=["own", release.n, *more])


def test_a_page_is_there_only_where_an_administrator_opened_it(made: Staged, boss: User) -> None:
    """Closed and missing releases answer alike; what the page says comes from the release's own files."""
    release = build(freeze(made, dev_percent="0"))
    address, change = page_of(release), page_of(release, "publication")
    everywhere = [
        address,
        page_of(release, "public_file", "README.md"),
        page_of(release, "public_citation", "citation.bib"),
    ]
    nowhere = Client().get(reverse("public_release", args=["nowhere", 1])).content
    for each in everywhere:
        assert Client().get(each).status_code == 404
    assert Client().get(address).content == nowhere
    assert Client().get(reverse("public_newest", args=["own"])).status_code == 404
    assert client(made.at.lead.user).post(change, SAID).status_code == 403
    assert client(boss).post(change, {**SAID, "creators": "A; 0000-0002-1825-0098"}).status_code == 422
    assert not Publication.objects.exists()
    assert client(boss).post(change, SAID).status_code == 302
    assert client(made.at.lead.user).get(change).status_code == 200
    shown = Client().get(address).content.decode()
    for words in (
        "Pasar",
        "Sartika, Ayu",
        "train.jsonl",
        "entailment",
        "@misc{sartika2026pasar",
        "How it was made",
    ):
        assert words in shown, words
    assert Client().get(reverse("public_newest", args=["own"])).headers["Location"] == address
    for hidden in ("/p/own/", _email(made.at.lead), made.at.lead.pseudonym, boss.email):
        assert hidden not in shown
    client(boss).post(change, {**SAID, "public": "no"})
    assert Client().get(address).content == nowhere


def test_votes_on_items_that_are_voted_on_are_not_shown_to_everybody(
    made: Staged, boss: User, capsys: pytest.CaptureFixture[str]
) -> None:
    release = build(freeze(made, dev_percent="0"))
    hidden = build(freeze(made, dev_percent="0", hidden_test="yes"))
    project_close(project=made.project, by=None, closed=False)
    waiting = review.cast_votes(made.at, made.items["3-e1"], "e")
    assert waiting.stage == "voting"
    # Of this one no vote was cast before the release was frozen, and of the others none is voted on, or may be.
    others = Item.objects.filter(project=made.project, stage__in=("voting", "returned", "corrected"))
    others.exclude(pk=waiting.pk).update(stage="settled")
    change = page_of(release, "publication")
    assert client(boss).post(change, SAID).status_code == 302
    client(boss).post(change, {**SAID, "public": "no"})
    later = build(freeze(made, dev_percent="0"))
    change = page_of(later, "publication")
    answer = client(boss).post(change, SAID)
    assert answer.status_code == 409
    assert "votes on items that are being voted on" in answer.content.decode()
    assert 'value="Pasar"' in answer.content.decode()
    assert not Publication.objects.filter(public=True).exists()
    pushed = ["push_release", "own", str(later.n), "team/pasar"]
    with pytest.raises(CommandError, match="close the project first, or push with --private"):
        call_command(*pushed)
    call_command(*pushed, "--dry-run")
    assert "votes.jsonl" in capsys.readouterr().out
    # Where answers are hidden, so are votes on what is in no split.
    assert client(boss).post(page_of(hidden, "publication"), SAID).status_code == 302
    project_close(project=made.project, by=None, closed=True)
    assert client(boss).post(change, SAID).status_code == 302
    # It can be described anew, until people vote again.
    assert client(boss).post(change, {**SAID, "year": "2025"}).status_code == 302
    project_close(project=made.project, by=None, closed=False)
    assert list(Publication.objects.filter(public=True).values_list("release", flat=True)) == [hidden.pk]
    assert client(boss).post(change, SAID).status_code == 409


def test_every_public_file_is_the_release_s_own_and_no_other_can_be_named(made: Staged, boss: User) -> None:
    """Hidden answers are not among them; a name leads nowhere but to the manifest's files."""
    release = opened(made, boss, hidden_test="yes")
    shown = Client().get(page_of(release)).content.decode()
    # The card names them, as the release's open files do; there is no way to them.
    assert "files/hidden/" not in shown
    for name in (
        "hidden/ids.jsonl",
        "hidden/test.jsonl",
        "../../manifest.json",
        "/etc/passwd",
        "nothing",
        "train.jsonl/",
    ):
        assert Client().get(page_of(release, "public_file", "x").replace("files/x", f"files/{name}")).status_code == 404
    answer: Any = Client().get(page_of(release, "public_file", "test.jsonl"))
    assert b"".join(answer.streaming_content)
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert all("label" not in json.loads(line) for line in data_of(release, "test.jsonl").splitlines())
    assert release.rules["seed"] not in shown


def test_it_is_cited_in_three_forms(made: Staged, boss: User) -> None:
    release = opened(made, boss)
    told = {form: Client().get(page_of(release, "public_citation", form)) for form in ("citation.bib", "CITATION.cff")}
    assert told["citation.bib"].content.startswith(b"@misc{")
    assert b'cff-version: "1.2.0"' in told["CITATION.cff"].content
    found = Client().get(page_of(release, "public_citation", "datacite.json")).json()
    assert (found["titles"], found["version"]) == ([{"title": "Pasar"}], str(release.n))
    assert found["url"].endswith(page_of(release))
    digest = release.manifest["manifest"]["sha256"]
    assert [each["alternateIdentifier"] for each in found["alternateIdentifiers"]] == [digest]
    for address in (page_of(release), f"/p/own/releases/{release.n}/"):
        assert f"--manifest-sha256 {digest}" in client(boss).get(address).content.decode()
    assert FeedEvent.objects.get(type="release.published").data == {"release": release.n, "manifest_sha256": digest}


def test_versions_tell_what_changed(made: Staged, boss: User) -> None:
    first = opened(made, boss)
    second = opened(made, boss, not_sampled="leave_out")
    shown = Client().get(page_of(second)).content.decode()
    assert "What changed" in shown
    assert page_of(first) in shown
    assert "What changed" not in Client().get(page_of(first)).content.decode()


# --- errors -------------------------------------------------------------------------------


def report(release: Release, visitor: Client, waits: int = 10, **given: str) -> Any:
    """Fill in the form as a person does, who reads for a while."""
    begun = timezone.now()
    with time_machine.travel(begun, tick=False):
        shown = visitor.get(page_of(release)).context["shown"]
    with time_machine.travel(begun + timedelta(seconds=waits), tick=False):
        told = {"item": "p1", "text": "Labelnya keliru.", "website": "", "shown": shown, **given}
        return visitor.post(page_of(release, "erratum_new"), told)


def test_an_error_is_reported_answered_and_shown(made: Staged, boss: User) -> None:
    """Without an account; shown only once a lead answered; what is hidden never is."""
    release = opened(made, boss)
    answer = report(release, Client(), text="Labelnya <b>keliru</b>. canary-report")
    assert answer.status_code == 302
    assert "Thank you" in Client().get(answer.url).content.decode()
    report(release, Client(), text="Labelnya <b>keliru</b>. canary-report")
    found = Erratum.objects.get()
    assert "canary-report" not in Client().get(page_of(release)).content.decode()
    done = page_of(release, "erratum_done", found.n)
    assert client(made.at.voters[0].user if hasattr(made.at, "voters") else factory.user()).post(done).status_code in (
        403,
        404,
    )
    lead = client(made.at.lead.user)
    assert "canary-report" in lead.get(page_of(release, "publication")).content.decode()
    assert "1 report" in lead.get(reverse("release", args=["own", release.n])).content.decode()
    refused = lead.post(done, {"answer": ""})
    # The page is open, and is shown as open: no button that says "Save" closes it.
    assert (refused.status_code, refused.context["public"]) == (422, True)
    assert lead.post(done, {"answer": "Benar; diperbaiki."}).status_code == 302
    shown = Client().get(page_of(release)).content.decode()
    assert "Labelnya &lt;b&gt;keliru&lt;/b&gt;. canary-report" in shown
    assert "Benar; diperbaiki." in shown
    assert _email(made.at.lead) not in shown
    lead.post(done, {"wish": "hide"})
    assert "canary-report" not in Client().get(page_of(release)).content.decode()


@pytest.mark.parametrize(
    ("given", "status", "stored"),
    [
        ({"website": "http://spam"}, 302, 0),
        ({"waits": 1}, 422, 0),
        ({"waits": 90_000}, 422, 0),
        ({"shown": "forged"}, 422, 0),
        ({"text": ""}, 422, 0),
        ({"text": "x" * 2001}, 422, 0),
        ({"text": "http://a http://b http://c"}, 422, 0),
        ({"text": "http://a http://b"}, 302, 1),
    ],
)
def test_what_machines_send_is_not_stored(
    given: dict[str, Any], status: int, stored: int, made: Staged, boss: User
) -> None:
    release = opened(made, boss)
    answer = report(release, Client(), **given)
    assert (answer.status_code, Erratum.objects.count()) == (status, stored)


def test_from_one_address_come_so_many_an_hour(made: Staged, boss: User) -> None:
    release, visitor = opened(made, boss), Client()
    answers = [report(release, visitor, text=f"Kesalahan {n}").status_code for n in range(6)]
    assert answers == [302] * 5 + [429]
    assert Erratum.objects.count() == 5


def test_no_more_are_taken_than_can_be_answered(made: Staged, boss: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exports.public.actions.MOST_OPEN_REPORTS", 2)
    release = opened(made, boss)
    for n in range(2):
        erratum_report(release=release, item="", text=f"Kesalahan {n}")
    answer = report(release, Client(), text="Satu lagi.")
    assert answer.status_code == 409
    assert "Satu lagi." in answer.content.decode()


# --- a hub --------------------------------------------------------------------------------


def push(release: Release, *more: str) -> str:
    out = StringIO()
    call_command("push_release", "own", str(release.n), "team/pasar", *more, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_release_is_pushed_file_by_file_as_it_is(
    made: Staged, boss: User, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Large files go beside the commit, in parts where the hub asks for it; the token goes to the hub alone."""
    release = opened(made, boss, hidden_test="yes", forms="parquet")
    with hub_server() as hub:
        settings.MUFAKAT_HUB_URL, settings.MUFAKAT_HUB_TOKEN = hub.url, TOKEN
        told = push(release, "--private")
        there = dict(hub.repositories["team/pasar"])
        push(release)
        assert hub.repositories["team/pasar"] == there
        tokens = {(path.split("/")[1], token) for _, path, token in hub.seen if token}
    assert "pushed: http://127.0.0.1" in told
    assert TOKEN not in told + caplog.text
    # Addresses of the store are signed: whoever reads them in a log could send files there.
    assert "/store/" not in caplog.text
    assert "/part/" not in caplog.text
    names = {name for name in release.manifest["files"] if not name.startswith("hidden/")} | {"manifest.json"}
    assert set(there) == names | {"CITATION.cff"}
    assert any(name.endswith(".parquet") for name in there)
    for name in names:
        assert there[name] == data_of(release, name)
    assert hub.private == {"team/pasar": True}
    assert tokens <= {(place, f"Bearer {TOKEN}") for place in ("api", "datasets", "verify")}


def test_what_a_hub_refuses_is_told_without_the_token(made: Staged, boss: User, settings: Any) -> None:
    release = opened(made, boss, forms="none")
    with hub_server() as hub:
        settings.MUFAKAT_HUB_URL, settings.MUFAKAT_HUB_TOKEN = hub.url, "wrong-token"
        with pytest.raises(CommandError, match="does not let this token") as wrong:
            push(release)
    assert "wrong-token" not in str(wrong.value)
    with pytest.raises(CommandError, match="cannot be reached"):
        push(release)
    settings.MUFAKAT_HUB_TOKEN = ""
    with pytest.raises(CommandError, match="HUB_TOKEN"):
        push(release)
    assert "README.md: " in push(release, "--dry-run")
