"""What checks learn of a target: asked for when enough was accepted, learnt by a job, read in two statements."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.content.models.units import SourceUnit
from annotation.core.models.project import Project, Target
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.text import letter_trigrams as letters
from annotation.translation import target_statistics as learning
from annotation.translation.models import TargetStatistics
from annotation.translation.queries.targets import resources_of
from annotation.translation.rules.target_resources import TargetResources, silent_checks
from tests import translations
from validation.consensus import stages
from validation.voting.tasks import sweep

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def without_a_broker(settings: object) -> None:
    settings.REDIS_URL = ""  # type: ignore[attr-defined]


def accepted(of: Project, count: int, *keys: str, words: str = "") -> None:
    """Translations of `count` sentences into these targets, approved."""
    made = translations.a_source_set(of, translations.sentence_rows(count), shape="sentence")
    translator = translations.member(of, "writer")
    for key in keys:
        target = translations.target_of(of, key)
        for unit in SourceUnit.objects.filter(source_set=made):
            text = f"{words or key} {translations.reversed_words(unit.text)}"
            translations.a_translation(unit, target, translator, {"text": text})
    Item.objects.filter(project=of).update(stage=stages.SETTLED, due_at=None, gold="approve", gold_from="votes")


def run_waiting() -> list[Job]:
    found = [Job.objects.get(pk=pk) for pk in jobs.waiting_job_ids()]
    return [jobs.run_here(job) for job in found]


def known(target: Target) -> TargetResources:
    found = resources_of(target)
    assert found is not None
    return found


def test_a_target_is_learnt_once_enough_was_accepted() -> None:
    of = translations.a_translation_project(targets=(("jv", "ngoko"), ("su", "")))
    accepted(of, 30, "jv-ngoko")
    target = translations.target_of(of)
    assert {(one.check, one.reason) for one in silent_checks(known(target))} == {
        ("length_unusual", "few_rows"),
        ("other_language", "few_texts"),
    }
    assert learning.learn_grown() == 1
    assert learning.learn_grown() == 0, "it is asked for already"
    (job,) = run_waiting()
    assert job.state == Job.State.DONE, job.error
    assert job.result == {"translations": 30, "texts": 30}
    assert set(TargetStatistics.objects.values_list("target__key", "what", "n")) == {
        ("jv-ngoko", "lengths", 30),
        ("jv-ngoko", "letters", 30),
        (None, "letters", 30),
    }
    resources = known(target)
    assert resources.lengths.rows == 30
    assert {(one.check, one.reason, one.params["have"]) for one in silent_checks(resources)} == {
        ("other_language", "few_texts", 30)
    }
    assert learning.learn_grown() == 0, "nothing was accepted since"


def test_learning_twice_gives_the_same_and_follows_what_is_accepted() -> None:
    of = translations.a_translation_project(targets=(("jv", "ngoko"),))
    accepted(of, 36, "jv-ngoko")
    target = translations.target_of(of)

    def learnt() -> dict[str, object]:
        learning.enqueue_learning(target=target)
        run_waiting()
        return dict(TargetStatistics.objects.filter(target=target).values_list("what", "data"))

    first = learnt()
    assert learnt() == first
    Item.objects.filter(pk=Item.objects.order_by("pk")[0].pk).update(stage=stages.RETURNED, gold="", gold_from="")
    again = learnt()
    assert again != first
    assert TargetStatistics.objects.get(target=target, what="lengths").n == 35


def test_a_fifth_more_is_learnt_anew() -> None:
    of = translations.a_translation_project(targets=(("jv", "ngoko"),))
    accepted(of, 36, "jv-ngoko")
    Item.objects.filter(pk__in=Item.objects.order_by("pk")[30:]).update(stage=stages.VOTING, gold="", gold_from="")
    assert learning.learn_grown() == 1
    run_waiting()
    Item.objects.filter(pk__in=Item.objects.order_by("pk")[30:35]).update(
        stage=stages.ADJUDICATED, gold="approve", gold_from="lead"
    )
    assert learning.learn_grown() == 0
    Item.objects.update(stage=stages.SETTLED, gold="approve", gold_from="votes")
    assert learning.learn_grown() == 1


def test_other_languages_are_told_apart_and_registers_are_not() -> None:
    of = translations.a_translation_project(targets=(("jv", "ngoko"), ("jv", "krama"), ("su", "")))
    count = letters.LEAST_TEXTS
    made = translations.a_source_set(of, translations.sentence_rows(count), shape="sentence")
    words = {"jv-ngoko": "aku ora arep", "jv-krama": "kula boten badhe", "su": "abdi henteu badé"}
    for target in of.targets.all():
        texts = [f"{words[target.key]} {unit.position}" for unit in made.units.all()]
        data = letters.learn_letters(texts).to_json()
        TargetStatistics.objects.create(project=of, target=target, what="letters", n=count, data=data)
    source = letters.learn_letters(unit.text for unit in made.units.all()).to_json()
    TargetStatistics.objects.create(project=of, target=None, what="letters", n=count, data=source)
    resources = known(translations.target_of(of))
    assert set(resources.other_letters) == {"Sundanese", "Indonesian"}
    assert set(resources.others) == {"krama"}
    told = lambda text: letters.likelier_language(text, resources.letters, resources.other_letters)  # noqa: E731
    assert told("abdi henteu badé abdi henteu badé") == "Sundanese"
    assert told("Hujan turun kali di desa kami.") == "Indonesian"
    assert told("aku ora arep, aku ora arep") == ""
    assert {one.reason for one in silent_checks(resources)} == {"few_rows", "no_words"}


@pytest.mark.parametrize("targets", [2, 12])
def test_reading_resources_costs_two_statements_whatever_was_learnt(targets: int) -> None:
    languages = ("jv", "su", "ace", "ban", "bbc", "bjn", "bug", "mad", "min", "nij", "tl", "ceb")
    of = translations.a_translation_project(targets=tuple((code, "") for code in languages[:targets]))
    for target in of.targets.all():
        for what, data in (
            ("letters", letters.learn_letters(["kula boten"]).to_json()),
            ("lengths", {"": [40, 0.0, 0.1]}),
        ):
            TargetStatistics.objects.create(project=of, target=target, what=what, n=40, data=data)
    target = translations.target_of(of, "jv")
    assert known(target).lengths.rows == 40
    with CaptureQueriesContext(connection) as asked:
        known(target)
    assert len(asked) == 2
    TargetStatistics.objects.filter(target=target, what="lengths").delete()
    TargetStatistics.objects.create(project=of, target=target, what="lengths", n=50, data={"": [50, 0.0, 0.1]})
    assert known(target).lengths.rows == 50, "what is learnt anew is read anew"


def test_the_sweep_asks_for_it() -> None:
    of = translations.a_translation_project(targets=(("jv", "ngoko"),))
    accepted(of, 30, "jv-ngoko")
    sweep()
    asked = Job.objects.filter(kind="learn_target").values_list("args", flat=True)
    assert list(asked) == [{"target": translations.target_of(of).pk}]
