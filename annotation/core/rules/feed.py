"""The types of events for other systems, with their meaning and content."""

from collections.abc import Mapping

from annotation.text.gettext import gettext_noop as _

SETTLED, NO_CONSENSUS, EXCLUDED = "item.settled", "item.no_consensus", "item.excluded"
FLAGGED = "item.flagged"
RETURNED, CORRECTED = "review.returned", "review.corrected"
IMPORTED, RELEASED = "import.finished", "release.published"
JOINED, LEFT = "member.joined", "member.left"
TEST = "webhook.test"

# The type of event when an item reaches a stage.
TYPE_OF_STAGE: Mapping[str, str] = {
    "settled": SETTLED,
    "adjudicated": SETTLED,
    "no_consensus": NO_CONSENSUS,
    "excluded": EXCLUDED,
    "returned": RETURNED,
    "corrected": CORRECTED,
}

# `subject` of all that begins with item or review is the item's key.
TYPES: Mapping[str, str] = {
    SETTLED: _("An item got its gold label, by votes or by a QC lead."),
    NO_CONSENSUS: _("The votes on an item ended without a gold label."),
    EXCLUDED: _("An item was excluded, by votes or by a QC lead."),
    FLAGGED: _("An item came to the review desk; the flag is named."),
    RETURNED: _("An item was returned, to be changed."),
    CORRECTED: _("The text of an item was corrected."),
    IMPORTED: _("A file was taken in; the counts of accepted and refused rows are given."),
    RELEASED: _("A release was frozen and its files are there."),
    JOINED: _("Somebody joined the project."),
    LEFT: _("Somebody left the project."),
}
