"""What can be computed again from the files of a release alone: gold from votes, labels, and where rows went.

Pure. A stranger has the files and this code, not the database. Rows and votes lie in the same drawn order, so that
both are read once, side by side, however long they are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any

from annotation.answers import type_of
from annotation.kinds import Kind
from annotation.writing.rules.typing import TypedText, Typing
from exports.releases.rules.agreement import Agreement, DesignedVote, has_alpha
from exports.releases.rules.gold_origins import GoldOrigins, author_and_first, author_answer_of
from exports.releases.rules.leakage import writer_of
from exports.releases.rules.rows import EXTRA
from exports.releases.rules.settings import BY_SHARE, DEALT, PUBLISHED, WRITER, SplitRules
from exports.releases.rules.splits import (
    ADJUDICATED,
    AUTHOR,
    GOLD,
    DealFacts,
    GoldGroups,
    ItemPlace,
    draw_group,
    draw_tie,
    named_split,
    stratum_of,
    text_key,
)
from exports.releases.rules.unanswered import Unanswered, required_keys
from validation.consensus import engine as consensus
from validation.consensus.audit import ROUTES
from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import Protocol

MOST_FAULTS = 20
# What keeps rows together, and what strata are read from, by the field's own names of columns.
GROUP_COLUMNS = ("premise", "question_concept", "topic", "question", "group")
_DOCUMENT, _CLASS, _GENRE = ("document", "category"), "sentence_size", "genre"
_NONE = "-"

Row = Mapping[str, Any]


@dataclass
class Check:
    """One thing that was computed again: how many times, and the first faults in words."""

    what: str
    done: int = 0
    wrong: int = 0
    faults: list[str] = field(default_factory=list)
    note: str = ""

    def count(self, right: bool, fault: str) -> None:
        """Take in one result."""
        self.done += 1
        if not right:
            self.wrong += 1
            if len(self.faults) < MOST_FAULTS:
                self.faults.append(fault)


def order_given(vote: Row) -> tuple[int, int]:
    """The place of a vote among those of its item, as the engine reads them."""
    return vote["round"], vote["n"]


def group_by_item(votes: Iterable[Row], key: str) -> Iterator[tuple[str, str, list[Row]]]:
    """Votes item by item, as they lie: the item's id, its split (empty where it is in none), its votes."""
    for (item, split), rows in groupby(votes, key=lambda row: (str(row[key]), row["split"] or "")):
        yield item, split, list(rows)


class RecomputedGold:
    """Gold computed again from the votes that count, under the protocols that the manifest lists.

    Which of several protocols an item was under no file says: its gold must be right under one of them. `steps` are the
    lines of audits, `own_ids` the ids there of rows that stand under others.
    """

    def __init__(
        self,
        kind: Kind,
        protocols: Sequence[Mapping[str, Any]],
        steps: Iterable[Row] = (),
        own_ids: Mapping[str, str] | None = None,
    ) -> None:
        self.kind, self.own_ids = kind, own_ids or {}
        self.agreement = Agreement(protocols) if has_alpha(kind) else None
        self._routes = {str(step[kind.export.id_column]): (str(step["route"]), step["q"]) for step in steps}
        self.protocols = [Protocol.from_dict(each["rules"]) for each in protocols]
        self.gold = Check("gold labels from votes")
        self.labels = Check("labels from gold")
        self.stops = Check("numbers of labels, and why nobody else was asked")
        self.places = Check("words of marked passages")
        self.arising = GoldOrigins()
        self.rows: dict[str, tuple[str, float | None, str, str]] = {}
        self.firsts: dict[str, Row] = {}
        self.without = self.untold = 0
        self.tells_rounds = True
        self.typed: list[TypedText] = []
        self.unanswered = Unanswered(required_keys(kind))
        self._asks_author = any(protocol.author != "none" for protocol in self.protocols)

    def add(self, row: Row, votes: Iterable[Row] = ()) -> None:
        """Compare one row of a split with its votes."""
        public_id, stored = str(row[self.kind.export.id_column]), str(row["gold_label"])
        key = self.own_ids.get(public_id, public_id)
        counted = sorted((vote for vote in votes if vote["counted"]), key=order_given)
        self.unanswered.add("" if stored == _NONE else stored, row)
        self._compare_places(key, row, counted)
        self._arose(key, row, counted)
        if not counted:
            # A published gold without votes is taken as it is.
            self.without += stored != _NONE
            return
        if self._asks_author and self.kind.export.author_answer is None:
            self.untold += 1
            return
        golds = {self._gold(row, counted, protocol) for protocol in self.protocols}
        found = {gold for gold, _, _ in golds}
        if "n_labels" in row:
            published = stored, row["stop_reason"] or "", row["n_labels"]
            self.stops.count(
                published in golds,
                f"{key}: {published[2]} labels, {published[1] or 'open'}; its votes give "
                + " or ".join(f"{n} labels, {why or 'open'}" for _, why, n in sorted(golds)),
            )
        self.gold.count(stored in found, f"{key}: {stored} is stored, its votes give {' or '.join(sorted(found))}")
        if row.get("label_source") == GOLD:
            label = self.kind.export.spell(str(row["label"]))
            self.labels.count(label == stored, f"{key}: its label is {label}, its gold {stored}")

    def add_votes(self, item: str, split: str, votes: Iterable[Row]) -> None:
        """Count the votes on an item that stand; where it is in no split, its first one beside its author's label."""
        standing = sorted((vote for vote in votes if vote.get("not_counted_because") in (None, EXTRA)), key=order_given)
        if self.agreement is not None and standing:
            designed = [
                DesignedVote(vote["annotator"], str(vote["label"]), vote["round"], bool(vote.get("imported")))
                for vote in standing
            ]
            self.agreement.add(designed, *self._routes.get(self.own_ids.get(item, item), ("", None)))
        if not split and standing and standing[0]["counted"]:
            vote = standing[0]
            author = vote.get("author_label") or ""
            pair = author_and_first(self.kind, author, vote["label"], imported=bool(vote.get("imported")))
            self.arising.add_pairs(*pair, left_out=True)

    def origins(self) -> dict[str, Any]:
        """How gold arose, as the manifest has it."""
        figures = self.agreement.summary() if self.agreement else None
        return self.arising.summary() | ({"agreement": figures} if figures else {})

    def _compare_places(self, key: str, row: Row, counted: Sequence[Row]) -> None:
        """Compare every passage that gold and counted votes mark with what the row's text says there."""
        asked = [question for question in self.kind.question.questions if type_of(question).marks_places]
        for question in asked:
            answers = (row.get(question.key), *(vote["answers"].get(question.key) for vote in counted))
            for span in chain.from_iterable(each or () for each in answers):
                start, end, words = span["start"], span["end"], span["text"]
                text = row.get(f"{span['of']}_text") or row.get(span["of"])
                if isinstance(text, str):
                    fault = f"{key}: at {start}-{end} the text says {text[start:end]!r}, marked was {words!r}"
                    self.places.count(text[start:end] == words, fault)

    def _arose(self, key: str, row: Row, counted: Sequence[Row]) -> None:
        """Count how the gold of a row arose; what audits are compared with is kept."""
        if "n_labels" not in row:
            return
        vote = counted[0] if counted else {"label": ""}
        told = self._author_in(row)
        author, first = author_and_first(self.kind, told, vote["label"], imported=bool(vote.get("imported")))
        self.tells_rounds &= "annotation_round" in row
        if (typing := row.get("typing")) is not None and "attested" in typing:
            counts = Typing(**typing["counts"]) if typing["counts"] else None
            self.typed.append((counts, typing["length"] or 0, typing["attested"]))
        distribution = row.get("label_distribution")
        self.arising.add(
            n_labels=row["n_labels"],
            stop=row["stop_reason"],
            rnd=int(row.get("annotation_round") or 0),
            author=author,
            first=first,
            distribution=distribution,
        )
        if row["stop_reason"] in ROUTES:
            self.rows[key] = (
                row["stop_reason"],
                row.get("q"),
                str(row["gold_label"]),
                author or "-",
            )
            if counted:
                self.firsts[key] = counted[0]

    def _gold(self, row: Row, counted: Sequence[Row], protocol: Protocol) -> tuple[str, str, int]:
        """The gold as the row would have it, why nobody else was asked, and how many labels that are."""
        route = str(row.get("stop_reason") or "") if protocol.alpha else ""
        route = route if route in ROUTES else ""
        n_labels = len(counted) + (protocol.author_counts and self._author(row) is not None)
        ballots = [
            VoteIn(
                self.read(vote["label"]),
                vote["annotator"],
                vote["round"],
                vote["n"],
                vote["answers"],
                bool(vote["ambiguous"]),
            )
            for vote in counted
        ]
        asked = self.kind.question.leaf_questions(protocol.criteria)
        decision = decide(protocol, self._author(row), ballots, self.kind.question.label_keys, asked, route)
        stop = consensus.stop_reason(protocol, decision, route)
        return self._spelled(row, decision), stop, n_labels

    def _spelled(self, row: Row, decision: consensus.Decision) -> str:
        if decision.state != consensus.GOLD or decision.label is None:
            return _NONE
        if self.kind.question.accepting_label:
            return str(row["label"]) if decision.label == self.kind.question.accepting_label else _NONE
        return self.kind.export.spell(decision.label)

    def read(self, spelled: str) -> str:
        """A label by its key."""
        return self.kind.question.read_label(spelled) or spelled

    def _author(self, row: Row) -> str | None:
        """What the author said, where rows tell it."""
        answer = self._author_in(row)
        return None if answer in (None, "", _NONE) else self.read(answer)

    def _author_in(self, row: Row) -> str | None:
        read = author_answer_of(self.kind)
        return read(row) if read else None


def _nothing(row: Row, votes: Sequence[Row], split: str) -> None:
    """Look at nothing further."""


def join_rows_and_votes(
    gold: RecomputedGold,
    votes: Iterable[tuple[str, str, list[Row]]],
    splits: Mapping[str, Iterator[Row]],
    look: Callable[[Row, Sequence[Row], str], None] = _nothing,
) -> None:
    """Read rows and votes in their common order; a vote whose row is not there is a fault.

    `look` is told of each row with its votes and its split.
    """
    for item, split, cast in votes:
        gold.add_votes(item, split, cast)
        rows = splits.get(split)
        if rows is None:
            continue
        for row in rows:
            mine = cast if str(row[gold.kind.export.id_column]) == item else []
            look(row, mine, split)
            gold.add(row, mine)
            if mine:
                break
        else:
            gold.gold.count(False, f"{item}: there are votes for it in {split}, but no row after the ones before")
    for split, rows in splits.items():
        for row in rows:
            look(row, [], split)
            gold.add(row)


def facts_of(row: Row) -> DealFacts:
    """What ties and strata are read from, off a row."""
    document = next((str(row[name]) for name in _DOCUMENT if row.get(name)), "")
    return DealFacts(writer_of(row), str(row.get(_CLASS, "")), document, str(row.get(_GENRE, "")))


class RecomputedDeal:
    """Splits dealt again from the rows that are there: gold by share or number, or each by its published split."""

    def __init__(self, kind: Kind, rules: SplitRules) -> None:
        self.kind, self.rules, self.groups = kind, rules, GoldGroups(rules)
        self.rows: list[tuple[str, int, int | None, ItemPlace, str]] = []
        self.check = Check("splits from the rules")
        self.untold = False

    @property
    def possible(self) -> bool:
        """Whether the draw of splits can be recomputed from the files."""
        return self.rules.deal in (BY_SHARE, PUBLISHED) and not self.rules.hidden_test

    def add(self, key: str, row: Row, split: str, *, voted: bool) -> None:
        """Take in one row of a split; what rules send to train or leave out shapes nothing."""
        if self.rules.deal == PUBLISHED:
            name = str(row["published_split"])
            self.check.count(named_split(name) == split, f"{key}: it is in {split}, its file says {name or 'none'}")
            return
        rules, facts = self.rules, facts_of(row)
        self.untold |= WRITER in (rules.together, rules.stratify) and not facts.writer
        label = str(row.get("label") or row.get("gold_label", ""))
        label = self.kind.question.read_label(label) or label
        source = row.get("label_source", GOLD)
        goes = {
            GOLD: DEALT,
            ADJUDICATED: rules.adjudicated,
            AUTHOR: rules.no_gold if voted else rules.not_sampled,
        }
        pool = goes.get(source, split)
        where = ItemPlace("gold" if pool == DEALT else pool, label, source, "")
        text = next((str(row[name]) for name in GROUP_COLUMNS if row.get(name)), "")
        group, tie = draw_group(rules.seed, text_key(text)), draw_tie(rules, facts)
        self.groups.add(group, where, stratum=stratum_of(rules, label, facts), tie=tie)
        self.rows.append((key, group, tie, where, split))

    def compare(self) -> None:
        """Draw again, and compare with the rows; not if rules need writers, whom rows do not name."""
        if self.untold:
            self.check.note = "not computed: by writer, and rows do not tell theirs"
            return
        deal = self.groups.deal()
        for key, group, tie, where, split in self.rows:
            outcome = deal.outcome(where, group, tie)
            found = outcome.split or outcome.left_out
            self.check.count(found == split, f"{key}: it is in {split}, the rules give {found}")
