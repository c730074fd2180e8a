"""The convention tests' project with a diagnostic set that the writer goes through, and a human baseline of it."""

from collections.abc import Mapping
from dataclasses import replace

from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from exports.baselines.actions import answer_give
from exports.baselines.queries import next_item
from tests import factory
from tests.baselines import a_baseline, a_set, an_outsider, make_gold
from tests.conventions.things import Things, mark


def with_diagnosed(things: Things, crowd: Mapping[str, Annotator], *, twice: bool = False) -> Things:
    """The same people in the same roles; `twice`: numbers that the other project lacks."""
    project = factory.project(f"{things.slug}-diagnosed")
    places = {
        name: factory.member(project, name, account=crowd[name].user)
        for name in ("writer", "validator", "lead")
        if name in crowd
    }
    factory.written(project, factory.member(project, "writer"))
    make_gold(project)
    outsider = an_outsider(project)
    # The world's only one: the last administrator cannot delete their account.
    boss = User.objects.get(is_administrator=True)
    for _ in range(1 + twice):
        found = a_set(project, [places["writer"]], size=6, by=boss)
        made = a_baseline(project, found, size=2, by=boss, task=mark("task"), examples=1)
    asked = next_item(outsider)
    assert asked is not None
    answer_give(annotator=outsider, token=asked.token, label="e")
    if twice:
        for each in list(made.items.filter(example=False)):
            answer_give(annotator=outsider, token=each.token, label="e")
    return replace(
        things,
        diagnosed=project.slug,
        diagnostic_n=str(found.n),
        diagnostic_id=str(found.pk),
        expert=str(places["writer"].pk),
        tag_row=found.rows.order_by("position")[0].token,
        baseline_n=str(made.n),
        baseline_person=str(outsider.pk),
        baseline_item=made.items.filter(example=False)[0].token,
    )


def both_diagnosed(
    own: Things, crowd: Mapping[str, Annotator], foreign: Things, others: Mapping[str, Annotator]
) -> tuple[Things, Things]:
    """Both projects of the world with theirs."""
    return with_diagnosed(own, crowd), with_diagnosed(foreign, others, twice=True)
