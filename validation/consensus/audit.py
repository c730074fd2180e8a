"""Two-agree-audit: stop where author and first validator agree, but audit a secret draw (docs/administrators.md).

Pure. An item's chance of an audit is fixed when its first vote arrives, from what the audits before it found; each
audit that finds another gold than the author's label makes later audits likelier. So on average at most `alpha` of
the planned items have another gold than five labels would have given, whatever annotators do, and `bound` is an
upper bound of 95 % on their number, valid at any time (Ville's inequality). Everything is a function of the steps in
their order: `check_integrity` and `verify_release` take them again.

That holds where outcomes come late because few audits are ever open without a further vote: agreements behind them
wait for their draw (`HELD`), and whatever is open beyond that, or disputed, is charged as changed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from math import exp, log, log1p
from typing import Any, NamedTuple

from validation.consensus.protocol import AUDIT_RULE, FEW_UNSEEN_AUDITS, OPEN_AUDITS_COUNT, Protocol

TWO_AGREE, AUDITED, DISAGREEMENT, DOUBT, PANEL = "two_agree", "audited", "disagreement", "doubt", "panel"
ROUTES = (TWO_AGREE, AUDITED, DISAGREEMENT, DOUBT, PANEL)
# No route of a step: an agreement that waits for its draw.
HELD = "held"
# So many open audits may be without a further vote before agreements wait for their draw.
MOST_UNSEEN = 5
# The bound holds with 95 %: ln 20 = -ln 0.05. Where no audit finds a change it is at most 1 % of the planned items.
_CONFIDENCE = log(20)
_TARGET, _STEP = 0.01, 0.8
_LEAST, _MOST = 0.05, 0.90
_FASTEST = 3
_PLACES = 4


class Plan(NamedTuple):
    """What was fixed before the first vote: the planned items, the share that may change, items between two looks, and
    the version of the rule (`OPEN_AUDITS_COUNT` and later charge audits that are still open).
    """

    planned: int
    alpha: float
    batch: int = 100
    rule: int = AUDIT_RULE

    @property
    def counts_open(self) -> bool:
        """Whether an open audit counts as changed in the bound, and at the rate found so far in what may change."""
        return self.rule >= OPEN_AUDITS_COUNT

    @property
    def holds_draws(self) -> bool:
        """Whether agreements wait for their draw behind open audits, and disputed audits count as changed."""
        return self.rule >= FEW_UNSEEN_AUDITS

    @property
    def minimum_chance(self) -> float:
        """The least chance of an audit; 1 where nobody said how many items are planned."""
        if not self.planned:
            return 1.0
        wanted = 1 - exp(-_CONFIDENCE / (_STEP * _TARGET * self.planned))
        return min(max(wanted, _LEAST), _MOST)

    @property
    def martingale_exponent(self) -> float:
        """The exponent of the martingale (`lam`)."""
        return -_STEP * log1p(-min(self.minimum_chance, _MOST))

    @property
    def allowed_changes(self) -> float:
        """How many items may have another gold, on average."""
        return self.alpha * self.planned


def plan_of(protocol: Protocol) -> Plan:
    """What a protocol says of audits."""
    return Plan(protocol.planned, protocol.alpha, protocol.batch, protocol.audit_rule)


@dataclass(frozen=True, slots=True)
class AuditState:
    """Where the audits stand after a step: items seen, undoubted agreements, audits drawn, changes that they found.

    `estimated_unseen_changes` estimates the changes that were not audited, `log_martingale` sums the logarithms of the
    martingale, `even_chance` is the chance that spends what is allowed evenly over the items to come. `decided` audits
    have an outcome; what the open ones add to both sums if each finds a change is `open_changes` and `open_log`. Of
    the open ones so many are `disputed`, with `disputed_changes` of `open_changes`: a further vote was another label.
    """

    seen: int = 0
    agreed: int = 0
    audited: int = 0
    changed: int = 0
    estimated_unseen_changes: float = 0.0
    log_martingale: float = 0.0
    even_chance: float = 1.0
    decided: int = 0
    open_changes: float = 0.0
    open_log: float = 0.0
    disputed: int = 0
    disputed_changes: float = 0.0

    @property
    def unseen(self) -> int:
        """How many audits are open and not disputed: nobody has looked at them again, so far as one can tell."""
        return self.audited - self.decided - self.disputed

    def bound(self, plan: Plan) -> float:
        """At most so many items have another gold than five labels would have given, with 95 %."""
        open_log = self.open_log if plan.counts_open else 0.0
        return (self.log_martingale + open_log + _CONFIDENCE) / plan.martingale_exponent

    def unseen_changes(self, plan: Plan) -> float:
        """How many changes nobody audited, on average: disputed audits as changed, other open ones at the rate found so
        far; where agreements wait for their draw, at that rate only `MOST_UNSEEN` of them, and the rest as changed.
        """
        if not plan.counts_open:
            return self.estimated_unseen_changes
        rate = min(1.0, (self.changed + self.disputed + 2) / (self.decided + self.disputed + 2))
        if plan.holds_draws and self.unseen > MOST_UNSEEN:
            rate = (MOST_UNSEEN * rate + self.unseen - MOST_UNSEEN) / self.unseen
        charged = self.disputed_changes + rate * (self.open_changes - self.disputed_changes)
        return self.estimated_unseen_changes + charged

    def may_draw(self, plan: Plan) -> bool:
        """Whether an agreement is drawn now: few audits are unseen, or nothing may change any more in any case."""
        if not plan.holds_draws or self.unseen < MOST_UNSEEN:
            return True
        return self.estimated_unseen_changes >= plan.allowed_changes

    def chance(self, plan: Plan) -> float:
        """With which chance the next undoubted agreement is audited (`q`)."""
        left = max(0.0, plan.allowed_changes - self.unseen_changes(plan))
        return min(1.0, max(plan.minimum_chance, 1 / (1 + left), self.even_chance))

    def with_audit(self, plan: Plan, known: "ItemAudit", sign: int) -> "AuditState":
        """The state with an item's audit added (`sign` 1) or taken back (-1): open, disputed or decided, as it is."""
        if known.route != AUDITED or not known.q:
            return self
        q = known.q
        unseen, log_term = sign * (1 - q) / q, -sign * log((1 - (1 - q) * exp(plan.martingale_exponent)) / q)
        after = replace(self, audited=self.audited + sign)
        if known.changed:
            after = replace(
                after,
                changed=self.changed + sign,
                estimated_unseen_changes=self.estimated_unseen_changes + unseen,
                log_martingale=self.log_martingale + log_term,
            )
        if not plan.counts_open:
            return after
        if known.changed is not None:
            return replace(after, decided=self.decided + sign)
        if known.disputed:
            disputed = self.disputed + sign
            after = replace(
                after, disputed=disputed, disputed_changes=self.disputed_changes + unseen if disputed else 0.0
            )
        # Nothing is left of sums of which every part was taken back: a rest of rounding would stay for good.
        none_open = after.audited == self.decided
        return replace(
            after,
            open_changes=0.0 if none_open else self.open_changes + unseen,
            open_log=0.0 if none_open else self.open_log + log_term,
        )


def audit_figures(plan: Plan, account: AuditState, decided: int) -> dict[str, Any]:
    """The audits in figures, as plain JSON values: `decided` of the audited items have an outcome, the others are open.

    Open audits count as changed in the bound; under the first version of the rule there is none while some are open.
    """
    undecided = account.audited - decided
    return {
        "planned": plan.planned or None,
        "alpha": plan.alpha,
        "seen": account.seen,
        "agreed": account.agreed,
        "audited": account.audited,
        "decided": decided,
        "open": undecided,
        "changed": account.changed,
        "bound95": None
        if not plan.planned or (undecided and not plan.counts_open)
        else round(account.bound(plan), _PLACES),
    }


def count_decided(items: Iterable["ItemAudit"]) -> int:
    """How many audits have an outcome."""
    return sum(each.route == AUDITED and each.changed is not None for each in items)


class ItemAudit(NamedTuple):
    """What the steps say of an item: whether its first vote agreed undoubted, where that led, its chance of an audit
    where it has one, whether its audit found another gold (None: it is not decided, or none), and whether a further
    vote was another label before that."""

    agrees: bool
    route: str
    q: float | None = None
    changed: bool | None = None
    disputed: bool = False


def item_draw(seed: str, key: str) -> float:
    """An item's draw, in [0, 1): the same whoever computes it, once the seed is published."""
    return int(sha256(f"{seed}|{key}".encode()).hexdigest(), 16) / 2**256


def is_on_panel(seed: str, key: str, share: float) -> bool:
    """Whether an item is one of the panel, which always gets all labels."""
    return item_draw(seed, f"panel|{key}") < share


def seed_of(secret: str, n: int) -> str:
    """The seed of a project's protocol version `n`: known to nobody until a release publishes it."""
    return sha256(f"{secret}:two-agree-audit:{n}".encode()).hexdigest()


def commitment(seed: str) -> str:
    """What binds to a seed before it is published."""
    return sha256(seed.encode()).hexdigest()


def apply_first_vote(
    plan: Plan,
    account: AuditState,
    known: ItemAudit | None,
    *,
    panel: bool,
    agrees: bool,
    doubt: bool,
    draw: float,
) -> tuple[AuditState, ItemAudit]:
    """An item's first vote is in: its route, and the account after it.

    Taken again where the first vote was withdrawn (`known` is what stood before): the draw and the chance that an item
    once had stay, so that nobody draws a second time. What the votes before had been audited for is taken back.
    """
    if account.seen % plan.batch == 0 and account.agreed and known is None:
        account = replace(account, even_chance=_audit_chance(plan, account))
    if known is not None:
        account = account.with_audit(plan, known, -1)
    q, undoubted = known.q if known else None, agrees and not doubt and not panel
    if undoubted and q is None:
        q = account.chance(plan)
    if panel:
        route = PANEL
    elif undoubted:
        route = AUDITED if q is not None and draw < q else TWO_AGREE
    else:
        route = DOUBT if agrees else DISAGREEMENT
    account = replace(
        account,
        seen=account.seen + (known is None),
        agreed=account.agreed + undoubted - (known is not None and known.agrees),
    )
    known = ItemAudit(undoubted, route, q)
    return account.with_audit(plan, known, 1), known


def _audit_chance(plan: Plan, account: AuditState) -> float:
    """The probability of an audit that spends the rest evenly, estimated from the audits so far."""
    left = max(plan.batch, plan.planned - account.seen)
    allowed = min(_FASTEST * plan.alpha, (plan.allowed_changes - account.unseen_changes(plan)) / left)
    outcomes = account.decided + account.disputed if plan.counts_open else account.audited
    change_rate = (account.changed + account.disputed + 1) / (outcomes + 1)
    return 1 - allowed / (account.agreed / account.seen * change_rate)


def apply_outcome(
    plan: Plan, account: AuditState, known: ItemAudit, changed: bool | None
) -> tuple[AuditState, ItemAudit]:
    """An audit is decided: whether the gold is another than the author's label; no gold is another.

    What the audit had found before, where it is decided anew, is taken back; None: it is open, and a further vote was
    another label.
    """
    after = known._replace(changed=changed, disputed=plan.holds_draws and (known.disputed or changed is None))
    if after == known:
        return account, known
    return account.with_audit(plan, known, -1).with_audit(plan, after, 1), after


class Step(NamedTuple):
    """A step as tables and files have it: the id that the item is drawn by, and what was written down of it.

    `agrees`: the first voter gave the author's label, doubted or not; None for an audit's outcome, which is not known
    yet (`changed` None) where a further vote was another label.
    """

    key: str
    agrees: bool | None
    doubt: bool
    route: str
    q: float | None
    changed: bool | None


class StepMismatch(NamedTuple):
    """A step that is not what the steps before it give; `found` is what is written down."""

    n: int
    key: str
    found: str
    expected: str


def retake_steps(
    plan: Plan, panel: float, seed: str, steps: Iterable[Step]
) -> tuple[AuditState, dict[str, ItemAudit], list[StepMismatch]]:
    """Take all steps of a protocol version again; where the audits stand, what is known of each item, what differs.

    `seed` may be empty, where it is not published: then who was drawn is taken as it is written down.
    """
    account, items, wrong = AuditState(), dict[str, ItemAudit](), list[StepMismatch]()
    for n, step in enumerate(steps, 1):
        known = items.get(step.key)
        if step.agrees is None:
            if known is None:
                wrong.append(StepMismatch(n, step.key, "an outcome", "no outcome before the item's first vote"))
                continue
            account, known = apply_outcome(plan, account, known, step.changed)
        else:
            if seed:
                drawn_at, on = item_draw(seed, step.key), is_on_panel(seed, step.key, panel)
            else:
                drawn_at, on = (0.0 if step.route == AUDITED else 1.0), step.route == PANEL
            account, known = apply_first_vote(
                plan, account, known, panel=on, agrees=step.agrees, doubt=step.doubt, draw=drawn_at
            )
        items[step.key] = known
        if (known.route, known.q, known.changed) != (step.route, step.q, step.changed):
            found = f"{step.route}, q {step.q}, changed {step.changed}"
            wrong.append(StepMismatch(n, step.key, found, f"{known.route}, q {known.q}, changed {known.changed}"))
    return account, items, wrong
