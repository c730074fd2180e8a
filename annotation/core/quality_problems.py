"""What went wrong where leads look after people's work, and in the quiz, by the code of the refusal."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

QUALITY_PROBLEMS: Mapping[str, str] = {
    "votes_none": _("Nothing is set aside: none of this person's votes counts now, but on what you wrote."),
    "set_aside_undone": _("This was undone already."),
    "set_aside_running": _("This is still being done. Wait until it has ended, then undo it."),
    "pause_none": _("This person is not paused any more. Load the page again to see what was decided."),
    "gold_not_here": _(
        "Gold questions can be asked where an answer can be known: not where it is a matter of taste, a review, or "
        "words and passages alone."
    ),
    "gold_labels_wrong": _("Tick at least one answer that counts as right, of those that the item has."),
    "gold_item_missing": _("There is no item with this key here. Copy the key from the review desk."),
    "gold_already": _("This item is a gold question, or was one, already."),
    "quiz_already": _("This item is asked in a quiz or in a training round already, or was."),
    "quiz_is_gold": _("This item is a gold question, or was one: nothing is asked in both."),
    "gold_is_quiz": _("This item is asked in a quiz or in a training round: nothing is asked in both."),
    "quiz_not_ready": _("There are not enough questions yet. Ask a QC lead, and come back later."),
    "quiz_not_owed": _("You may work here without the quiz: there is nothing to begin."),
    "quiz_attempts_over": _("You made all your attempts. Ask a QC lead: they can let you in."),
    "quiz_owed": _("Pass the writers' quiz of this project first, then you are given something to write."),
    "quiz_answer_missing": _("Choose an answer to every question, then send it again."),
    "quiz_passed": _("This person passed the quiz already, or was let in without."),
    "gold_voted_on": _(
        "This item is still voted on, or will be. Choose one that is settled, or that was not drawn for voting."
    ),
    "gold_given_out": _(
        "This item, or another of its source, stands in a release that was published: everybody may know its answer. "
        "Choose one that was settled later, of another source."
    ),
    "gold_shown_enough": _(
        "This text was shown to as many people as any other may be: asked of one more, it could be told apart. Choose "
        "one that fewer have seen, or one that was not drawn for voting."
    ),
}
