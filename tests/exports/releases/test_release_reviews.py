"""Reviewed items in a release: who approved them, and that what was not approved is judged as the system judged it."""

import pytest

from exports.releases.rules.rows import Judge, VerdictDiffers
from tests.exports.releases.test_release_rows import PEOPLE, frozen, vote
from validation.consensus.protocol import PRESETS, Protocol
from validation.consensus.translation_review import LABELS

ANY = Protocol("any", rounds=(2,), quorum=2, author="none")
# protocol, how the item stands, its votes → the verdict
JUDGED = [
    (PRESETS["review-1"], {"stage": "settled", "gold": "approve", "gold_from": "votes"}, ["approve"], "gold"),
    # The translator accepted a correction: the vote that corrected was for the text before.
    (
        PRESETS["review-1"],
        {"stage": "settled", "gold": "approve", "gold_from": "author", "epoch": 2, "version": 5},
        ["correct"],
        "open",
    ),
    (PRESETS["review-1"], {"stage": "returned"}, ["return"], "no_consensus"),
    (PRESETS["review-1"], {"stage": "no_consensus"}, ["return"], "no_consensus"),
    (ANY, {"stage": "no_consensus"}, ["return", "return"], "no_consensus"),
]


@pytest.mark.parametrize(("protocol", "item", "labels", "state"), JUDGED)
def test_reviews_are_judged_as_the_house_judged_them(protocol, item, labels, state):
    judge = Judge({1: protocol}, LABELS, PEOPLE, reviewed=True)
    ballots = [vote(n, label) for n, label in enumerate(labels, start=1)]
    assert judge.judge(frozen(**item), ballots).state == state


def test_an_approval_that_no_vote_gives_is_refused():
    judge = Judge({1: PRESETS["review-1"]}, LABELS, PEOPLE, reviewed=True)
    with pytest.raises(VerdictDiffers):
        judge.judge(frozen(stage="settled", gold="approve", gold_from="votes"), [vote(1, "return")])
