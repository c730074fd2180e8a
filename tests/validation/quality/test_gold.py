"""Gold questions on PostgreSQL: no card tells that it is one, and nothing but people's figures counts them."""

from collections.abc import Callable

import pytest
from django.test import Client

from annotation.content.models.item import Item, Revision
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory, review
from tests.pay import a_rate, entries
from tests.quality import cast_first_votes, lead_of, user_of
from tests.validation.quality.test_shares import claim, works
from validation import integrity
from validation.people.queries import personal_data_of, votes_as_seen, votes_of
from validation.quality import queries
from validation.quality.actions.gold import (
    gold_add,
    gold_add_unanimous,
    gold_watch,
    pause_decide,
    standings_watch,
)
from validation.quality.models import GoldQuestion, GoldStanding, Pause
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_take_back
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def with_gold(sets: int = 1, **settings: object) -> review.World:
    """A world whose first four items are settled by the first two validators, and asked of others as gold."""
    at = review.world(sets, settings={"spacing": 0, "gold_questions": True, **settings})
    cast_first_votes(at)
    Assignment.objects.filter(state="open").update(state="expired")
    for item in Item.objects.filter(project=at.project, stage="settled"):
        gold_add(project=at.project, item_id=item.pk, accepted=[item.gold], by=lead_of(at))
    return at


def is_gold(assignment: Assignment) -> bool:
    return GoldQuestion.objects.filter(item=assignment.item_id).exists()


def test_they_come_among_the_first_cards_and_never_twice_to_one_person() -> None:
    at = with_gold(3)
    for person in at.validators[2:4]:
        works(person)
    for person in at.validators[2:4]:
        votes = Vote.objects.filter(annotator=person).order_by("pk")
        gold = [vote.item.project_id != at.project.pk for vote in votes]
        assert gold.count(True) >= 1
        assert len({vote.item.key for vote in votes}) == len(votes)
    # Who voted on them as ordinary cards is never asked again, and a text is shown to as many as any other at most.
    for question in GoldQuestion.objects.all():
        asked = set(Vote.objects.filter(item=question.item).values_list("annotator", flat=True))
        before = set(Vote.objects.filter(item=question.of_item).values_list("annotator", flat=True))
        assert not asked & before
        assert len(asked | before) <= 4
    at.sound()


def test_nothing_counts_them_but_peoples_figures() -> None:
    # Cards enough for the first gold question to come, wherever it is drawn among the first ones.
    at = with_gold(2)
    a_rate(at.project)
    before = list(Item.objects.filter(project=at.project).values())
    person = at.validators[2]
    held = claim(person)
    while held is not None and not is_gold(held):
        held = review.cast_vote(held, "e") and claim(person)  # type: ignore[assignment]
    assert held is not None
    review.decide()
    items = list(Item.objects.filter(project=at.project).order_by("pk").values("pk", "stage", "gold", "votes_n"))
    vote = review.cast_vote(held, "e")
    decide_due()
    after = list(Item.objects.filter(project=at.project).order_by("pk").values("pk", "stage", "gold", "votes_n"))
    assert items == after
    assert len(before) == len(after)
    assert not Vote.objects.filter(project=at.project, pk=vote.pk).exists()
    assert not Vote.objects.filter(item__project=at.project, pk=vote.pk).exists()
    # To their own eyes it is like any other: in the record, the data, what is paid, and what can be taken back.
    own = [each.project for each in votes_as_seen(votes_of(user_of(person)))]
    assert set(own) == {at.project}
    data = personal_data_of(user_of(person))["projects"]
    assert len(data[0]["votes"]) == Vote.objects.filter(annotator=person).count()
    assert sum(entry.units for entry in entries(at.project, person)) == len(own)
    again = vote_take_back(annotator=Annotator.objects.get(pk=person.pk))
    assert again is not None
    assert again.item_id == held.item_id
    assert list(integrity.run()) == []


def answers(at: review.World, person: Annotator, right: list[bool]) -> None:
    """Answers to gold questions, of questions made for it."""
    keeper = Project.objects.get(kept_for=at.project)
    first = GoldQuestion.objects.order_by("pk")[0]
    for n, is_right in enumerate(right, Vote.objects.filter(annotator=person).count() + 1):
        source = Item.objects.get(pk=first.of_item_id)
        source.pk, source.key = None, f"source-{person.pk}-{n}"
        source.save(force_insert=True)
        copy = Item.objects.get(pk=first.item_id)
        copy.pk, copy.key, copy.author_id, copy.votes_n = None, source.key, None, 1
        copy.save(force_insert=True)
        GoldQuestion.objects.create(project=at.project, item=copy, of_item=source, epoch=1, accepted=["e"], most=1)
        Vote.objects.create(
            project=keeper,
            item=copy,
            annotator=person,
            n=1,
            epoch=1,
            round=1,
            revision_n=1,
            label="e" if is_right else "n",
            unsure=False,
            ambiguous=False,
        )


def test_figures_of_whole_fives_a_note_and_a_pause_that_a_lead_ends() -> None:
    at = with_gold()
    careful, noted, random = at.validators[2:5]
    answers(at, careful, [True] * 9)
    answers(at, noted, [True, True, True, False, False])
    answers(at, random, [False] * 5)
    standings_watch(at.project)
    found = {row.annotator_id: (row.right, row.answered) for row in GoldStanding.objects.all()}
    assert found == {careful.pk: (5, 5), noted.pk: (3, 5), random.pk: (0, 5)}
    assert Annotator.objects.filter(paused_at__isnull=False).get() == random
    assert (Pause.objects.get().right, Pause.objects.get().answered) == (0, 5)
    # Nothing else happened to them: the votes stand.
    assert Vote.objects.filter(annotator=random, withdrawn_at=None).count() == 5
    pause_decide(annotator=random, decision="go_on", words="we talked", by=lead_of(at))
    standings_watch(at.project)
    assert not Annotator.objects.filter(paused_at__isnull=False).exists()
    answers(at, random, [False] * 5)
    standings_watch(at.project)
    assert Annotator.objects.filter(paused_at__isnull=False).get() == random
    sums = queries.gold_sums(at.project)
    assert (sums["people"], sums["answers"], sums["right"], sums["pauses"]) == (3, 20, 8, 2)


def test_worn_doubtful_and_changed_questions_are_taken_out() -> None:
    at = with_gold()
    worn, doubtful, changed, kept = GoldQuestion.objects.order_by("pk")
    for question, labels in ((worn, "eee"), (doubtful, "nne")):
        for n, (person, label) in enumerate(zip(at.validators[3:6], labels, strict=True), 1):
            Vote.objects.create(
                project=question.item.project,
                item=question.item,
                annotator=person,
                n=n,
                epoch=1,
                round=1,
                revision_n=1,
                label=question.accepted[0] if label == "e" else "x",
                unsure=False,
                ambiguous=False,
            )
    Item.objects.filter(pk=changed.of_item_id).update(epoch=2)
    gold_watch()
    why = dict(GoldQuestion.objects.values_list("pk", "retired_why"))
    assert why == {worn.pk: "team", doubtful.pk: "missed", changed.pk: "changed", kept.pk: ""}
    assert set(Item.objects.filter(gold_question__retired_at__isnull=False).values_list("slots_free", flat=True)) == {0}


def refused(act: Callable[[], object]) -> str:
    with pytest.raises((Conflict, Invalid)) as found:
        act()
    return found.value.code


def test_what_cannot_be_a_gold_question() -> None:
    at = with_gold()
    by = lead_of(at)
    items = list(Item.objects.filter(project=at.project).order_by("pk"))

    def add(item: Item, accepted: list[str]) -> str:
        return refused(lambda: gold_add(project=at.project, item_id=item.pk, accepted=accepted, by=by))

    assert add(items[0], ["e"]) == "gold_already"
    assert add(items[5], ["e"]) == "gold_voted_on"
    assert add(items[5], []) == "gold_labels_wrong"
    assert add(items[5], ["x"]) == "gold_labels_wrong"
    review.cast_votes(at, items[5], "eenn")
    assert add(items[5], ["e"]) == "gold_shown_enough"


def test_unanimous_items_are_drawn() -> None:
    at = review.world(settings={"spacing": 0, "gold_questions": True})
    cast_first_votes(at)
    assert gold_add_unanimous(project=at.project, count=3, by=lead_of(at)) == 3
    assert gold_add_unanimous(project=at.project, count=3, by=lead_of(at)) == 1
    for question in GoldQuestion.objects.select_related("of_item"):
        assert question.accepted == [question.of_item.gold]
        shown = Revision.objects.get(item=question.item).content
        assert shown == Revision.objects.get(item=question.of_item).content


def test_nobody_finds_the_project_that_keeps_them() -> None:
    at = with_gold()
    keeper = Project.objects.get(kept_for=at.project)
    boss = factory.user(administrator=True)
    client = Client()
    client.force_login(boss)
    assert client.get(f"/p/{keeper.slug}/").status_code == 404
    assert client.get(f"/api/v1/projects/{keeper.slug}").status_code == 404
    assert keeper.slug not in client.get("/").content.decode()
    assert keeper.slug not in client.get("/api/v1/projects").content.decode()
