"""What every release of this version has, so that no section can be taken out as if an older version had made it.

Pure.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.kinds import Kind
from exports.formats.rules.configs import RAW, path_of
from exports.releases.rules import datasheet, hidden, manifest, soft_labels
from exports.releases.rules.settings import TEST, SplitRules, rule_names
from exports.releases.rules.unanswered import Unanswered
from exports.releases.rules.verify import Check, Row
from validation.consensus.protocol import Protocol

_PART = ("project", "rules", "protocols", "guidelines", "unfinished_sets", "about", "counts", "left_out")
_COUNTS = ("items", "released", "left_out", "votes", "people", "source_licences")
_OF_SPLITS, _OF_TASKS = ("splits", "shared", "arose"), ("tasks", "targets", "source", "approvals")
# What each of these has at least.
_WITHIN: Mapping[str, tuple[str, ...]] = {
    "project": ("slug", "name", "kind", "language"),
    "about": ("canary", "licence", "citation", "homepage", "ethics", "consent", "statement", "answers", "people"),
    datasheet.CONTEXT: ("asked", "card", "collection", "pay", "findings", "guidelines"),
}
_COLLECTION = ("writing", "voting", "imported_items", "imported_votes", "seconds", "timed_votes")
_AROSE = ("rows", "labels", "stop_reasons", "rounds")
_PROTOCOL = ("n", "rules", "digest", "votes_before")
_HIDES = SplitRules(hidden_test=True)


def check_shape(part: Mapping[str, Any], kind: Kind, unanswered: Unanswered) -> Check:
    """The sections of one project in a manifest: each that a build of this version writes."""
    check = Check("sections of the manifest")
    for name in _missing(part, kind, unanswered):
        check.count(False, f"{name}: is missing, and a build of this version writes it")
    names = {"preset", *rule_names(kind.shape, kind.settings)}
    differ = sorted(names ^ part["rules"].keys())
    check.count(not differ, f"rules: {', '.join(differ)}: is missing, or is no rule of such a project")
    return check


def _missing(part: Mapping[str, Any], kind: Kind, unanswered: Unanswered) -> Iterator[str]:
    counts = part["counts"]
    yield from (name for name in _PART if name not in part)
    for name, names in _WITHIN.items():
        yield from (f"{name}.{each}" for each in names if name in part and each not in part[name])
    for n, version in enumerate(part["protocols"]):
        yield from (f"protocols.{n}.{name}" for name in _PROTOCOL if name not in version)
    of_kind = _OF_TASKS if "tasks" in counts else _OF_SPLITS
    yield from (f"counts.{name}" for name in (*_COUNTS, *of_kind) if name not in counts)
    if not repeats_older(part):
        if datasheet.CONTEXT not in part:
            yield datasheet.CONTEXT
        elif datasheet.PICTURE not in part and _has_open_row(part):
            yield datasheet.PICTURE
    collection = part.get(datasheet.CONTEXT, {}).get("collection", {})
    yield from (f"datasheet.collection.{name}" for name in _COLLECTION if collection and name not in collection)
    if "tasks" not in counts:
        yield from _missing_origins(part, kind, unanswered)


def _missing_origins(part: Mapping[str, Any], kind: Kind, unanswered: Unanswered) -> Iterator[str]:
    """Of what is said of gold, and of answers that rows lack."""
    counts = part["counts"]
    arose = counts.get("arose", {})
    yield from (f"counts.arose.{name}" for name in _AROSE if name not in arose)
    for version in part["protocols"]:
        n = str(version["n"])
        if Protocol.from_dict(version["rules"]).alpha and n not in arose.get("audits", {}):
            yield f"counts.arose.audits.{n}"
    again = soft_labels.soft_labels(kind, part["protocols"], counts)
    yield from (f"counts.{name}" for name in again if name not in counts)
    if not part["rules"].get("hidden_test"):
        yield from (f"counts.{name}" for name in unanswered.counts() if name not in counts)


def repeats_older(part: Mapping[str, Any]) -> bool:
    """Whether a release repeats an earlier one, which may be of before there were datasheets."""
    return "replaces" in part and datasheet.CONTEXT not in part


def _has_open_row(part: Mapping[str, Any]) -> bool:
    """Whether there is a row whose answers are not hidden, of which a picture can be drawn."""
    counts = part["counts"]
    if "tasks" in counts:
        return bool(counts["released"])
    hides = bool(part["rules"].get("hidden_test"))
    return any(split["rows"] for name, split in counts["splits"].items() if not (hides and name == TEST))


def check_hidden(
    part: Mapping[str, Any], kind: Kind, listed: Mapping[str, Any], test: Iterable[Row], votes: Iterable[Row]
) -> Check:
    """A release that hides answers names what it hides by hash, and tells none: not in `test` or `votes`, as they
    stand open, nor in its manifest."""
    check, suffix, counts = Check("answers that are hidden"), part.get("suffix", ""), part["counts"]
    names = ["votes", hidden.IDS, hidden.LEFT_OUT, *([TEST] if counts["splits"].get(TEST, {}).get("rows") else [])]
    names += [manifest.AUDITS] if "audits" in counts.get("arose", {}) else []
    for name in names:
        path = path_of(hidden.hidden_path(name), suffix)
        check.count(path in listed, f"{path}: the rules hide answers, and the manifest does not name it")
    told = [name for name in ("labels", "levels") if counts["splits"].get(TEST, {}).get(name)]
    told += [name for name in ("seed",) if part["rules"].get(name)]
    told += [name for name in ("left_out",) if part.get(name)] + [name for name in ("unanswered",) if name in counts]
    check.count(not told, f"the rules hide answers, and the manifest tells {', '.join(told)}")
    for path in (path_of(f"{RAW}/{TEST}", suffix), path_of(manifest.AUDITS, suffix)):
        check.count(path not in listed, f"{path}: the rules hide answers, and it tells them")
    for row in test:
        more = sorted(row.keys() - hidden.question_row(kind, row).keys() - {kind.export.id_column})
        check.count(not more, f"{row[kind.export.id_column]}: of test, and it tells {', '.join(more)}")
    for vote in votes:
        right = not hidden.hides_votes(_HIDES, vote["split"] or "")
        check.count(right, f"{vote[kind.export.id_column]}: a vote on it stands open")
    return check
