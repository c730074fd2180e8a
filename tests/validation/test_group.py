"""Group review: what is proposed, who decides it, and what each makes happen (Kalahi §3.2, rulings 6, 7)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import pytest

from annotation import actions as writing
from annotation.actions.sessions import session_create
from annotation.actions.writing import content_now
from annotation.errors import Conflict, Forbidden, Invalid, NotFound, Refusal
from annotation.kinds import SlotIn
from annotation.messages import PROBLEMS
from annotation.models import Annotator, Draft, Item, Lineage, Project, Session, Share, Suggestion
from tests import factory
from tests.prompts import a_prompt, a_prompt_project, a_variation
from tests.race import together
from tests.review import cast, decide, sit
from validation import integrity
from validation.actions import group, group_decide, review
from validation.models import Review, Seat

pytestmark = pytest.mark.django_db
SITUATION = "Saya sedang berpuasa."
CONTEXT = "Saya diundang ke kenduri tetangga."


@dataclass
class World:
    """A project with a prompt, its variation and another prompt, two leads, two reviewers and a session."""

    project: Project
    writer: Annotator
    lead: Annotator
    other_lead: Annotator
    reviewer: Annotator
    second: Annotator
    session: Session
    item: Item
    varied: Item
    apart: Item

    def suggest(self, form: str, item: Item | None = None, /, words: str = "", **typed: str) -> Suggestion:
        by = {"by": self.reviewer, "session_id": self.session.pk, "item_id": (item or self.item).pk}
        return group.suggest(**by, form=form, typed=typed, words=words)  # type: ignore[arg-type]

    def accept(self, made: Suggestion, lead: Annotator | None = None, **given: Any) -> Suggestion:
        seen = given.pop("revision_n", Item.objects.get(pk=made.item_id).revision_n)
        return group_decide.accept(
            lead=lead or self.lead,
            session_id=self.session.pk,
            suggestion_id=made.pk,
            revision_n=seen,
            **given,
        )

    def decline(self, made: Suggestion, lead: Annotator | None = None, reason: str = "No.") -> Suggestion:
        here = {"session_id": self.session.pk, "suggestion_id": made.pk}
        return group_decide.decline(lead=lead or self.lead, **here, reason=reason)

    def sound(self) -> None:
        decide()
        assert list(integrity.run(project=self.project)) == []


def build(**fields: Any) -> World:
    project = a_prompt_project(**fields)
    writer = factory.member(project, "writer")
    item = a_prompt(project, writer, context=CONTEXT)
    varied = a_variation(project, writer, item, SITUATION)
    apart = a_prompt(project, writer)
    lead, other = (factory.member(project, "lead") for _ in range(2))
    one, two = (factory.member(project, "reviewer") for _ in range(2))
    held = session_create(lead=lead, purpose="review", name="Sanggar", held_on=date(2026, 3, 1))
    return World(project, writer, lead, other, one, two, held, item, varied, apart)


@pytest.fixture
def at(db: None) -> World:
    return build()


def parts(item: Item, **other: str) -> dict[str, str]:
    content = content_now(item)
    return {name: content[name] for name in ("user", "context", "personal", "instruction")} | other


@contextmanager
def refused(kind: type[Refusal], code: str) -> Iterator[Any]:
    """What is done within is refused for this reason, which has words for people."""
    assert code in PROBLEMS
    with pytest.raises(kind) as refusal:
        yield refusal
    assert getattr(refusal.value, "code", "") == code


def told(came: list[Any]) -> list[tuple[type, str]]:
    """What was refused of what was done at once; anything else that went wrong is raised."""
    for each in came:
        if isinstance(each, Exception) and not isinstance(each, Refusal):
            raise each
    return [(type(each), each.code) for each in came if isinstance(each, Refusal)]


# --- sessions -----------------------------------------------------------------------------


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
def test_what_makes_no_proposal_says_where(
    at: World, form: str, typed: dict[str, str], code: str, field: str
) -> None:
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
    barred = Seat.objects.filter(annotator=both, state="barred").values_list("item", flat=True)
    assert set(barred) == {at.item.pk, at.varied.pk}


# --- deciding ---------------------------------------------------------------------------------


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
    mine, other = content_now(Item.objects.get(pk=at.item.pk)), content_now(Item.objects.get(pk=at.varied.pk))
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
    vote = cast(sit(Item.objects.get(pk=at.varied.pk), voter), "R2")
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
    content = content_now(Item.objects.get(pk=at.item.pk))
    assert content["instruction"] == "Apa yang saya lakukan?"
    assert {o["key"]: o["text"] for o in content["options"]}["I1"] == "Langsung makan."


def test_combining_leaves_the_other_out_and_notes_the_lineage(at: World) -> None:
    joined = parts(at.item, context="Saya diundang ke kenduri di rumah sebelah.")
    made = at.suggest("combine", other=at.apart.key, **joined)
    at.accept(made)
    left_out = Item.objects.get(pk=at.apart.pk)
    assert left_out.stage == "excluded"
    assert at.item.key in Review.objects.get(item=left_out).words
    assert content_now(Item.objects.get(pk=at.item.pk))["context"] == joined["context"]
    assert content_now(at.varied)["context"] == CONTEXT
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
    assert (new.author, new.share, new.stage, new.author_label) == (at.writer, None, "written", "R2")
    assert new.key == at.item.key[:4] + new.key[4:8] + at.item.key[8:]
    assert new.key != at.item.key
    assert new.family == at.item.family
    content = content_now(new)
    assert content["instruction"] == "Apa yang saya bawa?"
    assert content["options"] == content_now(at.item)["options"]
    assert content_now(Item.objects.get(pk=at.item.pk))["instruction"] == "Apa yang saya pakai?"
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
    share = Share.objects.get(origin=at.item, state="open")
    assert share.writer == at.writer
    begun = SlotIn.from_dict(Draft.objects.get(share=share).content)
    assert begun.more["personal"] == "Saya baru melahirkan."
    assert begun.more["best"] == "R2"
    (item,) = writing.set_submit(writer=at.writer, token=share.token, slots={"p": begun})
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
    assert Share.objects.get(origin=at.item, state="open").writer == other


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


# --- two at once --------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("rival", ["accept", "decline", "back"])
def test_only_one_thing_becomes_of_a_proposal(rival: str) -> None:
    at = build()
    for n in range(4):
        made = at.suggest("split" if n % 2 else "reword", **_typed(at, n))
        second: Any = {
            "accept": partial(at.accept, made, at.other_lead),
            "decline": partial(at.decline, made, at.other_lead),
            "back": partial(group.take_back, by=at.reviewer, session_id=at.session.pk, suggestion_id=made.pk),
        }[rival]
        before = at.item.revisions.count()
        came = together([partial(at.accept, made), second])
        assert told(came) == [(Conflict, "suggestion_over")]
        made.refresh_from_db()
        assert made.state != "open"
        assert at.item.revisions.count() == before + (made.state == "accepted")
    at.sound()


def _typed(at: World, n: int) -> dict[str, str]:
    first = parts(Item.objects.get(pk=at.item.pk), instruction=f"Apa yang ke-{n}?")
    second = {f"second-{part}": text for part, text in {**first, "instruction": f"Siapa ke-{n}?"}.items()}
    return {**first, **second} if n % 2 else {"instruction": first["instruction"]}


@pytest.mark.django_db(transaction=True)
def test_a_context_changed_from_both_ends_at_once_waits_for_nobody_in_a_circle() -> None:
    at = build()
    for n in range(4):
        one = at.suggest("reword", context=f"Kenduri ke-{n}.")
        two = at.suggest("reword", at.varied, context=f"Selamatan ke-{n}.")
        came = together([partial(at.accept, one), partial(at.accept, two, at.other_lead)])
        assert set(told(came)) <= {(Conflict, "suggestion_stale")}
        contexts = {content_now(item)["context"] for item in at.project.items.filter(family=at.item.family)}
        assert len(contexts) == 1
    at.sound()


@pytest.mark.django_db(transaction=True)
def test_a_lead_who_excludes_and_one_who_accepts_at_once() -> None:
    at = build()
    made = at.suggest("reword", context="Kenduri besar.")
    no = partial(review.exclude, lead=at.other_lead, item_id=at.item.pk, version=1, words="No.")
    came = together([partial(at.accept, made), no])
    assert told(came) in ([(Conflict, "suggestion_left_out")], [(Conflict, "stale")])
    at.sound()
