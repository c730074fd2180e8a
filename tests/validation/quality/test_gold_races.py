"""Gold questions and two workers at once: whoever waits for a copy's row holds none that another worker waits for."""

import threading
from collections.abc import Iterable

import pytest
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.database import seconds_from_now
from tests import review
from tests.quality import lead_of
from tests.race import MEET_SECONDS, run_at_once
from tests.validation.quality.test_gold import with_gold
from tests.validation.quality.test_shares import works
from validation.people.actions import annotator_remove
from validation.quality.models import GoldQuestion
from validation.voting.actions import decide
from validation.voting.actions.decide import decide_due
from validation.voting.actions.exclusions import close_gold_copies
from validation.voting.actions.voids import votes_void
from validation.voting.models.vote import Vote


@pytest.mark.django_db
def test_what_a_removed_voter_answered_to_gold_questions_is_not_decided_anew() -> None:
    at = with_gold(3)
    person = at.validators[2]
    works(person)
    copies = Vote.objects.filter(annotator=person, item__gold_question__isnull=False)
    answered = copies.count()
    assert answered
    review.decide()
    annotator_remove(project=at.project, annotator_id=person.pk, by=lead_of(at), void=True)
    assert not Item.objects.filter(gold_question__isnull=False, due_at__isnull=False).exists()
    assert copies.filter(withdrawn_at=None).count() == answered
    assert not Vote.objects.filter(annotator=person, item__project=at.project, withdrawn_at=None).exists()
    at.sound()


@pytest.mark.django_db(transaction=True)
def test_two_workers_part_from_each_others_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has locked its batch, in which items are voted on anew that are asked as gold questions, before either goes
    on to their copies. Copies that are due are in no batch: the other worker would wait for them."""
    at = with_gold()
    votes_void(annotator=at.validators[0], by=lead_of(at), reason="odd")
    sources = list(
        Item.objects.filter(project=at.project, due_at__isnull=False, asked_as_gold__isnull=False).order_by("pk")
    )
    assert len(sources) == 4
    Item.objects.filter(due_at__isnull=False).update(due_at=None)
    first, second = [Item.objects.get(gold_question__of_item=source) for source in (sources[1], sources[0])]
    for place, item in enumerate((second, sources[1], first, sources[0], *sources[2:])):
        Item.objects.filter(pk=item.pk).update(due_at=seconds_from_now(place - 60))
    barrier, met = threading.Barrier(2), []

    def parted(items: Iterable[int]) -> None:
        met.append(barrier.wait(MEET_SECONDS))
        close_gold_copies(items)

    monkeypatch.setattr(decide, "close_gold_copies", parted)
    done = run_at_once([lambda: decide_due(limit=2)] * 2)
    assert (done, sorted(met)) == ([2, 2], [0, 1])
    assert not Item.objects.filter(pk__in=[item.pk for item in sources], due_at__lte=Now()).exists()
    copies = Item.objects.filter(pk__in=GoldQuestion.objects.values("item"))
    assert set(copies.values_list("slots_free", flat=True)) == {0}
