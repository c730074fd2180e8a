"""What is said of a project's own words, of consent and of what members say about themselves: by code and by verb."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

ABOUT_PROBLEMS: Mapping[str, str] = {
    "homepage_wrong": _("A home page begins with https:// or http://."),
    "section_unknown": _("The data statement has no such section. Load the page again."),
    "threshold_wrong": _("The smallest group is a number from 1 to 100."),
    "consent_stale": _(
        "The text was changed in the meantime. Please read it below, then agree to it if you like."
    ),
    "consent_missing": _("Please agree to the text first. What you typed is not stored."),
    "choice_unknown": _("Choose an answer of the list, or none."),
    "entry_stale": _(
        "The conditions were changed in the meantime. Please read them below, then confirm them."
    ),
    "entry_unticked": _("Please tick that this is true of you first."),
}
ABOUT_EVENTS: Mapping[str, str] = {
    "about_changed": _("changed what releases tell of the project"),
    "consent_published": _("published a new text that members agree to"),
    "entry_confirmed": _("confirmed the entry conditions"),
}
