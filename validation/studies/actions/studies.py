"""The only writer of studies: items drawn from a project are copied into a separate one, without their answers."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext, gettext_noop, override

from annotation import presets
from annotation.concepts.actions import ConceptIn, concepts_add
from annotation.content import shapes
from annotation.content.actions.items import items_make_unauthored
from annotation.content.shapes.base import SourceRow
from annotation.core.actions.contributors import refuse_reopening
from annotation.core.actions.members import annotator_add
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import GuidelineVersion, Project, Target
from annotation.core.models.user import User
from annotation.core.rules.draws import draw
from annotation.kinds import Kind
from annotation.media.actions import media_copy
from annotation.projects.actions.projects import project_close, project_create
from annotation.tasks.actions import task_project_create
from annotation.tasks.rules.kind import GROUP
from annotation.text.sentences import sentence_class
from annotation.translation.actions.targets import target_members_add
from annotation.translation.models import TargetMember
from annotation.writing.actions.allocation import PremiseIn, premises_add
from validation.studies.models import Study, StudyRow
from validation.studies.queries.studies import groups_of
from validation.studies.study_types import RowIn, StudyDraw, StudyType
from validation.voting import wake

WRITES_NOBODY = gettext_noop("Nobody writes in this project.")
# Its items are copies: a correction would go nowhere.
SETTINGS = {"offer_minutes": 0, "check_first": False, "corrections": False}


def seed_of(project: Project, purpose: str, slug: str) -> str:
    """The seed of a study's project: of the project's, by the name of the project in which it is answered."""
    return f"{draw(project.seed, purpose, slug):016x}"


def study_create(
    *,
    kind: StudyType,
    project: Project,
    slug: str,
    by: User,
    sent: Mapping[str, Any],
    name: str = "",
    members: Collection[int] = (),
) -> Study:
    """Draw from a project, and make the project in which that is answered. Raises Invalid for what cannot be.

    `sent` is what the kind's form asks; the draw depends on seeds, keys and that alone. `members` (ids of places) are
    asked there; who draws it as a lead leads it.
    """
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        last = Study.objects.filter(derived_from=fresh, kind=kind.slug).aggregate(last=Max("n"))["last"]
        n = (last or 0) + 1
        there = _checked_people(kind, fresh, members)
        drawn = kind.draw(fresh, slug, n, {**sent, "members": there})
        made = Study.objects.create(
            project=_create_project(kind, fresh, slug, name or drawn.name or f"{fresh.name}: {slug}", drawn, by),
            derived_from=fresh,
            kind=kind.slug,
            n=n,
            seed=drawn.seed,
            options=dict(drawn.options),
            by=by,
        )
        targets = _create_targets(made.project, len(drawn.groups))
        _create_items(made, drawn, targets)
        _add_members(made, there, dict(zip(targets, drawn.groups, strict=False)), by)
        data = {"study": kind.slug, "n": n, "project": slug, "items": len(drawn.rows)}
        Event.objects.create(project=fresh, actor=by, verb="study_created", data=data)
        transaction.on_commit(wake.wake_worker)
    return made


def study_close(*, study: Study, by: User, closed: bool, confirm: str = "") -> None:
    """Close a study, so that nobody answers any more, or open it again, which `confirm` (its project's short name) says
    is meant: its results were read. Raises Invalid without, Conflict for one that stays closed."""
    if not closed:
        refuse_reopening(study.project)
        if confirm.strip() != study.project.slug:
            raise Invalid(field="confirm", code="study_reopening_unconfirmed")
    project_close(project=study.project, by=by, closed=closed)


def study_group_join(*, study: Study, member: str, group: str, by: User) -> None:
    """Somebody who joined the study's project later (by pseudonym) answers the items of a group from now on.

    Raises Invalid, naming the field, and Conflict for who is in a group: the groups are fixed.
    """
    there = study.project.annotators.filter(pseudonym=member, is_validator=True, left_at=None).first()
    target = groups_of(study).filter(key=f"group-{group}").first()
    if there is None:
        raise Invalid(field="member", code="study_member_unknown")
    if target is None:
        raise Invalid(field="group", code="study_group_unknown")
    with transaction.atomic():
        locked(Annotator.objects.filter(pk=there.pk)).get()
        if TargetMember.objects.filter(annotator=there).exists():
            raise Conflict(code="study_group_fixed")
        target_members_add(annotator=there, keys=[target.key], by=by)


def _checked_people(kind: StudyType, project: Project, members: Collection[int]) -> list[Annotator]:
    """Who takes part, by pseudonym; Invalid where somebody may not."""
    allowed = kind.eligible_members(project)
    there = [] if allowed is None else list(allowed.filter(pk__in=members).select_related("user"))
    if len(there) < len(set(members)):
        raise Invalid(field="members", code="study_member_wrong")
    return sorted(there, key=lambda one: one.pseudonym)


def _create_project(kind: StudyType, of: Project, slug: str, name: str, drawn: StudyDraw, by: User) -> Project:
    more: dict[str, Any] = {
        "slug": slug,
        "name": name[:200],
        "language": drawn.language,
        "register": drawn.register,
        "seed": seed_of(of, kind.slug, slug),
        "by": by,
        "protocol": drawn.protocol,
        "settings": SETTINGS,
        "share": Decimal(1),
    }
    asked = drawn.kind_or_task
    if not isinstance(asked, Kind):
        if drawn.guidelines:
            asked = asked.model_copy(update={"guidelines": drawn.guidelines})
        return task_project_create(task=asked, **more)
    preset = next(each for each in presets.all_presets() if each.kind == asked.slug and each.share == 1)
    with override(drawn.language):
        guidelines = {GuidelineVersion.Role.WRITING.value: gettext(WRITES_NOBODY)}
    if drawn.guidelines:
        guidelines[GuidelineVersion.Role.VALIDATION.value] = drawn.guidelines
    return project_create(preset=preset.slug, guidelines=guidelines, **more)


def _create_targets(project: Project, groups: int) -> list[Target]:
    """The project's target, or one for each group, whose members alone are asked there."""
    first = project.targets.get()
    if not groups:
        return [first]
    first.key, first.members_only = "group-1", True
    first.save(update_fields=["key", "members_only"])
    others = [
        Target(
            project=project,
            key=f"group-{n}",
            language=first.language,
            register=first.register,
            buckets=first.buckets,
            members_only=True,
        )
        for n in range(2, groups + 1)
    ]
    return [first, *Target.objects.bulk_create(others)]


def _create_items(made: Study, drawn: StudyDraw, targets: Sequence[Target]) -> None:
    """Items without author and label: nothing there reveals the right answer or the origin."""
    kind = made.project.kind_spec
    sources = _create_sources(kind, made, drawn.rows, targets)
    contents = [_content(kind, source, row) for source, row in zip(sources, drawn.rows, strict=True)]
    keys = [row.key for row in drawn.rows]
    items = items_make_unauthored(project=made.project, sources=sources, keys=keys, contents=contents)
    media_copy(of=made.derived_from, to=made.project, contents=contents)
    StudyRow.objects.bulk_create(
        [
            StudyRow(
                study=made,
                item=item,
                of_item_id=row.source_item_id,
                revision_n=row.revision_n,
                position=place,
                data=dict(row.data),
            )
            for place, (item, row) in enumerate(zip(items, drawn.rows, strict=True), start=1)
        ],
        batch_size=2000,
    )


def _content(kind: Kind, source: SourceRow, row: RowIn) -> Mapping[str, Any]:
    if row.texts is not None:
        return {**row.texts, GROUP: source.key}
    made = kind.authoring.content_from_slot(source.as_source, row.slot_input)
    options = made.get("options")
    return made if options is None else {**made, "options": [each for each in options if each["text"]]}


def _create_sources(kind: Kind, made: Study, rows: Sequence[RowIn], targets: Sequence[Target]) -> Sequence[SourceRow]:
    """What the items stand under: a premise each text once, or a stand-in concept each row, which tells nothing."""
    if shapes.get(kind.shape).source_column == "concept":
        concepts = [ConceptIn(row.key, made.kind, row.key) for row in rows]
        return concepts_add(target=targets[0], rows=concepts)
    first: dict[tuple[int, str], PremiseIn] = {}
    for row in rows:
        size = sentence_class(row.text, made.project.language)
        first.setdefault((row.group, row.text), PremiseIn(row.key, row.text, size))
    there = dict[tuple[int, str], SourceRow]()
    for group, target in enumerate(targets):
        mine = [(place, premise) for place, premise in first.items() if place[0] == group]
        stored = premises_add(target=target, rows=[premise for _, premise in mine])
        there |= {place: premise for (place, _), premise in zip(mine, stored, strict=True)}
    return [there[row.group, row.text] for row in rows]


def _add_members(made: Study, people: Sequence[Annotator], groups: Mapping[Target, Sequence[int]], by: User) -> None:
    """Who draws it as a lead leads it, unless they take part; the members vote, each in the target of their group."""
    leads = made.derived_from.annotators.filter(user=by, is_lead=True, left_at=None)
    if leads.exclude(pk__in=[member.pk for member in people]).exists():
        annotator_add(project=made.project, user=by, lead=True, by=by)
    for member in people:
        if member.user is None:
            raise Conflict(field="members", code="study_member_wrong")
        place = annotator_add(project=made.project, user=member.user, validator=True, by=by)
        TargetMember.objects.bulk_create(
            TargetMember(target=target, annotator=place) for target, group in groups.items() if member.pk in group
        )
