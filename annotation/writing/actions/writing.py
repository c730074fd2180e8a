"""Writing: drafts, whole sets, revisions before validation, skipped premises."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.db.models.functions import Now

from annotation.content.actions.items import items_make
from annotation.content.models.item import Item, Revision
from annotation.content.models.source import MOST_SKIPS, Allocation, Draft
from annotation.core.access import ALLOCATION_WITH
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.database import locked
from annotation.kinds import Kind, Slot, SlotIn, Source, field_name
from annotation.pay import actions as pay
from annotation.text import checks
from annotation.text.normalise import storable
from annotation.translation.models import SourceUnit
from annotation.translation.queries.targets import resources_of
from annotation.translation.rules.source_units import SHAPES
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
        items = items_make(allocation, source, slots, flagged=asks_for_a_look(project, findings))
        pay.post_set(allocation, items, slots)
        return items


def asks_for_a_look(project: Project, findings: Sequence[checks.Finding]) -> bool:
    """Whether a person has to look because a check spoke: in kinds that sample what is looked at."""
    return "flags_reviewed" in project.kind_spec.features and bool(findings)


def content_now(item: Item) -> dict[str, Any]:
    """An item's present content: that of its last revision."""
    content: dict[str, Any] = Revision.objects.values_list("content", flat=True).get(
        item=item, n=item.revision_n
    )
    return content
