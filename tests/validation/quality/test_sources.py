"""Whether the source of a card tells a gold question: an attacker who remembers the premise of every card."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import comb

import pytest

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory, review
from tests.quality import lead_of, user_of
from tests.validation.quality.test_shares import claim
from validation.quality import queries
from validation.quality.actions.gold import gold_add, gold_add_unanimous
from validation.quality.models import GoldQuestion
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@dataclass
class Cards:
    """What one person was given, in order: the source of each card, and whether it was a gold question."""

    sources: list[int]
    gold: list[bool]


def cards_of(person: Annotator) -> Cards:
    rows = Vote.objects.filter(annotator=person).order_by("pk").values_list("item__family", "item__project")
    return Cards([family for family, _ in rows], [project != person.project_id for _, project in rows])


def work(at: review.World, people: list[Annotator], cards: int) -> None:
    """Everybody in turn answers a card, as the author meant it, and what is due is decided."""
    for _ in range(cards):
        for person in people:
            held = claim(person)
            if held is None:
                continue
            slug, label = person.project.slug, held.item.author_label or held.item.gold_question.accepted[0]
            vote_cast(user_id=user_of(person).pk, slug=slug, token=held.token, ballot=Ballot(label=label))
        review.decide()


def drawn(sets: int) -> review.World:
    """A project in which everything is drawn alike each time."""
    at = review.world(sets, opened=False, settings={"spacing": 0, "gold_questions": True}, seed="sources")
    Project.objects.filter(pk=at.project.pk).update(secret="0" * 64)
    at.project.refresh_from_db()
    review.decide()
    return at


def test_by_its_premise_nobody_knows_a_gold_question_better_than_by_chance() -> None:
    """Twelve premises; gold questions are drawn once some pairs settled, and asked among the others of the premises."""
    at = drawn(12)
    work(at, at.validators, 6)
    assert gold_add_unanimous(project=at.project, count=12, by=lead_of(at)) > 4
    work(at, at.validators, 20)
    signs: dict[str, list[bool]] = defaultdict(list)
    for cards in map(cards_of, at.validators):
        times = Counter(cards.sources)
        for n, (source, gold) in enumerate(zip(cards.sources, cards.gold, strict=True)):
            signs["any"].append(gold)
            if source in cards.sources[:n]:
                signs["met before"].append(gold)
            if times[source] == 1:
                signs["comes once"].append(gold)
    counts = {sign: (sum(is_gold), len(is_gold)) for sign, is_gold in signs.items()}
    (total, cards_n), (before, before_n), (once, once_n) = counts["any"], counts["met before"], counts["comes once"]
    assert total >= 12, counts
    # Sources come back all the time, and what comes back is none; what does not is one as often as by chance.
    assert (before, before_n > cards_n / 3) == (0, True), counts
    assert by_chance(once, once_n, total / cards_n) > 0.05, counts
    assert total - once > total / 2, counts


def by_chance(hits: int, of: int, share: float) -> float:
    """How probable so many or more are, where each is one with this share."""
    return sum(comb(of, n) * share**n * (1 - share) ** (of - n) for n in range(hits, of + 1))


def gold_of(at: review.World) -> tuple[GoldQuestion, list[Item]]:
    """A gold question that the first two validators settled, and the other pairs of its premise, which wait."""
    first, *others = at.items[:6]
    review.cast_votes(at, first, first.author_label * 2)
    return gold_add(project=at.project, item_id=first.pk, accepted=["e"], by=lead_of(at)), others


def items_given_to(person: Annotator, most: int = 8) -> set[int]:
    """The items of all cards that this person is given."""
    for _ in range(most):
        if (held := claim(person)) is None:
            break
        slug = person.project.slug
        vote_cast(user_id=user_of(person).pk, slug=slug, token=held.token, ballot=Ballot(label="n"))
    return set(Vote.objects.filter(annotator=person).values_list("item", flat=True))


WAYS = ("voted", "passed", "left lying", "wrote", "was given it to write", "saw it in a quiz", "another gold question")


@pytest.mark.parametrize("way", ["", *WAYS])
def test_who_met_its_source_is_never_asked_it(way: str) -> None:
    """Also who met it after it was chosen; whoever did not meet it is asked."""
    # Drawn alike each time: a gold question can come behind a card of its source, and then it is rightly not asked.
    at = drawn(2)
    question, others = gold_of(at)
    person, other = at.validators[4], others[0]
    if way in ("voted", "passed", "left lying", "saw it in a quiz"):
        held = review.assign(other, person)
        state = {"voted": "done", "passed": "skipped", "left lying": "expired"}.get(way, "barred")
        Assignment.objects.filter(pk=held.pk).update(state=state)
    if way == "wrote":
        Item.objects.filter(pk=other.pk).update(author=person)
    if way == "was given it to write":
        Allocation.objects.filter(premise=question.of_item.family).update(writer=person, state="skipped")
    if way == "another gold question":
        review.cast_votes(at, other, other.author_label * 2)
        second = gold_add(project=at.project, item_id=other.pk, accepted=["e"], by=lead_of(at))
        bar = {"project": second.item.project, "target": second.item.target, "annotator": person, "epoch": 1}
        Assignment.objects.create(item=second.item, round=1, revision_n=1, state="done", token="t", **bar)
        Item.objects.filter(pk=second.item_id).update(slots_free=0)
    assert (question.item_id in items_given_to(person)) == (not way)


def test_they_are_drawn_of_many_sources_first_where_most_waits() -> None:
    at = review.world(3, settings={"spacing": 0, "gold_questions": True})
    for item in [*at.items[:3], *at.items[6:8], at.items[12]]:
        review.cast_votes(at, item, item.author_label * 2)
    assert gold_add_unanimous(project=at.project, count=4, by=lead_of(at)) == 4
    drawn_sources = list(GoldQuestion.objects.order_by("pk").values_list("of_item__family", flat=True))
    first, second, third = (at.items[n].family for n in (0, 6, 12))
    assert drawn_sources == [third, second, first, second]


def test_it_rests_while_its_source_would_not_come_back() -> None:
    at = drawn(2)
    question, others = gold_of(at)
    pks = [item.pk for item in others]
    waiting = dict(Item.objects.filter(pk__in=pks).values_list("pk", "slots_free"))
    Item.objects.filter(pk__in=pks).update(slots_free=0)
    assert [row["rests"] for row in queries.gold_questions(at.project)] == [True]
    assert queries.gold_share(at.project)["left"] == 0
    assert gold_add_unanimous(project=at.project, count=5, by=lead_of(at)) == 0
    assert question.item_id not in items_given_to(at.validators[4])
    Item.objects.filter(pk=pks[-1]).update(slots_free=waiting[pks[-1]])
    assert [row["rests"] for row in queries.gold_questions(at.project)] == [False]
    assert queries.gold_share(at.project)["left"] == question.most
    factory.written_pairs(at.project, at.writer)
    review.decide()
    assert question.item_id in items_given_to(at.validators[5])
