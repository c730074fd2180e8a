"""Projects: made from a preset, their settings, protocols and guidelines changed by new versions."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.db.models.functions import Now

from annotation import presets
from annotation.content.actions.resting import rests_change
from annotation.content.models.item import Item
from annotation.content.queries import items_with_open_votes
from annotation.core import public_pages
from annotation.core.actions.contributors import refuse_reopening
from annotation.core.database import is_duplicate, locked
from annotation.core.errors import Conflict, Invalid, clean_typed
from annotation.core.models.member import Event
from annotation.core.models.project import GuidelineVersion, Project, ProtocolVersion, Target
from annotation.core.models.user import User
from annotation.core.rules.fields import FieldError
from annotation.core.rules.settings import ProjectSettings
from annotation.core.voters import voters_besides_writer
from annotation.elicitation.actions import elicitation_seed
from annotation.elicitation.rules.sessions import ELICITATION
from annotation.text.normalise import one_line
from validation.consensus import audit
from validation.consensus.protocol import AUDIT_RULE, FIRST_AUDIT_RULE, LEAST_AUDIT_VOTES, Protocol
from validation.consensus.protocol import PRESETS as PROTOCOLS

LONGEST_NOTE = 4000
LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")


def project_create(
    *,
    slug: str,
    name: str,
    preset: str | presets.Preset,
    language: str = "",
    register: str = "",
    seed: str = "",
    share: Decimal | None = None,
    by: User | None = None,
    settings: Mapping[str, Any] | None = None,
    protocol: Protocol | None = None,
    guidelines: Mapping[str, str] | None = None,
) -> Project:
    """A project as the preset's paper had it: language, protocol, share, rules and guidelines, each changeable.

    `guidelines` are texts by role, in place of the preset's.
    """
    chosen = preset if isinstance(preset, presets.Preset) else _preset(preset)
    language = language or chosen.language
    if not LANGUAGE.match(language):
        raise Invalid(field="language", code="language_unknown")
    if not one_line(name):
        raise Invalid(field="name", code="name_not_one_line")
    rules = ProjectSettings.from_dict({**chosen.rules.to_dict(), **(settings or {})})
    project = Project(
        slug=slug,
        name=name,
        kind=chosen.kind,
        preset=chosen.slug,
        language=language,
        seed=seed or secrets.token_hex(8),
        sample_share=Decimal(str(chosen.share)) if share is None else share,
        settings=rules.to_dict(),
        created_by=by,
    )
    with transaction.atomic():
        try:
            with transaction.atomic():
                project.save(force_insert=True)
        except IntegrityError as error:
            if not is_duplicate(error):
                raise
            raise Conflict(field="slug", code="slug_taken") from error
        _set_up_project(project, chosen, register, protocol or PROTOCOLS[chosen.protocol], guidelines or {})
    return project


def _set_up_project(
    project: Project,
    chosen: presets.Preset,
    register: str,
    protocol: Protocol,
    guidelines: Mapping[str, str],
) -> None:
    """A new project's target, its first protocol and guidelines, and the event that it was made."""
    by, language = project.created_by, project.language
    if "targets" not in project.kind_spec.features:
        # A target for each target is made when the target is named.
        Target.objects.create(project=project, language=language, register=register, buckets=len(protocol.rounds) + 1)
    _store_protocol(project, 1, protocol, by)
    for role in GuidelineVersion.Role.values:
        text = guidelines.get(role) or presets.guideline_text(chosen, language, role)  # type: ignore[arg-type]
        GuidelineVersion.objects.create(project=project, role=role, n=1, text=text, by=by)
    Event.record(project, by, "project_created", preset=chosen.slug)
    if ELICITATION in project.kind_spec.features:
        elicitation_seed(project=project, by=by)


def _store_protocol(project: Project, n: int, protocol: Protocol, by: User | None) -> ProtocolVersion:
    """Store a version of the protocol with the hash of its rules; audits are bound to their seed by its hash.

    Raises Invalid where the project's items have no label that a first voter could agree with.
    """
    question = project.kind_spec.question
    if protocol.alpha and (question.questions or question.accepting_label):
        raise Invalid(field="alpha", code="audits_need_labels")
    bound = audit.commitment(audit.seed_of(project.secret, n)) if protocol.alpha else ""
    rule = AUDIT_RULE if protocol.alpha else FIRST_AUDIT_RULE
    try:
        sealed = replace(protocol, commitment=bound, audit_rule=rule).titled()
    except FieldError as error:
        raise Invalid(str(error), field=error.field, code="protocol_wrong") from error
    return ProtocolVersion.objects.create(project=project, n=n, rules=sealed.to_dict(), digest=sealed.digest, by=by)


def _preset(slug: str) -> presets.Preset:
    try:
        return presets.get(slug)
    except KeyError as error:
        raise Invalid(str(error.args[0]), field="preset", code="preset_unknown") from error


def _lock_at_version(project: Project, version: int | None) -> Project:
    fresh = Project.lock(project.pk)
    if version is not None and fresh.version != version:
        raise Conflict(code="stale")
    fresh.version += 1
    fresh.save(update_fields=["version"])
    return fresh


def project_settings_change(
    *, project: Project, by: User | None, changes: Mapping[str, Any], version: int | None = None
) -> Project:
    """Change settings (and `sample_share`); what was decided before stays as it was decided, what rests before voting
    rests as long as is said now."""
    with transaction.atomic():
        fresh = _lock_at_version(project, version)
        before = {**fresh.settings, "sample_share": str(fresh.sample_share)}
        changes = dict(changes)
        share = changes.pop("sample_share", None)
        try:
            rules = ProjectSettings.from_dict({**fresh.settings, **changes})
        except FieldError as error:
            raise Invalid(str(error), field=error.field, code="setting_wrong") from error
        voting = fresh.annotators.filter(votes_leading=True, is_validator=True, left_at=None)
        if not rules.leads_vote and voting.exists():
            raise Invalid(field="leads_vote", code="leads_still_vote")
        fresh.settings = rules.to_dict()
        if share is not None:
            fresh.sample_share = Decimal(str(share))
        fresh.save(update_fields=["settings", "sample_share"])
        after = {**fresh.settings, "sample_share": str(fresh.sample_share)}
        changed = {name: [before.get(name), value] for name, value in after.items() if before.get(name) != value}
        if "offer_minutes" in changed:
            rests_change(project=fresh, minutes=rules.offer_minutes)
        Event.record(fresh, by, "settings", **changed)
    return fresh


def protocol_change(
    *, project: Project, by: User | None, protocol: Protocol, version: int | None = None
) -> ProtocolVersion:
    """A new version: items whose validation began keep theirs, the rest take the new one (ruling 10).

    Raises Invalid for audits where people vote already, but too few. Before anybody votes there is nobody to count:
    then agreements wait until there are enough (`validation.voting.actions.audits`).
    """
    with transaction.atomic():
        fresh = _lock_at_version(project, version)
        if protocol.alpha and 0 < voters_besides_writer(fresh.pk) < LEAST_AUDIT_VOTES:
            raise Invalid(field="alpha", code="audits_need_voters")
        last = fresh.protocols.aggregate(n=Max("n"))["n"] or 0
        made = _store_protocol(fresh, last + 1, protocol, by)
        never_begun = Q(stage__in=["returned", "corrected", "excluded"], verdicts__isnull=True)
        waiting = fresh.items.filter(Q(stage__in=["submitted", "written"]) | never_begun)
        Item.objects.filter(pk__in=waiting.values("pk")).update(protocol=made)
        for target in locked(Target.objects.filter(project=fresh)):
            target.buckets = max(target.buckets, len(protocol.rounds) + 1)
            target.save(update_fields=["buckets"])
    return made


def guideline_publish(
    *,
    project: Project,
    role: str,
    text: str,
    note: str = "",
    by: User | None = None,
    version: int | None = None,
) -> GuidelineVersion:
    """A new version of the guidelines for writers or validators; everybody sees that it changed.

    A text that stands already makes no new version, so that a form sent unchanged stores nothing.
    """
    if not text.strip():
        raise Invalid(field="text", code="text_missing")
    with transaction.atomic():
        fresh = _lock_at_version(project, version)
        newest = fresh.guidelines.filter(role=role).order_by("-n").first()
        if newest is not None and newest.text == text:
            return newest
        n = newest.n + 1 if newest is not None else 1
        return GuidelineVersion.objects.create(project=fresh, role=role, n=n, text=text, note=note[:300], by=by)


def guideline_note(*, project: Project, error: str, heading: str, words: str, by: User) -> GuidelineVersion:
    """Note in the writing guidelines what items are returned for: a new version, changed for everybody.

    Words that stand under this heading already make no new version, so that a click sent twice notes once.
    """
    note = clean_typed(words, "words", LONGEST_NOTE, missing="text_missing")
    with transaction.atomic():
        Project.lock(project.pk)
        newest = project.guidelines.filter(role=GuidelineVersion.Role.WRITING).order_by("-n")[0]
        text = with_note(newest.text, heading, note)
        if text == newest.text:
            return newest
        made = guideline_publish(project=project, role=newest.role, text=text, note=heading, by=by)
        Event.record(project, by, "guideline_note", error=error, n=made.n)
    return made


def project_close(*, project: Project, by: User | None, closed: bool, version: int | None = None) -> Project:
    """Close a project (nobody writes or votes any more, and people see more of their own record), or open it again.

    Raises Conflict where it stays closed, ClosesPages where public pages show votes on what is voted on again.
    """
    with transaction.atomic():
        fresh = _lock_at_version(project, version)
        if not closed:
            refuse_reopening(fresh)
            public_pages.close_pages(items_with_open_votes(Item.objects.filter(project=fresh)), by=by)
        Project.objects.filter(pk=fresh.pk).update(closed_at=Now() if closed else None)
        Event.record(fresh, by, "project_closed" if closed else "project_reopened")
    fresh.refresh_from_db()
    return fresh


def with_note(text: str, heading: str, words: str) -> str:
    """Give the guidelines (Markdown) with the words under this heading, added where it stands already.

    Words that stand there already are not added again: the text comes back as it was.
    """
    title, note = "## " + " ".join(heading.split()), words.strip()
    lines = text.rstrip().split("\n")
    if title not in lines:
        return "\n".join([*lines, "", title, "", note, ""])
    start = lines.index(title) + 1
    following = (place for place, line in enumerate(lines) if place >= start and line.startswith(("# ", "## ")))
    end = next(following, len(lines))
    section = "\n".join(lines[start:end]).strip()
    if f"\n\n{note}\n\n" in f"\n\n{section}\n\n":
        return text
    rest = ["", *lines[end:]] if end < len(lines) else []
    return "\n".join([*lines[:start], "", *([section, ""] if section else []), note, *rest, ""])
