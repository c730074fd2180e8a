"""Files of a release that answer reviewers: each version of the guidelines, and a picture of the card."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.kinds import Kind
from exports.formats.writers import write_bytes
from exports.releases.models import Release
from exports.releases.picture import draw_picture, picture_of
from exports.releases.rules import datasheet
from exports.releases.rules.rows import FrozenItem
from validation.consensus.protocol import Protocol


def write_datasheet_files(
    release: Release, kind: Kind, folder: Path, sample: FrozenItem | None, protocols: Mapping[int, Protocol]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Write them; what is told of the picture, and the facts of each file by its name. Nothing for releases of before.

    `sample` is the item whose card is drawn, None where every row has its answers hidden.
    """
    if datasheet.CONTEXT not in release.context:
        return {}, {}
    files = _write_guidelines(release, folder)
    if sample is None or sample.content is None:
        return {}, files
    facts = picture_of(release, kind, sample, protocols[sample.protocol])
    name = datasheet.picture_path(release.suffix)
    files[name] = write_bytes(folder / name, draw_picture(kind.slug, facts))
    return {datasheet.PICTURE: {**facts, "sha256": files[name]["sha256"]}}, files


def _write_guidelines(release: Release, folder: Path) -> dict[str, dict[str, Any]]:
    """Every version that the release names, as it was published: versions never change."""
    named = {(each["role"], each["n"]) for each in release.context[datasheet.CONTEXT]["guidelines"]}
    files = {}
    for role, n, text in release.project.guidelines.order_by("role", "n").values_list("role", "n", "text"):
        if (role, n) in named:
            name = datasheet.guideline_path(role, n, release.suffix)
            (folder / name).parent.mkdir(exist_ok=True)
            files[name] = write_bytes(folder / name, datasheet.guideline_bytes(text))
    return files
