"""What a release asks of a model: its rows with their labels, read from its files, whether these are hidden or not."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import orjson

from annotation import kinds
from annotation.content.models.item import Item, Revision
from annotation.content.rules.released_ids import released_id
from annotation.core.errors import Conflict
from annotation.files import StoreUnavailable, storage
from annotation.jobs.bulk import any_of
from annotation.kinds import Kind
from exports.formats.rules.configs import PartIn, configs, path_of
from exports.predictions.rules import AskedRow, asked_of, asked_of_config
from exports.releases.models import Release
from exports.releases.rules import hidden
from exports.releases.rules.settings import ALIGNED, SPLITS, SplitRules, layout_of
from validation.consensus.design import COMPLETE, votes_behind
from validation.consensus.protocol import Protocol


def kind_of(release: Release) -> Kind:
    """The kind as it was when the release was frozen."""
    return kinds.get(release.context.get("kind", release.project.kind))


def hides_test_answers(release: Release) -> bool:
    """Whether the answers of its test are hidden."""
    return SplitRules.from_stored(release.rules).hidden_test


def protocols_of(release: Release) -> list[Protocol]:
    """The versions of the protocol that its votes were asked for by."""
    return [Protocol.from_stored(version["rules"]) for version in release.context.get("protocols", ())]


def votes_behind_soft_labels(release: Release) -> str:
    """Which votes figures against distributions of labels rest on, in words."""
    imported = bool(release.counts.get("people", {}).get("votes_imported"))
    return votes_behind(protocols_of(release), COMPLETE, imported=imported)


def asked_rows(release: Release) -> list[AskedRow]:
    """Every row that can be scored, by split. Raises Conflict where the release is not ready, or its files are gone."""
    if release.state != Release.State.READY:
        raise Conflict(code="predictions_nothing")
    aligned = layout_of(release.project.kind_spec.shape) == ALIGNED
    found = list(_of_configs(release) if aligned else _of_splits(release))
    if not found:
        raise Conflict(code="predictions_nothing")
    return found


def _of_splits(release: Release) -> Iterator[AskedRow]:
    """The rows of its splits that have a label."""
    kind, rules = kind_of(release), SplitRules.from_stored(release.rules)
    public_id, protocols = partial(hidden.open_id, release.project.secret), protocols_of(release)
    for split in SPLITS:
        open_name = path_of(split, release.suffix)
        name = hidden.hidden_path(open_name) if hidden.hides_answers(rules, split) else open_name
        for row in _rows(release, name):
            id = str(row[kind.export.id_column])
            each = asked_of(kind, row, split, public_id(id) if name != open_name else id, protocols)
            if each is not None:
                yield each


def _of_configs(release: Release) -> Iterator[AskedRow]:
    """The rows of every task and target of an aligned set, each a split by itself."""
    kind, rules, project = kind_of(release), SplitRules.from_stored(release.rules), release.project
    part = PartIn(kind, project.language, "", release.suffix, release.counts, release.context, rules.open_qa)
    for config in configs([part], release.manifest["files"]):
        for split, path in config.splits.items():
            name = config.name if len(config.splits) == 1 else f"{config.name}:{split}"
            for row in _rows(release, path):
                each = asked_of_config(config, row, name)
                if each is not None:
                    yield each


def _rows(release: Release, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a file, none where the release has no such file. Raises Conflict where it lies elsewhere."""
    if name not in release.manifest["files"]:
        return
    try:
        lines = b"".join(storage().read(f"{release.path}/{name}")).splitlines()
    except StoreUnavailable:
        raise  # what waits for it is done later
    except OSError:
        raise Conflict(code="predictions_no_files") from None
    yield from map(orjson.loads, lines)


def items_of(release: Release) -> dict[str, tuple[int, int]]:
    """The items behind the released ids, and the revisions that they have there."""
    kind, secret, covered = kind_of(release), release.project.secret, hides_test_answers(release)
    found = {}
    for key, item, revision in release.rows.exclude(split="").values_list("key", "item_id", "revision_n"):
        id = released_id(secret, key) if kind.export.opaque_ids else key
        found[hidden.open_id(secret, id) if covered else id] = item, revision
    return found


def sources_of(release: Release) -> dict[str, int]:
    """The sources of the items behind the released ids: what shares one is no independent sample."""
    items = items_of(release)
    rows = Item.objects.filter(pk__in=any_of([item for item, _ in items.values()])).values_list("pk", "family")
    families = dict(rows.iterator(chunk_size=2000))
    return {id: families[item] for id, (item, _) in items.items() if item in families}


def contents_of(release: Release) -> dict[str, dict[str, Any]]:
    """What the rows say, by their released ids."""
    items = items_of(release)
    wanted = Revision.objects.filter(item__in=any_of([item for item, _ in items.values()]))
    rows = wanted.values_list("item_id", "n", "content").iterator(chunk_size=2000)
    revisions = set(items.values())
    texts = {item: content for item, n, content in rows if (item, n) in revisions}
    return {id: texts[item] for id, (item, _) in items.items() if item in texts}
