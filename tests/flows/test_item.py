"""One item over HTTP: every action's form, what a stale one keeps, and what its writer sees."""

import re

import pytest

from annotation.content.models.item import Item
from tests import factory
from tests.flows.desk import act, browser_of, get, make_doubtful, page
from tests.page_text import page_text
from tests.review import World, assign, cast_vote, cast_votes, decide, give_back, world
from tests.shared_worlds import SharedWorlds
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import comment_add
from validation.review.models.comment import Comment
from validation.voting.models.review import Proposal, Review

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(standing: SharedWorlds) -> World:
    return standing(world)


# --- the item and its actions ----------------------------------------------------------------


def test_the_page_tells_everything_that_happened(at: World) -> None:
    item = at.item("e")
    cast_vote(
        assign(item, at.validators[0]),
        "e",
        comment="Kata kerjanya aneh.",
        answers={"text_error": "yes"},
        proposals={"hypothesis": "Ada mangga yang dijual di pasar itu."},
    )
    item = cast_votes(at, item, "n")
    item = cast_votes(at, item, "e")
    item = correct(
        lead=at.lead,
        item_id=item.pk,
        version=item.version,
        field="hypothesis",
        text="Ada pisang yang dijual di pasar.",
        meaning="same",
        words="Wrong fruit.",
    )
    comment_add(lead=at.other_lead, item_id=item.pk, text="Agreed.")
    text = get(at, at.lead, "item", item.pk)
    for words in (
        "Ada pisang yang dijual",
        "<del> mangga</del><ins> pisang</ins>",
        "Kata kerjanya aneh.",
        "Proposed corrections",
        "proposed correction",
        "Wrong fruit.",
        "Agreed.",
        "gold label found",
        "another round asked for",
        at.validators[0].pseudonym,
        "3 votes in full",
    ):
        assert words.lower() in text.lower(), words


SENT: dict[str, dict[str, str]] = {
    "approve": {},
    "return": {"error_type": "copy", "words": "Too close."},
    "adjudicate": {"label": "c", "words": "Plain."},
    "exclude": {"words": "Harmful."},
    "correct": {"field": "hypothesis", "text": "Ada mangga.", "meaning": "new", "words": "Shorter."},
    "void": {"vote": "1", "words": "Not in good faith."},
    "comment": {"text": "Look at this."},
}
STAGES = {
    "approve": "settled",
    "return": "returned",
    "adjudicate": "adjudicated",
    "exclude": "excluded",
    "correct": "voting",
    "void": "voting",
    "comment": "settled",
}


@pytest.mark.parametrize("what", SENT)
def test_every_form_works_and_goes_on(at: World, what: str) -> None:
    item, following = make_doubtful(at, "e", ambiguous=True), make_doubtful(at, "n", unsure=True)
    answer = act(at, item, what, "?label=e", **SENT[what])
    assert answer.status_code == 302
    stays = what in ("void", "comment")
    onward = page(at, "item", item.pk) if stays else page(at, "desk")
    assert answer["Location"] == onward + "?label=e"
    decide()
    item.refresh_from_db()
    assert item.stage == STAGES[what]
    answer = act(at, item, "comment", text="Once more.")
    assert Comment.objects.filter(item=item).count() == (2 if what == "comment" else 1)
    assert act(at, doubtful_first(at, following), "approve")["Location"].startswith(page(at, "desk"))


def doubtful_first(at: World, item: Item) -> Item:
    item.refresh_from_db()
    Item.objects.filter(project=at.project).exclude(pk=item.pk).update(doubt=0)
    return item


def test_the_next_item_of_the_list_follows(at: World) -> None:
    first, second, third = (
        make_doubtful(at, "e", ambiguous=True),
        make_doubtful(at, "n", unsure=True),
        make_doubtful(at, "c"),
    )
    text = get(at, at.lead, "item", second.pk)
    steps = dict(re.findall(r'data-key="([pn])"\s+href="([^"]+)"', text))
    assert steps == {"p": page(at, "item", first.pk), "n": page(at, "item", third.pk)}
    assert act(at, first, "approve")["Location"] == page(at, "item", second.pk)
    assert act(at, second, "exclude", words="No.")["Location"] == page(at, "item", third.pk)
    assert act(at, third, "approve")["Location"] == page(at, "desk")


@pytest.mark.parametrize(
    ("what", "without"),
    [
        ("return", "error_type"),
        ("return", "words"),
        ("adjudicate", "label"),
        ("exclude", "words"),
        ("correct", "meaning"),
        ("correct", "text"),
        ("void", "words"),
        ("comment", "text"),
    ],
)
def test_what_is_missing_is_asked_for_and_what_was_typed_is_kept(at: World, what: str, without: str) -> None:
    item = make_doubtful(at, "e")
    fields = {**SENT[what], without: ""}
    answer = act(at, item, what, **fields)
    assert answer.status_code == 422
    text = answer.content.decode()
    assert 'role="alert"' in text
    for name, value in fields.items():
        if name in ("words", "text") and value:
            assert value in text
    item.refresh_from_db()
    assert item.stage == "settled"


def test_a_stale_form_is_kept_and_told_what_happened(at: World) -> None:
    item = make_doubtful(at, "e")
    seen = item.version
    correct(
        lead=at.other_lead,
        item_id=item.pk,
        version=seen,
        field="hypothesis",
        text="Ada pisang yang dijual di pasar.",
        meaning="same",
        words="Wrong fruit.",
    )
    answer = act(at, item, "return", error_type="language", words="My long explanation.")
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "My long explanation." in text
    assert "Wrong fruit." in text
    assert "<del> mangga</del><ins> pisang</ins>" in text
    assert f'name="version" value="{seen + 1}"' in text
    assert not Review.objects.filter(item=item).exists()
    item.refresh_from_db()
    again = act(at, item, "return", error_type="language", words="My long explanation.")
    assert again.status_code == 302


def test_a_premise_says_how_many_pairs_and_votes_it_holds(at: World) -> None:
    item = make_doubtful(at, "e")
    make_doubtful(at, "n")
    text = get(at, at.lead, "item", item.pk)
    assert "It belongs to 6 items, with 4 standing votes in all." in text
    premise = item.hypothesis.premise.text.replace("mangga", "salak")
    sent = {"field": "premise", "text": premise, "meaning": "new", "words": ""}
    assert act(at, item, "correct", **sent).status_code == 302
    decide()
    assert set(Item.objects.filter(project=at.project).values_list("stage", "epoch")) == {("voting", 2)}


@pytest.mark.parametrize("what", ["accept", "decline"])
def test_proposals_are_decided_on_the_page(at: World, what: str) -> None:
    item = at.item("e")
    cast_vote(assign(item, at.validators[0]), "e", proposals={"hypothesis": "Mangga dijual di pasar."})
    item = cast_votes(at, item, "e")
    proposal = Proposal.objects.get()
    if what == "accept":
        assert act(at, item, what, proposal=proposal.pk).status_code == 422  # the meaning has no default
    assert act(at, item, what, proposal=proposal.pk, meaning="same").status_code == 302
    proposal.refresh_from_db()
    assert proposal.state == {"accept": "accepted", "decline": "declined"}[what]
    item.refresh_from_db()
    assert act(at, item, what, proposal=proposal.pk, meaning="same").status_code in (409, 422)
    assert act(at, item, what, proposal="x", meaning="same").status_code == 404


# --- the writer ---------------------------------------------------------------------------------


def test_a_writer_mends_what_came_back(at: World) -> None:
    item = give_back(at, make_doubtful(at, "e", unsure=True))
    text = get(at, at.writer, "returned")
    assert "Please look at the verb." in text
    text = get(at, at.writer, "returned_item", item.pk)
    assert "Grammar, spelling or punctuation" in text
    assert item.hypothesis.text in text
    path = page(at, "returned_item", item.pk)
    sent = {"text_e1": item.hypothesis.premise.text, "version_e1": item.version, "words": "Corrected."}
    refused = browser_of(at.writer).post(path, sent)
    assert refused.status_code == 422
    assert "Corrected." in refused.content.decode()
    assert "check-line--block" in refused.content.decode()
    stale = browser_of(at.writer).post(path, {**sent, "text_e1": "Mangga ada.", "version_e1": item.version - 1})
    assert stale.status_code == 409
    assert "Mangga ada." in stale.content.decode()
    done = browser_of(at.writer).post(path, {**sent, "text_e1": "Mangga dijual di pasar."})
    assert done["Location"] == page(at, "returned")
    item.refresh_from_db()
    assert (item.stage, item.hypothesis.text) == ("corrected", "Mangga dijual di pasar.")
    assert "1 that you submitted again" in get(at, at.writer, "returned")
    assert browser_of(at.writer).post(path, sent).status_code == 409


def test_a_writer_sees_what_leads_changed_and_nothing_of_votes(at: World) -> None:
    item = at.item("e")
    cast_vote(assign(item, at.validators[0]), "n", comment="A voter's secret.", unsure=True)
    item = cast_votes(at, item, "n")
    item = cast_votes(at, item, "n")
    item = correct(
        lead=at.lead,
        item_id=item.pk,
        version=item.version,
        field="hypothesis",
        text="Ada pisang yang dijual di pasar.",
        meaning="new",
        words="Wrong fruit.",
    )
    comment_add(lead=at.lead, item_id=item.pk, text="A lead's secret.")
    for text in (get(at, at.writer, "returned"), get(at, at.writer, "returned_item", item.pk)):
        assert "Wrong fruit." in text
        said = page_text(text)
        assert said != text
        for person in at.validators:
            assert not re.search(rf"\b{person.pseudonym}\b", said)
        for secret in ("secret", "unsure", "gold", "round", "vote"):
            assert secret not in said.lower().replace("/vote/", "").replace("css/vote", ""), secret
        assert at.lead.pseudonym not in said
    assert "<del> mangga</del><ins> pisang</ins>" in get(at, at.writer, "returned_item", item.pk)
    other = factory.member(at.project, "writer")
    assert browser_of(other).get(page(at, "returned_item", item.pk)).status_code == 404
    assert browser_of(at.validators[0]).get(page(at, "returned")).status_code == 403
