"""What checks find goes to a person: flags when review begins, and for a whole target that a lead has checked again."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.units import SourceUnit
from annotation.core.errors import Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.kinds import SlotIn, field_name
from annotation.kinds.texts import WHY_PREFIX
from annotation.writing.actions.revising import item_revise
from annotation.writing.actions.writing import set_submit
from tests import translations
from validation.consensus import stages
from validation.voting.actions.check_findings import AT_ONCE, recheck_start
from validation.voting.actions.decide import decide_due
from validation.voting.models.review import Flag

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def without_a_broker(settings: Any) -> None:
    settings.REDIS_URL = ""


def a_project(count: int = 1, **fields: Any) -> tuple[Project, list[SourceUnit]]:
    of = translations.a_translation_project(**fields)
    made = translations.a_source_set(of, translations.sentence_rows(count), shape="sentence")
    return of, list(made.units.order_by("position"))


def handed_in(of: Project, unit: SourceUnit, text: str, **whys: str) -> Item:
    """A translation of one sentence, with the translator's words to checks."""
    target, translator = translations.target_of(of), translations.member(of, "writer")
    allocation = translations.a_share(unit, target, translator)
    said = {WHY_PREFIX + check: words for check, words in whys.items()}
    typed = SlotIn("", more={field_name("text"): text, **said})
    return set_submit(writer=translator, token=allocation.token, slots={"t": typed})[0]


def flags_of(item: Item, **which: Any) -> list[dict[str, Any]]:
    return [flag.detail for flag in Flag.objects.filter(item=item, code="failed_check", **which).order_by("pk")]


def check_again(of: Project) -> Job:
    return jobs.run_here(recheck_start(target=translations.target_of(of), by=None))


def test_what_warns_is_reviewed_and_flagged_with_the_translators_word() -> None:
    of, (unit, other) = a_project(2, share=0)
    item = handed_in(of, unit, "Udan 7 ambalan ing desaku", numbers_differ="Wektu iku pancèn pitu.")
    fine = handed_in(of, other, "Udan 1 ambalan ing desaku.")
    assert (item.sampled, fine.sampled) == (True, False)
    assert flags_of(item) == []
    decide_due()
    (detail,) = flags_of(item)
    assert detail == {
        "checks": ["numbers_differ", "end_mark_differs"],
        "findings": [
            {
                "check": "numbers_differ",
                "field": "field-text",
                "message": "The source has %(missing)s where this text has %(added)s.",
                "params": {"field": "field-text", "missing": "0", "added": "7"},
                "why": "Wektu iku pancèn pitu.",
            },
            {
                "check": "end_mark_differs",
                "field": "field-text",
                "message": "The source has an end mark, this text has none.",
                "params": {"field": "field-text"},
                "why": "",
            },
        ],
    }
    item.refresh_from_db()
    fine.refresh_from_db()
    assert (item.stage, fine.stage) == (stages.VOTING, stages.WRITTEN)
    assert item.doubt > 0
    assert flags_of(fine) == []


def test_what_is_revised_before_its_review_is_flagged_as_it_became() -> None:
    of, (unit,) = a_project(share=0)
    item = handed_in(of, unit, "Udan 0 ambalan ing desaku.")
    assert not item.sampled
    assert item.author is not None
    revised = SlotIn("", more={field_name("text"): "Udan 3 ambalan ing desaku."})
    item_revise(writer=item.author, item_id=item.pk, version=item.version, content=revised)
    again = Item.objects.get(pk=item.pk)
    assert again.sampled
    assert again.due_at is not None
    decide_due()
    assert [detail["checks"] for detail in flags_of(item)] == [["numbers_differ"]]


def test_an_empty_field_cannot_be_handed_in() -> None:
    of, (unit,) = a_project()
    with pytest.raises(Invalid) as refused:
        handed_in(of, unit, " ")
    (finding,) = refused.value.details["findings"]
    assert (finding.check, finding.params) == ("translation_empty", {"field": "field-text"})


def test_a_target_is_checked_again() -> None:
    """A word list was made since: what was not drawn goes to review, what is settled to the desk, once each."""
    of, units = a_project(4, share=0, targets=(("jv", "ngoko"), ("jv", "krama"), ("su", "")))
    texts = ["Kula {n} ing desa.", "Kula {n} ing griya.", "Aku {n} ing desa.", "Kula {n} ing pasar."]
    written, settled, fine, out = (
        handed_in(of, unit, text.format(n=n)) for n, (unit, text) in enumerate(zip(units, texts, strict=True))
    )
    Item.objects.filter(pk=settled.pk).update(stage=stages.SETTLED, gold="approve", gold_from="votes")
    Item.objects.filter(pk=out.pk).update(stage=stages.EXCLUDED)
    krama = translations.target_of(of, "jv-krama")
    krama.words = [["kula", "saya"]]
    krama.save(update_fields=["words"])
    job = check_again(of)
    assert (job.state, job.result) == (Job.State.DONE, {"translations": 3, "flagged": 2})
    for item in (written, settled):
        (detail,) = flags_of(item)
        assert detail["checks"] == ["other_register"]
        assert detail["findings"][0]["params"]["words"] == "kula"
        item.refresh_from_db()
        assert item.doubt > 0
    assert (written.sampled, written.due_at is not None) == (True, True)
    assert settled.stage == stages.SETTLED
    assert not Item.objects.get(pk=fine.pk).sampled
    assert flags_of(out) == []
    assert check_again(of).result == {"translations": 3, "flagged": 0}, "again finds nothing new"
    assert Flag.objects.count() == 2
    decide_due()
    assert len(flags_of(written)) == 1
    assert Event.objects.filter(verb="target_rechecked").count() == 2


def test_what_a_person_closed_stays_closed_unless_something_else_is_found() -> None:
    of, (unit,) = a_project()
    item = handed_in(of, unit, "Udan 5 ambalan ing desaku.")
    decide_due()
    Flag.objects.update(closed_at="2026-01-01T00:00Z", closed_version=item.version + 1)
    assert check_again(of).result == {"translations": 1, "flagged": 0}
    krama = translations.target_of(of, "jv-krama")
    krama.words = [["desaku", "desa saya"]]
    krama.save(update_fields=["words"])
    assert check_again(of).result == {"translations": 1, "flagged": 1}
    assert [detail["checks"] for detail in flags_of(item, closed_at=None)] == [["numbers_differ", "other_register"]]


def test_what_was_closed_of_another_text_is_found_again() -> None:
    of, (unit,) = a_project()
    item = handed_in(of, unit, "Udan 5 ambalan ing desaku.")
    decide_due()
    Flag.objects.update(closed_at="2026-01-01T00:00Z", closed_version=item.version)
    assert check_again(of).result == {"translations": 1, "flagged": 1}


def test_an_open_flag_says_what_is_found_now() -> None:
    of, (unit,) = a_project()
    item = handed_in(of, unit, "Udan 5 ambalan ing desaku.")
    decide_due()
    Flag.objects.update(detail={"checks": ["source_differs", "outer_blanks"]})
    krama = translations.target_of(of, "jv-krama")
    krama.words = [["desaku", "desa saya"]]
    krama.save(update_fields=["words"])
    assert check_again(of).result["flagged"] == 1
    (detail,) = flags_of(item)
    assert detail["checks"] == ["source_differs", "numbers_differ", "other_register"]
    assert [row["check"] for row in detail["findings"]] == ["numbers_differ", "other_register"]


def test_one_job_at_a_time() -> None:
    of, _ = a_project()
    target = translations.target_of(of)
    first = recheck_start(target=target, by=None)
    assert recheck_start(target=target, by=None).pk == first.pk
    assert recheck_start(target=translations.target_of(of, "su"), by=None).pk != first.pk


def test_a_job_that_died_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validation.voting.actions.check_findings.AT_ONCE", 1)
    of, units = a_project(3, share=0)
    for unit in units:
        handed_in(of, unit, "Udan 9 ambalan ing desaku.")
    Flag.objects.all().delete()
    job = recheck_start(target=translations.target_of(of), by=None)
    Job.objects.filter(pk=job.pk).update(done=2)
    assert jobs.run_here(job).result == {"translations": 3, "flagged": 1}
    assert check_again(of).result == {"translations": 3, "flagged": 2}


@pytest.mark.parametrize("count", [3, 30])
def test_checking_again_asks_as_often_for_many(count: int) -> None:
    of, units = a_project(count, share=0)
    for unit in units:
        handed_in(of, unit, f"Udan {unit.position} ambalan ing desaku.")
    job = recheck_start(target=translations.target_of(of), by=None)
    with CaptureQueriesContext(connection) as asked:
        assert jobs.run_here(job).result == {"translations": count, "flagged": 0}
    assert count < AT_ONCE
    assert len(asked) < 25, [each["sql"][:80] for each in asked]


def test_a_lead_asks_for_it_on_the_page_of_a_target_that_says_what_is_silent(client: Client) -> None:
    of, (unit,) = a_project()
    item = handed_in(of, unit, "Udan 5 ambalan ing desaku.")
    lead = translations.member(of, "lead")
    assert lead.user is not None
    client.force_login(lead.user)
    address = reverse("target", args=(of.slug, "jv-ngoko"))
    page = client.get(address).content.decode()
    assert "Lengths are compared from 30 accepted texts on; there are 0." in page
    assert "No other register of this language has a word list" in page
    answer = client.post(reverse("target_recheck", args=(of.slug, "jv-ngoko")), follow=True)
    assert answer.redirect_chain == [(address, 302)]
    assert "are being checked again" in answer.content.decode()
    (job,) = [jobs.run_here(Job.objects.get(pk=pk)) for pk in jobs.waiting_job_ids()]
    assert job.by == lead.user
    assert len(flags_of(item)) == 1
