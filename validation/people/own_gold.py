"""A person's agreement with the gold that the others make, for themselves."""

from collections import defaultdict
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Exists, F, Max, OuterRef, QuerySet

from annotation.core.database import seconds_from_now
from annotation.core.models.member import Annotator
from validation.consensus.completion import Stopped, against_others
from validation.consensus.protocol import Protocol
from validation.insights.rules.agreement import own_agreement
from validation.voting.models.stopping import StopStep
from validation.voting.models.vote import Vote


class _Item(NamedTuple):
    """A settled item with a vote of the person's."""

    pk: int
    protocol: int
    author: str
    route: str


def agreement_with_others(annotator: Annotator, start: int) -> int | None:
    """Over items that votes settled; what a lead settled never counts (ruling 8).

    An item with a vote that can still be taken back is none of them: taking it back would move the figure, and so tell
    what others said.
    """
    since = seconds_from_now(-settings.TAKE_BACK_SECONDS)
    young = Vote.objects.filter(item=OuterRef("item"), cast_at__gt=since)
    own = Vote.objects.filter(
        ~Exists(young),
        annotator=annotator,
        withdrawn_at=None,
        surplus=False,
        epoch=F("item__epoch"),
        item__gold_from="votes",
        item__stage="settled",
    )
    rows = own.annotate(settled=Max("item__verdicts__id")).order_by("settled", "id")
    items = [_Item(*row) for row in rows.values_list("item", "item__protocol", "item__author_label", "item__route")]
    if len(items) < max(start, 1):
        return None
    return own_agreement(_beside_others(annotator, items, own.values("item")), start)


def _beside_others(annotator: Annotator, items: list[_Item], pks: "QuerySet[Vote, Any]") -> list[tuple[float, float]]:
    """How far the others make gold on each item, and how far the person's vote is it."""
    project = annotator.project
    labels = tuple(project.kind_spec.question.label_keys)
    rules = {pk: Protocol.from_stored(stored) for pk, stored in project.protocols.values_list("pk", "rules")}
    votes = defaultdict[int, list[tuple[int, str, str]]](list)
    counted = Vote.objects.filter(item__in=pks, epoch=F("item__epoch"), withdrawn_at=None, surplus=False)
    columns = ("item", "annotator", "label", "annotator__pseudonym")
    for item, person, label, name in counted.order_by("item", "round", "n").values_list(*columns):
        votes[item].append((person, label, name))
    chances = {}
    if any(protocol.alpha for protocol in rules.values()):
        steps = StopStep.objects.filter(item__in=pks, q__isnull=False).order_by("n")
        chances = dict(steps.values_list("item", "q"))
    found = []
    for item in items:
        people, given, names = zip(*votes[item.pk], strict=True)
        stopped = Stopped(rules[item.protocol], item.author or None, given, item.route, chances.get(item.pk))
        beside = against_others(stopped, labels, people.index(annotator.pk), names)
        weight = stopped.weight
        found.append((weight * beside.gold, weight * beside.agrees) if beside is not None else (0.0, 0.0))
    return found
