"""What another protocol would have cost on votes that are there, and whether it would have made another gold.

An item was asked as often as its own protocol asked. Another protocol may ask for more votes than there are: then what
is missing is unknown, unless no further vote could change it. So five votes each can be priced on the votes of
IndoNLI's three rounds (§3.2: three that agree stay the majority of five), and nothing is guessed where they might
turn. Labels are votes and the author's, who gave one to every item.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from annotation.text.gettext import gettext_noop
from validation.consensus.audit import AUDITED, AuditState, Plan, apply_first_vote, apply_outcome
from validation.consensus.engine import OPEN, Decision, VoteIn, decide, pseudonym_rank
from validation.consensus.protocol import NEVER, PRESETS, Protocol
from validation.consensus.savings import BASELINE_VOTES


class Case(NamedTuple):
    """An item as far as protocols can tell items apart: equal ones are counted, not decided again."""

    own: int
    """Under which protocol it was asked: a key of the caller's."""
    author: str | None
    votes: tuple[tuple[str | None, int, bool], ...]
    """In order: label, the place of the voter's pseudonym among those of the item, whether marked ambiguous."""
    route: str = ""
    """Where its own protocol led it, if that has audits (`audit.ROUTES`)."""


Cases = Mapping[Case, int]


class CaseOutcome(NamedTuple):
    """What a protocol makes of a case: the votes it asks for (None: not known), and its gold where that is known."""

    votes: int | None
    is_gold_known: bool
    gold: str | None


def case_of(own: int, author: str | None, votes: Sequence[VoteIn], route: str = "") -> Case:
    """Make the case of one item from its votes in any order, one a person."""
    order = sorted(votes, key=lambda vote: (vote.round, vote.seq))
    names = [vote.annotator for vote in order]
    # Who voted matters where labels differ, and nowhere else: nearly all items agree, and are one case.
    if len({vote.label for vote in order}) > 1:
        names.sort(key=pseudonym_rank)
    places = {name: place for place, name in enumerate(names)}
    votes_key = tuple((vote.label, places[vote.annotator], vote.ambiguous) for vote in order)
    return Case(own, author, votes_key, route)


def is_comparable(protocol: Protocol, labels: Sequence[str], *, authors: bool) -> bool:
    """Say whether votes that chose among `labels` can be put to a protocol; `authors`: items have an author label."""
    if protocol.criteria or (protocol.author != "none" and not authors):
        return False
    return protocol.target != "accept" or protocol.accept in labels


def comparable_protocols(own: Protocol, labels: Sequence[str], *, authors: bool) -> list[Protocol]:
    """The protocol that items are asked under, then the presets that can be compared and decide otherwise.

    Whether they stop where it is hopeless is as the first one says, so that only the rules are compared.
    """
    fit = (preset for preset in PRESETS.values() if is_comparable(preset, labels, authors=authors))
    alike = (replace(preset, stop_hopeless=own.stop_hopeless) for preset in fit)
    return [own, *(preset for preset in alike if replace(preset, name=own.name) != own)]


def outcome_of_case(protocol: Protocol, case: Case, labels: Sequence[str], route: str = "") -> CaseOutcome:
    """Price one case under a protocol, as far as its votes make it certain; `route` is where audits led it."""
    if case.author is None and protocol.author != "none":
        return CaseOutcome(None, False, None)
    votes = [VoteIn(label, str(place), 0, n, ambiguous=mark) for n, (label, place, mark) in enumerate(case.votes)]
    decision = decide(protocol, case.author, votes, labels, route=route)
    if decision.state != OPEN:
        return CaseOutcome(len(decision.counted), True, decision.label)
    return _allow_for_exclusion(protocol, case, decision, _certain_outcome(protocol, case, labels, decision))


def _certain_outcome(protocol: Protocol, case: Case, labels: Sequence[str], decision: Decision) -> CaseOutcome:
    """What is certain of an item whose votes run out in the middle of a round."""
    counts = dict.fromkeys(_possible_gold_labels(protocol, case, labels), 0)
    for label in (*(vote[0] for vote in case.votes), *([case.author] if protocol.author_counts else ())):
        if label in counts:
            counts[label] += 1
    ranked = [*sorted(counts.values(), reverse=True), 0]
    top, missing, later = ranked[0], decision.missing, _votes_of_later_rounds(protocol, decision)
    whole = protocol.votes_at_most
    if top + missing + later < protocol.quorum:
        return CaseOutcome(whole - later if protocol.stop_hopeless else whole, True, None)
    # A label stays ahead whatever the rest of the round says; where most votes are enough, of all rounds.
    turns = missing + (later if protocol.plurality else 0)
    if top >= protocol.quorum and (len(counts) == 1 or top - ranked[1] > turns):
        return CaseOutcome(whole - later, True, max(counts, key=counts.__getitem__))
    return CaseOutcome(None if later else whole, False, None)


def _possible_gold_labels(protocol: Protocol, case: Case, labels: Sequence[str]) -> tuple[str | None, ...]:
    """The labels that can become gold."""
    if protocol.target == "key":
        return (case.author,) if case.author in labels else ()
    return (protocol.accept,) if protocol.target == "accept" else tuple(labels)


def _votes_of_later_rounds(protocol: Protocol, decision: Decision) -> int:
    """The votes of the rounds after the one that is open."""
    return sum(protocol.rounds[decision.round :])


def _allow_for_exclusion(protocol: Protocol, case: Case, decision: Decision, found: CaseOutcome) -> CaseOutcome:
    """Where too many marks exclude an item, the voters still to come might bring them."""
    if protocol.most_ambiguous == NEVER:
        return found
    marks = sum(mark for _, _, mark in case.votes)
    if marks > protocol.most_ambiguous:
        return CaseOutcome(found.votes, True, None)
    more = decision.missing + _votes_of_later_rounds(protocol, decision)
    return found if marks + more <= protocol.most_ambiguous else CaseOutcome(found.votes, False, None)


@dataclass(slots=True)
class Price:
    """What a protocol would have cost, and how its gold compares with that of the items' own protocols."""

    protocol: Protocol
    items: int = 0
    priced: int = 0
    votes: int = 0
    labels: int = 0
    known: int = 0
    gold: int = 0
    same_gold: int = 0
    different_gold: int = 0
    lost_gold: int = 0
    gained_gold: int = 0

    def add(self, case: Case, times: int, now: str | None, then: CaseOutcome) -> None:
        """Take in `times` items of a case: its own gold, and what it would have been."""
        self.items += times
        if then.votes is not None:
            self.priced += times
            self.votes += times * then.votes
            self.labels += times * (then.votes + (case.author is not None))
        if not then.is_gold_known:
            return
        self.known += times
        self.gold += times * (then.gold is not None)
        self.same_gold += times * (then.gold == now)
        self.different_gold += times * (None not in (now, then.gold) and then.gold != now)
        self.lost_gold += times * (now is not None and then.gold is None)
        self.gained_gold += times * (now is None and then.gold is not None)

    @property
    def five_label_total(self) -> int:
        """What five labels for each priced item would have been."""
        return BASELINE_VOTES * self.priced


def decided_cases(cases: Cases, own: Mapping[int, Protocol], labels: Sequence[str]) -> dict[Case, str | None]:
    """The cases whose own protocol is at its end, with their gold; what is still being asked is left out."""
    found = {}
    for case in cases:
        now = outcome_of_case(own[case.own], case, labels, case.route)
        if now.is_gold_known and now.votes is not None and now.votes <= len(case.votes):
            found[case] = now.gold
    return found


def prices(
    cases: Cases, own: Mapping[int, Protocol], compared: Iterable[Protocol], labels: Sequence[str]
) -> list[Price]:
    """Price every protocol over the decided items."""
    ends, found = decided_cases(cases, own, labels), []
    for protocol in compared:
        price = Price(protocol)
        if protocol.alpha:
            _price_with_audits(price, {case: cases[case] for case in ends}, ends, labels)
            found.append(price)
            continue
        for case, now in ends.items():
            price.add(case, cases[case], now, outcome_of_case(protocol, case, labels))
        found.append(price)
    return found


def _price_with_audits(price: Price, cases: Cases, ends: Mapping[Case, str | None], labels: Sequence[str]) -> None:
    """Price a protocol with audits: one run over the items in an order drawn from what they are, audits drawn too.

    As many items are planned as there are. Of doubt the ambiguous marks are known.
    """
    protocol = price.protocol
    plan, account = Plan(sum(cases.values()), protocol.alpha, protocol.batch), AuditState()
    drawn = ((sha256(f"{case}|{n}".encode()).hexdigest(), case) for case, times in cases.items() for n in range(times))
    for digest, case in sorted(drawn):
        first = case.votes[0] if case.votes else (None, 0, False)
        agrees = case.author is not None and case.author in labels and first[0] == case.author
        account, known = apply_first_vote(
            plan,
            account,
            None,
            panel=False,
            agrees=agrees,
            doubt=first[2],
            draw=int(digest[:13], 16) / 16**13,
        )
        then = outcome_of_case(protocol, case, labels, known.route)
        if known.route == AUDITED and then.is_gold_known:
            account, _ = apply_outcome(plan, account, known, then.gold != case.author)
        elif known.route == AUDITED:
            # Nobody knows what it would have come to, and nobody ever will: nothing is charged for it.
            account = account.with_audit(plan, known, -1)
        price.add(case, 1, ends[case], then)


@dataclass(frozen=True, slots=True)
class VotingScheme:
    """A way of asking up to five labels; without a protocol nobody is asked, and the author's label stands."""

    key: str
    name: str
    protocol: Protocol | None

    @property
    def stops_early(self) -> bool:
        """Whether it stops once so many agree; else it asks for as many of every item."""
        return self.protocol is not None and len(self.protocol.rounds) > 1


def voting_schemes(*, author: bool) -> list[VotingScheme]:
    """One to five labels at once, the most given is gold; and until two, or three, of five agree (IndoNLI §3.2)."""
    names = (
        gettext_noop("One label"),
        gettext_noop("Two labels"),
        gettext_noop("Three labels"),
        gettext_noop("Four labels"),
        gettext_noop("Five labels"),
    )
    part = "vote" if author else "none"
    found = []
    for n, name in enumerate(names, start=1):
        asked = n - author
        rule = Protocol(f"first-{n}", (asked,), 1, author=part, plurality=True) if asked else None
        found.append(VotingScheme(f"first-{n}", name, rule))
    two, three = ((1, 1, 1, 1), (2, 1, 1)) if author else ((2, 1, 1, 1), (3, 1, 1))
    until = (
        VotingScheme("two-agree", gettext_noop("Until two agree"), Protocol("two-agree", two, 2, author=part)),
        VotingScheme("three-agree", gettext_noop("Until three agree"), Protocol("three-agree", three, 3, author=part)),
    )
    return [*found, *until]


def five_vote_scheme(*, author: bool) -> Protocol:
    """What a curve is compared with: three of author and four (SNLI), or the most given of five (id-csqa §4.2)."""
    if author:
        return PRESETS["fixed-5"]
    return Protocol("five", rounds=(BASELINE_VOTES,), quorum=1, author="none", plurality=True, tie="lowest-pseudonym")


@dataclass(slots=True)
class Point:
    """A point of the curve: labels of all its items, and on how many the gold is that of five labels."""

    way: VotingScheme
    items: int = 0
    labels: int = 0
    same_gold: int = 0
    no_gold: int = 0

    def add(self, times: int, labels: int, gold: str | None, five: str | None) -> None:
        """Take in `times` items."""
        self.items += times
        self.labels += times * labels
        self.same_gold += times * (gold == five)
        self.no_gold += times * (gold is None)

    @property
    def other_gold(self) -> int:
        """Items on which it makes another label gold than five do."""
        return self.items - self.same_gold - self.no_gold


def curve(cases: Cases, labels: Sequence[str], *, author: bool) -> list[Point]:
    """Price the ways of asking against five labels each, cheapest first.

    All are over the same items: those on which five labels make a gold for certain, and each way's end is known.
    """
    reference = five_vote_scheme(author=author)
    points = [Point(way) for way in voting_schemes(author=author)]
    for case, times in cases.items():
        five = outcome_of_case(reference, case, labels)
        ends = [_outcome_under_scheme(point.way, case, labels) for point in points]
        if five.gold is None or any(end.votes is None or not end.is_gold_known for end in ends):
            continue
        for point, end in zip(points, ends, strict=True):
            point.add(times, (end.votes or 0) + author, end.gold, five.gold)
    return sorted(points, key=lambda point: (point.labels, point.way.key))


def _outcome_under_scheme(way: VotingScheme, case: Case, labels: Sequence[str]) -> CaseOutcome:
    if way.protocol is None:
        return CaseOutcome(0, case.author is not None, case.author if case.author in labels else None)
    return outcome_of_case(way.protocol, case, labels)
