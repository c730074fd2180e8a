"""What is said of a project's own words, its prompts for tasks among them, of consent and of what members say about
themselves: by code and by verb.
"""

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
    "task_prompt_task": _("Releases of this project have no such task. Load the page again."),
    "task_prompt_wrong": _("This prompt cannot be used. Look at what stands beside it, then send again."),
    "task_prompt_stale": _(
        "Somebody changed this prompt in the meantime. What you typed is kept; look at what stands now, then send "
        "again."
    ),
    "task_prompt_name_taken": _(
        "There is a prompt with this name already. Change that one, or choose another name."
    ),
    "entry_unticked": _("Please tick that this is true of you first."),
}
ABOUT_EVENTS: Mapping[str, str] = {
    "about_changed": _("changed what releases tell of the project"),
    "task_prompt_saved": _("changed a prompt that releases bring for a task"),
    "task_prompt_ended": _("ended a prompt: releases bring it no more"),
    "consent_published": _("published a new text that members agree to"),
    "entry_confirmed": _("confirmed the entry conditions"),
}
