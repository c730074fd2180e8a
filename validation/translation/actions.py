"""Ending targets, and changing their people: their open reviews go to others."""

from collections.abc import Collection, Mapping

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.content.models.units import Translation
from annotation.core.actions.members import get_changeable_member
from annotation.core.database import locked, seconds_from_now
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.translation.actions import clean_up as cleaning
from annotation.translation.actions.clean_up import CleanUpResult, StepIn
from annotation.translation.actions.targets import target_ended, target_members_set, targets_by_keys
from annotation.translation.models import CleanUp, SourceEntry
from annotation.translation.rules.clean_up import upstream_hash
from validation.consensus import stages
from validation.voting.actions.assignments import assignment_expire
from validation.voting.actions.flags import flag_raise
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag
from validation.voting.rules import flags


def target_end(*, target: Target, ended: bool, by: User) -> bool:
    """End a target, or open it again; open assignments there end, so that nobody goes on reviewing. Whether it changed.

    What translators have in hand stays theirs, and what they hand in waits for the target to be opened again.
    """
    changed = target_ended(target=target, ended=ended, by=by)
    if changed and ended:
        _expire(Assignment.objects.filter(target=target, state=Assignment.State.OPEN))
    return changed


def targets_give(
    *,
    project: Project,
    annotator_id: int,
    keys: Collection[str],
    by: User,
    seen: Collection[str] | None = None,
) -> Annotator:
    """Say for which targets a member works: leads of the project may. A page that is behind raises Conflict.

    `seen`: the targets that the page showed. What the person has in hand stays theirs; in targets that they leave
    they are given nothing new, and their open assignments end. Raises Invalid for a target that is not there.
    """
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        place = get_changeable_member(project=fresh, annotator_id=annotator_id, by=by)
        wanted = targets_by_keys(fresh, keys)
        present = set(place.target_memberships.values_list("target__key", flat=True))
        if seen is not None and present != set(seen):
            raise Conflict(code="targets_stale", current=sorted(present))
        left = target_members_set(annotator=place, targets=wanted, by=by)
    # Items are locked before assignments, and a vote holds its item before it reads the project: so not in here.
    _expire(Assignment.objects.filter(annotator=place, target__in=left, state=Assignment.State.OPEN))
    return place


def _expire(assignments: QuerySet[Assignment]) -> None:
    for pk in list(assignments.order_by("item").values_list("pk", flat=True)):
        assignment_expire(assignment_id=pk)


What = CleanUp.What
# So far back a translation that was being written while its source changed is looked for.
LATE_SECONDS = 24 * 3600


def source_clean(
    *, project: Project, unit_id: int, what: str, given: StepIn, texts: Mapping[str, str] | None = None
) -> CleanUpResult:
    """One step of clean-up by what it is; `texts` are the new ones of a typo or a distractor."""
    with transaction.atomic():
        if what == What.REMOVED:
            done = cleaning.row_remove(project=project, unit_id=unit_id, given=given)
        elif what == What.UNANSWERABLE:
            done = cleaning.row_unanswerable(project=project, unit_id=unit_id, given=given)
        else:
            done = cleaning.texts_change(project=project, unit_id=unit_id, what=what, texts=texts or {}, given=given)
        _flag_after(done)
    return done


def source_undo(*, project: Project, unit_id: int, step_id: int, revision: int, by: User | None) -> CleanUpResult:
    """Take a step back; that too changes what was translated."""
    with transaction.atomic():
        done = cleaning.step_undo(project=project, unit_id=unit_id, step_id=step_id, revision=revision, by=by)
        _flag_after(done)
    return done


def _flag_after(done: CleanUpResult) -> None:
    """Flag the translations of a frozen set's units. A mark alone changes nothing that is translated."""
    if done.frozen and any(_alters(step) for step in done.steps):
        for unit in done.units:
            _flag({"revision": unit.revision, "why": "cleaned"}, translation__unit=unit.pk)


def _alters(step: CleanUp) -> bool:
    what = step.undoes.what if step.undoes is not None else step.what
    return what != What.UNANSWERABLE


def _flag(detail: dict[str, object], **translations: object) -> int:
    """Flag these translations, each once while its flag is open; how many they are."""
    found = list(locked(Item.objects.filter(**translations).order_by("pk")))
    for item in found:
        flag_raise(item=item, code=flags.SOURCE_CHANGED, detail=dict(detail))
    return len(found)


def sources_watch(*, limit: int = 500) -> int:
    """Flag what changed behind translations: rows whose item was revised or excluded, texts cleaned meanwhile.

    May run twice, late, or beside itself; how many rows and translations it found.
    """
    return _watch_upstream(limit) + _watch_late(limit)


def _watch_upstream(limit: int) -> int:
    """Rows whose item says something else than when it was taken, or is excluded; each is noted once."""
    rows = SourceEntry.objects.select_related("source_set", "upstream__project").filter(
        Q(upstream__stage=stages.EXCLUDED) | ~Q(upstream__revision_n=F("upstream_revision")),
        upstream__isnull=False,
        upstream_changed=False,
        removed=False,
    )
    changed = [entry for entry in rows.order_by("pk")[:limit] if _has_source_changed(entry)]
    for entry in changed:
        with transaction.atomic():
            mine = SourceEntry.objects.filter(pk=entry.pk, upstream_changed=False)
            if mine.update(upstream_changed=True) and entry.source_set.frozen_at is not None:
                _flag({"row": entry.key, "why": "upstream"}, translation__unit=entry.unit_id)
    return len(changed)


def _has_source_changed(entry: SourceEntry) -> bool:
    item = entry.upstream
    assert item is not None  # noqa: S101 - the rows have one
    if item.stage == stages.EXCLUDED:
        return True
    kind = item.project.kind_spec
    content = shapes.get(kind.shape).current_contents([item.pk]).get(item.pk)
    if content is None or kind.export.source_row is None:
        return True
    return upstream_hash(dict(kind.export.source_row[1](content))) != entry.upstream_hash


def _watch_late(limit: int) -> int:
    """Translations handed in while somebody cleaned: made from a text that their unit has not any more."""
    steps = CleanUp.objects.filter(at__gt=seconds_from_now(-LATE_SECONDS), unit__source_set__frozen_at__isnull=False)
    last_flags = Flag.objects.filter(item=OuterRef("item"), code=flags.SOURCE_CHANGED).order_by("-pk")
    newer = CleanUp.objects.filter(unit=OuterRef("unit"), revision__gt=OuterRef("unit_revision"))
    late = (
        Translation.objects.filter(unit__in=steps.values("unit"), unit_revision__lt=F("unit__revision"))
        .annotate(
            told_at=Subquery(last_flags.values("at")[:1]),
            changed_at=Subquery(newer.order_by("-pk").values("at")[:1]),
        )
        .filter(Q(told_at=None) | Q(told_at__lt=F("changed_at")))
        .select_related("unit")
    )
    found = 0
    for each in late.order_by("pk")[:limit]:
        newest = _last_change(each)
        if newest is None or (each.told_at is not None and each.told_at >= newest.at):
            continue
        with transaction.atomic():
            found += _flag({"revision": each.unit.revision, "why": "cleaned"}, pk=each.pk)
    return found


def _last_change(translation: Translation) -> CleanUp | None:
    """The newest step that altered the unit since the translation was made from it."""
    steps = CleanUp.objects.select_related("undoes").filter(
        unit=translation.unit_id, revision__gt=translation.unit_revision
    )
    return next((step for step in steps.order_by("-pk") if _alters(step)), None)
