"""Two-agree-audit: the rule's numbers, its guarantee over simulated teams, and the published figures by replay."""

import json
import random
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from math import exp, log
from typing import Any

import pytest
from django.core.management import call_command

from tests.data import DATA, needs_data
from validation.consensus.audit import (
    AUDITED,
    DISAGREEMENT,
    DOUBT,
    PANEL,
    TWO_AGREE,
    AuditState,
    ItemAudit,
    Plan,
    Step,
    apply_first_vote,
    apply_outcome,
    commitment,
    is_on_panel,
    item_draw,
    retake_steps,
    seed_of,
)
from validation.consensus.engine import GOLD, NO_CONSENSUS, OPEN, VoteIn, decide
from validation.consensus.protocol import PRESETS, Protocol
from validation.consensus.protocol_costs import case_of, comparable_protocols, prices

PLAN = Plan(1000, 0.005)
AUDITS = PRESETS["two-agree-audit"]


@pytest.mark.parametrize(("planned", "least"), [(0, 1.0), (10, 0.9), (1000, 1 - exp(-log(20) / 8)), (100_000, 0.05)])
def test_the_least_chance_follows_the_planned_items(planned: int, least: float) -> None:
    assert Plan(planned, 0.005).minimum_chance == pytest.approx(least)


def test_without_a_change_the_bound_is_one_percent() -> None:
    assert AuditState().bound(PLAN) == pytest.approx(10)


def first(account: AuditState, known: ItemAudit | None = None, **how: object) -> tuple[AuditState, ItemAudit]:
    said = {"panel": False, "agrees": True, "doubt": False, "draw": 1.0, **how}
    return apply_first_vote(PLAN, account, known, **said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("how", "route", "chance"),
    [
        ({}, TWO_AGREE, True),
        ({"draw": 0.0}, AUDITED, True),
        ({"agrees": False}, DISAGREEMENT, False),
        ({"doubt": True}, DOUBT, False),
        ({"agrees": False, "doubt": True}, DISAGREEMENT, False),
        ({"panel": True, "draw": 0.0}, PANEL, False),
    ],
)
def test_where_a_first_vote_leads(how: dict[str, Any], route: str, chance: bool) -> None:
    account, known = first(AuditState(), **how)
    assert (known.route, known.q is not None) == (route, chance)
    assert (account.seen, account.agreed, account.audited) == (1, int(chance), int(route == AUDITED))


def test_a_first_vote_taken_again_keeps_its_chance_and_takes_back_what_it_counted() -> None:
    start = AuditState(seen=1, agreed=1, even_chance=0.0)
    account, known = first(start, draw=0.0)
    account, known = apply_outcome(PLAN, account, known, True)
    assert (account.changed, account.estimated_unseen_changes > 0, account.log_martingale < 0) == (
        1,
        True,
        False,
    )
    other, second = first(account, known, agrees=False, draw=0.0)
    assert (second.route, second.q, second.changed) == (DISAGREEMENT, known.q, None)
    assert (other.seen, other.agreed, other.audited, other.changed) == (2, 1, 0, 0)
    assert (other.estimated_unseen_changes, other.log_martingale) == pytest.approx((0, 0))
    again, third = first(other, second, draw=0.0)
    assert (third.route, third.q, again.audited) == (AUDITED, known.q, 1)


@pytest.mark.parametrize(("changes", "end"), [(False, PLAN.minimum_chance), (True, 1 - 3 * PLAN.alpha)])
def test_the_chance_follows_what_audits_find(changes: bool, end: float) -> None:
    """Everything is audited before the first look at what audits find."""
    account, chances = AuditState(), []
    for n in range(1000):
        account, known = first(account, draw=0.0 if n % 3 == 0 else 0.9999)
        chances.append(known.q or 0)
        if known.route == AUDITED:
            account, _ = apply_outcome(PLAN, account, known, changes)
    assert set(chances[:100]) == {1.0}
    assert chances[-1] == pytest.approx(end, abs=0.001)
    # Between two looks it only ever rises: what is spent never comes back.
    assert all(later >= sooner for n, (sooner, later) in enumerate(pairwise(chances), 1) if n % 100)


def test_an_outcome_twice_is_one() -> None:
    account, known = first(AuditState(), draw=0.0)
    once, found = apply_outcome(PLAN, account, known, True)
    assert apply_outcome(PLAN, once, found, True) == (once, found)
    back, _ = apply_outcome(PLAN, once, found, False)
    assert back.changed == 0
    assert back.log_martingale == pytest.approx(0)


@pytest.mark.parametrize("drift", ["none", "late", "early"])
def test_the_guarantee_holds_whatever_annotators_do(drift: str) -> None:
    """Over 200 projects of 1,000 items: changed golds on average at most alpha, the bound missed in at most 5 %."""
    changed, missed, generator = 0, 0, random.Random(f"audit-{drift}")
    for _ in range(200):
        account, wrong = AuditState(), 0
        for n in range(PLAN.planned):
            rate = {"none": 0.03, "late": 0.2 if n > 800 else 0.001, "early": 0.2 if n < 100 else 0.0}[drift]
            flips = generator.random() < rate
            account, known = first(account, agrees=generator.random() < 0.8, draw=generator.random())
            if known.route == AUDITED:
                account, _ = apply_outcome(PLAN, account, known, flips)
            wrong += known.route == TWO_AGREE and flips
        changed += wrong
        missed += wrong > account.bound(PLAN)
    assert changed / 200 <= 1.05 * PLAN.allowed_changes
    assert missed <= 10


def test_draws_are_bound_to_a_seed() -> None:
    seed = seed_of("secret", 2)
    assert seed != seed_of("secret", 1)
    assert len(commitment(seed)) == 64
    assert item_draw(seed, "a") == item_draw(seed, "a") != item_draw(seed, "b")
    share = sum(is_on_panel(seed, str(n), 0.05) for n in range(4000)) / 4000
    assert 0.04 < share < 0.06


def steps_taken(seed: str) -> list[Step]:
    account, steps = AuditState(), []
    for n in range(300):
        key, agrees, doubt = f"item-{n}", n % 5 != 0, n % 7 == 0
        account, known = apply_first_vote(
            PLAN,
            account,
            None,
            panel=is_on_panel(seed, key, 0.05),
            agrees=agrees,
            doubt=doubt,
            draw=item_draw(seed, key),
        )
        steps.append(Step(key, agrees, doubt, known.route, known.q, None))
        if known.route == AUDITED:
            account, known = apply_outcome(PLAN, account, known, n % 11 == 0)
            steps.append(Step(key, None, doubt, known.route, known.q, known.changed))
    return steps


@pytest.mark.parametrize("published", [True, False])
def test_steps_are_taken_again_with_and_without_the_seed(published: bool) -> None:
    steps = steps_taken("seed")
    account, known, wrong = retake_steps(PLAN, 0.05, "seed" if published else "", steps)
    assert wrong == []
    assert (account.seen, len(known)) == (300, 300)
    assert {each.route for each in known.values()} == {TWO_AGREE, AUDITED, DISAGREEMENT, DOUBT, PANEL}


@pytest.mark.parametrize("how", [{"route": TWO_AGREE}, {"q": 0.5}, {"agrees": False}, {"doubt": True}])
def test_a_step_that_was_altered_is_found(how: dict[str, object]) -> None:
    steps = steps_taken("seed")
    at = next(n for n, step in enumerate(steps) if step.route == AUDITED and step.agrees and n > 20)
    steps[at] = steps[at]._replace(**how)  # type: ignore[arg-type]
    assert retake_steps(PLAN, 0.05, "seed", steps)[2][0].n == at + 1


# route, author and votes → state, label, counted
DECIDED = [
    (TWO_AGREE, "e", "e", GOLD, "e", 1),
    (TWO_AGREE, "e", "een", GOLD, "e", 1),
    (TWO_AGREE, "e", "n", OPEN, None, 1),
    (AUDITED, "e", "e", OPEN, None, 1),
    (AUDITED, "e", "ee", GOLD, "e", 2),
    (AUDITED, "e", "enn", OPEN, None, 3),
    (AUDITED, "e", "ennn", GOLD, "n", 4),
    (DISAGREEMENT, "e", "nn", OPEN, None, 2),
    (DISAGREEMENT, "e", "nnn", GOLD, "n", 3),
    (DOUBT, "e", "encc", NO_CONSENSUS, None, 4),
    (PANEL, "e", "ee", OPEN, None, 2),
    (PANEL, "e", "eeen", GOLD, "e", 4),
    ("", "e", "e", OPEN, None, 1),
]


@pytest.mark.parametrize(("route", "author", "given", "state", "label", "counted"), DECIDED)
def test_what_the_engine_makes_of_a_route(
    route: str, author: str, given: str, state: str, label: str | None, counted: int
) -> None:
    votes = [VoteIn(each, f"V{n}", n + 1, n) for n, each in enumerate(given)]
    found = decide(AUDITS, author, votes, ("e", "n", "c"), route=route)
    assert (found.state, found.label, len(found.counted)) == (state, label, counted)


def test_a_label_outside_the_scheme_never_agrees() -> None:
    found = decide(AUDITS, "x", [VoteIn("x", "V1", 1, 1)], ("e", "n", "c"), route=TWO_AGREE)
    assert found.state == OPEN


BAD = [
    ({"author": "none"}, "first vote"),
    ({"plurality": True}, "first vote"),
    ({"rounds": (2, 1, 1)}, "first round of one vote"),
    ({"rounds": (1,), "quorum": 2}, "first round of one vote"),
    ({"quorum": 2}, "quorum of three"),
    ({"alpha": 0.2}, "0.05"),
    ({"panel": 1.5}, "1"),
    ({"batch": 0}, "1"),
]


@pytest.mark.parametrize(("change", "reason"), BAD)
def test_protocols_that_cannot_stop_at_two(change: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Protocol.from_dict({**AUDITS.to_dict(), **change})


def test_rules_of_audits_stand_in_the_title_and_in_the_hash() -> None:
    planned = replace(AUDITS, planned=900)
    assert "at most 0.005 of 900 planned" in planned.title
    assert len({AUDITS.digest, planned.digest, replace(planned, commitment="c").digest}) == 3


def test_costs_compare_audits_with_the_other_protocols() -> None:
    """Eighty of a hundred agree at once: two labels each, but for audits; rounds of two cost three each."""
    own = PRESETS["incremental-3-5"]
    told = ["ee"] * 160 + ["nnn"] * 20 + ["nee"] * 20
    cases: dict[object, int] = {}
    for given in told:
        votes = [VoteIn(label, f"V{n}", 0, n) for n, label in enumerate(given)]
        case = case_of(0, "e", votes)
        cases[case] = cases.get(case, 0) + 1
    compared = comparable_protocols(own, ("e", "n", "c"), authors=True)
    found = {price.protocol.name: price for price in prices(cases, {0: own}, compared, ("e", "n", "c"))}  # type: ignore[arg-type]
    audits, rounds = found["two-agree-audit"], found[own.name]
    assert audits.items == audits.priced == audits.known == 200
    assert (rounds.labels, audits.same_gold) == (160 * 3 + 40 * 4, 200)
    assert 160 * 2 + 40 * 4 <= audits.labels < rounds.labels


def test_an_outcome_that_was_altered_moves_the_account() -> None:
    """What an audit found is compared with the item's gold by whoever has it (`verify_release`)."""
    steps = steps_taken("seed")
    at = next(n for n, step in enumerate(steps) if step.agrees is None)
    before, _, wrong = retake_steps(PLAN, 0.05, "seed", steps)
    steps[at] = steps[at]._replace(changed=not steps[at].changed)
    after, _, _ = retake_steps(PLAN, 0.05, "seed", steps)
    assert wrong == []
    assert abs(after.changed - before.changed) == 1


EXPECTED = DATA / "expected" / "stopping.json"
FILES = {
    "expert_replay": ("indonli/expert_replay.jsonl", "given"),
    "ocnli_dev_1000": ("nli5/ocnli_dev_1000.jsonl", "drawn"),
    "chaosnli_snli": ("nli5/chaosnli_snli.jsonl", "drawn"),
    "human_gen_ind": ("idcsqa/human_gen_ind.json", "drawn"),
}


@needs_data
@pytest.mark.data
@pytest.mark.parametrize("name", FILES)
def test_replay_gives_the_published_figures(name: str) -> None:
    """The integers of run 0 and the means of 200 runs (design of the protocol, data/expected/stopping.json)."""
    expected, (file, orders) = json.loads(EXPECTED.read_text())[name], FILES[name]
    said = ("--protocol", "two-agree-audit", "--seed", "stop-2026-1", "--run", "0", "--runs", "200")
    out = StringIO()
    call_command("replay", str(DATA / file), *said, "--name", name, "--orders", orders, "--json", stdout=out)
    found = json.loads(out.getvalue())
    bound = expected["run_0"].pop("bound")
    assert found["run"].pop("bound") == pytest.approx(bound, abs=0.005)
    assert found["run"] == expected["run_0"]
    assert found["mean"] == pytest.approx(expected["mean_of_200"], abs=0.005)
    assert found["three_equal_saving"] == pytest.approx(expected["three_equal_saving"], abs=0.005)
    assert found["runs_bound_missed"] == expected["runs_bound_missed"]
