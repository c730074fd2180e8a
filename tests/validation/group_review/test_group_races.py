"""Two at once in group review: one decision a proposal, contexts of a family, a lead who excludes."""

from functools import partial
from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.content.queries import current_content
from annotation.core.errors import Conflict
from tests.group import World, build, parts, refusals_in
from tests.race import run_at_once
from validation.group_review import actions as group
from validation.voting.actions.steps import exclude

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("rival", ["accept", "decline", "back"])
def test_only_one_thing_becomes_of_a_proposal(rival: str) -> None:
    at = build()
    for n in range(4):
        made = at.suggest("split" if n % 2 else "reword", **_typed(at, n))
        second: Any = {
            "accept": partial(at.accept, made, at.other_lead),
            "decline": partial(at.decline, made, at.other_lead),
            "back": partial(group.take_back, by=at.reviewer, session_id=at.session.pk, suggestion_id=made.pk),
        }[rival]
        before = at.item.revisions.count()
        came = run_at_once([partial(at.accept, made), second])
        assert refusals_in(came) == [(Conflict, "suggestion_over")]
        made.refresh_from_db()
        assert made.state != "open"
        assert at.item.revisions.count() == before + (made.state == "accepted")
    at.sound()


def _typed(at: World, n: int) -> dict[str, str]:
    first = parts(Item.objects.get(pk=at.item.pk), instruction=f"Apa yang ke-{n}?")
    second = {f"second-{part}": text for part, text in {**first, "instruction": f"Siapa ke-{n}?"}.items()}
    return {**first, **second} if n % 2 else {"instruction": first["instruction"]}


def test_a_context_changed_from_both_ends_at_once_waits_for_nobody_in_a_circle() -> None:
    at = build()
    for n in range(4):
        one = at.suggest("reword", context=f"Kenduri ke-{n}.")
        two = at.suggest("reword", at.varied, context=f"Selamatan ke-{n}.")
        came = run_at_once([partial(at.accept, one), partial(at.accept, two, at.other_lead)])
        assert set(refusals_in(came)) <= {(Conflict, "suggestion_stale")}
        contexts = {current_content(item)["context"] for item in at.project.items.filter(family=at.item.family)}
        assert len(contexts) == 1
    at.sound()


def test_a_lead_who_excludes_and_one_who_accepts_at_once() -> None:
    at = build()
    made = at.suggest("reword", context="Kenduri besar.")
    no = partial(exclude, lead=at.other_lead, item_id=at.item.pk, version=1, words="No.")
    came = run_at_once([partial(at.accept, made), no])
    assert refusals_in(came) in ([(Conflict, "suggestion_left_out")], [(Conflict, "stale")])
    at.sound()
