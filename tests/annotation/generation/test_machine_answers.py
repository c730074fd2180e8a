"""Whatever a model answers, the page of its question can be read: half characters, depths, and far too much."""

import pytest

from annotation.generation.models import Call
from annotation.generation.views.candidates import LONGEST_PRETTY, LONGEST_SHOWN
from tests.machine_project import MachineProject

pytestmark = pytest.mark.django_db
# Nested so, what comes of it in lines is as long as its depth squared.
NESTED = "[" * 200 + "]" * 200


@pytest.fixture
def at() -> MachineProject:
    return MachineProject()


def page(at: MachineProject, answer: str, state: str = "answered") -> str:
    """The page of a question, all calls of which were answered so."""
    Call.objects.filter(run=at.run).update(answer=answer, state=state)
    return at.get("candidate", at.run.n, at.run.candidates.order_by("pk")[0].pk)


def test_an_answer_is_shown_in_lines(at: MachineProject) -> None:
    assert "{\n  &quot;question&quot;: &quot;x&quot;\n}" in page(at, '{"question":"x"}')


@pytest.mark.parametrize("state", ["answered", "unusable"])
def test_half_a_character_is_replaced(at: MachineProject, state: str) -> None:
    assert "question" in page(at, '{"question":"x \\ud83d"}', state)


@pytest.mark.parametrize("state", ["answered", "unusable"])
def test_what_is_too_deep_to_read_is_shown_as_it_came(at: MachineProject, state: str) -> None:
    assert "[[[[[" in page(at, "[" * 10_000, state)


def test_only_what_could_be_used_is_put_into_lines(at: MachineProject) -> None:
    assert NESTED in page(at, NESTED, "unusable")


def test_what_grows_in_lines_is_cut(at: MachineProject) -> None:
    shown = page(at, NESTED)
    assert f"Cut here: {LONGEST_SHOWN} of " in shown


def test_what_is_too_long_is_not_put_into_lines_and_cut(at: MachineProject) -> None:
    long = '{"question":"' + "x" * LONGEST_PRETTY + '"}'
    assert long.replace('"', "&quot;") in page(at, long)
    longer = "y" * (LONGEST_SHOWN + 5)
    shown = page(at, longer)
    assert longer not in shown
    assert longer[:LONGEST_SHOWN] in shown
    assert f"Cut here: {LONGEST_SHOWN} of {LONGEST_SHOWN + 5} characters are shown." in shown
