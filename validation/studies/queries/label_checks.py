"""What pages read of label checks, for leads and administrators of the project of translations."""

from typing import NamedTuple

from django.db.models import QuerySet

from annotation import kinds
from annotation.content.models.item import Item, Revision
from annotation.core.access import Membership
from annotation.core.errors import Forbidden
from annotation.translation.models import LabelCheck, LabelCheckRow
from validation.consensus.stages import ADJUDICATED, EXCLUDED, NO_CONSENSUS, SETTLED
from validation.studies.projects import first_of
from validation.studies.rules.label_checks import Judged

OVER = (SETTLED, NO_CONSENSUS, ADJUDICATED, EXCLUDED)


class Row(NamedTuple):
    """One row with the item that was judged and the translation that it was made from, as this stands now.

    `changed_since`: the translation says something else than what was judged.
    """

    judged: Judged
    item: Item
    translation: Item
    changed_since: bool


def checks_of(membership: Membership) -> QuerySet[LabelCheck]:
    """The project's label checks, newest first."""
    if not membership.sees_all:
        raise Forbidden
    found = LabelCheck.objects.filter(project=membership.project)
    return found.select_related("target", "source_set", "judged").order_by("-pk")


def check_of(membership: Membership, check_id: int) -> LabelCheck:
    """One label check of the project."""
    return first_of(checks_of(membership).filter(pk=check_id))


def rows_of(made: LabelCheck) -> list[Row]:
    """Every row by its key; two statements."""
    kind = kinds.judging(made.source_set.shape)
    assert kind is not None  # noqa: S101 - label_check_create asked for it
    rows = LabelCheckRow.objects.filter(label_check=made).select_related("entry", "item", "translation")
    later = Revision.objects.filter(item__in=rows.values("translation"), meaning="new").order_by("n")
    newest = dict(later.values_list("item_id", "n"))
    found = []
    for row in rows:
        label = kind.read_label(row.entry.label) or ""
        judged = Judged(row.entry.key, label, row.item.gold, row.item.stage in OVER)
        changed_since = newest.get(row.translation_id, 0) > row.revision_n
        found.append(Row(judged, row.item, row.translation, changed_since))
    return sorted(found, key=lambda row: row.judged.key)
