"""The audits of a project in a release: their steps, frozen with the rows, and their files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import Coalesce

from annotation.content.models.item import Item
from annotation.core.database import locked
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, ProtocolVersion
from exports.formats.writers import encode, write_bytes
from exports.releases.rules.hidden import hidden_path
from exports.releases.rules.manifest import AUDITS
from validation.consensus import audit
from validation.consensus.audit import AuditState, Step
from validation.consensus.protocol import Protocol
from validation.voting.audit_steps import UNDECIDED_STAGES, steps_of
from validation.voting.models.stopping import StopStep
from validation.voting.models.vote import Vote


def freeze_protocols(project: Project) -> list[ProtocolVersion]:
    """The versions of the protocol, each with `votes_before` it was sealed and whether the project `holds_imported`
    votes, locked so that no step of an audit comes between: in the transaction that freezes the rows.
    """
    # By their annotators: a project has fewer of them than votes.
    voted = Exists(Vote.objects.filter(annotator=OuterRef("pk")))
    imported = Exists(Annotator.objects.filter(voted, project=OuterRef("project"), imported=True))
    before = Vote.objects.filter(project=OuterRef("project"), cast_at__lt=OuterRef("at")).order_by()
    counted = Coalesce(Subquery(before.values("project").annotate(n=Count("pk")).values("n")), 0)
    versions = locked(ProtocolVersion.objects.filter(project=project)).annotate(votes_before=counted)
    versions = versions.annotate(holds_imported=imported)
    return list(versions.order_by("n"))


def freeze_audits(project: Project, versions: Sequence[ProtocolVersion]) -> dict[str, Any]:
    """By protocol version with audits: its last step, and its seed once nothing more can be drawn under it."""
    found, newest = {}, max((version.n for version in versions), default=0)
    for version in versions:
        if not version.rules.get("alpha"):
            continue
        last = StopStep.objects.filter(protocol=version).order_by("-n").values_list("n", "account").first()
        n, account = (last[0], AuditState(*last[1])) if last else (0, AuditState())
        planned = Protocol.from_stored(version.rules).planned
        is_full = version.n < newest or 0 < planned <= account.seen
        drawn_out = project.closed_at is not None or (is_full and not _waits_to_be_drawn(version))
        found[str(version.n)] = {"steps": n, "seed": audit.seed_of(project.secret, version.n) if drawn_out else None}
    return found


def _waits_to_be_drawn(version: ProtocolVersion) -> bool:
    undrawn = Item.objects.filter(protocol=version, route__in=("", audit.HELD), sampled=True)
    return undrawn.filter(stage__in=UNDECIDED_STAGES).exists()


@dataclass
class Audits:
    """What the frozen steps say: each item's route and chance by its id, the lines of the file, the figures by version.

    `max_labels` is how many labels an item has at most, by the version's id.
    """

    routes: dict[int, str] = field(default_factory=dict)
    chances: dict[int, float | None] = field(default_factory=dict)
    lines: list[dict[str, Any]] = field(default_factory=list)
    accounts: dict[str, dict[str, Any]] = field(default_factory=dict)
    max_labels: dict[int, int] = field(default_factory=dict)

    def write(self, folder: Path, suffix: str, *, is_hidden: bool) -> dict[str, dict[str, Any]]:
        """Write the steps, with which `verify_release` takes them again; for few where answers are hidden."""
        name = (hidden_path(AUDITS) if is_hidden else AUDITS) + (f"_{suffix}.jsonl" if suffix else ".jsonl")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return {name: write_bytes(path, encode(self.lines), len(self.lines))}


def read_audits(project: Project, context: Mapping[str, Any], id_column: str) -> Audits | None:
    """The audits that a release holds; None where its protocols have none."""
    if "audits" not in context:
        return None
    found = Audits()
    for version in project.protocols.order_by("n"):
        protocol = Protocol.from_stored(version.rules)
        found.max_labels[version.pk] = protocol.votes_at_most + protocol.author_counts
        frozen = context["audits"].get(str(version.n))
        if frozen is None:
            continue
        steps = steps_of(version, frozen["steps"])
        plan = audit.plan_of(protocol)
        account, items, _ = audit.retake_steps(plan, protocol.panel, "", (step for _, _, step in steps))
        figures = audit.audit_figures(plan, account, audit.count_decided(items.values()))
        found.accounts[str(version.n)] = figures | {"commitment": protocol.commitment, "seed": frozen["seed"]}
        for n, (item, _, step) in enumerate(steps, 1):
            found.routes[item], found.chances[item] = step.route, step.q
            found.lines.append(_line(version.n, n, id_column, step))
    return found


def _line(protocol: int, n: int, id_column: str, step: Step) -> dict[str, Any]:
    return {
        "protocol": protocol,
        "n": n,
        id_column: step.key,
        "event": "outcome" if step.agrees is None else "first",
        "agrees": step.agrees,
        "doubt": step.doubt,
        "route": step.route,
        "q": step.q,
        "changed": step.changed,
    }
