"""Source sets are made of rows, frozen when translation starts, and given to translators only then."""

from dataclasses import replace

import pytest

from annotation.content.models.units import SourceSet
from annotation.core.errors import Conflict, Invalid, Refusal
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_close
from annotation.translation.actions.source_sets import SetIn, source_set_create, source_set_freeze
from annotation.translation.queries.targets import units_free
from tests import translations
from tests.translations import pair_rows, passage_rows, sentence_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return translations.a_translation_project("lorax")


def test_rows_that_share_a_premise_become_one_unit(project: Project) -> None:
    given = SetIn("indonli", "IndoNLI", "pair", origin={"from": "file"}, filter={"size": "single"})
    made = source_set_create(project=project, given=given, rows=pair_rows(7, of_one=3), by=None)
    assert (made.rows, list(made.refused)) == (7, [])
    stored = made.source_set
    assert (stored.task, stored.origin, stored.filter) == ("nli", {"from": "file"}, {"size": "single"})
    units = list(stored.units.order_by("position"))
    assert [unit.key for unit in units] == ["indonli:pair-0000", "indonli:pair-0003", "indonli:pair-0006"]
    first = units[0]
    assert [f["key"] for f in first.fields] == ["premise", "hypothesis.1", "hypothesis.2", "hypothesis.3"]
    assert (first.sentences, first.words, first.revision, first.dropped) == (4, 23, 1, [])
    assert "mangga" in first.body
    entries = list(stored.entries.order_by("position"))
    assert [entry.key for entry in entries] == [f"pair-{n:04}" for n in range(7)]
    assert [(entry.label, entry.split) for entry in entries[:2]] == [("e", "test"), ("n", "test")]
    assert entries[2].fields == {"premise": "premise", "hypothesis": "hypothesis.3"}
    assert Event.objects.get(verb="source_set_made").data == {"set": "indonli", "rows": 7}


def test_what_cannot_be_taken_comes_back_and_the_rest_is_stored(project: Project) -> None:
    one, two = passage_rows()
    wrong = replace(two, texts={**two.texts, "answer": "Budi"}, number=2)
    made = source_set_create(project=project, given=SetIn("tydi", "", "passage"), rows=[one, wrong], by=None)
    assert [(row.number, problem.code) for row, problem in made.refused] == [(2, "no_span")]
    assert made.source_set.entries.get().key == "q-1"
    assert made.source_set.name == "tydi"


@pytest.mark.parametrize(
    ("given", "field", "code"),
    [
        (SetIn("Big Set", "", "pair"), "key", "source_key_wrong"),
        (SetIn("k" * 41, "", "pair"), "key", "source_key_wrong"),
        (SetIn("", "", "pair"), "key", "source_key_wrong"),
        (SetIn("a:b", "", "pair"), "key", "source_key_wrong"),
        (SetIn("set", "n" * 201, "pair"), "name", "source_name_wrong"),
        (SetIn("set", "a\0b", "pair"), "name", "source_name_wrong"),
        (SetIn("set", "", "poem"), "shape", "source_shape_unknown"),
        (SetIn("set", "", "pair", "../etc"), "task", "source_task_wrong"),
        (SetIn("there", "", "pair"), "key", "source_set_taken"),
    ],
)
def test_a_set_that_cannot_be_made_says_which_field(project: Project, given: SetIn, field: str, code: str) -> None:
    translations.a_source_set(project, sentence_rows(1), shape="sentence", key="there")
    with pytest.raises(Refusal) as refused:
        source_set_create(project=project, given=given, rows=pair_rows(1), by=None)
    assert (refused.value.field, refused.value.code) == (field, code)


def test_no_set_without_rows_and_none_in_a_closed_project(project: Project) -> None:
    with pytest.raises(Invalid) as none:
        source_set_create(project=project, given=SetIn("set", "", "pair"), rows=[], by=None)
    assert none.value.code == "source_rows_none"
    project_close(project=project, closed=True, by=None)
    with pytest.raises(Conflict) as closed:
        source_set_create(project=project, given=SetIn("set", "", "pair"), rows=pair_rows(1), by=None)
    assert closed.value.code == "source_closed"
    assert not SourceSet.objects.exists()


def test_the_same_ids_can_stand_in_two_sets(project: Project) -> None:
    for key in ("one", "two"):
        source_set_create(project=project, given=SetIn(key, "", "pair"), rows=pair_rows(2), by=None)
    assert project.source_units.count() == 2


def test_translation_begins_when_the_set_is_frozen_and_freezing_is_done_once(project: Project) -> None:
    loose = translations.a_source_set(project, pair_rows(4), frozen=False)
    target = translations.target_of(project)
    assert units_free(target).count() == 0
    frozen = source_set_freeze(source_set=loose, by=None)
    assert frozen.frozen_at is not None
    assert source_set_freeze(source_set=loose, by=None).frozen_at == frozen.frozen_at
    assert units_free(target).count() == 2
    assert Event.objects.filter(verb="source_set_frozen").count() == 1


def test_an_empty_set_is_not_frozen(project: Project) -> None:
    loose = translations.a_source_set(project, sentence_rows(1), shape="sentence", frozen=False)
    loose.entries.update(removed=True)
    with pytest.raises(Invalid) as refused:
        source_set_freeze(source_set=loose, by=None)
    assert refused.value.code == "source_set_empty"
