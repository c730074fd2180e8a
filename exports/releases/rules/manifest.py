"""The manifest of a release: its rules and sources, the number of rows of each file, and their checksums.

Pure, and without any time of day: the same state, rules and seed give the same manifest. When it was frozen, and
under which number, stands in the database only.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import orjson

from annotation.kinds import Kind
from exports.releases.rules.rows import MOST_KEPT, JudgedVotes
from exports.releases.rules.settings import SPLITS
from exports.releases.rules.signature import FIELD as SIGNED_WITH
from exports.releases.rules.splits import REASONS, Outcome

FORMAT = 1
UNLISTED = "(not stated)"
# The file of audits, without its ending.
AUDITS = "audits"
MOST_LICENCES = 50
IMPORTED = "imported"
# What the names of those begin with whom a file does not name.
UNNAMED_PREFIX = "?"
# What not every release tells.
_OPTIONAL = ("about", "datasheet", "picture", "imports", "sources", "targets", "replaces", "human")


@dataclass
class Tally:
    """Counts what goes by while a release is written; nothing here grows with it but the keys left out.

    `imported_annotators` are the annotators of imported votes, by their pseudonyms here.
    """

    imported_annotators: Mapping[int, str] = field(default_factory=dict)

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    rounds: Counter[tuple[str, int]] = field(default_factory=Counter)
    judged: Counter[JudgedVotes] = field(default_factory=Counter)
    votes: Counter[str] = field(default_factory=Counter)
    voters: Counter[int] = field(default_factory=Counter)
    voted_items: int = 0
    authors: set[int] = field(default_factory=set)
    licences: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    machine: Counter[str] = field(default_factory=Counter)
    imported: int = 0
    unsigned: int = 0

    def add(
        self,
        key: str,
        outcome: Outcome,
        rnd: int,
        author: int | None,
        judged: JudgedVotes,
        licence: str,
        origin: str = "",
    ) -> None:
        """Count one item and its votes."""
        imported = origin == IMPORTED
        self.outcomes[outcome] += 1
        if outcome.split:
            self.rounds[outcome.split, rnd] += 1
            self.licences[licence or UNLISTED] += 1
            self.imported += imported
            if author is not None:
                self.authors.add(author)
            else:
                self.unsigned += imported
        else:
            self.left_out.setdefault(outcome.left_out, []).append(key)
        self.judged[judged] += 1
        if len(self.judged) >= MOST_KEPT:
            self._count_votes()

    def _count_votes(self) -> None:
        """Of verdicts that many items share the votes are counted once."""
        for judged, n in self.judged.items():
            self.voted_items += n * ("" in judged.withdrawal_reasons)
            for vote, why in zip(judged.votes, judged.withdrawal_reasons, strict=True):
                self.votes[why] += n
                self.voters[vote.annotator] += n
        self.judged.clear()

    def _people(self) -> dict[str, int]:
        """How many people wrote and voted; and where items or votes were imported, how many, and of how many nobody is
        known (a place-holder's name is nobody's)."""
        nobodies = {pk for pk, name in self.imported_annotators.items() if name.startswith(UNNAMED_PREFIX)}
        counts = {"authors": len(self.authors), "voters": len(self.voters.keys() - nobodies)}
        unknown = {
            "imported": self.imported,
            "author_unknown": self.unsigned,
            "votes_imported": sum(self.voters[pk] for pk in self.imported_annotators),
            "voter_unknown": sum(self.voters[pk] for pk in nobodies),
        }
        return counts | {name: n for name, n in unknown.items() if n}

    def counts(self, spell: Mapping[str, str], files: Sequence[str]) -> dict[str, Any]:
        """The counts as manifest, card and page give them."""
        self._count_votes()
        done = split_counts(self.outcomes, spell, files)
        for name, split in done["splits"].items():
            rounds = {rnd: n for (where, rnd), n in self.rounds.items() if where == name}
            split["rounds"] = {str(rnd): rounds[rnd] for rnd in sorted(rounds)}
        counted = self.votes.get("", 0)
        done["votes"] = {
            "given": sum(self.votes.values()),
            "counted": counted,
            "items": self.voted_items,
            "not_counted": {why: self.votes[why] for why in sorted(self.votes) if why},
        }
        done["people"] = self._people()
        if self.machine:
            done["machine"] = {
                "rows": self.machine.total(),
                "models": {model or UNLISTED: self.machine[model] for model in sorted(self.machine)},
            }
        licences = sorted(self.licences.items(), key=lambda pair: (-pair[1], pair[0]))
        done["source_licences"] = dict(licences[:MOST_LICENCES])
        return done


class _AnyAnswer(dict[str, str]):
    """One word for every answer."""

    def get(self, label: str, default: Any = None) -> Any:
        return "answered" if label else default


def spellings(kind: Kind) -> dict[str, str]:
    """The labels of the kind's rows as files write them; where answers are of any sort they are counted as one."""
    if kind.question.has_free_answers:
        return _AnyAnswer()
    return {label.key: kind.export.spell(label.key) for label in kind.question.release_labels}


def split_counts(outcomes: Mapping[Outcome, int], spell: Mapping[str, str], files: Sequence[str]) -> dict[str, Any]:
    """Rows by split, label and label source, and left out by reason: the preview, and the release itself."""
    splits: dict[str, Any] = {}
    others = {outcome.split for outcome in outcomes} - {"", *SPLITS}
    for name in (*SPLITS, *sorted(others)):
        here = [(outcome, n) for outcome, n in outcomes.items() if outcome.split == name]
        if not here and name not in files:
            continue
        labels: Counter[str] = Counter()
        sources: Counter[str] = Counter()
        for outcome, n in here:
            labels[outcome.label] += n
            sources[outcome.source] += n
        splits[name] = {
            "rows": sum(labels.values()),
            "labels": _merge_spellings(labels, spell),
            "label_sources": {source: sources[source] for source in sorted(sources)},
            **_machine_counts(here),
        }
    out: Counter[str] = Counter()
    for outcome, n in outcomes.items():
        if not outcome.split:
            out[outcome.left_out] += n
    return {
        "items": sum(outcomes.values()),
        "released": sum(split["rows"] for split in splits.values()),
        "splits": splits,
        "left_out": {reason: out[reason] for reason in _in_known_order(out, REASONS)},
    }


def _merge_spellings(labels: Mapping[str, int], spell: Mapping[str, str]) -> dict[str, int]:
    """Labels as files write them; those that are written alike are counted together."""
    found: Counter[str] = Counter()
    for label in _in_known_order(labels, spell):
        found[spell.get(label, label)] += labels[label]
    return dict(found)


def _machine_counts(here: Sequence[tuple[Outcome, int]]) -> dict[str, Any]:
    """Of rows that a machine wrote: how many of each level, and answer keys that no person judged."""
    levels: Counter[str] = Counter()
    for outcome, n in here:
        levels[outcome.level] += n
    del levels[""]
    silver = sum(n for outcome, n in here if outcome.silver)
    return ({"levels": {level: levels[level] for level in sorted(levels)}} if levels else {}) | (
        {"silver": silver} if silver else {}
    )


def _in_known_order(found: Mapping[str, int], known: Mapping[str, object]) -> list[str]:
    """Known names in their own order, others after them by name."""
    return [name for name in known if name in found] + sorted(name for name in found if name not in known)


def manifest(*, parts: Sequence[Mapping[str, Any]], files: Mapping[str, Any], software: str) -> dict[str, Any]:
    """Put the manifest together. `parts`: what each project's build tells; `files`: name → rows, bytes, sha256.

    A release of several projects lists them under `parts`, and counts them together.
    """
    listed = {name: files[name] for name in sorted(files)}
    signed = parts[0]["context"].get(SIGNED_WITH)
    made_by = {"format": FORMAT, "software": {"name": "Mufakat", "version": software}}
    made_by |= {SIGNED_WITH: dict(signed)} if signed else {}
    if len(parts) == 1:
        first = part_manifest(parts[0])
        left_out = first.pop("left_out")
        return {**made_by, **first, "files": listed, "left_out": left_out}
    counts = {name: sum(each["counts"][name] for each in parts) for name in ("items", "released")}
    mine = [{"suffix": each["suffix"], **part_manifest(each)} for each in parts]
    return {**made_by, "parts": mine, "counts": counts, "files": listed}


def facts_sha256(whole: Mapping[str, Any]) -> str:
    """The SHA-256 of all that a manifest says but its list of files: the card repeats it."""
    facts = {name: value for name, value in whole.items() if name != "files"}
    return sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def part_manifest(described: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest says of one project."""
    context, left_out = described["context"], described["left_out"]
    return {
        "project": dict(described["project"]),
        "rules": dict(described["rules"]),
        "protocols": context["protocols"],
        "guidelines": context["guidelines"],
        "unfinished_sets": context["unfinished"],
        **{name: context[name] for name in _OPTIONAL if name in context},
        "counts": dict(described["counts"]),
        "left_out": {reason: list(left_out[reason]) for reason in _in_known_order(_lengths(left_out), REASONS)},
    }


def database_manifest(whole: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest as the database keeps it: without the ids left out, which are as long as the release."""
    short = {name: value for name, value in whole.items() if name != "left_out"}
    if "parts" in whole:
        short["parts"] = [database_manifest(each) for each in whole["parts"]]
    return short


def _lengths(lists: Mapping[str, Sequence[str]]) -> dict[str, int]:
    return {name: len(keys) for name, keys in lists.items()}
