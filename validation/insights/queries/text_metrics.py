"""Queries on measures of texts: filters of lists, and the figures of one item."""

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from django.db.models import Exists, OuterRef, Q

from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.core.access import Membership
from annotation.core.models.project import Project
from annotation.text.classifier import SURE_PROBABILITY
from annotation.text.tokens import word_pattern
from validation.consensus.stages import EXCLUDED
from validation.insights.models import Insight, Measure
from validation.insights.reports.writers import HABITS_TABLE, SLUG
from validation.review.rules.filters import Filters


def word_condition(project: Project, filters: Filters) -> Q:
    """The items that statistics of words count: with a word, under the label that counts, told with certainty."""
    kind, found = project.kind_spec, ~Q(stage=EXCLUDED)
    role = kind.partial_input.role(filters.labelled) if kind.partial_input and filters.labelled else None
    if filters.word:
        found &= shapes.get(kind.shape).text_matches(word_pattern(filters.word), role)
    if filters.labelled and role is None:
        by_writer = Q(author_label=filters.labelled)
        found &= by_writer if filters.writer else Q(gold=filters.labelled) | Q(gold="") & by_writer
    if filters.sure:
        # Figures of an earlier text say nothing about the present one.
        measures = Measure.objects.filter(item=OuterRef("pk"), project=project, sure__gte=SURE_PROBABILITY)
        found &= Q(Exists(measures.filter(revision_n=OuterRef("revision_n"))))
    return found


def certainty_of(item: Item) -> int | None:
    """How sure, in percent, a classifier was of the item's label without its source; None below certainty."""
    rows = Measure.objects.filter(item=item, revision_n=item.revision_n, sure__gte=SURE_PROBABILITY)
    found = rows.values_list("sure", flat=True).first()
    return None if found is None else round(100 * found)


def own_writing_habits(places: Iterable[Membership]) -> list[SimpleNamespace]:
    """What the last computation found of one's own texts, and nothing of anybody else's; one statement."""
    own = {
        membership.project.pk: membership
        for membership in places
        if membership.annotator is not None and membership.is_writer
    }
    rows = Insight.objects.filter(project__in=own, slug=SLUG).order_by("project_id")
    return [
        _shown_habit(own[stored.project_id], row)
        for stored in rows
        for row in stored.tables.get(HABITS_TABLE, {}).get("rows", ())
        if row["person"] == _name(own[stored.project_id])
    ]


def _name(membership: Membership) -> str:
    return membership.annotator.pseudonym if membership.annotator else ""


def _shown_habit(membership: Membership, row: Mapping[str, Any]) -> SimpleNamespace:
    """A word that `having` of one's own `texts` under a label have; `told` is the label's name, marked."""
    alone = membership.project.kind_spec.partial_input
    names = dict(alone.classes) if alone else {}
    label = str(row["label"])
    return SimpleNamespace(
        project=membership.project,
        label=names.get(label, label),
        word=str(row["word"]),
        having=row["having"],
        texts=row["texts"],
    )
