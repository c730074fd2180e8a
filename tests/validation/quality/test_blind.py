"""Whether a voter can tell a gold question from an ordinary card: bytes, headers, statements and calls of every route
of a card, what comes again of cards that are given back, and where else on the site a card leads. On PostgreSQL.

No test asserts on time: a route that says the same in the same statements, by as many Python calls, takes as long. What
was measured is in docs/performance.md.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.messages import PASS_REASONS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_settings_change
from tests import factory
from tests.api import Script, script
from tests.quality import user_of
from tests.validation.voting.test_budget import NLI, Server, as_served, calls, pairs
from validation.people.queries import votes_as_seen, votes_of
from validation.quality.actions.gold import gold_add
from validation.quality.models import GoldQuestion
from validation.questions.queries import threads
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import NEXT_PLACE, Assignment
from validation.voting.views.vote import UNTIL_HEADER

pytestmark = pytest.mark.django_db
EVERY, STEPS = 2, 7
PASS = next(iter(PASS_REASONS))
# Drawn anew for each request, or the moment until which a card is held.
DRAWN = ("X-Request-ID", UNTIL_HEADER)
__all__ = ["as_served"]


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Project:
    """Many cards with the same texts, of which every second one that somebody is given is a gold question."""
    made = pairs(90)
    for _ in range(9):
        factory.member(made, "validator")
    boss = factory.user(administrator=True)
    done = list(Item.objects.filter(project=made, key__startswith="k").order_by("pk")[:24])
    Item.objects.filter(pk__in=[item.pk for item in done]).update(
        stage="settled", gold="e", gold_from="votes", slots_free=0, pending=0
    )
    for item in done:
        gold_add(project=made, item_id=item.pk, accepted=["e"], by=boss)
    project_settings_change(project=made, by=None, changes={"gold_questions": True, "spacing": 0})
    made.refresh_from_db()
    monkeypatch.setattr("validation.voting.rules.dealing.place_of", lambda n, secret, person: EVERY * n)
    return made


class Voter:
    """One person's browser and script, and what they hold."""

    def __init__(self, project: Project) -> None:
        self.project, self.person = project, factory.member(project, "validator")
        self.browser, self.base, self.sort = Client(), f"/p/{project.slug}/", False
        self.browser.force_login(user_of(self.person))
        self.browser.get(f"{self.base}vote/")
        self.api: Script = script(user_of(self.person), "annotate", "read")

    def held(self, place: int = 0) -> Assignment:
        return Assignment.objects.get(annotator=self.person, state="open", place=place)

    def post(self, path: str, **sent: str) -> Any:
        return self.browser.post(f"{self.base}{path}", sent, headers={"HX-Request": "true"})

    def call(self, path: str, body: Any = None) -> Any:
        return self.api.post(f"projects/{self.project.slug}/{path}", body)

    def fetched(self) -> str:
        """The token of the next card, fetched now where it is not yet."""
        assert self.post("vote/next/", shown=self.held().token).status_code == 200
        return self.held(NEXT_PLACE).token


def is_gold(assignment: Assignment) -> bool:
    return GoldQuestion.objects.filter(item=assignment.item_id).exists()


Act = Callable[[Voter], Any]


def nothing(voter: Voter) -> None:
    """The card in hand is the one."""


def vote(voter: Voter) -> Any:
    return voter.post(f"vote/{voter.held().token}/", label="e")


def vote_up_to_the_other_sort(voter: Voter) -> None:
    """The last vote is on a gold question where it was on an ordinary card the time before, and the other way round."""
    voter.sort = not voter.sort
    while is_gold(voter.held()) != voter.sort:
        vote(voter)
    vote(voter)


def vote_without_scripts(voter: Voter) -> Any:
    return voter.browser.post(f"{voter.base}vote/{voter.held().token}/", {"label": "e"}, follow=True)


def page(voter: Voter) -> Any:
    return voter.browser.get(f"{voter.base}vote/")


def vote_fetched(voter: Voter) -> Any:
    """As the page does it: what was fetched is shown, and the answer is the card after it."""
    return voter.post(f"vote/{voter.held().token}/", label="e", next=voter.fetched())


def fetch(voter: Voter) -> Any:
    return voter.post("vote/next/", shown=voter.held().token)


# What comes before, what is done with the card in hand.
ROUTES: dict[str, tuple[Act, Act]] = {
    "page": (vote, page),
    "vote": (nothing, vote),
    "vote without scripts": (page, vote_without_scripts),
    "vote with the next card fetched": (Voter.fetched, vote_fetched),
    "fetch": (vote, fetch),
    "refused": (vote, lambda voter: voter.post(f"vote/{voter.held().token}/", label="x")),
    "pass": (vote, lambda voter: voter.post(f"vote/{voter.held().token}/pass/", reason=PASS)),
    "stay": (vote, lambda voter: voter.post(f"vote/{voter.held().token}/stay/")),
    "take back": (vote_up_to_the_other_sort, lambda voter: voter.post("vote/back/")),
    "ask": (vote, lambda voter: voter.browser.get(f"{voter.base}questions/?assignment={voter.held().token}")),
    "script: next": (vote, lambda voter: voter.call("work:next")),
    "script: vote": (
        nothing,
        lambda voter: voter.call(f"assignments/{voter.held().token}/vote", {"label": "e"}),
    ),
    "script: pass": (
        vote,
        lambda voter: voter.call(f"assignments/{voter.held().token}:skip", {"reason": PASS}),
    ),
    "script: take back": (vote_up_to_the_other_sort, lambda voter: voter.call("work:undo")),
}


def said(answer: Any) -> tuple[int, str, str]:
    """Status, headers and body without what is drawn anew for each card and request: tokens and moments."""
    body = answer.content.decode()
    for token in Assignment.objects.values_list("token", flat=True):
        body = body.replace(token, "TOKEN")
    body = re.sub(r'(name="(?:csrfmiddlewaretoken|version)" value="|X-CSRFToken": ")[^"]*', r"\1", body)
    headers = {name: text for name, text in answer.headers.items() if name not in DRAWN}
    return answer.status_code, str(sorted(headers.items())), body


@pytest.mark.parametrize("route", list(ROUTES))
def test_every_route_of_a_card_says_the_same_in_as_many_statements(project: Project, route: str) -> None:
    voter, (before, act) = Voter(project), ROUTES[route]
    before(voter)
    act(voter)
    found: dict[tuple[bool, bool], set[Any]] = defaultdict(set)
    for _ in range(STEPS):
        before(voter)
        sent = is_gold(voter.held())
        with CaptureQueriesContext(connection) as asked:
            answer = act(voter)
        found[sent, is_gold(voter.held())].add((len(asked), *said(answer)))
    assert {sort for sorts in found for sort in sorts} == {True, False}
    assert len(set().union(*found.values())) == 1, {
        key: [(each[0], len(each[3])) for each in those] for key, those in found.items()
    }


@pytest.mark.django_db(transaction=True)
def test_a_vote_takes_as_many_calls(as_served: None, project: Project) -> None:
    """Without the event loop that a browser leaves: Django has another connection for it, so nothing is made before."""
    server = Server(project, factory.member(project, "validator"))
    counted: dict[bool, list[int]] = {True: [], False: []}
    for _ in range(4):
        server.request(NLI)()
    for _ in range(12):
        total = calls(server.request(NLI)).total()
        counted[is_gold(Assignment.objects.get(annotator=server.person, state="open"))].append(total)
    # Ordinary cards differ by a few calls among themselves, now and then by twenty: medians are compared.
    assert len(counted[True]) == len(counted[False])
    assert abs(median(counted[True]) - median(counted[False])) <= 5, counted


@pytest.mark.parametrize("route", ["fetched", "taken along"])
def test_what_is_given_back_comes_again_when_an_ordinary_card_does(project: Project, route: str) -> None:
    """Whoever takes cards and gives them back meets none again before the queue is through."""
    voter, met = Voter(project), []
    for _ in range(8 if route == "fetched" else 3):
        if route == "fetched":
            voter.fetched()
            held = voter.held(NEXT_PLACE)
            met.append(held.item.key)
            assert held.until is not None
            voter.post(f"vote/next/{held.token}/return/", until=held.until.isoformat())
        else:
            voter.post("ahead/", count="8")
            taken = Assignment.objects.filter(annotator=voter.person, state="open", place__range=(1, 25))
            met += taken.values_list("item__key", flat=True)
            voter.post("ahead/return/")
    golden = set(GoldQuestion.objects.values_list("of_item__key", flat=True))
    assert len(golden & set(met)) > 2
    assert len(set(met)) == len(met)


def test_nothing_comes_where_no_ordinary_card_does(project: Project) -> None:
    voter = Voter(project)
    vote(voter)
    Item.objects.filter(project=project).update(slots_free=0)
    assert b'name="assignment"' not in vote(voter).content
    assert b'name="assignment"' not in page(voter).content
    assert Item.objects.filter(gold_question__isnull=False, slots_free__gt=0).exists()


def test_a_question_about_one_reaches_the_leads_as_one_about_the_item(project: Project) -> None:
    voter = Voter(project)
    while not is_gold(voter.held()):
        vote(voter)
    held = voter.held()
    sent = {"assignment": held.token, "text": "What does this mean?"}
    assert voter.browser.post(f"{voter.base}questions/", sent).status_code == 302
    lead = factory.member(project, "lead")
    (thread,) = threads(access.lead_membership(user_of(lead), project.slug))
    assert thread.revision is not None
    assert thread.revision.item == held.item.gold_question.of_item


def test_a_lead_who_votes_is_asked_none(project: Project) -> None:
    project_settings_change(project=project, by=None, changes={"leads_vote": True})
    project.refresh_from_db()
    voter = Voter(project)
    Annotator.objects.filter(pk=voter.person.pk).update(has_led=True, is_lead=True, votes_leading=True)
    for _ in range(6):
        # Taken by the long way: what is counted along the short one is from before they led.
        Assignment.objects.filter(annotator=voter.person, state="open").update(state="expired")
        page(voter)
        assert not is_gold(voter.held())
        vote(voter)


def test_an_item_that_is_voted_on_again_is_no_gold_question_from_that_moment(project: Project) -> None:
    voter = Voter(project)
    while not is_gold(voter.held()):
        vote(voter)
    copy = voter.held().item
    vote(voter)
    source = copy.gold_question.of_item
    Item.objects.filter(pk=source.pk).update(stage="written", gold="", gold_from="", round=0, due_at=Now())
    decide_due()
    source.refresh_from_db()
    copy.refresh_from_db()
    assert (source.stage, copy.slots_free) == ("voting", 0)
    assert Assignment.objects.get(item=source, annotator=voter.person).state == "barred"


def test_a_closed_project_shows_what_became_of_it(project: Project) -> None:
    voter = Voter(project)
    while not is_gold(voter.held()):
        vote(voter)
    vote(voter)
    Project.objects.filter(pk=project.pk).update(closed_at=Now())
    (latest, *_) = votes_as_seen(votes_of(user_of(voter.person)))
    assert latest.gold is not None
    assert latest.gold.key == "e"
