"""Pages about people read no more of the votes when there are many: pages of the database are counted, not time."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from annotation.core.access import Membership
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory
from tests.validation.voting.test_pick import copies
from validation.people.queries import last_active
from validation.quality.queries import voters
from validation.voting.models.vote import Vote

VOTES = 20_000
# A scan of so many votes touches some five hundred.
MOST_BUFFERS = 60


def buffers(work: Callable[[], object]) -> int:
    """Pages of votes that its statements touch, all together.

    Those of other tables are as many as the tests before left behind there.
    """
    said: list[tuple[str, Any]] = []

    def listen(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        said.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(listen):
        work()
    assert said
    return sum(map(_touched, said))


def _touched(statement: tuple[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement[0]}", statement[1])
        ((plan,),) = cursor.fetchall()
    return _of_votes(plan[0]["Plan"])


def _of_votes(node: dict[str, Any]) -> int:
    own = node.get("Relation Name") == Vote._meta.db_table
    pages = int(node["Shared Hit Blocks"] + node["Shared Read Blocks"]) if own else 0
    return pages + sum(map(_of_votes, node.get("Plans", [])))


@pytest.fixture
def project() -> Project:
    """Two who vote, one who left, and twenty thousand votes of one of them."""
    made = factory.project()
    (item, *_) = factory.written_pairs(made, factory.member(made, "writer"))
    busy, gone = factory.member(made, "validator"), factory.member(made, "validator")
    Annotator.objects.filter(pk=gone.pk).update(left_at="2026-01-01T00:00:00Z")
    factory.member(made, "validator")
    marks = {"label": "e", "unsure": False, "ambiguous": False, "round": 1, "revision_n": 1}
    for n, who in enumerate((gone, busy), start=1):
        last = Vote.objects.create(project=made, item=item, annotator=who, n=n, epoch=1, **marks)
    copies(Vote, last.pk, VOTES, n="g + 2", epoch="g + 1")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE validation_vote")
    return made


@pytest.mark.django_db
def test_who_votes_here_and_when_they_last_did_is_looked_up(project: Project) -> None:
    assert len(voters(project)) == 3
    reader = Membership(User.objects.order_by("pk")[0], project, None)
    assert len(last_active(reader)) == 3  # who wrote, and two who voted
    figures = {
        "voters": buffers(lambda: list(voters(project))),
        "last active": buffers(lambda: last_active(reader)),
    }
    assert min(figures.values()) > 0, figures
    assert max(figures.values()) < MOST_BUFFERS, figures
