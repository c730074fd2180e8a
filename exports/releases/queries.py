"""What the pages of releases fetch, scoped as annotation.core.access does it; and the preview of a release's counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext, gettext_noop, ngettext

from annotation.content.models.item import Item
from annotation.content.queries import project_items
from annotation.core.access import Membership
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules.fields import FieldError
from annotation.files import storage
from exports.aligned.rules.missing import unknown_targets
from exports.formats import release as forms
from exports.releases.lookups import current_facts
from exports.releases.models import Release, ReleaseRow, Replacement, Withdrawal
from exports.releases.previous_release import parts_of
from exports.releases.rules.hidden import is_hidden
from exports.releases.rules.settings import (
    ALIGNED,
    MACHINE_DEALS,
    PRESETS,
    PUBLISHED,
    SplitRules,
    check_rules_apply,
    layout_of,
    presets_of_project,
)
from exports.releases.rules.signature import FILE as SIGNATURE
from exports.releases.rules.splits import FACTS_OF_RULES, needs_facts

if TYPE_CHECKING:
    from validation.overview.checklist import State, Step

MANIFEST, CARD, LEAKAGE = "manifest.json", "README.md", "leakage.json"
# The content type of a file for browsers: never one that they would run.
CONTENT_TYPES = {
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".md": "text/markdown",
    ".csv": "text/csv; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".html": "application/octet-stream",
}
ANY_TYPE = "application/octet-stream"


@dataclass(frozen=True)
class ReleaseFile:
    """One file of a ready release; `stored` is its name in the store."""

    name: str
    rows: int
    bytes: int
    sha256: str
    stored: str
    content_type: str

    @property
    def folder(self) -> str:
        """The folder that it is in, empty for most."""
        return self.name.rpartition("/")[0]


def releases(membership: Membership) -> QuerySet[Release]:
    """The project's releases, newest first, for leads and administrators."""
    if not membership.sees_all:
        raise Forbidden
    newer = Replacement.objects.filter(release__state=Release.State.READY).select_related("release")
    newer = newer.defer("release__manifest", "release__context").prefetch_related(
        Prefetch("release__parts", Release.objects.defer("manifest", "context"))
    )
    related = ("job", "by", "whole__job", "replacement__of", "whole__replacement__of")
    found = Release.objects.filter(project=membership.project).select_related(*related)
    found = found.defer("replacement__of__manifest", "replacement__of__context")
    found = found.prefetch_related(Prefetch("replacements", newer), Prefetch("whole__replacements", newer))
    return found.exclude(pk__in=_with_open_votes(membership)).defer("manifest", "context").order_by("-n")


def _with_open_votes(membership: Membership) -> list[int]:
    """The project's releases that hold votes on what a lead who votes can still be asked about; none for others."""
    if not membership.is_voting_lead:
        return []
    rows = ReleaseRow.objects.filter(release__project=membership.project, votes_n__gt=0)
    asked = rows.exclude(item__in=project_items(membership).values("pk"))
    return list(asked.order_by().values_list("release", flat=True).distinct())


def release(membership: Membership, n: int) -> Release:
    """One release of the project, by its number.

    Raises Forbidden for a lead who votes where it holds votes on what they can still be asked about.
    """
    if not membership.sees_all:
        raise Forbidden
    related = ("job", "by", "project", "whole__job", "whole__project")
    found = Release.objects.filter(project=membership.project, n=n).select_related(*related).first()
    if found is None:
        raise NotFound
    if found.pk in _with_open_votes(membership):
        raise Forbidden(code="voting_lead_reads_singly")
    return found


def withdrawal_of(place: Annotator) -> Withdrawal | None:
    """That somebody withdrew their consent, if they did."""
    return Withdrawal.objects.filter(annotator=place).first()


def replaced_releases(project: Project) -> list[Release]:
    """The releases of a project that a version without withdrawn rows stands for, the newest first."""
    ready = Q(replacements__release__state=Release.State.READY)
    found = Release.objects.filter(ready | Q(whole__replacements__release__state=Release.State.READY), project=project)
    return list(found.defer("manifest", "context").distinct().order_by("-n"))


def part_releases(membership: Membership, of: Release) -> list[Release]:
    """The releases of the projects that one of several holds, for those who see them all; else none."""
    if not membership.is_administrator:
        return []
    found = parts_of(of.whole or of)
    return found if len(found) > 1 else []


def open_reports(of: Release) -> int:
    """How many reports of errors wait for an answer; their table is declared above this package."""
    reports: Any = getattr(of, "errata")  # noqa: B009
    return int(reports.filter(state="open").count())


def failure_reason(membership: Membership, of: Release) -> str:
    """The result of its build, as far as the viewer may know: of several projects it can name another's items."""
    whole = of.whole or of
    if whole.job is None or not (membership.is_administrator or parts_of(whole) == [of]):
        return ""
    return whole.job.error


def files(of: Release) -> list[ReleaseFile]:
    """The files of a ready release, as its manifest lists them; nothing else can be downloaded."""
    if of.state != Release.State.READY:
        return []
    beside = {name: of.manifest.get(key) for name, key in ((MANIFEST, "manifest"), (SIGNATURE, SIGNATURE))}
    listed = {**of.manifest["files"], **{name: facts for name, facts in beside.items() if facts}}
    found = [
        ReleaseFile(
            name,
            facts["rows"],
            facts["bytes"],
            facts["sha256"],
            f"{of.path}/{name}",
            CONTENT_TYPES.get(Path(name).suffix, ANY_TYPE),
        )
        for name, facts in sorted(listed.items())
    ]
    return sorted(found, key=lambda file: file.folder)


def visible_files(membership: Membership, of: Release) -> list[ReleaseFile]:
    """The files of a ready release that the viewer may take.

    Answers that a release hides are for administrators, and of several projects leads have what is of their own.
    """
    own = of.manifest.get("own")
    return [
        file
        for file in files(of)
        if membership.is_administrator or not (is_hidden(file.name) or (own is not None and file.name not in own))
    ]


def release_file(membership: Membership, of: Release, name: str) -> ReleaseFile:
    """One file by its name; NotFound for any name that the manifest does not list, and those of others."""
    for file in visible_files(membership, of):
        if file.name == name:
            if not storage().exists(file.stored):
                raise NotFound
            return file
    raise NotFound


def card_text(listed: Sequence[ReleaseFile]) -> str:
    """The release's README.md; empty where the store does not have it, or does not answer."""
    return _text_of(listed, CARD)


def leakage_counts(listed: Sequence[ReleaseFile]) -> dict[str, list[dict[str, Any]]]:
    """What the release's splits share, by config and pair of splits; nothing where that was not counted."""
    found: dict[str, list[dict[str, Any]]] = orjson.loads(_text_of(listed, LEAKAGE) or "{}")
    return found


def _text_of(listed: Sequence[ReleaseFile], name: str) -> str:
    try:
        return next((b"".join(storage().read(file.stored)).decode() for file in listed if file.name == name), "")
    except OSError:
        return ""


def preset_of(project: Project, name: str) -> SplitRules:
    """The rules of that name, where they apply to the project. Raises FieldError."""
    applicable = presets_of_project(project.preset, project.kind_spec)
    if name not in applicable:
        raise FieldError("preset", gettext_noop("must be one of %(choices)s"), choices=", ".join(applicable))
    return PRESETS[name]


def checked_rules(project: Project, rules: SplitRules) -> SplitRules:
    """The rules, where the project can be released by them. Raises FieldError."""
    kind = project.kind_spec
    preset_of(project, rules.preset)
    if rules.hidden_test and layout_of(kind.shape) == ALIGNED:
        raise FieldError("hidden_test", gettext_noop("cannot be asked for: translations have no hidden test"))
    check_rules_apply(rules, kind.shape, kind.settings)
    _check_items_have(project, rules)
    offered = {form.slug for form in forms.all_forms()} | {"none"}
    if strange := sorted(set(rules.forms.split()) - offered):
        raise FieldError("forms", gettext_noop("has no form “%(name)s”"), name=", ".join(strange))
    known = project.targets.values_list("key", flat=True) if rules.targets else ()
    if rules.targets and (nobodys := unknown_targets(rules, known)):
        raise FieldError("targets", gettext_noop("has no target “%(name)s”"), name=", ".join(nobodys))
    return rules


def _check_items_have(project: Project, rules: SplitRules) -> None:
    """Refuse rules that read something of items which none of the project's has. Raises FieldError."""
    items = Item.objects.filter(project=project)
    if rules.deal == PUBLISHED and not items.filter(published_split__isnull=False).exists():
        reason = gettext_noop("cannot be “published”: no item was imported with a column data_split")
        raise FieldError("deal", reason)
    by_preset = rules.deal == PRESETS[rules.preset].deal
    if rules.deal in MACHINE_DEALS and not by_preset and not items.filter(origin=Item.Origin.MACHINE).exists():
        reason = gettext_noop("cannot be “%(deal)s”: no item was written by a machine")
        raise FieldError("deal", reason, deal=rules.deal)
    if not needs_facts(rules):
        return
    facts = current_facts(project).values()
    for name, value in (("together", rules.together), ("stratify", rules.stratify)):
        reads = FACTS_OF_RULES.get(value)
        if facts and reads is not None and not any(reads(each) for each in facts):
            raise FieldError(name, gettext_noop("cannot be “%(value)s”: no item of the project has one"), value=value)


def releasing(state: "State") -> "Step":
    """The last step of a project: that a release of it is ready."""
    from validation.overview.checklist import Step  # which imports most of what a project has

    n = Release.objects.filter(project=state.project, state=Release.State.READY).count()
    detail = ngettext("%(n)d release", "%(n)d releases", n) % {"n": n}
    return Step(gettext("Freeze a release"), n > 0, detail, state.at("releases"))
