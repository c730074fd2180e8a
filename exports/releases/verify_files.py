"""A release checked against itself: its checksums, and what its files say computed again.

It runs without Django: a stranger has the files and this code, neither settings nor a database.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import file_digest
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from annotation import kinds
from annotation.core.rules.os_errors import os_reason
from annotation.core.rules.version import EARLIER, RELEASE
from annotation.kinds import Kind
from annotation.tasks.rules.known import remember
from annotation.tasks.rules.reading import SLUG_PREFIX, TaskRefused, read, task_file
from exports.aligned.rules.verify import AlignedSet
from exports.formats.rules.configs import RAW, path_of
from exports.releases.rewrite import Draw, check_rewritten, known_rules
from exports.releases.rules import hidden, manifest, signature, soft_labels
from exports.releases.rules.human import check_human
from exports.releases.rules.media import check_media
from exports.releases.rules.settings import TEST
from exports.releases.rules.splits import WITHHELD
from exports.releases.rules.unanswered import Unanswered
from exports.releases.rules.unchecked import unchecked_facts, unchecked_hidden
from exports.releases.rules.verify import (
    Check,
    RecomputedDeal,
    RecomputedGold,
    group_by_item,
    join_rows_and_votes,
)
from exports.releases.rules.verify_bytes import check_lines
from exports.releases.rules.verify_columns import raw_faults
from exports.releases.rules.verify_facts import check_facts
from exports.releases.rules.verify_gold_origins import check_gold_origins, check_seals, recompute_audits
from exports.releases.rules.verify_shape import check_hidden, check_shape
from exports.releases.rules.verify_signature import check_signature
from exports.releases.rules.verify_votes import RecountedRows, VoteRules

MANIFEST = "manifest.json"
_LEFT_OUT = hidden.hidden_path(hidden.LEFT_OUT)
# Exit codes of whoever runs this, besides 0.
DIFFERS, UNUSABLE = 1, 2
DIFFERENT = "This is not the release that its manifest describes."


class UnreadableRelease(Exception):
    """The folder holds no release; the message says why."""


@dataclass(frozen=True)
class VerificationReport:
    """What was checked, one after another, and what was not, in words.

    `rebuilt` is None where this database does not hold the release, or where there is none (`no_database`).
    """

    published: Mapping[str, Any]
    checks: list[Check]
    unchecked: list[str] = field(default_factory=list)
    signature: str = signature.NOT_SIGNED
    rebuilt: Check | None = None
    no_database: bool = False

    @property
    def right(self) -> bool:
        """Whether nothing differs."""
        return not any(check.wrong for check in self._all_checks())

    def _all_checks(self) -> list[Check]:
        return [*self.checks, *([self.rebuilt] if self.rebuilt else [])]

    def lines(self) -> Iterator[str]:
        """Each check with its first faults, as commands print it."""
        for check in self._all_checks():
            note = f" ({check.note})" if check.note else ""
            yield f"{check.done - check.wrong} of {check.done} {check.what} are right{note}"
            yield from (f"  {fault}" for fault in check.faults)
            if check.wrong > len(check.faults):
                yield f"  and {check.wrong - len(check.faults)} more"
        yield f"Signature: {self.signature}"


def verify_files(
    folder: Path,
    *,
    manifest_sha256: str = "",
    public_keys: Sequence[signature.PublicKey] = (),
    software: str = RELEASE,
    draw: Draw | None = None,
) -> VerificationReport:
    """Check the release that lies in a folder by its files alone; its manifest against a SHA-256 that was published
    elsewhere, and by one of these keys. `software` is the version of who checks, `draw` what draws pictures of cards.

    Raises UnreadableRelease.
    """
    published = _manifest(folder, software)
    checks, unchecked = [_check_files(folder, published)], list[str]()
    if manifest_sha256:
        checks.append(_check_anchor(folder, manifest_sha256))
    signed, words = check_signature(folder, published, file_sha256(folder / MANIFEST), public_keys)
    checks += [signed] if signed.done else []
    if not checks[0].wrong:
        more, unchecked = _check_contents(folder, published, software, draw)
        checks += more
    if signed.done and not public_keys:
        unchecked.append(f"whose key signed it: give {signature.PUBLIC_KEY_OPTION} with a key of the site that made it")
    return VerificationReport(published, checks, unchecked, words)


# What reading a file raises that is not as the writers leave it.
_UNREADABLE = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, StopIteration)


def _check_contents(
    folder: Path, published: Mapping[str, Any], software: str, draw: Draw | None
) -> tuple[list[Check], list[str]]:
    """Each project's rows and votes, then everything that follows from them, written again."""
    checks, unchecked = list[Check](), list[str]()
    same = published["software"]["version"] == software
    try:
        for part in published.get("parts", [published]):
            checks += _check_part(folder, part, published["files"], unchecked, same_version=same)
        checks += [check_lines(folder, published["files"])] if same else []
        written, unwritten = check_rewritten(folder, published, software, draw)
    except _UNREADABLE as error:
        check = Check("files as a build leaves them")
        check.count(False, f"a value is missing or of another kind ({type(error).__name__}: {error})")
        return [*checks, check], []
    return checks + written, list(dict.fromkeys(unchecked + unwritten))


def _manifest(folder: Path, software: str) -> dict[str, Any]:
    try:
        published = orjson.loads((folder / MANIFEST).read_bytes())
        if published["format"] != manifest.FORMAT:
            raise UnreadableRelease(
                f"{folder}: its format is {published['format']}, this Mufakat reads {manifest.FORMAT}"
            )
        assert isinstance(published["files"], dict)  # noqa: S101 - what is no manifest ends below
        made_by = published["software"]
        if made_by["name"] != "Mufakat" or made_by["version"] not in (software, RELEASE, *EARLIER):
            raise UnreadableRelease(
                f"{folder}: it was made by a version that this verifier does not know: {made_by['name']} "
                f"{made_by['version']}; this is Mufakat {software}"
            )
    except OSError as error:
        raise UnreadableRelease(f"{folder / MANIFEST}: {os_reason(error)}") from None
    except (orjson.JSONDecodeError, KeyError, TypeError, AssertionError):
        raise UnreadableRelease(f"{folder / MANIFEST}: is no manifest of a release") from None
    return dict(published)


def _check_anchor(folder: Path, wanted: str) -> Check:
    """The manifest, which names every file by its hash, against the hash that was published of it."""
    check, digest = Check("manifests with the SHA-256 that was given"), file_sha256(folder / MANIFEST)
    check.count(digest == wanted.strip().lower(), f"{MANIFEST}: its SHA-256 is {digest}")
    return check


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _check_files(folder: Path, published: Mapping[str, Any]) -> Check:
    """Every listed file with its SHA-256, and nothing beside them; the hidden ones may lie elsewhere."""
    check, away = Check("files with their SHA-256"), 0
    for name, facts in published["files"].items():
        path = folder / name
        if not path.is_file():
            away += hidden.is_hidden(name)
            if not hidden.is_hidden(name):
                check.count(False, f"{name}: is missing")
        else:
            check.count(file_sha256(path) == facts["sha256"], f"{name}: is not the file that was released")
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            check.count(False, f"{name}: is a link or no file: a release has neither")
        elif path.is_file() and name not in (MANIFEST, signature.FILE) and name not in published["files"]:
            check.count(False, f"{name}: is no file of this release")
    check.note = f"{away} hidden files are not here" if away else ""
    return check


def _check_part(
    folder: Path, part: Mapping[str, Any], listed: Mapping[str, Any], unchecked: list[str], *, same_version: bool
) -> list[Check]:
    """One project's rows computed again from its votes and rules."""
    _learn_task(folder, part)
    kind = kinds.get(part["project"]["kind"])
    unchecked += unchecked_facts(part, known_rules(part["rules"]))
    with ExitStack() as stack:

        def rows_of(path: str) -> Iterator[dict[str, Any]]:
            there = (folder / path).is_file()
            return map(orjson.loads, stack.enter_context((folder / path).open("rb"))) if there else iter(())

        if "tasks" in part["counts"]:
            # Whole sets of translations, each row approved: there is no gold in them to count.
            groups = group_by_item(rows_of(path_of("votes", part.get("suffix", ""))), kind.export.id_column)
            checks = AlignedSet(part, VoteRules(kind, part), groups, rows_of).checks()
            shape = [check_shape(part, kind, Unanswered(()))] if same_version else []
            return [*checks, check_facts(part, ()), check_seals(part["protocols"]), *check_human(part), *shape]
        checks, all_here = _check_splits(folder, part, kind, rows_of, same_version=same_version)
        if known_rules(part["rules"]).hidden_test:
            test, votes = (rows_of(path_of(name, part.get("suffix", ""))) for name in (TEST, "votes"))
            checks.append(check_hidden(part, kind, listed, test, votes))
            unchecked += [] if all_here else [unchecked_hidden(part)]
        return checks


def _check_splits(
    folder: Path,
    part: Mapping[str, Any],
    kind: Kind,
    rows_of: Callable[[str], Iterator[dict[str, Any]]],
    *,
    same_version: bool,
) -> tuple[list[Check], bool]:
    """The rows of a release of splits, from their votes and rules; whether every file of them is here."""
    rules, suffix = known_rules(part["rules"]), part.get("suffix", "")

    def rows(name: str) -> Iterator[dict[str, Any]]:
        return rows_of(path_of(name, suffix))

    own_ids = {row["open_id"]: str(row[kind.export.id_column]) for row in rows(hidden.hidden_path(hidden.IDS))}
    steps = list(rows(hidden.hidden_path(manifest.AUDITS) if rules.hidden_test else manifest.AUDITS))
    gold, dealing = RecomputedGold(kind, part["protocols"], steps, own_ids), RecomputedDeal(kind, rules)
    recounted, cast = RecountedRows(kind, part), VoteRules(kind, part)
    # Rows of a hidden split have no label.
    there = [name for name in part["counts"]["splits"] if (folder / path_of(name, suffix)).is_file()]
    splits = {name: rows(name) for name in there if not hidden.hides_answers(rules, name)}
    groups = group_by_item(rows("votes"), kind.export.id_column)
    join_rows_and_votes(gold, cast.watch(groups), splits, recounted.add)
    all_here = not rules.hidden_test or (folder / path_of(hidden.hidden_path("votes"), suffix)).is_file()
    if all_here and rules.hidden_test:
        more = group_by_item(rows(hidden.hidden_path("votes")), kind.export.id_column)
        cast.left_out = {str(row[kind.export.id_column]): row["left_out"] for row in rows(_LEFT_OUT)}
        join_rows_and_votes(gold, cast.watch(more), {TEST: rows(hidden.hidden_path(TEST))}, recounted.add)
    if own_ids:
        recounted.check_open_ids(own_ids, chain.from_iterable(rows(name) for name in there))
    media = check_media(folder, kind, suffix, chain.from_iterable(rows(name) for name in there))
    checks = [gold.gold, gold.labels, *([gold.places] if gold.places.done else []), *([media] if media else [])]
    checks += [cast.check, recounted.check, check_facts(part, recounted.keys)]
    for name in there:
        if (folder / path_of(f"{RAW}/{name}", suffix)).is_file():
            checks.append(_check_raw(kind, name, rows(f"{RAW}/{name}"), rows(name)))
    checks += [recounted.compare(cast)] if all_here else []
    checks += [check_shape(part, kind, gold.unanswered)] if same_version else []
    if "unanswered" in part["counts"]:
        checks.append(_check_unanswered(part["counts"], gold))
    if soft_labels.NAME in part["counts"]:
        checks.append(_check_soft_labels(kind, part))
    if "arose" in part["counts"]:
        checks += [gold.stops, *_check_gold_origins(part, gold, steps if all_here else None, same_version=same_version)]
    checks += [check_seals(part["protocols"]), *check_human(part)]
    untold = f"{gold.untold} do not tell what their author said" if gold.untold else ""
    gold.gold.note = ", ".join(filter(None, (f"{gold.without} have no votes" if gold.without else "", untold)))
    # What was withdrawn had a say in the deal, and is in no file.
    left_out = sum(part["counts"]["left_out"].get(reason, 0) for reason in WITHHELD)
    if dealing.possible and left_out:
        dealing.check.note = f"not computed: {left_out} rows were withdrawn since, the others keep their splits"
        checks.append(dealing.check)
    elif dealing.possible:
        checks.append(_check_deal(folder, part, dealing, suffix))
    return checks, all_here


def _check_raw(kind: Kind, split: str, raw: Iterator[dict[str, Any]], made: Iterator[dict[str, Any]]) -> Check:
    """The rows of a split as a machine wrote them, beside those that were made of them."""
    check, column = Check(f"rows of {split} as a machine wrote them"), kind.export.id_column
    by_id = {str(row[column]): row for row in made if row.get("origin") == "machine"}
    for row in raw:
        key = str(row[column])
        faults = list(raw_faults(row, by_id.pop(key, None)))
        check.count(not faults, f"{key}: {'; '.join(faults)}")
    for key in by_id:
        check.count(False, f"{key}: a machine wrote it, and it is not there as it was written")
    return check


def _check_unanswered(counts: Mapping[str, Any], gold: RecomputedGold) -> Check:
    """How many rows with gold lack an answer to a required question, counted again; releases of before do not say."""
    check = Check("rows without an answer to a required question")
    again, said = gold.unanswered.counts().get("unanswered"), counts["unanswered"]
    check.count(again == said, f"the manifest says {said}, the rows have {again}")
    return check


def _check_soft_labels(kind: Kind, part: Mapping[str, Any]) -> Check:
    """What the manifest says of soft labels, told again from its protocols and counts."""
    check, stored = Check("what soft labels rest on"), part["counts"][soft_labels.NAME]
    again = soft_labels.soft_labels(kind, part["protocols"], part["counts"]).get(soft_labels.NAME)
    check.count(again == stored, f"the manifest says {stored}, its protocols give {again}")
    return check


def _check_gold_origins(
    part: Mapping[str, Any], gold: RecomputedGold, steps: Sequence[Mapping[str, Any]] | None, *, same_version: bool
) -> list[Check]:
    """How the gold labels arose, counted again; the audits taken again, step by step. None: hidden files are away."""
    arose = part["counts"]["arose"]
    if steps is None:
        return [Check("how the gold labels arose, counted again", note="not counted: the hidden files are not here")]
    audits, checks = arose.get("audits", {}), list[Check]()
    if audits:
        check, audits = recompute_audits(part["protocols"], audits, steps, gold)
        checks = [check]
    return [*checks, check_gold_origins(arose, gold, audits, same_version=same_version)]


def _learn_task(folder: Path, part: Mapping[str, Any]) -> None:
    """Read the description of a team's own task, which no other database has. Raises Unreadable."""
    slug, name = part["project"]["kind"], task_file(part.get("suffix", ""))
    if not slug.startswith(SLUG_PREFIX):
        return
    try:
        found = remember(read((folder / name).read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, TaskRefused) as error:
        raise UnreadableRelease(f"{folder / name}: {error}") from None
    if found != slug:
        raise UnreadableRelease(f"{folder / name}: describes another task than the manifest names")


def _check_deal(folder: Path, part: Mapping[str, Any], dealing: RecomputedDeal, suffix: str) -> Check:
    for split in part["counts"]["splits"]:
        with (folder / path_of(split, suffix)).open("rb") as lines:
            for row in map(orjson.loads, lines):
                judged = row["annotation_round"] if "annotation_round" in row else row.get("annotator_ids")
                dealing.add(str(row[dealing.kind.export.id_column]), row, split, voted=bool(judged))
    dealing.compare()
    return dealing.check
