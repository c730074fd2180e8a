"""What pages of source sets fetch, for leads and administrators: sets, units, rows, steps, counts (domain.md §7)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from annotation.content.models.units import SourceSet, SourceUnit, Translation
from annotation.core import access
from annotation.core.access import Membership, Viewer, project_for_leads
from annotation.core.errors import NotFound, first_or_not_found
from annotation.text.normalise import storage_problem
from annotation.translation.models import CleanUp, SourceEntry
from annotation.translation.rules.clean_up import (
    DISTRACTOR,
    TYPO,
    ChangedText,
    CleanedRow,
    CleanUpCounts,
    count_clean_up,
)
from annotation.translation.rules.source_units import SHAPES

STATES = ("kept", "removed", "changed", "unanswerable", "upstream")
What = CleanUp.What


def sources_membership(viewer: Viewer, slug: str) -> Membership:
    """The viewer as lead or administrator of a project that translates; NotFound where it does not."""
    membership = access.lead_membership(viewer, slug)
    if not access.has_targets(membership.project):
        raise NotFound
    return membership


@dataclass(frozen=True)
class SourceSetRow:
    """A source set with the columns of a list."""

    source_set: SourceSet
    rows: int
    removed: int
    units: int
    sentences: int
    upstream: int

    @property
    def final(self) -> int:
        return self.rows - self.removed


def source_sets(membership: Membership) -> list[SourceSetRow]:
    """The project's source sets in the order in which they came; three statements."""
    of_set = {"source_set__project": membership.project}
    rows = SourceEntry.objects.filter(**of_set).values("source_set").order_by()
    gone = Count("pk", filter=Q(removed=True))
    changed = Count("pk", filter=Q(upstream_changed=True, removed=False))
    counted = rows.annotate(n=Count("pk"), gone=gone, changed=changed)
    entries = {pk: figures for pk, *figures in counted.values_list("source_set", "n", "gone", "changed")}
    kept = SourceUnit.objects.filter(project=membership.project, removed=False).order_by()
    summed = kept.values_list("source_set").annotate(n=Count("pk"), long=Sum("sentences"))
    units = {pk: figures for pk, *figures in summed}
    listed = []
    for each in SourceSet.objects.filter(project=membership.project).order_by("pk"):
        n, removed, upstream = entries.get(each.pk, (0, 0, 0))
        left, sentences = units.get(each.pk, (0, 0))
        listed.append(SourceSetRow(each, n, removed, left, sentences, upstream))
    return listed


def source_counts(of: SourceSet) -> CleanUpCounts:
    """The set's Table 2; three statements."""
    rows = SourceEntry.objects.filter(source_set=of).values_list("unit", "fields", "removed", "unanswerable")
    standing = CleanUp.objects.filter(unit__source_set=of, undone_by=None).exclude(what=What.UNDONE)
    fixed = standing.filter(what__in=(TYPO, DISTRACTOR)).values_list("unit", "field", "what")
    why: Counter[tuple[str, str]] = Counter()
    for what, reason, n in standing.values_list("what", "reason").annotate(n=Count("pk")).order_by():
        why[what, reason] += n
    listed = (
        CleanedRow(unit, list(fields.values()), gone, unanswerable)
        for unit, fields, gone, unanswerable in rows.iterator(chunk_size=5000)
    )
    return count_clean_up(listed, (ChangedText(*each) for each in fixed), {key: why[key] for key in sorted(why)})


def units(of: SourceSet, words: str = "", state: str = "") -> QuerySet[SourceUnit]:
    """The set's units in their order, narrowed by words in their texts and by what stands on them."""
    listed = SourceUnit.objects.filter(source_set=of).order_by("position")
    if words and not storage_problem(words):
        listed = listed.filter(Q(body__icontains=words) | Q(key__icontains=words))
    rows = SourceEntry.objects.filter(unit=OuterRef("pk"))
    narrowed = {
        "kept": Q(removed=False),
        "removed": Exists(rows.filter(removed=True)),
        "changed": Exists(CleanUp.objects.filter(unit=OuterRef("pk"), what__in=(TYPO, DISTRACTOR), undone_by=None)),
        "unanswerable": Exists(rows.filter(unanswerable=True, removed=False)),
        "upstream": Exists(rows.filter(upstream_changed=True, removed=False)),
    }
    return listed.filter(narrowed[state]) if state in narrowed else listed


def entries_of(listed: list[SourceUnit]) -> dict[int, list[SourceEntry]]:
    """The rows of these units, by unit; one statement."""
    by_unit: dict[int, list[SourceEntry]] = {unit.pk: [] for unit in listed}
    for entry in SourceEntry.objects.filter(unit__in=by_unit).order_by("position"):
        by_unit[entry.unit_id].append(entry)
    return by_unit


def entry(of: SourceUnit, entry_id: int | None) -> SourceEntry:
    """One row of a unit: the named one, or the first that is left."""
    mine = SourceEntry.objects.select_related("upstream__project").filter(unit=of)
    return first_or_not_found(mine.order_by("removed", "position") if entry_id is None else mine.filter(pk=entry_id))


def neighbours(of: SourceEntry) -> tuple[SourceEntry | None, SourceEntry | None]:
    """The living rows before and after one in its set."""
    others = SourceEntry.objects.filter(source_set=of.source_set_id, removed=False)
    before = others.filter(position__lt=of.position).order_by("-position").first()
    return before, others.filter(position__gt=of.position).order_by("position").first()


def position_in_set(of: SourceEntry) -> tuple[int, int]:
    """How many living rows stand before this one, and how many there are."""
    counted = SourceEntry.objects.filter(source_set=of.source_set_id, removed=False).aggregate(
        before=Count("pk", filter=Q(position__lt=of.position)), n=Count("pk")
    )
    return counted["before"], counted["n"]


def steps(of: SourceUnit) -> list[CleanUp]:
    """What was done to a unit, the newest first, with who did it and whether it was taken back."""
    rows = CleanUp.objects.select_related("by", "entry", "undone_by", "undoes").filter(unit=of)
    return list(rows.order_by("-pk"))


def count_sharing_rows(of: SourceUnit) -> Mapping[str, int]:
    """How many living rows the shared text of a unit belongs to, in all units that have it, by the text's key."""
    shared = SHAPES[of.source_set.shape].shared
    if shared is None:
        return {}
    text = next((each["text"] for each in of.fields if each["key"] == shared.key), "")
    same = SourceEntry.objects.filter(source_set=of.source_set_id, unit__fields__0__text=text, removed=False)
    return {shared.key: same.count()}


def translations(of: SourceSet) -> int:
    """How many translations were made from a set."""
    return Translation.objects.filter(unit__source_set=of).count()


def source_set(membership: Membership, key: str) -> SourceSet:
    """One source set of the project, for leads and administrators."""
    return first_or_not_found(
        SourceSet.objects.select_related("project").filter(project=project_for_leads(membership), key=key)
    )


def source_unit(membership: Membership, unit_id: int) -> SourceUnit:
    """One unit of a source set, for leads and administrators."""
    return first_or_not_found(
        SourceUnit.objects.select_related("source_set").filter(pk=unit_id, project=project_for_leads(membership))
    )
