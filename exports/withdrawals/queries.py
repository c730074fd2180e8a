"""What a withdrawal would change: found by the names that people type, counted before it is confirmed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext

from annotation.content import shapes
from annotation.content.rules.released_ids import released_id
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs.bulk import any_of
from annotation.pay.queries import UnpaidSum, own_unpaid
from annotation.translation.models import SourceEntry
from exports.releases.actions import withdrawals_until
from exports.releases.models import Release, ReleaseRow, Withdrawal
from exports.releases.previous_release import parts_of
from exports.releases.rules.hidden import open_id
from exports.releases.rules.rows import VerdictDiffers
from exports.releases.rules.splits import GOLD_WITHDRAWN
from exports.releases.withheld import FrozenVotes, Withdrawn, Withheld, withdrawn_until
from validation.voting.models.vote import Vote

# So many names that nobody knows are told.
MOST_TOLD = 10


@dataclass(frozen=True)
class Effect:
    """What a new version of a release lacks that the release has: rows (of them for their gold label alone), votes.

    `remaining` are the rows that it would hold.
    """

    rows: int = 0
    without_gold: int = 0
    votes: int = 0
    remaining: int = 0

    def __bool__(self) -> bool:
        return bool(self.rows or self.votes)


@dataclass(frozen=True)
class OwnShare:
    """What somebody leaves behind in a project: items, votes, the numbers of releases that hold them, unpaid pay."""

    items: int
    votes: int
    releases: Sequence[int]
    unpaid: Sequence[UnpaidSum]


def find_withdrawn(
    release: Release, *, people: Collection[str], items: Collection[str], sources: Collection[str]
) -> Withdrawn:
    """People by pseudonym, items by their id in files or in the project, sources by key. Raises Invalid."""
    project, shape = release.project, shapes.get(release.project.kind_spec.shape)
    named = Annotator.objects.filter(project=project, pseudonym__in=people)
    persons = dict(named.values_list("pseudonym", "pk"))
    texts = dict(shape.model._default_manager.filter(project=project, key__in=sources).values_list("key", "pk"))
    # A row of a source set stands for the texts that were translated with it.
    entries = SourceEntry.objects.filter(source_set__project=project, key__in=sources)
    texts |= dict(entries.values_list("key", "unit"))
    rows = _items_named(release, items)
    for field, asked, known in (("people", people, persons), ("items", items, rows), ("sources", sources, texts)):
        if unknown := sorted(set(asked) - set(known)):
            reason = gettext("Not found in this release: %(names)s. Check the spelling, one a line.")
            raise Invalid(reason % {"names": ", ".join(unknown[:MOST_TOLD])}, field=field, code="withdrawal_unknown")
    return Withdrawn(frozenset(persons.values()), frozenset(rows.values()), frozenset(texts.values()))


def _items_named(release: Release, names: Collection[str]) -> dict[str, int]:
    """Items of a release by the ids that they have in the project, in its files, or in files with hidden answers."""
    rows = ReleaseRow.objects.filter(release=release)
    found = dict(rows.filter(key__in=names).values_list("key", "item"))
    wanted, secret = set(names) - found.keys(), release.project.secret
    if wanted:
        for key, item in rows.values_list("key", "item").iterator():
            public = released_id(secret, key)
            for name in wanted.intersection((public, open_id(secret, public), open_id(secret, key))):
                found[name] = item
    return found


def effect_of(release: Release, named: Withdrawn) -> Effect:
    """What the next version of a release lacks: by all that was withdrawn of its projects, and by what is named of the
    project of this one. Raises Conflict where votes do not give what is stored."""
    try:
        return _effect_of(release, named)
    except VerdictDiffers as found:
        reason = (
            f"{found.key}: its votes give {found.computed}, but {found.stored} is stored. Run check_integrity first."
        )
        raise Conflict(reason, code="verdict_differs") from found


def effect_to_confirm(release: Release, named: Withdrawn) -> Effect:
    """The effect of a version that can be made. Raises Conflict where it would lack nothing, or hold nothing."""
    effect = effect_of(release, named)
    if not effect:
        raise Conflict(code="replacement_changes_nothing")
    if not effect.remaining:
        raise Conflict(code="replacement_leaves_nothing")
    return effect


def _effect_of(release: Release, named: Withdrawn) -> Effect:
    rows = without_gold = votes = remaining = 0
    for part in parts_of(release.whole or release):
        frozen, now = FrozenVotes.of(part), withdrawn_until(part.project_id, withdrawals_until(part.project_id))
        before = frozen.withheld(withdrawn_until(part.project_id, part.context.get("withdrawals", 0)))
        then = frozen.withheld(now.united(named) if part.project_id == release.project_id else now)
        new = then.reasons.keys() - before.reasons.keys()
        held = ReleaseRow.objects.filter(release=part).exclude(split="")
        released = set(held.filter(item__in=any_of(new)).values_list("item", flat=True))
        rows += len(released)
        remaining += held.exclude(item__in=any_of(then.reasons.keys())).count()
        without_gold += sum(then.reasons[item] == GOLD_WITHDRAWN for item in released)
        votes += _votes_of(part, then).count() - _votes_of(part, before).count()
    return Effect(rows, without_gold, votes, remaining)


def _votes_of(part: Release, withheld: Withheld) -> QuerySet[Vote]:
    """The votes of a release that are withheld."""
    frozen = Vote.objects.filter(item__release_rows__release=part, n__lte=F("item__release_rows__votes_n"))
    whole = [item for item, reason in withheld.reasons.items() if reason != GOLD_WITHDRAWN]
    return frozen.filter(Q(annotator__in=withheld.people) | Q(item__in=any_of(whole)))


def withdrawn_people(project: Project) -> QuerySet[Withdrawal]:
    """Who withdrew, or was withdrawn by an administrator, the newest first."""
    found = Withdrawal.objects.filter(project=project, annotator__isnull=False)
    return found.select_related("annotator").order_by("-n")


def withdrawn_since(release: Release) -> QuerySet[Withdrawal]:
    """Who withdrew and is still in this release."""
    return withdrawn_people(release.project).filter(n__gt=release.context.get("withdrawals", 0))


def own_share(user: User, place: Annotator) -> OwnShare:
    """What somebody is told before they withdraw: nothing of it is about others."""
    items = place.items.count()
    votes = Vote.objects.filter(annotator=place, withdrawn_at=None)
    held = ReleaseRow.objects.filter(release__state=Release.State.READY, release__project=place.project)
    own = held.filter(Q(item__author=place) | Q(item__in=votes.values("item"))).exclude(split="")
    releases = Release.objects.filter(pk__in=own.values("release")).order_by("n")
    # Those that were made after the person withdrew hold nothing of theirs.
    numbers = [
        release.n
        for release in releases
        if place.pk not in withdrawn_until(release.project_id, release.context.get("withdrawals", 0)).people
    ]
    unpaid = [each for each in own_unpaid(user) if each.pseudonym == place.pseudonym] if place.project.pays else []
    return OwnShare(items, votes.count(), numbers, unpaid)
