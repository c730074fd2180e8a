"""Findings of checks in translations: flags with each finding, and review of items that were not drawn.

Checks speak to the translator while they write. What they still say of the text as it was handed in is flagged when
its review begins, with the translator's word on it. A lead may have a target checked again (`recheck_start`), when a
word list was made or the system has learnt from what was accepted since.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from annotation.content import queries as content_queries
from annotation.content.models.item import Item, Revision
from annotation.core.database import locked
from annotation.core.models.member import Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.jobs.models import Job
from annotation.jobs.queue import UNFINISHED, Handle, enqueue, handles
from annotation.kinds import Source
from annotation.text.checks import Finding, all_checks
from annotation.translation.queries.targets import resources_of
from annotation.translation.rules.target_resources import TargetResources
from annotation.writing.actions.writing import set_findings
from validation.consensus import stages
from validation.voting.actions.flags import flag_raise
from validation.voting.models.review import Flag
from validation.voting.rules.flags import FAILED_CHECK

KIND = "recheck_target"
AT_ONCE = 200
FLAGS_REVIEWED = "flags_reviewed"
# Nobody works on what a lead took out.
_CHECKED = Q(stage__in=[stage for stage in stages.STAGES if stage != stages.EXCLUDED])


def findings_in(item: Item, content: Mapping[str, Any], resources: TargetResources | None) -> list[Finding]:
    """What the checks say of a stored translation, beside the source that it was made from."""
    kind = item.project.kind_spec
    source = Source(str(content["unit"]), "", extra={"fields": content["source"], "shape": content["shape"]})
    return set_findings(
        item.project, source, {item.slot: kind.authoring.slot_from_content(content)}, resources=resources
    )


def findings_detail(findings: Iterable[Finding], content: Mapping[str, Any]) -> dict[str, Any]:
    """The detail of a flag: which checks spoke, and what each said of which field, with the translator's word on it."""
    whys = content.get("whys", {})
    rows = [
        {
            "check": finding.check,
            "field": str(finding.params.get("field", "")),
            "message": finding.message,
            "params": dict(finding.params),
            "why": whys.get(finding.check, ""),
        }
        for finding in findings
    ]
    return {"checks": list(dict.fromkeys(row["check"] for row in rows)), "findings": rows}


def flag_findings(items: Collection[int]) -> int:
    """Flag what checks find in these items, in the caller's transaction, which holds them; how many were flagged.

    A flag that is open says what is found now. One that was closed since the text is as it is, is not opened again for
    the same findings: a person has looked.
    """
    rows = list(Item.objects.select_related("project", "target").filter(pk__in=items).order_by("pk"))
    contents, lores, flagged = content_queries.contents(rows), dict[int, TargetResources | None](), 0
    had = _earlier_flags(rows)
    for item in rows:
        if item.target_id not in lores:
            lores[item.target_id] = resources_of(item.target)
        content = contents[item.pk]
        findings = findings_in(item, content, lores[item.target_id])
        if findings:
            flagged += _flag(item, findings_detail(findings, content), had.get(item.pk, []))
    return flagged


def _earlier_flags(items: Iterable[Item]) -> dict[int, list[Flag]]:
    """The flags that checks raised of the texts as they are, and open ones, by item."""
    texts = Revision.objects.filter(item__in=items, n=F("item__revision_n"))
    since = dict(texts.values_list("item_id", "version"))
    found: dict[int, list[Flag]] = {}
    for flag in Flag.objects.filter(item__in=items, code=FAILED_CHECK).order_by("pk"):
        if flag.closed_version is None or flag.closed_version > since.get(flag.item_id, 0):
            found.setdefault(flag.item_id, []).append(flag)
    return found


def _flag(item: Item, detail: dict[str, Any], had: Iterable[Flag]) -> bool:
    """Flag one item, unless the same was flagged before; whether anything is new."""
    for flag in had:
        if _findings_said(flag.detail) == _findings_said(detail):
            return False
        if flag.closed_at is None:
            # What an import found besides stays: that its source is another one, for example.
            besides = [each for each in flag.detail.get("checks", ()) if each not in all_checks()]
            told_now = {**flag.detail, **detail, "checks": [*besides, *detail["checks"]]}
            Flag.objects.filter(pk=flag.pk).update(detail=told_now)
            return True
    flag_raise(item=item, code=FAILED_CHECK, detail=detail)
    return True


def _findings_said(detail: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    return [(row["check"], row["field"], row["params"]) for row in detail.get("findings", ())]


def send_to_review(items: Collection[int]) -> int:
    """Send to review what was not drawn for it, of items that the caller holds; how many."""
    left = Item.objects.filter(pk__in=items, sampled=False, stage=stages.WRITTEN)
    return left.update(sampled=True, due_at=Now())


# --- a whole target again ----------------------------------------------------------------


def recheck_start(*, target: Target, by: User | None) -> Job:
    """Have a target's translations checked again; the job that is at it already, where there is one."""
    with transaction.atomic():
        project = locked(Project.objects.filter(pk=target.project_id)).get()
        there = Job.objects.filter(kind=KIND, args__target=target.pk, state__in=UNFINISHED).first()
        if there is not None:
            return there
        Event.objects.create(project=project, actor=by, verb="target_rechecked", data={"target": target.key})
        return enqueue(kind=KIND, project=project, by=by, args={"target": target.pk})


@handles(KIND)
def recheck(handle: Handle) -> dict[str, Any]:
    """Check a target's translations again, some hundred at a time; goes on where an attempt before it ended."""
    target = Target.objects.select_related("project").get(pk=handle.job.args["target"])
    items = list(Item.objects.filter(_CHECKED, target=target).order_by("pk").values_list("pk", flat=True))
    handle.progress(handle.job.done, len(items))
    flagged = 0
    for start in range(handle.job.done, len(items), AT_ONCE):
        some = items[start : start + AT_ONCE]
        with transaction.atomic():
            handle.lock_claim()
            held = list(locked(Item.objects.filter(_CHECKED, pk__in=some).order_by("pk")))
            flagged += flag_findings([item.pk for item in held])
            send_to_review(_open_flagged(held))
        handle.progress(start + len(some))
    return {"translations": len(items), "flagged": flagged}


def _open_flagged(items: Iterable[Item]) -> list[int]:
    rows = Flag.objects.filter(item__in=items, code=FAILED_CHECK, closed_at=None)
    return list(rows.values_list("item_id", flat=True))
