"""The stage table: equal to the one in its docstring, closed, and walked as people walk it."""

import pytest

from validation.consensus import stages
from validation.consensus.stages import (
    EVENT_NAMES,
    STAGE_NAMES,
    TRANSITIONS,
    IllegalStep,
    is_possible,
    next_stage,
    replay,
)


def documented() -> dict[tuple[str | None, str], str]:
    """Read the tables of the module's docstring: rows are stages, columns events."""
    found: dict[tuple[str | None, str], str] = {}
    columns: list[list[str]] = []
    for line in (stages.__doc__ or "").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or set(cells[0]) == {"-"}:
            continue
        if cells[0] == "stage":
            columns = [cell.split(", ") for cell in cells[1:]]
            continue
        stage = None if cells[0] == "(none)" else cells[0]
        for names, target in zip(columns, cells[1:], strict=True):
            for name in names:
                if target:
                    found[stage, name] = cells[0] if target == "·" else target
    return found


def test_the_docstring_is_the_table():
    assert documented() == TRANSITIONS


def test_every_stage_and_event_has_a_name_and_a_use():
    assert {stage for stage, _ in TRANSITIONS} == {None, *STAGE_NAMES}
    assert {event for _, event in TRANSITIONS} == set(EVENT_NAMES)
    assert set(TRANSITIONS.values()) == set(STAGE_NAMES)
    assert set(EVENT_NAMES) >= stages.STARTS_EPOCH


@pytest.mark.parametrize("stage", [None, *STAGE_NAMES])
@pytest.mark.parametrize("event", EVENT_NAMES)
def test_every_pair_steps_or_is_refused(stage, event):
    if is_possible(stage, event):
        assert next_stage(stage, event) == TRANSITIONS[stage, event]
    else:
        with pytest.raises(IllegalStep) as caught:
            next_stage(stage, event)
        assert (caught.value.stage, caught.value.event) == (stage, event)
        assert event in str(caught.value)


# what happened → where the item stands
WALKS = [
    ("submit", "written"),
    ("submit revise revise", "written"),
    ("submit open revise", "voting"),
    ("submit open ask ask settle", "settled"),
    ("submit open ask ask end", "no_consensus"),
    ("submit open settle approve", "settled"),
    ("submit open end approve", "no_consensus"),
    # a vote taken back asks anew, also after gold; a person's word keeps standing
    ("submit open settle recompute", "voting"),
    ("submit open end adjudicate recompute", "adjudicated"),
    # ... but for what the system excluded itself: that is computed anew
    ("submit open exclude_ambiguous", "excluded"),
    ("submit open ask exclude_ambiguous approve", "excluded"),
    ("submit open exclude_ambiguous recompute settle", "settled"),
    ("submit open settle recompute exclude_ambiguous", "excluded"),
    ("submit open exclude_ambiguous adjudicate", "adjudicated"),
    ("submit open exclude_ambiguous return resubmit approve_new", "voting"),
    ("submit open exclude_ambiguous correct_new reopen settle", "settled"),
    # handed in, checked first: written only by an approval, whatever happens on the way
    ("hand_in", "submitted"),
    ("hand_in revise correct_same correct_new", "submitted"),
    ("hand_in approve_written open", "voting"),
    ("hand_in return resubmit", "corrected"),
    ("hand_in return resubmit return resubmit approve_written open settle", "settled"),
    ("hand_in return reopen_submitted", "submitted"),
    ("hand_in exclude reopen_submitted", "submitted"),
    ("hand_in return resubmit exclude reopen_submitted return", "returned"),
    ("submit open settle recompute settle", "settled"),
    # returned, corrected, checked: the meaning decides whether votes stay, not where the item goes
    ("submit open settle return", "returned"),
    ("submit open settle return resubmit", "corrected"),
    ("submit open settle return resubmit return resubmit", "corrected"),
    ("submit open settle return resubmit approve_same settle", "settled"),
    ("submit open settle return resubmit approve_new", "voting"),
    ("submit return resubmit approve_written", "written"),
    ("submit return reopen_written", "written"),
    ("submit open return reopen", "voting"),
    ("submit open ask recompute return recompute resubmit recompute", "corrected"),
    # a lead corrects
    ("submit correct_new", "written"),
    ("submit open correct_new", "voting"),
    ("submit open settle correct_same", "settled"),
    ("submit open settle correct_new", "voting"),
    ("submit open end correct_new settle", "settled"),
    ("submit open end adjudicate correct_new", "voting"),
    ("submit open return correct_new resubmit correct_same approve_new", "voting"),
    # the lead settles, excludes, and takes it back
    ("submit open end adjudicate adjudicate", "adjudicated"),
    ("submit open end adjudicate reopen end", "no_consensus"),
    ("submit exclude reopen_written open", "voting"),
    ("submit open settle exclude correct_same reopen settle", "settled"),
    ("submit open end adjudicate exclude", "excluded"),
    # reviewers send back, correct, and the writer answers
    ("submit open send_back review_again ask settle", "settled"),
    ("submit open send_back recall settle", "settled"),
    ("submit open take_correction ask settle", "settled"),
    ("submit open take_correction ask dispute take_correction ask accept", "settled"),
    ("submit open take_correction accept return resubmit approve_new settle", "settled"),
    ("submit open send_back exclude reopen settle", "settled"),
]


@pytest.mark.parametrize(("events", "stage"), WALKS)
def test_replay(events, stage):
    assert replay(events.split()) == stage


@pytest.mark.parametrize(
    "events",
    [
        "",
        "open",
        "submit submit",
        "submit settle",
        "submit adjudicate",
        "submit approve_same",
        "submit open settle revise",
        "submit open settle settle",
        "submit open end adjudicate settle",
        "submit hand_in",
        "hand_in submit",
        "hand_in open",
        "hand_in approve",
        "hand_in approve_same",
        "hand_in adjudicate",
        "hand_in return open",
        "submit open settle exclude_ambiguous",
        "submit open settle exclude exclude",
        "submit open return approve",
        "submit open return resubmit approve",
        "submit open return resubmit open",
        "submit exclude open",
        "submit vanish",
    ],
)
def test_what_cannot_happen(events):
    with pytest.raises(IllegalStep):
        replay(events.split())


@pytest.mark.parametrize(
    ("in_validation", "same_meaning", "event"),
    [
        (True, True, "approve_same"),
        (True, False, "approve_new"),
        (False, True, "approve_written"),
        (False, False, "approve_written"),
    ],
)
def test_the_name_of_an_approval(in_validation, same_meaning, event):
    assert stages.approval_event(in_validation=in_validation, same_meaning=same_meaning) == event


def test_the_name_of_a_reopening():
    assert stages.reopening_event(in_validation=True) == "reopen"
    assert stages.reopening_event(in_validation=False) == "reopen_written"
    assert stages.reopening_event(in_validation=False, unchecked=True) == "reopen_submitted"


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        ("submit", False),
        ("hand_in", True),
        ("hand_in return resubmit exclude", True),
        ("hand_in approve_written", False),
        ("hand_in return resubmit approve_written return resubmit", False),
    ],
)
def test_what_waits_for_its_first_approval(events, waits):
    assert stages.awaits_first_approval(events.split()) is waits


@pytest.mark.parametrize(
    ("events", "decided_by_votes"),
    [
        ("submit", False),
        ("submit open exclude_ambiguous", True),
        ("submit open exclude", False),
        ("submit open exclude_ambiguous approve", True),
        ("submit open exclude_ambiguous adjudicate exclude", False),
        ("submit open exclude reopen exclude_ambiguous", True),
        ("submit open exclude_ambiguous correct_same", True),
        ("submit open exclude_ambiguous correct_new", False),
    ],
)
def test_who_excluded(events, decided_by_votes):
    assert stages.is_excluded_by_votes(events.split()) is decided_by_votes
