"""What the system does with an item whose reviewers did not approve it (domain.md §7, ruling 19).

It gives the item back to its writer with their words, or makes a reviewer's correction its text. The batch decider
calls this for items that it has locked, in its own transaction; the rule which of both is `rules.reviewing`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.content.queries import current_content
from annotation.core.models.member import Annotator
from annotation.kinds import text_at, with_text
from annotation.writing.actions.revising import revise
from validation.consensus import stages
from validation.consensus import translation_review as reviewing
from validation.consensus.engine import NO_CONSENSUS, Decision
from validation.consensus.translation_review import ReviewVote
from validation.voting.actions import steps
from validation.voting.actions.check_findings import flag_findings
from validation.voting.actions.flags import flag_raise
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote
from validation.voting.rules import flags

ACT_EVENTS = (stages.SEND_BACK, stages.TAKE_CORRECTION)


@dataclass(frozen=True)
class ReviewAct:
    """What is to be done with an item, by which of its votes; `content` is the text as a correction makes it."""

    item: Item
    event: str
    votes: Sequence[Vote]
    content: Mapping[str, Any]


def next_act(item: Item, votes: Sequence[Vote], decision: Decision) -> ReviewAct | None:
    """What the system does with the item instead of leaving it without consensus; None where that is nothing."""
    if decision.state != NO_CONSENSUS:
        return None
    now = current_content(item)
    texts = [_corrected_text(item, now, vote) for vote in votes]
    verdicts = [ReviewVote(vote.label, text != now) for vote, text in zip(votes, texts, strict=True)]
    event = reviewing.unapproved_event(decision, verdicts, writer_there=steps.is_writer_active(item))
    if event == stages.TAKE_CORRECTION:
        place = reviewing.correction_position(verdicts)
        assert place is not None  # noqa: S101 - that is what makes it this event
        return ReviewAct(item, event, [votes[place]], texts[place])
    if event == stages.SEND_BACK:
        return ReviewAct(item, event, [vote for vote in votes if vote.label == reviewing.RETURN], now)
    return None


def _corrected_text(item: Item, content: dict[str, Any], vote: Vote) -> dict[str, Any]:
    """The text with what this reviewer proposed; as it was where they proposed nothing that is open still."""
    if vote.label != reviewing.CORRECT:
        return content
    kind = item.project.kind_spec
    there = {text.key for text in kind.presentation.texts_in(content) if not text.derived}
    new = content
    for name, text in Proposal.objects.filter(vote=vote, state=Proposal.State.OPEN).values_list("field", "text"):
        if name in there and text_at(new, name) != text:
            new = with_text(new, name, text)
    return kind.authoring.derive(new) if new is not content else content


def carry_out(act: ReviewAct) -> None:
    """Do it; the caller has locked the item and written how it stood."""
    if act.event == stages.SEND_BACK:
        _send_back(act.item, act.votes)
    else:
        _take_correction(act.item, act.votes[0], act.content)


def _send_back(item: Item, votes: Sequence[Vote]) -> None:
    """Give the item back to its writer with the words of all who sent it back; the first error named is the error."""
    words = [vote.comment for vote in votes if vote.comment]
    errors = [str(vote.answers["error"]) for vote in votes if vote.answers.get("error")]
    steps.record(
        item=item,
        event=stages.SEND_BACK,
        by=votes[0].annotator,
        error_type=next(iter(errors), ""),
        words="\n\n".join(words),
    )
    steps.give_back(item)
    steps.save_standing(item)


def _take_correction(item: Item, vote: Vote, content: Mapping[str, Any]) -> None:
    """Make a reviewer's correction the text; others are asked about it, and the reviewer is not."""
    old_epoch = item.epoch
    steps.move_stage(item, stages.TAKE_CORRECTION, None)
    item.epoch += 1
    revise(
        item=item,
        content=dict(content),
        by=vote.annotator,
        event=stages.TAKE_CORRECTION,
        meaning=steps.NEW_MEANING,
        why=vote.comment,
    )
    Proposal.objects.filter(vote=vote, state=Proposal.State.OPEN).update(
        state=Proposal.State.ACCEPTED, decided_at=Now()
    )
    steps.restart_validation(item, old_epoch)
    # A person has looked at what the checks found, and the text that the writer defended is no more.
    steps.close_flags(item, {flags.FAILED_CHECK, flags.DISPUTED})
    flag_findings([item.pk])
    _flag_other_proposals(item, vote.annotator)
    steps.bar_person(item, vote.annotator)
    steps.save_standing(item)


def _flag_other_proposals(item: Item, taken: Annotator) -> None:
    """A correction that was not taken is a lead's to look at: nothing that somebody wrote is lost."""
    rows = item.proposals.filter(state=Proposal.State.OPEN).exclude(by=taken).order_by("pk")
    left = list(rows.values_list("by__pseudonym", "vote__n"))
    if left:
        by, numbers = (list(dict.fromkeys(each)) for each in zip(*left, strict=True))
        flag_raise(item=item, code=flags.PROPOSED, detail={"by": by, "votes": numbers})
