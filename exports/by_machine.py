"""Where items stand for the preview of a release, one by one, where a machine may have written them."""

from collections.abc import Callable
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KT

from annotation.models import Item, Option, Project, Revision
from exports.rules.groups import dealt_by
from exports.rules.machine import ORIGIN, source_split, was_checked
from exports.rules.settings import TENTHS, SplitRules
from exports.rules.splits import Place, Standing, group_of, place
from validation.models import Assessment

A_CHUNK = 5000


def by_machine(project: Project) -> bool:
    """Whether a machine wrote any item of the project."""
    return Item.objects.filter(project=project, origin=ORIGIN).exists()


def one_by_one(
    project: Project, rules: SplitRules, text: Combinable, key_of: Callable[[str], str]
) -> list[tuple[int, Place, int]]:
    """The group and place of every item: one statement, the same pure rules as a build."""
    seed, accepts, found = rules.seed or project.seed, project.kind_spec.accepts, []
    places: dict[Standing, Place] = {}
    for key, together, set_key, *facts in _rows(project, text).iterator(chunk_size=A_CHUNK):
        standing = _standing(*facts)
        where = places.get(standing)
        if where is None:
            where = places[standing] = place(rules, standing, accepts)
        shared = dealt_by(rules, key, set_key or "") if rules.deal == TENTHS else key_of(together or "")
        found.append((group_of(seed, shared), where, 1))
    return found


def _standing(
    stage: str,
    sampled: bool,
    gold: str,
    author_label: str,
    given: str | None,
    origin: str,
    began: str | None,
    looked: bool,
    level: str | None,
    split: str | None,
    of_material: str | None,
) -> Standing:
    plain = (stage, sampled, gold, author_label, given or "")
    if origin != ORIGIN:
        return Standing(*plain)
    checked = was_checked(stage, began or "", looked)
    return Standing(*plain, True, checked, level or "", source_split(split or of_material or ""))


def _rows(project: Project, text: Combinable) -> QuerySet[Item, tuple[Any, ...]]:
    """Key, what is shared, the set, and what `_standing` takes, in its order."""
    first = Revision.objects.filter(item=OuterRef("pk"), n=1).values("event")
    looked = Assessment.objects.filter(item=OuterRef("pk"), part="options")
    role = project.kind_spec.judged_role
    given = Option.objects.filter(item=OuterRef("pk"), role=role or None).values("key")
    return (
        Item.objects.filter(project=project)
        .annotate(
            together=text,
            made_set=KT("qa__more__made__set"),
            given=Subquery(given[:1]),
            began=Subquery(first),
            looked=Exists(looked),
            made_level=KT("qa__more__made__level"),
            made_split=KT("qa__more__made__split"),
        )
        .order_by()
        .values_list(
            "key",
            "together",
            "made_set",
            "stage",
            "sampled",
            "gold",
            "author_label",
            "given",
            "origin",
            "began",
            "looked",
            "made_level",
            "made_split",
            F("candidate__material__split"),
        )
    )
