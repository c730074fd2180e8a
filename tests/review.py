"""Items in every stage, brought there as people bring them, for the tests of the review desk and of integrity."""

import secrets
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.database import seconds_from_now
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import SlotIn
from tests import factory
from validation import integrity
from validation.review.actions.decisions import adjudicate, return_item
from validation.review.actions.decisions import approve as review_approve
from validation.review.actions.writers import resubmit as review_resubmit
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.steps import exclude
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

WRONG = {"e": "n", "n": "c", "c": "e"}


@dataclass
class World:
    """A project with a writer, two leads and six validators."""

    project: Project
    writer: Annotator
    lead: Annotator
    other_lead: Annotator
    validators: list[Annotator]
    items: list[Item]

    def item(self, label: str = "e") -> Item:
        """The first pair with this author label, as it stands now."""
        return Item.objects.filter(project=self.project, author_label=label).order_by("pk")[0]

    def sound(self) -> None:
        """Nothing about the project is other than it must be."""
        decide()
        assert list(integrity.run(project=self.project)) == []


def world(sets: int = 1, *, opened: bool = True, **project: Any) -> World:
    made = factory.project(**project)
    writer = factory.member(made, "writer")
    items = factory.written_pairs(made, writer, sets)
    if opened:
        decide()
    return World(
        made,
        writer,
        factory.member(made, "lead"),
        factory.member(made, "lead"),
        [factory.member(made, "validator") for _ in range(6)],
        items,
    )


def decide() -> None:
    while decide_due():
        pass


def assign(item: Item, person: Annotator) -> Assignment:
    """Sit down at this very item, as the queue would have it."""
    with transaction.atomic():
        taken = Item.objects.filter(pk=item.pk, slots_free__gt=0).update(
            slots_free=F("slots_free") - 1, opened_at=Now()
        )
        assert taken, "the item has no free slot"
        item.refresh_from_db()
        assignment, _ = Assignment.objects.update_or_create(
            item=item,
            annotator=person,
            defaults={
                "project_id": item.project_id,
                "target_id": item.target_id,
                "author_id": item.author_id,
                "epoch": item.epoch,
                "round": item.round,
                "revision_n": item.revision_n,
                "state": Assignment.State.OPEN,
                "token": secrets.token_urlsafe(18),
                # Their assignment was just made: what they vote is too fast on any machine.
                "opened_at": seconds_from_now(600),
                "until": seconds_from_now(1800),
            },
        )
    return assignment


def cast_vote(assignment: Assignment, label: str, **more: Any) -> Vote:
    person = assignment.annotator
    assert person.user_id is not None
    ballot = Ballot(label=label, **more)
    slug = person.project.slug
    return vote_cast(user_id=person.user_id, slug=slug, token=assignment.token, ballot=ballot).vote


def cast_votes(at: World, item: Item, labels: str, **more: Any) -> Item:
    """Cast these labels in order, each by a validator who has not voted on the item in this epoch."""
    for label in labels:
        item.refresh_from_db()
        had = Assignment.objects.filter(item=item, epoch=item.epoch).exclude(state="expired").values("annotator")
        person = next(who for who in at.validators if who.pk not in {row["annotator"] for row in had})
        cast_vote(assign(item, person), label, **more)
        decide()
    item.refresh_from_db()
    return item


def approve(at: World, item: Item, meaning: str = "") -> Item:
    return review_approve(lead=at.lead, item_id=item.pk, version=item.version, meaning=meaning)


def give_back(at: World, item: Item, *, lead: Annotator | None = None) -> Item:
    return return_item(
        lead=lead or at.lead,
        item_id=item.pk,
        version=item.version,
        error_type="language",
        words="Please look at the verb.",
    )


def resubmit(at: World, item: Item, text: str = "Mangga dijual di pasar pada pagi hari.", words: str = "") -> Item:
    return review_resubmit(writer=at.writer, item_id=item.pk, version=item.version, content=SlotIn(text), words=words)


def item_at_stage(at: World, stage: str, *, in_validation: bool = True) -> Item:
    """A pair that people brought to this stage; outside validation it was never opened (see `world`)."""
    item = at.item("e")
    if stage in ("written", "submitted"):
        return item
    if stage == "voting":
        return cast_votes(at, item, "n")
    if stage == "settled":
        return cast_votes(at, item, "ee")
    if stage == "no_consensus":
        return cast_votes(at, item, "nccn")
    if stage == "adjudicated":
        item = cast_votes(at, item, "nccn")
        return adjudicate(lead=at.lead, item_id=item.pk, version=item.version, label="c", words="It rules it out.")
    if in_validation:
        item = cast_votes(at, item, "ee")
    if stage == "excluded":
        return exclude(lead=at.lead, item_id=item.pk, version=item.version, words="Off topic.")
    item = give_back(at, item)
    return resubmit(at, item) if stage == "corrected" else item


def world_with_item_at(stage: str) -> tuple[World, Item]:
    """A world with an item that people brought to this stage: whole, as tests may share it."""
    in_validation = stage not in ("written", "submitted")
    at = world(opened=in_validation, settings={"check_first": stage == "submitted"})
    return at, item_at_stage(at, stage)
