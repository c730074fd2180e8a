"""Writing: drafts, whole sets, revisions before validation, skipped premises."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Now

from annotation.content import shapes
from annotation.content.actions.items import items_make, look_ask
from annotation.content.models.item import Item, Revision
from annotation.content.models.source import MOST_SKIPS, Allocation, Draft
from annotation.core.access import ALLOCATION_WITH, has_targets
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project
from annotation.jobs.database import locked
from annotation.kinds import Kind, Slot, SlotIn, Source, field_name
from annotation.pay.actions import ledger as pay
from annotation.text import checks
from annotation.text.normalise import storable
from annotation.translation.models import SourceUnit
from annotation.translation.queries.target_resources import resources_of
from annotation.translation.rules.source_shapes import SHAPES
from annotation.translation.rules.target_resources import TargetResources
from validation.consensus import stages

# The stages in which an item is its writer's to revise, until somebody is assigned it (ruling 14).
OWN = (stages.WRITTEN, stages.SUBMITTED, stages.VOTING)
LONGEST_TEXT = 10_000
VARIATIONS = "variations"


def set_context(
    project: Project,
    source: Source,
    slots: Mapping[str, SlotIn],
    often: Mapping[str, int] | None = None,
    answers: Mapping[str, int] | None = None,
    origin: Item | None = None,
    resources: TargetResources | None = None,
) -> checks.SetContext:
    """What the checks look at: the source, the whole set in the kind's order of slots, and words used often."""
    kind, rules = project.kind_spec, project.rules
    return checks.SetContext(
        source=source.text,
        slots=tuple(_slot_text(kind, slot, slots.get(slot.key, SlotIn())) for slot in kind.slots(rules)),
        language=resources.language if resources else project.language,
        settings=rules.to_dict(),
        per_label=rules.per_label,
        labels=kind.label_keys,
        often={} if often is None else often,
        answers={} if answers is None else answers,
        origin={} if origin is None else kind.written(content_now(origin)).more,
        pairs=tuple(pair for typed in slots.values() for pair in _field_pairs(source, typed)),
        resources=resources,
    )


def _field_pairs(source: Source, typed: SlotIn) -> Iterator[checks.FieldPair]:
    """The fields of a translation beside their sources; none in kinds that write something else."""
    asked = source.extra.get("fields", ())
    if not asked:
        return
    shape = SHAPES[str(source.extra["shape"])]
    for each in asked:
        within = shape.role(each["key"]).within
        yield checks.FieldPair(
            field_name(each["key"]),
            each["role"],
            each["text"],
            typed.more.get(field_name(each["key"]), ""),
            typed.more.get(field_name(within), "") if within else None,
        )


def _slot_text(kind: Kind, slot: Slot, typed: SlotIn) -> checks.SlotText:
    """What stands in one slot, as checks read it."""
    label = kind.author_label(slot, typed)
    return checks.SlotText(
        slot.key, label, typed.text, typed.one_sentence, tuple(typed.tags), dict(typed.more)
    )


def set_findings(
    project: Project,
    source: Source,
    slots: Mapping[str, SlotIn],
    often: Mapping[str, int] | None = None,
    answers: Mapping[str, int] | None = None,
    origin: Item | None = None,
    resources: TargetResources | None = None,
) -> list[checks.Finding]:
    """What the kind's checks find in a set; `often` and `answers` (`answers_of`) only make some warn.

    `origin` is the item that the set is a variation of, `resources` what is known of its target.
    """
    context = set_context(project, source, slots, often, answers, origin, resources)
    return list(checks.run_checks(project.kind_spec.checks, context))


def answers_of(writer: Annotator) -> dict[str, int]:
    """How often this writer gave each label as the answer, over what they submitted; empty where labels are given."""
    if not writer.project.kind_spec.own_options:
        return {}
    rows = Item.objects.filter(author=writer).values_list("author_label").annotate(n=Count("pk"))
    return dict(rows.order_by())


def _share(writer: Annotator, token: str) -> Allocation:
    allocation = (
        Allocation.objects.select_related(*ALLOCATION_WITH)
        .filter(token=token, writer=writer, project=writer.project_id)
        .first()
    )
    if allocation is None:
        raise NotFound
    return allocation


def draft_save(*, writer: Annotator, token: str, slot: str, content: SlotIn, version: int) -> Draft:
    """Overwrite what stands in one slot. A version that is behind raises Conflict with what stands there now."""
    allocation = _share(writer, token)
    if slot not in {known.key for known in allocation.project.kind_spec.slots(allocation.project.rules)}:
        raise Invalid(field="slot", code="slot_unknown")
    if not is_storable(content):
        raise Invalid(field="text", code="text_not_storable")
    if allocation.state not in (Allocation.State.OPEN, Allocation.State.LAPSED):
        raise Conflict(code="allocation_over")
    with transaction.atomic():
        locked(Allocation.objects.filter(pk=allocation.pk)).get()
        draft = Draft.objects.filter(allocation=allocation, slot=slot).first()
        if draft is None:
            draft = Draft(allocation=allocation, project_id=allocation.project_id, slot=slot, version=0)
        if draft.content == content.to_dict() and draft.version:
            return draft
        if draft.version != version:
            raise Conflict(code="draft_newer", current=draft)
        draft.content, draft.version = content.to_dict(), draft.version + 1
        draft.updated_at = Now()
        draft.save()
        Allocation.objects.filter(pk=allocation.pk).update(touched_at=Now())
    draft.refresh_from_db()
    return draft


def is_storable(content: SlotIn) -> bool:
    """Whether every text of a slot can be kept: no NUL, no half surrogate pairs, not far too long."""
    texts = (content.text, *content.more.keys(), *content.more.values())
    return not any(storable(text) or len(text) > LONGEST_TEXT for text in texts)


def source_skip(*, writer: Annotator, token: str, reason: str) -> None:
    """Skip a source with a reason: it goes to one other writer, a second skip ends it (ruling 13)."""
    if not reason.strip():
        raise Invalid(field="reason", code="reason_missing")
    if storable(reason):
        raise Invalid(field="reason", code="text_not_storable")
    allocation = _share(writer, token)
    with transaction.atomic():
        fresh = locked(Allocation.objects.filter(pk=allocation.pk)).get()
        if fresh.state == Allocation.State.SKIPPED:
            return
        if fresh.state != Allocation.State.OPEN:
            raise Conflict(code="allocation_over")
        if allocation.project.closed_at is not None:
            raise Conflict(code="closed_writing")
        Allocation.objects.filter(pk=allocation.pk).update(
            state=Allocation.State.SKIPPED, skip_reason=reason[:300]
        )
        if VARIATIONS in allocation.project.kind_spec.features or isinstance(allocation.source, SourceUnit):
            # Who leaves a prompt leaves the topic to everybody, themselves included; a unit is free for its target.
            return
        source = allocation.source
        type(source)._default_manager.filter(pk=source.pk).update(skips=F("skips") + 1)
        source.refresh_from_db()
        if source.skips < MOST_SKIPS:
            _pass_on(allocation)


def _pass_on(allocation: Allocation) -> None:
    """To the writer of the project with the fewest open allocations who has not had this source."""
    same = Allocation.objects.filter(
        premise=allocation.premise_id,
        concept=allocation.concept_id,
        unit=allocation.unit_id,
        target=allocation.target_id,
    )
    there = Annotator.objects.filter(
        project=allocation.project_id, is_writer=True, left_at=None, user__isnull=False
    )
    if allocation.target_id is not None:
        there = there.filter(target_memberships__target=allocation.target_id)
    other = (
        there.exclude(allocations__in=same)
        .annotate(
            waiting=Count("allocations", filter=Q(allocations__state=Allocation.State.OPEN)),
            last=Max("allocations__position"),
        )
        .order_by("waiting", "pseudonym")
        .first()
    )
    if other is None:
        return
    Allocation.objects.create(
        project_id=allocation.project_id,
        premise_id=allocation.premise_id,
        concept_id=allocation.concept_id,
        unit_id=allocation.unit_id,
        target_id=allocation.target_id,
        writer=other,
        token=secrets.token_urlsafe(18),
        position=(getattr(other, "last", None) or 0) + 1,
    )


def set_submit(*, writer: Annotator, token: str, slots: Mapping[str, SlotIn]) -> list[Item]:
    """Submit a whole set: its items are made, sampled once, and offered to validators some minutes later.

    Where the project checks first, they wait for a lead's approval instead.

    Blocking findings raise Invalid with all findings. Submitting the same set twice makes it once.
    """
    allocation = _share(writer, token)
    project = allocation.project
    findings = set_findings(
        project,
        allocation.source.as_source,
        slots,
        origin=allocation.origin,
        resources=resources_of(allocation.target),
    )
    if any(finding.level == "block" for finding in findings):
        raise Invalid(code="checks_block", findings=findings)
    with transaction.atomic():
        fresh = locked(Allocation.objects.filter(pk=allocation.pk)).get()
        if fresh.state == Allocation.State.SUBMITTED:
            return list(Item.objects.filter(allocation=allocation))
        if fresh.state != Allocation.State.OPEN:
            raise Conflict(code="allocation_over")
        Allocation.objects.filter(pk=allocation.pk).update(
            state=Allocation.State.SUBMITTED, submitted_at=Now()
        )
        for key, content in slots.items():
            Draft.objects.update_or_create(
                allocation=allocation, slot=key, defaults={"content": content.to_dict(), "project": project}
            )
        # A lead may be correcting the premise: the pairs hold the text that stands when they are made.
        source = allocation.source
        source = locked(type(source)._default_manager.filter(pk=source.pk)).get()
        items = items_make(allocation, source, slots, flagged=_asks_for_a_look(project, findings))
        pay.post_set(allocation, items, slots)
        return items


def _asks_for_a_look(project: Project, findings: Sequence[checks.Finding]) -> bool:
    """Whether a person has to look because a check spoke: in kinds that sample what is looked at."""
    return "flags_reviewed" in project.kind_spec.features and bool(findings)


def content_now(item: Item) -> dict[str, Any]:
    """An item's present content: that of its last revision."""
    content: dict[str, Any] = Revision.objects.values_list("content", flat=True).get(
        item=item, n=item.revision_n
    )
    return content


def siblings_of(item: Item) -> dict[str, SlotIn]:
    """The same writer's other items from the same source by slot, as the form would show them."""
    kind = item.project.kind_spec
    shape = shapes.get(kind.shape)
    made = shape.of_source(shape.source_of(item)).filter(author=item.author_id, target=item.target_id)
    others = made.exclude(pk=item.pk)
    slots = dict(others.values_list("pk", "slot"))
    present = shape.present(slots)
    return {slots[pk]: kind.written(content) for pk, content in present.items()}


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
    for finding in set_findings(
        project, source, {**others, slot: content}, origin=origin, resources=resources
    ):
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
    return untouched and item.stage in ((stages.SUBMITTED,) if item.project.rules.check_first else OWN)


def item_revise(*, writer: Annotator, item_id: int, version: int, content: SlotIn, why: str = "") -> Item:
    """The writer changes a submitted item, until somebody is assigned it (ruling 14), or a lead approves it."""
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
        if not is_storable(content) or content.is_blank:
            raise Invalid(field="text", code="text_not_storable")
        kind = item.project.kind_spec
        source = shapes.get(kind.shape).source_of(item).as_source
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
            content=kind.content(source, content),
            by=writer,
            event=stages.REVISE,
            why=why,
            author_label=label_of(item, content),
        )
        if _asks_for_a_look(item.project, findings):
            look_ask(item)
    return item


def label_of(item: Item, content: SlotIn) -> str:
    """The author label of an item whose writer typed this; it stays where the slot gave it."""
    kind = item.project.kind_spec
    return kind.author_label(Slot(item.slot, item.author_label, ""), content)


def revise(
    *,
    item: Item,
    content: dict[str, Any],
    by: Annotator,
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
    if not kind.agrees(item.key, content):
        raise Invalid(code="key_unlike")
    item.words = kind.words_in(content)
    item.save(update_fields=["version", "revision_n", "author_label", "words"])
    shapes.get(kind.shape).update(item, content)
    guideline = (
        GuidelineVersion.objects.filter(project=OuterRef("pk"), role=GuidelineVersion.Role.WRITING)
        .order_by("-n")
        .values("pk")[:1]
    )
    guideline_id = (
        Project.objects.filter(pk=item.project_id).values_list(Subquery(guideline), flat=True).get()
    )
    return Revision.objects.create(
        project_id=item.project_id,
        item=item,
        n=item.revision_n,
        version=item.version,
        epoch=item.epoch,
        event=event,
        meaning=meaning,
        content=content,
        author_label=item.author_label,
        by=by,
        why=why,
        guideline_id=guideline_id,
    )
