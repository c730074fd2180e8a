"""What becomes of a group's proposal: who decides it, and what each form makes happen (rulings 6 and 7)."""

from functools import partial

import pytest

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Draft
from annotation.content.queries import current_content
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.models import Lineage, Suggestion
from annotation.kinds import SlotIn
from annotation.writing.actions.writing import set_submit
from tests import factory
from tests.group import CONTEXT, World, build, parts, refused
from tests.prompts import a_prompt
from tests.review import assign, cast_vote, decide
from validation.group_review import actions as group
from validation.voting.models.review import Review

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(db: None) -> World:
    return build()


def test_who_proposed_or_wrote_it_does_not_decide(at: World) -> None:
    own = group.suggest(
        by=at.lead, session_id=at.session.pk, item_id=at.item.pk, form="reword", typed={"instruction": "Apa?"}
    )
    for act in (at.accept, at.decline):
        with refused(Forbidden, "own_suggestion"):
            act(own)
    assert at.decline(own, at.other_lead).reason == "No."
    made = at.suggest("reword", instruction="Apa?")
    for person in (at.reviewer, at.writer, at.second):
        with pytest.raises(Forbidden):
            at.accept(made, person)
    Item.objects.filter(pk=at.item.pk).update(author=at.other_lead)
    with refused(Forbidden, "own_item"):
        at.accept(made, at.other_lead)


def test_declined_with_a_reason_and_nothing_changes(at: World) -> None:
    made = at.suggest("reword", instruction="Apa?")
    with refused(Invalid, "words_missing"):
        at.decline(made, reason=" ")
    declined = at.decline(made, reason="Sudah jelas.")
    assert (declined.state, declined.decided_by, declined.reason) == ("declined", at.lead, "Sudah jelas.")
    assert at.item.revisions.count() == 1
    at.sound()


def test_rewording_is_a_revision(at: World) -> None:
    made = at.suggest("reword", instruction="Apa yang saya lakukan?", words="Lebih pendek.")
    assert at.accept(made).decided_by == at.lead
    at.item.refresh_from_db()
    revision = at.item.revisions.get(n=2)
    assert (revision.event, revision.meaning, revision.why) == ("correct_same", "same", "Lebih pendek.")
    assert revision.content["question"].endswith("\nApa yang saya lakukan?")
    assert at.varied.revisions.count() == 1
    at.sound()


def test_a_context_changes_in_every_prompt_that_has_it(at: World) -> None:
    new = "Saya diundang ke selamatan tetangga."
    other_context = a_prompt(at.project, at.writer, context="Hujan turun.")
    Item.objects.filter(pk=other_context.pk).update(family=at.item.family)
    made = at.suggest("reword", context=new, instruction="Apa yang saya lakukan?")
    at.accept(made)
    for item, revisions in ((at.item, 2), (at.varied, 2), (at.apart, 1), (other_context, 1)):
        assert item.revisions.count() == revisions
    mine, other = (
        current_content(Item.objects.get(pk=at.item.pk)),
        current_content(Item.objects.get(pk=at.varied.pk)),
    )
    assert mine["context"] == other["context"] == new
    assert new in other["question"]
    assert mine["instruction"] == "Apa yang saya lakukan?" != other["instruction"]
    again = a_prompt(at.project, at.writer, context=new, instruction="Yang lain?")
    assert again.key[:2] == at.item.key[:2]
    at.sound()


def test_a_lead_who_wrote_one_of_the_family_does_not_change_its_context(at: World) -> None:
    Item.objects.filter(pk=at.varied.pk).update(author=at.lead)
    made = at.suggest("reword", context="Hujan turun.")
    with refused(Forbidden, "own_item"):
        at.accept(made)
    made.refresh_from_db()
    assert made.state == "open"
    assert at.item.revisions.count() == 1


def test_a_response_is_rephrased(at: World) -> None:
    at.accept(at.suggest("rephrase", **{"option-R2": "Tanyakan tempat dudukmu."}))
    item = Item.objects.get(pk=at.item.pk)
    assert item.author_label == "R2"
    assert item.options.get(key="R2").text == "Tanyakan tempat dudukmu."
    assert item.options.get(key="R2").role == "best"
    at.sound()


def test_the_meaning_is_asked_once_votes_depend_on_it(at: World) -> None:
    decide()
    voter = factory.member(at.project, "validator")
    vote = cast_vote(assign(Item.objects.get(pk=at.varied.pk), voter), "R2")
    made = at.suggest("reword", context="Saya diundang ke selamatan.")
    with refused(Invalid, "meaning_missing"):
        at.accept(made)
    at.accept(made, meaning="new")
    vote.refresh_from_db()
    assert vote.withdrawn_why == "new_meaning"
    assert set(at.project.items.filter(family=at.item.family).values_list("epoch", flat=True)) == {2}
    same = at.suggest("reword", instruction="Apa?")
    at.accept(same, meaning="same")
    at.item.refresh_from_db()
    assert (at.item.epoch, at.item.revision_n) == (2, 3)
    at.sound()


def test_a_stale_proposal_is_looked_at_again(at: World) -> None:
    made = at.suggest("reword", instruction="Apa yang saya lakukan?")
    at.accept(at.suggest("rephrase", **{"option-I1": "Langsung makan."}))
    with refused(Conflict, "suggestion_stale"):
        at.accept(made, revision_n=1)
    made.refresh_from_db()
    assert made.state == "open"
    at.accept(made, revision_n=2)
    content = current_content(Item.objects.get(pk=at.item.pk))
    assert content["instruction"] == "Apa yang saya lakukan?"
    assert {o["key"]: o["text"] for o in content["options"]}["I1"] == "Langsung makan."


def test_combining_leaves_the_other_out_and_notes_the_lineage(at: World) -> None:
    joined = parts(at.item, context="Saya diundang ke kenduri di rumah sebelah.")
    made = at.suggest("combine", other=at.apart.key, **joined)
    at.accept(made)
    left_out = Item.objects.get(pk=at.apart.pk)
    assert left_out.stage == "excluded"
    assert at.item.key in Review.objects.get(item=left_out).words
    assert current_content(Item.objects.get(pk=at.item.pk))["context"] == joined["context"]
    assert current_content(at.varied)["context"] == CONTEXT
    row = Lineage.objects.get(how="combine")
    assert (row.item, row.origin, row.suggestion) == (at.item, at.apart, made)
    about_left_out = Suggestion.objects.create(
        project=at.project, session=at.session, item=left_out, form="reword", revision_n=1, by=at.reviewer
    )
    with refused(Conflict, "suggestion_left_out"):
        at.accept(about_left_out)
    with refused(Conflict, "suggestion_left_out"):
        at.suggest("reword", left_out, instruction="Apa?")
    at.sound()


def test_combining_with_ones_own_variation_keeps_the_lineage_that_is_there(at: World) -> None:
    at.accept(at.suggest("combine", at.varied, other=at.item.key, **parts(at.varied, instruction="Apa?")))
    row = Lineage.objects.get()
    assert (row.item, row.origin, row.how) == (at.varied, at.item, "variation")
    assert Item.objects.get(pk=at.item.pk).stage == "excluded"
    with refused(Invalid, "other_missing"):
        at.suggest("combine", at.varied, other=at.item.key, **parts(at.varied))


def test_splitting_makes_a_second_prompt_of_the_same_writer(at: World) -> None:
    second = parts(at.item, instruction="Apa yang saya bawa?")
    made = at.suggest(
        "split",
        **parts(at.item, instruction="Apa yang saya pakai?"),
        **{f"second-{part}": text for part, text in second.items()},
    )
    at.accept(made)
    new = at.project.items.order_by("-pk")[0]
    assert (new.author, new.allocation, new.stage, new.author_label) == (at.writer, None, "written", "R2")
    assert new.key == at.item.key[:4] + new.key[4:8] + at.item.key[8:]
    assert new.key != at.item.key
    assert new.family == at.item.family
    content = current_content(new)
    assert content["instruction"] == "Apa yang saya bawa?"
    assert content["options"] == current_content(at.item)["options"]
    assert current_content(Item.objects.get(pk=at.item.pk))["instruction"] == "Apa yang saya pakai?"
    row = Lineage.objects.get(how="split")
    assert (row.item, row.origin, row.suggestion) == (new, at.item, made)
    at.sound()


def test_a_split_into_what_is_there_is_refused_whole(at: World) -> None:
    second = parts(at.apart)
    typed = {f"second-{part}": text for part, text in second.items()}
    made = at.suggest("split", **parts(at.item, instruction="Apa?"), **typed)
    with refused(Conflict, "prompt_id_taken"):
        at.accept(made)
    made.refresh_from_db()
    assert (made.state, at.item.revisions.count()) == ("open", 1)


def test_a_variation_is_begun_for_the_writer_and_remembers_who_proposed_it(at: World) -> None:
    made = at.suggest("variation", personal="Saya baru melahirkan.", later="R1")
    at.accept(made)
    allocation = Allocation.objects.get(origin=at.item, state="open")
    assert allocation.writer == at.writer
    begun = SlotIn.from_dict(Draft.objects.get(allocation=allocation).content)
    assert begun.more["personal"] == "Saya baru melahirkan."
    assert begun.more["best"] == "R2"
    (item,) = set_submit(writer=at.writer, token=allocation.token, slots={"p": begun})
    assert item.key[:8] == at.item.key[:8]
    row = Lineage.objects.get(item=item)
    assert (row.origin, row.how, row.suggestion) == (at.item, "variation", made)
    at.sound()


def test_another_writer_gets_the_variation_where_the_first_is_away(at: World) -> None:
    Annotator.objects.filter(pk=at.writer.pk).update(left_at="2026-01-01T00:00Z")
    made = at.suggest("variation", personal="Saya baru melahirkan.")
    with refused(Conflict, "suggestion_no_writer"):
        at.accept(made)
    other = factory.member(at.project, "writer")
    at.accept(made)
    assert Allocation.objects.get(origin=at.item, state="open").writer == other


def test_a_closed_project_takes_nothing_more(at: World) -> None:
    made = at.suggest("reword", instruction="Apa?")
    Project.objects.filter(pk=at.project.pk).update(closed_at="2026-01-01T00:00Z")
    acts = (
        partial(at.accept, made),
        partial(at.decline, made),
        partial(at.suggest, "reword", instruction="Siapa?"),
        partial(group.take_back, by=at.reviewer, session_id=at.session.pk, suggestion_id=made.pk),
    )
    for act in acts:
        with refused(Conflict, "closed_group"):
            act()
