"""What pages and reports read of studies, for leads and administrators of the project that they were drawn from."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet

from annotation.core.access import Membership
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from validation.studies.models import Study
from validation.studies.projects import only_row
from validation.studies.study_types import DECIDED_STAGES, StudyType, all_study_types
from validation.voting.models.vote import Vote


def open_to(membership: Membership) -> bool:
    """Whether somebody draws studies of the project, or reads them."""
    return membership.sees_all and any(kind.is_available(membership.project) for kind in all_study_types().values())


def may_draw(membership: Membership, kind: StudyType) -> bool:
    """Whether somebody draws studies of this kind."""
    return membership.is_administrator or (kind.leads_may_draw and membership.is_lead)


class ListedStudy(NamedTuple):
    """A study in the list: its kind, how many items it has, and for how many of them everybody answered."""

    study: Study
    kind: StudyType
    items: int
    over: int


def studies_with_counts(membership: Membership, kinds: Iterable[StudyType]) -> QuerySet[Study]:
    """The project's studies of these kinds that the viewer reads, each with `items` and `over`."""
    if not membership.sees_all:
        raise Forbidden
    by_slug = {kind.slug: kind for kind in kinds}
    there = Study.objects.filter(derived_from=membership.project, kind__in=by_slug)
    there = there.select_related("project", "derived_from")
    read = [each.pk for each in there if by_slug[each.kind].is_readable_by(each, membership)]
    over = Count("rows", filter=Q(rows__item__stage__in=DECIDED_STAGES))
    return there.filter(pk__in=read).annotate(items=Count("rows"), over=over)


def studies_of(membership: Membership, kinds: Iterable[StudyType]) -> list[ListedStudy]:
    """The project's studies, newest first; two statements."""
    by_slug = {kind.slug: kind for kind in kinds}
    return [
        ListedStudy(each, by_slug[each.kind], vars(each)["items"], vars(each)["over"])
        for each in studies_with_counts(membership, by_slug.values()).order_by("-pk")
    ]


def study_of(membership: Membership, kind: StudyType, n: int) -> Study:
    """One study of the project."""
    if not membership.sees_all:
        raise Forbidden
    found = Study.objects.filter(derived_from=membership.project, kind=kind.slug, n=n)
    study = only_row(found.select_related("project", "derived_from"))
    if not kind.is_readable_by(study, membership):
        raise NotFound
    return study


def shows_report(study: Study, kind: StudyType) -> bool:
    """Whether its report may be read: that of a blind one once it is closed."""
    return not kind.hides_report_until_closed or study.project.closed_at is not None


def can_open(membership: Membership, project: Project) -> bool:
    """Whether the viewer may open the project of a study."""
    if membership.is_administrator:
        return True
    return Annotator.objects.filter(project=project, user=membership.user, left_at=None).exists()


def standing_answers(study: Study) -> "QuerySet[Vote]":
    """The votes that stand on items as they are now, in the order of items and people."""
    there = Vote.objects.filter(item__study_row__study=study, withdrawn_at=None, surplus=False)
    return there.filter(epoch=F("item__epoch")).order_by("item__study_row__position", "annotator__pseudonym")


def groups_of(study: Study) -> "QuerySet[Target]":
    """The targets of its groups, whose members alone are asked there; none where everybody is asked everything."""
    return study.project.targets.filter(members_only=True).order_by("pk")


def study_for_viewer(membership: Membership, study: Study | None) -> Study | None:
    """The study that the project is, for who reads the project that it was drawn from; None for others."""
    if study is None or not membership.sees_all:
        return None
    own = Annotator.objects.filter(project=study.derived_from, user=membership.user, left_at=None).first()
    there = Membership(membership.user, study.derived_from, own)
    return study if there.sees_all and all_study_types()[study.kind].is_readable_by(study, there) else None


class Person(NamedTuple):
    """Somebody who answers: how many items they answered, of how many, in which group."""

    pseudonym: str
    group: str
    done: int
    total: int

    @property
    def is_complete(self) -> bool:
        return self.done >= self.total


def people(study: Study) -> list[Person]:
    """Everybody who answers, or did, with how far they are: of their groups' items where there are groups."""
    sizes = dict[Any, int](study.rows.order_by().values_list("item__target").annotate(n=Count("pk")))
    done = dict(
        standing_answers(study)
        .order_by()
        .values_list("annotator")
        .annotate(n=Count("pk"))
        .values_list("annotator", "n")
    )
    there = Annotator.objects.filter(project=study.project_id).filter(
        Q(is_validator=True, left_at=None) | Q(pk__in=done)
    )
    groups: dict[int, list[tuple[int, str]]] = {}
    named = there.filter(target_memberships__target__members_only=True)
    for who, target, key in named.values_list("pk", "target_memberships__target", "target_memberships__target__key"):
        groups.setdefault(who, []).append((target, key))
    found = []
    for pk, pseudonym in there.order_by("pseudonym").values_list("pk", "pseudonym"):
        mine = groups.get(pk, [])
        total = sum(sizes.get(target, 0) for target, _ in mine) if groups else sum(sizes.values())
        found.append(
            Person(pseudonym, ", ".join(key.removeprefix("group-") for _, key in mine), done.get(pk, 0), total)
        )
    return sorted(found, key=lambda one: (bool(groups) and not one.group, one.group, one.pseudonym))
