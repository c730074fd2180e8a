"""Split and label of each item, and the reasons for leaving items out (domain.md §9, rulings 8 and 17).

Pure: what a frozen item was, and the rules, in; its place out. Groups of equal text (the premise, or the concept of a
question) are dealt whole, in drawn order, to whichever of dev and test is further below its share, so that none is in
both. That a group lands where it does depends on the groups drawn before it only (unless stratified, where quotas
depend on all).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from annotation.core.rules.draws import draw
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form
from exports.releases.rules.settings import (
    BY_SHARE,
    DEALT,
    DEV,
    DOCUMENT,
    PUBLISHED,
    SOURCE,
    SPLITS,
    TAKE,
    TENTHS,
    TEST,
    TEXT_KIND,
    TRAIN,
    WITH_SOURCE,
    WRITER,
    SplitRules,
)
from exports.releases.rules.sharing import (
    TiedGroups,
    assign_splits,
    assign_tenths,
    is_by_number,
    only_split,
    split_sizes,
)
from validation.consensus import stages

GOLD, ADJUDICATED, AUTHOR, MODEL = "gold", "adjudicated", "author", "model"
_POOL = "gold"
# Why rows are left out that were withdrawn: their writer did, a holder of rights, or who voted on them.
WITHDRAWN, TAKEN_DOWN, GOLD_WITHDRAWN = "withdrawn", "taken_down", "gold_withdrawn"
WITHHELD = (WITHDRAWN, TAKEN_DOWN, GOLD_WITHDRAWN)

# Why a row is in no split, in the order in which pages list it.
REASONS: Mapping[str, str] = {
    "excluded": gettext_noop("excluded by a QC lead, or as ambiguous"),
    "submitted": gettext_noop("waiting for a lead's check"),
    "voting": gettext_noop("still in validation"),
    "not_validated": gettext_noop("drawn for validation, not begun"),
    "returned": gettext_noop("returned to the writer"),
    "corrected": gettext_noop("corrected by the writer, not checked yet"),
    "no_gold": gettext_noop("validated without a gold label"),
    "not_sampled": gettext_noop("not drawn for validation"),
    "no_label": gettext_noop("has no label"),
    "no_published_split": gettext_noop("its file names no split, or none of train, dev and test"),
    "premise_in_dev_or_test": gettext_noop("its premise is in dev or test"),
    "concept_in_dev_or_test": gettext_noop("its concept is in dev or test"),
    "document_in_dev_or_test": gettext_noop("its document or category is in dev or test"),
    "writer_in_dev_or_test": gettext_noop("its writer has items in dev or test"),
    "rejected": gettext_noop("judged, and not kept"),
    "not_approved": gettext_noop("reviewed, and not approved"),
    "incomplete": gettext_noop("a text is empty, or another target lacks the row"),
    "source_removed": gettext_noop("its source was removed"),
    "other_target": gettext_noop("the release does not take its target"),
    WITHDRAWN: gettext_noop("its writer withdrew their consent"),
    TAKEN_DOWN: gettext_noop("taken down for a rights holder"),
    GOLD_WITHDRAWN: gettext_noop("no gold label without votes that were withdrawn"),
}


class ItemStanding(NamedTuple):
    """Where an item stood when it was frozen, as far as splits read it.

    `given` is the answer that was judged, where people judge one. Of what a `machine` wrote: whether a person `checked`
    its answer key, its level. `split` is that of what it was made from, or the one that it was published in, as the
    rules read it.
    """

    stage: str
    sampled: bool
    gold: str
    author_label: str
    given: str = ""
    machine: bool = False
    checked: bool = False
    level: str = ""
    split: str = ""


class ItemPlace(NamedTuple):
    """What the rules make of a standing by itself; `pool` is a split, or `gold` for what is shared out.

    `silver`: no person judged the label.
    """

    pool: str
    label: str
    source: str
    left_out: str
    level: str = ""
    silver: bool = False


class Outcome(NamedTuple):
    """A row's split, the label to train or score on, whose label that is, and why it is left out (or empty)."""

    split: str
    label: str
    source: str
    left_out: str
    level: str = ""
    silver: bool = False


# How published files call their splits, before what follows a hyphen, a line or a blank: `test_lay`, `train-00000`.
_SPLIT_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("train", "training", "trn"), TRAIN),
    **dict.fromkeys(("dev", "devel", "development", "val", "valid", "validation"), DEV),
    **dict.fromkeys(("test", "tst", "testing"), TEST),
}
_NAME_ENDS = re.compile(r"[-_ .]")


def named_split(name: str) -> str:
    """The split that a file means by a name; empty where it is none of train, dev and test."""
    return _SPLIT_NAMES.get(_NAME_ENDS.split(name.strip().casefold(), maxsplit=1)[0], "")


def _left_out(reason: str) -> ItemPlace:
    return ItemPlace("", "", "", reason)


def place_item(rules: SplitRules, item: ItemStanding, accepts: str = "") -> ItemPlace:
    """Give the place of one item; what keeps items together is looked at later, for all of them.

    `accepts` is the label without which people keep nothing, where the kind has one.
    """
    place = _place_by_stage(rules, item, accepts)
    return place if place.pool or place.left_out else _left_out("no_published_split")


def _place_by_stage(rules: SplitRules, item: ItemStanding, accepts: str) -> ItemPlace:
    if item.stage in (stages.SETTLED, stages.ADJUDICATED):
        settled = item.stage == stages.SETTLED
        if accepts and item.gold != accepts:
            return _left_out("rejected")
        goes_to, source = (DEALT, GOLD) if settled else (rules.adjudicated, ADJUDICATED)
        return ItemPlace(_pool(rules, goes_to, item), item.given or item.gold, source, "", item.level)
    if item.stage == stages.NO_CONSENSUS:
        return _by_author(rules, rules.no_gold, item, "no_gold")
    unasked = item.stage == stages.SUBMITTED and rules.unchecked == TAKE
    if unasked or (item.stage == stages.WRITTEN and not item.sampled):
        return _by_author(rules, rules.not_sampled, item, "not_sampled")
    return _left_out("not_validated" if item.stage == stages.WRITTEN else item.stage)


def _pool(rules: SplitRules, goes_to: str, item: ItemStanding) -> str:
    """The split that something goes to, or the pool of what is shared out."""
    if goes_to != DEALT:
        return goes_to
    if rules.deal == PUBLISHED:
        return item.split
    return item.split or TEST if rules.deal == SOURCE else _POOL


def _by_author(rules: SplitRules, goes_to: str, item: ItemStanding, reason: str) -> ItemPlace:
    """With the author's label; where a machine was the author it is the model's, and silver unless it was judged."""
    if goes_to not in (*SPLITS, DEALT):
        return _left_out(reason)
    label = item.given or item.author_label
    if not label:
        return _left_out("no_label")
    silver = item.machine and not item.checked and item.stage != stages.NO_CONSENSUS
    source = MODEL if item.machine else AUTHOR
    return ItemPlace(_pool(rules, goes_to, item), label, source, "", item.level, silver)


def text_key(text: str) -> str:
    """What makes two texts the same: NFC without default-ignorables, hashed (as Premise.text_hash)."""
    return sha256(key_form(text).encode("utf-8", "surrogatepass")).hexdigest()


def draw_group(seed: str, key: str) -> int:
    """Draw the place of a group's text, given by its `text_key`, in the order in which groups are dealt."""
    return draw(seed, "split", key)


class DealFacts(NamedTuple):
    """What ties and strata are read from: the writer's pseudonym, the source's class, document or category, genre."""

    writer: str = ""
    text_class: str = ""
    document: str = ""
    genre: str = ""


# What values of `together` and `stratify` read of an item.
FACTS_OF_RULES: Mapping[str, Callable[[DealFacts], str]] = {
    DOCUMENT: lambda facts: facts.document,
    WRITER: lambda facts: facts.writer,
    TEXT_KIND: lambda facts: facts.genre or facts.text_class or facts.document,
}


def draw_tie(rules: SplitRules, facts: DealFacts) -> int | None:
    """The drawn place of what an item is kept together by beyond its text; None where it is kept by its text alone."""
    name = FACTS_OF_RULES[rules.together](facts) if rules.together in FACTS_OF_RULES else ""
    return draw(rules.seed, f"split-{rules.together}", name) if name else None


def stratum_of(rules: SplitRules, label: str, facts: DealFacts) -> str:
    """What an item is drawn by: its label, its writer, or its kind of text (genre, class, or category)."""
    return FACTS_OF_RULES[rules.stratify](facts) if rules.stratify in FACTS_OF_RULES else label


def needs_facts(rules: SplitRules) -> bool:
    """Whether more than the text and the label of an item has a say in the deal."""
    return rules.together != WITH_SOURCE or rules.stratify in (TEXT_KIND, WRITER)


@dataclass
class GoldGroups:
    """The gold items (and those that the rules pin to dev or test) of each group's text, counted by stratum.

    `shared_text_name` names what they share (`premise`, `concept`): it stands in the reason of what is left out. What
    the rules keep together beyond their text hangs together by `tie`, the drawn place of a document or a writer.
    """

    rules: SplitRules
    shared_text_name: str = "premise"
    sizes: dict[int, dict[str, int]] = field(default_factory=dict)
    pinned: dict[int, str] = field(default_factory=dict)
    ties: TiedGroups = field(default_factory=TiedGroups)

    def add(
        self, group: int, where: ItemPlace, n: int = 1, *, stratum: str | None = None, tie: int | None = None
    ) -> None:
        """Count `n` rows of this place in their group; rows for train, or left out, do not shape the deal.

        `stratum` is what they are drawn by, their label where it is None.
        """
        counted = (_POOL,) if self.rules.deal == TENTHS else (_POOL, DEV, TEST)
        if where.pool not in counted:
            return
        held = self.sizes.setdefault(group, {})
        by = where.level if self.rules.deal == TENTHS else where.label if stratum is None else stratum
        held[by] = held.get(by, 0) + n
        if where.pool != _POOL:
            self.pinned[group] = where.pool
        if tie is not None:
            self.ties.tie(group, tie)

    def deal(self) -> "Deal":
        """Deal every group to train, dev and test as the rules say."""
        sizes, pinned = self._whole()
        if self.rules.deal == TENTHS:
            return Deal(self.rules, assign_tenths(sizes), self.shared_text_name)
        dealt = assign_splits(self.rules, sizes, pinned)
        for member in self.ties.members():
            dealt[member] = dealt[self.ties.root(member)]
        return Deal(self.rules, dealt, self.shared_text_name)

    def _whole(self) -> tuple[Mapping[int, Mapping[str, int]], Mapping[int, str]]:
        """Groups that hang together as one, at the place of the first of them."""
        if not self.ties:
            return self.sizes, self.pinned
        sizes: dict[int, dict[str, int]] = {}
        for group, held in self.sizes.items():
            into = sizes.setdefault(self.ties.root(group), {})
            for name, n in held.items():
                into[name] = into.get(name, 0) + n
        return sizes, {self.ties.root(group): self.pinned[group] for group in sorted(self.pinned)}


@dataclass(frozen=True)
class Deal:
    """Which group went where."""

    rules: SplitRules
    split_by_group: Mapping[int, str]
    shared_text_name: str = "premise"

    def outcome(self, where: ItemPlace, group: int | None, tie: int | None = None) -> Outcome:
        """Give a row's outcome. `group` may be None where `needs_group` says that it does not matter."""
        split = where.pool
        if split == _POOL:
            split = only_split(self.rules) if group is None else self.split_by_group[group]
        elif split == TRAIN and self.rules.strict:
            for place, shared in ((group, self.shared_text_name), (tie, self.rules.together)):
                if place is not None and self.split_by_group.get(place) in (DEV, TEST):
                    return Outcome("", "", "", f"{shared}_in_dev_or_test")
        return Outcome(split, *where[1:])


def affects_deal(rules: SplitRules, where: ItemPlace) -> bool:
    """Whether rows of this place decide which groups are in dev or test, and that matters under these rules."""
    if rules.deal != BY_SHARE:
        return rules.deal == TENTHS and where.pool == _POOL
    if where.pool not in (_POOL, DEV, TEST):
        return False
    return rules.strict or not only_split(rules) or has_pinned_items(rules)


def has_pinned_items(rules: SplitRules) -> bool:
    """Whether the rules send something to dev or test by name, whatever the others of its group do."""
    return rules.adjudicated in (DEV, TEST) or TEST in (rules.no_gold, rules.not_sampled)


def needs_deal(rules: SplitRules) -> bool:
    """Whether it has to be known of all items what they share before the first is placed."""
    if rules.deal != BY_SHARE:
        return rules.deal == TENTHS
    return rules.strict or not only_split(rules) or has_pinned_items(rules)


def dealt_stages(rules: SplitRules) -> tuple[str, ...]:
    """The stages of items that may have a say in the deal."""
    also = {TEST, DEALT}
    found = [stages.SETTLED, stages.ADJUDICATED]
    found += [stages.NO_CONSENSUS] if rules.no_gold in also else []
    found += [stages.WRITTEN] if rules.not_sampled in also else []
    found += [stages.SUBMITTED] if rules.not_sampled in also and rules.unchecked == TAKE else []
    return tuple(found)


def needs_group(rules: SplitRules, where: ItemPlace) -> bool:
    """Whether the group of a row of this place has a say in its outcome."""
    if where.pool == TRAIN:
        return rules.strict
    return where.pool == _POOL and affects_deal(rules, where)


def split_all(rules: SplitRules, items: Iterable[tuple[str, ItemStanding, str]]) -> dict[str, Outcome]:
    """Split a whole set that fits into memory: (key, standing, premise text) to key → outcome."""
    known = [(key, place_item(rules, item), draw_group(rules.seed, text_key(text))) for key, item, text in items]
    groups = GoldGroups(rules)
    for _key, where, group in known:
        groups.add(group, where)
    deal = groups.deal()
    return {key: deal.outcome(where, group) for key, where, group in known}


def named_splits(rules: SplitRules) -> tuple[str, ...]:
    """The splits that the rules name, whose files are written even when nothing is in them."""
    if rules.deal in (SOURCE, PUBLISHED):
        return ()  # whichever the sources or files name
    if rules.deal == TENTHS:
        return SPLITS
    named = {split for split, share in split_sizes(rules).items() if share}
    if TRAIN in (rules.not_sampled, rules.no_gold) or is_by_number(rules):
        named.add(TRAIN)
    named |= {rules.adjudicated} & {DEV}
    if TEST in (rules.adjudicated, rules.no_gold, rules.not_sampled):
        named.add(TEST)
    return tuple(split for split in SPLITS if split in named)
