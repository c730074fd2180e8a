"""A project run whole under two-agree-audit in a browser: the protocol is set, people vote with gold questions among
their cards, the bound is on the project page while they do, and a release is frozen that verifies from its files alone.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation.content.models.item import Hypothesis, Item
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.releases.models import Release
from tests import factory, review
from tests.flows.steps import token, wait_for_another_card, wait_until_done
from tests.quality import lead_of
from tests.wait import wait_until
from validation.consensus import audit
from validation.quality.actions.gold import gold_add, gold_watch
from validation.quality.models import GoldQuestion
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
RULES = {"rounds": "1, 1, 1, 1", "alpha": "0.05", "planned": "18", "batch": "6", "panel": "0.2"}


def test_from_the_protocol_to_a_release(page_of: Callable[..., Page], tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    at = review.world(4, opened=False, settings={"spacing": 0, "gold_questions": True})
    written_for = asked_as_gold(at)
    boss = page_of(factory.user(administrator=True))
    register(boss, at)
    review.decide()
    base = f"/p/{at.project.slug}/"
    gold = vote(page_of(at.validators[0].user), base)
    assert gold >= 2
    assert Vote.objects.filter(item__gold_question__isnull=False).count() == gold
    review.decide()
    gold_watch()
    for person in at.validators[1:]:
        for item in Item.objects.filter(project=at.project, stage="voting", slots_free__gt=0):
            review.cast_vote(review.assign(item, person), item.author_label)
        review.decide()
    boss.goto(base)
    expect(boss.locator("main")).to_contain_text("Stopping at two, with audits")
    expect(boss.locator("main")).to_contain_text("upper bound (95 percent)")
    boss.goto(f"{base}releases/new/")
    boss.get_by_label("Freeze it without a licence").check()
    boss.get_by_role("button", name="Freeze this release").click()
    wait_until(lambda: Job.objects.filter(state=Job.State.QUEUED).exists(), what="the release")
    jobs.run_here(Job.objects.get(state=Job.State.QUEUED))
    folder = tmp_path / "data" / Release.objects.get().path
    call_command("verify_release", str(folder))
    call_command("verify_release", str(folder), "--files-only")
    told = json.loads((folder / "manifest.json").read_text())["counts"]["arose"]
    assert sum(told["stop_reasons"].values()) == 18
    assert set(told["stop_reasons"]) <= set(audit.ROUTES)
    assert told["audits"]["2"]["seen"] == 18
    assert told["audits"]["2"]["seed"]
    assert told["audits"]["2"]["bound95"] > 0
    # Gold questions are told of in sums of five people, and stand in no file.
    assert told["work"] == {"gold_questions": None}
    lines = (folder / "votes.jsonl").read_text().splitlines()
    assert len(lines) == Vote.objects.filter(item__project=at.project).count()
    for item in Item.objects.filter(key__startswith="p4-"):
        of_premise(item.pk, written_for)
    at.sound()


def asked_as_gold(at: review.World) -> int:
    """The last set is not voted on: its items are asked as gold questions, each the only one of its premise. The
    premise that they were written for."""
    last = list(Item.objects.filter(project=at.project).order_by("-pk")[:6])
    own = Hypothesis.objects.get(item=last[0]).premise_id
    for item, premise in zip(last, factory.premises(at.project, 6, start=900), strict=True):
        of_premise(item.pk, premise.pk)
        Item.objects.filter(pk=item.pk).update(sampled=False, due_at=None)
        gold_add(project=at.project, item_id=item.pk, accepted=[item.author_label], by=lead_of(at))
    return own


def of_premise(item: int, premise: int) -> None:
    Hypothesis.objects.filter(item=item).update(premise=premise)
    Item.objects.filter(pk=item).update(family=premise)


def register(boss: Page, at: review.World) -> None:
    """The administrator sets the protocol before the first vote: version 2, sealed with its hash."""
    boss.goto(f"/p/{at.project.slug}/settings/")
    for name, said in RULES.items():
        field = boss.locator(f"#id_protocol-{name}")
        folded = boss.locator(f"details:not([open]):has(#id_protocol-{name})")
        if folded.count():
            folded.first.locator("summary").first.click()
        field.fill(said)
    boss.get_by_role("button", name="Make a new version").click()
    wait_until_done(boss, "The protocol has a new version.")
    version = at.project.protocols.order_by("-n")[0]
    assert version.digest
    assert version.rules["commitment"]


def vote(page: Page, base: str) -> int:
    """One person answers all cards: as the writer but for each fifth, by pointer, sent by keys; how many of them were
    gold questions, which look like the others."""
    page.goto(f"{base}vote/")
    n = gold = 0
    while card := token(page):
        item = Assignment.objects.get(token=card).item
        known = GoldQuestion.objects.filter(item=item).first()
        own = known.accepted[0] if known else item.author_label
        label = review.WRONG[own] if n % 5 == 4 else own
        gold += known is not None
        page.locator(f"#card [name='label'][value='{label}']").check(force=True)
        page.keyboard.press("Control+Enter")
        wait_for_another_card(page, card)
        n += 1
    assert n - gold == 18
    return gold
