"""Group review: sessions, what is proposed there, what is said about it, and taking it back (Kalahi §3.2)."""

from datetime import date
from functools import partial

import pytest

from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.actions import session_create
from annotation.elicitation.models import Suggestion
from tests import factory
from tests.group import World, build, parts, refused
from tests.prompts import a_prompt_project
from tests.shared_worlds import SharedWorlds
from validation.group_review import actions as group
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(standing: SharedWorlds) -> World:
    return standing(build)


def test_leads_make_sessions_once_a_name(at: World) -> None:
    new = partial(session_create, purpose="review", held_on=date(2026, 3, 2))
    made = new(lead=at.lead, name=" Pendopo ", participants="Sembilan orang, tiga dari tiap pulau.")
    assert (made.name, made.by) == ("Pendopo", at.lead)
    assert session_create(lead=at.lead, purpose="elicitation", name="Pendopo", held_on=date(2026, 3, 2))
    for name, code in (("pendopo", "session_name_taken"), (" ", "session_name_missing")):
        with refused(Invalid, code):
            new(lead=at.lead, name=name)
    for person in (at.writer, at.reviewer):
        with pytest.raises(Forbidden):
            new(lead=person, name="Balai")
    with pytest.raises(NotFound):
        session_create(lead=at.lead, purpose="party", name="Balai", held_on=date(2026, 3, 2))
    nli = factory.member(factory.project(), "lead")
    with pytest.raises(NotFound):
        new(lead=nli, name="Balai")


def test_a_closed_project_has_no_new_sessions(at: World) -> None:
    Project.objects.filter(pk=at.project.pk).update(closed_at="2026-01-01T00:00Z")
    with refused(Conflict, "closed_group"):
        session_create(lead=at.lead, purpose="review", name="Balai", held_on=date(2026, 3, 2))


# --- proposing ------------------------------------------------------------------------------


def test_only_what_differs_is_kept(at: World) -> None:
    made = at.suggest("reword", **parts(at.item, instruction="Apa yang saya lakukan?"), words="Lebih pendek.")
    assert made.data == {"instruction": "Apa yang saya lakukan?"}
    assert (made.words, made.revision_n, made.state) == ("Lebih pendek.", 1, "open")
    assert at.suggest("rephrase", **{"option-R1": "Salami semua."}).data == {"R1": "Salami semua."}
    varied = at.suggest("variation", personal="Saya sakit.", later="R1 I2 X9")
    assert varied.data == {"personal": "Saya sakit.", "responses": ["R1", "I2"]}


@pytest.mark.parametrize(
    ("form", "typed", "code", "field"),
    [
        ("reword", {}, "suggestion_same", "instruction"),
        ("reword", {"context": " "}, "parts_missing", "context"),
        ("reword", {"instruction": "a\nb"}, "parts_lines", "instruction"),
        ("reword", {"user": ""}, "key_unlike", ""),
        ("reword", {"personal": "Saya sakit."}, "key_unlike", ""),
        ("rephrase", {}, "suggestion_same", "option-R1"),
        ("rephrase", {"option-I1": " "}, "response_missing", "option-I1"),
        ("combine", {}, "other_missing", "other"),
        (
            "combine",
            {"other": "9999999999", "user": "a", "context": "b", "instruction": "c"},
            "other_missing",
            "other",
        ),
        ("split", {"context": "b", "instruction": "c"}, "parts_missing", "second-context"),
        (
            "split",
            {"context": "b", "instruction": "c", "second-context": "b", "second-instruction": "c"},
            "halves_same",
            "second-instruction",
        ),
        ("variation", {}, "personal_missing", "personal"),
        ("variation", {"personal": "a\nb"}, "parts_lines", "personal"),
        ("burn", {}, "suggestion_form", "form"),
        ("reword", {"context": "\x00"}, "text_not_storable", "context"),
    ],
)
def test_what_makes_no_proposal_says_where(at: World, form: str, typed: dict[str, str], code: str, field: str) -> None:
    with refused(Invalid, code) as refusal:
        at.suggest(form, **typed)
    assert refusal.value.field == field
    assert not Suggestion.objects.exists()


def test_who_proposes_and_says_something(at: World) -> None:
    stranger = factory.member(a_prompt_project(), "reviewer")
    typed = {"instruction": "Apa yang saya lakukan?"}
    here = {"session_id": at.session.pk, "item_id": at.item.pk, "form": "reword", "typed": typed}
    with pytest.raises(NotFound):
        group.suggest(by=stranger, **here)  # type: ignore[arg-type]
    for person in (at.writer, factory.member(at.project, "validator")):
        with pytest.raises(Forbidden):
            group.suggest(by=person, **here)  # type: ignore[arg-type]
    made = group.suggest(by=at.lead, **here)  # type: ignore[arg-type]
    where = {"session_id": at.session.pk, "suggestion_id": made.pk}
    said = group.remark(by=at.second, **where, text="Setuju.")
    assert (said.text, said.suggestion) == ("Setuju.", made)
    with refused(Invalid, "text_missing"):
        group.remark(by=at.second, **where, text=" ")
    with pytest.raises(NotFound):
        group.remark(by=stranger, **where, text="Setuju.")
    other = session_create(lead=at.lead, purpose="review", name="Balai", held_on=date(2026, 3, 2))
    with pytest.raises(NotFound):
        group.remark(by=at.second, session_id=other.pk, suggestion_id=made.pk, text="Setuju.")
    asked = session_create(lead=at.lead, purpose="elicitation", name="Balai", held_on=date(2026, 3, 2))
    with pytest.raises(NotFound):
        group.suggest(by=at.reviewer, **{**here, "session_id": asked.pk})  # type: ignore[arg-type]


def test_taking_back_is_for_whose_it_is_while_it_is_open(at: World) -> None:
    made = at.suggest("reword", instruction="Apa?")
    where = {"session_id": at.session.pk, "suggestion_id": made.pk}
    for person in (at.second, at.lead):
        with pytest.raises(Forbidden):
            group.take_back(by=person, **where)
    assert group.take_back(by=at.reviewer, **where).state == "taken_back"
    for act in (
        partial(group.take_back, by=at.reviewer, **where),
        partial(group.remark, by=at.reviewer, **where, text="Tunggu."),
        partial(at.accept, made),
        partial(at.decline, made),
    ):
        with refused(Conflict, "suggestion_over"):
            act()


def test_who_proposes_or_says_something_is_never_asked_to_validate_the_family(at: World) -> None:
    both = factory.member(at.project, "reviewer", "validator")
    Annotator.objects.filter(pk=both.pk).update(is_reviewer=True)
    both.refresh_from_db()
    here = {"session_id": at.session.pk, "item_id": at.item.pk}
    group.suggest(by=both, **here, form="reword", typed={"instruction": "Apa?"})  # type: ignore[arg-type]
    barred = Assignment.objects.filter(annotator=both, state="barred").values_list("item", flat=True)
    assert set(barred) == {at.item.pk, at.varied.pk}
