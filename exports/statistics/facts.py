"""Reading a release for its tables: its frozen rows and texts a page at a time, and the votes that its files count."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from django.db.models import F

from annotation import kinds
from annotation.content import shapes
from annotation.content.models.item import Revision
from annotation.content.rules.released_ids import released_id
from annotation.core.errors import Conflict
from annotation.files import StoreUnavailable, storage
from annotation.jobs.bulk import any_of
from exports.formats.rules.configs import path_of
from exports.releases.models import Release
from exports.releases.rules import hidden
from exports.releases.rules.settings import TEST, SplitRules
from exports.statistics.drawing import TableFacts
from exports.statistics.people import PeopleRows, people_of
from exports.statistics.rules import WHOLE, Item, ReleaseCounts, in_split_order
from validation.consensus import stages
from validation.consensus.protocol import Protocol
from validation.review.models.assessment import Assessment
from validation.review.rules.assessments import NO_ERROR, NO_ERROR_NAME, PARTS

PAGE = 1000
VOTES = "votes"
ENDED_STAGES = (stages.SETTLED, stages.NO_CONSENSUS, stages.ADJUDICATED)
Votes = dict[str, tuple[str, ...]]


def facts_of(release: Release, tick: Callable[[], None]) -> tuple[TableFacts, PeopleRows]:
    """All that the tables of a release are made from. Raises Conflict where it is not ready, or its files are gone."""
    if release.state != Release.State.READY:
        raise Conflict(code="release_not_ready")
    project = release.project
    names = dict(project.targets.values_list("pk", "key"))
    kind = kinds.get(release.context.get("kind", project.kind))
    covered = frozenset({TEST} if SplitRules.from_stored(release.rules).hidden_test else ())
    # The protocol as it was frozen: one that was sealed since is none of this release.
    gathered = ReleaseCounts(kind, Protocol.from_stored(release.context["protocols"][-1]["rules"]), covered)
    told = partial(released_id, project.secret) if kind.export.opaque_ids else str
    for item in _items(release, names, _votes(release, kind.export.id_column), told):
        gathered.add(item)
        tick()
    people = people_of(release, names)
    facts = TableFacts(gathered, people.people, people.crossed, _count_errors(release), _tasks(release), people.genders)
    return facts, people


def _votes(release: Release, column: str) -> Votes:
    """The labels that count of each item, as files write them, by its released id, in their order."""
    name, found = path_of(VOTES, release.suffix), defaultdict[str, list[str]](list)
    for path in (name, hidden.hidden_path(name)):
        if path in release.manifest["files"]:
            try:
                lines = b"".join(storage().read(f"{release.path}/{path}")).splitlines()
            except StoreUnavailable:
                raise  # the job is done again when the store answers
            except OSError:
                raise Conflict(code="predictions_no_files") from None
            for vote in map(orjson.loads, lines):
                if vote["counted"]:
                    found[vote[column]].append(vote["label"])
    return {id: tuple(labels) for id, labels in found.items()}


def _items(release: Release, names: dict[int, str], votes: Votes, told: Callable[[str], str]) -> Iterator[Item]:
    """Every frozen row, with its text as it stood."""
    shape, several = shapes.get(release.project.kind_spec.shape), len(names) > 1
    kind = release.project.kind_spec
    rows = release.rows.order_by("pk").annotate(group=F(f"item__{shape.group_path}"), target=F("item__target_id"))
    last = 0
    while page := list(rows.filter(pk__gt=last)[:PAGE]):
        last, contents = page[-1].pk, _contents({row.item_id: row.revision_n for row in page})
        for row in page:
            id = told(row.key)
            # Where answers are hidden, open votes stand under an id that says nothing.
            given = votes.get(id) or votes.get(hidden.open_id(release.project.secret, id), ())
            split = "" if row.left_out else row.split or TEST
            yield Item(
                split=split,
                target=names[row.target] if several else "",
                content=contents.get(row.item_id, {}),
                label=row.label,
                author_label=kind.export.spell(row.author_label) if row.author_label else "",
                gold=kind.export.spell(row.gold) if row.gold_from == "votes" else "",
                group=row.group or "",
                ended=bool(given) and row.stage in ENDED_STAGES,
                votes=given,
            )


def _contents(revisions: dict[int, int]) -> dict[int, dict[str, Any]]:
    rows = Revision.objects.filter(item__in=any_of(revisions)).values_list("item_id", "n", "content")
    return {item: content for item, n, content in rows if revisions[item] == n}


def _count_errors(release: Release) -> list[dict[str, Any]]:
    """How many released items have each error in each part, by split and in all, by the verdicts of that moment."""
    splits = dict(release.rows.filter(left_out="").values_list("item_id", "split"))
    newest: dict[tuple[int, str], str] = {}
    verdicts = Assessment.objects.filter(project=release.project, at__lte=release.at).order_by("n")
    for item, part, error in verdicts.values_list("item_id", "part", "error"):
        if item in splits:
            newest[item, part] = error
    counts: Counter[tuple[str, str, str]] = Counter()
    for (item, part), error in newest.items():
        counts[part, error, splits[item] or TEST] += 1
        counts[part, error, WHOLE] += 1
    there = in_split_order({split for _, _, split in counts} - {WHOLE})
    return [
        {"part": part.name, "error": name, "split": split, "n": counts[key, code, split]}
        for key, part in PARTS.items()
        for split in ([*there, WHOLE] if len(there) > 1 else there)
        for code, name in ((NO_ERROR, NO_ERROR_NAME), *part.errors)
        if any(counts[key, each, split] for each in (NO_ERROR, *part.codes))
    ]


def _tasks(release: Release) -> list[dict[str, Any]]:
    """The tasks of an aligned set by the rows of their files, the source's among them; none of others."""
    files = release.manifest["files"]
    source = path_of(release.counts.get("source", {}).get("file", ""), release.suffix)
    found = []
    for task in release.counts.get("tasks", ()):
        rows = [target["released"] for target in task["targets"] if target["released"]]
        mine = (name for name in files if name.startswith(f"{task['folder']}/"))
        if of_source := sum(files[name]["rows"] for name in mine if Path(name).name == source):
            rows.append(of_source)
        found.append(
            {
                "task": task["task"],
                "from": task["derived_from"],
                "rows": max(rows, default=0),
                "languages": len(rows),
                "total": sum(rows),
            }
        )
    return found
