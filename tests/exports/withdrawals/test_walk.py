"""A person with three months of pay withdraws and is deleted: ledger, release and pages, over HTTP alone."""

import csv
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client
from django.urls import reverse

from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.pay.models import LedgerEntry, Rate
from annotation.pay.queries import today
from exports.releases.models import Release
from exports.releases.verify import verify
from tests import factory
from tests.api import script
from tests.exports.public.test_public import SAID, closed
from tests.exports.world import Staged, build, files, folder, freeze
from tests.pay import a_rate, browser_of
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
BECAUSE = "One annotator withdrew their consent on 3 March."


class Walk:
    """A closed project with a public release, and somebody who voted in three months: two of them are approved."""

    def __init__(self) -> None:
        cache.clear()
        self.made: Staged = closed(slug="own", seed="a-seed-that-nobody-guesses")
        self.boss: User = factory.user(administrator=True)
        self.ana: Annotator = self.made.at.validators[0]
        a_rate(self.made.project, "vote", "1.5")
        Rate.objects.update(at=F("at") - timedelta(days=100))
        votes = list(Vote.objects.filter(annotator=self.ana).order_by("pk"))
        for n, vote in enumerate(votes):
            Vote.objects.filter(pk=vote.pk).update(cast_at=F("cast_at") - timedelta(days=30 * (n % 3)))
        self.votes, self.admin = len(votes), browser_of(self.boss)
        for days in (60, 30):
            end = (today() - timedelta(days=days)).isoformat()
            self.admin.post(self.url("pay_approve"), {"end": end, "person": self.ana.pseudonym})
        self.release = build(freeze(self.made, dev_percent="0"))
        assert self.admin.post(self.url("publication", 1), SAID).status_code == 302

    def url(self, name: str, *more: object) -> str:
        return reverse(name, args=["own", *more])

    def ledger(self) -> list[dict[str, str]]:
        """The ledger of all days as the page gives it."""
        span = {"start": (today() - timedelta(days=100)).isoformat(), "end": today().isoformat()}
        answer: Any = self.admin.get(self.url("pay_csv", "ledger"), span)
        return list(csv.DictReader(StringIO(answer.getvalue().decode("utf-8-sig"))))


def test_a_person_with_three_months_of_pay_withdraws_and_is_deleted() -> None:
    at = Walk()
    stored = list(Vote.objects.order_by("pk").values())
    assert len(LedgerEntry.objects.filter(annotator=at.ana)) < at.votes
    _withdraw_and_delete(at)
    _approve_what_waited(at)
    new = _replace(at)
    _old_pages_say_so(at, new)
    assert list(Vote.objects.order_by("pk").values()) == stored
    assert verify(folder(new)).right
    assert verify(folder(at.release)).right
    assert at.ana.pseudonym in b"".join(files(at.release).values()).decode()
    assert at.ana.pseudonym not in b"".join(files(new).values()).decode()


def _withdraw_and_delete(at: Walk) -> None:
    """She reads what it means, says that she read it, leaves, and asks for her pay when she deletes the account."""
    browser, address = browser_of(at.ana), at.url("my_withdrawal")
    assert address in browser.get(at.url("my_about")).text
    page = browser.get(address).text
    for words in (f"Votes: {at.votes}.", "Releases with your work: 1.", "not approved", "stays yours"):
        assert words in page
    assert browser.post(address).status_code == 422
    assert not at.made.project.withdrawals.exists()
    assert browser.post(address, {"sure": "yes"}).status_code == 302
    assert "You withdrew your consent" in browser.get(address).text
    sent = {"password": factory.PASSWORD}
    assert browser.post(reverse("my_deletion"), sent).status_code == 409
    assert browser.post(reverse("my_deletion"), {**sent, "pay": "approve"}).status_code == 302
    assert User.objects.get(memberships=at.ana).deleted_at is not None


def _approve_what_waited(at: Walk) -> None:
    """Her row says that the account is deleted; what waited can be approved; the ledger has all three months."""
    assert "account deleted" in at.admin.get(at.url("pay")).text
    sent = {"end": today().isoformat(), "person": at.ana.pseudonym}
    assert at.admin.post(at.url("pay_approve"), sent).status_code == 302
    lines = [line for line in at.ledger() if line["person"] == at.ana.pseudonym]
    assert len(lines) == at.votes == LedgerEntry.objects.filter(annotator=at.ana).count()
    assert {line["account"] for line in lines} == {"deleted"}
    assert len({line["approved_until"] for line in lines}) == 3
    span = {"start": "2000-01-01", "end": today().isoformat()}
    told = script(at.boss).get("projects/own/pay:export", span)
    assert told.getvalue().decode().count('"account":"deleted"') == at.votes


def _replace(at: Walk) -> Release:
    """It is counted and explained before it is confirmed; the old files go from the public page."""
    address = at.url("release_replace", 1)
    assert at.ana.pseudonym in at.admin.get(address).text
    lead = browser_of(at.made.at.lead)
    assert lead.get(address).status_code == 403
    sent = {"kind": "withdrawal", "people": at.ana.pseudonym, "reason": BECAUSE, "withdraw_files": "on"}
    counted = at.admin.post(address, sent)
    assert counted.status_code == 200
    assert f"Votes left out: {at.votes}." in counted.text
    assert "cannot be taken back from here" in counted.text
    assert Release.objects.count() == 1
    assert at.admin.post(address, {**sent, "people": "W77", "confirm": "yes"}).status_code == 422
    assert at.admin.post(address, {**sent, "confirm": "yes"})["Location"] == at.url("release", 2)
    new = Release.objects.get(n=2)
    assert new.job is not None
    assert jobs.run_here(new.job).state == Job.State.DONE
    assert at.admin.post(address, {**sent, "confirm": "yes"}).status_code == 409
    new.refresh_from_db()
    return new


def _old_pages_say_so(at: Walk, new: Release) -> None:
    """Own page, public page, the page about the project and the API say by which version, when and why."""
    public = at.url("public_release", 1)
    own = (at.url("release", 1), at.url("publication", 1), at.url("about"))
    for page in [*(at.admin.get(address) for address in own), Client().get(public)]:
        assert "Replaced by version 2 on" in page.text
        assert "withdrawal of consent" in page.text
        assert BECAUSE in page.text
    assert "replaced by 2" in at.admin.get(at.url("releases")).text
    assert "It replaces version 1" in at.admin.get(at.url("release", 2)).text
    file = Client().get(at.url("public_file", 1, "README.md"))
    assert file.status_code == 410
    assert "The files of this version were withdrawn" in file.text
    assert at.url("public_file", 1, "README.md") not in Client().get(public).text
    row = script(at.boss).get("projects/own/releases/1").json()
    assert (row["replaced"]["n"], row["replaced"]["kind"], row["replaced"]["reason"]) == (2, "withdrawal", BECAUSE)
    assert row["replaces"] is None
    assert script(at.boss).get("projects/own/releases/2").json()["replaces"]["n"] == 1
    listed = {
        row["n"]: row["replaced"] and row["replaced"]["n"] for row in script(at.boss).pages("projects/own/releases")
    }
    assert listed == {1: 2, 2: None}
    (withdrawn,) = script(at.boss).pages("projects/own/withdrawals")
    assert withdrawn["person"] == at.ana.pseudonym
    with pytest.raises(CommandError, match="was replaced by 2"):
        call_command("push_release", "own", "1", "team/own", "--dry-run")
    assert at.admin.post(at.url("publication", 2), SAID).status_code == 302
    assert at.url("public_release", 2) in Client().get(public).text
    assert BECAUSE in Client().get(at.url("public_release", 2)).text
    cited = Client().get(at.url("public_citation", 1, "datacite.json")).json()
    assert cited["relatedIdentifiers"][0]["relationType"] == "IsObsoletedBy"
