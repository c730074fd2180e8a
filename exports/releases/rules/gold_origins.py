"""How the gold labels of a release arose: counted while it is written, and again from its files by `verify_release`.

Pure. Stopping early makes items look unanimous, so agreement and distributions of labels are told from the panel, which
always gets all labels, and from pairs of author and first voter; never from all labels together. Intervals are of 95 %
(Wilson).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log2, sqrt
from typing import Any

from annotation.kinds import Kind
from exports.releases.rules import agreement
from exports.releases.rules.markdown import plain, table
from exports.releases.rules.statement import UNKNOWN_WHEN
from validation.consensus.audit import PANEL

_Z = 1.959963984540054
_PLACES = 4
UNASKED = "not asked"
FIRST_VOTERS = "first_voter_agrees"
# Behind how many votes: of imported ones nobody knows when they were given, only when they came.
_STORED = " had been stored here"
_NONE = "-"


def author_answer_of(kind: Kind) -> Callable[[Mapping[str, Any]], str | None] | None:
    """How a released row says what the author answered; None where answers are of other types than one label."""
    return None if kind.question.questions else kind.export.author_answer


def author_and_first(kind: Kind, author: str | None, label: str, *, imported: bool) -> tuple[str, str]:
    """The author's label and that of the first vote that counts, as far as they are to be compared.

    `author` is what the released row (`Export.author_answer`), or a vote on an item that is in no split, says of it, so
    that no figure is published which the files do not give: builds and `verify_release` both ask here. Empty where
    there is none, or answers are of other types than one label. An imported vote is nobody's first: when it was given
    is not known.
    """
    if kind.question.questions:
        return "", ""
    return "" if author is None or author == _NONE else author, "" if imported else label


@dataclass
class GoldOrigins:
    """Counts over the released rows; nothing here grows with them."""

    rows: int = 0
    labels: int = 0
    stops: Counter[str] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    pairs: int = 0
    agreeing: int = 0
    pairs_left_out: int = 0
    panel: Counter[tuple[int, ...]] = field(default_factory=Counter)

    def add(
        self,
        *,
        n_labels: int,
        stop: str | None,
        rnd: int,
        author: str,
        first: str,
        distribution: Mapping[str, int] | None,
        rows: int = 1,
    ) -> None:
        """Take in rows that are alike: `author` and `first` as `author_and_first` gives them."""
        self.rows += rows
        self.labels += n_labels * rows
        self.stops[stop or UNASKED] += rows
        self.rounds[rnd] += rows
        self.add_pairs(author, first, rows)
        if stop == PANEL and distribution is not None:
            self.panel[tuple(sorted((n for n in distribution.values() if n), reverse=True))] += rows

    def add_pairs(self, author: str, first: str, n: int = 1, *, left_out: bool = False) -> None:
        """Take in the author's label and the first vote of so many items; also of those that are in no split."""
        if author and first:
            self.pairs += n
            self.agreeing += n * (first == author)
            self.pairs_left_out += n * left_out

    def summary(self) -> dict[str, Any]:
        """As plain JSON values."""
        summary: dict[str, Any] = {
            "rows": self.rows,
            "labels": self.labels,
            "stop_reasons": dict(sorted(self.stops.items())),
            "rounds": {str(rnd): n for rnd, n in sorted(self.rounds.items())},
        }
        if self.pairs:
            pairs = share_with_interval(self.agreeing, self.pairs)
            summary[FIRST_VOTERS] = {**pairs, "left_out": self.pairs_left_out}
        return summary | ({"panel": self._panel()} if self.panel else {})

    def _panel(self) -> dict[str, Any]:
        """Patterns of labels of the panel (4-1: four gave one label, one another), unanimity, mean entropy in bits."""
        n = self.panel.total()
        unanimous = sum(times for pattern, times in self.panel.items() if len(pattern) == 1)
        entropy = sum(times * _entropy(pattern) for pattern, times in sorted(self.panel.items())) / n
        return {
            "items": n,
            "patterns": {
                "-".join(map(str, pattern)): self.panel[pattern] for pattern in sorted(self.panel, reverse=True)
            },
            "unanimous": share_with_interval(unanimous, n),
            "mean_entropy": round(entropy, _PLACES),
        }


def share_with_interval(part: int, of: int) -> dict[str, Any]:
    """A share with its Wilson interval of 95 %; null where there is nothing."""
    if not of:
        return {"n": part, "of": of, "share": None, "from": None, "to": None}
    mean, spread = part / of, _Z * _Z / of
    middle = (mean + spread / 2) / (1 + spread)
    reach = _Z * sqrt(mean * (1 - mean) / of + spread / (4 * of)) / (1 + spread)
    low, high = (round(min(max(each, 0.0), 1.0), _PLACES) for each in (middle - reach, middle + reach))
    return {"n": part, "of": of, "share": round(mean, _PLACES), "from": low, "to": high}


def _entropy(pattern: Iterable[int]) -> float:
    counts = list(pattern)
    whole = sum(counts)
    return -sum(n / whole * log2(n / whole) for n in counts)


def distribution_of(labels: Sequence[str], whole: int) -> dict[str, int] | None:
    """How often each label was given, by label; null unless all labels of the protocol (`whole`) are there."""
    return dict(sorted(Counter(labels).items())) if len(labels) >= whole else None


def deviations(protocols: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Versions of the protocol that were made after votes had been cast: what changed against the one before."""
    found, before = [], None
    for version in protocols:
        if before is not None and version.get("votes_before"):
            old, new = before["rules"], version["rules"]
            names = [name for name in {**old, **new} if name not in ("name", "commitment")]
            changed = {name: [old.get(name), new.get(name)] for name in names if old.get(name) != new.get(name)}
            found.append({"n": version["n"], "votes_before": version["votes_before"], "changed": changed})
        before = version
    return found


def sections(part: Mapping[str, Any]) -> list[str]:
    """The section of the card; nothing in releases of before there was such a thing."""
    arose = part["counts"].get("arose")
    if arose is None:
        return []
    imported, given = part["counts"]["people"].get("votes_imported", 0), part["counts"]["votes"]["given"]
    return [
        "## How the gold labels arose",
        "",
        *_registered(part["context"]["protocols"], imported, given),
        *_stops(arose, imported),
        *_audits(arose.get("audits", {})),
        *_first_voters(arose.get(FIRST_VOTERS), imported),
        *agreement.sentences(arose.get("agreement")),
        *_panel(arose.get("panel")),
        *_typed(arose),
        *_work_paragraph(arose.get("work")),
        "`verify_release` computes all of this again from the files"
        + (", but for answers to a quiz and to gold questions, of which no file tells." if "work" in arose else "."),
        "",
    ]


def _registered(protocols: Sequence[Mapping[str, Any]], imported: int, given: int) -> list[str]:
    """When each version was made, as far as it is known: nobody knows when `imported` of the votes were given."""
    lines = []
    if imported:
        of = "All votes" if imported == given else f"{imported:,} of the {given:,} votes"
        lines = [f"{of}: {UNKNOWN_WHEN}.", ""]
    for version in protocols:
        made = _when_made(version.get("votes_before"), imported, given)
        digest = version.get("digest")
        sealed = f"{';' if made else ':'} the SHA-256 of its rules is `{digest}`" if digest else ""
        lines.append(f"- Protocol {version['n']}{made}{sealed}.")
    differences = deviations(protocols)
    if differences:
        lines += ["", "Deviations from what was registered first:", ""]
        lines += [
            f"- Protocol {each['n']}, after {each['votes_before']:,} votes{_STORED if imported else ''}: "
            + (
                "; ".join(f"`{name}` {_said(old)} → {_said(new)}" for name, (old, new) in each["changed"].items())
                or "the same rules, another seed"
            )
            + "."
            for each in differences
        ]
    elif imported < given or not imported:
        lines += ["", f"No rule was changed after votes had been cast{' here' if imported else ''}."]
    return [*lines, ""]


def _when_made(votes_before: int | None, imported: int, given: int) -> str:
    if votes_before:
        return f" was made after {votes_before:,} votes{_STORED if imported else ''}"
    if imported:
        return " was made before the first vote given here" if imported < given else ""
    return " was made before the first vote" if votes_before == 0 else " was made at an unknown time"


def _said(value: object) -> str:
    return plain("–" if value is None or value == "" else str(value))


def _stops(arose: Mapping[str, Any], imported: int) -> list[str]:
    rows = list(arose["stop_reasons"].items())
    rounds = ", ".join(f"{n:,} in round {rnd}" for rnd, n in arose["rounds"].items())
    taken = " Imported votes are taken in the order of their file, as if they had been asked for." if imported else ""
    return [
        f"{arose['labels']:,} labels on {arose['rows']:,} rows; {rounds} (0: nobody voted).{taken}",
        "",
        *table(["why nobody else was asked (`stop_reason`)", "rows"], rows),
        "",
    ]


def _audits(audits: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = []
    for n, audit in audits.items():
        planned = "an unknown number of" if audit["planned"] is None else f"{audit['planned']:,}"
        bound = "not known, as nobody said how many items were planned"
        if audit["bound95"] is not None:
            counted = ", with those that have no outcome counted as changed" if audit["open"] else ""
            # Items that are audited have all labels: of the others no more can differ than there are.
            most = min(ceil(audit["bound95"]), audit["agreed"])
            bound = f"{most:,} of {audit['agreed']:,} agreements{counted}"
        elif audit["open"] and audit["planned"] is not None:
            bound = "not known, as an audit without an outcome may have found a change"
        seed = (
            "the seed follows in a later release, once the project is closed or all planned items are drawn: before "
            "that it would tell which items will be audited"
        )
        if audit["seed"]:
            seed = f"the seed `{audit['seed']}`"
        lines += [
            f"Under protocol {n} items stopped at two equal labels, but for a secret draw (audits). {planned} items "
            f"were planned; on average at most {100 * audit['alpha']:g} % of them may have another gold than five "
            f"labels would have given. {audit['audited']:,} of {audit['agreed']:,} agreements were audited: "
            f"{audit['decided']:,} are decided, {audit['changed']:,} of them with another gold; {audit['open']:,} have "
            f"no outcome. Upper bound of 95 % on the golds that differ: {bound}. "
            f"The steps are in `audits.jsonl`; "
            f"the SHA-256 of the seed, fixed when the protocol was made, is `{audit['commitment']}`, {seed}.",
            "",
        ]
    return lines


def _first_voters(first: Mapping[str, Any] | None, imported: int) -> list[str]:
    if not first:
        return []
    given = " given here" if imported else ""
    left_out = first.get("left_out")
    over = (
        " released rows"
        if left_out is None
        else f" items with a first vote{given}, {left_out:,} of which are in no split"
    )
    return [f"The first voter gave the author's label in {percent(first, over)}.", ""]


def _panel(panel: Mapping[str, Any] | None) -> list[str]:
    lines = []
    if panel:
        lines += [
            f"The panel, drawn secretly, always got all labels: {panel['items']:,} items, unanimous in "
            f"{percent(panel['unanimous'])}; mean entropy {panel['mean_entropy']:g} bits. Distributions of labels "
            "are told from it, since early stopping makes the others look unanimous.",
            "",
            *table(["labels of the panel", "items"], list(panel["patterns"].items())),
            "",
        ]
    return lines


def percent(told: Mapping[str, Any], over: str = "") -> str:
    return f"{100 * told['share']:.1f} % of {told['of']:,}{over} ({100 * told['from']:.1f} to {100 * told['to']:.1f} %)"


def _typed(arose: Mapping[str, Any]) -> list[str]:
    """How the texts were typed, where the project recorded it."""
    typing = arose.get("typing")
    if typing is None:
        return []
    counted = typing["typed"] + typing["pasted"] + typing["inserted"]
    lines = [
        f"How texts were typed was recorded of writers who agreed: {typing['measured']:,} of {typing['texts']:,} texts."
        " Of the others it is unknown."
    ]
    if counted:
        typed, pasted, inserted = (100 * typing[name] / counted for name in ("typed", "pasted", "inserted"))
        lines[0] += (
            f" Of their characters {typed:.0f} % were typed, {pasted:.0f} % pasted, {inserted:.0f} % inserted "
            f"otherwise; in {typing['one_insertion']:,} texts most arrived in one insertion."
        )
    lines[0] += (
        f" {typing['attested']:,} texts are of sets whose writer attested that they wrote them, "
        f"{typing['not_attested']:,} of sets whose writer did not."
    )
    return [*lines, ""]


# Totals of a quiz or of gold questions are not published below this number of people or answers.
LEAST_TO_REPORT = 5
# The quizzes by their names in a manifest: who took them, before what.
QUIZ_WORDS: Mapping[str, tuple[str, str]] = {
    "quiz": ("Voters", "voted"),
    "writers_quiz": ("Writers", "wrote"),
}


def work_report(quizzes: Mapping[str, Mapping[str, int]], gold: Mapping[str, int]) -> dict[str, Any]:
    """People's work in a release: the sums by what was asked, None where too few people or answers are in them.

    `quizzes` (by their names in WHOSE) and `gold` are the sums of `qualification_sums` and `gold_sums`; nothing where
    nothing was asked. No file holds these answers: who answered what to an item with a known answer stays with the
    team. Shares with their intervals can be computed again from the sums.
    """
    told: dict[str, Any] = {}
    for name, quiz in quizzes.items():
        if quiz["people"] or quiz["waived"]:
            told[name] = _quiz(**quiz)
    if gold["questions"]:
        told["gold_questions"] = _gold(**gold)
    return told


def _quiz(*, attempts: int, people: int, passed: int, asked: int, right: int, waived: int) -> dict[str, Any] | None:
    if min(people, asked) < LEAST_TO_REPORT:
        return None
    return {
        "people": people,
        "attempts": attempts,
        "passed": share_with_interval(passed, people),
        "right": share_with_interval(right, asked),
        "waived": waived,
    }


def _gold(*, questions: int, people: int, answers: int, right: int, pauses: int) -> dict[str, Any] | None:
    if min(people, answers) < LEAST_TO_REPORT:
        return None
    return {
        "questions": questions,
        "people": people,
        "right": share_with_interval(right, answers),
        "pauses": pauses,
    }


def recompute_work(told: Mapping[str, Any]) -> dict[str, Any]:
    """The same from its own counts."""
    found: dict[str, Any] = {}
    for name, sums in told.items():
        if sums is None:
            found[name] = None
        elif name in QUIZ_WORDS:
            counts = {key: sums[key] for key in ("people", "attempts", "waived")}
            passed, right = sums["passed"], sums["right"]
            found[name] = _quiz(**counts, passed=passed["n"], right=right["n"], asked=right["of"])
        else:
            counts = {key: sums[key] for key in ("questions", "people", "pauses")}
            found[name] = _gold(**counts, right=sums["right"]["n"], answers=sums["right"]["of"])
    return found


def _work_paragraph(told: Mapping[str, Any] | None) -> list[str]:
    """The paragraph of the card."""
    if not told:
        return []
    said = []
    for name in (name for name in QUIZ_WORDS if name in told):
        quiz, (who, work) = told[name], QUIZ_WORDS[name]
        said.append(
            f"{who} took a quiz on items with known answers before they {work}: {quiz['people']:,} people in "
            f"{quiz['attempts']:,} attempts, {quiz['passed']['n']:,} of them passed, {quiz['waived']:,} were let in by "
            f"a lead without it; right answers: {percent(quiz['right'])}."
            if quiz
            else f"{who} took a quiz before they {work}; fewer than five people did, so that no figures are given."
        )
    if "gold_questions" in told:
        gold = told["gold_questions"]
        said.append(
            f"Among voters' cards were {gold['questions']:,} gold questions, which count for nothing in this release: "
            f"{gold['people']:,} people gave the accepted answer in {percent(gold['right'])}; {gold['pauses']:,} times "
            "somebody was paused until a lead had decided."
            if gold
            else "Gold questions were asked among the cards; of too few people for figures."
        )
    return [" ".join(said), ""]
