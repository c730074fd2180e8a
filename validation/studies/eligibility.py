"""Who may not answer a study: people who took part in making its items, as its kind declares; and the reverse."""

from collections.abc import Collection

from django.db.models import Q

from annotation.core.actions.contributors import register_eligibility
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from validation.studies.models import Study
from validation.studies.study_types import all_study_types, revealing_types


def refuse_maker(project: Project, user: User) -> None:
    """Raise Conflict where the project is a study of what this person had a part in."""
    study = Study.objects.filter(project=project).first()
    if study is not None and all_study_types()[study.kind].excluded_members(study).filter(user=user).exists():
        raise Conflict(field="roles", code="made_what_is_judged")


def refuse_judge(project: Project, user: User, lead: bool, targets: Collection[Target] | None) -> None:
    """Raise Conflict where this person answers, or answered, a study of the project that keeps them out."""
    answering = Q(is_validator=True, left_at=None) | Q(votes__isnull=False)
    there = Annotator.objects.filter(answering, user=user).values("project")
    keys = None if targets is None else {target.key for target in targets}
    asked = {
        project.slug,
        *Study.objects.filter(project=project, kind__in=revealing_types()).values_list("derived_from__slug", flat=True),
    }
    for study in Study.objects.filter(project__in=there).exclude(project=project).select_related("derived_from"):
        kind = all_study_types()[study.kind]
        if asked.intersection(kind.source_project_slugs(study)) and kind.bars_membership(
            study, lead=lead, targets=keys
        ):
            raise Conflict(field="roles" if targets is None else "targets", code="judges_what_is_made")


def update_studies(place: Annotator) -> None:
    """Have the studies that ask, or are asked, where somebody has a place do what follows from it."""
    assert place.user is not None  # noqa: S101 - imported people join nothing
    of_it = Q(project=place.project_id) | Q(rows__of_item__project=place.project_id)
    there = Study.objects.filter(of_it, project__annotators__user=place.user).distinct()
    for study in there.select_related("derived_from"):
        all_study_types()[study.kind].on_joined(study, place.user)


def refuse_reopening(project: Project) -> None:
    """Raise Conflict for a blind study: its results were shown when it was closed."""
    study = Study.objects.filter(project=project).first()
    if study is not None and all_study_types()[study.kind].hides_report_until_closed:
        raise Conflict(code="study_blind_reopened")


register_eligibility(maker=refuse_maker, judge=refuse_judge, joined=update_studies, reopened=refuse_reopening)
