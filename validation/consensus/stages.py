"""The stages of an item, as one table: (stage, event) → stage. An item's stage is the replay of its events.

The next stage follows from the present one and the event alone, nothing else is remembered. Where an item can come
from outside validation or from within (it was returned, or excluded), the event says where it goes: `approve_same`,
`approve_new` and `reopen` put it before the voters, `approve_written` and `reopen_written` among the items that
nobody votes on yet, `reopen_submitted` among those that wait for their first approval. `approval_event` and
`reopening_event` choose the name. Rows are stages, `·` stays, empty is illegal:

| stage        | submit  | hand_in   | revise | open   | ask | settle  | end          | exclude_ambiguous |
|--------------|---------|-----------|--------|--------|-----|---------|--------------|-------------------|
| (none)       | written | submitted |        |        |     |         |              |                   |
| submitted    |         |           | ·      |        |     |         |              |                   |
| written      |         |           | ·      | voting |     |         |              |                   |
| voting       |         |           | ·      |        | ·   | settled | no_consensus | excluded          |

| stage        | return   | resubmit  | approve | approve_same, approve_new | approve_written |
|--------------|----------|-----------|---------|---------------------------|-----------------|
| submitted    | returned |           |         |                           | written         |
| written      | returned |           | ·       |                           |                 |
| voting       | returned |           | ·       |                           |                 |
| settled      | returned |           | ·       |                           |                 |
| no_consensus | returned |           | ·       |                           |                 |
| adjudicated  |          |           | ·       |                           |                 |
| returned     |          | corrected |         |                           |                 |
| corrected    | returned |           |         | voting                    | written         |
| excluded     | returned |           | ·       |                           |                 |

| stage        | correct_same | correct_new | adjudicate  | exclude  |
|--------------|--------------|-------------|-------------|----------|
| submitted    | ·            | ·           |             | excluded |
| written      | ·            | ·           |             | excluded |
| voting       | ·            | ·           | adjudicated | excluded |
| settled      | ·            | voting      | adjudicated | excluded |
| no_consensus | ·            | voting      | adjudicated | excluded |
| adjudicated  | ·            | voting      | ·           | excluded |
| returned     | ·            | ·           |             | excluded |
| corrected    | ·            | ·           |             | excluded |
| excluded     | ·            | ·           | adjudicated |          |

| stage        | reopen | reopen_written | reopen_submitted | recompute |
|--------------|--------|----------------|------------------|-----------|
| voting       |        |                |                  | ·         |
| settled      |        |                |                  | voting    |
| no_consensus |        |                |                  | voting    |
| adjudicated  | voting |                |                  | ·         |
| returned     | voting | written        | submitted        | ·         |
| corrected    |        |                |                  | ·         |
| excluded     | voting | written        | submitted        | voting    |

| stage        | send_back | take_correction | review_again | recall | accept  | dispute |
|--------------|-----------|-----------------|--------------|--------|---------|---------|
| voting       | returned  | ·               |              |        | settled | ·       |
| returned     |           |                 | voting       | voting |         |         |

| stage        | close_flag | raise_flags | unapprove |
|--------------|------------|-------------|-----------|
| submitted    | ·          | ·           |           |
| written      | ·          | ·           | submitted |
| voting       | ·          | ·           |           |
| settled      | ·          | ·           |           |
| no_consensus | ·          | ·           |           |
| adjudicated  | ·          | ·           |           |
| returned     | ·          | ·           |           |
| corrected    | ·          | ·           |           |
| excluded     | ·          | ·           |           |

- `hand_in` is a submission in a project that checks first (domain.md §5): the item waits in `submitted` until a lead
  approves it (`approve_written`), or returns it, as often as needed. Nothing leads past that check: what was never
  approved comes back from its writer into `corrected`, and from an exclusion into `submitted`
  (`awaits_first_approval`).
- `approve` closes flags and changes no label (domain.md §8). What a writer corrected is approved by naming the
  meaning (ruling 6): on the same one the votes stay and the item, in `voting`, is computed again at once and settles
  without a further vote where it had settled; a new one starts an epoch and asks the first round.
- A lead's correction is legal everywhere, since a premise is shared by pairs in every stage (ruling 7). Where nobody
  is being asked (submitted, returned, corrected, excluded) the item stays put; it is asked when it comes back.
- `revise` in `voting` is the writer's until the first lease (ruling 14); that the lease has not begun is the action's
  to see. `adjudicate` needs an item that validation has begun on: a pair never voted on has its author label.
- `reopen` undoes an exclusion, an adjudication, or a return whose writer has not answered yet: the item is computed
  anew from its standing votes.
- `exclude_ambiguous` is the system's: too many voters called the item ambiguous. A lead may agree (`approve` closes the
  flags), settle it by their own word, or return it to its writer. `reopen` would lead straight back, so the action
  refuses it while the votes say so; after a correction of new meaning there are none, and it begins again.
- `close_flag` closes one flag and leaves the others. `raise_flags` takes such a step or an approval back: what it
  closed is open again. `unapprove` does so with `approve_written`, before validation begins.
- `recompute`: a vote was taken back or voided (rulings 4, 5), so the item asks again; where a person's word stands
  (adjudicated, returned, corrected) that keeps standing. From `excluded` only what the system excluded comes back
  (`is_excluded_by_votes`); it never computes again what a lead excluded.
- The last table is that of kinds whose voters review (domain.md §7). Where the votes end without approval the system
  sends the item back to its writer with the reviewers' words, or makes a reviewer's correction the text (ruling 19),
  which others are asked about afresh. `accept` is the writer's approval of that correction, `dispute` their word
  against it, which changes nothing else. What reviewers sent back comes before them again (`review_again`); what a
  lead returned comes back to the lead. `recall`: the votes do not send it back any more.
"""

from collections.abc import Iterable, Mapping, Sequence

from annotation.text.gettext import gettext_noop

SUBMITTED = "submitted"
WRITTEN, VOTING, SETTLED, NO_CONSENSUS = "written", "voting", "settled", "no_consensus"
ADJUDICATED, RETURNED, CORRECTED, EXCLUDED = "adjudicated", "returned", "corrected", "excluded"

HAND_IN = "hand_in"
SUBMIT, REVISE, OPEN, ASK, SETTLE, END = "submit", "revise", "open", "ask", "settle", "end"
RETURN, RESUBMIT, APPROVE = "return", "resubmit", "approve"
APPROVE_SAME, APPROVE_NEW, APPROVE_WRITTEN = "approve_same", "approve_new", "approve_written"
CORRECT_SAME, CORRECT_NEW, ADJUDICATE, EXCLUDE = "correct_same", "correct_new", "adjudicate", "exclude"
REOPEN, REOPEN_WRITTEN, RECOMPUTE = "reopen", "reopen_written", "recompute"
REOPEN_SUBMITTED, EXCLUDE_AMBIGUOUS = "reopen_submitted", "exclude_ambiguous"
SEND_BACK, TAKE_CORRECTION, REVIEW_AGAIN = "send_back", "take_correction", "review_again"
RECALL, ACCEPT, DISPUTE = "recall", "accept", "dispute"
CLOSE_FLAG, RAISE_FLAGS, UNAPPROVE = "close_flag", "raise_flags", "unapprove"

STAGE_NAMES: Mapping[str, str] = {
    SUBMITTED: gettext_noop("to be checked"),
    WRITTEN: gettext_noop("written"),
    VOTING: gettext_noop("in validation"),
    SETTLED: gettext_noop("settled"),
    NO_CONSENSUS: gettext_noop("no consensus"),
    ADJUDICATED: gettext_noop("adjudicated"),
    RETURNED: gettext_noop("returned"),
    CORRECTED: gettext_noop("corrected, to be checked"),
    EXCLUDED: gettext_noop("excluded"),
}
STAGES = tuple(STAGE_NAMES)

EVENT_NAMES: Mapping[str, str] = {
    SUBMIT: gettext_noop("submitted"),
    HAND_IN: gettext_noop("handed in, to be checked"),
    REVISE: gettext_noop("revised by the writer"),
    OPEN: gettext_noop("validation began"),
    ASK: gettext_noop("another round asked for"),
    SETTLE: gettext_noop("gold label found"),
    END: gettext_noop("ended without consensus"),
    EXCLUDE_AMBIGUOUS: gettext_noop("excluded: too many called it ambiguous"),
    RETURN: gettext_noop("returned to the writer"),
    RESUBMIT: gettext_noop("corrected by the writer"),
    APPROVE: gettext_noop("approved"),
    APPROVE_SAME: gettext_noop("correction approved: same meaning, votes stay"),
    APPROVE_NEW: gettext_noop("correction approved: new meaning, validation starts again"),
    APPROVE_WRITTEN: gettext_noop("text approved"),
    CORRECT_SAME: gettext_noop("corrected: same meaning, votes stay"),
    CORRECT_NEW: gettext_noop("corrected: new meaning, validation starts again"),
    ADJUDICATE: gettext_noop("adjudicated"),
    EXCLUDE: gettext_noop("excluded"),
    REOPEN: gettext_noop("reopened"),
    REOPEN_WRITTEN: gettext_noop("taken in again"),
    REOPEN_SUBMITTED: gettext_noop("taken in again, to be checked"),
    RECOMPUTE: gettext_noop("computed again after a vote was withdrawn"),
    SEND_BACK: gettext_noop("sent back by reviewers"),
    TAKE_CORRECTION: gettext_noop("corrected by a reviewer, asked about again"),
    REVIEW_AGAIN: gettext_noop("handed in again, reviewed again"),
    RECALL: gettext_noop("called back after a vote was withdrawn"),
    ACCEPT: gettext_noop("the writer accepted the correction"),
    DISPUTE: gettext_noop("the writer disputes the correction"),
    CLOSE_FLAG: gettext_noop("flag closed"),
    RAISE_FLAGS: gettext_noop("taken back: its flags are open again"),
    UNAPPROVE: gettext_noop("approval taken back, to be checked"),
}
EVENTS = tuple(EVENT_NAMES)

# Where people are asked about an item, or will be; the others but `corrected` are ends.
ASKED_STAGES = (SUBMITTED, WRITTEN, VOTING, RETURNED)
# Where votes that an item has may still be added to: what was returned or corrected may come back with them.
OPEN_VOTE_STAGES = (VOTING, RETURNED, CORRECTED)

# The events after which votes count afresh; every other one keeps the epoch.
# How a writer sends back what was returned to them: to the lead, or to another reviewer.
RESUBMITTED = (RESUBMIT, REVIEW_AGAIN)
STARTS_EPOCH = frozenset({CORRECT_NEW, APPROVE_NEW, TAKE_CORRECTION, REVIEW_AGAIN})
# The events that give an item back to its writer, each counted.
RETURNS = (RETURN, SEND_BACK)

_NEXT_STAGES: Mapping[str | None, Mapping[str, str]] = {
    None: {SUBMIT: WRITTEN, HAND_IN: SUBMITTED},
    SUBMITTED: {
        REVISE: SUBMITTED,
        RETURN: RETURNED,
        APPROVE_WRITTEN: WRITTEN,
        CORRECT_SAME: SUBMITTED,
        CORRECT_NEW: SUBMITTED,
        EXCLUDE: EXCLUDED,
    },
    WRITTEN: {
        REVISE: WRITTEN,
        OPEN: VOTING,
        RETURN: RETURNED,
        APPROVE: WRITTEN,
        UNAPPROVE: SUBMITTED,
        CORRECT_SAME: WRITTEN,
        CORRECT_NEW: WRITTEN,
        EXCLUDE: EXCLUDED,
    },
    VOTING: {
        REVISE: VOTING,
        ASK: VOTING,
        SETTLE: SETTLED,
        END: NO_CONSENSUS,
        EXCLUDE_AMBIGUOUS: EXCLUDED,
        RETURN: RETURNED,
        APPROVE: VOTING,
        CORRECT_SAME: VOTING,
        CORRECT_NEW: VOTING,
        ADJUDICATE: ADJUDICATED,
        EXCLUDE: EXCLUDED,
        RECOMPUTE: VOTING,
        SEND_BACK: RETURNED,
        TAKE_CORRECTION: VOTING,
        ACCEPT: SETTLED,
        DISPUTE: VOTING,
    },
    SETTLED: {
        RETURN: RETURNED,
        APPROVE: SETTLED,
        CORRECT_SAME: SETTLED,
        CORRECT_NEW: VOTING,
        ADJUDICATE: ADJUDICATED,
        EXCLUDE: EXCLUDED,
        RECOMPUTE: VOTING,
    },
    NO_CONSENSUS: {
        RETURN: RETURNED,
        APPROVE: NO_CONSENSUS,
        CORRECT_SAME: NO_CONSENSUS,
        CORRECT_NEW: VOTING,
        ADJUDICATE: ADJUDICATED,
        EXCLUDE: EXCLUDED,
        RECOMPUTE: VOTING,
    },
    ADJUDICATED: {
        APPROVE: ADJUDICATED,
        CORRECT_SAME: ADJUDICATED,
        CORRECT_NEW: VOTING,
        ADJUDICATE: ADJUDICATED,
        EXCLUDE: EXCLUDED,
        REOPEN: VOTING,
        RECOMPUTE: ADJUDICATED,
    },
    RETURNED: {
        RESUBMIT: CORRECTED,
        CORRECT_SAME: RETURNED,
        CORRECT_NEW: RETURNED,
        EXCLUDE: EXCLUDED,
        REOPEN: VOTING,
        REOPEN_WRITTEN: WRITTEN,
        REOPEN_SUBMITTED: SUBMITTED,
        RECOMPUTE: RETURNED,
        REVIEW_AGAIN: VOTING,
        RECALL: VOTING,
    },
    CORRECTED: {
        RETURN: RETURNED,
        APPROVE_SAME: VOTING,
        APPROVE_NEW: VOTING,
        APPROVE_WRITTEN: WRITTEN,
        CORRECT_SAME: CORRECTED,
        CORRECT_NEW: CORRECTED,
        EXCLUDE: EXCLUDED,
        RECOMPUTE: CORRECTED,
    },
    EXCLUDED: {
        RETURN: RETURNED,
        APPROVE: EXCLUDED,
        CORRECT_SAME: EXCLUDED,
        CORRECT_NEW: EXCLUDED,
        ADJUDICATE: ADJUDICATED,
        REOPEN: VOTING,
        REOPEN_WRITTEN: WRITTEN,
        REOPEN_SUBMITTED: SUBMITTED,
        RECOMPUTE: VOTING,
    },
}
TRANSITIONS: Mapping[tuple[str | None, str], str] = {
    (stage, event): target for stage, row in _NEXT_STAGES.items() for event, target in row.items()
} | {(stage, event): stage for stage in STAGES for event in (CLOSE_FLAG, RAISE_FLAGS)}


class IllegalStep(ValueError):
    """An event that the stage does not know; `stage` is None before anything was submitted."""

    def __init__(self, stage: str | None, event: str) -> None:
        self.stage, self.event = stage, event
        super().__init__(f"{event}: not possible from stage {stage or '(none)'}")


def next_stage(stage: str | None, event: str) -> str:
    """Give the stage after one event. Raises `IllegalStep`."""
    try:
        return TRANSITIONS[stage, event]
    except KeyError:
        raise IllegalStep(stage, event) from None


def comes_back(before: str, after: str) -> bool:
    """Say whether people are asked again about an item that they were not to be asked about."""
    return before not in ASKED_STAGES and after in ASKED_STAGES


def is_possible(stage: str | None, event: str) -> bool:
    """Say whether the table knows the step; pages offer only what it does."""
    return (stage, event) in TRANSITIONS


def replay(events: Iterable[str]) -> str:
    """Give the stage that an item's events lead to, from its submission on. Raises `IllegalStep`."""
    stage: str | None = None
    for event in events:
        stage = next_stage(stage, event)
    if stage is None:
        raise IllegalStep(None, "(no events)")
    return stage


def approval_event(*, in_validation: bool, same_meaning: bool) -> str:
    """Name the event by which a lead approves what the writer corrected (ruling 6)."""
    if not in_validation:
        return APPROVE_WRITTEN
    return APPROVE_SAME if same_meaning else APPROVE_NEW


def reopening_event(*, in_validation: bool, unchecked: bool = False) -> str:
    """Name the event by which an item comes back from `excluded`, `returned` or `adjudicated`."""
    if in_validation:
        return REOPEN
    return REOPEN_SUBMITTED if unchecked else REOPEN_WRITTEN


def awaits_first_approval(events: Sequence[str]) -> bool:
    """Say whether an item, by its events in any order, waits for its first approval still (domain.md §5)."""
    return HAND_IN in events and events.count(APPROVE_WRITTEN) == events.count(UNAPPROVE)


def is_excluded_by_votes(events: Iterable[str]) -> bool:
    """Say whether an excluded item, by its events in order, is so by its voters' word and not by a lead's.

    A lead's correction of new meaning takes the votes away: from then on it stays put until a lead reopens it.
    """
    return _last_event_among(events, (EXCLUDE, EXCLUDE_AMBIGUOUS, CORRECT_NEW)) == EXCLUDE_AMBIGUOUS


def is_sent_back_by_reviewers(events: Iterable[str]) -> bool:
    """Say whether reviewers gave a returned item back to its writer, and not a lead: it comes before them again."""
    return _last_event_among(events, RETURNS) == SEND_BACK


def is_returned_by_votes(events: Iterable[str]) -> bool:
    """Say whether a returned item is so by votes that count still; a lead's correction of new meaning ends them."""
    return _last_event_among(events, (*RETURNS, CORRECT_NEW)) == SEND_BACK


def is_settled_by_writer(events: Iterable[str]) -> bool:
    """Say whether a settled item is so because its writer accepted a correction, and not by votes."""
    return _last_event_among(events, (SETTLE, ACCEPT)) == ACCEPT


def _last_event_among(events: Iterable[str], among: Sequence[str]) -> str:
    """The last of these events that happened; empty where none did."""
    last = ""
    for event in events:
        if event in among:
            last = event
    return last
