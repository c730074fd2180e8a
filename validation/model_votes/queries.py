"""What leads read of a model's votes: the test against people, and the items on which all people disagree with it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, Subquery
from django.utils.translation import gettext

from annotation.content.models.item import Item
from annotation.content.queries import without_asked
from annotation.core.access import Membership
from annotation.generation.models import Endpoint
from annotation.text.gettext import gettext_noop
from validation.consensus.design import asked_in_any_case, stops_early
from validation.consensus.protocol import Protocol
from validation.model_votes.models import ModelVote
from validation.model_votes.rules import (
    EPSILONS,
    AnnotatorTest,
    Labels,
    alternative_annotator_test,
    items_against_all,
)
from validation.voting.models.vote import Vote

OVER_ALL = gettext_noop("all votes; none was asked for because of what others had said")
OVER_STOPPED = gettext_noop(
    "votes asked for whatever others had said: those of the first round, or on items of the panel"
)


@dataclass(frozen=True)
class ModelComparison:
    """One model's votes: how many, how many gave no label, the test for each epsilon, items against all people.

    The test is over votes that nobody's answer brought about: `over` says which, in words. Without any there are no
    tests.
    """

    endpoint: Endpoint
    model: str
    labels: int
    faults: int
    tests: list[AnnotatorTest]
    over: str
    against: list[Item]

    @property
    def over_words(self) -> str:
        """The votes that the test is over, in the interface's language."""
        return gettext(self.over)

    @property
    def flagged(self) -> int:
        """How many of these items have open flags."""
        return sum(item.doubt > 0 for item in self.against)


def against_people() -> Q:
    """Of items those to whose present text all people gave one label, two of them at least, and a model another.

    Writers' labels are not among people's.
    """
    said = Vote.objects.filter(item=OuterRef(OuterRef("pk")), withdrawn_at=None, revision_n=OuterRef("revision_n"))
    alike = said.order_by().values("item").annotate(n=Count("pk"), least=Min("label"), most=Max("label"))
    one_label = alike.filter(n__gte=2, least=F("most")).exclude(least="").values("least")[:1]
    votes = ModelVote.objects.exclude(label="").filter(item=OuterRef("pk"), revision_n=OuterRef("revision_n"))
    return Q(Exists(votes.annotate(people=Subquery(one_label)).exclude(people=None).exclude(label=F("people"))))


class PeopleLabels(NamedTuple):
    """What people said of items: all of it, and what they were asked whatever others had said."""

    all: Labels
    in_any_case: Labels
    stopped: bool
    """Whether some votes were asked for because of what others had said."""


def labels_of_people(membership: Membership, items: Mapping[int, int]) -> PeopleLabels:
    """The voters' standing labels on these items (id: revision) that the viewer may read, by item and pseudonym;
    writers' are not among them."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    asked: dict[str, dict[str, str]] = defaultdict(dict)
    stored = membership.project.protocols.values_list("pk", "rules")
    protocols = {pk: Protocol.from_stored(rules) for pk, rules in stored}
    stopped = False
    rows = Vote.objects.filter(item__in=items, withdrawn_at=None, item__project=membership.project)
    rows = without_asked(rows, membership)
    columns = ("item_id", "annotator__pseudonym", "label", "revision_n", "round", "item__protocol", "item__route")
    for item, who, label, revision, round, protocol, route, imported in rows.values_list(
        *columns, "annotator__imported"
    ):
        if revision != items[item]:
            continue
        found[str(item)][who] = label
        if asked_in_any_case(protocols[protocol], round=round, route=route or "", imported=imported):
            asked[str(item)][who] = label
        stopped |= stops_early(protocols[protocol])
    return PeopleLabels(found, asked, stopped)


def compare_models(membership: Membership) -> list[ModelComparison]:
    """Every model that voted in the viewer's project, compared with its people."""
    rows = ModelVote.objects.filter(project=membership.project).order_by("endpoint", "model", "pk")
    by_model: dict[tuple[int, str], list[ModelVote]] = defaultdict(list)
    for vote in rows:
        by_model[vote.endpoint_id, vote.model].append(vote)
    endpoints = Endpoint.objects.in_bulk([endpoint for endpoint, _ in by_model])
    return [_compare_model(membership, endpoints[pk], model, votes) for (pk, model), votes in by_model.items()]


def _compare_model(membership: Membership, endpoint: Endpoint, model: str, votes: list[ModelVote]) -> ModelComparison:
    newest = {vote.item_id: vote for vote in votes}
    people = labels_of_people(membership, {pk: vote.revision_n for pk, vote in newest.items()})
    labels = {str(pk): vote.label for pk, vote in newest.items() if vote.label}
    against = Item.objects.in_bulk([int(item) for item in items_against_all(people.all, labels)])
    tested = any(len(given) > 1 and item in labels for item, given in people.in_any_case.items())
    return ModelComparison(
        endpoint,
        model,
        len(labels),
        len(newest) - len(labels),
        [alternative_annotator_test(people.in_any_case, labels, epsilon) for epsilon in EPSILONS if tested],
        OVER_STOPPED if people.stopped else OVER_ALL,
        sorted(against.values(), key=lambda item: item.key),
    )
