"""The pages of group review over HTTP: who sees them, what they show and keep, and what they cost."""

from copy import copy
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.content.queries import current_content
from annotation.core.models.member import Annotator
from annotation.elicitation.models import Session, Suggestion
from annotation.kinds.shapes import QA
from tests import factory
from tests.group import CONTEXT, World, build, parts
from tests.page_text import page_text
from tests.prompts import a_topic, a_variation
from tests.review import assign, cast_vote, decide
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(standing: SharedWorlds) -> World:
    return standing(build)


def browser(person: Annotator) -> Client:
    client = Client()
    assert person.user is not None
    client.force_login(person.user)
    return client


def base(at: World) -> str:
    return f"/p/{at.project.slug}/review-group/{at.session.pk}/"


def words(answer: Any) -> str:
    return str(answer.content.decode())


# --- sessions ---------------------------------------------------------------------------------


def test_a_lead_makes_a_session_and_everybody_finds_it(at: World) -> None:
    client = browser(at.lead)
    url = f"/p/{at.project.slug}/sessions/"
    typed = {
        "purpose": "review",
        "name": "Pendopo",
        "held_on": "2026-03-02",
        "participants": "Sembilan orang.",
    }
    assert client.post(url, typed).status_code == 302
    held = Session.objects.get(name="Pendopo")
    for person in (at.lead, at.reviewer):
        page = browser(person).get(url)
        assert "Sembilan orang." in words(page)
        assert f"{base(at)[: -len(str(at.session.pk)) - 1]}{held.pk}/" in words(page)
    assert browser(at.reviewer).get(url).context["form"] is None
    assert browser(at.reviewer).post(url, typed).status_code == 403
    again = client.post(url, typed)
    assert again.status_code == 422
    assert "Sembilan orang." in words(again)
    assert client.post(url, {**typed, "held_on": "soon"}).status_code == 422


def test_who_comes_in(at: World) -> None:
    validator = factory.member(at.project, "validator")
    stranger = factory.member(factory.project(), "lead")
    boss = factory.user(administrator=True)
    pages = [base(at), f"{base(at)}{at.item.pk}/", f"/p/{at.project.slug}/show/{at.session.pk}/"]
    for page in pages:
        for person, status in (
            (at.reviewer, 200),
            (at.lead, 200),
            (at.writer, 403),
            (validator, 403),
            (stranger, 404),
        ):
            assert browser(person).get(page).status_code == status, page
        client = Client()
        client.force_login(boss)
        assert client.get(page).status_code == 200
        assert client.get(page.replace(str(at.session.pk), "999999")).status_code == 404
    nli = factory.member(factory.project(), "lead")
    for page in ("sessions/", "review-group/1/", "show/1/"):
        assert browser(nli).get(f"/p/{nli.project.slug}/{page}").status_code == 404


# --- the list -----------------------------------------------------------------------------------


def test_families_stand_together_and_open_proposals_are_counted(at: World) -> None:
    a_variation(at.project, at.writer, at.apart, "Saya sakit.")
    at.suggest("reword", at.varied, instruction="Apa?")
    at.suggest("reword", at.varied, instruction="Siapa?")
    page = browser(at.reviewer).get(base(at))
    found = [(family.context, [row.waits for row in family.rows]) for family in page.context["families"]]
    assert [waits for _, waits in found] == [[0, 2], [0, 0]]
    assert found[0][0] == CONTEXT
    narrowed = browser(at.reviewer).get(base(at), {"open": "1"})
    assert [row.item.pk for family in narrowed.context["families"] for row in family.rows] == [at.varied.pk]
    none = browser(at.reviewer).get(base(at), {"open": "1"})
    assert none.status_code == 200


def test_pages_cost_the_same_for_ten_prompts_and_for_five_hundred(at: World) -> None:
    client = browser(at.lead)
    at.suggest("reword", context="Kenduri.")
    pages = [
        base(at),
        f"{base(at)}?open=1",
        f"{base(at)}{at.item.pk}/",
        f"/p/{at.project.slug}/show/{at.session.pk}/?at=2",
        f"/p/{at.project.slug}/sessions/",
        f"/p/{at.project.slug}/items/{at.item.pk}/",
        f"/p/{at.project.slug}/desk/",
        "/",
    ]
    _more(at, 7)
    few = [_count(client, page) for page in pages]
    _more(at, 490)
    assert at.project.items.count() == 500
    assert [_count(client, page) for page in pages] == few


def _count(client: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(page).status_code == 200
    return len(queries)


def _more(at: World, count: int) -> None:
    """Copies of a prompt, every third in the first family, each of those with a proposal; one more about the first."""
    start = at.project.items.count()
    content, pattern = current_content(at.apart), Item.objects.select_related("qa").get(pk=at.apart.pk)
    concept = pattern.qa.concept
    items = []
    for n in range(start, start + count):
        family = at.item.family if n % 3 == 0 else pattern.family
        item = copy(pattern)
        item.pk, item.key, item.family, item.shuffle = None, f"{n:010d}", family, n
        items.append(item)
    items = Item.objects.bulk_create(items)
    contents = [{**content, "context": CONTEXT} if item.family == at.item.family else content for item in items]
    shapes.get(QA).store(items, [concept] * count, contents)
    Revision.objects.bulk_create(
        Revision(
            project=at.project,
            item=item,
            n=1,
            version=1,
            epoch=1,
            event="submit",
            meaning="first",
            fields_n=1,
            sentences_n=1,
            content=each,
        )
        for item, each in zip(items, contents, strict=True)
    )
    for item in items[::3]:
        at.suggest("reword", item, instruction="Siapa?")
    at.suggest("rephrase", **{"option-R1": f"Salami {start} orang."})


# --- one prompt ------------------------------------------------------------------------------------


def test_one_prompt_with_everything_about_it(at: World) -> None:
    made = at.suggest("reword", instruction="Apa yang saya lakukan?", words="Lebih pendek.")
    url = f"{base(at)}{at.item.pk}/"
    page = words(browser(at.reviewer).get(url))
    for text in parts(at.item).values():
        assert text in page
    for text in (
        "Tanyakan kepada tuan rumah",
        "Langsung ambil makanan",
        "Lebih pendek.",
        "<del>",
        "Undo",
    ):
        assert text in page
    assert "Make the change" not in page
    assert "Make the change" in words(browser(at.lead).get(url))
    other = words(browser(at.second).get(url))
    assert "Undo" not in other
    act = f"{base(at)}proposals/{made.pk}/"
    assert browser(at.second).post(f"{act}remark/", {"text": "Setuju <b>sekali</b>."}).status_code == 302
    assert "Setuju &lt;b&gt;sekali&lt;/b&gt;." in words(browser(at.lead).get(url))


def test_reviewers_see_roles_and_nothing_of_votes(at: World) -> None:
    decide()
    voter = factory.member(at.project, "validator")
    cast_vote(assign(Item.objects.get(pk=at.item.pk), voter), "I1", comment="canary-comment")
    Item.objects.filter(pk=at.item.pk).update(gold="R2", gold_from="votes", stage="settled")
    at.suggest("reword", context="Kenduri.")
    room = f"/p/{at.project.slug}/show/{at.session.pk}/"
    client = browser(at.reviewer)
    for page in (base(at), f"{base(at)}{at.item.pk}/", room, "/", f"/p/{at.project.slug}/"):
        found = page_text(words(client.get(page)))
        for hidden in ("canary-comment", voter.pseudonym, "standing votes", "settled"):
            assert hidden not in found, (page, hidden)
    assert "Best" in words(client.get(f"{base(at)}{at.item.pk}/"))
    for page in ("desk/", "items/", f"items/{at.item.pk}/", "vote/"):
        assert client.get(f"/p/{at.project.slug}/{page}").status_code == 403


def test_a_refused_proposal_keeps_what_was_typed(at: World) -> None:
    url = f"{base(at)}{at.item.pk}/propose/"
    typed = {
        "form": "combine",
        "other": "9",
        **parts(at.item, instruction="Gabungan?"),
        "words": "Sama saja.",
    }
    answer = browser(at.reviewer).post(url, typed)
    assert answer.status_code == 422
    form = next(form for form in answer.context["forms"] if form.key == "combine")
    fields = {field.name: field for field in form.groups[0][1]}
    assert (form.open, form.words, fields["instruction"].value) == (True, "Sama saja.", "Gabungan?")
    assert [name for name, field in fields.items() if field.wrong] == ["other"]
    varied = browser(at.reviewer).post(url, {"form": "variation", "personal": "", "later": ["R1", "I2"]})
    form = next(form for form in varied.context["forms"] if form.key == "variation")
    assert [key for key, _, ticked in form.later if ticked] == ["R1", "I2"]
    sent = browser(at.reviewer).post(url, {"form": "variation", "personal": "Saya sakit.", "later": ["R1"]})
    assert sent.status_code == 302
    assert Suggestion.objects.get().data == {"personal": "Saya sakit.", "responses": ["R1"]}


def test_administrators_propose_and_decide_as_leads_do(at: World) -> None:
    made = at.suggest("reword", instruction="Apa?")
    admin = Client()
    admin.force_login(factory.user(administrator=True))
    page = f"{base(at)}{at.item.pk}/"
    assert f"proposals/{made.pk}/decline/" in admin.get(page).content.decode()
    assert admin.post(f"{base(at)}proposals/{made.pk}/decline/", {"words": "It is fine."}).status_code == 302
    made.refresh_from_db()
    assert (made.state, made.decided_by and made.decided_by.is_lead) == ("declined", True)
    propose = reverse("group_suggest", args=[at.project.slug, at.session.pk, at.item.pk])
    sent = admin.post(propose, {"form": "reword", "instruction": "Mengapa?", "words": "Clearer."})
    assert sent.status_code == 302


def test_who_may_do_what_with_a_proposal(at: World) -> None:
    made = at.suggest("reword", instruction="Apa?")
    act = f"{base(at)}proposals/{made.pk}/"
    for name in ("remark", "back", "accept", "decline"):
        assert browser(at.writer).post(f"{act}{name}/").status_code == 403
    for name in ("accept", "decline"):
        assert browser(at.reviewer).post(f"{act}{name}/").status_code == 403
    assert browser(at.second).post(f"{act}back/").status_code == 403
    assert browser(at.lead).post(f"{act}burn/").status_code == 404
    own = at.session.suggestions.create(
        project=at.project,
        item=at.item,
        form="reword",
        data={"instruction": "Siapa?"},
        revision_n=1,
        by=at.lead,
    )
    assert browser(at.lead).post(f"{base(at)}proposals/{own.pk}/accept/").status_code == 403
    assert Suggestion.objects.filter(state="open").count() == 2


def test_a_stale_page_shows_what_changed_and_asks_again(at: World) -> None:
    made = at.suggest("reword", instruction="Apa yang saya lakukan?")
    at.accept(at.suggest("rephrase", **{"option-I1": "Langsung makan."}))
    client = browser(at.lead)
    act = f"{base(at)}proposals/{made.pk}/accept/"
    answer = client.post(act, {"revision": "1", "words": "Baik."})
    assert answer.status_code == 409
    assert "Langsung" in words(answer)
    assert "Baik." in words(answer)
    (shown,) = [each for each in answer.context["proposals"] if each.is_open]
    assert [change.name for change in shown.since] == ["I1"]
    assert client.post(act, {"revision": str(answer.context["item"].revision_n)}).status_code == 302
    assert client.post(act, {"revision": "3"}).status_code == 409


def test_a_lead_is_told_how_far_a_context_reaches(at: World) -> None:
    at.suggest("reword", context="Kenduri.")
    page = browser(at.lead).get(f"{base(at)}{at.item.pk}/")
    (shown,) = page.context["proposals"]
    assert (shown.prompts, shown.votes, shown.asks_meaning) == (2, 0, False)
    assert "2 prompts have this context" in words(page)
    assert browser(at.reviewer).get(f"{base(at)}{at.item.pk}/").context["proposals"][0].prompts == 1


# --- the room ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("asked", "at_place"), [("1", 1), ("2", 2), ("99", 3), ("0", 1), ("x", 1), ("", 1), ("٣", 1)])
def test_one_prompt_at_a_time(at: World, asked: str, at_place: int) -> None:
    page = browser(at.reviewer).get(f"/p/{at.project.slug}/show/{at.session.pk}/", {"at": asked})
    assert (page.context["at"], page.context["total"]) == (at_place, 3)
    assert page.context["item"] == at.project.items.order_by("key")[at_place - 1]
    assert "<nav" in words(page)
    assert 'class="top"' not in words(page)


def test_an_empty_project_has_empty_pages() -> None:
    at = build()
    Item.objects.filter(project=at.project).update(stage="excluded")
    for page in (base(at), f"/p/{at.project.slug}/show/{at.session.pk}/"):
        assert browser(at.reviewer).get(page).status_code == 200
    page = words(browser(at.reviewer).get(f"{base(at)}{at.item.pk}/"))
    assert "left out" in page
    assert "Propose" not in page


# --- elsewhere ----------------------------------------------------------------------------------------


def test_home_and_desk_say_what_waits(at: World) -> None:
    a_topic(at.project)
    at.suggest("reword", instruction="Apa?")
    at.suggest("rephrase", **{"option-R1": "Salami semua."})
    facts = {fact.words: fact.count for fact in browser(at.reviewer).get("/").context["works"][0].facts}
    assert facts["prompts to review"] == 3
    facts = {fact.words: fact.count for fact in browser(at.lead).get("/").context["works"][0].facts}
    assert facts["proposals to decide"] == 2
    assert browser(at.lead).get(f"/p/{at.project.slug}/desk/").context["proposals"] == 2


def test_the_items_page_tells_where_it_comes_from_and_what_was_proposed(at: World) -> None:
    made = at.suggest("combine", other=at.apart.key, **parts(at.item, instruction="Gabungan?"))
    at.accept(made, reason="Dua hal yang sama.")
    client = browser(at.lead)
    page = client.get(f"/p/{at.project.slug}/items/{at.item.pk}/")
    kinship = page.context["kinship"]
    assert [(row.how, row.origin) for row in kinship["origins"]] == [("combine", at.apart)]
    assert [(row.how, row.item) for row in kinship["offspring"]] == [("variation", at.varied)]
    assert "Dua hal yang sama." in words(page)
    assert at.apart.key in words(page)
    other = client.get(f"/p/{at.project.slug}/items/{at.apart.pk}/").context["kinship"]
    assert [row.item for row in other["offspring"]] == [at.item]
