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
from annotation.content.models.source import MOST_SKIPS, Draft, Share
from annotation.core.access import SHARE_WITH, has_targets
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project
from annotation.jobs.database import locked
from annotation.kinds import Kind, Slot, SlotIn, Source, field_name
from annotation.pay.actions import ledger as pay
from annotation.text import checks
from annotation.text.normalise import storable
from annotation.translation.models import SourceUnit
from annotation.translation.queries.target_resources import lore_of
from annotation.translation.rules.source_shapes import SHAPES
from annotation.translation.rules.target_resources import Lore
from validation.consensus import stages

# The stages in which an item is its writer's to revise, until somebody sits down at it (ruling 14).
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
    lore: Lore | None = None,
) -> checks.SetContext:
    """What the checks look at: the source, the whole set in the kind's order of slots, and words used often."""
    kind, rules = project.kind_spec, project.rules
    return checks.SetContext(
        source=source.text,
        slots=tuple(_slot_text(kind, slot, slots.get(slot.key, SlotIn())) for slot in kind.slots(rules)),
        language=lore.language if lore else project.language,
        settings=rules.to_dict(),
        per_label=rules.per_label,
        labels=kind.label_keys,
        often={} if often is None else often,
        answers={} if answers is None else answers,
        origin={} if origin is None else kind.written(content_now(origin)).more,
        pairs=tuple(pair for typed in slots.values() for pair in _field_pairs(source, typed)),
        lore=lore,
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
    lore: Lore | None = None,
) -> list[checks.Finding]:
    """What the kind's checks find in a set; `often` and `answers` (`answers_of`) only make some warn.

    `origin` is the item that the set is a variation of, `lore` what is known of its target.
    """
    context = set_context(project, source, slots, often, answers, origin, lore)
    return list(checks.run_checks(project.kind_spec.checks, context))


def answers_of(writer: Annotator) -> dict[str, int]:
    """How often this writer gave each label as the answer, over what they submitted; empty where labels are given."""
    if not writer.project.kind_spec.own_options:
        return {}
    rows = Item.objects.filter(author=writer).values_list("author_label").annotate(n=Count("pk"))
    return dict(rows.order_by())


def _share(writer: Annotator, token: str) -> Share:
    share = (
        Share.objects.select_related(*SHARE_WITH)
        .filter(token=token, writer=writer, project=writer.project_id)
        .first()
    )
    if share is None:
        raise NotFound
    return share


def draft_save(*, writer: Annotator, token: str, slot: str, content: SlotIn, version: int) -> Draft:
    """Overwrite what stands in one slot. A version that is behind raises Conflict with what stands there now."""
    share = _share(writer, token)
    if slot not in {known.key for known in share.project.kind_spec.slots(share.project.rules)}:
        raise Invalid(field="slot", code="slot_unknown")
    if not is_storable(content):
        raise Invalid(field="text", code="text_not_storable")
    if share.state not in (Share.State.OPEN, Share.State.LAPSED):
        raise Conflict(code="share_over")
    with transaction.atomic():
        locked(Share.objects.filter(pk=share.pk)).get()
        draft = Draft.objects.filter(share=share, slot=slot).first()
        if draft is None:
            draft = Draft(share=share, project_id=share.project_id, slot=slot, version=0)
        if draft.content == content.to_dict() and draft.version:
            return draft
        if draft.version != version:
            raise Conflict(code="draft_newer", current=draft)
        draft.content, draft.version = content.to_dict(), draft.version + 1
        draft.updated_at = Now()
        draft.save()
        Share.objects.filter(pk=share.pk).update(touched_at=Now())
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
    share = _share(writer, token)
    with transaction.atomic():
        fresh = locked(Share.objects.filter(pk=share.pk)).get()
        if fresh.state == Share.State.SKIPPED:
            return
        if fresh.state != Share.State.OPEN:
            raise Conflict(code="share_over")
        if share.project.closed_at is not None:
            raise Conflict(code="closed_writing")
        Share.objects.filter(pk=share.pk).update(state=Share.State.SKIPPED, skip_reason=reason[:300])
        if VARIATIONS in share.project.kind_spec.features or isinstance(share.source, SourceUnit):
            # Who leaves a prompt leaves the topic to everybody, themselves included; a unit is free for its target.
            return
        source = share.source
        type(source)._default_manager.filter(pk=source.pk).update(skips=F("skips") + 1)
        source.refresh_from_db()
        if source.skips < MOST_SKIPS:
            _pass_on(share)


def _pass_on(share: Share) -> None:
    """To the writer of the project with the fewest open shares who has not had this source."""
    same = Share.objects.filter(
        premise=share.premise_id, concept=share.concept_id, unit=share.unit_id, lane=share.lane_id
    )
    there = Annotator.objects.filter(
        project=share.project_id, is_writer=True, left_at=None, user__isnull=False
    )
    if share.lane_id is not None:
        there = there.filter(lane_places__lane=share.lane_id)
    other = (
        there.exclude(shares__in=same)
        .annotate(
            waiting=Count("shares", filter=Q(shares__state=Share.State.OPEN)), last=Max("shares__position")
        )
        .order_by("waiting", "pseudonym")
        .first()
    )
    if other is None:
        return
    Share.objects.create(
        project_id=share.project_id,
        premise_id=share.premise_id,
        concept_id=share.concept_id,
        unit_id=share.unit_id,
        lane_id=share.lane_id,
        writer=other,
        token=secrets.token_urlsafe(18),
        position=(getattr(other, "last", None) or 0) + 1,
    )


def set_submit(*, writer: Annotator, token: str, slots: Mapping[str, SlotIn]) -> list[Item]:
    """Submit a whole set: its items are made, sampled once, and offered to validators some minutes later.

    Where the project checks first, they wait for a lead's approval instead.

    Blocking findings raise Invalid with all findings. Submitting the same set twice makes it once.
    """
    share = _share(writer, token)
    project = share.project
    findings = set_findings(
        project, share.source.as_source, slots, origin=share.origin, lore=lore_of(share.lane)
    )
    if any(finding.level == "block" for finding in findings):
        raise Invalid(code="checks_block", findings=findings)
    with transaction.atomic():
        fresh = locked(Share.objects.filter(pk=share.pk)).get()
        if fresh.state == Share.State.SUBMITTED:
            return list(Item.objects.filter(share=share))
        if fresh.state != Share.State.OPEN:
            raise Conflict(code="share_over")
        Share.objects.filter(pk=share.pk).update(state=Share.State.SUBMITTED, submitted_at=Now())
        for key, content in slots.items():
            Draft.objects.update_or_create(
                share=share, slot=key, defaults={"content": content.to_dict(), "project": project}
            )
        # A lead may be correcting the premise: the pairs hold the text that stands when they are made.
        source = share.source
        source = locked(type(source)._default_manager.filter(pk=source.pk)).get()
        items = items_make(share, source, slots, flagged=_asks_for_a_look(project, findings))
        pay.post_set(share, items, slots)
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
    made = shape.of_source(shape.source_of(item)).filter(author=item.author_id, lane=item.lane_id)
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
    lore: Lore | None = None,
) -> list[checks.Finding]:
    """What the checks say of one text among the others of its set; a copy is told at the text that is new."""
    found = []
    for finding in set_findings(project, source, {**others, slot: content}, origin=origin, lore=lore):
        if finding.slot == slot:
            found.append(finding)
        elif finding.params.get("other") == slot:
            found.append(replace(finding, slot=slot, params={**finding.params, "other": finding.slot}))
    return found


def origin_of(item: Item) -> Item | None:
    """The item that its writer made this one from, as a variation."""
    if VARIATIONS not in item.project.kind_spec.features:
        return None
    return Item.objects.filter(pk__in=Share.objects.filter(items=item).values("origin")).first()


def lore_of_item(item: Item) -> Lore | None:
    """What is known of the target that an item is translated into; None in kinds without targets."""
    return lore_of(item.lane) if has_targets(item.project) else None


def is_own(item: Item) -> bool:
    """Whether the item is its writer's to revise still: nobody sat down at it, and no lead has approved its text."""
    untouched = item.opened_at is None and not item.votes_n
    return untouched and item.stage in ((stages.SUBMITTED,) if item.project.rules.check_first else OWN)


def item_revise(*, writer: Annotator, item_id: int, version: int, content: SlotIn, why: str = "") -> Item:
    """The writer changes a submitted item, until somebody sits down at it (ruling 14), or a lead approves it."""
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
            lore_of_item(item),
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
