"""`Idempotency-Key` under races, crashes and time."""

from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError

from annotation.api.models import IdempotentAnswer
from annotation.core.database import seconds_from_now
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_create
from tests import factory
from tests.api import Script, assert_refused, script
from tests.race import run_at_once

BODY = {"slug": "pasar", "name": "Pasar", "preset": "indonli-lay"}
AT_ONCE = 100


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


@pytest.mark.django_db(transaction=True)
def test_a_hundred_at_once_are_one_effect() -> None:
    asking = script(factory.user(administrator=True))
    # Twenty threads send five each: a connection for each of a hundred would be more than the server has.
    calls = [lambda: [Script(asking.text).post("projects", BODY, Idempotency_Key="k") for _ in range(5)]] * 20
    answers = [answer for sent in run_at_once(calls) for answer in sent]
    assert len(answers) == AT_ONCE
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotent-Replayed" not in answer for answer in answers) == 1
    assert Project.objects.count() == IdempotentAnswer.objects.count() == 1


@pytest.mark.django_db
def test_what_broke_down_left_nothing_and_is_done_with_the_same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    asking = script(factory.user(administrator=True))

    def broken(**named: Any) -> Project:
        made = project_create(**named)
        raise OperationalError(f"the server went away after {made.slug}")

    monkeypatch.setattr("validation.overview.api.project_create", broken)
    answer = asking.post("projects", BODY, Idempotency_Key="k")
    assert_refused(answer, 503, "unavailable")
    assert answer["Retry-After"] == "5"
    assert not Project.objects.exists()
    assert not IdempotentAnswer.objects.exists()
    monkeypatch.undo()
    assert asking.post("projects", BODY, Idempotency_Key="k").status_code == 201


@pytest.mark.django_db
def test_after_a_day_a_key_is_a_new_one_and_keys_are_ones_own() -> None:
    asking = script(factory.user(administrator=True))
    assert asking.post("projects", BODY, Idempotency_Key="k").status_code == 201
    other = script(factory.user(administrator=True))
    assert_refused(other.post("projects", BODY, Idempotency_Key="k"), 409, "slug_taken")
    IdempotentAnswer.objects.update(at=seconds_from_now(-24 * 3600 - 1))
    assert_refused(asking.post("projects", BODY, Idempotency_Key="k"), 409, "slug_taken")
    assert IdempotentAnswer.objects.count() == 2
