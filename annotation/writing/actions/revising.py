"""A writer's submitted items revised, until somebody is assigned them (ruling 14)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction

from annotation.content import shapes
from annotation.content.actions.items import require_validation
from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Allocation
from annotation.content.queries import current_content
from annotation.content.rules.counts import revision_counts
from annotation.core.access import has_targets
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project
from annotation.elicitation.rules.sessions import VARIATIONS
from annotation.kinds import Slot, SlotIn, Source
from annotation.text import checks
from annotation.translation.queries.targets import resources_of
from annotation.translation.rules.target_resources import TargetResources
from annotation.writing.actions.writing import WRITERS_STAGES, is_storable, needs_validation, set_findings
from validation.consensus import stages


def siblings_of(item: Item) -> dict[str, SlotIn]:
    """The same writer's other items from the same source by slot, as the form would show them."""
    kind = item.project.kind_spec
    shape = shapes.get(kind.shape)
    made = shape.items_of_source(shape.source_of(item)).filter(author=item.author_id, target=item.target_id)
    others = made.exclude(pk=item.pk)
    slots = dict(others.values_list("pk", "slot"))
    present = shape.current_contents(slots)
    return {slots[pk]: kind.authoring.slot_from_content(content) for pk, content in present.items()}


def findings_about(
    slot: str,
    project: Project,
    source: Source,
    others: Mapping[str, SlotIn],
    content: SlotIn,
    origin: Item | None = None,
    resources: TargetResources | None = None,
) -> list[checks.Finding]:
    """What the checks say of one text among the others of its set; a copy is told at the text that is new."""
    found = []
    for finding in set_findings(project, source, {**others, slot: content}, origin=origin, resources=resources):
        if finding.slot == slot:
            found.append(finding)
        elif finding.params.get("other") == slot:
            found.append(replace(finding, slot=slot, params={**finding.params, "other": finding.slot}))
    return found


def origin_of(item: Item) -> Item | None:
    """The item that its writer made this one from, as a variation."""
    if VARIATIONS not in item.project.kind_spec.features:
        return None
    return Item.objects.filter(pk__in=Allocation.objects.filter(items=item).values("origin")).first()


def resources_of_item(item: Item) -> TargetResources | None:
    """What is known of the target that an item is translated into; None in kinds without targets."""
    return resources_of(item.target) if has_targets(item.project) else None


def is_own(item: Item) -> bool:
    """Whether the item is its writer's to revise still: nobody was assigned it, and no lead has approved its text."""
    untouched = item.opened_at is None and not item.votes_n
    return untouched and item.stage in ((stages.SUBMITTED,) if item.project.rules.check_first else WRITERS_STAGES)


def item_revise(*, writer: Annotator, item_id: int, version: int, content: SlotIn, why: str = "") -> Item:
    """The writer changes a submitted item, until somebody is assigned it (ruling 14), or a lead approves it.

    What says the same as before makes no revision.
    """
    with transaction.atomic():
        item = (
            locked(Item.objects.filter(pk=item_id, author=writer, project=writer.project_id))
            .select_related("project")
            .first()
        )
        if item is None:
            raise NotFound
        if not is_own(item):
            raise Conflict(code="validation_began")
        if item.version != version:
            raise Conflict(code="stale")
        if content.is_blank:
            raise Invalid(field="text", code="text_missing")
        if not is_storable(content):
            raise Invalid(field="text", code="text_not_storable")
        kind = item.project.kind_spec
        source = shapes.get(kind.shape).source_of(item).as_source
        new = kind.authoring.content_from_slot(source, content)
        if new == current_content(item) and label_of(item, content) == item.author_label:
            return item
        findings = findings_about(
            item.slot,
            item.project,
            source,
            siblings_of(item),
            content,
            origin_of(item),
            resources_of_item(item),
        )
        if checks.blocks(findings):
            raise Invalid(code="checks_block", findings=findings)
        revise(
            item=item,
            content=new,
            by=writer,
            event=stages.REVISE,
            why=why,
            author_label=label_of(item, content),
        )
        if needs_validation(item.project, findings):
            require_validation(item)
    return item


def label_of(item: Item, content: SlotIn) -> str:
    """The author label of an item whose writer typed this; it stays where the slot gave it."""
    kind = item.project.kind_spec
    return kind.authoring.author_label(Slot(item.slot, item.author_label, ""), content)


def revise(
    *,
    item: Item,
    content: dict[str, Any],
    by: Annotator | None,
    event: str,
    meaning: str = "new",
    why: str = "",
    author_label: str | None = None,
) -> Revision:
    """Write the next revision of an item that the caller has locked, and its present content with it.

    A content that cannot stand under the item's key raises Invalid: a key says which parts there are.
    """
    item.version, item.revision_n = item.version + 1, item.revision_n + 1
    if author_label is not None:
        item.author_label = author_label
    kind = item.project.kind_spec
    if not kind.authoring.key_fits_content(item.key, content):
        raise Invalid(code="key_unlike")
    item.words = kind.count_shown_words(content)
    item.save(update_fields=["version", "revision_n", "author_label", "words"])
    shapes.get(kind.shape).update(item, content)
    guidelines = GuidelineVersion.objects.filter(project=item.project_id, role=GuidelineVersion.Role.WRITING)
    return Revision.objects.create(
        project_id=item.project_id,
        item=item,
        n=item.revision_n,
        version=item.version,
        epoch=item.epoch,
        event=event,
        meaning=meaning,
        content=content,
        **revision_counts(kind, content, item.project.language),
        author_label=item.author_label,
        by=by,
        why=why,
        guideline_id=guidelines.order_by("-n").values_list("pk", flat=True).first(),
    )
