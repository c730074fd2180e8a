"""Protocols against the hash that they were sealed with, and audits against their steps, taken again."""

from collections.abc import Iterator
from dataclasses import astuple

from annotation.content.models.item import Item
from annotation.core.models.project import Project, ProtocolVersion
from validation.consensus import audit
from validation.consensus.audit import AuditState
from validation.consensus.protocol import Protocol
from validation.integrity.base import Breach
from validation.voting.audit_steps import steps_of
from validation.voting.models.stopping import StopStep


def check_audits(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Versions whose rules are not those that were sealed, steps that are not what those before them give.

    Nothing is repaired: a step that is there is never touched.
    """
    versions = ProtocolVersion.objects.select_related("project").order_by("pk")
    if project is not None:
        versions = versions.filter(project=project)
    for version in versions:
        slug, rules = version.project.slug, Protocol.from_stored(version.rules)
        if version.digest and rules.digest != version.digest:
            yield Breach("A1", slug, f"protocol {version.n}", "the rules' hash", rules.digest, version.digest)
        if rules.alpha:
            yield from _check_version_audits(version, rules)


def _check_version_audits(version: ProtocolVersion, rules: Protocol) -> Iterator[Breach]:
    slug, what = version.project.slug, f"protocol {version.n}"
    seed = audit.seed_of(version.project.secret, version.n)
    if audit.commitment(seed) != rules.commitment:
        yield Breach("A1", slug, what, "the seed's hash", audit.commitment(seed), rules.commitment)
    steps = steps_of(version)
    account, known, wrong = audit.retake_steps(audit.plan_of(rules), rules.panel, seed, (step for _, _, step in steps))
    for each in wrong:
        yield Breach("A2", slug, f"{what}, step {each.n}: {each.key}", "the step", each.found, each.expected)
    last = StopStep.objects.filter(protocol=version).order_by("-n").values_list("account", flat=True).first()
    if last is not None and AuditState(*last) != account:
        yield Breach("A2", slug, what, "where the audits stand", str(last), str(list(astuple(account))))
    routes = dict(Item.objects.filter(protocol=version).exclude(route__in=("", audit.HELD)).values_list("key", "route"))
    recorded = {key: known[step.key].route for _, key, step in steps}
    for key in sorted(routes.keys() | recorded.keys()):
        if routes.get(key) != recorded.get(key):
            yield Breach("A2", slug, key, "the route", routes.get(key, ""), recorded.get(key, ""))
