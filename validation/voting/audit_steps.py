"""The steps of two-agree-audit: all of a protocol version in order, and their state."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.content.rules.released_ids import released_id
from annotation.core.models.project import Project, ProtocolVersion
from validation.consensus import audit, stages
from validation.consensus.audit import AuditState, Step
from validation.consensus.protocol import Protocol
from validation.voting.models.stopping import StopStep

# Where an item may still be voted on, or drawn.
UNDECIDED_STAGES = (stages.SUBMITTED, stages.WRITTEN, stages.VOTING, stages.RETURNED, stages.CORRECTED)


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
    """Where the audits of a protocol version stand; `figures` as plain JSON values, the bound in items."""

    n: int
    protocol: Protocol
    digest: str
    figures: dict[str, Any]
    stopped: int


def audit_status(version: ProtocolVersion) -> AuditStatus | None:
    """How the audits of a protocol version stand; None where it has none."""
    protocol = Protocol.from_stored(version.rules)
    if not protocol.alpha:
        return None
    last = StopStep.objects.filter(protocol=version).order_by("-n").values_list("account", flat=True).first()
    account = AuditState(*last) if last else AuditState()
    figures = audit.audit_figures(
        audit.plan_of(protocol),
        account,
        account.audited - _open_audits(StopStep.objects.filter(protocol=version)).count(),
    )
    stopped = version.project.items.filter(protocol=version, route=audit.TWO_AGREE, stage="settled").count()
    return AuditStatus(version.n, protocol, version.digest, figures, stopped)


def _open_audits(steps: QuerySet[StopStep]) -> QuerySet[StopStep]:
    """Of these the last steps of items whose audit has no outcome."""
    later = StopStep.objects.filter(item=OuterRef("item"), protocol=OuterRef("protocol"), n__gt=OuterRef("n"))
    return steps.filter(~Exists(later), route=audit.AUDITED, changed=None)


def waiting_audits(project: Project | OuterRef) -> QuerySet[StopStep]:
    """The audits of a project that wait for votes; those of items that were taken out of voting get no outcome."""
    return _open_audits(StopStep.objects.filter(protocol__project=project, item__stage__in=UNDECIDED_STAGES))
