"""Queries of public pages: releases that an administrator opened, and only data that their files contain."""

import re
from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from annotation.core.access import Membership
from annotation.core.errors import Forbidden, NotFound
from annotation.core.links import site_link
from annotation.files import storage
from exports.public.given_out import questions_in
from exports.public.models import Erratum, Publication
from exports.public.rules import Citation, Creator, parse_keywords, split_figures
from exports.releases.models import Release, ReleaseRow
from exports.releases.queries import CARD, ReleaseFile, files
from exports.releases.rules.hidden import is_hidden
from exports.releases.rules.settings import DEV, TRAIN, SplitRules
from exports.releases.rules.signature import ALGORITHM
from exports.releases.signing import signing_keys
from validation.consensus import stages

CHANGES_FILE = "CHANGES.md"
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def find_public_release(slug: str, n: int) -> Publication:
    """A release that everybody may read. Raises NotFound for all others alike."""
    found = Publication.objects.filter(public=True, release__project__slug=slug, release__n=n)
    page = found.select_related("release__project").first()
    if page is None or page.release.state != Release.State.READY:
        raise NotFound
    return page


def reveals_open_votes(release: Release) -> bool:
    """Whether files that everybody may take hold votes on items that are voted on, or may be, in an open project; or
    the answers to gold questions or quiz items that are still asked."""
    parts = (release, *release.parts.all())
    return any(_part_reveals_open_votes(part) for part in parts) or bool(questions_in(release))


def _part_reveals_open_votes(part: Release) -> bool:
    """The same of what one project of a release gave, by its own rules."""
    asked = {"item__stage__in": stages.OPEN_VOTE_STAGES}
    return public_votes(part).filter(**asked, item__project__closed_at=None, item__target__ended_at=None).exists()


def public_votes(part: Release) -> QuerySet[ReleaseRow]:
    """The rows of what one project of a release gave whose votes are in files that everybody may take."""
    rows = ReleaseRow.objects.filter(release=part, votes_n__gt=0)
    if SplitRules.from_stored(part.rules).hidden_test:
        # The rest is in the folder that stays closed.
        rows = rows.filter(left_out="", split__in=(TRAIN, DEV))
    return rows


def newest_public_number(slug: str) -> int:
    """The number of a project's newest public release. Raises NotFound."""
    found = Publication.objects.filter(public=True, release__project__slug=slug, release__state=Release.State.READY)
    n = found.order_by("-release__n").values_list("release__n", flat=True).first()
    if n is None:
        raise NotFound
    return n


def public_versions(page: Publication) -> Sequence[Publication]:
    """The public releases of the same project, the newest first."""
    found = Publication.objects.filter(public=True, release__project=page.release.project)
    return list(found.select_related("release").defer("release__context").order_by("-release__n"))


def public_files(release: Release) -> list[ReleaseFile]:
    """The files that everybody may take: all but those with hidden answers."""
    return [each for each in files(release) if not is_hidden(each.name)]


def public_file(release: Release, name: str) -> ReleaseFile:
    """One of them by its name in the manifest. Raises NotFound for every other name."""
    for each in public_files(release):
        if each.name == name:
            return each
    raise NotFound


def read_public_text(release: Release, name: str) -> str:
    """A text among the public files, without a head for machines; empty where there is none."""
    found = next((each.stored for each in public_files(release) if each.name == name), None)
    if found is None:
        return ""
    try:
        data = b"".join(storage().read(found))
    except FileNotFoundError:
        return ""
    return _FRONT_MATTER.sub("", data.decode("utf-8"))


def card_of(release: Release) -> str:
    """The card, without its head."""
    return read_public_text(release, CARD)


def parts_of(release: Release) -> list[dict[str, Any]]:
    """The projects of a release with their figures, from its manifest, which is one of its files."""
    manifest = release.manifest
    told = manifest.get("parts") or [{"suffix": "", **manifest}]
    found = []
    for part in told:
        labels, rows = split_figures(part.get("counts", {}))
        project = part.get("project", {})
        found.append({"name": project.get("name", ""), "labels": labels, "rows": rows})
    return found


def citation_of(page: Publication) -> Citation:
    """All that a citation says of a release."""
    release, there = page.release, public_files(page.release)
    manifest = release.manifest
    told = (manifest.get("parts") or [manifest])[0]
    address = _public_url(release, release.n)
    return Citation(
        title=page.title,
        creators=[Creator(*each) for each in page.creators],
        publisher=page.publisher,
        year=page.year,
        version=str(release.n),
        url=address,
        language=told.get("project", {}).get("language", ""),
        licence=told.get("about", {}).get("licence", ""),
        description=page.description,
        keywords=parse_keywords(page.keywords),
        doi=page.doi,
        rows=manifest.get("counts", {}).get("released", 0),
        bytes=sum(each.bytes for each in there),
        formats=[each.content_type.partition(";")[0] for each in there],
        replaced_by=_public_url(release, release.replaced.n) if release.replaced else "",
        replaces=_public_url(release, release.replaces.n) if release.replaces else "",
        manifest_sha256=manifest.get("manifest", {}).get("sha256", ""),
        signing_key=release.signing_key,
    )


def _public_url(release: Release, n: int) -> str:
    """The address of the public page of a release of this project."""
    return site_link(reverse("public_release", args=[release.project.slug, n]))


def public_signing_keys() -> list[dict[str, Any]]:
    """The public halves of the keys that sign releases, with their dates."""
    return [
        {"key": each.key, "algorithm": ALGORITHM, "public_key": each.public_key, "from": each.at, "to": each.ended_at}
        | ({"revoked": each.revoked_at} if each.revoked_at else {})
        for each in signing_keys()
    ]


def answered_errata(release: Release) -> QuerySet[Erratum]:
    """Reports that a lead answered, the newest first."""
    return Erratum.objects.filter(release=release, state=Erratum.State.ANSWERED).order_by("-n")


def errata_of(membership: Membership, release: Release) -> QuerySet[Erratum]:
    """All reports of a release, for its leads and administrators: the open ones first."""
    if not membership.sees_all or release.project_id != membership.project.pk:
        raise Forbidden
    return Erratum.objects.filter(release=release).select_related("answered_by", "release").order_by("-state", "-n")


def publication_of(release: Release) -> Publication | None:
    """What was said of a release for its public page."""
    return Publication.objects.filter(release=release).first()
