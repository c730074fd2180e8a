"""What one vote with its next card costs: statements and Python calls, the same with 10 items and with 1,000."""

import sys
from asyncio import events
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.template import Context, Template
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from annotation.content.models.item import Item, Revision
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules.languages import interface_language
from annotation.kinds.texts import with_text
from annotation.pay.rules import SENTENCE
from tests import factory
from tests.pay import a_rate
from tests.questions import a_question, a_question_project
from tests.validation.voting.test_pick import copies
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote
from validation.voting.views import cards, plain_cards, vote

SIZES = (10, 1_000)
NLI = {"label": "e"}
MCQ = {"label": "A"}
# BEGIN and COMMIT are counted; of calls it takes some 2,830 and 2,990.
MOST = {"nli": (11, 2_900), "mcq": (11, 3_060)}


def pairs(size: int) -> Project:
    """A project of `size` pairs that wait for votes."""
    project = factory.project()
    # What is paid costs no vote anything.
    a_rate(project, unit=SENTENCE)
    (item, *others) = factory.written_pairs(project, factory.member(project, "writer"))
    Item.objects.filter(pk__in=[other.pk for other in others]).update(sampled=False, due_at=None)
    return copied(project, item, size)


def questions(size: int) -> Project:
    """A project of `size` questions that wait for votes."""
    project = a_question_project()
    return copied(project, a_question(project, factory.member(project, "writer")), size)


def judged(size: int) -> Project:
    """A project of `size` questions of which one answer is judged."""
    project = questions(size)
    Project.objects.filter(pk=project.pk).update(kind="mcq-judged")
    project.refresh_from_db()
    return project


def copied(project: Project, item: Item, size: int) -> Project:
    """The item opened, and `size` - 1 others like it, each of a family of its own."""
    decide_due()
    shuffle = "('x' || substr(md5(g::text), 1, 15))::bit(60)::bigint"
    copies(Item, item.pk, size - 1, key="'k' || g", shuffle=shuffle, family="g")
    revision = Revision.objects.get(item=item)
    made = Item.objects.filter(project=project, key__startswith="k")
    Revision.objects.bulk_create(
        Revision(
            project=project,
            item_id=pk,
            content=revision.content,
            n=1,
            version=1,
            epoch=1,
            event="submit",
            meaning="first",
            fields_n=1,
            sentences_n=1,
        )
        for pk in made.values_list("pk", flat=True)
    )
    return project


class Server:
    """The application as a web server calls it: no test client, no instrumented templates."""

    def __init__(self, project: Project, person: Annotator) -> None:
        assert person.user is not None
        # Whose pages are in the project's language: that it is known costs no statement.
        type(person.user).objects.filter(pk=person.user.pk).update(language="")
        client = Client()
        client.force_login(person.user)
        client.get(f"/p/{project.slug}/vote/")
        self.cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
        self.project, self.person, self.handler = project, person, WSGIHandler()

    def request(self, ballot: dict[str, str]) -> Callable[[], Any]:
        """The next vote, ready to be sent."""
        assignment = Assignment.objects.get(annotator=self.person, state=Assignment.State.OPEN)
        path = f"/p/{self.project.slug}/vote/{assignment.token}/"
        request = RequestFactory(headers={"HX-Request": "true", "Cookie": self.cookies}).post(
            path,
            "&".join(f"{name}={value}" for name, value in ballot.items()),
            "application/x-www-form-urlencoded",
        )

        def send() -> Any:
            request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
            response: Any = self.handler.get_response(request)
            assert response.status_code == 200, response.content
            assert b'name="assignment"' in response.content
            return response

        return send


def calls(do: Callable[[], Any]) -> Counter[str]:
    """How often which Python function is called."""
    counted: Counter[str] = Counter()

    def listen(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            counted[f"{frame.f_code.co_filename}:{frame.f_code.co_name}"] += 1

    sys.setprofile(listen)
    try:
        do()
    finally:
        sys.setprofile(None)
    return counted


@pytest.fixture
def as_served(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Templates as a server renders them: the suite's own say which were used. And no event loop in this thread: a
    browser of an earlier test leaves one, and Django looks into the environment at each statement where there is."""

    def render(self: Template, context: Context) -> Any:
        return self.nodelist.render(context)

    monkeypatch.setattr(Template, "_render", render)
    loop = events._get_running_loop()
    events._set_running_loop(None)
    yield
    events._set_running_loop(loop)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("kind", "make", "ballot"), [("nli", pairs, NLI), ("mcq", questions, MCQ)])
@pytest.mark.usefixtures("as_served")
def test_a_vote_and_its_next_card(kind: str, make: Callable[[int], Project], ballot: dict[str, str]) -> None:
    most_statements, most_calls = MOST[kind]
    found: dict[int, list[str]] = {}
    for size in SIZES:
        project = make(size)
        server = Server(project, factory.member(project, "validator"))
        for _ in range(3):
            server.request(ballot)()
        send = server.request(ballot)
        with CaptureQueriesContext(connection) as said:
            send()
        found[size] = [query["sql"] for query in said]
        counted = calls(server.request(ballot))
        assert counted.total() <= most_calls, (counted.total(), counted.most_common(30))
    assert len(found[10]) == len(found[1_000]) <= most_statements, found
    assert Vote.objects.count() == 2 * 5


@pytest.mark.django_db
@pytest.mark.parametrize("make", [pairs, questions, judged])
def test_the_next_card_is_what_the_template_makes(
    make: Callable[[int], Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Character for character, also where texts hold markup and what looks like a place in it."""
    project = make(6)
    for n, revision in enumerate(Revision.objects.filter(item__project=project)):
        kind, content = project.kind_spec, revision.content
        for field in kind.correctable_texts(content):
            content = with_text(content, field.key, f"<b>&{n}'\"</b> {plain_cards._PLACEHOLDER}n1m\n{field.key}")
        Revision.objects.filter(pk=revision.pk).update(content=content)
    server = Server(project, factory.member(project, "validator"))
    label = project.kind_spec.question.label_keys[0]
    monkeypatch.setattr("django.middleware.csrf._mask_cipher_secret", lambda secret: "masked")
    for _ in range(4):
        answer = server.request({"label": label})().content.decode()
        assignment = Assignment.objects.select_related("target", "annotator").get(
            annotator=server.person, state=Assignment.State.OPEN
        )
        card = cards.card_of(assignment, project)
        whole = {
            "project": project,
            "csrf_token": "masked",
            **vote.VOTE_PAGE.context(project.slug, card, closed=False),
        }
        with translation.override(interface_language(project.language)):
            assert answer == render_to_string(vote.VOTE_PAGE.card_template, whole)
