"""What a vote costs: as many statements and pages of the database with ten items as with a hundred thousand."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item, Revision
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory, scale
from validation.voting import sql
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment, Cursor
from validation.voting.models.vote import Vote

MOST_STATEMENTS = 12
MOST_BUFFERS = 100
GOLD, MOST_OF_GOLD = 20, 25
ITEMS, VOTES = 100_000, 20_000
HTMX = {"HX-Request": "true"}


def copies(model: type[models.Model], template: int, count: int, **columns: str) -> None:
    """`count` rows like the template, each column named in `columns` from its expression over `g`, 1 to count."""
    names = [str(field.column) for field in model._meta.concrete_fields if field.column != "id"]
    assert set(columns) <= set(names)
    values = [columns.get(name, f't."{name}"') for name in names]
    quoted = ", ".join(f'"{name}"' for name in names)
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({quoted}) SELECT {', '.join(values)} "  # noqa: S608 - names of our models
            f"FROM {table} t, generate_series(1, {count}) g WHERE t.id = {template}"
        )


def queue(project: Project, count: int) -> list[Item]:
    """`count` items that wait for votes, in the order in which they are offered."""
    (item, *others) = factory.written_pairs(project, factory.member(project, "writer"))
    Item.objects.filter(pk__in=[other.pk for other in others]).update(sampled=False, due_at=None)
    decide_due()
    shuffle = "('x' || substr(md5(g::text), 1, 15))::bit(60)::bigint"
    copies(Item, item.pk, count - 1, key="'k' || g", shuffle=shuffle, family="g")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotation_item")
    told = ("shuffle", "family", "project", "target", "author")
    return list(Item.objects.filter(project=project, slots_free__gt=0).order_by("shuffle").only(*told))


def revise_all(items: list[Item]) -> None:
    """Give the copies the text that their card shows."""
    first = Revision.objects.filter(item__in=[item.pk for item in items]).select_related("item").get()
    rest = [item for item in items if item.pk != first.item_id]
    made = {"n": 1, "version": 1, "epoch": 1, "event": "submit", "meaning": "first"}
    made |= {"fields_n": 1, "sentences_n": 1}
    Revision.objects.bulk_create(
        Revision(project_id=first.project_id, item=item, content=first.content, **made) for item in rest
    )


def voted(person: Annotator, items: list[Item]) -> None:
    """This person has voted on these items, which still wait for others."""
    assignments = [
        Assignment(
            project_id=item.project_id,
            target_id=item.target_id,
            item=item,
            annotator=person,
            author_id=item.author_id,
            state=Assignment.State.DONE,
            token=f"t{item.pk}-{person.pk}",
        )
        for item in items
    ]
    Assignment.objects.bulk_create(assignments, batch_size=2_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE validation_assignment")


def gold_like(items: list[Item]) -> int:
    """A target that keeps a gold question of the source of each of these items."""
    target = factory.project().targets.get()
    columns = {"project_id": str(target.project_id), "target_id": str(target.pk), "key": "'k' || g", "shuffle": "g"}
    columns |= {"family": f"(ARRAY{[item.family for item in items]})[g]", "priority": "0"}
    copies(Item, items[0].pk, len(items), **columns, slots_free="2", pending="3")
    return target.pk


def buffers(person: Annotator, target: Any, positions: dict[str, int], recent: list[int], gold: int = 0) -> int:
    """Pages that finding the next slot touches; writing the item's row and its indexes comes on top. `gold`: where it
    is the turn of a gold question of this target."""
    said: list[tuple[str, Any]] = []

    def listen(execute: Any, statement: str, params: Any, many: bool, context: Any) -> Any:
        said.append((statement, params))
        return execute(statement, params, many, context)

    with connection.execute_wrapper(listen), connection.cursor() as cursor:
        slot = sql.take_slot(
            cursor,
            target=target.pk,
            annotator=person.pk,
            buckets=target.buckets,
            positions=positions,
            recent=recent,
            gold=gold,
            due=bool(gold),
        )
    assert slot is not None
    assert (slot.priority == 0) == bool(gold)
    (statement, params) = said[-1]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", params)
        (plan,) = cursor.fetchone()
    picks = [node for node in nodes(plan[0]["Plan"]) if node.get("Parent Relationship") == "InitPlan"]
    return max(int(pick["Shared Hit Blocks"] + pick["Shared Read Blocks"]) for pick in picks)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from nodes(below)


@pytest.mark.django_db
@pytest.mark.parametrize("count", [100, ITEMS])
def test_the_pick_costs_the_same(count: int) -> None:
    """For who is new, for who votes in order, and for who has voted on every fifth item all over the queue (imported
    votes, other rounds), where the pick steps over a few."""
    scale.empty_tables()
    project = factory.project()
    items = queue(project, count)
    newcomer, regular, scattered = (factory.member(project, "validator") for _ in range(3))
    done = items[: count * VOTES // ITEMS]
    voted(regular, done)
    voted(scattered, items[:: ITEMS // VOTES])
    target = project.targets.get()
    recent = [item.family for item in done[-10:]]
    at, middle = {"1": done[-1].shuffle}, {"1": items[count // 2].shuffle}
    figures = {
        "newcomer": buffers(newcomer, target, {}, []),
        "regular": buffers(regular, target, at, recent),
        "scattered": buffers(scattered, target, middle, []),
    }
    assert max(figures.values()) < MOST_BUFFERS, figures
    # Not of the premise of the first pair: its number can be that of another source.
    first = min(items, key=lambda item: item.pk)
    unmet = next(item for item in reversed(items) if item.family != first.family)
    gold = gold_like([*done[: GOLD - 1], unmet])
    asked = {
        "newcomer": buffers(newcomer, target, {}, [], gold),
        "met nearly all": buffers(regular, target, at, recent, gold),
    }
    # What is looked up of a gold question is the same however large the project is, and however much somebody did.
    assert max(asked.values()) < MOST_BUFFERS + GOLD * MOST_OF_GOLD, asked


def statements(client: Client, project: Project, person: Annotator) -> list[str]:
    """What the database is asked for a vote whose answer is the next card; BEGIN and COMMIT are not counted."""
    assignment = Assignment.objects.get(annotator=person, state=Assignment.State.OPEN)
    with CaptureQueriesContext(connection) as said:
        answer = client.post(f"/p/{project.slug}/vote/{assignment.token}/", {"label": "e"}, headers=HTMX)
    assert answer.status_code == 200
    assert Assignment.objects.get(annotator=person, state=Assignment.State.OPEN).token in answer.content.decode()
    return [query["sql"] for query in said if query["sql"] not in ("BEGIN", "COMMIT")]


@pytest.mark.django_db(transaction=True)
def test_a_vote_takes_as_many_statements_with_a_thousand_items() -> None:
    counts = {}
    for size in (10, 1_000):
        project = factory.project()
        revise_all(queue(project, size))
        person = factory.member(project, "validator")
        assert person.user is not None
        client = Client()
        client.force_login(person.user)
        client.get(f"/p/{project.slug}/vote/")
        statements(client, project, person)  # the first makes the cursor
        counts[size] = statements(client, project, person)
    assert len(counts[10]) == len(counts[1_000]), counts
    assert len(counts[10]) <= MOST_STATEMENTS, counts[10]
    assert Vote.objects.count() == 4
    assert Cursor.objects.count() == 2


@pytest.mark.django_db
def test_home_and_project_take_as_many_statements_with_a_thousand_items(client: Client) -> None:
    counts: dict[str, set[int]] = {}
    person = factory.user()
    for size in (10, 1_000):
        project = factory.project()
        queue(project, size)
        lead = factory.member(project, "lead", account=person)
        assert lead.user is not None
        client.force_login(lead.user)
        for path in ("/", f"/p/{project.slug}/"):
            with CaptureQueriesContext(connection) as said:
                assert client.get(path).status_code == 200
            counts.setdefault("home" if path == "/" else "project", set()).add(len(said))
    assert {name: len(found) for name, found in counts.items()} == {"home": 1, "project": 1}, counts
    assert max(max(found) for found in counts.values()) <= 20, counts


@pytest.mark.django_db
def test_tables_with_a_row_for_each_vote_have_no_index_for_patterns() -> None:
    """Django makes one beside that of a unique text: written with every vote, read by nothing."""
    tables = [model._meta.db_table for model in (Assignment, Item, Revision, Vote)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename = ANY(%s)", [tables])
        found = [definition for (definition,) in cursor.fetchall()]
    assert len(found) > 10
    assert [each for each in found if "pattern_ops" in each] == []
