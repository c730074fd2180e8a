"""Where every query of a view begins: who the viewer is in a project. A refusal carries its reason.

What does not exist and what is not yours raise the same NotFound. A member whose roles do not include something
gets Forbidden.
"""

from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from annotation.core import language, second_factor
from annotation.core.errors import EntryOwed, Forbidden, NotFound, QuizOwed, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.core.rules.languages import only_language

Viewer = User | AnonymousUser


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
    def is_voting_lead(self) -> bool:
        """Whether they lead and vote: what they can still be asked about is closed to them."""
        return self.is_lead and self.is_validator

    @property
    def sees_all(self) -> bool:
        """Whether votes, labels and authors are open to them: leads and administrators."""
        return self.is_lead or self.is_administrator


def signed_in(user: Viewer) -> User:
    """The viewer, logged in with an account that stands; NotFound for anybody else."""
    if not isinstance(user, User) or not user.is_active:
        raise NotFound
    second_factor.require_second_factor(user)
    return user


def membership(user: Viewer, slug: str) -> Membership:
    """The viewer's place in the project; NotFound for those who are neither in it nor administrators."""
    person = signed_in(user)
    annotator = (
        Annotator.objects.select_related("project").filter(user=person, project__slug=slug, left_at=None).first()
    )
    if annotator is not None:
        second_factor.require_second_factor(person, leads=annotator.is_lead)
        language.apply_project_language(slug, partial(language_of_work, annotator))
        return Membership(person, annotator.project, annotator)
    if person.is_administrator:
        project = Project.objects.filter(slug=slug, kept_for=None).first()
        if project is not None:
            return Membership(person, project, None)
    raise NotFound


def require_role(user: Viewer, slug: str, role: str) -> tuple[Membership, Annotator]:
    """The viewer in one of their roles, as Roles has them; Forbidden where they have another role only.

    EntryOwed where they have not confirmed the project's entry conditions.
    """
    place = membership(user, slug)
    if place.annotator is None or not getattr(place, f"is_{role}"):
        raise Forbidden
    return place, require_entry(place.annotator)


def writer_at_work(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as a writer who may be given something to write. Raises QuizOwed before they passed the quiz."""
    place, annotator = require_role(user, slug, "writer")
    if annotator.owes_quiz("writer"):
        raise QuizOwed(slug)
    return place, annotator


def lead_membership(user: Viewer, slug: str) -> Membership:
    """The viewer as lead or administrator."""
    found = membership(user, slug)
    if not found.sees_all:
        raise Forbidden
    return found


def reader_of_all(user: User, slug: str) -> Membership:
    """Somebody who may read the votes on all items at once: Forbidden for a lead who may be asked about one of them."""
    membership = lead_membership(user, slug)
    if membership.is_voting_lead:
        raise Forbidden(code="voting_lead_reads_singly")
    return membership


def administrator_membership(user: Viewer, slug: str) -> Membership:
    """The viewer as administrator, at one project."""
    found = membership(user, slug)
    if not found.is_administrator:
        raise Forbidden
    return found


def project_for_leads(membership: Membership) -> Project:
    """The project, for its leads and administrators. Raises Forbidden for others."""
    if not membership.sees_all:
        raise Forbidden
    return membership.project


def memberships(user: Viewer) -> list[Membership]:
    """Every open place of the viewer, by project name; an administrator sees all projects."""
    person = signed_in(user)
    mine = {
        annotator.project_id: annotator
        for annotator in Annotator.objects.select_related("project").filter(user=person, left_at=None)
    }
    second_factor.require_second_factor(person, leads=any(annotator.is_lead for annotator in mine.values()))
    all_projects = person.is_administrator
    projects = list(Project.objects.filter(kept_for=None)) if all_projects else [one.project for one in mine.values()]
    found = [Membership(person, project, mine.get(project.pk)) for project in projects]
    return sorted(found, key=lambda membership: (membership.project.name.casefold(), membership.project.slug))


def writers(membership: Membership) -> QuerySet[Annotator]:
    """The project's writers with an account, for leads and administrators."""
    there = Annotator.objects.filter(project=project_for_leads(membership), user__isnull=False, left_at=None)
    return there.filter(is_writer=True).order_by("pseudonym")


def only_target(project: Project) -> Target:
    """The project's one target, where its kind has no targets."""
    return project.targets.order_by("pk")[0]


def has_targets(project: Project) -> bool:
    """Whether the project has a target for each target, and people work for named ones."""
    return "targets" in project.kind_spec.features


def language_of_work(annotator: Annotator) -> str:
    """The language in which somebody writes or judges: the project's, or where texts are translated that of their own
    targets; empty where they have none, or several that are read in two languages."""
    if not has_targets(annotator.project):
        return annotator.project.language
    codes = Target.objects.filter(members__annotator=annotator).values_list("language", flat=True)
    return only_language(codes)


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
    return first_or_not_found(found)


def site_administrator(user: Viewer) -> User:
    """The viewer as administrator of the site."""
    person = signed_in(user)
    if not person.is_administrator:
        raise Forbidden
    return person


def entry_conditions(annotator: Annotator) -> dict[str, str | int]:
    """The entry conditions that this member confirms: those of everybody, and of writers those of writers."""
    rules = annotator.project.rules
    return {**rules.entry_conditions, **(rules.writer_entry_conditions if annotator.is_writer else {})}


def owes_entry(annotator: Annotator) -> bool:
    """Whether this member has to confirm the project's entry conditions before they work (domain.md §2)."""
    conditions = entry_conditions(annotator)
    return any(annotator.entry.get(name) != value for name, value in conditions.items())


def require_entry(annotator: Annotator) -> Annotator:
    """The member, who works here only once they confirmed the entry conditions. Raises EntryOwed."""
    if owes_entry(annotator):
        raise EntryOwed(annotator.project.slug)
    return annotator
