"""Pay: each finished action earns once, by the rate in force; nothing is ever changed, only taken back."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import actions
from annotation.errors import Conflict, Invalid
from annotation.models import Annotator, Item, LedgerEntry, Project, Rate, Share
from annotation.rules.pay import FIELD, ITEM, SENTENCE, SET
from tests import factory
from tests.pay import a_rate, an_administrator, ledger, rates
from tests.prompts import a_prompt_project
from tests.questions import a_question_project
from tests.translations import (
    a_share,
    a_source_set,
    a_translation,
    a_translation_project,
    lane_of,
    member,
    pair_rows,
    translated,
)
from validation import actions as judged
from validation.actions import Ballot
from validation.models import Vote

pytestmark = pytest.mark.django_db


def claim(person: Annotator) -> str:
    seat = judged.seat_claim(annotator=person, lane=person.project.lanes.order_by("pk")[0], spacing=0)
    assert seat is not None
    return seat.token


def cast(person: Annotator, token: str, label: str = "e") -> Vote:
    assert person.user_id is not None
    ballot = Ballot(label)
    done = judged.vote_cast(user_id=person.user_id, slug=person.project.slug, token=token, ballot=ballot)
    return done.vote


def opened(project: Project, sets: int = 1) -> Annotator:
    """A validator who may vote on what was written."""
    factory.written(project, factory.member(project, "writer"), sets)
    while judged.decide_due():
        pass
    return factory.member(project, "validator")


def test_a_set_and_a_vote_earn_once() -> None:
    project = factory.project()
    a_rate(project, "write", "6.00")
    a_rate(project, "vote", "0.30")
    person = opened(project)
    token = claim(person)
    cast(person, token)
    cast(person, token)
    assert ledger(project) == [
        ("write", "set", 1, Decimal("6.0000"), "USD"),
        ("vote", "vote", 1, Decimal("0.3000"), "USD"),
    ]
    share = Share.objects.get(project=project)
    writer = share.writer
    actions.set_submit(writer=writer, token=share.token, slots=factory.full_set(project))
    assert len(ledger(project)) == 2
