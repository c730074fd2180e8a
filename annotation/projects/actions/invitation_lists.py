"""Many invitations at once: each in its own transaction; failures are reported by line."""

from collections.abc import Collection
from dataclasses import dataclass, field

from annotation.core.actions.members import Roles
from annotation.core.errors import Forbidden, Invalid
from annotation.core.models.member import Annotator, Invitation
from annotation.core.models.project import Project
from annotation.core.models.user import User, canonical_email
from annotation.core.rules.invitation_lists import Row, read
from annotation.projects.actions.invitations import NewInvitation, invitation_create


@dataclass
class InvitationListResult:
    """The new invitations with their tokens, and the rows that led to none."""

    made: list[NewInvitation] = field(default_factory=list)
    refused: list[Row] = field(default_factory=list)


def invitations_create(
    *, project: Project, text: str, roles: Roles, by: User, targets: Collection[str] = ()
) -> InvitationListResult:
    """Invite everybody of a list; `roles` are those of lines that name none.

    Who is a member or holds an open invitation is not invited again, so that sending a list twice makes no link
    invalid. Raises Invalid for a list without a row.
    """
    rows = list(read(text))
    if not rows:
        raise Invalid(field="list", code="invitation_list_empty")
    known = _members(project)
    result = InvitationListResult()
    for row in rows:
        try:
            _refuse_row(project, row, known)
            given = Roles(**dict.fromkeys(row.roles, True)) if row.roles else roles
            made = invitation_create(project=project, email=row.email, roles=given, by=by, targets=targets)
        except (Invalid, Forbidden) as refusal:
            code = "invitation_role_not_yours" if isinstance(refusal, Forbidden) else refusal.code
            result.refused.append(Row(row.n, row.email, row.roles, code, row.line))
        else:
            result.made.append(made)
    return result


def _members(project: Project) -> set[str]:
    rows = Annotator.objects.filter(project=project, left_at=None, user__isnull=False)
    return set(rows.values_list("user__email", flat=True))


def _refuse_row(project: Project, row: Row, members: set[str]) -> None:
    """Raise Invalid for a row with a problem, a member's, or one that was invited before and can still accept."""
    email = canonical_email(row.email)
    if row.problem:
        raise Invalid(field="list", code=row.problem)
    if email in members:
        raise Invalid(field="list", code="invitation_of_member")
    if Invitation.objects.open().filter(project=project, email=email).exists():
        raise Invalid(field="list", code="invitation_open_already")
