"""A project's settings are read strictly: each number has a name, a type and a default."""

import pytest

from annotation import kinds
from annotation.core.rules.settings import ProjectSettings
from annotation.text.gettext import gettext_noop


def test_settings_survive_being_stored():
    settings = ProjectSettings(per_label=3, tags="required", fast_base_seconds=2.5)
    assert ProjectSettings.from_dict(settings.to_dict()) == settings
    assert ProjectSettings.from_dict({}) == ProjectSettings()


def test_a_whole_number_will_do_where_a_fraction_may_stand():
    assert ProjectSettings.from_dict({"fast_base_seconds": 2}).fast_base_seconds == 2.0


@pytest.mark.parametrize(
    "raw",
    [
        {"per_lable": 2},
        {"per_label": "2"},
        {"per_label": True},
        {"per_label": 2.0},
        {"per_label": 0},
        {"fast_base_seconds": True},
        {"allocation_size": -1},
        {"fast_word_seconds": -0.1},
        {"tags": "sometimes"},
        {"sample_unit": "writer"},
        {"paragraph_name": 3},
        {"batch_size": 101},
        {"concepts_per_call": 21},
        {"questions_per_concept": 21},
    ],
    ids=str,
)
def test_what_is_no_setting_is_refused_by_name(raw):
    with pytest.raises(ValueError, match=next(iter(raw))):
        ProjectSettings.from_dict(raw)


def test_every_setting_is_explained():
    declared = ProjectSettings.declared()
    assert list(declared) == list(ProjectSettings().to_dict())
    assert all(told.title and told.help.endswith((".", ")")) for told in declared.values())
    assert gettext_noop("as it is") == "as it is"


def test_gold_questions_are_a_setting_where_something_is_asked_by_it() -> None:
    """Of what people judge apart, their own earlier items are asked again."""
    offered = {kind.slug: "gold_questions" in kinds.settings_of(kind) for kind in kinds.all_kinds()}
    assert offered == {
        "nli": True,
        "mcq": True,
        "mcq-judged": True,
        "cultural": True,
        "translation": False,
    }


def test_a_project_shows_the_settings_that_its_kind_reads():
    pairs, questions = (set(kinds.settings_of(kinds.get(slug))) for slug in ("nli", "mcq"))
    assert {"per_label", "tags", "allocation_size"} <= pairs - questions
    assert {"writers_each", "per_category", "own_wording"} <= questions - pairs
    assert {"check_first", "error_types", "release", "idle_days"} <= pairs & questions
    listed = {name for kind in kinds.all_kinds() for name in kinds.settings_of(kind)}
    assert listed == set(ProjectSettings().to_dict())
