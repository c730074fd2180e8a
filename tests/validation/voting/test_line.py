"""The line without pages: written, opened, voted on, decided; the rules of rounds against PostgreSQL."""

import pytest

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from validation.voting.actions.assignments import assignment_claim, assignments_expire
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast, vote_take_back
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag
from validation.voting.models.vote import Verdict, Vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return factory.project()


def opened(project: Project, sets: int = 1) -> list[Item]:
    writer = factory.member(project, "writer")
    items = factory.written_pairs(project, writer, sets)
    while decide_due():
        pass
    return items


def cast(person: Annotator, label: str, **more: object) -> Vote:
    target = person.project.targets.get()
    assignment = assignment_claim(annotator=person, target=target, spacing=0)
    assert assignment is not None
    ballot = Ballot(label=label, **more)  # type: ignore[arg-type]
    assert person.user_id is not None
    slug = person.project.slug
    return vote_cast(user_id=person.user_id, slug=slug, token=assignment.token, ballot=ballot).vote


def only(project: Project, items: list[Item]) -> Item:
    """Leave one item in the queue."""
    keep = items[0]
    Item.objects.filter(project=project).exclude(pk=keep.pk).update(slots_free=0, pending=0)
    return keep


@pytest.mark.parametrize(
    ("author", "votes", "stage", "gold", "rounds"),
    [
        ("e", "ee", "settled", "e", 1),
        ("e", "ene", "settled", "e", 2),
        ("e", "nnn", "settled", "n", 2),
        ("e", "ncc", "voting", "", 3),
        ("e", "nccc", "settled", "c", 3),
        ("e", "nccn", "no_consensus", "", 3),
    ],
)
def test_rounds(project: Project, author: str, votes: str, stage: str, gold: str, rounds: int) -> None:
    item = only(project, [item for item in opened(project) if item.author_label == author])
    for label in votes:
        cast(factory.member(project, "validator"), label)
        decide_due()
    item.refresh_from_db()
    assert (item.stage, item.gold, item.round) == (stage, gold, rounds)
    assert item.pending == item.slots_free == (1 if stage == "voting" else 0)
    assert Flag.objects.filter(item=item, code="no_consensus").exists() == (stage == "no_consensus")


def test_events_number_every_step(project: Project) -> None:
    item = only(project, opened(project))
    wrong = "n" if item.author_label != "n" else "e"
    for label in (item.author_label, wrong, item.author_label):
        cast(factory.member(project, "validator"), label)
        decide_due()
    verdicts = Verdict.objects.filter(item=item).order_by("version").values_list("version", "event", "asked")
    assert list(verdicts) == [(2, "open", 2), (3, "ask", 1), (4, "settle", 0)]


def test_nobody_is_offered_their_own_item_or_one_twice(project: Project) -> None:
    opened(project, sets=2)
    author = Annotator.objects.get(project=project, is_writer=True)
    Annotator.objects.filter(pk=author.pk).update(is_validator=True)
    author.refresh_from_db()
    target = project.targets.get()
    assert assignment_claim(annotator=author, target=target, spacing=0) is None
    person = factory.member(project, "validator")
    seen = [cast(person, "e").item_id for _ in range(12)]
    assert len(set(seen)) == 12
    assert assignment_claim(annotator=person, target=target, spacing=0) is None


def test_two_pairs_of_a_premise_are_kept_apart(project: Project) -> None:
    opened(project, sets=12)
    person = factory.member(project, "validator")
    target = project.targets.get()
    families = []
    for _ in range(30):
        assignment = assignment_claim(annotator=person, target=target, spacing=10)
        assert assignment is not None
        families.append(Item.objects.get(pk=assignment.item_id).family)
        assert person.user_id is not None
        vote_cast(user_id=person.user_id, slug=project.slug, token=assignment.token, ballot=Ballot("e"))
    for place, family in enumerate(families):
        assert family not in families[max(0, place - 10) : place]


def test_the_same_ballot_again_is_answered_and_another_is_refused(project: Project) -> None:
    opened(project)
    person = factory.member(project, "validator")
    assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
    assert assignment is not None
    assert person.user_id is not None
    first = vote_cast(user_id=person.user_id, slug=project.slug, token=assignment.token, ballot=Ballot("e"))
    again = vote_cast(user_id=person.user_id, slug=project.slug, token=assignment.token, ballot=Ballot("e"))
    assert not first.is_replay
    assert again.is_replay
    assert again.vote.pk == first.vote.pk
    with pytest.raises(Conflict) as refusal:
        vote_cast(user_id=person.user_id, slug=project.slug, token=assignment.token, ballot=Ballot("n"))
    assert refusal.value.code == "vote_differs"
    assert Vote.objects.filter(annotator=person).count() == 1


def test_a_token_of_somebody_else_is_not_found(project: Project) -> None:
    opened(project)
    person, other = factory.member(project, "validator"), factory.member(project, "validator")
    assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
    assert assignment is not None
    assert other.user_id is not None
    with pytest.raises(NotFound):
        vote_cast(user_id=other.user_id, slug=project.slug, token=assignment.token, ballot=Ballot("e"))


def test_a_late_vote_counts_while_its_slot_is_free(project: Project) -> None:
    item = only(project, opened(project))
    people = [factory.member(project, "validator") for _ in range(3)]
    target = project.targets.get()
    late = assignment_claim(annotator=people[0], target=target, spacing=0)
    assert late is not None
    Assignment.objects.filter(pk=late.pk).update(until="2020-01-01T00:00:00Z")
    assert assignments_expire() == 1
    cast(people[1], "e")
    assert people[0].user_id is not None
    vote_cast(user_id=people[0].user_id, slug=project.slug, token=late.token, ballot=Ballot("e"))
    item.refresh_from_db()
    assert (item.pending, item.slots_free, item.votes_n) == (0, 0, 2)


def test_a_late_vote_is_refused_when_the_slot_is_taken(project: Project) -> None:
    item = only(project, opened(project))
    people = [factory.member(project, "validator") for _ in range(3)]
    late = assignment_claim(annotator=people[0], target=project.targets.get(), spacing=0)
    assert late is not None
    Assignment.objects.filter(pk=late.pk).update(until="2020-01-01T00:00:00Z")
    assignments_expire()
    for person in people[1:]:
        cast(person, "e")
    assert people[0].user_id is not None
    with pytest.raises(Conflict):
        vote_cast(user_id=people[0].user_id, slug=project.slug, token=late.token, ballot=Ballot("e"))
    item.refresh_from_db()
    assert item.votes_n == 2


def test_taking_back_asks_again(project: Project) -> None:
    item = only(project, [item for item in opened(project) if item.author_label == "e"])
    people = [factory.member(project, "validator") for _ in range(2)]
    for person in people:
        cast(person, "e")
    decide_due()
    item.refresh_from_db()
    assert item.stage == "settled"
    assignment = vote_take_back(annotator=people[1])
    assert assignment is not None
    decide_due()
    item.refresh_from_db()
    assert (item.stage, item.gold, item.round, item.pending, item.slots_free) == ("voting", "", 1, 1, 0)
    assert people[1].user_id is not None
    vote_cast(user_id=people[1].user_id, slug=project.slug, token=assignment.token, ballot=Ballot("n"))
    decide_due()
    item.refresh_from_db()
    assert (item.stage, item.round, item.pending) == ("voting", 2, 1)
    assert list(Vote.objects.filter(item=item).order_by("n").values_list("label", "withdrawn_why")) == [
        ("e", ""),
        ("e", "taken_back"),
        ("n", ""),
    ]


def test_taking_back_while_the_next_round_is_held_keeps_that_assignment(project: Project) -> None:
    item = only(project, [item for item in opened(project) if item.author_label == "e"])
    people = [factory.member(project, "validator") for _ in range(3)]
    cast(people[0], "e")
    cast(people[1], "n")
    decide_due()
    held = assignment_claim(annotator=people[2], target=project.targets.get(), spacing=0)
    assert held is not None
    vote_take_back(annotator=people[1])
    decide_due()
    item.refresh_from_db()
    assert (item.round, item.pending, item.slots_free) == (1, 2, 0)
    states = dict(Assignment.objects.filter(item=item).values_list("annotator", "state"))
    assert states == {people[0].pk: "done", people[1].pk: "open", people[2].pk: "open"}
