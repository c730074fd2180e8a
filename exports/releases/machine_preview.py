"""Where items stand for the preview of a release, one by one: where a machine may have written them, or rules ask."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable

from annotation.content.models.item import Item, Option, Revision
from annotation.core.models.project import Project
from exports.releases.deal import facts_now
from exports.releases.rules.groups import dealt_by
from exports.releases.rules.machine import (
    ORIGIN,
    level_of,
    made,
    set_of,
    source_split,
    was_checked,
)
from exports.releases.rules.settings import TENTHS, SplitRules
from exports.releases.rules.splits import Facts, Place, Standing, needs_facts, place
from validation.review.models.assessment import Assessment

A_CHUNK = 5000


class Counted(NamedTuple):
    """So many items that stand alike: what they are dealt by, their place, their facts if asked, their source's key."""

    dealt: str
    place: Place
    n: int
    facts: Facts | None
    source: str


def one_by_one(
    project: Project, rules: SplitRules, text: Combinable, key_of: Callable[[str], str]
) -> Iterator[Counted]:
    """Every item: one statement, the same pure rules as a build; its facts by a second one, where the rules ask."""
    accepts = project.kind_spec.accepts
    places: dict[Standing, Place] = {}
    known = facts_now(project, project.kind_spec.shape) if needs_facts(rules) else {}
    for key, together, more, *facts in _rows(project, text).iterator(chunk_size=A_CHUNK):
        content = more or {}
        standing = _standing(content, *facts)
        where = places.get(standing)
        if where is None:
            where = places[standing] = place(rules, standing, accepts)
        source = key_of(together or "")
        dealt = dealt_by(rules, key, set_of(content)) if rules.deal == TENTHS else source
        yield Counted(dealt, where, 1, known.get(key), source)


def _standing(
    content: Mapping[str, Any],
    stage: str,
    sampled: bool,
    gold: str,
    author_label: str,
    given: str | None,
    origin: str,
    began: str | None,
    looked: bool,
    split: str | None,
) -> Standing:
    plain = (stage, sampled, gold, author_label, given or "")
    if origin != ORIGIN:
        return Standing(*plain)
    checked = was_checked(stage, began or "", looked)
    split = source_split(str(made(content).get("split", "")) or split or "")
    return Standing(*plain, True, checked, level_of(content), split)


def _rows(project: Project, text: Combinable) -> QuerySet[Item, tuple[Any, ...]]:
    """Key, what is shared, what tells of its making, and what `_standing` takes, in its order."""
    first = Revision.objects.filter(item=OuterRef("pk"), n=1).values("event")
    looked = Assessment.objects.filter(item=OuterRef("pk"), part="options")
    role = project.kind_spec.judged_role
    given = Option.objects.filter(item=OuterRef("pk"), role=role or None).values("key")
    return (
        Item.objects.filter(project=project)
        .annotate(
            together=text,
            given=Subquery(given[:1]),
            began=Subquery(first),
            looked=Exists(looked),
        )
        .order_by()
        .values_list(
            "key",
            "together",
            "qa__more",
            "stage",
            "sampled",
            "gold",
            "author_label",
            "given",
            "origin",
            "began",
            "looked",
            F("candidate__material__split"),
        )
    )
