"""How the gold labels of a release arose, computed again from its files: sealed protocols, audits, counts.

Pure.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.writing.rules.typing import sum_typing
from exports.releases.rules.gold_origins import FIRST_VOTERS, recompute_work
from exports.releases.rules.verify import Check, RecomputedGold, Row
from validation.consensus import audit
from validation.consensus.audit import AUDITED, DISAGREEMENT, PANEL, ItemAudit, Step
from validation.consensus.protocol import Protocol


def check_seals(protocols: Sequence[Mapping[str, Any]]) -> Check:
    """The rules of each version against the hash that it was sealed with when it was made."""
    check = Check("protocols with the SHA-256 that they were sealed with")
    for version in protocols:
        if version.get("digest"):
            found = Protocol.from_dict(version["rules"]).digest
            check.count(found == version["digest"], f"protocol {version['n']}: its rules give {found}")
    return check


def recompute_audits(
    protocols: Sequence[Mapping[str, Any]],
    audits: Mapping[str, Mapping[str, Any]],
    lines: Sequence[Row],
    gold: RecomputedGold,
) -> tuple[Check, dict[str, Any]]:
    """Take the steps of the file again, compare them with rows and votes; the figures that they give, by version."""
    check, figures, unseen = Check("audits, step by step"), dict[str, Any](), set(gold.rows)
    column = gold.kind.export.id_column
    rules = {str(version["n"]): Protocol.from_dict(version["rules"]) for version in protocols}
    for n, stated in audits.items():
        protocol, seed = rules[n], stated["seed"]
        if seed is not None:
            given = audit.commitment(seed)
            check.count(given == protocol.commitment, f"protocol {n}: its seed has the SHA-256 {given}")
        here = [line for line in lines if str(line["protocol"]) == n]
        steps = [_step(line, column) for line in here]
        for at, line in enumerate(here, 1):
            event = "outcome" if line["agrees"] is None else "first"
            if (line["n"], line["event"]) != (at, event):
                check.count(False, f"step {at}: it is written down as step {line['n']}, {line['event']}")
        account, known, wrong = audit.retake_steps(audit.plan_of(protocol), protocol.panel, seed or "", steps)
        differ = {each.n: each for each in wrong}
        for at, step in enumerate(steps, 1):
            each = differ.get(at)
            fault = f"step {at}, {step.key}: {each.found}; it should be {each.expected}" if each else ""
            check.count(each is None, fault)
        told = audit.audit_figures(audit.plan_of(protocol), account, audit.count_decided(known.values()))
        figures[n] = told | {"commitment": protocol.commitment, "seed": seed}
        doubts = {step.key: step for step in steps if step.agrees is not None}
        for key in sorted(unseen & known.keys()):
            unseen.discard(key)
            check.count(*_fits(key, known[key], doubts[key], gold, protocol))
    for key in sorted(unseen):
        check.count(False, f"{key}: no step leads to its {gold.rows[key][0]}")
    if any(stated["seed"] is None for stated in audits.values()):
        check.note = "a seed is not published yet: who was drawn is taken as it is written down"
    return check, figures


def _step(line: Row, column: str) -> Step:
    return Step(str(line[column]), line["agrees"], line["doubt"], line["route"], line["q"], line["changed"])


_MARKS = {"any": ("unsure", "ambiguous"), "unsure": ("unsure",), "ambiguous": ("ambiguous",)}


def _fits(key: str, known: ItemAudit, step: Step, gold: RecomputedGold, protocol: Protocol) -> tuple[bool, str]:
    """Whether a row and its first vote are what the steps say of the item, and if not, why."""
    stop, q, label, author = gold.rows[key]
    if (stop, q) != (known.route, known.q):
        return False, f"{key}: its row says {stop}, q {q}; its steps {known.route}, q {known.q}"
    if known.route == AUDITED and known.changed is not None and known.changed is not (label != author):
        return False, f"{key}: its audit is told to have {'' if known.changed else 'not '}changed the gold"
    vote = gold.firsts.get(key)
    if vote is None:
        return False, f"{key}: there is no vote that it could stop at"
    agrees = gold.kind.export.spell(gold.read(vote["label"])) == author
    doubt = any(vote[mark] for mark in _MARKS[protocol.doubt])
    if known.route != PANEL and (agrees, doubt and agrees) != (
        known.route != DISAGREEMENT,
        step.doubt and agrees,
    ):
        return (
            False,
            f"{key}: its first vote is {vote['label']}{', doubted' if doubt else ''}; its steps say {stop}",
        )
    return True, ""


def check_gold_origins(
    published: Mapping[str, Any], gold: RecomputedGold, audits: Mapping[str, Any], *, same_version: bool
) -> Check:
    """The figures of the section against those that the files give; another version may tell others."""
    check = Check("how the gold labels arose, counted again")
    if published["rows"] and not gold.arising.rows:
        check.note = "no row says how many labels it has"
        return check
    again: dict[str, Any] = gold.origins() | ({"audits": audits} if audits else {})
    if gold.typed:
        again["typing"] = sum_typing(gold.typed).to_dict()
    if "work" in published:
        again["work"] = recompute_work(published["work"])
    # Values that are in no row cannot be counted again.
    untold = {*(() if gold.tells_rounds else ("rounds",)), *(() if gold.typed else ("typing",))}
    check.note = "how texts were typed is told in sums only" if "typing" in published and not gold.typed else ""
    names = {*published, *again} if same_version else published.keys() & again.keys()
    for name in sorted(names - untold):
        stated, counted = published.get(name), again.get(name)
        if name == FIRST_VOTERS and stated and counted and not same_version:
            counted = {key: counted[key] for key in stated}
        check.count(stated == counted, f"{name}: {stated}; counted {counted}")
    return check
