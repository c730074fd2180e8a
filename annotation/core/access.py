"""The only fetchers that views use: every query is scoped by membership, a refusal carries its reason.

What does not exist and what is not yours raise the same NotFound. A member whose roles do not include something
gets Forbidden.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, Q, QuerySet

from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept, Premise, concepts_lacking
from annotation.core import language, second_factor
from annotation.core.errors import Forbidden, NotFound, QuizOwed, one
from annotation.core.models.member import Annotator, Invitation
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.datasheet.queries import entered
from annotation.generation.models import GenerationRun
from annotation.jobs.models import Import, Job
from annotation.kinds import Shape
from annotation.translation.models import SourceSet, SourceUnit
from annotation.translation.queries.targets import units_free
from validation.consensus import stages

Viewer = User | AnonymousUser
# Where a text stands that people may learn from: nobody judges it any more.
ACCEPTED = (stages.SETTLED, stages.ADJUDICATED)
# Where an item is, or will be, asked about; and an assignment that is done in the item's present epoch.
ASKED = (stages.SUBMITTED, stages.WRITTEN, stages.VOTING)
_DONE = Q(assignments__state="done", assignments__epoch=F("epoch"))
ALLOCATION_WITH = ("premise", "concept", "unit__source_set", "target", "project", "writer", "origin")


@dataclass(frozen=True)
class Membership:
    """Somebody in a project: their Annotator row (None for an administrator who is no member), and what they may."""

    user: User
    project: Project
    annotator: Annotator | None

    @property
    def is_lead(self) -> bool:
        return self.annotator is not None and self.annotator.is_lead

    @property
    def is_writer(self) -> bool:
        return self.annotator is not None and self.annotator.is_writer

    @property
    def is_validator(self) -> bool:
        return self.annotator is not None and self.annotator.is_validator and not self.user.is_administrator

    @property
    def is_reviewer(self) -> bool:
        return self.annotator is not None and self.annotator.is_reviewer

    @property
    def is_administrator(self) -> bool:
        return self.user.is_administrator

    @property
    def sees_all(self) -> bool:
        """Whether votes, labels and authors are open to them: leads and administrators."""
        return self.is_lead or self.is_administrator


def _person(user: Viewer) -> User:
    if not isinstance(user, User) or not user.is_active:
        raise NotFound
    second_factor.refuse_without(user)
    return user


def membership(user: Viewer, slug: str) -> Membership:
    """The viewer's place in the project; NotFound for those who are neither in it nor administrators."""
    person = _person(user)
    annotator = (
        Annotator.objects.select_related("project")
        .filter(user=person, project__slug=slug, left_at=None)
        .first()
    )
    if annotator is not None:
        second_factor.refuse_without(person, leads=annotator.is_lead)
        language.enter(slug, annotator.project.language)
        return Membership(person, annotator.project, annotator)
    if person.is_administrator:
        project = Project.objects.filter(slug=slug, kept_for=None).first()
        if project is not None:
            return Membership(person, project, None)
    raise NotFound


def member(user: Viewer, slug: str, role: str) -> tuple[Membership, Annotator]:
    """The viewer in one of their roles, as Roles has them; Forbidden where they have another role only.

    EntryOwed where they have not confirmed the project's entry conditions.
    """
    place = membership(user, slug)
    if place.annotator is None or not getattr(place, f"is_{role}"):
        raise Forbidden
    return place, entered(place.annotator)


def writer_at_work(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as a writer who may be given something to write. Raises QuizOwed before they passed the quiz."""
    place, annotator = member(user, slug, "writer")
    if annotator.owes_quiz("writer"):
        raise QuizOwed(slug)
    return place, annotator


def overseer(user: Viewer, slug: str) -> Membership:
    """The viewer as lead or administrator."""
    found = membership(user, slug)
    if not found.sees_all:
        raise Forbidden
    return found


def reader_of_all(user: User, slug: str) -> Membership:
    """Somebody who may read the votes on all items at once: Forbidden for a lead who may be asked about one of them."""
    membership = overseer(user, slug)
    if membership.is_lead and membership.is_validator:
        raise Forbidden(code="voting_lead_reads_singly")
    return membership


def administrator(user: Viewer, slug: str) -> Membership:
    """The viewer as administrator, at one project."""
    found = membership(user, slug)
    if not found.is_administrator:
        raise Forbidden
    return found


def overseen(membership: Membership) -> Project:
    """The project, for its leads and administrators. Raises Forbidden for others."""
    if not membership.sees_all:
        raise Forbidden
    return membership.project


def memberships(user: Viewer) -> list[Membership]:
    """Every open place of the viewer, by project name; an administrator sees all projects."""
    person = _person(user)
    mine = {
        annotator.project_id: annotator
        for annotator in Annotator.objects.select_related("project").filter(user=person, left_at=None)
    }
    second_factor.refuse_without(person, leads=any(annotator.is_lead for annotator in mine.values()))
    all_projects = person.is_administrator
    projects = (
        list(Project.objects.filter(kept_for=None))
        if all_projects
        else [one.project for one in mine.values()]
    )
    found = [Membership(person, project, mine.get(project.pk)) for project in projects]
    return sorted(found, key=lambda membership: (membership.project.name.casefold(), membership.project.slug))


def writers(membership: Membership) -> QuerySet[Annotator]:
    """The project's writers with an account, for leads and administrators."""
    there = Annotator.objects.filter(project=overseen(membership), user__isnull=False, left_at=None)
    return there.filter(is_writer=True).order_by("pseudonym")


def only_target(project: Project) -> Target:
    """The project's one target, where its kind has no targets."""
    return project.targets.order_by("pk")[0]


def has_targets(project: Project) -> bool:
    """Whether the project has a target for each target, and people work for named ones."""
    return "targets" in project.kind_spec.features


def targets_of(annotator: Annotator) -> list[Target]:
    """Where somebody works, by key: what is open to all of the project, and the targets that they were named for."""
    targets = Target.objects.select_related("project").filter(
        Q(members_only=False) | Q(members__annotator=annotator), project=annotator.project_id, ended_at=None
    )
    return sorted(targets, key=lambda each: each.key)


def target(membership: Membership, key: str) -> Target:
    """One target by its key: any for leads and administrators, for others one that they work for."""
    found = Target.objects.select_related("project").filter(project=membership.project, key=key)
    if not membership.sees_all:
        found = found.filter(members__annotator=membership.annotator, members__annotator__isnull=False)
    return one(found)


def source_set(membership: Membership, key: str) -> SourceSet:
    """One source set of the project, for leads and administrators."""
    return one(SourceSet.objects.select_related("project").filter(project=overseen(membership), key=key))


def source_unit(membership: Membership, unit_id: int) -> SourceUnit:
    """One unit of a source set, for leads and administrators."""
    return one(
        SourceUnit.objects.select_related("source_set").filter(pk=unit_id, project=overseen(membership))
    )


def concepts_place(user: Viewer, slug: str) -> Membership:
    """The viewer as somebody who sees the project's concepts: writer, lead or administrator.

    NotFound where the kind has none: its writers start from something else.
    """
    found = membership(user, slug)
    if not has_concepts(found.project):
        raise NotFound
    if not (found.sees_all or found.is_writer):
        raise Forbidden
    return found


def has_concepts(project: Project) -> bool:
    """Whether writers start from concepts here."""
    return shapes.get(project.kind_spec.shape).source == "concept"


def machine_place(user: Viewer, slug: str) -> Membership:
    """The viewer as lead or administrator; NotFound where the project has no recipe: people write all of it."""
    found = overseer(user, slug)
    if not found.project.rules.recipe:
        raise NotFound
    return found


def generation_run(membership: Membership, n: int) -> GenerationRun:
    """One run of the project's machine writing, by its number; for leads and administrators."""
    return one(
        GenerationRun.objects.select_related("project", "by").filter(project=overseen(membership), n=n)
    )


def concept(membership: Membership, concept_id: int) -> Concept:
    """One concept: any for leads and administrators, for writers one that they proposed."""
    found = Concept.objects.select_related("target", "proposed_by").filter(
        pk=concept_id, project=membership.project
    )
    if not membership.sees_all:
        found = found.filter(proposed_by=membership.annotator, proposed_by__isnull=False)
    return one(found)


def concept_lists(membership: Membership) -> list[Project]:
    """The other projects whose concepts the viewer may take over: those that they lead or administer."""
    own = overseen(membership)
    others = [other.project for other in memberships(membership.user) if other.sees_all]
    return [other for other in others if other.pk != own.pk and has_concepts(other)]


def sources_free(membership: Membership, target: Target | None = None) -> int:
    """How many premises (or units of a target) are in nobody's hands, or how many concepts still lack a writer."""
    project = overseen(membership)
    if target is not None:
        return units_free(target).count()
    if has_concepts(project):
        return len(concepts_lacking(only_target(project), project.rules.writers_each))
    return Premise.objects.filter(project=project).free().count()


def allocation(annotator: Annotator, token: str) -> Allocation:
    """One of the writer's own premises, by its token."""
    return one(
        Allocation.objects.select_related(*ALLOCATION_WITH).filter(
            writer=annotator, token=token, project=annotator.project_id
        )
    )


def settled_elsewhere(annotator: Annotator, allocation: Allocation) -> list[tuple[Item, dict[str, Any]]]:
    """The settled translations of an allocation's unit in other targets, with their content, by the target's key.

    Without those of targets in which this person reviews: should one be opened again, they would have seen it.
    """
    if allocation.unit_id is None:
        return []
    items = Item.objects.filter(
        translation__unit=allocation.unit_id, project=allocation.project_id, stage__in=ACCEPTED
    )
    items = items.exclude(target=allocation.target_id)
    if annotator.is_validator:
        items = items.exclude(target__members__annotator=annotator)
    found = sorted(items.select_related("target", "project"), key=lambda item: item.target.key)
    present = contents(found)
    return [(item, present[item.pk]) for item in found]


def own_items(annotator: Annotator) -> QuerySet[Item]:
    """What this person wrote in their project."""
    return Item.objects.filter(author=annotator, project=annotator.project_id)


def own_item(annotator: Annotator, item_id: int) -> Item:
    """One item that this person wrote in their project."""
    return one(own_items(annotator).select_related("author", "project").filter(pk=item_id))


def contents(items: Iterable[Item]) -> dict[int, dict[str, Any]]:
    """Items (with their projects) to their present content, two statements a shape at most."""
    by_shape: dict[Shape, list[int]] = defaultdict(list)
    for item in items:
        by_shape[item.project.kind_spec.shape].append(item.pk)
    return {
        pk: content
        for shape, ids in by_shape.items()
        for pk, content in shapes.get(shape).present(ids).items()
    }


def project_items(membership: Membership) -> QuerySet[Item]:
    """All items of the project, for leads and administrators.

    For a lead who votes (`leads_vote`) those that they cannot be asked about any more: they vote as blind as others.
    """
    items = Item.objects.filter(project=overseen(membership))
    if not (membership.is_lead and membership.is_validator):
        return items
    assignments = Item.objects.filter(assignments__annotator=membership.annotator)
    over = assignments.filter(Q(assignments__state__in=("barred", "skipped")) | _DONE).values("pk")
    return items.filter(~Q(stage__in=ASKED) | Q(author=membership.annotator) | Q(pk__in=over))


def job(user: Viewer, job_id: int) -> Job:
    """A job that the viewer started, or one of a project that they lead or administer."""
    person = _person(user)
    found = one(Job.objects.select_related("project").filter(pk=job_id))
    if found.by_id == person.pk or person.is_administrator:
        return found
    leads = Annotator.objects.filter(user=person, project=found.project_id, is_lead=True, left_at=None)
    if found.project_id is None or not leads.exists():
        raise NotFound
    return found


def invitation(token: str) -> Invitation:
    """The invitation of a link, if it can still be accepted; unknown, used, revoked and over look the same."""
    return one(
        Invitation.objects.open().select_related("project", "by").filter(token_hash=Invitation.hash_of(token))
    )


def invitation_held(invitation_id: int) -> Invitation | None:
    """The invitation that a session took along through log-in or sign-up, if it can still be accepted."""
    return Invitation.objects.open().select_related("project", "by").filter(pk=invitation_id).first()


def invitation_membership(user: Viewer, token: str) -> Annotator | None:
    """The place of somebody who accepted this link before."""
    person = _person(user)
    used = Invitation.objects.filter(token_hash=Invitation.hash_of(token), accepted_by=person)
    return (
        Annotator.objects.select_related("project")
        .filter(user=person, left_at=None, project__in=used.values("project"))
        .first()
    )


def imported(membership: Membership, import_id: int) -> Import:
    """A file taken into the project, for leads and administrators."""
    return one(Import.objects.select_related("job", "by").filter(pk=import_id, project=overseen(membership)))


def site_administrator(user: Viewer) -> User:
    """The viewer as administrator of the site."""
    person = _person(user)
    if not person.is_administrator:
        raise Forbidden
    return person
