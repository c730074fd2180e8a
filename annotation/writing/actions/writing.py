"""Writing: drafts, whole sets, revisions before validation, skipped premises."""

import secrets
from collections.abc import Iterator, Mapping, Sequence

from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.db.models.functions import Now

from annotation.content.actions.items import items_make
from annotation.content.models.item import Item
from annotation.content.models.source import MOST_SKIPS, Allocation, Draft
from annotation.content.models.units import SourceUnit
from annotation.content.queries import current_content
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.actions import variations_note
from annotation.elicitation.rules.sessions import VARIATIONS
from annotation.kinds import Kind, Slot, SlotIn, Source, field_name
from annotation.text import checks
from annotation.text.normalise import storage_problem
from annotation.translation.queries.targets import resources_of
from annotation.translation.rules.source_units import SHAPES
from annotation.translation.rules.target_resources import TargetResources
from annotation.writing.actions.typing import SentTyping, typing_store
from annotation.writing.queries import ALLOCATION_RELATIONS
from validation.consensus import stages

# The stages in which an item is its writer's to revise, until somebody is assigned it (ruling 14).
WRITERS_STAGES = (stages.WRITTEN, stages.SUBMITTED, stages.VOTING)
LONGEST_TEXT = 10_000
UPDATED_COLUMNS = ("content", "version", "updated_at")


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
        slots=tuple(_slot_text(kind, slot, slots.get(slot.key, SlotIn())) for slot in kind.authoring.slots(rules)),
        language=resources.language if resources else project.language,
        settings=rules.to_dict(),
        per_label=rules.per_label,
        labels=kind.question.label_keys,
        word_counts={} if often is None else often,
        answers={} if answers is None else answers,
        origin_fields={} if origin is None else kind.authoring.slot_from_content(current_content(origin)).more,
        field_pairs=tuple(pair for typed in slots.values() for pair in _field_pairs(source, typed)),
        resources=resources,
    )


def _field_pairs(source: Source, typed: SlotIn) -> Iterator[checks.FieldPair]:
    """The fields of a translation beside their sources; none in kinds that write something else."""
    asked = source.extra.get("fields", ())
    if not asked:
        return
    shape = SHAPES[str(source.extra["shape"])]
    for each in asked:
        within = shape.role(each["key"]).contained_in
        yield checks.FieldPair(
            field_name(each["key"]),
            each["role"],
            each["text"],
            typed.more.get(field_name(each["key"]), ""),
            typed.more.get(field_name(within), "") if within else None,
        )


def _slot_text(kind: Kind, slot: Slot, typed: SlotIn) -> checks.SlotText:
    """What stands in one slot, as checks read it."""
    label = kind.authoring.author_label(slot, typed)
    return checks.SlotText(slot.key, label, typed.text, typed.one_sentence, tuple(typed.tags), dict(typed.more))


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
    return list(checks.run_checks(project.kind_spec.authoring.checks, context))


def answers_of(writer: Annotator) -> dict[str, int]:
    """How often this writer gave each label as the answer, over what they submitted; empty where labels are given."""
    if not writer.project.kind_spec.question.own_options:
        return {}
    rows = Item.objects.filter(author=writer).values_list("author_label").annotate(n=Count("pk"))
    return dict(rows.order_by())


def _own_allocation(writer: Annotator, token: str) -> Allocation:
    allocation = (
        Allocation.objects.select_related(*ALLOCATION_RELATIONS)
        .filter(token=token, writer=writer, project=writer.project_id)
        .first()
    )
    if allocation is None:
        raise NotFound
    return allocation


def draft_save(*, writer: Annotator, token: str, slot: str, content: SlotIn, version: int) -> Draft:
    """Overwrite what stands in one slot. A version that is behind raises Conflict with what stands there now."""
    allocation = _own_allocation(writer, token)
    drafts, refused = drafts_save(allocation=allocation, slots={slot: (content, version)})
    if slot in refused:
        raise refused[slot]
    return drafts[slot]


def drafts_save(
    *, allocation: Allocation, slots: Mapping[str, tuple[SlotIn, int]]
) -> tuple[dict[str, Draft], dict[str, Conflict | Invalid]]:
    """Overwrite what stands in these slots, each where its version is not behind; all drafts then, and the refusals.

    Seven statements for a whole set, five of them where nothing differs.
    """
    known = {slot.key for slot in allocation.project.kind_spec.authoring.slots(allocation.project.rules)}
    refused: dict[str, Conflict | Invalid] = {}
    changed: list[Draft] = []
    with transaction.atomic():
        fresh = locked(Allocation.objects.filter(pk=allocation.pk)).only("state").get()
        drafts = drafts_of(allocation)
        for key, (content, version) in slots.items():
            draft = drafts.get(key) or Draft(
                allocation=allocation, project_id=allocation.project_id, slot=key, version=0
            )
            if key not in known:
                refused[key] = Invalid(field="slot", code="slot_unknown")
            elif not is_storable(content):
                refused[key] = Invalid(field="text", code="text_not_storable")
            elif fresh.state not in (Allocation.State.OPEN, Allocation.State.LAPSED):
                refused[key] = Conflict(code="allocation_over")
            elif draft.content == content.to_dict() and draft.version:
                continue
            elif draft.version != version:
                refused[key] = Conflict(code="draft_newer", current=draft)
            else:
                draft.content, draft.version, draft.updated_at = content.to_dict(), version + 1, Now()
                changed.append(draft)
        if not changed:
            return drafts, refused
        Draft.objects.bulk_create([draft for draft in changed if draft.pk is None])
        Draft.objects.bulk_update([draft for draft in changed if draft.slot in drafts], UPDATED_COLUMNS)
        Allocation.objects.filter(pk=allocation.pk).update(touched_at=Now())
        return drafts_of(allocation), refused


def drafts_of(allocation: Allocation) -> dict[str, Draft]:
    """What is stored of a set, by slot."""
    return {draft.slot: draft for draft in Draft.objects.filter(allocation=allocation)}


def is_storable(content: SlotIn) -> bool:
    """Whether every text of a slot can be kept: no NUL, no half surrogate pairs, not far too long."""
    texts = (content.text, *content.more.keys(), *content.more.values())
    return not any(storage_problem(text) or len(text) > LONGEST_TEXT for text in texts)


def source_skip(*, writer: Annotator, token: str, reason: str) -> None:
    """Skip a source with a reason: it goes to one other writer, a second skip ends it (ruling 13)."""
    if not reason.strip():
        raise Invalid(field="reason", code="reason_missing")
    if storage_problem(reason):
        raise Invalid(field="reason", code="text_not_storable")
    allocation = _own_allocation(writer, token)
    with transaction.atomic():
        fresh = locked(Allocation.objects.filter(pk=allocation.pk)).get()
        if fresh.state == Allocation.State.SKIPPED:
            return
        if fresh.state != Allocation.State.OPEN:
            raise Conflict(code="allocation_over")
        if allocation.project.closed_at is not None:
            raise Conflict(code="closed_writing")
        Allocation.objects.filter(pk=allocation.pk).update(state=Allocation.State.SKIPPED, skip_reason=reason[:300])
        if VARIATIONS in allocation.project.kind_spec.features or isinstance(allocation.source, SourceUnit):
            # Who leaves a prompt leaves the topic to everybody, themselves included; a unit is free for its target.
            return
        source = allocation.source
        type(source)._default_manager.filter(pk=source.pk).update(skips=F("skips") + 1)
        source.refresh_from_db()
        if source.skips < MOST_SKIPS:
            _give_to_another(allocation)


def _give_to_another(allocation: Allocation) -> None:
    """To the writer of the project with the fewest open allocations who has not had this source."""
    same = Allocation.objects.filter(
        premise=allocation.premise_id,
        concept=allocation.concept_id,
        unit=allocation.unit_id,
        target=allocation.target_id,
    )
    there = Annotator.objects.filter(project=allocation.project_id, is_writer=True, left_at=None, user__isnull=False)
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
    """Submit a whole set of this writer."""
    return allocation_submit(allocation=_own_allocation(writer, token), slots=slots)


def allocation_submit(
    *,
    allocation: Allocation,
    slots: Mapping[str, SlotIn],
    findings: Sequence[checks.Finding] | None = None,
    typing: SentTyping | None = None,
) -> list[Item]:
    """Submit a whole set: its items are made, sampled once, and offered to validators some minutes later.

    Where the project checks first, they wait for a lead's approval instead. `findings` are what the checks find in
    these slots, where that is known, `typing` how they were typed. Blocking ones raise Invalid with all. The same set
    twice is submitted once.
    """
    project = allocation.project
    if findings is None:
        findings = set_findings(
            project,
            allocation.source.as_source,
            slots,
            origin=allocation.origin,
            resources=resources_of(allocation.target),
        )
    if any(finding.level == "block" for finding in findings):
        raise Invalid(code="checks_block", findings=list(findings))
    with transaction.atomic():
        fresh = locked(Allocation.objects.filter(pk=allocation.pk)).get()
        if fresh.state == Allocation.State.SUBMITTED:
            return list(Item.objects.filter(allocation=allocation))
        if fresh.state != Allocation.State.OPEN:
            raise Conflict(code="allocation_over")
        Allocation.objects.filter(pk=allocation.pk).update(state=Allocation.State.SUBMITTED, submitted_at=Now())
        drafts = drafts_of(allocation)
        for key, content in slots.items():
            if key not in drafts or drafts[key].content != content.to_dict():
                Draft.objects.update_or_create(
                    allocation=allocation,
                    slot=key,
                    defaults={"content": content.to_dict(), "project": project},
                )
        # A lead may be correcting the premise: the pairs hold the text that stands when they are made.
        source = allocation.source
        source = locked(type(source)._default_manager.filter(pk=source.pk)).get()
        items = items_make(allocation, source, slots, flagged=needs_validation(project, findings))
        variations_note(allocation, items)
        typing_store(items=items, slots=slots, sent=typing)
        return items


def needs_validation(project: Project, findings: Sequence[checks.Finding]) -> bool:
    """Whether a person has to look because a check spoke: in kinds that sample what is looked at."""
    return "flags_reviewed" in project.kind_spec.features and bool(findings)
