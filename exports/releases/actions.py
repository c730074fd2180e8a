"""The only writers of releases: freeze, and note who took a file away."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery

from annotation.content import shapes
from annotation.content.models.source import Allocation
from annotation.core.access import has_targets
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import GuidelineVersion, Project, new_secret
from annotation.core.models.user import User
from annotation.datasheet.queries import about_in_release
from annotation.jobs import queue as jobs
from annotation.tasks.queries import task_of_project
from annotation.translation.models import CleanUp
from exports.lm_eval import queries as task_prompts
from exports.releases import sql
from exports.releases.audits import freeze_audits, freeze_protocols
from exports.releases.datasheet_facts import datasheet_facts
from exports.releases.human import human_accuracies
from exports.releases.models import Release, Withdrawal
from exports.releases.people_counts import count_people
from exports.releases.previous_release import parts_of
from exports.releases.rules.gold_origins import work_report
from exports.releases.rules.human import HUMAN
from exports.releases.rules.settings import SplitRules
from exports.releases.rules.signature import FIELD
from exports.releases.signing import signing_context
from exports.releases.typing import freeze_typing
from validation.consensus.protocol import Protocol
from validation.imports.provenance import import_records
from validation.qualification.models import Role
from validation.qualification.queries import qualification_sums
from validation.quality.queries import gold_sums
from validation.studies.queries import diagnostic

JOB_KIND = "release"
# The quizzes by their names in a manifest (rules/arising.py).
QUIZ_ROLES = {"quiz": Role.VALIDATOR, "writers_quiz": Role.WRITER}
# What names of files end in: as it stands on every system.
_SUFFIX = re.compile(r"[a-z0-9-]{1,40}\Z")


class PartIn(NamedTuple):
    """A project of a release of several: its rules, and what the names of its files end in."""

    project: Project
    rules: SplitRules
    suffix: str


def release_freeze(
    *,
    project: Project,
    rules: SplitRules,
    by: User | None,
    suffix: str = "",
    others: Sequence[PartIn] = (),
    here: bool = False,
) -> Release:
    """Put down every item of the project as it stands, and have the files built from that in the background.

    With `others` every project of them at the same moment: the release is the first one's, each other has a part of
    it. One short transaction: people go on writing and voting, and what they do no longer touches this release. `here`
    where the caller builds them.
    Raises Conflict where a project has nothing to release, Invalid where names of files would be the same.
    """
    wanted = [PartIn(project, rules, suffix), *others]
    if others:
        _check_suffixes(wanted)
    with transaction.atomic():
        # A lock that other rows may refer through: a vote's foreign key to the project does not wait for it. In one
        # order for everybody.
        among = Project.objects.select_for_update(no_key=True).filter(pk__in=[part.project.pk for part in wanted])
        fresh = {each.pk: each for each in among.order_by("pk")}
        release = _create_release(fresh[project.pk], wanted[0], None, by)
        _freeze([release, *(_create_release(fresh[part.project.pk], part, release, by) for part in others)])
        with_ = {"with": [part.project.slug for part in others]} if others else {}
        Event.record(release.project_id, by, "release_frozen", release=release.n, **with_)
        args = {"release": release.pk}
        release.job = jobs.enqueue(kind=JOB_KIND, project=project, by=by, args=args, here=here)
        release.save(update_fields=["job"])
    return release


def release_copy(*, release: Release, because: Mapping[str, str], by: User | None, here: bool = False) -> Release:
    """Put the rows of a release down once more, with all its parts; its files are built without what was withdrawn.

    `because` is what its manifest says of that. Raises Conflict for one that is not ready, or a part.
    """
    if release.state != Release.State.READY or release.whole_id is not None:
        raise Conflict(code="replacement_not_ready")
    parts = parts_of(release)
    with transaction.atomic():
        among = Project.objects.select_for_update(no_key=True).filter(pk__in=[part.project_id for part in parts])
        list(among.order_by("pk").values_list("pk", flat=True))
        told = {"manifest": release.manifest["manifest"]["sha256"], **because}
        made: list[Release] = []
        for part in parts:
            made.append(_copy_part(part, made[0] if made else None, told, by))
        Event.record(release.project_id, by, "release_frozen", release=made[0].n, replaces=release.n)
        args = {"release": made[0].pk}
        made[0].job = jobs.enqueue(kind=JOB_KIND, project=release.project, by=by, args=args, here=here)
        made[0].save(update_fields=["job"])
    return made[0]


def _copy_part(of: Release, whole: Release | None, told: Mapping[str, str], by: User | None) -> Release:
    """One project's share of it. What the project says of itself and of its people is what it says now."""
    project, (number, last) = of.project, _numbers(of.project)
    people, counted = count_people(project, SplitRules.from_stored(of.rules), of)
    gone = Annotator.objects.filter(withdrawal__project=project, withdrawal__n__lte=last)
    names = set(gone.values_list("pseudonym", flat=True))
    context = {
        **{name: value for name, value in of.context.items() if name != FIELD},
        "unfinished": [each for each in of.context["unfinished"] if each["writer"] not in names],
        "about": {**about_in_release(project), "people": people},
        "counted": counted,
        "withdrawals": last,
        "replaces": dict(told),
        **({} if whole else signing_context()),
    }
    made = Release.objects.create(
        project=project,
        n=number,
        rules=of.rules,
        context=context,
        whole=whole,
        suffix=of.suffix,
        by=by,
        frozen_at=of.frozen_at or of.at,
    )
    sql.copy_rows(release=made.pk, of=of.pk)
    return made


def withdrawals_until(project: int) -> int:
    """The number of the project's newest withdrawal, 0 where nothing was withdrawn."""
    return Withdrawal.objects.filter(project=project).aggregate(n=Max("n"))["n"] or 0


def _numbers(project: Project) -> tuple[int, int]:
    """The number of the next release, and that of the newest withdrawal: in one statement."""
    release, withdrawal = Subquery(_newest(Release)), Subquery(_newest(Withdrawal))
    found = Project.objects.filter(pk=project.pk).values_list(release, withdrawal).get()
    return (found[0] or 0) + 1, found[1] or 0


def _newest(rows: type[Release] | type[Withdrawal]) -> QuerySet[Any, Any]:
    return rows._default_manager.filter(project=OuterRef("pk")).order_by("-n").values("n")[:1]


def _check_suffixes(parts: Sequence[PartIn]) -> None:
    """No two projects, and no two ends of names, are the same in either case. Raises Invalid."""
    for part in parts:
        if not _SUFFIX.match(part.suffix):
            raise Invalid(field=f"suffix-{part.project.slug}", code="release_suffix")
    if len({part.project.pk for part in parts}) < len(parts) or len({part.suffix for part in parts}) < len(parts):
        raise Invalid(field=f"suffix-{parts[-1].project.slug}", code="release_suffix_twice")


def _create_release(project: Project, part: PartIn, whole: Release | None, by: User | None) -> Release:
    """The release of one project, without its rows; in the caller's transaction, which holds the project."""
    if not project.secret:  # made by a version that gave none
        project.secret = new_secret()
        project.save(update_fields=["secret"])
    number, withdrawals = _numbers(project)
    return Release.objects.create(
        project=project,
        n=number,
        rules=replace(part.rules, seed=part.rules.seed or project.seed).to_dict(),
        context={
            **_context(project, part.rules),
            **({"withdrawals": withdrawals} if withdrawals else {}),
            **({} if whole else signing_context()),
        },
        whole=whole,
        suffix=part.suffix,
        by=by,
    )


def _freeze(releases: Sequence[Release]) -> None:
    """Put down what the projects of these releases hold. Raises Conflict where one of them holds nothing."""
    sql.freeze_rows({release.pk: release.project_id for release in releases})
    for release in releases:
        if not release.rows.exists():
            raise Conflict(
                "There is nothing to release: nobody has submitted an item.",
                code="nothing_there",
                field=release.project.slug,
            )
        if has_targets(release.project):
            sql.freeze_sources(release=release.pk, project=release.project_id)


def _context(project: Project, rules: SplitRules) -> dict[str, Any]:
    """The facts of a release besides its rows: protocols, guidelines, unsubmitted sets, itself."""
    people, counted = count_people(project, rules)
    versions: list[Any] = freeze_protocols(project)
    imports = import_records(project, seeds=not rules.hidden_test)
    audits, typing = freeze_audits(project, versions), freeze_typing(project)
    quizzes = {name: qualification_sums(project, role) for name, role in QUIZ_ROLES.items()}
    work = work_report(quizzes, gold_sums(project))
    context: dict[str, Any] = {
        "protocols": [_sealed_version(version) for version in versions],
        "guidelines": [
            {"role": role, "n": n}
            for role, n in sorted(project.guidelines.values_list("role", "n"))
            if role != GuidelineVersion.Role.WRITING or project.kind_spec.has_writers
        ],
        "unfinished": unfinished_sets(project),
        "about": {**about_in_release(project), "people": people},
        "counted": counted,
        "datasheet": datasheet_facts(project, findings=not rules.hidden_test),
        **diagnostic.release_context(project),
        **task_prompts.release_context(project),
        **({"kind": project.kind} if task_of_project(project) else {}),
        **({"imports": imports} if imports else {}),
        **({"imported_votes": True} if any(version.holds_imported for version in versions) else {}),
        **({"audits": audits} if audits else {}),
        **({"work": work} if work else {}),
        **({HUMAN: human} if (human := human_accuracies(project)) else {}),
        **({"typing": typing} if typing else {}),
    }
    return context | ({"targets": _targets(project), "sources": _sources(project)} if has_targets(project) else {})


def _sealed_version(version: Any) -> dict[str, Any]:
    """A version of the protocol, the hash that it was sealed with, and how many votes had been cast before it was.

    With imported votes those are the ones that were stored before it; where there are none, that is not known.
    """
    return {
        "n": version.n,
        "rules": Protocol.from_stored(version.rules).titled().to_dict(),
        "digest": version.digest or None,
        "votes_before": version.votes_before or (None if version.holds_imported else 0),
    }


def _targets(project: Project) -> list[dict[str, Any]]:
    """The project's targets by key, as they are described now."""
    columns = ("key", "language", "register", "name", "description")
    return [dict(zip(columns, row, strict=True)) for row in sorted(project.targets.values_list(*columns))]


def _sources(project: Project) -> list[dict[str, Any]]:
    """The source sets that translation began from, where they are from, and what clean-up did to them."""
    steps = CleanUp.objects.filter(project=project, undone_by__isnull=True).exclude(what=CleanUp.What.UNDONE)
    done: dict[int, dict[str, int]] = {}
    for source, what, n in steps.values_list("unit__source_set", "what").annotate(n=Count("pk")).order_by():
        done.setdefault(source, {})[what] = n
    columns = ("key", "name", "task", "shape", "origin", "filter")
    sets = project.source_sets.filter(frozen_at__isnull=False).values_list("pk", *columns)
    return [
        {**dict(zip(columns, row, strict=True)), "clean_up": dict(sorted(done.get(pk, {}).items()))}
        for pk, *row in sorted(sets, key=lambda row: row[1])
    ]


def unfinished_sets(project: Project) -> list[dict[str, Any]]:
    """Sets with something written that nobody submitted (ruling 12), by what they start from."""
    source = shapes.get(project.kind_spec.shape).source_column
    begun = (
        Allocation.objects.filter(project=project, state__in=[Allocation.State.OPEN, Allocation.State.LAPSED])
        .annotate(written=Count("drafts", filter=~Q(drafts__content__text="") | Q(drafts__content__has_key="more")))
        .filter(written__gt=0)
        .values_list(f"{source}__key", "writer__pseudonym", "written", "target__key")
    )
    return [
        {source: key, "writer": writer, "written": n} | ({"target": target} if target else {})
        for key, writer, n, target in sorted(begun, key=lambda row: (row[0], row[1], row[3] or ""))
    ]


def release_downloaded(*, release: Release, name: str, by: User) -> None:
    """Note who took which file."""
    Event.objects.create(
        project_id=release.project_id,
        actor=by,
        verb="release_downloaded",
        data={"release": release.n, "file": name},
    )
