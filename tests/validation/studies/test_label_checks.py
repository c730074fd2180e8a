"""Label checks: drawn from approved translations, judged apart by people who had no part, compared with the source."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.test import Client

from annotation.content.models.item import Item
from annotation.content.models.units import SourceSet
from annotation.core.errors import Refusal
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.translation.actions.targets import target_members_set
from annotation.translation.rules.source_units import Row
from tests import factory, translations
from validation.studies.actions.studies import study_create
from validation.studies.models import Study
from validation.studies.rules.label_checks import CHANGED, KEPT, NO_GOLD, WAITING, JudgedLabel, report
from validation.studies.types.label_check import TYPE, candidates, rows_of
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast

pytestmark = pytest.mark.django_db


@contextmanager
def refused(code: str) -> Iterator[None]:
    """What stands in this block is refused for this reason."""
    with pytest.raises(Refusal) as found:
        yield
    assert found.value.code == code


class World:
    """Six pairs, of which a translator has done some; an administrator."""

    def __init__(self) -> None:
        self.project = translations.a_translation_project()
        self.target: Target = translations.target_of(self.project)
        self.set: SourceSet = translations.a_source_set(self.project, translations.pair_rows(6))
        self.translator: Annotator = translations.member(self.project, "writer")
        self.admin = factory.user(administrator=True)

    def approve(self, count: int = 3) -> list[Item]:
        """Translate so many units (of two pairs each), and say that they are approved."""
        made = [
            translations.a_translation(unit, self.target, self.translator)
            for unit in self.set.units.order_by("position")[:count]
        ]
        Item.objects.filter(pk__in=[item.pk for item in made]).update(
            stage="settled", gold="approve", gold_from="votes", due_at=None
        )
        return made

    def draw(self, size: int = 6, people: int = 3, slug: str = "labels-jv") -> Study:
        sent = {"target": self.target.key, "source_set": self.set.key, "size": size, "people": people}
        return study_create(kind=TYPE, project=self.project, slug=slug, by=self.admin, sent=sent)


@pytest.fixture
def world() -> World:
    return World()


def vote_all(judged: Project, said: Callable[[str], str], people: int = 3) -> None:
    """So many people judge every row, by its key."""
    target = judged.targets.get()
    for _ in range(people):
        voter = factory.member(judged, "validator")
        while (assignment := assignment_claim(annotator=voter, target=target, spacing=0)) is not None:
            key = Item.objects.get(pk=assignment.item_id).key
            assert voter.user_id is not None
            vote_cast(user_id=voter.user_id, slug=judged.slug, token=assignment.token, ballot=Ballot(said(key)))
    decide_due()


def test_rows_are_drawn_from_what_is_approved(world: World) -> None:
    with refused("label_check_nothing"):
        world.draw()
    assert not Project.objects.filter(slug="labels-jv").exists()
    world.approve(2)
    made = world.draw(size=3)
    drawn = set(made.rows.values_list("item__key", flat=True))
    assert len(drawn) == 3
    assert drawn <= {f"pair-{n:04}" for n in range(4)}
    assert (made.project.kind, made.project.language) == ("nli", "jv")


def test_the_draw_is_the_projects(world: World) -> None:
    world.approve()
    first = set(world.draw(size=3).rows.values_list("item__key", flat=True))
    again = world.draw(size=3, slug="labels-again")
    assert set(again.rows.values_list("item__key", flat=True)) == first
    assert (again.n, again.seed) == (2, world.project.seed)


def test_nothing_there_tells_the_sources_label(world: World) -> None:
    world.approve()
    made = world.draw()
    items = Item.objects.filter(project=made.project)
    assert items.count() == 6
    assert not items.exclude(author_label="", author=None, gold="").exists()
    told = str(list(items.values("revisions__content")))
    assert not any(word in told for word in ("label", "entailment", "'e'"))
    texts = list(items.order_by("key").values_list("hypothesis__premise__text", "hypothesis__text"))
    assert len({premise for premise, _ in texts}) == 3
    assert all("mangga" not in text for _, text in texts)


def test_labels_that_survive(world: World) -> None:
    world.approve()
    made = world.draw()
    labels = dict(made.rows.values_list("item__key", "data__label"))
    decide_due()

    def said(key: str) -> str:
        return "n" if key == "pair-0000" else labels[key]

    vote_all(made.project, said)
    rows = rows_of(made)
    assert [row.judged.outcome for row in rows] == [CHANGED, *[KEPT] * 5]
    told = report([row.judged for row in rows])
    assert (told.settled, told.survived) == (6, 5 / 6)
    assert told.pairs["e", "n"] == 1
    assert not any(row.changed_since for row in rows)


def test_a_translation_that_was_changed_since_is_marked(world: World) -> None:
    items = world.approve()
    made = world.draw()
    item = items[0]
    item.refresh_from_db()
    item.revisions.create(
        project=world.project,
        n=2,
        version=99,
        epoch=2,
        event="correct_new",
        meaning="new",
        content={},
        sentences_n=1,
        fields_n=1,
    )
    assert {row.judged.key for row in rows_of(made) if row.changed_since} == {"pair-0000", "pair-0001"}


def test_who_made_the_translations_judges_nothing(world: World) -> None:
    world.approve()
    made = world.draw()
    reviewer = translations.member(world.project, "validator", targets=("jv-ngoko",))
    elsewhere = translations.member(world.project, "writer", targets=("su",))
    lead = factory.member(world.project, "lead")
    for one in (world.translator, reviewer, lead):
        with refused("made_what_is_judged"):
            factory.member(made.project, "validator", account=one.user)
    judge = factory.member(made.project, "validator", account=elsewhere.user)
    target_members_set(annotator=world.translator, targets=[])
    with refused("made_what_is_judged"):
        factory.member(made.project, "validator", account=world.translator.user)
    with refused("judges_what_is_made"):
        target_members_set(annotator=elsewhere, targets=[world.target])
    with refused("judges_what_is_made"):
        factory.member(world.project, "lead", account=judge.user)


def test_questions_are_judged_by_their_choices() -> None:
    world = World()
    rows = [
        Row(
            f"q-{n}",
            {"question": f"Apa nomor {n}?", **{f"choice-{key}": f"pilihan {key} {n}" for key in "ABCDE"}},
            label="B",
        )
        for n in range(3)
    ]
    world.set = translations.a_source_set(world.project, rows, shape="choices")
    world.approve()
    assert [each.entry.key for each in candidates(world.set, world.target)] == ["q-0", "q-1", "q-2"]
    made = world.draw()
    decide_due()
    vote_all(made.project, lambda key: "B" if key != "q-1" else "C")
    assert [row.judged.outcome for row in rows_of(made)] == [KEPT, CHANGED, KEPT]


def test_rows_without_a_label_that_is_known_are_left_out(world: World) -> None:
    world.approve()
    world.set.entries.filter(key="pair-0002").update(label="unknown")
    world.set.entries.filter(key="pair-0003").update(removed=True)
    assert [each.entry.key for each in candidates(world.set, world.target)] == [f"pair-{n:04}" for n in (0, 1, 4, 5)]
    world.set = translations.a_source_set(world.project, translations.sentence_rows(2), shape="sentence")
    assert candidates(world.set, world.target) == []
    with refused("label_check_no_labels"):
        world.draw(slug="none")


@pytest.mark.parametrize(("people", "quorum"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (9, 5)])
def test_more_than_half_decide(people: int, quorum: int) -> None:
    found = TYPE.protocol(people)
    assert (found.votes_at_most, found.quorum) == (people, quorum)


@pytest.mark.parametrize("people", [0, 10])
def test_how_many_judge(people: int) -> None:
    with refused("study_people"):
        TYPE.protocol(people)


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (JudgedLabel("a", "e", "e", True), KEPT),
        (JudgedLabel("a", "e", "n", True), CHANGED),
        (JudgedLabel("a", "e", "", True), NO_GOLD),
        (JudgedLabel("a", "e", "", False), WAITING),
    ],
)
def test_outcomes(row: JudgedLabel, outcome: str) -> None:
    assert row.outcome == outcome
    assert report([row]).survived == {KEPT: 1.0, CHANGED: 0.0}.get(outcome)


def test_the_pages(world: World, client: Client) -> None:
    world.approve()
    client.force_login(world.admin)
    address = f"/p/{world.project.slug}/studies/label-check/"
    sent = {"target": "jv-ngoko", "source_set": "pair", "size": "4", "people": "3", "slug": "labels jv"}
    refused = client.post(address, sent)
    assert refused.status_code == 422
    assert 'value="labels jv"' in refused.content.decode()
    answer = client.post(address, {**sent, "slug": "labels-jv"}, follow=True)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "4 waits for votes" in page
    assert client.post(address, {**sent, "slug": "labels-jv"}).status_code == 409
    table = client.get(f"{address}1/labels.csv").content.decode("utf-8-sig").splitlines()
    assert table[0] == "id,target,source_label,target_label,outcome,translation_changed_since"
    assert len(table) == 5
    assert table[1].split(",")[1:] == ["jv-ngoko", table[1].split(",")[2], "", "waiting", "0"]
    client.force_login(factory.member(world.project, "lead").user)  # type: ignore[arg-type]
    assert client.get(f"{address}1/").status_code == 200
    assert client.post(address, {**sent, "slug": "other"}).status_code == 403


def test_pages_cost_the_same_for_few_rows_and_many(
    world: World, client: Client, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    world.set = translations.a_source_set(world.project, translations.pair_rows(60), key="many")
    world.approve(30)
    made = world.draw(size=60)
    client.force_login(world.admin)
    with django_assert_max_num_queries(14):  # type: ignore[attr-defined]
        assert client.get(f"/p/{world.project.slug}/studies/label-check/{made.n}/").status_code == 200
