"""Who may answer a human baseline: nobody with another part in any project whose items it asks (IndoNLI Appendix C)."""

from django.db.models import Q, QuerySet

from annotation.core.actions.contributors import keep_answers_apart
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from exports.baselines.models import BaselineSource


def asked_of(project: Project) -> set[int]:
    """The projects whose items the project's baselines ask, itself among them; all of a release of several."""
    sources = BaselineSource.objects.filter(baseline__project=project)
    columns = (
        "release__project",
        "release__parts__project",
        "release__whole__project",
        "release__whole__parts__project",
        "diagnostic__project",
    )
    result = {each for row in sources.values_list(*columns) for each in row if each is not None}
    return result | {project.pk}


def _asking(project: Project) -> QuerySet[BaselineSource]:
    """What baselines, of whatever project, draw from this one."""
    of_release = Q(release__project=project) | Q(release__parts__project=project)
    of_whole = Q(release__whole__project=project) | Q(release__whole__parts__project=project)
    return BaselineSource.objects.filter(of_release | of_whole | Q(diagnostic__project=project))


def has_part(user: User, project: Project) -> bool:
    """Whether somebody has, or ever had, a part in what the project's baselines ask."""
    return Annotator.objects.filter(user=user, project__in=asked_of(project), is_baseline=False).exists()


def refuse_part(project: Project, user: User) -> None:
    """Raise Conflict where somebody who is to answer has, or had, a part in what is asked."""
    if has_part(user, project):
        raise Conflict(field="roles", code="baseline_has_part")


def refuse_answers(project: Project, user: User) -> None:
    """Raise Conflict where somebody who is to have a part answers, or answered, what baselines ask of the project.

    Who was to answer in this very project and has not begun may still be something else.
    """
    elsewhere = _asking(project).exclude(baseline__project=project).values("baseline__project")
    answering = Q(left_at=None) | Q(baseline_answers__isnull=False)
    there = Annotator.objects.filter(user=user, is_baseline=True)
    if (
        there.filter(answering, project__in=elsewhere).exists()
        or there.filter(project=project, baseline_answers__isnull=False).exists()
    ):
        raise Conflict(field="roles", code="baseline_answers")


keep_answers_apart(answers=refuse_part, part=refuse_answers)
