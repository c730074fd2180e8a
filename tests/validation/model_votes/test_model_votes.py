"""A model as second annotator: the test on figures reckoned by hand, the job, and that nothing counts it."""

import json
from collections.abc import Iterator

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.errors import Conflict, Invalid
from annotation.generation.models import Call, MachineLimit
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory, llm_server
from tests.endpoint_runs import an_endpoint
from tests.exports.world import build, folder, freeze
from tests.llm_server import Server
from tests.quality import user_of
from tests.review import World, cast_votes, world
from validation.consensus.protocol import PRESETS
from validation.model_votes.actions import model_votes_ask
from validation.model_votes.models import ModelVote
from validation.model_votes.queries import OVER_STOPPED, ModelComparison, compare_models, labels_of_people
from validation.model_votes.rules import (
    alternative_annotator_test,
    corrected_by_yekutieli,
    items_against_all,
    p_value_below,
    student_t_cdf,
)
from validation.review.queries.desk import items_listed
from validation.review.rules.filters import Filters
from validation.voting.models.vote import Vote

# Of printed tables of Student's distribution.
TABLE = [
    (-1.812, 10, 0.05),
    (1.812, 10, 0.95),
    (-2.571, 5, 0.025),
    (2.042, 30, 0.975),
    (0.0, 7, 0.5),
    (-1.660, 100, 0.05),
]


@pytest.mark.parametrize(("t", "freedom", "p"), TABLE)
def test_student_s_distribution(t: float, freedom: int, p: float) -> None:
    assert student_t_cdf(t, freedom) == pytest.approx(p, abs=2e-4)


def test_a_mean_below_a_bound() -> None:
    # Mean 0, standard error 1/3 over ten values: t = -0.1 / (1/3).
    values = [1.0, -1.0] * 5
    assert p_value_below(values, 0.1) == pytest.approx(student_t_cdf(-0.3, 9))
    # Three signs that are alike: one case in eight, not 0.
    assert (p_value_below([0, 0, 0], 0.1), p_value_below([1, 1, 1], 0.1)) == (0.125, 1.0)


# With three tests the bounds are rank * 0.05 / (3 * (1 + 1/2 + 1/3)): 0.00909, 0.01818, 0.02727.
@pytest.mark.parametrize(
    ("ps", "rejected"),
    [
        ([0.001, 0.5, 0.02], [True, False, False]),
        ([0.009, 0.018, 0.5], [True, True, False]),
        ([0.02, 0.02, 0.02], [True, True, True]),
        ([0.04, 0.04, 0.04], [False, False, False]),
        ([], []),
    ],
)
def test_false_discoveries_are_held(ps: list[float], rejected: list[bool]) -> None:
    assert [p <= 0.05 for p in corrected_by_yekutieli(ps)] == rejected


def people(n: int, odd: int) -> dict[str, dict[str, str]]:
    """`n` items on which three people agree, but on the first `odd` W3 says something else."""
    return {f"i{place:03}": {"W1": "e", "W2": "e", "W3": "n" if place < odd else "e"} for place in range(n)}


def test_a_model_that_is_as_good_could_stand_in() -> None:
    """Forty items, W3 differs on ten: the model is e everywhere. W1, W2: always as good. W3: the model is better."""
    given = people(40, 10)
    found = alternative_annotator_test(given, dict.fromkeys(given, "e"), 0.1)
    assert [(each.name, each.items, each.model, each.human) for each in found.people] == [
        ("W1", 40, 1.0, 1.0),
        ("W2", 40, 1.0, 1.0),
        ("W3", 40, 1.0, 0.75),
    ]
    assert (found.winning_rate, found.advantage, found.stands_in) == (1.0, 1.0, True)


def test_a_model_that_differs_could_not() -> None:
    """It says c on half of the items: there each person is better. d is 0 or 1, mean 0.5, far above epsilon."""
    given = people(40, 0)
    model = {item: "c" if place % 2 else "e" for place, item in enumerate(given)}
    found = alternative_annotator_test(given, model, 0.2)
    assert {each.model for each in found.people} == {0.5}
    assert (found.winning_rate, found.stands_in) == (0.0, False)


def test_epsilon_is_what_people_may_be_better_by() -> None:
    """The model errs on 2 of 40: d has mean 0.05, standard error 0.0349; t = -1.43 at 0.1, -4.30 at 0.2."""
    given = people(40, 0)
    model = {item: "c" if place < 2 else "e" for place, item in enumerate(given)}
    at = {epsilon: alternative_annotator_test(given, model, epsilon) for epsilon in (0.1, 0.2)}
    assert at[0.1].people[0].p == pytest.approx(0.08, abs=0.005)
    assert (at[0.1].stands_in, at[0.2].stands_in) == (False, True)


def test_with_too_few_people_or_items_nothing_is_told() -> None:
    given = people(29, 0)
    found = alternative_annotator_test(given, dict.fromkeys(given, "e"), 0.1)
    assert (found.people, found.left_out, found.stands_in) == ((), ("W1", "W2", "W3"), None)
    two = {item: {who: said for who, said in each.items() if who != "W3"} for item, each in people(40, 0).items()}
    assert alternative_annotator_test(two, dict.fromkeys(two, "e"), 0.1).stands_in is None


def test_items_on_which_all_people_disagree_with_the_model() -> None:
    given = {
        "a": {"W1": "e", "W2": "e"},
        "b": {"W1": "e", "W2": "n"},
        "c": {"W1": "n"},
        "d": {"W1": "e", "W2": "e"},
    }
    assert items_against_all(given, {"a": "n", "b": "c", "c": "e", "d": "e"}) == ["a"]


@pytest.fixture
def server() -> Iterator[Server]:
    def answer(seen: llm_server.ReceivedRequest) -> str:
        if "kebunnya sendiri" in seen.text:
            return "I would rather not say."
        return json.dumps({"label": "contradiction" if "hanya menjual ikan" in seen.text else "e"})

    with llm_server.serving(answer) as started:
        yield started


@pytest.mark.django_db
def test_a_model_votes_apart_from_people_and_nothing_counts_it(server: Server) -> None:
    at = world(1, settings={"spacing": 0})
    for item in at.items:
        cast_votes(at, item, item.author_label * 2)
    endpoint = an_endpoint(server)
    MachineLimit.objects.create(project=at.project, budget=1000, per_minute=10_000)
    before = build(freeze(at, "indonli-expert"))
    job = model_votes_ask(project=at.project, endpoint=endpoint, count=100, by=None)
    with pytest.raises(Conflict) as refusal:
        model_votes_ask(project=at.project, endpoint=endpoint, count=100, by=None)
    assert refusal.value.code == "model_votes_running"
    assert jobs.run_here(job).state == Job.State.DONE
    told = dict(ModelVote.objects.values_list("item__slot", "label"))
    assert told == {"e1": "e", "e2": "e", "n1": "", "n2": "e", "c1": "c", "c2": "e"}
    assert ModelVote.objects.get(label="").fault
    assert Vote.objects.count() == 12
    asked = Call.objects.filter(run=None)
    assert asked.exists()
    sent = json.dumps([call.request for call in asked])
    assert not any(person.pseudonym in sent for person in at.validators)
    (found,) = compare_models(factory.reader(at.project))
    assert (found.labels, found.faults) == (5, 1)
    assert {item.slot for item in found.against} == {"n2", "c2"}
    assert [test.stands_in for test in found.tests] == [None, None, None]
    # Asked again, nothing is asked or stored twice; and no release knows of it.
    seen = len(server.seen)
    jobs.run_here(model_votes_ask(project=at.project, endpoint=endpoint, count=100, by=None))
    assert ModelVote.objects.count() == 6
    assert len(server.seen) == seen
    after = build(freeze(at, "indonli-expert"))
    for name in ("test.jsonl", "votes.jsonl"):
        assert (folder(before) / name).read_bytes() == (folder(after) / name).read_bytes()
    at.sound()


@pytest.mark.django_db
def test_leads_read_it_and_nobody_else(server: Server) -> None:
    at = world(1)
    item = Item.objects.filter(project=at.project)[0]
    ModelVote.objects.create(
        project=at.project, item=item, endpoint=an_endpoint(server), model="small", revision_n=1, label="e"
    )
    statuses = {}
    for role, person in (("lead", at.lead), ("writer", at.writer), ("validator", at.validators[0])):
        client = Client()
        assert person.user is not None
        client.force_login(person.user)
        statuses[role] = client.get(reverse("model_votes", args=[at.project.slug])).status_code
    assert statuses == {"lead": 200, "writer": 403, "validator": 403}


@pytest.mark.django_db
def test_only_kinds_with_labels_and_endpoints_that_answer(server: Server) -> None:
    project = factory.project(preset="llm-adapt")
    with pytest.raises(Invalid) as refusal:
        model_votes_ask(project=project, endpoint=an_endpoint(server), count=10, by=None)
    assert refusal.value.code == "model_needs_labels"
    with pytest.raises(Invalid) as refusal:
        model_votes_ask(project=factory.project(), endpoint=an_endpoint(server), count=0, by=None)
    assert refusal.value.code == "model_votes_count"


@pytest.mark.django_db
@pytest.mark.parametrize(("label", "fault"), [("", ""), ("e", "empty")])
def test_a_label_or_a_fault(server: Server, label: str, fault: str) -> None:
    at = world(1)
    with pytest.raises(IntegrityError, match="model_vote_or_its_fault"), transaction.atomic():
        ModelVote.objects.create(
            project=at.project,
            item=at.items[0],
            endpoint=an_endpoint(server),
            model="m",
            revision_n=1,
            label=label,
            fault=fault,
        )


@pytest.mark.django_db
def test_the_desk_lists_what_all_people_answered_otherwise(server: Server) -> None:
    at = world(1)
    endpoint = an_endpoint(server)
    for item in at.items[:4]:
        cast_votes(at, item, "nn")
    cast_votes(at, at.items[4], "ne")
    Item.objects.filter(pk=at.items[1].pk).update(revision_n=2)
    said = {0: "e", 1: "e", 2: "n", 3: "", 4: "c", 5: "e"}
    for n, label in said.items():
        ModelVote.objects.create(
            project=at.project,
            item=at.items[n],
            endpoint=endpoint,
            model="small",
            revision_n=1,
            label=label,
            fault="" if label else "empty",
        )
    # Not where the text is another by now (1), the model agrees (2) or says nothing (3), people differ (4) or are none.
    membership = access.lead_membership(user_of(at.lead), at.project.slug)
    assert list(items_listed(membership, Filters(of="items", against="1"))) == [at.items[0]]
    browser = Client()
    browser.force_login(user_of(at.lead))
    page = browser.get(reverse("items", args=[at.project.slug]), {"against": "1"})
    assert page.context["filters"].against == "1"
    assert [row["item"].pk for row in page.context["rows"]] == [at.items[0].pk]
    assert browser.get(reverse("items", args=[at.project.slug]), {"against": "2"}).status_code == 400


def compared(at: World, server: Server, labels: dict[int, str]) -> ModelComparison:
    """A model that gave these labels, beside people."""
    for n, label in labels.items():
        ModelVote.objects.create(
            project=at.project,
            item=at.items[n],
            endpoint=an_endpoint(server) if not n else ModelVote.objects.all()[0].endpoint,
            model="m",
            revision_n=1,
            label=label,
            fault="",
        )
    (found,) = compare_models(factory.reader(at.project))
    return found


@pytest.mark.django_db
def test_votes_that_disagreement_brought_about_are_not_tested(server: Server) -> None:
    """Author and two; a third and a fourth vote are on disputed items alone, where people look worse than they are."""
    at = world(1, settings={"spacing": 0})
    for item in at.items:
        cast_votes(at, item, "ncn" if item.author_label == "e" else item.author_label * 2)
    assert Vote.objects.filter(round__gt=1).exists()
    people = labels_of_people(factory.reader(at.project), {item.pk: 1 for item in at.items})
    assert {len(given) for given in people.in_any_case.values()} == {2}
    assert {len(given) for given in people.all.values()} == {2, 3}
    assert compared(at, server, {0: "e"}).over == OVER_STOPPED


@pytest.mark.django_db
def test_without_such_votes_the_test_is_refused_with_the_reason(server: Server) -> None:
    """One voter an item whom no answer brought about: the second comes where the first disagreed, or by chance."""
    at = world(4, protocol=PRESETS["two-agree-audit"], settings={"spacing": 0})
    for item in at.items:
        item = cast_votes(at, item, {"e": "n", "n": "c", "c": "e"}[item.author_label])
    assert compared(at, server, {0: "e"}).tests == []
    client = Client()
    assert at.lead.user is not None
    client.force_login(at.lead.user)
    page = client.get(reverse("model_votes", args=[at.project.slug])).content.decode()
    assert "The test was not made: no item has two votes that were asked for whatever others had said." in page
