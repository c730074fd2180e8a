"""Who took part in making or reviewing a prompt is never offered one of its family, whatever comes first."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from annotation.content.models.item import Item
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.elicitation.actions import no_part_sign
from annotation.elicitation.models import Remark, SecondLook, Session, Suggestion
from tests import factory
from tests.prompts import a_prompt, a_prompt_project, a_prompt_share, a_variation
from tests.race import run_at_once
from tests.shared_worlds import SharedWorlds
from validation import integrity
from validation.imports.rules.outputs import OutputRow
from validation.studies.actions.studies import study_create
from validation.studies.types.rating import TYPE
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast, vote_take_back
from validation.voting.contributors import CONTRIBUTION_TABLES, contributors_of, is_contributor
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote

HTMX = {"HX-Request": "true"}
ROUNDS = 30
Part = Callable[[Item, Annotator], object]


def settle() -> None:
    while decide_due():
        pass


class World:
    """Two families: one of two prompts, one of a single prompt that nobody here has to do with."""

    def __init__(self) -> None:
        self.project = a_prompt_project(settings={"spacing": 0})
        self.writer = factory.member(self.project, "writer")
        self.first = a_prompt(self.project, self.writer, n=1)
        self.second = a_variation(self.project, self.writer, self.first, "Saya sedang puasa.")
        self.other = a_prompt(self.project, factory.member(self.project, "writer"), n=2)
        assert self.first.family == self.second.family != self.other.family
        settle()
        # Who writes and validates: what they had no part in is theirs to judge.
        self.person = factory.member(self.project, "writer", "validator")


@pytest.fixture
def world(standing: SharedWorlds) -> World:
    return standing(World)


def claim(person: Annotator) -> Assignment | None:
    return assignment_claim(annotator=person, target=person.project.targets.get(), spacing=0)


def held(person: Annotator) -> Assignment:
    assignment = claim(person)
    assert assignment is not None
    return assignment


def cast(person: Annotator, token: str, label: str = "R2") -> Vote:
    assert person.user_id is not None
    ballot = Ballot(label)
    return vote_cast(user_id=person.user_id, slug=person.project.slug, token=token, ballot=ballot).vote


# --- what is a part ------------------------------------------------------------------------


def suggests(item: Item, person: Annotator) -> Suggestion:
    session, _ = Session.objects.get_or_create(
        project=item.project, purpose="elicitation", name="s", held_on="2026-01-01"
    )
    return Suggestion.objects.create(
        project=item.project, session=session, item=item, form="reword", revision_n=1, by=person
    )


def remarks(item: Item, person: Annotator) -> None:
    made = suggests(item, factory.member(item.project, "writer"))
    Remark.objects.create(project=item.project, suggestion=made, by=person, text="Ya.")


def looks(item: Item, person: Annotator) -> None:
    SecondLook.objects.create(project=item.project, item=item, annotator=person, revision_n=1)


def accepted(item: Item, person: Annotator) -> None:
    Proposal.objects.create(
        project=item.project,
        item=item,
        by=person,
        field="option-I1",
        text="x",
        revision_n=1,
        state="accepted",
        decided_at=now(),
    )


def rates(item: Item, person: Annotator) -> None:
    """An output for the prompt is before them, in a study."""
    outputs = [OutputRow(1, item.key, "m", "x")]
    sent = {"outputs": outputs, "sample": 1, "criteria": ""}
    by = factory.user(administrator=True)
    study = study_create(kind=TYPE, project=item.project, slug="rated", by=by, sent=sent)
    place = factory.member(study.project, "validator", account=person.user)
    shown = study.project.items.get()
    Assignment.objects.create(
        project=study.project,
        target=shown.target,
        item=shown,
        annotator=place,
        epoch=1,
        round=1,
        revision_n=1,
        token="t",
    )


def varies(item: Item, person: Annotator) -> None:
    a_variation(item.project, person, item, "Saya baru pindah ke sini.")


def begins_to_vary(item: Item, person: Annotator) -> None:
    a_prompt_share(item.qa.concept, person, origin=item)


def corrects(item: Item, person: Annotator) -> None:
    first = item.revisions.get(n=1)
    first.pk, first.n, first.version, first.by = None, 2, 2, person
    first.save()


PARTS: list[Part] = [suggests, remarks, looks, accepted, rates, varies, begins_to_vary, corrects]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("of", ["first", "second"])
def test_a_part_in_one_prompt_bars_from_its_family(world: World, part: Part, of: str) -> None:
    part(getattr(world, of), world.person)
    settle()
    assert is_contributor(world.project.pk, world.first.family, world.person.pk)
    assert (world.first.family, world.person.pk) in contributors_of(
        world.project.pk, {world.first.family, world.other.family}
    )
    assignment = held(world.person)
    assert assignment.item_id == world.other.pk
    cast(world.person, assignment.token)
    assert claim(world.person) is None
    barred = Assignment.objects.filter(annotator=world.person, state="barred")
    assert {world.first.pk, world.second.pk} <= set(barred.values_list("item", flat=True))


def test_without_a_part_everything_is_offered(world: World) -> None:
    stranger = factory.member(world.project, "validator")
    given = set()
    for _ in range(3):
        assignment = claim(stranger)
        assert assignment is not None
        given.add(cast(stranger, assignment.token).item_id)
    assert given == {world.first.pk, world.second.pk, world.other.pk}


def test_a_proposal_that_was_not_accepted_is_no_part(world: World) -> None:
    accepted(world.first, world.person)
    Proposal.objects.update(state="declined")
    assert not is_contributor(world.project.pk, world.first.family, world.person.pk)


def test_who_may_read_every_prompt_is_given_none(world: World) -> None:
    Annotator.objects.filter(pk=world.person.pk).update(is_reviewer=True)
    assert claim(world.person) is None
    other = factory.member(world.project, "writer", "validator")
    assert claim(other) is not None
    Session.objects.create(project=world.project, purpose="review", name="r", held_on="2026-01-01")
    assert claim(other) is None
    # The assignment that they held is free for somebody else.
    stranger = factory.member(world.project, "validator")
    assert claim(stranger) is not None
    assert list(integrity.run(project=world.project)) == []


def test_another_projects_people_and_families_are_no_matter(world: World) -> None:
    other = a_prompt_project()
    mine = a_prompt(other, factory.member(other, "writer"), n=1)
    Item.objects.filter(pk=mine.pk).update(family=world.first.family)
    assert contributors_of(world.project.pk, {world.first.family}) == {(world.first.family, world.writer.pk)}


def test_a_prompt_that_joins_the_family_bars_who_took_part_before(world: World) -> None:
    suggests(world.first, world.person)
    joined = a_variation(world.project, world.writer, world.first, "Saya alergi udang.")
    settle()
    assert Assignment.objects.get(item=joined, annotator=world.person).state == "barred"


@pytest.mark.django_db
def test_opening_many_families_takes_as_many_statements_as_one() -> None:
    counts = []
    for prompts in (1, 8):
        project = a_prompt_project()
        for n in range(prompts):
            item = a_prompt(project, factory.member(project, "writer"), n=n)
            suggests(item, factory.member(project, "writer"))
        with CaptureQueriesContext(connection) as said:
            decide_due()
        counts.append(len(said))
    assert counts[0] == counts[1]


def test_every_place_is_known_to_the_tests() -> None:
    """A new place to look at needs a part above, or its own test."""
    assert len(CONTRIBUTION_TABLES) == len({*CONTRIBUTION_TABLES}) == 12


# --- a part that is taken while one sits ------------------------------------------------


def assigned(world: World) -> Assignment:
    """The person sits at a prompt of the family."""
    Item.objects.filter(pk=world.other.pk).update(slots_free=0, pending=0)
    assignment = held(world.person)
    Item.objects.filter(pk=world.other.pk).update(slots_free=3, pending=3)
    return assignment


def test_a_variation_handed_in_while_sitting_ends_the_assignment(world: World, client: Client) -> None:
    assignment = assigned(world)
    free = Item.objects.get(pk=assignment.item_id).slots_free
    varies(world.first, world.person)
    assert world.person.user is not None
    client.force_login(world.person.user)
    answer = client.post(
        f"/p/{world.project.slug}/vote/{assignment.token}/",
        {"label": "A", "comment": "kata saya"},
        headers=HTMX,
    )
    assert answer.status_code == 409
    assert not Vote.objects.exists()
    assignment.refresh_from_db()
    assert assignment.state == "barred"
    assert Item.objects.get(pk=assignment.item_id).slots_free == free + 1
    assert answer.context["kept"].comment == "kata saya"
    following = Assignment.objects.get(token=answer.context["card"].token)
    assert following.item_id == world.other.pk
    settle()
    assert list(integrity.run(project=world.project)) == []


def test_the_card_is_gone_when_the_page_is_looked_at_again(world: World) -> None:
    assignment = assigned(world)
    begins_to_vary(world.second, world.person)
    again = held(world.person)
    assert again.item_id == world.other.pk
    assignment.refresh_from_db()
    assert assignment.state == "barred"


def test_a_vote_from_before_stands(world: World) -> None:
    vote = cast(world.person, assigned(world).token)
    varies(world.first, world.person)
    settle()
    vote.refresh_from_db()
    assert vote.withdrawn_at is None
    assert held(world.person).item_id == world.other.pk


def test_a_vote_taken_back_is_not_given_again_by_who_took_part_since(world: World) -> None:
    cast(world.person, assigned(world).token)
    varies(world.first, world.person)
    assignment = vote_take_back(annotator=world.person)
    assert assignment is not None
    with pytest.raises(Conflict) as refused:
        cast(world.person, assignment.token)
    assert refused.value.code == "took_part"
    settle()
    assert list(integrity.run(project=world.project)) == []


def test_a_new_epoch_is_not_offered_to_who_took_part_since(world: World) -> None:
    vote = cast(world.person, assigned(world).token)
    varies(world.first, world.person)
    settle()
    Item.objects.filter(pk=vote.item_id).update(epoch=2, slots_free=3, pending=3)
    assignment = held(world.person)
    assert assignment.item_id == world.other.pk
    assert Assignment.objects.get(item=vote.item_id, annotator=world.person).state == "barred"


@pytest.mark.timeout(600)
@pytest.mark.django_db(transaction=True)
def test_voting_and_taking_part_at_the_same_instant() -> None:
    """Either the vote was first and stands, or it is refused and the assignment is given back; nothing in between."""
    for part, _ in zip(itertools.cycle([varies, suggests, begins_to_vary]), range(ROUNDS), strict=False):
        world = World()
        assignment = assigned(world)
        results: list[Any] = run_at_once(
            [
                partial(cast, world.person, assignment.token),
                partial(part, Item.objects.get(pk=world.first.pk), world.person),
            ]
        )
        assert not isinstance(results[1], Exception), results
        voted = Vote.objects.filter(annotator=world.person).exists()
        if not voted:
            assert isinstance(results[0], Conflict)
            assert results[0].code == "took_part"
        assignment.refresh_from_db()
        assert assignment.state == ("done" if voted else "barred")
        settle()
        assert held(world.person).item_id == world.other.pk
        assert list(integrity.run(project=world.project)) == []


@pytest.mark.django_db(transaction=True)
def test_sitting_down_and_taking_part_at_the_same_instant() -> None:
    """Whatever came first, what they hold is not voted on."""
    for number, part in zip(range(ROUNDS // 2), itertools.cycle([suggests, begins_to_vary]), strict=False):
        world = World()
        Item.objects.filter(pk=world.other.pk).update(slots_free=0, pending=0)
        found: list[Any] = run_at_once([partial(claim, world.person), partial(part, world.first, world.person)])
        assert not isinstance(found[1], Exception), (number, found)
        if found[0] is not None:
            with pytest.raises(Conflict) as refused:
                cast(world.person, found[0].token)
            assert refused.value.code == "took_part"
        assert claim(world.person) is None
        assert not Vote.objects.filter(annotator=world.person).exists()
        Item.objects.filter(pk=world.other.pk).update(slots_free=3, pending=3)
        assert list(integrity.run(project=world.project)) == []


def test_who_signed_and_took_part_all_the_same_is_kept_out(world: World) -> None:
    person = factory.member(world.project, "validator")
    no_part_sign(annotator=person)
    suggests(world.first, person)
    assert held(person).item_id == world.other.pk
