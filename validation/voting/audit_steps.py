"""The steps of two-agree-audit: all of a protocol version in order, and their state."""

from dataclasses import dataclass
from typing import Any

from annotation.content.rules.released_ids import released_id
from annotation.core.models.project import Project, ProtocolVersion
from validation.consensus import audit
from validation.consensus.audit import AuditState, Step
from validation.consensus.protocol import Protocol
from validation.voting.models.stopping import StopStep


def published_key(project: Project, key: str) -> str:
    """The id that an item is drawn by: the one that releases tell, so that whoever has the files can draw again."""
    return released_id(project.secret, key) if project.kind_spec.export.opaque_ids else key


def steps_of(version: ProtocolVersion, last: int | None = None) -> list[tuple[int, str, Step]]:
    """The steps of a version up to number `last`, in their order, each with its item's id and key."""
    rows = StopStep.objects.filter(protocol=version).order_by("n")
    if last is not None:
        rows = rows.filter(n__lte=last)
    columns = ("item_id", "item__key", "event", "doubt", "route", "q", "changed")
    project = version.project
    return [
        (
            item,
            key,
            Step(
                published_key(project, key),
                None if event == "outcome" else route in (audit.TWO_AGREE, audit.AUDITED, audit.DOUBT),
                doubt,
                route,
                q,
                changed,
            ),
        )
        for item, key, event, doubt, route, q, changed in rows.values_list(*columns)
    ]


@dataclass(frozen=True)
class AuditStatus:
    """Where the audits of a project's present protocol stand; `bound` in items, `share` of the planned ones."""

    n: int
    protocol: Protocol
    digest: str
    account: AuditState
    stopped: int

    @property
    def bound(self) -> float | None:
        """At most so many items have another gold, with 95 %; None where nobody said how many are planned."""
        return self.account.bound(audit.plan_of(self.protocol)) if self.protocol.planned else None

    @property
    def figures(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "planned": self.protocol.planned or None,
            "alpha": self.protocol.alpha,
            "seen": self.account.seen,
            "agreed": self.account.agreed,
            "audited": self.account.audited,
            "changed": self.account.changed,
            "bound95": None if self.bound is None else round(self.bound, 4),
        }


def audit_status(version: ProtocolVersion) -> AuditStatus | None:
    """How the audits of a protocol version stand; None where it has none."""
    protocol = Protocol.from_stored(version.rules)
    if not protocol.alpha:
        return None
    last = StopStep.objects.filter(protocol=version).order_by("-n").values_list("account", flat=True).first()
    stopped = version.project.items.filter(protocol=version, route=audit.TWO_AGREE, stage="settled").count()
    return AuditStatus(version.n, protocol, version.digest, AuditState(*last) if last else AuditState(), stopped)
