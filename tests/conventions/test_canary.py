"""A09: nothing of others reaches a validator or a writer. Words that are nowhere else are planted in others' votes,
comments, proposals, gold, names, addresses and leads' words; then every page that the person can reach is fetched."""

import html
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item, Option, QAPair
from annotation.content.models.source import Concept, Premise
from annotation.core.models.project import Project
from annotation.elicitation.actions import no_part_sign
from annotation.elicitation.models import Session
from tests import factory
from tests.conventions.named_objects import Things
from tests.conventions.table import Row, family_of, read_whole, rows
from tests.conventions.visits import comparable_bytes, send
from tests.conventions.world import World, vote
from tests.prompts import RESPONSES, a_prompt, a_prompt_project
from tests.questions import a_question, a_question_project
from validation.group_review import actions as group
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
GETS = [row for row in rows() if row.method == "GET" and not family_of(row.route)]
CANARY = re.compile(r"canary-[a-z-]+")
# A response's key says what it is: R1 is relevant. Tokens may hold anything between their hyphens.
OR_KEY = re.compile(r"canary-[a-z-]+|(?:option-|(?<![\w-]))[RI][1-5](?![\w-])")
LINK = re.compile(r'(?:href|action|hx-get|hx-post)="(/[^"]*)"')
# What everybody in the project may read.
PUBLIC = {"canary-project-one", "canary-description", "canary-note", "canary-consent"}
# What a group answered is at hand for all its writers.
GROUP = {"canary-group", "canary-group-answer"}
# What a translator translates, and what a reviewer said of their own text.
TRANSLATED = {"canary-source-text", "canary-reviewers-words"}
# What an address names inside a project, by number or token, and the values that it asks for.
ALIKE = re.compile(r"(?<=/)(?:\d+|[\w-]{20,})(?=/)|(?<==)[^&]*")
# A crawl that goes on longer has met a page that links to ever new ones.
MOST_PAGES = 1500


def _mine(world: World, role: str) -> set[str]:
    """What stands about oneself: one's own name and address."""
    user = world.people[role]
    return set(CANARY.findall(f"{user.name} {user.email}")) | PUBLIC


def _all_of(answer: HttpResponse) -> str:
    headers = " ".join(f"{name}: {value}" for name, value in answer.items())
    cookies = answer.cookies.output()
    return f"{headers} {cookies} {html.unescape(answer.content.decode(errors='replace'))}"


def crawl(
    world: World, client: Client, pattern: re.Pattern[str] = CANARY, *, every: bool = True
) -> dict[str, set[str]]:
    """Every page: each route with one's own things and with a colleague's, and all that these link to.

    Gives each address with the canaries found there. Not `every`: of addresses that differ only by what they name in
    the same project, or by what is asked for under the same names, the first.
    """
    return dict(visited(world, client, pattern, every=every))


def visited(
    world: World, client: Client, pattern: re.Pattern[str] = CANARY, *, every: bool = True
) -> Iterator[tuple[str, set[str]]]:
    """The pages of a crawl, one after the other."""
    waiting = [row.url(things) for row in GETS for things in (world.own, world.others)]
    kinds: set[str] = set()
    while waiting:
        url = waiting.pop(0)
        kind = url if every else ALIKE.sub("*", url)
        if kind in kinds:
            continue
        kinds.add(kind)
        assert len(kinds) <= MOST_PAGES, "the crawl does not end"
        answer = read_whole(client.get(url))
        # No process was ever seen in these worlds, and /readyz says so.
        assert answer.status_code < 500 or url == "/readyz", url
        yield url, set(pattern.findall(_all_of(answer)))
        # Images and archives lead nowhere.
        links = [html.unescape(link).split("#")[0] for link in LINK.findall(answer.content.decode(errors="replace"))]
        waiting += [link for link in links if not link.startswith(("/static/", "/admin/", "/accounts/logout"))]


def _plant(world: World) -> None:
    """Gold and author labels that are nowhere else, on what the validator may still be offered."""
    waiting = Item.objects.filter(project=world.project).exclude(
        pk__in=Assignment.objects.filter(token=world.own.assignment).values("item")
    )
    waiting.update(gold="canary-gold", gold_from="votes", author_label="canary-author-label")
    Item.objects.filter(assignments__token=world.own.assignment).update(author_label="canary-author-label")
    Premise.objects.filter(project=world.project).update(extra={"source": "canary-source"})


@pytest.mark.parametrize("role", ["validator", "writer"])
def test_nothing_of_others_is_anywhere(world: World, role: str) -> None:
    if role == "validator":
        _plant(world)
    pages = crawl(world, world.client(role))
    allowed = _mine(world, role) | (GROUP | TRANSLATED if role == "writer" else set())
    assert {url: marks - allowed for url, marks in pages.items() if marks - allowed} == {}
    assert len(pages) > len({row.route for row in GETS})


def test_after_voting_only_ones_own_vote(world: World) -> None:
    validator = world.people["validator"].memberships.get(project=world.project)
    vote(validator, "mine")
    decide_due()
    pages = crawl(world, world.client("validator"))
    allowed = _mine(world, "validator") | {"canary-comment-mine", "canary-proposal-mine"}
    assert {url: marks - allowed for url, marks in pages.items() if marks - allowed} == {}


def test_the_crawl_finds_what_a_lead_sees(world: World) -> None:
    """The same crawl is not blind: what a lead may see is found on the lead's pages. It ends where it was seen."""
    mine = _mine(world, "lead")
    assert any(marks - mine for _, marks in visited(world, world.client("lead")))


@pytest.fixture
def questions() -> World:
    """A project of questions: one that the validator holds, one that others answered; what is hidden is planted."""
    project = a_question_project(settings={"spacing": 0})
    writer, validator, voter = (factory.member(project, *roles) for roles in (["writer"], ["validator"], ["validator"]))
    held, answered = (a_question(project, writer, answer="C") for _ in range(2))
    for item in (held, answered):
        hidden = {"concept": "canary-concept", "category": "canary-category", "parallel": "canary-parallel"}
        revision = item.revisions.get()
        roles = {"C": "canary-answer", "B": "canary-distractor"}
        options = [{**one, "role": roles.get(one["key"], "")} for one in revision.content["options"]]
        item.revisions.update(content={**revision.content, **hidden, "options": options})
        Option.objects.filter(item=item, key="C").update(role="canary-role")
    QAPair.objects.filter(project=project).update(wording="canary-concept")
    Concept.objects.filter(project=project).update(text="canary-concept", category="canary-category")
    while decide_due():
        pass
    for _ in range(2):
        assignment = assignment_claim(annotator=voter, target=project.targets.get(), spacing=0)
        assert assignment is not None
        assert voter.user_id is not None
        said = {"question": "ambiguous", "options": "AC"}
        ballot = Ballot("D", comment="canary-reason", answers=said, proposals={"option-B": "canary-proposal"})
        vote_cast(user_id=voter.user_id, slug=project.slug, token=assignment.token, ballot=ballot)
    mine = assignment_claim(annotator=validator, target=project.targets.get(), spacing=0)
    assert mine is not None
    Item.objects.filter(project=project).update(author_label="canary-label")
    Item.objects.filter(project=project).exclude(pk=mine.item_id).update(gold="canary-gold", gold_from="votes")
    assert validator.user is not None
    things = Things(slug=project.slug, assignment=mine.token, item=str(answered.pk), own_item=str(held.pk), slot="q")
    return World(people={"validator": validator.user}, own=things, others=things, foreign=things)


def test_a_question_tells_no_answer_role_or_concept(questions: World) -> None:
    """Before and after one's own answer: neither the answer, nor roles and concept, nor what others said."""
    client = questions.client("validator")
    for _ in range(2):
        pages = crawl(questions, client)
        assert {url: marks for url, marks in pages.items() if marks} == {}
        assert any("/vote/" in url for url in pages)
        card = client.get(reverse("vote", args=[questions.own.slug])).context["card"]
        sent = client.post(
            reverse("vote_send", args=[questions.own.slug, card.token]),
            {"label": "A", "mark_option": ["B"], "comment": "(B)"},
        )
        assert sent.status_code == 302


def _reviewed(project: Project, item: Item) -> dict[str, str]:
    """A session of group review that proposed something about the prompt."""
    held = Session.objects.create(
        project=project, purpose=Session.Purpose.REVIEW, name="canary-session", held_on="2026-05-02"
    )
    made = group.suggest(
        by=factory.member(project, "reviewer"),
        session_id=held.pk,
        item_id=item.pk,
        form="rephrase",
        typed={"option-R2": "canary-suggestion"},
    )
    return {"review": str(held.pk), "suggestion": str(made.pk)}


@pytest.fixture
def prompts() -> World:
    """A project of prompts: one that the validator holds, others that somebody judged; what is hidden is planted."""
    project = a_prompt_project(settings={"spacing": 0})
    writer, validator, voter = (factory.member(project, *roles) for roles in (["writer"], ["validator"], ["validator"]))
    no_part_sign(annotator=validator)
    hidden = {key: f"canary-relevant-{text}" for key, text in RESPONSES.items() if key in ("R1", "R3")}
    items = [a_prompt(project, writer, n=n, responses={**RESPONSES, **hidden}) for n in range(3)]
    Concept.objects.filter(project=project).update(text="canary-topic")
    for item in items:
        revision = item.revisions.get()
        item.revisions.update(content={**revision.content, "concept": "canary-topic", "category": "canary-category"})
    while decide_due():
        pass
    for _ in items:
        assignment = assignment_claim(annotator=voter, target=project.targets.get(), spacing=0)
        assert assignment is not None
        assert voter.user_id is not None
        ballot = Ballot(
            "R2",
            comment="canary-reason",
            answers={"personal": "I1"},
            proposals={"option-I2": "canary-proposal"},
        )
        vote_cast(user_id=voter.user_id, slug=project.slug, token=assignment.token, ballot=ballot)
    mine = assignment_claim(annotator=validator, target=project.targets.get(), spacing=0)
    assert mine is not None
    Item.objects.filter(project=project).exclude(pk=mine.item_id).update(gold="R2", gold_from="votes")
    assert validator.user is not None
    things = Things(slug=project.slug, prompts=project.slug, assignment=mine.token, item=str(items[0].pk), slot="p")
    things = replace(things, prompt=things.item, **_reviewed(project, items[0]))
    return World(people={"validator": validator.user}, own=things, others=things, foreign=things)


def test_a_prompt_tells_no_role_key_or_others_choice(prompts: World) -> None:
    """Before and after one's own choices: nothing says which response is the best, or what others chose."""
    client = prompts.client("validator")
    for _ in range(3):
        pages = crawl(prompts, client, OR_KEY)
        assert {url: marks for url, marks in pages.items() if marks} == {}
        assert any("/vote/" in url for url in pages)
        card = client.get(reverse("vote", args=[prompts.own.slug])).context["card"]
        fields = {"label": "A", "personal": "B", "comment": "(B)", "propose_option-C": "lain"}
        sent = client.post(reverse("vote_send", args=[prompts.own.slug, card.token]), fields)
        assert sent.status_code == 302
    pages = crawl(prompts, client, OR_KEY)
    assert {url: marks for url, marks in pages.items() if marks} == {}


def _views(world: World, client: Client) -> dict[str, tuple[int, dict[str, str], bytes]]:
    """Every page that is not a colleague's, as bytes and headers."""
    return {row.id: comparable_bytes(_looked(row, client, world)) for row in GETS if row.route != "readyz"}


def _looked(row: Row, client: Client, world: World) -> HttpResponse:
    return send(row, client, world.own)


@pytest.mark.parametrize("which", ["the item that one holds", "another item"])
def test_anothers_vote_changes_nothing_that_one_sees(world: World, which: str) -> None:
    """A15, A16: bytes, headers and length of every page before and after a colleague votes."""
    client = world.client("validator")
    client.get(reverse("vote", args=[world.own.slug]))
    before = _views(world, client)
    third = Assignment.objects.get(token=world.others.assignment)
    if which == "the item that one holds":
        item = Assignment.objects.get(token=world.own.assignment).item
        assert not Vote.objects.filter(item=item, annotator=third.annotator).exists()
        # The colleague's assignment is moved to that item, with its slot.
        Item.objects.filter(pk=item.pk).update(pending=2, slots_free=0)
        Assignment.objects.filter(item=item, annotator=third.annotator).delete()
        Assignment.objects.filter(pk=third.pk).update(item=item, author=item.author, epoch=item.epoch)
    assert third.annotator.user_id is not None
    vote_cast(
        user_id=third.annotator.user_id,
        slug=world.own.slug,
        token=third.token,
        ballot=Ballot(label="n", comment="different"),
    )
    decide_due()
    assert _views(world, client) == before
