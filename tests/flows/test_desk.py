"""The review desk over HTTP: who sees what, filters, every action's form, and what a stale one keeps."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Annotator, Item
from tests import factory
from tests.review import World, cast, decide, give_back, resubmit, sit, votes, world
from validation.actions import review
from validation.models import Comment, Flag, Proposal, Review

pytestmark = pytest.mark.django_db


def client(person: Annotator) -> Client:
    made = Client()
    assert person.user is not None
    made.force_login(person.user)
    return made


def page(at: World, name: str, *args: Any, **query: Any) -> str:
    path = reverse(name, args=[at.project.slug, *args])
    return path + ("?" + "&".join(f"{key}={value}" for key, value in query.items()) if query else "")


def get(at: World, who: Annotator, name: str, *args: Any, **query: Any) -> str:
    answer = client(who).get(page(at, name, *args, **query))
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def act(at: World, item: Item, what: str, trail: str = "", **fields: Any) -> Any:
    sent = {"version": item.version, **fields}
    return client(at.lead).post(page(at, "item_act", item.pk, what) + trail, sent)


def doubtful(at: World, label: str, *, unsure: bool = False, ambiguous: bool = False) -> Item:
    item = at.item(label)
    return votes(at, item, label * 2, unsure=unsure, ambiguous=ambiguous)


# --- lists ------------------------------------------------------------------------------


def test_the_most_doubtful_stand_first() -> None:
    at = world()
    unsure = doubtful(at, "e", unsure=True)
    ambiguous = doubtful(at, "n", ambiguous=True)
    none = votes(at, at.item("c"), "neen")
    text = get(at, at.lead, "desk")
    places = [text.index(reverse("item", args=[at.project.slug, i.pk])) for i in (none, ambiguous, unsure)]
    assert places == sorted(places)
    assert text.count("<tr>") == 1 + 3
    whole = get(at, at.lead, "items")
    assert whole.count("<tr>") == 1 + 6


def test_what_is_returned_waits_for_its_writer_and_comes_back_to_its_lead() -> None:
    at = world()
    item = give_back(at, doubtful(at, "e", unsure=True))
    link = reverse("item", args=[at.project.slug, item.pk])
    assert link not in get(at, at.lead, "desk")
    assert link in get(at, at.lead, "desk", stage="returned")
    resubmit(at, item)
    assert link in get(at, at.lead, "desk")
    assert "1 item was corrected" in get(at, at.lead, "desk")
    assert link not in get(at, at.other_lead, "desk")
    assert link in get(at, at.other_lead, "items")
    # after two days to any lead
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotation_revision SET at = at - interval '3 days'")
    assert link in get(at, at.other_lead, "desk")


def test_the_lead_who_left_holds_nothing_back() -> None:
    at = world()
    item = resubmit(at, give_back(at, doubtful(at, "e")))
    Annotator.objects.filter(pk=at.lead.pk).update(left_at="2026-01-01T00:00Z")
    assert reverse("item", args=[at.project.slug, item.pk]) in get(at, at.other_lead, "desk")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"flag": "unsure"}, "e"),
        ({"flag": "nobody_left"}, ""),
        ({"stage": "settled"}, "en"),
        ({"stage": "no_consensus"}, "c"),
        ({"round": "3"}, "c"),
        ({"label": "n"}, "n"),
        ({"gold": "e"}, "e"),
        ({"gold": "-"}, "c"),
        ({"q": "dijual di pasar."}, "e"),
        ({"q": "PEDAGANG"}, "enc"),
        ({"q": "%"}, ""),
        ({"q": "' OR 1=1 --"}, ""),
        ({"lane": "main"}, "enc"),
        ({"lane": "other"}, ""),
        ({"person": "nobody"}, ""),
        ({"invented": "x", "ordering": "gold"}, "enc"),
    ],
)
def test_filters(query: dict[str, str], found: str) -> None:
    at = world()
    items = {"e": doubtful(at, "e", unsure=True), "n": doubtful(at, "n", ambiguous=True)}
    items["c"] = votes(at, at.item("c"), "neen")
    text = client(at.lead).get(page(at, "desk"), query).content.decode()
    links = {label: reverse("item", args=[at.project.slug, item.pk]) for label, item in items.items()}
    assert {label for label, link in links.items() if link in text} == set(found)


def test_the_filter_for_a_person_finds_writers_and_voters() -> None:
    at = world()
    item = doubtful(at, "e")
    for person in (at.writer, at.validators[0]):
        assert str(item.hypothesis.text) in get(at, at.lead, "items", person=person.pseudonym)
    assert get(at, at.lead, "items", person=at.validators[0].pseudonym).count("<tr>") == 2


@pytest.mark.parametrize(
    "query",
    [
        {"flag": "x"},
        {"stage": "deleted"},
        {"round": "1e9"},
        {"round": "-1"},
        {"label": "entails"},
        {"gold": "*"},
        {"page": "0"},
        {"page": "9" * 12},
        {"q": "a\0b"},
        {"q": "a" * 201},
        {"votes__label": "e"},
        {"author__user__password__regex": "^m"},
    ],
)
def test_values_that_cannot_be_are_refused(query: dict[str, str]) -> None:
    at = world(opened=False)
    for name in ("desk", "items"):
        assert client(at.lead).get(page(at, name), query).status_code == 400


@pytest.mark.parametrize("name", ["desk", "items", "item"])
def test_statements_do_not_grow(name: str) -> None:
    at = world(sets=2)
    Item.objects.filter(project=at.project).update(doubt=8)
    many = world(sets=85)
    assert len(many.items) > 500
    Item.objects.filter(project=many.project).update(doubt=8)
    Flag.objects.bulk_create(
        Flag(project=many.project, item=item, code="unsure", version=2) for item in many.items
    )
    counts = []
    for one in (at, many):
        browser = client(one.lead)
        path = page(one, name, one.items[0].pk) if name == "item" else page(one, name)
        browser.get(path)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert browser.get(path).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 24, counts


def test_pages_of_a_list_keep_the_filters() -> None:
    at = world(sets=5)
    Item.objects.filter(project=at.project).update(doubt=8)
    text = get(at, at.lead, "desk", q="pasar")
    assert "?q=pasar&amp;page=2" in text
    assert get(at, at.lead, "desk", q="pasar", page=2).count("<tr>") == 1 + 5


# --- who ----------------------------------------------------------------------------------


def test_who_may_look_and_who_may_act() -> None:
    at = world()
    item = doubtful(at, "e")
    administrator = factory.user(administrator=True)
    reader = Client()
    reader.force_login(administrator)
    for path in (page(at, "desk"), page(at, "items"), page(at, "item", item.pk)):
        assert reader.get(path).status_code == 200
        for person in (at.writer, at.validators[0]):
            assert client(person).get(path).status_code == 403
    assert b'name="version"' not in reader.get(page(at, "item", item.pk)).content
    assert reader.post(page(at, "item_act", item.pk, "approve"), {"version": item.version}).status_code == 403
    stranger = factory.member(factory.project(), "lead")
    assert client(stranger).get(page(at, "item", item.pk)).status_code == 404
    assert act(at, item, "invented").status_code == 404


def test_a_lead_who_writes_does_not_meet_their_own() -> None:
    at = world()
    item = doubtful(at, "e", unsure=True)
    Annotator.objects.filter(pk=at.writer.pk).update(is_lead=True, has_led=True)
    for name in ("desk", "items"):
        assert get(at, at.writer, name).count("<tr>") == 0
    assert client(at.writer).get(page(at, "item", item.pk)).status_code == 403
    sent = client(at.writer).post(page(at, "item_act", item.pk, "approve"), {"version": item.version})
    assert sent.status_code == 403


# --- the item and its actions ----------------------------------------------------------------


def test_the_page_tells_everything_that_happened() -> None:
    at = world()
    item = at.item("e")
    cast(
        sit(item, at.validators[0]),
        "e",
        comment="Kata kerjanya aneh.",
        answers={"text_error": "yes"},
        proposals={"hypothesis": "Ada mangga yang dijual di pasar itu."},
    )
    item = votes(at, item, "n")
    item = votes(at, item, "e")
    item = review.correct(
        lead=at.lead,
        item_id=item.pk,
        version=item.version,
        field="hypothesis",
        text="Ada pisang yang dijual di pasar.",
        meaning="same",
        words="Wrong fruit.",
    )
    review.comment_add(lead=at.other_lead, item_id=item.pk, text="Agreed.")
    text = get(at, at.lead, "item", item.pk)
    for words in (
        "Ada pisang yang dijual",
        "<del>mangga </del><ins>pisang </ins>",
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
def test_every_form_works_and_goes_on(what: str) -> None:
    at = world()
    item, following = doubtful(at, "e", ambiguous=True), doubtful(at, "n", unsure=True)
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


def test_the_next_item_of_the_list_follows() -> None:
    at = world()
    first, second, third = (
        doubtful(at, "e", ambiguous=True),
        doubtful(at, "n", unsure=True),
        doubtful(at, "c"),
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
def test_what_is_missing_is_asked_for_and_what_was_typed_is_kept(what: str, without: str) -> None:
    at = world()
    item = doubtful(at, "e")
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


def test_a_stale_form_is_kept_and_told_what_happened() -> None:
    at = world()
    item = doubtful(at, "e")
    seen = item.version
    review.correct(
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
    assert "<del>mangga </del><ins>pisang </ins>" in text
    assert f'name="version" value="{seen + 1}"' in text
    assert not Review.objects.filter(item=item).exists()
    item.refresh_from_db()
    again = act(at, item, "return", error_type="language", words="My long explanation.")
    assert again.status_code == 302


def test_a_premise_says_how_many_pairs_and_votes_it_holds() -> None:
    at = world()
    item = doubtful(at, "e")
    doubtful(at, "n")
    text = get(at, at.lead, "item", item.pk)
    assert "It belongs to 6 items, with 4 standing votes in all." in text
    premise = item.hypothesis.premise.text.replace("mangga", "salak")
    sent = {"field": "premise", "text": premise, "meaning": "new", "words": ""}
    assert act(at, item, "correct", **sent).status_code == 302
    decide()
    assert set(Item.objects.filter(project=at.project).values_list("stage", "epoch")) == {("voting", 2)}


@pytest.mark.parametrize("what", ["accept", "decline"])
def test_proposals_are_decided_on_the_page(what: str) -> None:
    at = world()
    item = at.item("e")
    cast(sit(item, at.validators[0]), "e", proposals={"hypothesis": "Mangga dijual di pasar."})
    item = votes(at, item, "e")
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


def test_a_writer_mends_what_came_back() -> None:
    at = world()
    item = give_back(at, doubtful(at, "e", unsure=True))
    text = get(at, at.writer, "returned")
    assert "Please look at the verb." in text
    text = get(at, at.writer, "returned_item", item.pk)
    assert "Grammar, spelling or punctuation" in text
    assert item.hypothesis.text in text
    path = page(at, "returned_item", item.pk)
    sent = {"text_e1": item.hypothesis.premise.text, "version_e1": item.version, "words": "Mended."}
    refused = client(at.writer).post(path, sent)
    assert refused.status_code == 422
    assert "Mended." in refused.content.decode()
    assert "check-line--block" in refused.content.decode()
    stale = client(at.writer).post(path, {**sent, "text_e1": "Mangga ada.", "version_e1": item.version - 1})
    assert stale.status_code == 409
    assert "Mangga ada." in stale.content.decode()
    done = client(at.writer).post(path, {**sent, "text_e1": "Mangga dijual di pasar."})
    assert done["Location"] == page(at, "returned")
    item.refresh_from_db()
    assert (item.stage, item.hypothesis.text) == ("corrected", "Mangga dijual di pasar.")
    assert "1 that you sent back" in get(at, at.writer, "returned")
    assert client(at.writer).post(path, sent).status_code == 409


def test_a_writer_sees_what_leads_changed_and_nothing_of_votes() -> None:
    at = world()
    item = at.item("e")
    cast(sit(item, at.validators[0]), "n", comment="A voter's secret.", unsure=True)
    item = votes(at, item, "n")
    item = votes(at, item, "n")
    item = review.correct(
        lead=at.lead,
        item_id=item.pk,
        version=item.version,
        field="hypothesis",
        text="Ada pisang yang dijual di pasar.",
        meaning="new",
        words="Wrong fruit.",
    )
    review.comment_add(lead=at.lead, item_id=item.pk, text="A lead's secret.")
    for text in (get(at, at.writer, "returned"), get(at, at.writer, "returned_item", item.pk)):
        assert "Wrong fruit." in text
        for secret in ("secret", "unsure", "gold", "round", "vote", *(v.pseudonym for v in at.validators)):
            assert secret not in text.lower().replace("/vote/", "").replace("css/vote", ""), secret
        assert at.lead.pseudonym not in text
    assert "<del>mangga </del><ins>pisang </ins>" in get(at, at.writer, "returned_item", item.pk)
    other = factory.member(at.project, "writer")
    assert client(other).get(page(at, "returned_item", item.pk)).status_code == 404
    assert client(at.validators[0]).get(page(at, "returned")).status_code == 403
