"""Audits without an outcome: shown apart from the decided ones, and a release with some has to be confirmed."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import ceil, exp, log
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now

from annotation.api.views import READ, RELEASE
from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from exports.releases.preview import confirmations_of, preview
from exports.releases.rules.settings import default_rules, layout_of
from exports.releases.verify import verify
from tests import factory
from tests.api import script
from tests.exports.releases.test_arising import OTHER, RULES
from tests.exports.world import build, folder, freeze, manifest
from tests.review import World, cast_votes, world
from tests.targets import browser_of
from validation.consensus import audit
from validation.voting.actions.steps import exclude
from validation.voting.models.stopping import StopStep

pytestmark = pytest.mark.django_db


def bound_of_open(at: World, changed: Sequence[Item] = ()) -> float:
    """The bound in items, of the formula: those without an outcome count as the changed ones do."""
    least = max(0.05, 1 - exp(-log(20) / (0.8 * 0.01 * RULES.planned)))
    lam, outcomes = -0.8 * log(1 - least), dict[int, StopStep]()
    for step in StopStep.objects.filter(protocol__project=at.project, route=audit.AUDITED).order_by("n"):
        outcomes[step.item_id] = step
    counted = [
        step.q or 1
        for step in outcomes.values()
        if step.changed is None or step.item_id in {item.pk for item in changed}
    ]
    return (log(20) - sum(log((1 - (1 - q) * exp(lam)) / q) for q in counted)) / lam


def voted_once() -> tuple[World, list[Item]]:
    """A project in which every item's first voter agreed with the writer: some are audited and some stopped.

    Who is drawn follows from the project's secret; where chance audits all of them there is nothing to release.
    """
    for _ in range(20):
        at = world(2, protocol=replace(RULES, panel=0.0), settings={"spacing": 0})
        for item in at.items:
            cast_votes(at, item, item.author_label)
        routes = dict(Item.objects.filter(project=at.project).values_list("pk", "route"))
        audited = [item for item in at.items if routes[item.pk] == audit.AUDITED]
        if len(audited) > 1 and audit.TWO_AGREE in routes.values():
            return at, audited
    pytest.fail("Twenty projects in a row were audited whole.")


def test_agreements_that_wait_have_to_be_confirmed_without_any_open_audit() -> None:
    """Too few people vote, so that nothing is drawn."""
    at = world(2, protocol=replace(RULES, panel=0.0), settings={"spacing": 0})
    Annotator.objects.filter(pk__in=[person.pk for person in at.validators[3:]]).update(left_at=Now())
    for item in at.items:
        cast_votes(at, item, item.author_label)
    found = confirmations_of(
        [(at.project, preview(at.project, default_rules(layout_of(at.project.kind_spec.shape), "indonli-expert")))]
    )
    assert [(each.n, each.held) for each in found.open_audits] == [(0, len(at.items))]
    assert found.needs_confirmation(shared=True, licence=True, audits=False)


def test_a_release_with_open_audits_is_confirmed_and_says_so(tmp_path: Path) -> None:
    """All first votes agree and nobody else has voted: each audit may still find another gold."""
    at, audited = voted_once()
    admin = factory.user(administrator=True)
    (figures,) = script(admin, READ).pages(f"projects/{at.project.slug}/audits")
    boss = browser_of(admin)
    assert (figures["audited"], figures["decided"], figures["open"]) == (len(audited), 0, len(audited))
    assert figures["bound95"] == pytest.approx(bound_of_open(at), abs=0.001)
    assert "The bound counts open audits as changed" in boss.get(f"/p/{at.project.slug}/").content.decode()
    page = f"/p/{at.project.slug}/releases/new/"
    held = figures["held"]
    assert held
    shown = boss.get(page).content.decode()
    assert f"{len(audited)} audits are open" in shown
    assert re.search(rf"{held} agreements? waits? for the draw", shown)
    sent = {"preset": "indonli-expert", "no_gold": "test", "confirm-shared": "yes", "confirm-licence": "yes"}
    assert boss.post(page, sent).status_code == 422
    api, rules = script(admin, READ, RELEASE), {"preset": "indonli-expert", "no_gold": "test"}
    asks = api.post(f"projects/{at.project.slug}/releases:preview", {"rules": rules}).json()["asks"]
    assert "confirm_audits" in asks
    confirmed = dict.fromkeys(set(asks) - {"confirm_audits"}, True)
    refused = api.post(f"projects/{at.project.slug}/releases", {"rules": rules, **confirmed})
    assert (refused.status_code, refused.json()["field"]) == (400, "confirm_audits")
    with pytest.raises(
        CommandError, match=f"{len(audited)} audits are open.* {held} agreements wait .* or say --open-audits"
    ):
        call_command("build_release", at.project.slug, out=str(tmp_path / "no"), no_licence=True, allow_shared=True)
    assert boss.post(page, {**sent, "confirm-audits": "yes"}).status_code == 302
    early = build(at.project.releases.get())
    told = manifest(early)["counts"]["arose"]["audits"]["1"]
    assert (told["decided"], told["open"], told["bound95"]) == (0, len(audited), figures["bound95"])
    card = (folder(early) / "README.md").read_text()
    most = min(ceil(figures["bound95"]), figures["agreed"])
    assert f"{most} of {figures['agreed']} agreements, with those that have no outcome counted as changed" in card
    agreement = manifest(early)["counts"]["arose"]["agreement"]
    assert (agreement["alpha"], agreement["audits_with_second_vote"], agreement["agreements_held"]) == (None, 0, held)
    assert f"{held} agreements waited for the draw of their audit" in card
    assert verify(folder(early)).right
    # One changes the gold, one is taken out of voting, the others are decided as before.
    first, second = (Item.objects.get(pk=item.pk) for item in audited[:2])
    assert Item.objects.filter(project=at.project, route=audit.HELD).exists()
    cast_votes(at, first, OTHER[first.author_label] * 3)
    exclude(lead=at.lead, item_id=second.pk, version=second.version, words="Off topic.")
    while waiting := list(Item.objects.filter(project=at.project, slots_free__gt=0)):
        for item in waiting:
            cast_votes(at, item, item.author_label)
    drawn = Item.objects.filter(project=at.project, route=audit.AUDITED).count()
    release = build(freeze(at, "indonli-expert", no_gold="test"))
    told = manifest(release)["counts"]["arose"]["audits"]["1"]
    assert (told["audited"], told["decided"], told["open"]) == (drawn, drawn - 1, 1)
    assert (told["changed"], told["bound95"]) == (1, pytest.approx(bound_of_open(at, changed=[first]), abs=0.001))
    card = (folder(release) / "README.md").read_text()
    assert f"{drawn - 1} are decided, 1 of them with another gold; 1 have no outcome" in card
    assert verify(folder(release)).right
