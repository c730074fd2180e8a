"""Asking endpoints: what is kept is used again, nothing is paid twice, and what fails is tried within bounds."""

from collections.abc import Iterator

import pytest

from annotation.models import Call, CallAttempt
from tests import llm_server
from tests.asked import a_run, an_endpoint, ask
from tests.llm_server import Server

pytestmark = pytest.mark.django_db


@pytest.fixture
def server() -> Iterator[Server]:
    with llm_server.serving(lambda seen: f'{{"text": "{seen.text}!"}}') as started:
        yield started


def test_answers_come_in_the_order_of_the_prompts(server: Server) -> None:
    given = ask(a_run(), an_endpoint(server), ["a", "b", "c", "a"])
    assert [each.answer.text for each in given] == ["a!", "b!", "c!", "a!"]  # type: ignore[union-attr]
    assert given[0].calls == given[3].calls
    assert len(server.seen) == 3
    assert Call.objects.filter(state=Call.State.ANSWERED).count() == CallAttempt.objects.count() == 3
