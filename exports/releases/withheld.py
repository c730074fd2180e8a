"""What a release leaves out because it was withdrawn: texts, every vote of a person, and gold that stood on such votes.

Rows are frozen all the same, and count where splits are dealt: what is left stays in its split in every version.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation import kinds
from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.content.models.units import SourceUnit
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of
from annotation.kinds import Kind
from exports.releases import sql
from exports.releases.actions import withdrawals_until
from exports.releases.audits import Audits, read_audits
from exports.releases.lookups import read_names, read_protocols
from exports.releases.models import Release, ReleaseRow, TakedownRow, Withdrawal
from exports.releases.places import ReleasedPlaces
from exports.releases.rules.rows import FrozenItem, FrozenVote, Judge, Names
from exports.releases.rules.splits import GOLD_WITHDRAWN, TAKEN_DOWN, WITHDRAWN
from validation.consensus import stages
from validation.consensus import translation_review as reviewing
from validation.consensus.engine import GOLD
from validation.voting.models.vote import Vote

# Where votes came to an end: a row that is at another stage is in no release for its gold label.
_DECIDED = (stages.SETTLED, stages.ADJUDICATED, stages.NO_CONSENSUS)
_CONTENT = FrozenItem._fields.index("content")


class Withdrawn(NamedTuple):
    """What was withdrawn of a project: the texts and votes of people, and items and sources that were taken down."""

    people: frozenset[int] = frozenset()
    items: frozenset[int] = frozenset()
    sources: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return any(self)

    def united(self, other: "Withdrawn") -> "Withdrawn":
        """All that either of both names."""
        return Withdrawn(*(mine | theirs for mine, theirs in zip(self, other, strict=True)))


@dataclass(frozen=True)
class Withheld:
    """What of a release is left out: items with their reason, everything that some people voted, and source units."""

    reasons: Mapping[int, str] = field(default_factory=dict)
    people: Collection[int] = frozenset()
    units: Collection[str] = frozenset()

    def remaining_votes(self, item: int, votes: Sequence[FrozenVote]) -> Sequence[FrozenVote]:
        """The votes on an item that the release may hold."""
        if self.reasons.get(item) in (WITHDRAWN, TAKEN_DOWN):
            return ()
        return [vote for vote in votes if vote.annotator not in self.people] if self.people else votes


def withdrawn_until(project: int, last: int) -> Withdrawn:
    """What the withdrawals of a project up to a number name."""
    if not last:
        return Withdrawn()
    people = Withdrawal.objects.filter(project=project, n__lte=last, annotator__isnull=False)
    rows = TakedownRow.objects.filter(withdrawal__project=project, withdrawal__n__lte=last)
    named = list(rows.values_list("item", "source"))
    return Withdrawn(
        frozenset(people.values_list("annotator", flat=True)),
        frozenset(item for item, _ in named if item is not None),
        frozenset(source for _, source in named if source is not None),
    )


def withdrawn_items(project: Project) -> QuerySet[Item]:
    """The items of a project whose texts no release from now on holds: of people who withdrew, or taken down."""
    named = withdrawn_until(project.pk, withdrawals_until(project.pk))
    if not named:
        return Item.objects.none()
    edited = Revision.objects.filter(item=OuterRef("pk"), by__in=named.people)
    written = Q(author__in=named.people) | Exists(edited)
    source = f"{shapes.get(project.kind_spec.shape).source_path}__in"
    taken = Q(pk__in=any_of(named.items)) | Q(**{source: any_of(named.sources)})
    return Item.objects.filter(written | taken, project=project)


def judge_of(project: Project, kind: Kind, names: Names, audits: Audits | None) -> Judge:
    """Who decides from the frozen votes of a project."""
    return Judge(
        read_protocols(project),
        kind.question.label_keys,
        names.annotators,
        reviewed=reviewing.FEATURE in kind.features,
        asked=kind.question.leaf_questions,
        routes=audits.routes if audits else None,
    )


@dataclass(frozen=True)
class FrozenVotes:
    """The rows and votes of one project in a release, as its build reads and judges them."""

    release: Release
    judge: Judge
    votes: sql.Votes
    places: ReleasedPlaces

    @classmethod
    def of(cls, release: Release) -> "FrozenVotes":
        """Those of a release that is not being built."""
        project, kind = release.project, kinds.get(release.context.get("kind", release.project.kind))
        audits = read_audits(project, release.context, kind.export.id_column)
        judge = judge_of(project, kind, read_names(project), audits)
        return cls(release, judge, sql.Votes(release.pk, comments=False), ReleasedPlaces(kind, judge.asked))

    def withheld(self, named: Withdrawn) -> Withheld:
        """What the release leaves out where this was withdrawn. Raises VerdictDiffers."""
        if not named:
            return Withheld()
        rows = ReleaseRow.objects.filter(release=self.release)
        edited = Revision.objects.filter(item=OuterRef("item"), by__in=named.people, n__lte=OuterRef("revision_n"))
        written = rows.filter(Q(item__author__in=named.people) | Exists(edited))
        shape = self.release.project.kind_spec.shape
        source = f"item__{shapes.get(shape).source_path}__in"
        taken = rows.filter(Q(item__in=any_of(named.items)) | Q(**{source: any_of(named.sources)}))
        reasons = {
            **dict.fromkeys(written.values_list("item", flat=True), WITHDRAWN),
            **dict.fromkeys(taken.values_list("item", flat=True), TAKEN_DOWN),
        }
        units = SourceUnit.objects.filter(pk__in=any_of(named.sources)) if shape.is_aligned else ()
        found = Withheld(reasons, named.people, frozenset(unit.key for unit in units))
        unsupported = dict.fromkeys(self._without_gold(found), GOLD_WITHDRAWN)
        return Withheld({**unsupported, **reasons}, found.people, found.units)

    def _without_gold(self, withheld: Withheld) -> Iterator[int]:
        """Further items that have another gold label without the votes of the people, or none."""
        voted = Vote.objects.filter(
            annotator__in=withheld.people,
            item__release_rows__release=self.release,
            item__release_rows__stage__in=_DECIDED,
            n__lte=F("item__release_rows__votes_n"),
        )
        items = set(voted.values_list("item", flat=True)) - withheld.reasons.keys()
        if not items:
            return
        shape, release = shapes.get(self.release.project.kind_spec.shape), self.release.pk
        for window in sql.windows(release):
            here = [row for row in sql.frozen_rows(release, shape, window) if row[2] in items]
            ballots = self.votes.votes_by_item(window) if here else {}
            for row in here:
                content = row[_CONTENT] and orjson.loads(row[_CONTENT])
                item = FrozenItem._make((*row[:_CONTENT], content, *row[_CONTENT + 1 :]))
                votes = self.votes.parse_votes(ballots.get(item.item) or "")
                if self.places.any:
                    votes = self.places.votes(item, votes)
                if not self._stands(item, votes, withheld.remaining_votes(item.item, votes)):
                    yield item.item

    def _stands(self, item: FrozenItem, votes: Sequence[FrozenVote], remaining: Sequence[FrozenVote]) -> bool:
        """Whether the gold label of an item is the same without some of its votes; that of an audit stands on each."""
        before, after = self.judge.judge(item, votes), self.judge.decide_votes(item, remaining)
        if self.judge.routes.get(item.item) and len(after.counted) < len(before.counted):
            return False
        return (before.state == GOLD, before.label) == (after.state == GOLD, after.label)
