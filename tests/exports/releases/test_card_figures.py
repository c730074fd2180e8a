"""What the card says of first voters and agreement: over which votes, and right by code of its own."""

import shutil
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exports.releases.models import Release
from exports.releases.rules.agreement import FIRST_ROUND, WEIGHTED, Agreement, DesignedVote, sentences
from exports.releases.verify import verify
from tests.exports.releases.forger import Forged
from tests.exports.releases.test_arising import run_whole
from tests.exports.releases.test_verify import said
from tests.exports.world import Staged, build, folder, freeze, manifest, rows, staged
from tests.review import World
from tests.shared_worlds import SharedWorlds
from validation.consensus.design import FEWEST_AUDITS
from validation.consensus.protocol import PRESETS
from validation.insights.rules import weighted
from validation.insights.rules.tallies import Ballots

pytestmark = pytest.mark.django_db
Row = dict[str, Any]
COUNTED_AGAIN = "how the gold labels arose, counted again"


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged, slug="own", seed="a-seed-that-nobody-guesses")


@pytest.fixture
def audited(standing: SharedWorlds) -> World:
    return standing(run_whole)


def by_item(votes: list[Row]) -> dict[str, list[Row]]:
    """The votes of each item that stand, in the order in which they are counted."""
    found: dict[str, list[Row]] = {}
    for vote in sorted(votes, key=lambda vote: (vote["round"], vote["n"])):
        if vote["not_counted_because"] in (None, "extra"):
            found.setdefault(vote["pair_id"], []).append(vote)
    return found


def krippendorff(items: list[list[str]]) -> float:
    """Nominal alpha from its definition: disagreement within items over that among all votes."""
    items = [labels for labels in items if len(labels) > 1]
    every = [label for labels in items for label in labels]
    within = sum(2 * sum(a != b for a, b in combinations(labels, 2)) / (len(labels) - 1) for labels in items)
    among = 2 * sum(a != b for a, b in combinations(every, 2)) / (len(every) - 1)
    return 1 - within / among


def card_of(release: Release) -> str:
    return (folder(release) / "README.md").read_text()


def test_first_voters_are_counted_over_every_item_with_a_first_vote(made: Staged) -> None:
    release = build(freeze(made, no_gold="test", forms=""))
    firsts = [votes[0] for votes in by_item(rows(release, "votes")).values() if votes[0]["counted"]]
    agreeing = sum(vote["label"] == vote["author_label"] for vote in firsts)
    left_out = sum(vote["split"] is None for vote in firsts)
    told = manifest(release)["counts"]["arose"]["first_voter_agrees"]
    assert (told["n"], told["of"], told["left_out"]) == (agreeing, len(firsts), left_out)
    assert 0 < left_out < len(firsts)
    said_on_card = f"of {len(firsts)} items with a first vote, {left_out} of which are in no split"
    assert said_on_card in card_of(release)
    authors = {row["pair_id"]: row["author_label"] for row in rows(release, "test")}
    for vote in rows(release, "votes"):
        assert vote["author_label"] == authors.get(vote["pair_id"], vote["author_label"])
    assert verify(folder(release)).right


def test_alpha_rests_on_the_first_round_of_every_item(made: Staged) -> None:
    release = build(freeze(made))
    told = manifest(release)["counts"]["arose"]["agreement"]
    first = [[v["label"] for v in votes if v["round"] == 1] for votes in by_item(rows(release, "votes")).values()]
    first = [labels for labels in first if len(labels) > 1]
    assert told["over"] == FIRST_ROUND
    assert (told["items"], told["votes"]) == (len(first), sum(map(len, first)))
    assert told["alpha"] == pytest.approx(krippendorff(first), abs=1e-4)
    assert "It rests on" in card_of(release)
    assert "those of the first round, which were asked for whatever others had said" in card_of(release)


def test_alpha_under_audits_weighs_second_votes_by_their_probability(audited: World) -> None:
    release = build(freeze(audited, "indonli-expert", no_gold="test"))
    told = manifest(release)["counts"]["arose"]["agreement"]
    of_row = {row["pair_id"]: row for row in rows(release, "test")}
    columns, weights = list[tuple[int, int, int]](), list[float]()
    people, labels = Counter[str](), ["entailment", "neutral", "contradiction"]
    for n, (key, votes) in enumerate(by_item(rows(release, "votes")).items()):
        row = of_row[key]
        weight = 1 / row["q"] if row["stop_reason"] == "audited" else 1.0
        for vote in votes[: 1 if row["stop_reason"] == "two_agree" else 2]:
            people[vote["annotator"]] += 1
            columns.append((n, list(people).index(vote["annotator"]), labels.index(vote["label"])))
            weights.append(weight)
    item, person, label = np.array(columns).T
    ballots = Ballots(item, person, label, len(of_row), len(people), len(labels))
    found = weighted.agreement(ballots, np.array(weights), np.arange(len(of_row)))
    assert told["over"] == WEIGHTED
    assert told["alpha"] == pytest.approx(found.alpha.value, abs=1e-4)
    assert (told["items"], told["votes"]) == (found.items, found.ratings)
    assert "weighted by the inverse of it" in card_of(release)


def test_intervals_cover_what_is_true() -> None:
    """Ten people of one quality on a hundred items; the seed was fixed before the first run."""
    draws, protocol = np.random.default_rng(20261128), [{"n": 1, "rules": PRESETS["fixed-5"].to_dict()}]
    right, runs, chance = 0.8, 200, 1 / 3
    # Two people agree where both are right, or both wrong alike.
    same = right**2 + (1 - right) ** 2 / 2
    true, covered, found = (same - chance) / (1 - chance), 0, list[float]()
    for _ in range(runs):
        agreement = Agreement(protocol)
        for _ in range(100):
            truth, votes = draws.integers(3), list[DesignedVote]()
            for person in draws.choice(10, 3, replace=False):
                label = truth if draws.random() < right else (truth + 1 + draws.integers(2)) % 3
                votes.append(DesignedVote(f"W{person}", str(label), 1, False))
            agreement.add(votes)
        told = agreement.summary()
        assert told is not None
        found.append(told["alpha"])
        covered += told["from"] <= true <= told["to"]
    assert abs(np.mean(found) - true) < 0.01
    assert covered / runs >= 0.93


def audited_project(draws: np.random.Generator, items: int, held: float) -> tuple[Agreement, Agreement]:
    """The votes of a project under audits of which so many agreements wait for their draw, and all first two votes."""
    rules = [[{"n": 1, "rules": PRESETS[name].to_dict()}] for name in ("two-agree-audit", "fixed-5")]
    told, whole, q = Agreement(rules[0]), Agreement(rules[1]), 0.5
    for _ in range(items):
        truth = draws.integers(3)
        author, first, second = (truth if draws.random() < 0.85 else draws.integers(3) for _ in range(3))
        people = draws.choice(10, 2, replace=False)
        votes = [
            DesignedVote(f"W{who}", str(label), n, False)
            for n, (who, label) in enumerate(zip(people, (first, second), strict=True), 1)
        ]
        whole.add([vote._replace(round=1) for vote in votes])
        chance, drawn = None, draws.random()
        if author != first:
            route, seen = "disagreement", draws.random() < 0.8
        elif draws.random() < held:
            route, seen = "", False
        else:
            chance, route = q, "audited" if drawn < q else "two_agree"
            seen = route == "audited" and draws.random() < 0.7
        told.add(votes[: 1 + seen], route, chance)
    return told, whole


def test_alpha_under_audits_counts_agreements_that_wait() -> None:
    """Audits stand for agreements without a draw and for open audits, so that alpha is that of all first two votes."""
    draws, differences = np.random.default_rng(20261129), list[float]()
    for _ in range(30):
        pair = [each.summary() for each in audited_project(draws, 600, 0.6)]
        assert pair[0]
        assert pair[1]
        assert pair[0]["agreements_held"] > 200
        differences.append(pair[0]["alpha"] - pair[1]["alpha"])
    assert abs(np.mean(differences)) < 2.5 * np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert abs(np.mean(differences)) < 0.02


def test_too_few_audits_give_no_alpha_and_the_card_says_why() -> None:
    told = audited_project(np.random.default_rng(1), 60, 0.8)[0].summary()
    assert told
    assert (told["alpha"], told["from"], told["to"]) == (None, None, None)
    assert told["audits_with_second_vote"] < FEWEST_AUDITS
    (words, _) = sentences(told)
    assert f"is not told: {told['audits_with_second_vote']} audits have a second vote" in words
    assert f"{told['agreements_held']} agreements waited for the draw" in words


@pytest.mark.parametrize(("make", "preset"), [(staged, "indonli-lay"), (run_whole, "indonli-expert")])
def test_a_hidden_test_says_how_its_gold_arose_and_no_answer(
    standing: SharedWorlds, make: Callable[[], Any], preset: str, tmp_path: Path
) -> None:
    of = standing(make)
    opened, covered = (build(freeze(of, preset, hidden_test=hidden, forms="")) for hidden in ("no", "yes"))
    told = manifest(covered)["counts"]["arose"]
    assert told == manifest(opened)["counts"]["arose"]
    card = card_of(covered)
    assert "## How the gold labels arose" in card
    assert "The first voter gave the author's label in" in card
    assert manifest(covered)["counts"]["splits"]["test"]["labels"] == {}
    everything = verify(folder(covered))
    assert everything.right, [fault for check in everything.checks for fault in check.faults]
    # Without the hidden folder the figures cannot be counted again, and that is said.
    at = tmp_path / "open"
    shutil.copytree(folder(covered), at)
    shutil.rmtree(at / "hidden")
    report = verify(at, files_only=True)
    assert report.right, [fault for check in report.checks for fault in check.faults]
    (check,) = [check for check in report.checks if check.what == COUNTED_AGAIN]
    assert (check.done, check.note) == (0, "not counted: the hidden files are not here")


def _first(of: Forged) -> None:
    of.tell(lambda told: told["counts"]["arose"]["first_voter_agrees"].update(left_out=1))


def _alpha(of: Forged) -> None:
    of.tell(lambda told: told["counts"]["arose"]["agreement"].update(alpha=0.9))


def _author(of: Forged) -> None:
    other = {"entailment": "neutral"}
    of.change("votes.jsonl", lambda vote: vote.update(author_label=other.get(vote["author_label"], "entailment")))
    of.hash_again()


def _gone(of: Forged) -> None:
    of.tell(lambda told: told["counts"]["arose"].pop("agreement"))


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (_first, "first_voter_agrees"),
        (_alpha, "agreement"),
        (_author, "author"),
        (_gone, "agreement"),
    ],
)
def test_what_was_altered_is_found(made: Staged, tmp_path: Path, forge: Callable[[Forged], None], reason: str) -> None:
    of = Forged(shutil.copytree(folder(build(freeze(made))), tmp_path / "copy"))
    forge(of)
    code, told = said(of.at, "--files-only")
    assert code == 1
    assert reason in told


def test_a_release_of_another_version_verifies_by_what_it_tells(made: Staged, tmp_path: Path) -> None:
    release = build(freeze(made))
    released = {row["pair_id"] for split in ("train", "dev", "test") for row in rows(release, split)}
    of = Forged(shutil.copytree(folder(release), tmp_path / "copy"))
    votes = [{name: value for name, value in vote.items() if name != "author_label"} for vote in of.rows("votes.jsonl")]
    of.put("votes.jsonl", votes)
    firsts = [v[0] for key, v in by_item(rows(release, "votes")).items() if key in released and v[0]["counted"]]

    def earlier(told: Row) -> None:
        told["software"]["version"] = "0.1.0"
        arose = told["counts"]["arose"]
        del arose["agreement"], arose["first_voter_agrees"]["left_out"]
        arose["first_voter_agrees"]["of"] = len(firsts)

    of.replace("README.md", f"Mufakat {manifest(release)['software']['version']}", "Mufakat 0.1.0")
    of.tell(earlier)
    of.hash_again()
    (check,) = [check for check in verify(of.at, files_only=True).checks if check.what == COUNTED_AGAIN]
    agreeing = sum(vote["label"] == vote["author_label"] for vote in firsts)
    assert all(f"'n': {agreeing}, 'of': {len(firsts)}" in fault for fault in check.faults), check.faults
    told = of.manifest["counts"]["arose"]["first_voter_agrees"]
    assert told["of"] == len(firsts) < manifest(release)["counts"]["arose"]["first_voter_agrees"]["of"]
