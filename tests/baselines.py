"""Projects with gold for diagnostic sets and human baselines: tables filled, or brought there by votes."""

from collections.abc import Sequence
from typing import Any

from annotation.content.models.item import Item, Revision
from annotation.core.actions.members import annotator_add
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from exports.baselines import queries as access
from exports.baselines.actions import LOOK, SourceIn, answer_give, baseline_create
from exports.baselines.models import Baseline
from tests import factory
from validation.studies.actions.diagnostic import diagnostic_create
from validation.studies.models import DiagnosticSet

TAGS = (["NUM"], ["NEG", "CS"], ["SEMLEX"])


def a_gold_project(slug: str = "", *, sets: int = 2, writers: int = 2, **fields: Any) -> Project:
    """Sets of six pairs by each of these writers, all with the author's label as gold; tags stand in their content."""
    project = factory.project(slug, **fields)
    for _ in range(writers):
        factory.written(project, factory.member(project, "writer"), sets)
    make_gold(project)
    return project


def make_gold(project: Project) -> None:
    """Every pair is settled, as far as its row says; straight into the tables."""
    items = list(Item.objects.filter(project=project).order_by("pk"))
    for n, item in enumerate(items):
        Item.objects.filter(pk=item.pk).update(
            stage="settled",
            gold=item.author_label,
            gold_from="votes",
            round=1,
            due_at=None,
            slots_free=0,
            pending=0,
        )
        revision = Revision.objects.get(item=item, n=item.revision_n)
        revision.content = {**revision.content, "tags": TAGS[n % 3]}
        revision.save()


def a_set(
    project: Project, experts: Sequence[Annotator], *, size: int = 650, by: User | None = None
) -> DiagnosticSet:
    """A diagnostic set, given to these experts."""
    return diagnostic_create(
        project=project,
        size=size,
        experts=[each.pk for each in experts],
        by=by or factory.user(administrator=True),
    )


def a_baseline(project: Project, of: Any, *, size: int = 6, by: User | None = None, **more: Any) -> Baseline:
    """A human baseline of one source, with three examples."""
    return baseline_create(
        project=project,
        sources=[SourceIn(of, size)],
        task=more.pop("task", "Does it follow?"),
        by=by or factory.user(administrator=True),
        **{"examples": 3, **more},
    )


def an_outsider(project: Project, account: User | None = None) -> Annotator:
    """Somebody who answers the project's baselines."""
    return annotator_add(project=project, user=account or factory.user(), baseline=True)


def say(person: Annotator, label: str, n: int = 99) -> int:
    """Answer so many items with this label; how many there were."""
    for done in range(n):
        asked = access.next_item(person)
        if asked is None:
            return done
        answer_give(annotator=person, token=asked.token, label=label, mark=LOOK.mark(person, asked.token))
    return n
