"""What is said of diagnostic sets and human baselines: where something was not possible, and who did what."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

BASELINE_PROBLEMS: Mapping[str, str] = {
    # who answers
    "baseline_alone": _("Who answers a human baseline has no other role in the project. Untick the others."),
    "baseline_has_part": _(
        "This person belongs, or belonged, to a project whose items the human baseline asks. Ask somebody who had no "
        "part in any of them."
    ),
    "baseline_answers": _(
        "This person answers, or answered, a human baseline on items of this project, so they can have no other part "
        "in it. Choose somebody else."
    ),
    # drawing one
    "baseline_nothing": _(
        "There is nothing to draw: choose a release or a diagnostic set, and a number from 1 on."
    ),
    "baseline_unlike": _(
        "All that a human baseline asks is answered in one way and one language. Choose alike sets."
    ),
    "baseline_no_labels": _("The items of this project have no labels that people could answer by."),
    "baseline_not_ready": _("One of these releases is not built. Wait until its files are there."),
    "baseline_size": _("Give a number of items from 0 on."),
    "baseline_people": _("Between 1 and 9 people answer each item. Give a number in between."),
    "baseline_task": _("Write a short text on the task, of at most 4,000 characters."),
    "baseline_examples": _("Give a number of examples from 0 to 100."),
    "baseline_closed": _("The project is closed, so nothing is asked here."),
    # answering
    "baseline_label_missing": _("Choose an answer first."),
    "baseline_differs": _(
        "You had answered this one already, and your first answer stands. Here is the next."
    ),
    "baseline_over": _("Nothing more is asked here, so your answer was not stored."),
    # diagnostic sets
    "diagnostic_closed": _("The project is closed, so its tags stay as they are."),
    "diagnostic_size": _("Give a whole number of items, from 1 to 10,000."),
    "diagnostic_nothing": _("No item has a gold label that votes settled on. Wait for votes, then draw."),
    "diagnostic_experts": _("Choose at least one expert among the people of the project."),
    "diagnostic_expert_unknown": _("Somebody chosen is not in the project any more. Load the page again."),
    "diagnostic_tags_missing": _("Choose at least one phenomenon first."),
    "diagnostic_tags_unknown": _("There is no such phenomenon. Choose some of the list."),
    "diagnostic_not_yours": _(
        "This one was given to another expert meanwhile, so nothing was stored. Here is the next."
    ),
}
BASELINE_EVENTS: Mapping[str, str] = {
    "baseline_created": _("drew a human baseline"),
    "baseline_ended": _("ended a human baseline"),
    "baseline_replaced": _("replaced a person of a human baseline"),
    "diagnostic_created": _("drew a diagnostic set"),
    "diagnostic_dealt": _("gave a diagnostic set to experts"),
}
