"""Two-agree-audit where outcomes of audits come late: the promise and the bound hold all the same.

Golds that an audit finds changed need more votes than others, so that a late outcome tells something by itself. A
disputed audit therefore counts as changed, and of the other open ones only a few at the rate found so far. Agreements
wait for their draw while so many are open (`audit.HELD`), so that this costs little. Without waiting the promise holds
too (`run_project`), but nearly everything is audited.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from math import sqrt
from statistics import mean, stdev

import pytest

from annotation.core.rules.fields import FieldError
from validation.consensus.audit import AUDITED, TWO_AGREE, AuditState, ItemAudit, Plan, apply_first_vote, apply_outcome
from validation.consensus.protocol import FIRST_AUDIT_RULE, OPEN_AUDITS_COUNT, PRESETS

ALPHA = 0.005
_END = None
# Of audits that change nothing so many are disputed by the next voter all the same.
_MISTAKES = 0.1
Rate = Callable[[float, int], float]
# Share of undoubted agreements with another gold, by the share of the project that is done and by the first voter.
RATES: dict[str, Rate] = {
    "half": lambda share, person: 0.005,
    "two": lambda share, person: 0.02,
    "six": lambda share, person: 0.06,
    "drifting": lambda share, person: 0.01 + 0.05 * share,
    "lazy": lambda share, person: 0.12 if int(share * 20) % 4 == 0 else 0.005,
    "colluding": lambda share, person: 0.25 if person == 0 else 0.005,
}


@dataclass
class Outcome:
    """What became of a project: golds that differ, audits, items that were stopped at two, votes, sessions, and whether
    the bound was below the changes at any time."""

    changed: int = 0
    audited: int = 0
    open: int = 0
    stopped: int = 0
    votes: int = 0
    sessions: int = 0
    missed: bool = False


def run_project(plan: Plan, rate: Rate, delay: int | None, generator: random.Random) -> Outcome:
    """A project in which an audit is decided `delay` items after its first vote (None: after all first votes), nothing
    is known of it before, and every agreement is drawn at once."""
    account, outcome, waiting = AuditState(), Outcome(), list[tuple[int, int, ItemAudit, bool]]()
    for n in range(plan.planned):
        while waiting and waiting[0][0] <= n:
            _, _, known, flips = heappop(waiting)
            account, _ = apply_outcome(plan, account, known, flips)
        flips = generator.random() < rate(n / plan.planned, n // 50 % 4)
        agrees, draw = generator.random() < 0.8, generator.random()
        account, known = apply_first_vote(plan, account, None, panel=False, agrees=agrees, doubt=False, draw=draw)
        if known.route == AUDITED and delay == 0:
            account, _ = apply_outcome(plan, account, known, flips)
        elif known.route == AUDITED:
            due = plan.planned if delay is None else n + delay
            heappush(waiting, (due, n, known, flips))
        outcome.changed += known.route == TWO_AGREE and flips
        outcome.stopped += known.route == TWO_AGREE
        if n % plan.batch == 0:
            outcome.missed |= outcome.changed > account.bound(plan)
    outcome.audited, outcome.missed = account.audited, outcome.missed or outcome.changed > account.bound(plan)
    return outcome


@dataclass
class Later:
    """An item behind its first vote: the votes that it needs, who gave one, and its audit, if it has one."""

    needed: int
    voters: set[int]
    known: ItemAudit | None = None
    flips: bool = False


@dataclass
class Team:
    """Voters who come one after another, by chance, each for a session of up to `session` cards. Audits come first,
    then what has a vote already, then the others (`first_votes_first`: those before anything else).

    An audit needs one more vote, or three where it finds a change; so do items on which the first voter does not agree.
    Where the rule has agreements wait for their draw, they do (`held`).
    """

    plan: Plan
    rate: Rate
    voters: int
    session: int
    generator: random.Random
    first_votes_first: bool = False
    account: AuditState = field(default_factory=AuditState)
    outcome: Outcome = field(default_factory=Outcome)
    audits: list[Later] = field(default_factory=list)
    others: list[Later] = field(default_factory=list)
    held: deque[tuple[bool, int]] = field(default_factory=deque)
    first: int = 0

    def run(self, most_sessions: int = 0) -> Outcome:
        """Let people come until nothing is left, or so often that what is left will stay."""
        account, outcome = self.account, self.outcome
        for _ in range(most_sessions or 100 * self.plan.planned // self.session):
            outcome.sessions += 1
            person, left = self.generator.randrange(self.voters), self.generator.randint(1, self.session)
            while left and self.vote(person):
                outcome.votes += 1
                left -= 1
            if self.first == self.plan.planned and not (self.audits or self.others or self.held):
                break
        account = self.account
        outcome.missed |= outcome.changed > account.bound(self.plan)
        outcome.audited, outcome.open = account.audited, account.audited - account.decided
        return outcome

    def vote(self, person: int) -> bool:
        """One card of this person; whether there was one."""
        if self.first_votes_first and self.vote_first(person):
            return True
        for items in (self.audits, self.others):
            item = next((item for item in items if person not in item.voters), None)
            if item is not None:
                item.voters.add(person)
                item.needed -= 1
                self.take(item)
                if not item.needed:
                    items.remove(item)
                return True
        return self.vote_first(person)

    def take(self, item: Later) -> None:
        """What a further vote makes of an audit: its outcome, or a dispute; then there may be room for draws."""
        if item.known is None:
            return
        if not item.needed:
            self.account, item.known = apply_outcome(self.plan, self.account, item.known, item.flips)
        elif self.plan.holds_draws:
            self.account, item.known = apply_outcome(self.plan, self.account, item.known, None)
        while self.held and self.account.may_draw(self.plan):
            self.draw(*self.held.popleft(), agrees=True)

    def vote_first(self, person: int) -> bool:
        if self.first == self.plan.planned:
            return False
        flips = self.generator.random() < self.rate(self.first / self.plan.planned, person)
        agrees = self.generator.random() < 0.8
        self.first += 1
        if agrees and (self.held or not self.account.may_draw(self.plan)):
            self.held.append((flips, person))
        else:
            self.draw(flips, person, agrees=agrees)
        return True

    def draw(self, flips: bool, person: int, *, agrees: bool) -> None:
        self.account, known = apply_first_vote(
            self.plan, self.account, None, panel=False, agrees=agrees, doubt=False, draw=self.generator.random()
        )
        needed = 3 if flips or not agrees else 1 + (self.generator.random() < _MISTAKES)
        if known.route == AUDITED:
            self.audits.append(Later(needed, {person}, known, flips))
        elif known.route != TWO_AGREE:
            self.others.append(Later(needed, {person}))
        self.outcome.stopped += known.route == TWO_AGREE
        self.outcome.changed += known.route == TWO_AGREE and flips
        if self.account.seen % self.plan.batch == 0:
            self.outcome.missed |= self.outcome.changed > self.account.bound(self.plan)


def share_changed(plan: Plan, outcomes: list[Outcome]) -> tuple[float, float]:
    """The mean share of golds that differ, and its standard error."""
    shares = [outcome.changed / plan.planned for outcome in outcomes]
    return mean(shares), stdev(shares) / sqrt(len(shares))


def assert_promise_kept(plan: Plan, outcomes: list[Outcome]) -> None:
    """At most `alpha` of the golds differ on average (two standard errors aside), the bound fails in at most 5 %."""
    share, error = share_changed(plan, outcomes)
    missed = mean(outcome.missed for outcome in outcomes)
    assert share <= plan.alpha + 2 * error
    assert missed <= 0.05 + 2 * sqrt(0.05 * 0.95 / len(outcomes))


def cells() -> Iterator[object]:
    """Each case of the simulation; those that say something new run always, the others with the long faults."""
    always = {(1000, "six", 500), (1000, "drifting", 100), (1000, "colluding", _END)}
    for planned in (1000, 3000):
        for rate in RATES:
            for delay in (0, 100, 500, _END):
                few = (planned, rate, delay) in always
                marks = () if few else pytest.mark.faults
                yield pytest.param(planned, rate, delay, 40 if few else 60, marks=marks)


@pytest.mark.parametrize(("planned", "rate", "delay", "runs"), list(cells()))
def test_the_promise_holds_when_outcomes_come_late(planned: int, rate: str, delay: int | None, runs: int) -> None:
    plan, generator = Plan(planned, ALPHA), random.Random(f"late-{planned}-{rate}-{delay}")
    assert_promise_kept(plan, [run_project(plan, RATES[rate], delay, generator) for _ in range(runs)])


def team_cells() -> Iterator[object]:
    """Voters, the longest session, the rate, first votes first; those that broke the second version run always."""
    always = {(4, 100, "six", False), (10, 100, "drifting", False), (4, 100, "colluding", True)}
    for voters in (4, 5, 10):
        for session in (25, 100, 250):
            for rate in RATES:
                for first in (False, True):
                    few = (voters, session, rate, first) in always
                    marks = () if few else pytest.mark.faults
                    yield pytest.param(voters, session, rate, first, 20 if few else 60, marks=marks)


@pytest.mark.parametrize(("voters", "session", "rate", "first", "runs"), list(team_cells()))
def test_the_promise_holds_for_teams_in_sessions(voters: int, session: int, rate: str, first: bool, runs: int) -> None:
    plan, generator = Plan(1000, ALPHA), random.Random(f"team-{voters}-{session}-{rate}-{first}")
    outcomes = [Team(plan, RATES[rate], voters, session, generator, first).run() for _ in range(runs)]
    assert_promise_kept(plan, outcomes)
    # Whoever waits is drawn in the end.
    assert {outcome.open for outcome in outcomes} == {0}


def test_the_first_version_of_the_rule_broke_its_word_when_outcomes_came_late() -> None:
    """Why there is a second one: what is still open counted as no change."""
    plan, generator = Plan(1000, ALPHA, rule=FIRST_AUDIT_RULE), random.Random("first-rule")
    outcomes = [run_project(plan, RATES["six"], 500, generator) for _ in range(60)]
    assert mean(outcome.changed for outcome in outcomes) > 1.5 * plan.allowed_changes


@pytest.mark.parametrize(("session", "rate"), [(100, "six"), (250, "six"), (250, "colluding")])
def test_the_second_version_broke_its_word_in_long_sessions(session: int, rate: str) -> None:
    """Why there is a third one: who is not asked again for a hundred cards or more is not audited in time."""
    plan, generator = Plan(1000, ALPHA, rule=OPEN_AUDITS_COUNT), random.Random(f"second-{session}-{rate}")
    outcomes = [Team(plan, RATES[rate], 4, session, generator).run() for _ in range(20)]
    share, error = share_changed(plan, outcomes)
    assert share - 2 * error > plan.alpha


def test_waiting_for_the_draw_saves_what_drawing_at_once_would_cost() -> None:
    """The promise holds either way; but whoever draws a hundred agreements at once audits nearly all of them."""
    plan, generator = Plan(1000, ALPHA), random.Random("waiting")
    at_once = [run_project(plan, RATES["half"], 100, generator) for _ in range(20)]
    waiting = [Team(plan, RATES["half"], 4, 100, generator).run() for _ in range(20)]
    assert mean(outcome.stopped for outcome in waiting) > 2 * mean(outcome.stopped for outcome in at_once)


def test_with_three_voters_an_audit_that_finds_a_change_never_ends() -> None:
    """Why nothing is drawn with fewer than four: what stays open is what would have been a change."""
    outcomes = [Team(Plan(1000, ALPHA), RATES["six"], 3, 25, random.Random(f"three-{n}")).run(150) for n in range(3)]
    assert min(outcome.open for outcome in outcomes) > 0
    with pytest.raises(FieldError, match="4 votes in all"):
        replace(PRESETS["two-agree-audit"], rounds=(1, 1, 1))
