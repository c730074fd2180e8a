"""Whether labels can be used as distributions is said in card, manifest, API and file; what to use instead is there."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from exports.releases.rules.soft_labels import EVERY_VOTE, OF_FILES, STOPPED, SoftLabels, soft_labels
from exports.releases.verify import verify
from tests.exports.releases.forger import Forged
from tests.exports.releases.test_arising import run_whole
from tests.exports.world import build, folder, freeze, manifest, rows
from tests.review import World
from tests.shared_worlds import SharedWorlds
from validation.consensus.protocol import PRESETS

INCREMENTAL, FIXED, AUDITS = (
    [{"n": 1, "rules": PRESETS[name].to_dict()}] for name in ("incremental-3-5", "fixed-5", "two-agree-audit")
)
DO_NOT = "from adaptively stopped votes, do not use as distributions"


def vote(n: int, label: str, round: int, **more: Any) -> dict[str, Any]:
    return {"n": n, "label": label, "round": round, **more}


@pytest.mark.parametrize(
    ("protocols", "row", "columns"),
    [
        (FIXED, {}, {}),
        (INCREMENTAL, {}, {"label_count_from": STOPPED, "first_votes": {"c": 0, "e": 1, "n": 1}, "weight": 1}),
        (AUDITS, {"stop_reason": "audited", "q": 0.25},
            {"label_count_from": STOPPED, "first_votes": {"c": 0, "e": 1, "n": 1}, "weight": 4}),
        (AUDITS, {"stop_reason": "two_agree", "q": 0.25},
            {"label_count_from": STOPPED, "first_votes": {"c": 0, "e": 1, "n": 1}, "weight": 0}),
        (AUDITS, {"stop_reason": "panel", "q": None},
            {"label_count_from": "panel", "first_votes": {"c": 1, "e": 1, "n": 1}, "weight": 1}),
        ([*INCREMENTAL, *AUDITS], {}, {"label_count_from": STOPPED, "first_votes": None, "weight": None}),
    ],
)  # fmt: skip
def test_a_row_says_what_its_labels_rest_on(protocols: Any, row: dict[str, Any], columns: dict[str, Any]) -> None:
    votes = [vote(1, "e", 1), vote(2, "n", 1), vote(3, "c", 2)]
    assert SoftLabels(protocols).columns(row, votes, "cen") == columns


def test_imported_votes_are_taken_for_no_first_ones() -> None:
    columns = SoftLabels(INCREMENTAL).columns({}, [vote(1, "e", 1, imported=True)])
    assert columns == {"label_count_from": OF_FILES, "first_votes": None, "weight": None}


@pytest.mark.parametrize(
    ("protocols", "imported", "origin"),
    [(FIXED, 0, EVERY_VOTE), (FIXED, 9, OF_FILES), (INCREMENTAL, 0, STOPPED), (AUDITS, 9, OF_FILES)],
)
def test_what_the_counts_say(protocols: Any, imported: int, origin: str) -> None:
    from annotation import kinds

    counts = {"votes": {"given": 9}, "people": {"votes_imported": imported}}
    soft = soft_labels(kinds.get("nli"), protocols, counts)["soft_labels"]
    assert soft["from"] == origin
    assert ("do not use as distributions" in soft["note"]) is (origin != EVERY_VOTE)


@pytest.fixture
def at(standing: SharedWorlds) -> World:
    return standing(run_whole)


@pytest.mark.django_db
def test_a_release_says_it_everywhere_and_is_checked(at: World, tmp_path: Path) -> None:
    release = build(freeze(at, "indonli-expert", no_gold="test", forms="croissant distributions"))
    soft = manifest(release)["counts"]["soft_labels"]
    assert (soft["from"], soft["note"]) == (STOPPED, DO_NOT)
    assert release.counts["soft_labels"] == soft
    card = (folder(release) / "README.md").read_text()
    assert f"are {DO_NOT}.**" in card.partition("## Soft labels")[2]
    assert DO_NOT in (folder(release) / "croissant.json").read_text()
    reasons = {row["pair_id"]: (row["stop_reason"], row["q"]) for row in rows(release, "test")}
    for row in rows(release, "distributions/test"):
        reason, q = reasons[row["pair_id"]]
        assert row["label_count_from"] == ("panel" if reason == "panel" else STOPPED)
        weight = {"two_agree": 0, "audited": round(1 / (q or 1), 4)}.get(reason, 1)
        assert row["weight"] == weight
        assert row["first_votes"].keys() == row["label_count"].keys()
        assert sum(row["first_votes"].values()) == (row["votes"] if reason == "panel" else min(2, row["votes"]))
    assert verify(folder(release)).right
    forged = Forged(shutil.copytree(folder(release), tmp_path / "copy"))
    forged.tell(lambda stored: stored["counts"]["soft_labels"].update({"from": EVERY_VOTE}))
    forged.write_again()
    checks = verify(forged.at).checks
    assert [check.what for check in checks if check.wrong] == ["what soft labels rest on"]
