"""The stages of an item, as one table: (stage, event) → stage. An item's stage is the replay of its events.

The next stage follows from the present one and the event alone, nothing else is remembered. Where an item can come
from outside validation or from within (it was returned, or excluded), the event says where it goes: `approve_same`,
`approve_new` and `reopen` put it before the voters, `approve_written` and `reopen_written` among the items that
nobody votes on. `approval` and `reopening` choose the name. Rows are stages, `·` stays, empty is illegal:

| stage        | submit  | revise | open   | ask | settle  | end          | return   | resubmit  |
|--------------|---------|--------|--------|-----|---------|--------------|----------|-----------|
| (none)       | written |        |        |     |         |              |          |           |
| written      |         | ·      | voting |     |         |              | returned |           |
| voting       |         | ·      |        | ·   | settled | no_consensus | returned |           |
| settled      |         |        |        |     |         |              | returned |           |
| no_consensus |         |        |        |     |         |              | returned |           |
| adjudicated  |         |        |        |     |         |              |          |           |
| returned     |         |        |        |     |         |              |          | corrected |
| corrected    |         |        |        |     |         |              | returned |           |
| excluded     |         |        |        |     |         |              |          |           |

| stage        | approve | approve_same, approve_new | approve_written | correct_same | correct_new |
|--------------|---------|---------------------------|-----------------|--------------|-------------|
| written      | ·       |                           |                 | ·            | ·           |
| voting       | ·       |                           |                 | ·            | ·           |
| settled      | ·       |                           |                 | ·            | voting      |
| no_consensus | ·       |                           |                 | ·            | voting      |
| adjudicated  | ·       |                           |                 | ·            | voting      |
| returned     |         |                           |                 | ·            | ·           |
| corrected    |         | voting                    | written         | ·            | ·           |
| excluded     |         |                           |                 | ·            | ·           |

| stage        | adjudicate  | exclude  | reopen | reopen_written | recompute |
|--------------|-------------|----------|--------|----------------|-----------|
| written      |             | excluded |        |                |           |
| voting       | adjudicated | excluded |        |                | ·         |
| settled      | adjudicated | excluded |        |                | voting    |
| no_consensus | adjudicated | excluded |        |                | voting    |
| adjudicated  | ·           | excluded | voting |                | ·         |
| returned     |             | excluded | voting | written        | ·         |
| corrected    |             | excluded |        |                | ·         |
| excluded     |             |          | voting | written        | ·         |

- `approve` closes flags and changes no label (domain.md §8). What a writer corrected is approved by naming the
  meaning (ruling 6): on the same one the votes stay and the item, in `voting`, is computed anew at once and settles
  without a further vote where it had settled; a new one starts an epoch and asks the first round.
- A lead's correction is legal everywhere, since a premise is shared by pairs in every stage (ruling 7). Where nobody
  is being asked (returned, corrected, excluded) the item stays put; it is asked again when it comes back.
- `revise` in `voting` is the writer's until the first lease (ruling 14); that the lease has not begun is the action's
  to see. `adjudicate` needs an item that validation has begun on: a pair never voted on has its author label.
- `reopen` undoes an exclusion, an adjudication, or a return whose writer has not answered yet: the item is computed
  anew from its standing votes.
- `recompute`: a vote was taken back or voided (rulings 4, 5), so the item asks again; where a person's word stands
  (adjudicated, returned, corrected, excluded) that keeps standing.
"""

from collections.abc import Iterable, Mapping


def gettext_noop(message: str) -> str:
    """Mark a text for translation where it stands; templates translate it where it is shown."""
    return message


SUBMITTED = "submitted"
WRITTEN, VOTING, SETTLED, NO_CONSENSUS = "written", "voting", "settled", "no_consensus"
ADJUDICATED, RETURNED, CORRECTED, EXCLUDED = "adjudicated", "returned", "corrected", "excluded"

HAND_IN = "hand_in"
SUBMIT, REVISE, OPEN, ASK, SETTLE, END = "submit", "revise", "open", "ask", "settle", "end"
RETURN, RESUBMIT, APPROVE = "return", "resubmit", "approve"
APPROVE_SAME, APPROVE_NEW, APPROVE_WRITTEN = "approve_same", "approve_new", "approve_written"
CORRECT_SAME, CORRECT_NEW, ADJUDICATE, EXCLUDE = "correct_same", "correct_new", "adjudicate", "exclude"
REOPEN, REOPEN_WRITTEN, RECOMPUTE = "reopen", "reopen_written", "recompute"

STAGE_NAMES: Mapping[str, str] = {
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
    REVISE: gettext_noop("revised by the writer"),
    OPEN: gettext_noop("validation began"),
    ASK: gettext_noop("another round asked for"),
    SETTLE: gettext_noop("gold label found"),
    END: gettext_noop("ended without consensus"),
    RETURN: gettext_noop("returned to the writer"),
    RESUBMIT: gettext_noop("corrected by the writer"),
    APPROVE: gettext_noop("approved"),
    APPROVE_SAME: gettext_noop("correction approved: same meaning, votes stay"),
    APPROVE_NEW: gettext_noop("correction approved: new meaning, validation starts again"),
    APPROVE_WRITTEN: gettext_noop("correction approved"),
    CORRECT_SAME: gettext_noop("corrected: same meaning, votes stay"),
    CORRECT_NEW: gettext_noop("corrected: new meaning, validation starts again"),
    ADJUDICATE: gettext_noop("adjudicated"),
    EXCLUDE: gettext_noop("excluded"),
    REOPEN: gettext_noop("reopened"),
    REOPEN_WRITTEN: gettext_noop("taken in again"),
    RECOMPUTE: gettext_noop("computed anew after a vote was withdrawn"),
}
EVENTS = tuple(EVENT_NAMES)

# The events after which votes count afresh; every other one keeps the epoch.
STARTS_EPOCH = frozenset({CORRECT_NEW, APPROVE_NEW})

_FROM: Mapping[str | None, Mapping[str, str]] = {
    None: {SUBMIT: WRITTEN},
    WRITTEN: {
        REVISE: WRITTEN,
        OPEN: VOTING,
        RETURN: RETURNED,
        APPROVE: WRITTEN,
        CORRECT_SAME: WRITTEN,
        CORRECT_NEW: WRITTEN,
        EXCLUDE: EXCLUDED,
    },
    VOTING: {
        REVISE: VOTING,
        ASK: VOTING,
        SETTLE: SETTLED,
        END: NO_CONSENSUS,
        RETURN: RETURNED,
        APPROVE: VOTING,
        CORRECT_SAME: VOTING,
        CORRECT_NEW: VOTING,
        ADJUDICATE: ADJUDICATED,
        EXCLUDE: EXCLUDED,
        RECOMPUTE: VOTING,
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
        RECOMPUTE: RETURNED,
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
        CORRECT_SAME: EXCLUDED,
        CORRECT_NEW: EXCLUDED,
        REOPEN: VOTING,
        REOPEN_WRITTEN: WRITTEN,
        RECOMPUTE: EXCLUDED,
    },
}
TABLE: Mapping[tuple[str | None, str], str] = {
    (stage, event): target for stage, row in _FROM.items() for event, target in row.items()
}


class IllegalStep(ValueError):
    """An event that the stage does not know; `stage` is None before anything was submitted."""

    def __init__(self, stage: str | None, event: str) -> None:
        self.stage, self.event = stage, event
        super().__init__(f"{event}: not possible from stage {stage or '(none)'}")


def step(stage: str | None, event: str) -> str:
    """Give the stage after one event. Raises `IllegalStep`."""
    try:
        return TABLE[stage, event]
    except KeyError:
        raise IllegalStep(stage, event) from None


def can(stage: str | None, event: str) -> bool:
    """Say whether the table knows the step; pages offer only what it does."""
    return (stage, event) in TABLE


def replay(events: Iterable[str]) -> str:
    """Give the stage that an item's events lead to, from its submission on. Raises `IllegalStep`."""
    stage: str | None = None
    for event in events:
        stage = step(stage, event)
    if stage is None:
        raise IllegalStep(None, "(no events)")
    return stage


def approval(*, in_validation: bool, same_meaning: bool) -> str:
    """Name the event by which a lead approves what the writer corrected (ruling 6)."""
    if not in_validation:
        return APPROVE_WRITTEN
    return APPROVE_SAME if same_meaning else APPROVE_NEW


def reopening(*, in_validation: bool) -> str:
    """Name the event by which an item comes back from `excluded`, `returned` or `adjudicated`."""
    return REOPEN if in_validation else REOPEN_WRITTEN
