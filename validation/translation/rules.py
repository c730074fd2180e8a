"""How far the items of a target are, in the words of a page: several stages that are one thing to who reads it."""

from collections.abc import Mapping

from annotation.text.gettext import gettext_noop
from validation.consensus import stages

HANDED_IN, IN_REVIEW, SENT_BACK = "handed_in", "in_review", "sent_back"
APPROVED, LEFT_OUT, FLAGGED = "approved", "left_out", "flagged"

# Every stage stands in one part; what is flagged stands in another one too.
PARTS: Mapping[str, tuple[str, ...]] = {
    HANDED_IN: (stages.SUBMITTED, stages.WRITTEN),
    IN_REVIEW: (stages.VOTING, stages.CORRECTED),
    SENT_BACK: (stages.RETURNED,),
    APPROVED: (stages.SETTLED, stages.ADJUDICATED),
    LEFT_OUT: (stages.EXCLUDED, stages.NO_CONSENSUS),
}
PART_NAMES: Mapping[str, str] = {
    HANDED_IN: gettext_noop("handed in"),
    IN_REVIEW: gettext_noop("in review"),
    SENT_BACK: gettext_noop("sent back"),
    APPROVED: gettext_noop("approved"),
    LEFT_OUT: gettext_noop("left out"),
    FLAGGED: gettext_noop("flagged"),
}
PART_OF: Mapping[str, str] = {stage: part for part, found in PARTS.items() for stage in found}
