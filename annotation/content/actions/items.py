"""Creating items from a writer's submission: their keys and families, their content, their first revision."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models.functions import Now

from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Allocation, Concept
from annotation.content.models.units import SourceUnit
from annotation.content.rules.counts import revision_counts
from annotation.content.rules.keys import id_problem
from annotation.content.shapes.base import SourceRow
from annotation.core.database import locked, seconds_from_now
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project, ProtocolVersion, Target
from annotation.core.rules.draws import draw
from annotation.generation.rules.recipes.base import EASY, HARD
from annotation.kinds import KeyRefused, Kind, Slot, SlotIn
from annotation.writing.rules.sampling import sampled
from validation.consensus import stages


class NewItem(NamedTuple):
    """What one item is made of."""

    slot: str
    key: str
    label: str
    content: Mapping[str, Any]


def items_make(
    allocation: Allocation, source: SourceRow, slots: Mapping[str, SlotIn], *, flagged: bool = False
) -> list[Item]:
    """Make the items of a set in the caller's transaction.

    `flagged`: a check spoke, so that a person looks at it whatever is drawn.
    """
    project, kind = allocation.project, allocation.project.kind_spec
    protocol = project.protocols.order_by("-n").first()
    assert protocol is not None  # noqa: S101 - project_create makes the first one
    wanted = kind.authoring.slots(project.rules)
    contents = [kind.authoring.content_from_slot(source.as_source, slots[slot.key]) for slot in wanted]
    keys = _keys(allocation, source, wanted, contents)
    items = [
        _build_item(
            source,
            protocol,
            NewItem(slot.key, key, kind.authoring.author_label(slot, slots[slot.key]), content),
            author_id=allocation.writer_id,
            allocation=allocation,
            flagged=flagged,
        )
        for slot, key, content in zip(wanted, keys, contents, strict=True)
    ]
    items = Item.objects.bulk_create(items)
    shapes.get(kind.shape).store(items, [source] * len(items), contents)
    _first_revisions(items, contents, allocation.writer, project)
    return items


def item_split(*, origin: Item, source: SourceRow, content: Mapping[str, Any], by: Annotator) -> Item:
    """Make the second half of a prompt, in the caller's transaction: of the same writer, in the same slot.

    Raises Conflict where it can be given no key.
    """
    project = origin.project
    protocol = project.protocols.order_by("-n").first()
    assert protocol is not None  # noqa: S101 - project_create makes the first one
    key = new_key(project, origin.target_id, content, origin=origin)
    made = NewItem(origin.slot, key, origin.author_label, content)
    items = Item.objects.bulk_create([_build_item(source, protocol, made, author_id=origin.author_id)])
    shapes.get(project.kind_spec.shape).store(items, [source], [content])
    _first_revisions(items, [content], by, project)
    return items[0]


def items_make_unauthored(
    *,
    project: Project,
    sources: Sequence[SourceRow],
    keys: Sequence[str],
    contents: Sequence[Mapping[str, Any]],
) -> list[Item]:
    """Make items of nobody's writing from texts that came from elsewhere, in the caller's transaction.

    They have no author and no author label: nothing there could tell who judges them what it was.
    """
    kind = project.kind_spec
    protocol = project.protocols.order_by("-n").first()
    assert protocol is not None  # noqa: S101 - project_create makes the first one
    slot = kind.authoring.slots(project.rules)[0].key
    made = [NewItem(slot, key, "", content) for key, content in zip(keys, contents, strict=True)]
    items = [_build_item(source, protocol, each, author_id=None) for source, each in zip(sources, made, strict=True)]
    for item in items:
        item.origin = Item.Origin.IMPORTED
    items = Item.objects.bulk_create(items, batch_size=2000)
    shapes.get(kind.shape).store(items, sources, contents)
    _first_revisions(items, contents, None, project)
    return items


def items_make_by_machine(
    *,
    project: Project,
    sources: Sequence[Concept],
    keys: Sequence[str],
    contents: Sequence[Mapping[str, Any]],
) -> dict[str, Item]:
    """Make items of a machine's writing, by key, in the caller's transaction; a key that is taken gets none.

    What the machine itself could not answer goes before people at once, what it could to nobody (mCSQA §3.3).
    """
    kind = project.kind_spec
    protocol = project.protocols.order_by("-n").first()
    assert protocol is not None  # noqa: S101 - project_create makes the first one
    slot = kind.authoring.slots(project.rules)[0]
    taken = set(Item.objects.filter(project=project, key__in=keys).values_list("key", flat=True))
    rows = [
        (source, content, _mark_machine_written(_build_item(source, protocol, made, author_id=None), content))
        for source, key, content in zip(sources, keys, contents, strict=True)
        if key not in taken
        for made in [
            NewItem(
                slot.key,
                key,
                kind.authoring.author_label(slot, kind.authoring.slot_from_content(content)),
                content,
            )
        ]
    ]
    items = Item.objects.bulk_create([item for _, _, item in rows], batch_size=2000)
    written = [content for _, content, _ in rows]
    shapes.get(kind.shape).store(items, [source for source, _, _ in rows], written)
    _first_revisions(items, written, None, project)
    return {item.key: item for item in items}


def _mark_machine_written(item: Item, content: Mapping[str, Any]) -> Item:
    """An item as of a machine: whether people are asked about it follows from how hard it was for the machine."""
    item.origin = Item.Origin.MACHINE
    level = content.get("made", {}).get("level", "")
    if level in (EASY, HARD):
        item.sampled = level == HARD
        at_once = item.sampled and item.stage == stages.WRITTEN
        item.due_at = Now() if at_once else None
    return item


def _build_item(
    source: SourceRow,
    protocol: ProtocolVersion,
    made: NewItem,
    *,
    author_id: int | None,
    allocation: Allocation | None = None,
    flagged: bool = False,
) -> Item:
    if id_problem(made.key) is not None:
        raise Invalid(field="id", code="id_unreachable")
    project = protocol.project
    kind, rules = project.kind_spec, project.rules
    taken = flagged or is_sampled(project, made.key, source.key)
    return Item(
        project=project,
        target_id=_target_of(source, allocation),
        author_id=author_id,
        allocation=allocation,
        slot=made.slot,
        key=made.key,
        protocol=protocol,
        family=family_of(kind, project.pk, made.key, source.pk),
        author_label=made.label,
        sampled=taken,
        stage=stages.SUBMITTED if rules.check_first else stages.WRITTEN,
        shuffle=draw(project.seed, "queue", made.key),
        words=kind.count_shown_words(made.content),
        due_at=seconds_from_now(60 * rules.offer_minutes) if taken and not rules.check_first else None,
    )


def require_validation(item: Item) -> None:
    """Have a person look at an item that was not drawn, since a check speaks now; the caller has locked it."""
    if not item.sampled:
        item.sampled = True
        due = seconds_from_now(60 * item.project.rules.offer_minutes) if item.stage == stages.WRITTEN else None
        Item.objects.filter(pk=item.pk).update(sampled=True, due_at=due)


def _target_of(source: SourceRow, allocation: Allocation | None) -> int:
    """Where an item belongs: a source unit is every target's, and its allocation says which."""
    if not isinstance(source, SourceUnit):
        return source.target_id
    target = allocation.target_id if allocation is not None else None
    assert target is not None  # noqa: S101 - allocation_of_unit_has_target
    return target


# --- keys and families ------------------------------------------------------------------


def _keys(
    allocation: Allocation, source: SourceRow, wanted: Sequence[Slot], contents: Sequence[Mapping[str, Any]]
) -> list[str]:
    """The keys of new items: by their contents where the kind numbers them, else by source, writer and slot."""
    kind = allocation.project.kind_spec
    if allocation.unit_id is not None:
        assert allocation.target is not None  # noqa: S101 - allocation_of_unit_has_target
        return [unit_key(source.key, allocation.target) for _ in wanted]
    if kind.authoring.make_key is None:
        # Several people write for one concept: their items are distinguished by who wrote them.
        own = f"-{allocation.writer.pseudonym}" if allocation.concept_id else ""
        again = f"-{allocation.number}" if allocation.number > 1 else ""
        return [f"{source.key}{own}{again}-{slot.key}" for slot in wanted]
    target = _target_of(source, allocation)
    return [new_key(allocation.project, target, content, origin=allocation.origin) for content in contents]


def unit_key(unit: str, target: Target) -> str:
    """The key of a translation: the unit's, the same in every target, and the target's."""
    return f"{unit}~{target.key}"


def new_key(project: Project, target_id: int, content: Mapping[str, Any], *, origin: Item | None = None) -> str:
    """The next key of a kind that numbers its items; the target is held until the caller's transaction ends.

    Every wording that any item ever had is counted, excluded items too, so a number never means two things. Raises
    Conflict where no key can be given, with the rule's reason as its code.
    """
    kind = project.kind_spec
    assert kind.authoring.make_key is not None  # noqa: S101 - callers ask only kinds that number
    locked(Target.objects.filter(pk=target_id)).get()
    base = None
    if origin is not None:
        base = (
            origin.key,
            Revision.objects.values_list("content", flat=True).get(item=origin, n=origin.revision_n),
        )
    try:
        return kind.authoring.make_key(content, _taken_keys(project), base)
    except KeyRefused as refusal:
        raise Conflict(code=refusal.code) from refusal


def _taken_keys(project: Project) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every key of the project with every wording that it ever stood for, in the order of writing."""
    rows = Revision.objects.filter(project=project).order_by("pk").values_list("item__key", "content")
    return iter(rows)


def family_of(kind: Kind, project: int, key: str, source: int) -> int:
    """What keeps items apart in a queue, and bars people from all of them: the family of a key, or the source.

    Both are primary keys of the project and the source; what is drawn for a family is no other project's.
    """
    name = kind.authoring.family_of_key(key)
    return draw(str(project), "family", name) if name else source


def is_sampled(project: Project, item_key: str, source_key: str) -> bool:
    """Whether an item is validated: drawn once, over items or over sources (ruling 16)."""
    unit = source_key if project.rules.sample_unit == "premise" else item_key
    return sampled(project.seed, unit, float(project.sample_share))


# --- the first revision -----------------------------------------------------------------


def _first_revisions(
    items: Sequence[Item], contents: Sequence[Mapping[str, Any]], by: Annotator | None, project: Project
) -> None:
    """How new items began: the event says whether they wait for a lead's check."""
    guideline = project.guidelines.filter(role=GuidelineVersion.Role.WRITING).order_by("-n").first()
    Revision.objects.bulk_create(
        [
            Revision(
                project_id=item.project_id,
                item=item,
                n=1,
                version=1,
                epoch=1,
                event=stages.HAND_IN if item.stage == stages.SUBMITTED else stages.SUBMIT,
                meaning="first",
                content=content,
                **revision_counts(project.kind_spec, content, project.language),
                author_label=item.author_label,
                by=by,
                guideline=guideline,
            )
            for item, content in zip(items, contents, strict=True)
        ]
    )
