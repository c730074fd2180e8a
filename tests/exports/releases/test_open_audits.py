"""Audits without an outcome: shown apart from the decided ones, and no release while one waits for votes."""

from dataclasses import replace

import pytest

from annotation.api.views import READ
from annotation.content.models.item import Item
from annotation.core.errors import Conflict
from exports.releases.verify import verify
from tests import factory
from tests.api import script
from tests.exports.releases.test_arising import OTHER, RULES
from tests.exports.world import build, folder, freeze, manifest
from tests.review import cast_votes, world
from tests.targets import browser_of
from validation.consensus import audit
from validation.voting.actions.steps import exclude

pytestmark = pytest.mark.django_db


def test_nothing_is_released_while_audits_are_open() -> None:
    """All first votes agree and nobody else has voted: each audit may still find another gold."""
    at = world(2, protocol=replace(RULES, panel=0.0), settings={"spacing": 0})
    for item in at.items:
        cast_votes(at, item, item.author_label)
    audited = [item for item in at.items if Item.objects.get(pk=item.pk).route == audit.AUDITED]
    assert len(audited) > 1
    boss = browser_of(factory.user(administrator=True))
    admin = factory.user(administrator=True)
    (figures,) = script(admin, READ).pages(f"projects/{at.project.slug}/audits")
    boss = browser_of(admin)
    assert (figures["audited"], figures["decided"], figures["open"]) == (len(audited), 0, len(audited))
    assert figures["bound95"] is None
    assert "There is no bound while audits are open" in boss.get(f"/p/{at.project.slug}/").content.decode()
    page = f"/p/{at.project.slug}/releases/new/"
    assert f"{len(audited)} audits are open" in boss.get(page).content.decode()
    assert "Freeze this release" not in boss.get(page).content.decode()
    sent = {"preset": "indonli-expert", "no_gold": "test", "confirm-shared": "yes", "confirm-licence": "yes"}
    assert boss.post(page, sent).status_code == 409
    with pytest.raises(Conflict, match=f"{len(audited)} audits of {at.project.slug} are open") as refused:
        freeze(at, "indonli-expert", no_gold="test")
    assert refused.value.code == "release_audits_open"
    # One changes the gold, one is taken out of voting, the others are decided as before.
    first, second, *others = (Item.objects.get(pk=item.pk) for item in audited)
    cast_votes(at, first, OTHER[first.author_label] * 3)
    exclude(lead=at.lead, item_id=second.pk, version=second.version, words="Off topic.")
    for item in others:
        while (item := Item.objects.get(pk=item.pk)).stage == "voting":
            cast_votes(at, item, item.author_label)
    release = build(freeze(at, "indonli-expert", no_gold="test"))
    told = manifest(release)["counts"]["arose"]["audits"]["1"]
    assert (told["audited"], told["decided"], told["open"]) == (len(audited), len(audited) - 1, 1)
    assert (told["changed"], told["bound95"]) == (1, None)
    card = (folder(release) / "README.md").read_text()
    assert f"{len(audited) - 1} are decided, 1 of them with another gold; 1 have no outcome" in card
    assert verify(folder(release)).right
