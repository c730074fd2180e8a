"""What is said where sign-in through an institution, or with a second factor, is not enough."""

from collections.abc import Mapping

from annotation.text.gettext import gettext_noop as _

SIGN_IN_PROBLEMS: Mapping[str, str] = {
    "second_factor_owed": _(
        "This site asks a second step of sign-in of everybody who leads a project or administers it. Set it up "
        "under “Account”, “Two-step sign-in”, then try again."
    ),
    "group_project_unknown": _("There is no project of that short name."),
    "stay_connected": _(
        "Your groups at the institution give you roles here, so the account stays connected to it. An administrator "
        "can take you out of those groups first."
    ),
    "no_such_account": _("No account has this address."),
    "subject_connected": _("This sign-in belongs to another account here."),
}
