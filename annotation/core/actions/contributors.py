"""Who may not judge what was drawn from a project: whoever had a part in making it. Label checks, and what apps add."""

from collections.abc import Callable, Collection

from django.db.models import Q

from annotation.core import declared
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.translation.models import LabelCheck

Refuses = Callable[[Project, User], None]
_makers: list[Refuses] = []
_judges: list[Refuses] = []
_answers: list[Refuses] = []
_parts: list[Refuses] = []


def keep_apart(*, maker: Refuses, judge: Refuses) -> None:
    """Keep apart who makes and who judges, for an app above: `maker` raises Conflict for a judge of a project who had
    a part in what is judged there, `judge` for whoever joins a project and judges what came of it.
    """
    _makers.append(maker)
    _judges.append(judge)


def keep_answers_apart(*, answers: Refuses, part: Refuses) -> None:
    """Keep apart who answers a human baseline and everybody else, for an app above: `answers` raises Conflict for
    somebody with a part in what is answered, `part` for whoever joins a project and answers, or answered, of it.
    """
    _answers.append(answers)
    _parts.append(part)


def refuse_answers(project: Project, user: User) -> None:
    """Raise Conflict where this person has, or had, a part in what a human baseline of the project asks."""
    declared.load("eligibility")
    for refuses in _answers:
        refuses(project, user)


def refuse_other_part(project: Project, user: User) -> None:
    """Raise Conflict where this person answers, or answered, a human baseline on items of the project."""
    declared.load("eligibility")
    for refuses in _parts:
        refuses(project, user)


def refuse_part(project: Project, user: User) -> None:
    """Raise Conflict where this person judges, or judged, what was drawn from the project."""
    declared.load("eligibility")
    for refuses in _judges:
        refuses(project, user)


def refuse_maker(project: Project, user: User) -> None:
    """Raise Conflict where the project judges translations, or items, that this person had, or has, a part in."""
    declared.load("eligibility")
    for refuses in _makers:
        refuses(project, user)
    found = LabelCheck.objects.filter(judged=project).values_list("project_id", "target_id").first()
    if found is None:
        return
    part = (
        Q(target_memberships__target=found[1])
        | Q(items__target=found[1])
        | Q(votes__item__target=found[1])
        | Q(has_led=True)
    )
    if Annotator.objects.filter(part, project=found[0], user=user).exists():
        raise Conflict(field="roles", code="made_what_is_judged")


def refuse_judge(project: Project, user: User | None, targets: Collection[Target] | None = None) -> None:
    """Raise Conflict where this person judges, or judged, what comes of these targets (None: of any of them)."""
    if user is None:
        return
    checks = LabelCheck.objects.filter(project=project)
    if targets is not None:
        checks = checks.filter(target__in=targets)
    there = Annotator.objects.filter(user=user, project__in=checks.values("judged"))
    if there.filter(Q(is_validator=True, left_at=None) | Q(votes__isnull=False)).exists():
        raise Conflict(field="targets", code="judges_what_is_made")
