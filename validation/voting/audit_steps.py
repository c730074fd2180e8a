"""The steps of two-agree-audit: all of a protocol version in order, and their state."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.content.rules.released_ids import released_id
from annotation.core.models.project import Project, ProtocolVersion
from annotation.core.voters import voters_besides_writer
from validation.consensus import audit, stages
from validation.consensus.audit import AuditState, Step
from validation.consensus.protocol import LEAST_AUDIT_VOTES, Protocol
from validation.voting.models.stopping import StopStep
from validation.voting.models.vote import Vote

# Where an item may still be voted on, or drawn.
UNDECIDED_STAGES = (stages.SUBMITTED, stages.WRITTEN, stages.VOTING, stages.RETURNED, stages.CORRECTED)


def waits_for_draw() -> Q:
    """Of items those whose first agreement waits for its draw: its vote stands."""
    standing = Vote.objects.filter(item=OuterRef("pk"), epoch=OuterRef("epoch"), withdrawn_at=None)
    return Q(Exists(standing), route=audit.HELD, stage=stages.VOTING)


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
    """Where the audits of a protocol version stand; `figures` as plain JSON values, the bound in items.

    `held` agreements wait for their draw; `voters` are the people who may vote now, the writer of an item aside.
    `draws`: none of the open audits holds up the next draw.
    """

    n: int
    protocol: Protocol
    digest: str
    figures: dict[str, Any]
    stopped: int
    held: int
    voters: int
    draws: bool

    @property
    def share_changed(self) -> float | None:
        """Of a hundred decided audits so many changed the gold; None where none is decided."""
        decided = self.figures["decided"]
        return 100 * self.figures["changed"] / decided if decided else None

    @property
    def allowed_percent(self) -> float:
        """How many of a hundred planned items may have another gold, on average."""
        return 100 * self.protocol.alpha

    @property
    def lacks_voters(self) -> bool:
        """Whether an audit that finds another gold could not end: then nothing is drawn."""
        return audit.plan_of(self.protocol).holds_draws and self.voters < LEAST_AUDIT_VOTES


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
        account.audited - open_audits(StopStep.objects.filter(protocol=version)).count(),
    )
    routes = version.project.items.filter(protocol=version).aggregate(
        stopped=Count("pk", filter=Q(route=audit.TWO_AGREE, stage=stages.SETTLED)),
        held=Count("pk", filter=waits_for_draw()),
    )
    voters, draws = voters_besides_writer(version.project_id), account.may_draw(audit.plan_of(protocol))
    return AuditStatus(version.n, protocol, version.digest, figures, **routes, voters=voters, draws=draws)


def open_audits(steps: QuerySet[StopStep]) -> QuerySet[StopStep]:
    """Of these the last steps of items whose audit has no outcome."""
    later = StopStep.objects.filter(item=OuterRef("item"), protocol=OuterRef("protocol"), n__gt=OuterRef("n"))
    return steps.filter(~Exists(later), route=audit.AUDITED, changed=None)


def waiting_audits(project: Project | OuterRef) -> QuerySet[StopStep]:
    """The audits of a project that wait for votes; those of items that were taken out of voting get no outcome."""
    return open_audits(StopStep.objects.filter(protocol__project=project, item__stage__in=UNDECIDED_STAGES))
