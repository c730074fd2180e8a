"""The earlier release that a release is compared with, to list the differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.db.models import Q

from exports.releases.models import Release
from exports.releases.rules.changes import FILE
from exports.releases.rules.hidden import hidden_path

# Files about the release as a whole, not its content.
_DESCRIPTION_FILES = ("README.md", FILE, hidden_path(FILE))


@dataclass(frozen=True)
class PreviousRelease:
    """The last release of the same projects, and the one that this was compared with where nothing had changed since.

    Both as the releases of their projects, in order; the second is what a release without any change has to be
    compared with, so that its bytes are the last one's.
    """

    last: Sequence[Release] = ()
    base_releases: Sequence[Release] = ()

    def earlier_releases(self, n: int) -> list[Release]:
        """The earlier releases of one project: of the last one, and of the one before that had changes."""
        return [releases[n] for releases in (self.last, self.base_releases) if releases]

    def comparison_base(self, now: Mapping[str, Any], contexts: Sequence[Mapping[str, Any]]) -> Sequence[Release]:
        """The release to compare with: the last one, unless nothing has changed. `now` is the manifest so far."""
        if self.last and _is_unchanged(now, contexts, self.last):
            return self.base_releases
        return self.last


def parts_of(release: Release) -> list[Release]:
    """The releases of the projects that a release holds: its own, then its parts in order."""
    return [release, *release.parts.select_related("project").order_by("pk")]


def find_previous_release(release: Release, parts: Sequence[Release]) -> PreviousRelease:
    """Look for the last ready release of the same projects under the same names of files; `parts` are its releases.

    One that is built again is compared with what it was compared with, and one that replaces another with that.
    """
    wanted = _projects_and_suffixes(parts)
    ready = Release.objects.filter(project=release.project_id, whole=None, state=Release.State.READY)
    among = Q(n__lt=release.n)
    if release.frozen_at:
        among = Q(replacements__release=release)
    elif release.state == Release.State.READY:
        among = Q(n=release.counts.get("since", {}).get("n", 0))
    for found in ready.filter(among).select_related("project").order_by("-n"):
        last = parts_of(found)
        if _projects_and_suffixes(last) == wanted:
            base = ready.filter(n=found.counts.get("compared", 0)).select_related("project").first()
            return PreviousRelease(last, parts_of(base) if base else ())
    return PreviousRelease()


def _projects_and_suffixes(parts: Sequence[Release]) -> list[tuple[int, str]]:
    return [(part.project_id, part.suffix) for part in parts]


def _is_unchanged(now: Mapping[str, Any], contexts: Sequence[Mapping[str, Any]], last: Sequence[Release]) -> bool:
    """Whether everything except the files about the release is unchanged."""
    if any(
        _as_stored_json(context) != _as_stored_json(part.context) for context, part in zip(contexts, last, strict=True)
    ):
        return False
    kept = {name: value for name, value in last[0].manifest.items() if name in now}
    return _without_descriptions(_as_stored_json(now)) == _without_descriptions(kept)


def _without_descriptions(manifest: Mapping[str, Any]) -> dict[str, Any]:
    files = {name: facts for name, facts in manifest["files"].items() if name not in _DESCRIPTION_FILES}
    return {**manifest, "files": files}


def _as_stored_json(value: Any) -> Any:
    return orjson.loads(orjson.dumps(value))
