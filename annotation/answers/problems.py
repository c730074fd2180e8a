"""Why an answer cannot be stored, and what to do: the texts of the codes of AnswerProblem."""

from collections.abc import Mapping

from annotation.text.gettext import gettext_noop as _

PROBLEMS: Mapping[str, str] = {
    "question_problem": _("Not sent yet: an answer below is missing or invalid. A note beside it says what is wrong."),
    "question_unanswered": _("Please answer this question first."),
    "answer_unknown": _("“%(answer)s” is no answer to this question: choose one of those below."),
    "answer_too_long": _("This answer has %(length)d characters, and can have %(most)d: shorten it."),
    "span_missing": _("Mark at least one passage of the text."),
    "span_one_only": _("Only one passage can be marked here: leave one, and take the others out."),
    "spans_overlap": _("“%(passage)s” overlaps another passage of the same label: make one of both, or shorten one."),
    "span_not_there": _("The text does not contain “%(passage)s” in this form: copy the passage exactly."),
    "span_several_times": _(
        "“%(passage)s” occurs in the text %(times)d times: say which one, counted from the beginning."
    ),
    "span_nth_unknown": _("“%(passage)s” occurs in the text %(times)d times: give a number from 1 to %(times)d."),
    "span_text_unknown": _("Say which text contains “%(passage)s”."),
    "span_text_differs": _("The text says “%(text)s” at that place, and not “%(passage)s”."),
    "span_outside": _(
        "A passage from %(start)s to %(end)s does not lie within the text, which has %(length)d characters."
    ),
    "span_blank": _(
        "The passage from %(start)s to %(end)s, “%(passage)s”, has blanks alone: mark words, or leave the passage out."
    ),
    "span_no_number": _("A passage has whole numbers as its start and end, and not %(places)s."),
    "span_label_missing": _("Choose a label for “%(passage)s”."),
}
