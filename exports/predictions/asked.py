"""What a release asks of a model: its rows with their labels, read from its files, whether these are hidden or not."""

from functools import partial

import orjson

from annotation import kinds
from annotation.content.rules.released_ids import released_id
from annotation.core.errors import Conflict
from annotation.files import storage
from annotation.kinds import Kind
from exports.formats.rules.configs import path_of
from exports.predictions.rules import Asked, asked_of
from exports.releases.models import Release
from exports.releases.rules import hidden
from exports.releases.rules.settings import ALIGNED, SPLITS, SplitRules, layout_of


def kind_of(release: Release) -> Kind:
    """The kind as it was when the release was frozen."""
    return kinds.get(release.context.get("kind", release.project.kind))


def hides(release: Release) -> bool:
    """Whether the answers of its test are hidden."""
    return SplitRules.stored(release.rules).hidden_test


def asked(release: Release) -> list[Asked]:
    """Every row with a label, by split. Raises Conflict where the release is not ready, or its files are elsewhere."""
    if release.state != Release.State.READY or layout_of(release.project.kind_spec.shape) == ALIGNED:
        raise Conflict(code="predictions_nothing")
    kind, rules = kind_of(release), SplitRules.stored(release.rules)
    found = []
    told = partial(hidden.open_id, release.project.secret)
    for split in SPLITS:
        open_name = path_of(split, release.suffix)
        name = hidden.inside(open_name) if hidden.hides(rules, split) else open_name
        if name not in release.manifest["files"]:
            continue
        try:
            lines = b"".join(storage().read(f"{release.path}/{name}")).splitlines()
        except OSError:
            raise Conflict(code="predictions_no_files") from None
        for line in lines:
            row = orjson.loads(line)
            id = str(row[kind.export.id_column])
            each = asked_of(kind, row, split, told(id) if name != open_name else id)
            if each is not None:
                found.append(each)
    if not found:
        raise Conflict(code="predictions_nothing")
    return found


def items_of(release: Release) -> dict[str, int]:
    """The items behind the released ids."""
    kind, secret, covered = kind_of(release), release.project.secret, hides(release)
    found = {}
    for key, item in release.rows.exclude(split="").values_list("key", "item_id"):
        id = released_id(secret, key) if kind.export.opaque_ids else key
        found[hidden.open_id(secret, id) if covered else id] = item
    return found
