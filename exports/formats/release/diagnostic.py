"""The diagnostic set: the items of the release whose phenomena an expert went through, in one file a project."""

import orjson

from annotation.text.gettext import gettext_noop
from exports.formats.release.base import Form, Part, ReleaseFiles
from exports.formats.rules.configs import path_of
from exports.releases.rules.diagnostic import NAME, diagnostic_rows, tags_in


def write(release: ReleaseFiles) -> None:
    """A file for each project that has a set with an item in the release."""
    for part in release.parts:
        _write(release, part)


def _write(release: ReleaseFiles, part: Part) -> None:
    tags, lines = tags_in(part.context), list[bytes]()
    names = (path_of(split, part.suffix) for split in part.counts.get("splits", ())) if tags else ()
    for name in names:
        # Of a file that is for few there is nothing here: what a test's labels are stays untold.
        if name in release.files and release.is_public(name):
            rows = diagnostic_rows(part.kind, release.iter_rows(name), tags)
            lines += [orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows]
    if lines:
        release.put(path_of(NAME, part.suffix), b"".join(lines), len(lines))


FORM = Form(
    slug="diagnostic",
    title=gettext_noop("Diagnostic set"),
    help=gettext_noop("The items whose phenomena an expert confirmed or changed, as JSON Lines."),
    write=write,
    order=10,
    applies_to=lambda release: any(tags_in(part.context) for part in release.parts),
)
