"""The protocol of a project: how many people are asked, and how a label becomes gold.

A frozen value without Django, so that the web, the jobs, `replay` and the repair check decide by the same one.
The presets are the protocols of the papers: IndoNLI §3.2, SNLI and MNLI, id-csqa §4.2, mCSQA §3.3, Kalahi §3.2 and
Appendix I, LoraxBench §3.4. A protocol that contradicts itself cannot be made: `FieldError` names the field.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from annotation.answers.base import RESERVED_KEYS
from annotation.core.rules.fields import FieldError, Rules, rule, rule_metadata
from annotation.text.gettext import gettext_noop as _

# Far above what any paper asks for, and low enough that a slip of the hand cannot ask a whole town.
MOST_ROUNDS = 9
MOST_VOTES = 99
LONGEST_NAME = 2000
# An item is never excluded for being ambiguous.
NEVER = -1
FURTHER_RULES_SECTION = _("Further rules")
AUDITS_SECTION = _("Stopping at two, with audits")
_AUDIT_FIELDS = ("alpha", "planned", "batch", "panel", "doubt", "commitment", "audit_rule")
# Versions of the rule of audits. Under the first an audit without an outcome counted as one that found no change, under
# the second at the rate found so far; under the third agreements wait for their draw until few audits are unseen.
FIRST_AUDIT_RULE, OPEN_AUDITS_COUNT, FEW_UNSEEN_AUDITS = 1, 2, 3
AUDIT_RULE = FEW_UNSEEN_AUDITS
# With fewer voters an audit that finds another gold never ends, and one that finds none does.
LEAST_AUDIT_VOTES = 4


@dataclass(frozen=True, slots=True)
class Protocol(Rules):
    """How many votes are asked for and what they settle. Raises `FieldError` where two fields contradict each other."""

    # fmt: off
    name: str = field(metadata=rule_metadata(_("Name"),
        _("What the protocol is called: it follows from the other fields."), max_length=LONGEST_NAME))
    rounds: tuple[int, ...] = field(metadata=rule_metadata(_("Votes in each round"),
        _("How many votes are asked for in each round. A round is asked for whole and decided when its last vote is "
          "in; the next one is only asked for when nothing is settled yet."), min_length=1, max_length=MOST_ROUNDS))
    quorum: int = field(metadata=rule_metadata(_("Quorum"),
        _("How many equal votes make a label gold; the key is one of them where it counts as the first vote."), ge=1,
        le=MOST_VOTES + 1))
    author: str = rule("vote", _("The writer's label"),
        _("What the label given by the item's writer is: the first vote, the key, or nothing at all."),
        choices={"vote": _("Counts as the first vote"), "key": _("Is the key that votes are compared with"),
            "none": _("Plays no part")})
    target: str = rule("any", _("What can become gold"),
        _("Which labels can become gold: any, only the one that is the key, or only one that accepts the item."),
        FURTHER_RULES_SECTION, choices={"any": _("Any label"), "key": _("The key only"),
            "accept": _("One accepting label only")})
    accept: str = rule("", _("Accepting label"), _("The accepting label, where only that one can become gold."),
        FURTHER_RULES_SECTION)
    plurality: bool = rule(False, _("Most votes are enough"),
        _("Gold is the label with the most votes; the quorum is then the fewest votes that it needs."),
        FURTHER_RULES_SECTION)
    tie: str = rule("none", _("Ties"), _("What happens when two labels have equally many votes, enough to be gold."),
        FURTHER_RULES_SECTION,
        choices={"none": _("No gold label"), "lowest-pseudonym": _("The tied label of the lowest pseudonym")})
    stop_hopeless: bool = rule(True, _("Stop when hopeless"),
        _("Ask nobody further once no label can reach the quorum with the votes that are left."), FURTHER_RULES_SECTION)
    criteria: tuple[str, ...] = rule((), _("Criteria"),
        _("For ratings: the criteria. Each is decided by itself, on the same votes."), FURTHER_RULES_SECTION)
    most_ambiguous: int = rule(NEVER, _("Ambiguous for at most"),
        _("An item is excluded when more than so many people mark it, or a choice of it, as ambiguous; looked at "
          "when its last vote is in. -1: never."), FURTHER_RULES_SECTION, ge=NEVER, le=MOST_VOTES)
    alpha: float = rule(0.0, _("Another gold for at most"),
        _("Stop at two equal labels: where the first voter agrees with the writer and nobody doubts, the item is gold, "
          "but for a secret draw that is asked on (audits). At most this share of the planned items then has another "
          "gold than five labels would have given, on average: 0.005 is one of 200. It needs four voters besides the "
          "writer of an item. 0: nothing stops at two."),
        AUDITS_SECTION, le=0.05, allow_inf_nan=False)
    planned: int = rule(0, _("Planned items"),
        _("How many items will be voted on in all. 0: nobody knows; then every agreement is audited."), AUDITS_SECTION)
    batch: int = rule(100, _("Items between two looks"),
        _("After so many items the chance of an audit follows what audits have found."), AUDITS_SECTION, ge=1)
    panel: float = rule(0.05, _("Panel"),
        _("This share of items, drawn secretly, always gets all labels: distributions of labels and agreement are "
          "told from them."), AUDITS_SECTION, le=1, allow_inf_nan=False)
    doubt: str = rule("any", _("What counts as doubt"), _("What the first voter may mark so that nothing stops."),
        AUDITS_SECTION, choices={"any": _("Unsure or ambiguous"), "unsure": _("Unsure"), "ambiguous": _("Ambiguous")})
    combine: str = rule("", _("Answers with parts"),
        _("What is counted where answers have parts: equal answers, or each part by itself. Single labels have "
          "none."), FURTHER_RULES_SECTION,
        choices={"": _("As the answer type does by itself"), "whole": _("Equal answers as a whole"),
            "parts": _("Part by part: the median of points, each label, each character of a span")})
    # fmt: on
    commitment: str = ""
    """The SHA-256 of the seed that audits and the panel are drawn with; the system's, not a rule that people choose."""
    audit_rule: int = FIRST_AUDIT_RULE
    """The version of the rule of audits, the system's too. Sealed protocols that name none follow the first one."""

    def __post_init__(self) -> None:
        for check in _CHECKS:
            check(self)

    @property
    def votes_at_most(self) -> int:
        """The votes asked for when every round is run; the author's label is not among them."""
        return sum(self.rounds)

    @property
    def author_counts(self) -> bool:
        """Whether the author's label is the first vote."""
        return self.author == "vote"

    @property
    def title(self) -> str:
        """What the protocol asks for, in words: protocols with other rules have other titles (domain.md §10, 25)."""
        return self.title_in(str)

    def title_in(self, say: Callable[[str], str]) -> str:
        """The title in another language: `say` translates a string of it."""
        return "; ".join((_rounds_in_words(self, say), *_further_rules_in_words(self, say)))

    @property
    def digest(self) -> str:
        """The SHA-256 of the rules: what a version is sealed with (docs/releases.md)."""
        plain = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return sha256(plain.encode()).hexdigest()

    def titled(self) -> "Protocol":
        """The same protocol, called by what it asks for."""
        return replace(self, name=self.title)

    def to_dict(self) -> dict[str, Any]:
        """Give the protocol as plain JSON values, in the order of the class.

        `combine` only where it says something, what is said of audits only where there are any.
        """
        silent = {*(() if self.combine else ("combine",)), *(() if self.alpha else _AUDIT_FIELDS)}
        if self.audit_rule == FIRST_AUDIT_RULE:
            silent.add("audit_rule")
        names = [name for name in (*self.declared(), "commitment", "audit_rule") if name not in silent]
        plain = {name: getattr(self, name) for name in names}
        return plain | {"rounds": list(self.rounds), "criteria": list(self.criteria)}


def _check_rounds(protocol: Protocol) -> None:
    if not protocol.name.strip():
        raise FieldError("name", _("is empty"))
    if any(size < 1 for size in protocol.rounds):
        raise FieldError("rounds", _("each round asks for at least one vote"))
    if protocol.votes_at_most > MOST_VOTES:
        raise FieldError("rounds", _("asks for more than %(most)d votes"), most=MOST_VOTES)


def _check_quorum(protocol: Protocol) -> None:
    votes = protocol.votes_at_most + protocol.author_counts
    if protocol.quorum > votes:
        raise FieldError("quorum", _("cannot be reached with %(votes)d votes"), votes=votes)


def _check_target(protocol: Protocol) -> None:
    if protocol.target == "accept" and not protocol.accept.strip():
        raise FieldError("accept", _("is missing: which label accepts the item?"))
    if protocol.target != "accept" and protocol.accept:
        raise FieldError("accept", _("has a meaning only where one accepting label is the target"))
    if protocol.target == "key" and protocol.author != "key":
        raise FieldError("target", _("there is no key unless the author's label is it"))
    if protocol.plurality and protocol.target != "any":
        raise FieldError("plurality", _("needs a target of any label"))


def _check_criteria(protocol: Protocol) -> None:
    if not protocol.criteria:
        return
    if not all(c.strip() for c in protocol.criteria):
        raise FieldError("criteria", _("one of them is empty"))
    if len(set(protocol.criteria)) < len(protocol.criteria):
        raise FieldError("criteria", _("the same one is listed twice"))
    for criterion in protocol.criteria:
        if criterion in RESERVED_KEYS:
            reason = _("“%(name)s” is what votes call something else: choose another name")
            raise FieldError("criteria", reason, name=criterion)
    if protocol.author != "none":
        raise FieldError("criteria", _("the author rates nothing: the author must play no part"))


def _check_ambiguous(protocol: Protocol) -> None:
    most, votes = protocol.most_ambiguous, protocol.votes_at_most
    if most >= votes:
        raise FieldError(
            "most_ambiguous",
            _("cannot be passed with %(votes)d votes; -1 says never"),
            votes=votes,
        )


def _check_audits(protocol: Protocol) -> None:
    if not protocol.alpha:
        return
    if protocol.author != "vote" or protocol.target != "any" or protocol.plurality or protocol.criteria:
        raise FieldError(
            "alpha",
            _("needs a protocol in which the writer's label is the first vote and any label can become gold"),
        )
    if protocol.rounds[0] != 1 or len(protocol.rounds) < 2 or protocol.quorum < 3:
        raise FieldError("alpha", _("needs a first round of one vote, further rounds, and a quorum of three or more"))
    if not FIRST_AUDIT_RULE <= protocol.audit_rule <= AUDIT_RULE:
        raise FieldError("audit_rule", _("is not known to this version"))
    if protocol.audit_rule >= OPEN_AUDITS_COUNT and protocol.votes_at_most < LEAST_AUDIT_VOTES:
        raise FieldError(
            "rounds",
            _("must ask for %(votes)d votes in all or more: an audit that finds another gold needs them"),
            votes=LEAST_AUDIT_VOTES,
        )


_CHECKS: tuple[Callable[[Protocol], None], ...] = (
    _check_rounds,
    _check_quorum,
    _check_target,
    _check_criteria,
    _check_ambiguous,
    _check_audits,
)


_NUMBERS = (
    *("0", _("one"), _("two"), _("three"), _("four")),
    *(_("five"), _("six"), _("seven"), _("eight"), _("nine")),
)


def _rounds_in_words(protocol: Protocol, say: Callable[[str], str]) -> str:
    """The votes of each round, and how many make gold: `author + 2, +1, +1; three equal`, `5 votes, quorum 3`."""
    first, *more = protocol.rounds
    later = "".join(f", +{size}" for size in more)
    quorum = protocol.quorum
    enough = say(_("the most votes, at least %(n)s")) % {"n": quorum} if protocol.plurality else ""
    if protocol.author_counts:
        number = say(_NUMBERS[quorum]) if quorum < len(_NUMBERS) else str(quorum)
        equal = enough or say(_("%(number)s equal")) % {"number": number}
        author = say(_("author"))
        return f"{author} + {first}{later}; {equal}"
    votes = say(_("1 vote")) if first == 1 else say(_("%(n)s votes")) % {"n": first}
    enough = enough or say(_("quorum %(n)s")) % {"n": quorum}
    return f"{votes}{later}, {enough}"


def _further_rules_in_words(protocol: Protocol, say: Callable[[str], str]) -> list[str]:
    """The rules that differ from what a protocol of this sort usually has."""
    ambiguous = say(_("left out above %(n)s ambiguous")) % {"n": protocol.most_ambiguous}
    combined = {"whole": _("answers as a whole"), "parts": _("answers part by part")}.get(protocol.combine)
    rules = (
        (say(_("the author's label is the key")), protocol.author == "key" and protocol.target != "key"),
        (say(_("gold is the author's label or none")), protocol.target == "key"),
        (say(_("gold is “%(label)s” or none")) % {"label": protocol.accept}, protocol.target == "accept"),
        (say(_("ties to the lowest pseudonym")), protocol.tie == "lowest-pseudonym"),
        (say(_("every round is asked for")), not protocol.stop_hopeless),
        (ambiguous, protocol.most_ambiguous != NEVER),
        (say(combined) if combined else "", bool(combined)),
        (
            say(_("each of %(criteria)s")) % {"criteria": ", ".join(protocol.criteria)},
            bool(protocol.criteria),
        ),
        (_audits_in_words(protocol, say), bool(protocol.alpha)),
    )
    return [words for words, stands in rules if stands]


def _audits_in_words(protocol: Protocol, say: Callable[[str], str]) -> str:
    """What is said of audits, in words."""
    doubt = "" if protocol.doubt == "any" else say(_(", doubt is %(doubt)s")) % {"doubt": protocol.doubt}
    return (
        say(
            _(
                "two that agree stop, but for audits: at most %(alpha)s of %(planned)s planned, looked at every "
                "%(batch)s, panel %(panel)s"
            )
        )
        % {
            "alpha": f"{protocol.alpha:g}",
            "planned": protocol.planned,
            "batch": protocol.batch,
            "panel": f"{protocol.panel:g}",
        }
        + doubt
    )


def people_needed(protocol: Protocol, *, written_by_people: bool = True) -> int:
    """Count the people without whom the last round could not be filled.

    Nobody votes twice on an item nor on their own, so it takes one voter a vote, and the writer beside them where
    a person wrote it (five in all for IndoNLI's expert set, §3.1).
    """
    return protocol.votes_at_most + written_by_people


# Kalahi, Appendix I: the seven criteria that a response is rated by.
KALAHI_CRITERIA = (
    "factuality",
    "grammaticality",
    "spelling",
    "coherence",
    "actionability",
    "sensitivity",
    "legality",
)
DEFAULT_PROTOCOL = "incremental-3-5"
PRESETS: Mapping[str, Protocol] = {
    preset.name: preset
    for preset in (
        # IndoNLI §3.2: author and two; then a third, then a fourth validator.
        Protocol(DEFAULT_PROTOCOL, rounds=(2, 1, 1), quorum=3),
        # SNLI, MNLI: author and four at once, three of the five.
        Protocol("fixed-5", rounds=(4,), quorum=3),
        # id-csqa §4.2: the five others answer; this tie rule gives all 1,498 published majorities. A question that
        # more than three of them call ambiguous is left out.
        Protocol(
            "answers-5",
            rounds=(5,),
            quorum=1,
            author="none",
            plurality=True,
            tie="lowest-pseudonym",
            most_ambiguous=3,
        ),
        # mCSQA §3.3: both say that the answer follows, else the question is dropped.
        Protocol("unanimous-2", rounds=(2,), quorum=2, author="none", target="accept", accept="yes"),
        # Kalahi §3.2: two of three choose the writer's best; below that the prompt stays in with its share.
        Protocol("best-of-3", rounds=(3,), quorum=2, author="key", target="key"),
        # LoraxBench §3.4: one other native speaker approves.
        Protocol("review-1", rounds=(1,), quorum=1, author="none", target="accept", accept="approve"),
        # Kalahi Appendix I: per criterion, two of three.
        Protocol("rating-3", rounds=(3,), quorum=2, author="none", criteria=KALAHI_CRITERIA),
        # Author and one; two that agree stop but for secret audits, which go on as IndoNLI's rounds.
        Protocol("two-agree-audit", rounds=(1, 1, 1, 1), quorum=3, alpha=0.005, audit_rule=AUDIT_RULE),
    )
}
