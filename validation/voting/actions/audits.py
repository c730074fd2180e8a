"""Two-agree-audit as it runs: first votes and decided audits become steps, one after another under the protocol's lock.

The worker takes them in the transaction that decides the items, which it has locked: item → protocol version. An
agreement waits for its draw (`audit.HELD`, no step yet) while several audits are open at which nobody has looked
again, and while the project has too few voters for an audit that finds another gold to end.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from functools import cached_property

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.database import locked
from annotation.core.models.project import Project, ProtocolVersion
from annotation.core.voters import active_voters
from validation.consensus import audit
from validation.consensus.audit import AuditState, ItemAudit
from validation.consensus.engine import OPEN, Decision
from validation.consensus.protocol import FEW_UNSEEN_AUDITS, LEAST_AUDIT_VOTES, Protocol
from validation.voting.audit_steps import UNDECIDED_STAGES, open_audits, published_key, waits_for_draw
from validation.voting.models.stopping import StopStep
from validation.voting.models.vote import Vote

_DOUBT_MARKS = {"any": ("unsure", "ambiguous"), "unsure": ("unsure",), "ambiguous": ("ambiguous",)}
FIRST_VOTE_EVENT, OUTCOME_EVENT = "first", "outcome"
HELD_AT_ONCE = 50


def is_doubtful(vote: Vote, protocol: Protocol) -> bool:
    """Whether the first voter declared what the protocol calls doubt."""
    return any(getattr(vote, mark) for mark in _DOUBT_MARKS[protocol.doubt])


class StepRecorder:
    """The audits of one protocol version, held under its lock while steps are added."""

    def __init__(self, version: ProtocolVersion, items: Sequence[Item]) -> None:
        self.version = locked(ProtocolVersion.objects.filter(pk=version.pk)).get()
        self.protocol = Protocol.from_stored(self.version.rules)
        self.plan = audit.plan_of(self.protocol)
        taken = StopStep.objects.filter(protocol=self.version)
        last = taken.order_by("-n").values_list("n", "account").first()
        self.n, self.account = (last[0], AuditState(*last[1])) if last else (0, AuditState())
        self.known: dict[int, tuple[ItemAudit, StopStep]] = {}
        for step in taken.filter(item__in=items).order_by("n"):
            disputed = step.event == OUTCOME_EVENT and step.changed is None
            self.known[step.item_id] = ItemAudit(step.agrees, step.route, step.q, step.changed, disputed), step
        self.new: list[StopStep] = []

    @cached_property
    def voters(self) -> frozenset[int]:
        """Who may vote in the project now."""
        return frozenset(active_voters(self.version.project_id).values_list("pk", flat=True))

    def _may_draw(self, item: Item) -> bool:
        if not self.plan.holds_draws:
            return True
        return self.account.may_draw(self.plan) and len(self.voters - {item.author_id}) >= LEAST_AUDIT_VOTES

    def first(self, item: Item, vote: Vote, project: Project) -> str:
        """Take an item's first vote, unless it was taken as it is; where it leads the item."""
        agrees, doubt = bool(vote.label) and vote.label == item.author_label, is_doubtful(vote, self.protocol)
        agrees = agrees and item.author_label in project.kind_spec.question.label_keys
        known, before = self.known.get(item.pk, (None, None))
        undoubted = agrees and not doubt
        if known and before and before.epoch == item.epoch and known.route == audit.PANEL:
            return known.route
        if known and before and before.epoch == item.epoch and (known.agrees, before.doubt) == (undoubted, doubt):
            return known.route
        seed, key = audit.seed_of(project.secret, self.version.n), published_key(project, item.key)
        panel = audit.is_on_panel(seed, key, self.protocol.panel)
        if known is None and undoubted and not panel and not self._may_draw(item):
            return audit.HELD
        self.account, known = audit.apply_first_vote(
            self.plan,
            self.account,
            known,
            panel=panel,
            agrees=agrees,
            doubt=doubt,
            draw=audit.item_draw(seed, key),
        )
        self._add(item, FIRST_VOTE_EVENT, known, doubt)
        return known.route

    def outcome(self, item: Item, decision: Decision, votes: Sequence[Vote]) -> None:
        """Take what the audit of an item came to, or that a further vote disputes it; nothing where that is as it was.

        An audit that was decided stays so while votes that were withdrawn are asked for again.
        """
        known, before = self.known.get(item.pk, (None, None))
        if known is None or before is None or known.route != audit.AUDITED:
            return
        changed = None if decision.state == OPEN else decision.label != item.author_label
        if changed is None and not (self.plan.holds_draws and known.changed is None and _is_disputed(item, votes)):
            return
        self.account, after = audit.apply_outcome(self.plan, self.account, known, changed)
        if after != known:
            self._add(item, OUTCOME_EVENT, after, before.doubt)

    def _add(self, item: Item, event: str, known: ItemAudit, doubt: bool) -> None:
        self.n += 1
        step = StopStep(
            protocol=self.version,
            n=self.n,
            item=item,
            epoch=item.epoch,
            event=event,
            agrees=known.agrees,
            doubt=doubt,
            route=known.route,
            q=known.q,
            changed=known.changed,
            account=list(astuple(self.account)),
        )
        self.known[item.pk] = known, step
        self.new.append(step)

    def dispute_all(self) -> None:
        """Count every audit of the items that is open as disputed."""
        for known, before in list(self.known.values()):
            if known.route == audit.AUDITED and known.changed is None:
                self.account, after = audit.apply_outcome(self.plan, self.account, known, None)
                self._add(before.item, OUTCOME_EVENT, after, before.doubt)
        self.save()

    def save(self) -> None:
        """Store the steps that were added."""
        StopStep.objects.bulk_create(self.new)
        self.new = []

    def make_held_due(self) -> int:
        """Make agreements due that can be drawn now, the oldest items first; how many. Each is looked at once more
        before it is drawn, and whoever holds one of them at this instant decides it.
        """
        if not self.plan.holds_draws or not self.account.may_draw(self.plan) or len(self.voters) < LEAST_AUDIT_VOTES:
            return 0
        held = _held_items(self.version)
        if len(self.voters) == LEAST_AUDIT_VOTES:
            held = held.exclude(author__in=self.voters)
        due = [item.pk for item in locked(held, skip=True)[:HELD_AT_ONCE]]
        return Item.objects.filter(pk__in=due).update(due_at=Now()) if due else 0


def _held_items(version: ProtocolVersion) -> QuerySet[Item]:
    """Items whose first agreement waits for its draw, and that nobody decides yet."""
    return Item.objects.filter(waits_for_draw(), protocol=version, due_at=None).order_by("pk")


def make_all_held_due() -> int:
    """Make agreements due that wait for their draw, where people were missing or audits will never end; how many.

    The audit of an item that was taken out of voting gets no outcome: it counts as disputed, and so as changed.
    """
    n = 0
    for version in ProtocolVersion.objects.filter(rules__audit_rule__gte=FEW_UNSEEN_AUDITS, project__closed_at=None):
        if not _held_items(version).exists():
            continue
        unseen = open_audits(StopStep.objects.filter(protocol=version, event=FIRST_VOTE_EVENT))
        gone = unseen.exclude(item__stage__in=UNDECIDED_STAGES).select_related("item")
        with transaction.atomic():
            steps = StepRecorder(version, [step.item for step in gone])
            steps.dispute_all()
            n += steps.make_held_due()
    return n


def _is_disputed(item: Item, votes: Sequence[Vote]) -> bool:
    """Whether a vote after the first is another label than the author's."""
    return any(vote.label != item.author_label for vote in votes if vote is not _first_vote(votes))


def record_first_votes(items: Sequence[Item], votes: Mapping[int, list[Vote]]) -> dict[int, StepRecorder]:
    """Take the first votes of items under protocols with audits, in the order of the votes; each item gets its `route`.

    Votes of files stop nothing: their items are asked as the rounds say. An agreement that is withdrawn waits for no
    draw any more. The steps by protocol, for `outcomes`.
    """
    under: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        given = votes[item.pk] if item.protocol.rules.get("alpha") else ()
        if given and not _first_vote(given).imported:
            under[item.protocol_id].append(item)
        elif item.route == audit.HELD:
            item.route = ""
    found = {}
    for pk, those in sorted(under.items()):
        steps = found[pk] = StepRecorder(those[0].protocol, those)
        for item in sorted(those, key=lambda item: _first_vote(votes[item.pk]).pk):
            item.route = steps.first(item, _first_vote(votes[item.pk]), item.project)
        steps.save()
    return found


def _first_vote(votes: Sequence[Vote]) -> Vote:
    return min(votes, key=lambda vote: (vote.round, vote.n))
