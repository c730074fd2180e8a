"""Whose work a release holds: asked at freeze, so that its statement counts these people and nobody else."""

from functools import reduce
from operator import or_

from django.db.models import Q

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from exports.aligned.rules import missing
from exports.releases.rules.settings import ALIGNED, SplitRules, layout_of
from exports.releases.rules.splits import Standing, place
from validation.voting.models.vote import Vote

_COLUMNS = ("stage", "sampled", "gold", "gold_from")
# Which label an item has does not matter here, only that it may have one.
_SOME = "?"


def took_part(project: Project, rules: SplitRules) -> set[int]:
    """Who wrote, or votes on, an item that the rules put into a split, by the ids of their places.

    What keeps items apart (an equal premise in test, a row that another target lacks) is settled later, by the build:
    whoever has nothing else in a release is counted all the same.
    """
    items = Item.objects.filter(project=project)
    if rules.targets:
        items = items.filter(target__key__in=rules.targets.split())
    standings = items.values_list(*_COLUMNS).order_by().distinct()
    kept = [
        Q(**dict(zip(_COLUMNS, each, strict=True))) for each in standings if _is_kept(project, rules, each)
    ]
    if not kept:
        return set()
    released = items.filter(reduce(or_, kept))
    authors = released.filter(author__isnull=False).values_list("author", flat=True).order_by().distinct()
    voters = Vote.objects.filter(item__in=released.values("pk"), withdrawn_at=None, imported=False)
    return {*authors, *voters.values_list("annotator", flat=True).order_by().distinct()}


def _is_kept(project: Project, rules: SplitRules, standing: tuple[str, bool, str, str]) -> bool:
    """Whether the rules leave an item of this standing in, by itself."""
    kind = project.kind_spec
    if layout_of(kind.shape) == ALIGNED:
        return missing.verdict(rules, kind.label_keys[0], *standing).state == missing.READY
    stage, sampled, gold, _ = standing
    return not place(rules, Standing(stage, sampled, gold, "", _SOME), kind.accepts).left_out
