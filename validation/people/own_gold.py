"""A person's agreement with the gold that the others make, for themselves."""

from collections import defaultdict
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet

from annotation.content.models.item import Item
from annotation.core.database import seconds_from_now
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from validation.consensus.completion import Stopped, against_others
from validation.consensus.design import shares_in
from validation.consensus.protocol import Protocol
from validation.consensus.stages import ADJUDICATED, EXCLUDED, NO_CONSENSUS, SETTLED
from validation.insights.rules.agreement import own_agreement
from validation.voting.models.stopping import StopStep
from validation.voting.models.vote import Vote

DECIDED = (SETTLED, NO_CONSENSUS, ADJUDICATED)


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
    """How far the others make gold on each item that stands for any, and how far the person's vote is it."""
    project = annotator.project
    labels = tuple(project.kind_spec.question.label_keys)
    rules = {pk: Protocol.from_stored(stored) for pk, stored in project.protocols.values_list("pk", "rules")}
    votes = defaultdict[int, list[tuple[int, str, str]]](list)
    counted = Vote.objects.filter(item__in=pks, epoch=F("item__epoch"), withdrawn_at=None, surplus=False)
    columns = ("item", "annotator", "label", "annotator__pseudonym")
    for item, person, label, name in counted.order_by("item", "round", "n").values_list(*columns):
        votes[item].append((person, label, name))
    chances, shares, found = {}, {}, []
    if audited := [pk for pk, protocol in rules.items() if protocol.alpha]:
        steps = StopStep.objects.filter(item__in=pks, q__isnull=False).order_by("n")
        chances = dict(steps.values_list("item", "q"))
        shares = {pk: _shares_of_routes(annotator.project, pk) for pk in audited}
    for item in items:
        people, given, names = zip(*votes[item.pk], strict=True)
        stopped = Stopped(rules[item.protocol], item.author or None, given, item.route, chances.get(item.pk))
        of_routes = shares.get(item.protocol, {})
        if of_routes is None or not stopped.weight:
            continue
        weight = stopped.weight / (of_routes.get(item.route) or 1.0)
        if (beside := against_others(stopped, labels, people.index(annotator.pk), names)) is not None:
            found.append((weight * beside.gold, weight * beside.agrees))
    return found


def _shares_of_routes(project: Project, protocol: int) -> dict[str, float] | None:
    """`design.shares_in` for decided items of a version of the protocol, in tenths.

    Finer ones, or those of votes that can be taken back, would tell where one's own last vote led.
    """
    since = seconds_from_now(-settings.TAKE_BACK_SECONDS)
    young = Vote.objects.filter(project=project, cast_at__gt=since).values("item")
    of_version = Item.objects.filter(project=project, protocol=protocol).exclude(route="").exclude(stage=EXCLUDED)
    rows = of_version.exclude(pk__in=young).values_list("route").order_by()
    counts = list(rows.annotate(Count("pk"), done=Count("pk", filter=Q(stage__in=DECIDED))))
    shares = shares_in({route: n for route, n, _ in counts}, {route: done for route, _, done in counts})
    return shares and {route: max(round(share, 1), 0.1) for route, share in shares.items()}
