"""A release of translations looked at again in its files: its rows against each other and their reviews, its counts.

Pure. Every target has the source's ids in the source's order, with the source's labels; derived tasks say what they are
derived from; a translation says the same of its making in every row, and its reviewers are those whose votes count.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from exports.formats.rules.configs import path_of, paths_of_task
from exports.releases.rules.verify import Check, Row, order_given
from exports.releases.rules.verify_votes import Groups, VoteRules

SEVERAL = "several"
# What every target says as the source does.
_SHARED = ("label", "label_source", "data", "source_set")
# What every row says alike that is of one translation.
_OF_ITEM = (
    *("target", "translator", "corrected_by", "reviewers", "annotation_round", "approval", "flags", "origin"),
    *("revision", "source_revision", "guideline"),
)


class AlignedSet:
    """One project's translations; `read` gives the rows of a file, none where it is not there."""

    def __init__(
        self, part: Mapping[str, Any], votes: VoteRules, groups: Groups, read: Callable[[str], Iterable[Row]]
    ) -> None:
        self.part, self.counts, self.read, self.votes = part, part["counts"], read, votes
        self.check = Check("rows of translations against their source and reviews")
        self.given = {item: cast for item, _, cast in votes.watch(groups)}
        self.items: dict[str, Row] = {}
        self.splits: dict[str, set[str]] = {}
        self.released: Counter[tuple[str, str]] = Counter()
        self.files: dict[tuple[str, str, str], list[Row]] = {}

    def checks(self) -> list[Check]:
        """Look at every file, then at every translation, and count."""
        for task in self.counts["tasks"]:
            for split, named in self._paths(task):
                self._read_split(task, split, named)
        for task in self.counts["tasks"]:
            if task["derived_from"]:
                self._compare_derived(task)
        for item, row in self.items.items():
            faults = list(self._review_faults(item, row))
            self.check.count(not faults, f"{item}: {'; '.join(faults)}")
        for item in self.given.keys() - self.items.keys() - self.votes.left_out.keys():
            self.check.count(False, f"{item}: there are votes for it, and no row")
        return [self.votes.check, self.check, self._compare_counts()]

    def _paths(self, task: Row) -> Iterator[tuple[str, dict[str, str]]]:
        """Each split of a task with the file of each target, the source's under an empty key."""
        splits = [each["split"] for each in task["splits"]]
        targets = {"": self.counts["source"]["file"], **{row["target"]: row["file"] for row in self.counts["targets"]}}
        paths = {key: paths_of_task(task["folder"], splits, file) for key, file in targets.items()}
        for n, split in enumerate(splits):
            yield split, {key: path_of(paths[key][n], self.part.get("suffix", "")) for key in targets}

    def _read_split(self, task: Row, split: str, named: Mapping[str, str]) -> None:
        source = {str(row["id"]): row for row in self.read(named[""])}
        described = {row["target"]: row for row in self.counts["targets"]}
        for target, path in named.items():
            rows = self.files[task["task"], split, target] = list(self.read(path))
            self.released[task["task"], target] += len(rows)
            ids = [str(row["id"]) for row in rows]
            there = set(ids)
            inside = not source or ids == [key for key in source if key in there]
            self.check.count(
                inside and len(there) == len(ids), f"{path}: its ids are not those of the source, in order"
            )
            for row in rows:
                faults = list(self._row_faults(row, split, described.get(target)))
                before = source.get(str(row["id"]), row)
                differ = [name for name in _SHARED if row.get(name) != before.get(name)]
                if row.get("choices", {}).get("label") != before.get("choices", {}).get("label"):
                    differ.append("choices")
                faults += [f"its {name} is not the source's" for name in differ]
                self.check.count(not faults, f"{path}, {row['id']}: {'; '.join(faults)}")

    def _row_faults(self, row: Row, split: str, target: Row | None) -> Iterator[str]:
        """What is wrong with a row by itself, or beside other rows of its translation."""
        if row["split"] != split:
            yield f"it is in the file of {split}"
        if "answer_start" in row:
            start = row["passage"].find(row["answer"])
            if row["answer_start"] != (start if start >= 0 else None):
                yield "its answer stands elsewhere in the passage"
        if target is None:
            source = self.counts["source"]["language"]
            if (row["language"], row["target"], row["item"], row["translator"]) != (source, source, "", ""):
                yield "it is no row of the source"
            if (row.get("origin", "source"), row.get("annotation_round", 0)) != ("source", 0):
                yield "it is told to have been made or judged here"
            if row.get("source_revision", row["revision"]) != row["revision"]:
                yield "its revision is not that of its source"
            return
        if (row["target"], row["language"], row["register"]) != tuple(
            target[name] for name in ("target", "language", "register")
        ):
            yield "its target is another one"
        first = self.items.setdefault(row["item"], row)
        self.splits.setdefault(row["item"], set()).add(split)
        for name in _OF_ITEM:
            if row[name] != first[name]:
                yield f"its {name} is not what another row says of the same translation"

    def _compare_derived(self, task: Row) -> None:
        """What a derived task says against the task that it is derived from."""
        base = task["derived_from"]
        for (name, split, target), rows in self.files.items():
            if name != task["task"]:
                continue
            from_rows = [row for (of, _, to), held in self.files.items() if (of, to) == (base, target) for row in held]
            sources = [row for (of, _, to), held in self.files.items() if (of, to) == (base, "") for row in held]
            by_id = {(row["split"], str(row["id"])): row for row in from_rows}
            by_item: dict[str, list[Row]] = {}
            for row in from_rows:
                by_item.setdefault(row["item"], []).append(row)
            source_by_id = {str(row["id"]): row for row in sources}
            for row in rows:
                if "into" in row:
                    mine = by_item.get(row["item"], [])
                    texts = [value for other in mine for value in other.values() if isinstance(value, str)]
                    written = [
                        value
                        for other in mine
                        for value in source_by_id.get(str(other["id"]), {}).values()
                        if isinstance(value, str)
                    ]
                    right = row["text"] in texts and row["translation"] in written
                    right = right and row["into"] == self.counts["source"]["language"]
                else:
                    other = by_id.get((split, str(row["id"])), {})
                    right = bool(other) and all(row[key] == other[key] for key in row.keys() & other.keys())
                self.check.count(right, f"{name}, {target or 'source'}, {row['id']}: is not what {base} says")

    def _review_faults(self, item: str, row: Row) -> Iterator[str]:
        """What a translation says of its reviews against the votes."""
        cast = self.given.get(item, [])
        counted = sorted((vote for vote in cast if vote["counted"]), key=order_given)
        if row["reviewers"] != sorted({vote["annotator"] for vote in counted}):
            yield "its reviewers are not those whose votes count"
        if not row["corrected_by"] and row["translator"] in {vote["annotator"] for vote in counted}:
            yield f"{row['translator']} wrote it and reviewed it"
        if row["approval"] == "review" and not any(vote["label"] == self._accepting for vote in counted):
            yield "no review approves it"
        if row["approval"] == "none" and counted:
            yield "it was reviewed, and says that it was not"
        if any(vote["revision"] > row["revision"] for vote in cast):
            yield "a vote is on a later revision"
        splits = self.splits[item]
        split = next(iter(splits)) if len(splits) == 1 else SEVERAL
        if any(vote["split"] != split for vote in cast):
            yield f"its votes are of another split than {split}"

    @property
    def _accepting(self) -> str:
        question = self.votes.kind.question
        return self.votes.kind.export.spell(question.accepting_label or question.label_keys[0])

    def _compare_counts(self) -> Check:
        """The counts of the manifest against those that the files give."""
        check, stated = Check("counts of translations, tasks, votes and people, counted again"), self.counts
        approvals = Counter(row["approval"] for row in self.items.values())
        counted = self.votes.published()
        left_out = {reason: len(keys) for reason, keys in self.part.get("left_out", {}).items()}
        again = {
            "items": len(self.items) + sum(left_out.values()),
            "released": len(self.items),
            "left_out": left_out,
            "votes": counted["votes"],
            "approvals": {name: approvals[name] for name in stated["approvals"]},
        }
        for name, value in again.items():
            check.count(stated[name] == value, f"{name}: {stated[name]}; counted {value}")
        people = {"authors": len({row["translator"] for row in self.items.values()} - {""}), **counted["people"]}
        for name, n in people.items():
            check.count(stated["people"].get(name, 0) == n, f"{name}: {stated['people'].get(name, 0)}; counted {n}")
        for row in stated["targets"]:
            n = sum(held for (_, target), held in self.released.items() if target == row["target"])
            check.count(row["rows"] == n, f"{row['target']}: {row['rows']} rows; counted {n}")
            n = sum(held["target"] == row["target"] for held in self.items.values())
            check.count(row["translations"] == n, f"{row['target']}: {row['translations']} translations; counted {n}")
        for task in stated["tasks"]:
            name, source = task["task"], self.released[task["task"], ""]
            if source:
                check.count(task["released"] == source, f"{name}: {task['released']} rows; counted {source}")
            for row in task["targets"]:
                n = self.released[name, row["target"]]
                check.count(row["released"] == n, f"{name}, {row['target']}: {row['released']} rows; counted {n}")
        return check
