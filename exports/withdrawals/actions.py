"""The only writers of withdrawals: a person withdraws consent, an administrator replaces a release by one without rows.

No vote and no item changes: what was withdrawn is left out of every release that is made from then on.
"""

from django.db import transaction

from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, clean_typed
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.datasheet.actions import forget_demographics
from exports.public.actions import files_withdraw
from exports.releases.actions import release_copy, withdrawals_until
from exports.releases.models import Release, Replacement, TakedownRow, Withdrawal
from exports.releases.withheld import Withdrawn, withdrawn_until
from exports.withdrawals.queries import effect_to_confirm
from validation.people.actions import membership_end

LONGEST_REASON = 2000


def consent_withdraw(*, annotator: Annotator, by: User) -> Withdrawal:
    """Withdraw one's consent to take part: one leaves the project, and no release from now on holds what one wrote or
    voted. What one said about oneself is deleted. Who came back and withdraws again leaves again: the first withdrawal
    stands, and covers what came after it too."""
    with transaction.atomic():
        project = Project.lock(annotator.project_id)
        place = locked(Annotator.objects.filter(pk=annotator.pk)).get()
        if place.left_at is None:
            membership_end(place, by=None)
        present = Withdrawal.objects.filter(annotator=place).first()
        if present is not None:
            forget_demographics([place])
            return present
        made = _withdraw_person(project, place, by)
        Event.record(project, by, "consent_withdrawn", annotator=place.pseudonym)
    return made


def _withdraw_person(project: Project, place: Annotator, by: User | None) -> Withdrawal:
    forget_demographics([place])
    return Withdrawal.objects.create(project=project, n=withdrawals_until(project.pk) + 1, annotator=place, by=by)


def release_replace(
    *,
    release: Release,
    kind: str,
    reason: str,
    named: Withdrawn,
    by: User | None,
    withdraw_files: bool = False,
    here: bool = False,
) -> Release:
    """Make a new version of a release without what is named, and without all that was withdrawn before; `reason` is for
    everybody. With `withdraw_files` the files of the old one go from its public page at once.

    Raises Invalid without a reason, Conflict for a release that was replaced, or that holds nothing of it or nothing
    else.
    """
    words = clean_typed(reason, "reason", LONGEST_REASON, missing="replacement_reason_missing")
    if kind not in Replacement.Kind.values:
        raise Invalid(field="kind", code="replacement_kind_missing")
    whole = release.whole or release
    effect_to_confirm(release, named)
    with transaction.atomic():
        Project.lock(release.project_id)
        if whole.replacements.exclude(release__state=Release.State.FAILED).exists():
            raise Conflict(code="replacement_there")
        _record(release.project, named, by)
        made = release_copy(release=whole, because={"kind": kind, "reason": words}, by=by, here=here)
        Replacement.objects.create(release=made, of=whole, kind=kind, reason=words, by=by)
        if withdraw_files:
            files_withdraw(release=whole, by=by)
        Event.record(whole.project_id, by, "release_replaced", release=whole.n, new=made.n, kind=kind)
    return made


def _record(project: Project, named: Withdrawn, by: User | None) -> None:
    """Record what was not withdrawn yet: each person by themselves, items and sources as one takedown."""
    known = withdrawn_until(project.pk, withdrawals_until(project.pk))
    for place in locked(Annotator.objects.filter(pk__in=named.people - known.people).order_by("pk")):
        _withdraw_person(project, place, by)
    items, sources = sorted(named.items - known.items), sorted(named.sources - known.sources)
    if items or sources:
        made = Withdrawal.objects.create(project=project, n=withdrawals_until(project.pk) + 1, by=by)
        rows = [TakedownRow(withdrawal=made, item_id=item) for item in items]
        TakedownRow.objects.bulk_create([*rows, *(TakedownRow(withdrawal=made, source=source) for source in sources)])
