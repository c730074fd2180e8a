"""What is said to people about pay, invitations and names where a code comes back."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

ACCOUNT_PROBLEMS: Mapping[str, str] = {
    # pay
    "rate_unit_unlike": _("This is not paid by that unit: choose another one."),
    "currency_unknown": _("There is no such currency in ISO 4217."),
    "rate_amount_wrong": _("An amount is 0 or more, with at most four decimals."),
    "units_wrong": _("Say how many units it should be: a whole number above 0."),
    "entry_is_reversal": _("This entry takes another one back already; it cannot be taken back itself."),
    "entry_reversed": _("This entry was taken back already."),
    "reversal_disputed": _(
        "This entry takes another one back. Say what is wrong on the page of the entry that it takes back."
    ),
    "dispute_open": _("You said before that this entry is wrong. It waits for an answer."),
    "dispute_answered": _("Somebody answered this already. Their answer is shown below."),
    "period_not_begun": _("This day has not begun yet: approve up to today at most."),
    "period_unknown": _("Say up to which day is to be approved."),
    "person_missing": _("Say whose pay is to be approved."),
    "answer_missing": _("Please write an answer first."),
    "outcome_missing": _("Say what becomes of the entry."),
    # invitations
    "alias_of_member": _(
        "This is another spelling of an address that has a place in this project, or of your own. One person has one "
        "account: invite the address that they have."
    ),
    "invitations_too_many": _(
        "You have invited as many people within an hour as this site allows. Wait a while, then go on."
    ),
    "address_not_confirmed": _(
        "Nobody has confirmed that the address of your account is yours, so this invitation cannot be accepted. Ask an "
        "administrator of the site to invite you."
    ),
    "name_not_one_line": _(
        "A name is one line: take out line breaks, tabs, and characters that nobody sees or that turn the direction."
    ),
}
