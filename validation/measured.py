"""The fetchers of what was measured of texts: what lists are narrowed to, and what is said of one item."""

from django.db.models import Exists, OuterRef, Q

from annotation import shapes
from annotation.models import Item, Project
from annotation.rules.classifier import SURE
from annotation.rules.tokens import word_pattern
from validation.models import Measure
from validation.rules.filters import Filters
from validation.rules.stages import EXCLUDED


def narrowed(project: Project, filters: Filters) -> Q:
    """The items that statistics of words count: with a word, under the label that counts, told with certainty."""
    kind, found = project.kind_spec, ~Q(stage=EXCLUDED)
    role = kind.alone.role(filters.labelled) if kind.alone and filters.labelled else None
    if filters.word:
        found &= shapes.get(kind.shape).holds(word_pattern(filters.word), role)
    if filters.labelled and role is None:
        by_writer = Q(author_label=filters.labelled)
        found &= by_writer if filters.writer else Q(gold=filters.labelled) | Q(gold="") & by_writer
    if filters.sure:
        found &= Q(Exists(Measure.objects.filter(item=OuterRef("pk"), project=project, sure__gte=SURE)))
    return found


def sure_of(item: Item) -> float | None:
    """How sure a classifier was of the item's label without its source, where it told it with certainty."""
    rows = Measure.objects.filter(item=item, revision_n=item.revision_n, sure__gte=SURE)
    return rows.values_list("sure", flat=True).first()
