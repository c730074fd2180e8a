"""Two at once: a lead who settles and a vote that arrives, two leads, a premise and its pairs (F25)."""

from functools import partial
from typing import Any

import pytest

from annotation.core.errors import Conflict
from tests.race import run_at_once
from tests.review import World, assign, cast_vote, cast_votes, world
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import adjudicate, return_item
from validation.voting.actions.steps import exclude
from validation.voting.models.review import Review
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)


def refused(came: Any) -> bool:
    if isinstance(came, Exception) and not isinstance(came, Conflict):
        raise came
    return isinstance(came, Conflict)


ROUNDS = 12


@pytest.mark.parametrize("act", ["adjudicate", "return", "new"])
def test_a_lead_and_the_deciding_vote_at_once(act: str) -> None:
    at = world(sets=ROUNDS // 6)
    wins = 0
    for item in at.items:
        cast_votes(at, item, "n" if item.author_label == "e" else "e")
        item.refresh_from_db()
        assignment = assign(item, at.validators[3])
        item.refresh_from_db()

        def lead(item: Any = item) -> Any:
            arguments = {"lead": at.lead, "item_id": item.pk, "version": item.version}
            if act == "adjudicate":
                return adjudicate(**arguments, label="c", words="Plain.")
            if act == "return":
                return return_item(**arguments, error_type="other", words="Look again.")
            text = "Ini kalimat yang lain sama sekali."
            return correct(**arguments, field="hypothesis", text=text, meaning="new")

        by_lead, by_voter = run_at_once([lead, partial(cast_vote, assignment, "e")])
        assert not refused(by_lead)  # votes alone make no form stale
        late = refused(by_voter)
        wins += late
        count = Vote.objects.filter(item=item).count()
        assert count == (1 if late else 2)
        item.refresh_from_db()
        wanted = {"adjudicate": "adjudicated", "return": "returned", "new": "voting"}[act]
        assert (item.stage, item.pending, item.slots_free) == (wanted, 0, 0)
    at.sound()


def test_two_leads_at_once_one_acts() -> None:
    at = world()
    for item in at.items:
        cast_votes(at, item, item.author_label * 2)
        item.refresh_from_db()
        no = partial(exclude, item_id=item.pk, version=item.version, words="No.")
        came = run_at_once([partial(no, lead=at.lead), partial(no, lead=at.other_lead)])
        assert sorted(map(refused, came)) == [False, True]
        assert Review.objects.filter(item=item).count() == 1
    at.sound()


def premise_correction(at: World, item: Any, number: int) -> Any:
    return correct(
        lead=at.lead,
        item_id=item.pk,
        version=item.version,
        field="premise",
        text=f"Pedagang menjual {number} mangga di pasar.",
        meaning="same",
    )


def test_a_premise_and_one_of_its_pairs_at_once() -> None:
    at = world(sets=4)
    for number, item in enumerate(at.items[::6]):
        other = at.items[6 * number + 3]
        item.refresh_from_db()
        other.refresh_from_db()
        no = partial(exclude, item_id=other.pk, version=other.version, words="No.")
        by_premise, by_pair = run_at_once(
            [partial(premise_correction, at, item, number), partial(no, lead=at.other_lead)]
        )
        assert not refused(by_premise)
        refused(by_pair)
    at.sound()


def test_a_premise_and_votes_on_its_pairs_at_once() -> None:
    at = world()
    assignments = [assign(item, person) for item, person in zip(at.items, at.validators, strict=True)]
    item = at.items[0]
    item.refresh_from_db()
    ballots = [partial(cast_vote, assignment, "e") for assignment in assignments]
    came = run_at_once([partial(premise_correction, at, item, 7), *ballots])
    assert not any(map(refused, came))
    assert Vote.objects.filter(item__project=at.project).count() == 6
    at.sound()
