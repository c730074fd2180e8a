"""Writing: drafts, whole sets, revisions before validation, skipped premises."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Now

from annotation.db import after, locked
from annotation.errors import Conflict, Invalid, NotFound
from annotation.models import (
    Annotator,
    Draft,
    GuidelineVersion,
    Hypothesis,
    Item,
    Premise,
    Project,
    Revision,
    Share,
)
from annotation.models.source import MOST_SKIPS
from annotation.rules import checks
from annotation.rules.draws import draw
from annotation.rules.normalise import storable
from annotation.rules.sampling import sampled
from annotation.rules.tokens import words

LONGEST_TEXT = 10_000


@dataclass(frozen=True)
class SlotIn:
    """What a writer put into one slot."""

    text: str = ""
    one_sentence: bool = False
    tags: Sequence[str] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        return {"text": self.text, "one_sentence": self.one_sentence, "tags": list(self.tags)}


def set_context(
    project: Project,
    premise: Premise,
    slots: Mapping[str, SlotIn],
    often: Mapping[str, int] | None = None,
) -> checks.SetContext:
    """What the checks look at: the source, the whole set in the kind's order of slots, and words used often."""
    kind, rules = project.kind_spec, project.rules
    filled = tuple(
        checks.SlotText(
            key=slot.key,
            label=slot.label,
            text=slots.get(slot.key, SlotIn()).text,
            one_sentence=slots.get(slot.key, SlotIn()).one_sentence,
            tags=tuple(slots.get(slot.key, SlotIn()).tags),
        )
        for slot in kind.slots(rules)
    )
    return checks.SetContext(
        source=premise.text,
        slots=filled,
        language=project.language,
        settings=rules.to_dict(),
        per_label=rules.per_label,
        labels=kind.label_keys,
        often={} if often is None else often,
    )


def set_findings(
    project: Project,
    premise: Premise,
    slots: Mapping[str, SlotIn],
    often: Mapping[str, int] | None = None,
) -> list[checks.Finding]:
    """What the kind's checks find in a set, blocking ones among them; `often` only makes some warn."""
    context = set_context(project, premise, slots, often)
    return list(checks.run_checks(project.kind_spec.checks, context))


def _share(writer: Annotator, token: str) -> Share:
    share = (
        Share.objects.select_related("premise", "project", "premise__lane")
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
    if storable(content.text) or len(content.text) > LONGEST_TEXT:
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


def premise_skip(*, writer: Annotator, token: str, reason: str) -> None:
    """Skip a premise with a reason: it goes to one other writer, a second skip ends it (ruling 13)."""
    if not reason.strip():
        raise Invalid(field="reason", code="reason_missing")
    share = _share(writer, token)
    with transaction.atomic():
        fresh = locked(Share.objects.filter(pk=share.pk)).get()
        if fresh.state == Share.State.SKIPPED:
            return
        if fresh.state != Share.State.OPEN:
            raise Conflict(code="share_over")
        Share.objects.filter(pk=share.pk).update(state=Share.State.SKIPPED, skip_reason=reason[:300])
        Premise.objects.filter(pk=share.premise_id).update(skips=F("skips") + 1)
        share.premise.refresh_from_db()
        if share.premise.skips < MOST_SKIPS:
            _pass_on(share)


def _pass_on(share: Share) -> None:
    """To the writer of the project with the fewest open shares who has not had this premise."""
    other = (
        Annotator.objects.filter(project=share.project_id, is_writer=True, left_at=None, user__isnull=False)
        .exclude(shares__premise=share.premise_id)
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
        writer=other,
        token=secrets.token_urlsafe(18),
        position=(getattr(other, "last", None) or 0) + 1,
    )


def set_submit(*, writer: Annotator, token: str, slots: Mapping[str, SlotIn]) -> list[Item]:
    """Submit a whole set: six items are made, sampled once, and offered to validators some minutes later.

    Blocking findings raise Invalid with all findings. Submitting the same set twice makes it once.
    """
    share = _share(writer, token)
    project, premise = share.project, share.premise
    findings = set_findings(project, premise, slots)
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
        premise = locked(Premise.objects.filter(pk=share.premise_id)).get()
        return _make_items(writer, share, project, premise, slots)


def _make_items(
    writer: Annotator, share: Share, project: Project, premise: Premise, slots: Mapping[str, SlotIn]
) -> list[Item]:
    protocol = project.protocols.order_by("-n").first()
    guideline = project.guidelines.filter(role=GuidelineVersion.Role.WRITING).order_by("-n").first()
    assert protocol is not None  # noqa: S101 - project_create makes the first one
    wanted = project.kind_spec.slots(project.rules)
    items = []
    for slot in wanted:
        key = f"{premise.key}-{slot.key}"
        taken = is_sampled(project, key, premise.key)
        items.append(
            Item(
                project=project,
                lane_id=premise.lane_id,
                author=writer,
                share=share,
                slot=slot.key,
                key=key,
                protocol=protocol,
                family=premise.pk,
                author_label=slot.label,
                sampled=taken,
                shuffle=draw(project.seed, "queue", key),
                words=len(words(premise.text)) + len(words(slots[slot.key].text)),
                due_at=after(60 * project.rules.offer_minutes) if taken else None,
            )
        )
    items = Item.objects.bulk_create(items)
    _write_contents(items, writer, premise, slots, guideline)
    return items


def _write_contents(
    items: list[Item],
    writer: Annotator,
    premise: Premise,
    slots: Mapping[str, SlotIn],
    guideline: GuidelineVersion | None,
) -> None:
    """The present content of new items, and their first revision."""
    Hypothesis.objects.bulk_create(
        [
            Hypothesis(
                item=item,
                project_id=item.project_id,
                premise=premise,
                text=slots[item.slot].text,
                tags=list(slots[item.slot].tags),
            )
            for item in items
        ]
    )
    Revision.objects.bulk_create(
        [
            Revision(
                project_id=item.project_id,
                item=item,
                n=1,
                version=1,
                epoch=1,
                event="submit",
                meaning="first",
                content=content_of(premise.text, slots[item.slot]),
                author_label=item.author_label,
                by=writer,
                guideline=guideline,
            )
            for item in items
        ]
    )


def is_sampled(project: Project, item_key: str, premise_key: str) -> bool:
    """Whether an item is validated: drawn once, over items or over premises (ruling 16)."""
    unit = premise_key if project.rules.sample_unit == "premise" else item_key
    return sampled(project.seed, unit, float(project.sample_share))


def content_of(premise: str, slot: SlotIn) -> dict[str, Any]:
    """A pair's content as revisions keep it."""
    content: dict[str, Any] = {"premise": premise, "hypothesis": slot.text}
    if slot.tags:
        content["tags"] = list(slot.tags)
    return content


def findings_about(
    slot: str, project: Project, premise: Premise, others: Mapping[str, SlotIn], content: SlotIn
) -> list[checks.Finding]:
    """What the checks say of one text among the others of its set; a copy is told at the text that is new."""
    found = []
    for finding in set_findings(project, premise, {**others, slot: content}):
        if finding.slot == slot:
            found.append(finding)
        elif finding.params.get("other") == slot:
            found.append(replace(finding, slot=slot, params={**finding.params, "other": finding.slot}))
    return found


def item_revise(*, writer: Annotator, item_id: int, version: int, content: SlotIn, why: str = "") -> Item:
    """The writer changes a submitted item, until somebody sits down at it (ruling 14)."""
    with transaction.atomic():
        item = (
            locked(Item.objects.filter(pk=item_id, author=writer, project=writer.project_id))
            .select_related("project")
            .first()
        )
        if item is None:
            raise NotFound
        if item.opened_at is not None or item.votes_n or item.stage not in ("written", "voting"):
            raise Conflict(code="validation_began")
        if item.version != version:
            raise Conflict(code="stale")
        hypothesis = Hypothesis.objects.select_related("premise").get(item=item)
        if storable(content.text) or not content.text.strip() or len(content.text) > LONGEST_TEXT:
            raise Invalid(field="text", code="text_not_storable")
        siblings = {
            other.item.slot: SlotIn(other.text, True, other.tags)
            for other in Hypothesis.objects.select_related("item").filter(item__share=item.share_id)
        }
        findings = findings_about(item.slot, item.project, hypothesis.premise, siblings, content)
        if checks.blocks(findings):
            raise Invalid(code="checks_block", findings=findings)
        revise(
            item=item,
            content=content_of(hypothesis.premise.text, content),
            by=writer,
            event="revise",
            why=why,
        )
    return item


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
    """Write the next revision of an item that the caller has locked, and its present content with it."""
    item.version, item.revision_n = item.version + 1, item.revision_n + 1
    if author_label is not None:
        item.author_label = author_label
    item.words = len(words(str(content["premise"]))) + len(words(str(content["hypothesis"])))
    item.save(update_fields=["version", "revision_n", "author_label", "words"])
    Hypothesis.objects.filter(item=item).update(text=content["hypothesis"], tags=content.get("tags", []))
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
