"""Two-agree-audit as it runs: first votes and decided audits become steps, one after another under the protocol's lock.

The worker takes them in the transaction that decides the items, which it has locked: item → protocol version.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple

from annotation.content.models.item import Item
from annotation.core.database import locked
from annotation.core.models.project import Project, ProtocolVersion
from validation.consensus import audit
from validation.consensus.audit import AuditState, ItemAudit
from validation.consensus.engine import OPEN, Decision
from validation.consensus.protocol import Protocol
from validation.voting.audit_steps import published_key
from validation.voting.models.stopping import StopStep
from validation.voting.models.vote import Vote

_DOUBT_MARKS = {"any": ("unsure", "ambiguous"), "unsure": ("unsure",), "ambiguous": ("ambiguous",)}
FIRST_VOTE_EVENT, OUTCOME_EVENT = "first", "outcome"


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
            self.known[step.item_id] = ItemAudit(step.agrees, step.route, step.q, step.changed), step
        self.new: list[StopStep] = []

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
        self.account, known = audit.apply_first_vote(
            self.plan,
            self.account,
            known,
            panel=audit.is_on_panel(seed, key, self.protocol.panel),
            agrees=agrees,
            doubt=doubt,
            draw=audit.item_draw(seed, key),
        )
        self._add(item, FIRST_VOTE_EVENT, known, doubt)
        return known.route

    def outcome(self, item: Item, decision: Decision) -> None:
        """Take what the audit of an item came to; nothing where that is as it was."""
        known, before = self.known.get(item.pk, (None, None))
        if known is None or before is None or known.route != audit.AUDITED or decision.state == OPEN:
            return
        changed = decision.label != item.author_label
        if known.changed is not changed:
            self.account, known = audit.apply_outcome(self.plan, self.account, known, changed)
            self._add(item, OUTCOME_EVENT, known, before.doubt)

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

    def save(self) -> None:
        """Store the steps that were added."""
        StopStep.objects.bulk_create(self.new)
        self.new = []


def record_first_votes(items: Sequence[Item], votes: Mapping[int, list[Vote]]) -> dict[int, StepRecorder]:
    """Take the first votes of items under protocols with audits, in the order of the votes; each item gets its `route`.

    Votes of files stop nothing: their items are asked as the rounds say. The steps by protocol, for `outcomes`.
    """
    under: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        given = votes[item.pk] if item.protocol.rules.get("alpha") else ()
        if given and not _first_vote(given).imported:
            under[item.protocol_id].append(item)
    found = {}
    for pk, those in sorted(under.items()):
        steps = found[pk] = StepRecorder(those[0].protocol, those)
        for item in sorted(those, key=lambda item: _first_vote(votes[item.pk]).pk):
            item.route = steps.first(item, _first_vote(votes[item.pk]), item.project)
        steps.save()
    return found


def _first_vote(votes: Sequence[Vote]) -> Vote:
    return min(votes, key=lambda vote: (vote.round, vote.n))
