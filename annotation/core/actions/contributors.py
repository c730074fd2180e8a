"""Who may not judge items drawn from a project: people who took part in making it, as the apps above declare."""

from collections.abc import Callable, Collection

from annotation.core import declared
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User

MakerCheck = Callable[[Project, User], None]
JudgeCheck = Callable[[Project, User, bool, Collection[Target] | None], None]
_maker_checks: list[MakerCheck] = []
_judge_checks: list[JudgeCheck] = []
_joined_hooks: list[Callable[[Annotator], None]] = []
_reopening_checks: list[Callable[[Project], None]] = []


def register_eligibility(
    *,
    maker: MakerCheck,
    judge: JudgeCheck,
    joined: Callable[[Annotator], None],
    reopened: Callable[[Project], None],
) -> None:
    """Keep apart who makes and who judges, for an app above: `maker` raises Conflict for a judge of a project who had
    a part in what is judged there, `judge` for whoever joins a project (as a lead, or for targets) and judges what came
    of it. `joined` is told of everybody who has a place by then. `reopened` raises Conflict for a project that stays
    closed.
    """
    _maker_checks.append(maker)
    _judge_checks.append(judge)
    _joined_hooks.append(joined)
    _reopening_checks.append(reopened)


def refuse_judge(
    project: Project, user: User | None, *, lead: bool = False, targets: Collection[Target] | None = None
) -> None:
    """Raise Conflict where this person judges, or judged, what was drawn from the project, and may not be this there.

    They become a member, a lead, or work for `targets`.
    """
    if user is None:
        return
    declared.load("eligibility")
    for refuses in _judge_checks:
        refuses(project, user, lead, targets)


def refuse_maker(project: Project, user: User) -> None:
    """Raise Conflict where the project judges items that this person had, or has, a part in."""
    declared.load("eligibility")
    for refuses in _maker_checks:
        refuses(project, user)


def notify_joined(place: Annotator) -> None:
    """Tell the apps above that somebody has a place in a project."""
    declared.load("eligibility")
    for listener in _joined_hooks:
        listener(place)


def refuse_reopening(project: Project) -> None:
    """Raise Conflict where the results of what is judged in the project were shown, so that it stays closed."""
    declared.load("eligibility")
    for refuses in _reopening_checks:
        refuses(project)
