"""Whether ready releases are whole (reliability I10): every file of the manifest is there, with its checksum."""

from collections.abc import Iterator

from annotation.core.models.project import Project
from annotation.files import storage
from exports.releases.models import Release
from exports.releases.queries import ReleaseFile, files
from validation.integrity import Breach, Check, register


def check_releases(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Compare files with the manifest, frozen rows with its count; a release never changes, so none is corrected."""
    ready = Release.objects.select_related("project").filter(state=Release.State.READY).order_by("pk")
    if project is not None:
        ready = ready.filter(project=project)
    for release in ready.iterator(chunk_size=10):
        subject = f"release {release.n}"
        slug = release.project.slug
        for file in files(release):
            found = _stored_sha256(file)
            if found != file.sha256:
                yield Breach("I10", slug, subject, file.name, found or "not there", file.sha256)
        frozen, n_items = release.rows.count(), int(release.counts.get("items", 0))
        if frozen != n_items:
            yield Breach("I10", slug, subject, "frozen rows", str(frozen), str(n_items))


def _stored_sha256(file: ReleaseFile) -> str:
    """The file's SHA-256 as it lies there; empty where it does not."""
    try:
        return storage().sha256(file.stored)
    except OSError:
        return ""


register(Check("releases", "I10: the files of every release are those of its manifest", check_releases))
