"""What the database holds of votes and rows, looked at again in the files of a release, and its counts made again.

Pure. Nobody votes twice on an item or on one of their own; votes are of their item's labels, rounds, revisions and
guidelines; rows say what their votes say; what is counted is what is there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.answers import label_of
from annotation.kinds import Kind
from annotation.text.normalise import key_form
from annotation.text.sentences import DOUBLE, SINGLE
from exports.releases.rules import hidden
from exports.releases.rules.gold_origins import author_answer_of
from exports.releases.rules.groups import SharedCounts
from exports.releases.rules.manifest import UNNAMED_PREFIX
from exports.releases.rules.rows import EXTRA, NEW_MEANING
from exports.releases.rules.settings import SplitRules
from exports.releases.rules.splits import ADJUDICATED, AUTHOR, GOLD, MODEL
from exports.releases.rules.verify import GROUP_COLUMNS, Check, Row, order_given
from exports.releases.rules.verify_columns import column_faults, vote_faults
from validation.consensus.protocol import Protocol

_NONE = "-"
_REASONS = frozenset({EXTRA, NEW_MEANING, "taken_back", "voided"})
_ORIGINS = frozenset({"written", "imported", "machine"})
_SOURCES = frozenset({GOLD, ADJUDICATED, AUTHOR, MODEL})
# What a manifest counts of the rows of a split, by the column that tells it.
_COUNTED = {"labels": "label", "label_sources": "label_source", "rounds": "annotation_round"}
_CERTAINTY = {False: "certain", True: "uncertain", None: None}
# Columns that hold something of each voter, by voter.
_BY_VOTER = ("answers", "answers_uncertainty", "question_ambiguity", "option_ambiguity", "reason")
Groups = Iterable[tuple[str, str, list[Row]]]


class VoteRules:
    """The rules that votes of one project are held to, whatever kind of release they are in."""

    def __init__(self, kind: Kind, part: Mapping[str, Any]) -> None:
        self.kind, self.check = kind, Check("votes, by the rules that they were cast under")
        protocols = [Protocol.from_dict(version["rules"]) for version in part["protocols"]]
        self.rounds = max((len(protocol.rounds) for protocol in protocols), default=0)
        self.asked = [kind.question.leaf_questions(protocol.criteria) for protocol in protocols]
        self.labels = {kind.export.spell(key) for key in kind.question.label_keys}
        self.author_labels = self.labels if author_answer_of(kind) else set[str]()
        self.guidelines = {version["n"] for version in part["guidelines"] if version["role"] == "validation"}
        self.left_out = {key: reason for reason, keys in part.get("left_out", {}).items() for key in keys}
        self.reasons = part["counts"]["left_out"]
        self.counts, self.voters, self.unnamed = Counter[str](), set[str](), 0
        self.imported, self.voted_items, self.items = 0, 0, set[str]()

    def watch(self, groups: Groups) -> Iterator[tuple[str, str, list[Row]]]:
        """The votes of one item after the other, each looked at as it goes by."""
        for item, split, votes in groups:
            for fault in self._faults(item, votes):
                self.check.count(False, f"{item}: {fault}")
            self.check.done += len(votes)
            self.items.add(item)
            for vote in votes:
                self.counts[vote["not_counted_because"] or ""] += 1
                unnamed = bool(vote.get("imported")) and str(vote["annotator"]).startswith(UNNAMED_PREFIX)
                self.unnamed += unnamed
                self.imported += bool(vote.get("imported"))
                if not unnamed:
                    self.voters.add(vote["annotator"])
            self.voted_items += any(not vote["not_counted_because"] for vote in votes)
            yield item, split, votes

    def _faults(self, item: str, votes: Sequence[Row]) -> Iterator[str]:
        """What is wrong with the votes of one item."""
        if item in self.items:
            yield "its votes stand in two places, or are of two splits"
        numbers = [vote["n"] for vote in votes]
        if numbers != sorted({*numbers}) or numbers[0] < 1:  # those of people who withdrew are gone
            yield "its votes are not in the order of their numbers"
        places = {(vote["split"], vote["left_out"]) for vote in votes}
        if len(places) > 1:
            yield "its votes are of several splits"
        split, reason = next(iter(places))
        if bool(split) is bool(reason):
            yield "it is in a split and left out, or neither"
        if self.left_out and reason != self.left_out.get(item):
            yield f"its votes say that it is left out as {reason}, the manifest {self.left_out.get(item)}"
        if reason and reason not in self.reasons:
            yield f"nothing is left out as {reason}"
        standing = [vote for vote in votes if vote["not_counted_because"] in (None, EXTRA)]
        twice = [name for name, n in Counter(vote["annotator"] for vote in standing).items() if n > 1]
        if twice:
            yield f"{twice[0]} voted twice"
        authors = {vote.get("author_label") for vote in votes}
        if len(authors) > 1 or not authors <= {None, *self.author_labels}:
            yield "what its author said differs from vote to vote, or is no label"
        if len({vote["epoch"] for vote in standing}) > 1:
            yield "votes on two meanings of its text stand"
        counted = [bool(vote["counted"]) for vote in sorted(standing, key=order_given)]
        if counted != sorted(counted, reverse=True):
            yield "a vote counts that came after one beyond the decision"
        for vote in votes:
            yield from (f"vote {vote['n']}: {fault}" for fault in self._vote_faults(vote))

    def _vote_faults(self, vote: Row) -> Iterator[str]:
        why = vote["not_counted_because"]
        if vote["counted"] is not (why is None) or (why is not None and why not in _REASONS):
            yield f"counted is {vote['counted']}, and why not {why}"
        if not 1 <= vote["round"] <= self.rounds:
            yield f"there is no round {vote['round']}"
        if vote["epoch"] < 1 or vote["revision"] < 1:
            yield "there is no such revision"
        if vote["guideline"] is not None and vote["guideline"] not in self.guidelines:
            yield f"there are no guidelines {vote['guideline']}"
        if not vote.get("imported") and None in (vote["unsure"], vote["ambiguous"]):
            yield "marks of a vote that was given here are unknown"
        if not self._is_of_its_answers(vote):
            yield f"its label is {vote['label']}, which its answers do not give"

    def _is_of_its_answers(self, vote: Row) -> bool:
        """Whether a label is one of the kind's, or that of the answers."""
        label = str(vote["label"])
        asked = [questions for questions in self.asked if questions]
        if len(asked) < len(self.asked) and label in self.labels:
            return True
        read = {label, self.kind.question.read_label(label) or label}
        return any(label_of(questions, vote["answers"]) in read for questions in asked)

    def published(self) -> dict[str, Any]:
        """The counts of votes and voters as a manifest gives them."""
        people = {"votes_imported": self.imported, "voter_unknown": self.unnamed}
        return {
            "votes": {
                "given": self.counts.total(),
                "counted": self.counts[""],
                "items": self.voted_items,
                "not_counted": {why: self.counts[why] for why in sorted(self.counts) if why},
            },
            "people": {"voters": len(self.voters), **{name: n for name, n in people.items() if n}},
        }


class RecountedRows:
    """The rows of a release of splits: each against its votes, and all of them counted."""

    def __init__(self, kind: Kind, part: Mapping[str, Any]) -> None:
        self.kind, self.part = kind, part
        self.rules = SplitRules(hidden_test=bool(part["rules"].get("hidden_test")))
        self.check = Check("rows against their votes")
        # A text that a lead corrected is of the guidelines of whoever made it.
        self.guidelines = {version["n"] for version in part["guidelines"]}
        self.keys, self.authors, self.tells_authors = set[str](), set[str](), True
        self.splits: dict[str, dict[str, Counter[str]]] = {}
        self.shared, self.unsigned, self.imported, self.rows = SharedCounts(), 0, 0, 0
        self.models, self._author = Counter[str](), author_answer_of(kind)
        self.tells_origins, self.sizes = True, set[str]()
        self.languages = {part["project"]["language"], *(each["language"] for each in part.get("targets", ()))}

    def add(self, row: Row, votes: Sequence[Row], split: str) -> None:
        """Look at one row of a split, and count it."""
        key = str(row[self.kind.export.id_column])
        faults = [*self._faults(row, split), *self._voter_faults(row, list(votes)), *self._column_faults(row, votes)]
        if key in self.keys:
            faults.append("it stands in two places")
        self.keys.add(key)
        self.check.count(not faults, f"{key}: {'; '.join(faults)}")
        counts = self.splits.setdefault(split, {name: Counter() for name in ("rows", *_COUNTED)})
        counts["rows"][""] += 1
        for name, column in _COUNTED.items():
            # A kind of an installed package names its own columns: what no row tells cannot be counted again.
            if column in row:
                counts[name][str(row[column])] += 1
        self.rows += 1
        self.tells_origins &= "origin" in row
        self.sizes.add(str(row.get("sentence_size", "")))
        self.imported += row.get("origin") == "imported"
        text = next((str(row[name]) for name in GROUP_COLUMNS if row.get(name)), "")
        self.shared.add(split, key_form(text))

    def _faults(self, row: Row, split: str) -> Iterator[str]:
        """What a row says of itself."""
        source, gold = row.get("label_source", GOLD), str(row.get("gold_label", _NONE))
        if row.get("split", split) != split:
            yield f"it is in the file of {split}"
        if source not in _SOURCES or row.get("origin", "written") not in _ORIGINS:
            yield "nothing gives such a label or row"
        if row.get("revision", 1) < 1 or row.get("guideline") not in {None, *self.guidelines}:
            yield "there is no such revision or guideline"
        if source in (AUTHOR, MODEL) and gold != _NONE:
            yield f"its label is the {source}'s, and it has gold"
        answer = self._author(row) if self._author else None
        if source == AUTHOR and answer is not None and "label" in row and str(row["label"]) != answer:
            yield f"its label is {row['label']}, the author's {answer}"

    def _column_faults(self, row: Row, votes: Sequence[Row]) -> Iterator[str]:
        """What does not follow from its votes and its other columns."""
        counted = sorted((vote for vote in votes if vote["counted"]), key=order_given)
        yield from column_faults(self.kind, row, counted, self.languages)
        yield from vote_faults(row, votes, self._author(row) if self._author else None)

    def _voter_faults(self, row: Row, votes: Sequence[Row]) -> Iterator[str]:
        """What it says of its voters."""
        counted = sorted((vote for vote in votes if vote["counted"]), key=order_given)
        pairs = [(vote["annotator"], vote["label"]) for vote in counted]
        voters, author = {vote["annotator"] for vote in votes}, row.get("creator")
        told = (self._author(row) if self._author else None) or _NONE
        if any((vote.get("author_label") or _NONE) != told for vote in votes if "author_label" in vote):
            yield f"its author's label is {told}, and its votes say another"
        if "revision" in row and any(vote["revision"] > row["revision"] for vote in votes):
            yield "a vote is on a later revision"
        ids, labels = row.get("annotator_ids"), row.get("annotator_labels")
        if isinstance(ids, list) and isinstance(labels, list):
            pairs_of_row = list(zip(ids, labels, strict=True))
            head = pairs_of_row[: max(0, len(ids) - len(pairs))]
            tail = pairs_of_row[len(head) :]
            if tail not in (pairs, sorted(pairs)) or len(head) > 1:
                yield "its annotators and labels are not those of its votes"
            if head:
                author = head[0][0]
                answer = self._author(row) if self._author else None
                if answer is not None and (head[0][1] or _NONE) != answer:
                    yield f"its author's label is {head[0][1]}, and {answer}"
        self._note_author(author, ids)
        if author and author in voters:
            yield f"{author} wrote it and voted on it"
        by_voter = {name: row[name] for name in _BY_VOTER if isinstance(row.get(name), dict)}
        if "answers" in by_voter and "answer_majority" in row:
            yield from _differences(by_voter, counted)

    def check_open_ids(self, own_ids: Mapping[str, str], rows: Iterable[Row]) -> None:
        """Where answers are hidden: each open row stands under an id of the list, and each of these is of one row."""
        column = self.kind.export.id_column
        stand = {str(row[column]) for row in rows}
        strange = sorted(stand ^ own_ids.keys())
        self.check.count(not strange, f"{', '.join(strange[:3])}: is not in both, the list of ids and an open row")
        own = len({*own_ids.values()})
        self.check.count(own == len(own_ids), "two open ids are of one item")

    def _note_author(self, author: str | None, ids: object) -> None:
        self.tells_authors &= isinstance(ids, list)
        if author:
            self.authors.add(author)

    def published(self, votes: VoteRules) -> dict[str, Any]:
        """The counts as a manifest gives them, as far as files tell them."""
        # Of hidden answers those that the hidden file names.
        left_out = dict(Counter(votes.left_out.values()))
        splits = {
            name: {**{what: dict(counts[what]) for what in _COUNTED}, "rows": counts["rows"].total()}
            for name, counts in self.splits.items()
        }
        counted = votes.published()
        if self.imported:
            counted["people"]["imported"] = self.imported
        return {
            "items": self.rows + sum(left_out.values()),
            "released": self.rows,
            "splits": splits,
            "left_out": left_out,
            "shared": self.shared.counts(),
            **counted,
        }

    def compare(self, votes: VoteRules) -> Check:
        """The counts of the manifest against those that the files give."""
        check, stated = Check("counts of items, splits, votes and people, counted again"), self.part["counts"]
        again = self.published(votes)
        if "items" not in stated["votes"]:  # releases of before it was counted
            del again["votes"]["items"]
        for name in ("items", "released", "left_out", "votes", "shared"):
            check.count(stated[name] == again[name], f"{name}: {stated[name]}; counted {again[name]}")
        # A project may call the longest class as it likes.
        sizes = sorted(self.sizes - {"", SINGLE, DOUBLE})
        check.count(len(sizes) < 2, f"sentence sizes: {', '.join(sizes)}")
        free = self.kind.question.has_free_answers
        for split, counts in stated["splits"].items():
            found = again["splits"].get(split, {"rows": 0, "labels": {}, "label_sources": {}, "rounds": {}})
            for name in ("rows", "labels", "label_sources", "rounds"):
                untold = (name == "labels" and (free or hidden.hides_answers(self.rules, split))) or (
                    name != "rows" and not found[name] and bool(found["rows"])
                )
                if name == "rounds" and untold:  # rows of some kinds do not tell theirs
                    n = sum(counts["rounds"].values())
                    check.count(n == found["rows"], f"{split}, rounds: of {n} rows; counted {found['rows']}")
                if not untold:
                    check.count(counts[name] == found[name], f"{split}, {name}: {counts[name]}; counted {found[name]}")
        people = stated["people"]
        for name in ("voters", "imported", "votes_imported", "voter_unknown"):
            if name == "imported" and not self.tells_origins:
                continue
            n = again["people"].get(name, 0)
            check.count(people.get(name, 0) == n, f"{name}: {people.get(name, 0)}; counted {n}")
        if self.tells_authors and self.authors:
            check.count(people["authors"] == len(self.authors), f"authors: {people['authors']}; {len(self.authors)}")
        return check


def _differences(by_voter: Mapping[str, Mapping[str, Any]], counted: Sequence[Row]) -> Iterator[str]:
    """Where columns by voter are not what the votes say."""
    values: dict[str, dict[str, Any]] = {
        "answers": {vote["annotator"]: vote["label"] for vote in counted},
        "answers_uncertainty": {vote["annotator"]: _CERTAINTY[vote["unsure"]] for vote in counted},
    }
    if all("comment" in vote for vote in counted):
        values["reason"] = {vote["annotator"]: vote["comment"] for vote in counted}
    for name, column in by_voter.items():
        if column.keys() != values["answers"].keys() or column != values.get(name, column):
            yield f"{name} is not what its votes say"
