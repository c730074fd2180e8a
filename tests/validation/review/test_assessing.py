"""Checking what a machine wrote: verdicts, corrections, decisions, pay; sent twice, and by two leads at once."""

from functools import partial
from typing import Any

import pytest

from annotation.content.models.item import Item, Revision
from annotation.core.errors import Conflict, Invalid, Refusal
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests.factory import member
from tests.pay import a_rate, entries, ledger_rows
from tests.questions import a_question
from tests.race import run_at_once
from tests.review import decide
from tests.unchecked_questions import CHOICES, a_checked_project, a_machine_item, assess, check
from validation import integrity
from validation.review.actions.assessments import EXCLUDE, ItemCheck, PartVerdict
from validation.review.actions.decisions import approve, reopen
from validation.review.models.assessment import Assessment
from validation.review.queries import assessments as assessed
from validation.review.rules.assessments import NONE
from validation.voting.models.review import Review

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return a_checked_project()


@pytest.fixture
def lead(project: Project) -> Annotator:
    return member(project, "lead")


def refused(kind: type[Refusal], *args: Any, **kwargs: Any) -> tuple[str, str]:
    """Code and field of the refusal; nothing may have been stored."""
    before = (Assessment.objects.count(), Review.objects.count(), Revision.objects.count())
    with pytest.raises(kind) as raised:
        assess(*args, **kwargs)
    assert before == (Assessment.objects.count(), Review.objects.count(), Revision.objects.count())
    return raised.value.code, raised.value.field


def verdicts(item: Item) -> dict[str, tuple[int, str, str]]:
    return {part: (row.n, row.error, row.notes) for part, row in assessed.verdicts_of(item).items()}


def test_a_check_keeps_verdicts_corrects_and_approves(project: Project, lead: Annotator) -> None:
    item = a_machine_item(project)
    texts = {"question": "Apa fungsi utama tikar di desa?", "option-C": "wisata kota tua"}
    done = assess(lead, item, check(question="typo", notes="Also stiff.", texts=texts, answer="B"))
    assert (done.stage, done.author_label, done.version, done.revision_n) == ("written", "B", 3, 2)
    assert verdicts(item) == {"question": (1, "typo", "Also stiff."), "options": (1, "", "Also stiff.")}
    assert set(Assessment.objects.values_list("revision_n", "by")) == {(1, lead.pk)}
    raw, now = assessed.texts_of(done)
    assert (raw["options"][0]["role"], now["options"][0]["role"], now["options"][1]["role"]) == (
        "answer",
        "",
        "answer",
    )
    assert (now["question"], now["options"][2]["text"]) == (texts["question"], texts["option-C"])
    assert now["made"] == raw["made"]
    events = Review.objects.filter(item=item).values_list("event", flat=True)
    assert list(events) == ["approve_written"]
    assert list(integrity.run(project=project)) == []


def test_nothing_to_correct_makes_no_revision(project: Project, lead: Annotator) -> None:
    item = a_machine_item(project)
    texts = {f"option-{key}": text for key, text in CHOICES.items()}
    assert assess(lead, item, check(texts=texts, answer="A")).revision_n == 1


def test_the_concept_is_judged_where_it_was_adapted(lead: Annotator) -> None:
    adapted = a_checked_project(recipe="llm-adapt")
    other = member(adapted, "lead")
    item, told = a_machine_item(adapted), a_machine_item(adapted, adapted=False)
    assess(other, item, check(concept="phrase-structure", texts={"concept": "tikar pandan"}))
    assert set(verdicts(item)) == {"concept", "question", "options"}
    assert Item.objects.get(pk=item.pk).qa.wording == "tikar pandan"
    assert {part.key for part in assessed.parts_of(told)} == {"question", "options"}


@pytest.mark.parametrize(
    ("sent", "code", "field"),
    [
        (ItemCheck({}, "approve"), "verdict_missing", "question"),
        (ItemCheck({"question": PartVerdict(NONE)}, "approve"), "verdict_missing", "options"),
        (check(question="invalid-options"), "verdict_unknown", "question"),
        (check(options="subjectivity"), "verdict_unknown", "options"),
        (check(""), "decision_missing", "decision"),
        (check(EXCLUDE), "words_missing", "words"),
        (check(texts={"question": "  "}), "text_missing", "question"),
        (check(texts={"option-A": ""}), "text_missing", "option-A"),
        (check(texts={"option-A": "a\0"}), "text_not_storable", "option-A"),
        (check(texts={"concept": "x" * 301}), "text_not_storable", "concept"),
        (check(texts={"category": "history"}), "field_unknown", "category"),
        (check(answer="F"), "right_choice_missing", "answer"),
        (check(notes="\0"), "text_not_storable", "question-notes"),
    ],
)
def test_what_is_refused_names_its_field(
    project: Project, lead: Annotator, sent: ItemCheck, code: str, field: str
) -> None:
    assert refused(Invalid, lead, a_machine_item(project), sent) == (code, field)


def test_an_exclusion_keeps_the_verdicts_and_a_reopened_item_waits_again(project: Project, lead: Annotator) -> None:
    item = a_machine_item(project)
    assert assess(lead, item, check(EXCLUDE, options="invalid-options", words="No answer.")).stage == "excluded"
    assert verdicts(item)["options"] == (1, "invalid-options", "")
    assert refused(Conflict, lead, item, check())[0] == "not_from_here"
    back = reopen(lead=lead, item_id=item.pk, version=Item.objects.get(pk=item.pk).version)
    assert back.stage == "submitted"
    assess(lead, item, check(options="context"))
    assert verdicts(item)["options"] == (2, "context", "")
    assert Assessment.objects.filter(item=item).count() == 4
    assert list(integrity.run(project=project)) == []


def test_choices_beyond_are_emptied_before_it_is_approved(project: Project, lead: Annotator) -> None:
    item = a_machine_item(project, choices={**CHOICES, "F": "a sixth", "G": "a seventh"}, answer="F")
    assert item.author_label == ""
    assert refused(Invalid, lead, item, check(options="invalid-options"))[0] == "choices_beyond"
    gone = {"option-F": "", "option-G": " "}
    assert refused(Invalid, lead, item, check(texts=gone)) == ("right_choice_missing", "answer")
    done = assess(lead, item, check(options="invalid-options", texts=gone, answer="E"))
    assert (done.author_label, done.options.count()) == ("E", 5)
    assert list(integrity.run(project=project)) == []


def test_nobody_approves_before_there_are_verdicts(project: Project, lead: Annotator) -> None:
    item = a_machine_item(project)
    with pytest.raises(Conflict) as raised:
        approve(lead=lead, item_id=item.pk, version=item.version)
    assert raised.value.code == "verdicts_missing"


def test_what_a_person_wrote_gets_no_verdict(project: Project, lead: Annotator) -> None:
    item = a_question(project, member(project, "writer"))
    assert refused(Invalid, lead, item, check())[0] == "not_machine_written"


# --- twice, and two at once -------------------------------------------------------------


def test_sent_twice_is_done_once(project: Project, lead: Annotator) -> None:
    item = a_machine_item(project, choices={**CHOICES, "F": "a sixth"})
    texts = {"question": "Apa fungsi tikar?", "option-F": ""}
    for sent in (check(question="typo", texts=texts, answer="C"), check(EXCLUDE, words=" Off topic. ")):
        version = Item.objects.get(pk=item.pk).version
        first = assess(lead, item, sent, version=version)
        again = assess(lead, item, sent, version=version)
        assert (first.version, first.stage) == (again.version, again.stage)
    assert [row.n for row in assessed.history_of(item)] == [2, 2, 1, 1]
    assert Review.objects.filter(item=item).count() == 2


def test_another_check_of_the_same_page_is_stale(project: Project, lead: Annotator) -> None:
    item, version = a_machine_item(project), 1
    assess(lead, item, check(), version=version)
    for sent in (
        check(question="typo"),
        check(EXCLUDE, words="No."),
        check(texts={"question": "Apa?"}),
        check(answer="F"),
        check(words="Fine."),
    ):
        assert refused(Conflict, lead, item, sent, version=version)[0] == "stale"
    assert refused(Conflict, member(project, "lead"), item, check(), version=version)[0] == "stale"


@pytest.mark.django_db(transaction=True)
def test_of_two_leads_at_once_one_is_told_that_the_other_was_first() -> None:
    project = a_checked_project()
    leads = [member(project, "lead") for _ in range(2)]
    for _ in range(5):
        item = a_machine_item(project)
        found = run_at_once([partial(assess, lead, item, check(), version=1) for lead in leads])
        assert sorted(type(one).__name__ for one in found) == ["Conflict", "Item"]
        assert Assessment.objects.filter(item=item).count() == 2
    assert list(integrity.run(project=project)) == []


@pytest.mark.django_db(transaction=True)
def test_one_lead_who_sends_twice_at_once_is_paid_once() -> None:
    project = a_checked_project()
    lead = member(project, "lead")
    a_rate(project, "assess", "0.25")
    for n in range(1, 6):
        item = a_machine_item(project)
        sent = check(question="typo", texts={"question": "Apa fungsi tikar?"})
        found = run_at_once([partial(assess, lead, item, sent, version=1) for _ in range(2)])
        assert [type(one).__name__ for one in found] == ["Item", "Item"]
        assert len(ledger_rows(project)) == n
        assert Review.objects.filter(item=item).count() == 1


# --- after people voted -----------------------------------------------------------------


def test_where_people_were_asked_a_correction_says_what_it_means(lead: Annotator, project: Project) -> None:
    item = a_machine_item(project)
    Item.objects.filter(pk=item.pk).update(sampled=True)
    assess(lead, item)
    decide()
    assert Item.objects.get(pk=item.pk).stage == "voting"
    new = {"question": "Apa fungsi tikar?"}
    assert refused(Invalid, lead, item, check(texts=new)) == ("meaning_missing", "meaning")
    done = assess(lead, item, check(question="typo", texts=new, meaning="new"))
    assert (done.stage, done.epoch) == ("voting", 2)
    assert assess(lead, item, check(question="fluency")).epoch == 2
    decide()
    assert list(integrity.run(project=project)) == []


# --- pay --------------------------------------------------------------------------------


def test_the_first_check_of_an_item_is_paid(project: Project, lead: Annotator) -> None:
    early, item = a_machine_item(project), a_machine_item(project)
    assess(lead, early)
    a_rate(project, "assess", "0.25")
    for _ in range(2):
        assess(lead, item, check(question="typo"))
        assess(lead, early, check(question="typo"))
    (entry,) = entries(project)
    assert (entry.key, entry.annotator, entry.item_id, str(entry.amount)) == (
        f"assess:{item.pk}",
        lead,
        item.pk,
        "0.2500",
    )
