"""The split rule as docs/releases.md has it, by code that knows no other of ours."""

import json
import unicodedata
from collections import Counter
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import pytest

from annotation.core.models.project import Project
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules.settings import preset
from tests.exports.releases.test_arising import run_whole
from tests.exports.world import build, folder
from tests.review import World
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(standing: SharedWorlds) -> Project:
    at: World = standing(run_whole)
    return at.project


def rows_of(at: Path) -> list[dict[str, str]]:
    """The rows of every split."""
    paths = [at / f"{split}.jsonl" for split in ("train", "dev", "test")]
    return [json.loads(line) for path in paths if path.is_file() for line in path.read_bytes().splitlines()]


def place(seed: str, text: str) -> int:
    """The place of a group, by step 2."""
    plain = unicodedata.normalize("NFC", text).strip()
    key = f"{seed}:split:{sha256(plain.encode()).hexdigest()}"
    return int.from_bytes(sha256(key.encode()).digest()[:8], "big") >> 1


def splits_again(rules: dict[str, object], rows: list[dict[str, str]]) -> dict[str, str]:
    """The split of each premise, by steps 1 to 4."""
    sizes = Counter(row["premise"] for row in rows if row["label_source"] == "gold")
    dev, train = int(str(rules["dev_percent"])), int(str(rules["train_percent"]))
    shares = {"dev": dev, "test": 100 - dev - train, "train": train}
    numbers = {"dev": int(str(rules["dev_size"])), "test": int(str(rules["test_size"]))}
    by_number = any(numbers.values())
    open_to = [split for split, share in (numbers if by_number else shares).items() if share]
    filled, drawn = Counter[str](), dict[str, str]()
    for premise in sorted(sizes, key=lambda premise: place(str(rules["seed"]), premise)):
        size, weights = sizes[premise], numbers if by_number else shares
        fits = [split for split in open_to if not by_number or filled[split] + size <= numbers[split]]
        split = min(fits, key=lambda split: Fraction(filled[split], weights[split]), default="train")
        drawn[premise] = split
        filled[split] += size
    return drawn


@pytest.mark.parametrize(
    "changes",
    [
        {"dev_percent": "50"},
        {"dev_percent": "20", "train_percent": "50"},
        {"dev_size": "12", "test_size": "18"},
        {"dev_size": "11", "seed": "another"},
    ],
    ids=["half each", "three shares", "numbers", "dev only"],
)
def test_a_stranger_draws_the_same_splits(project: Project, changes: dict[str, str]) -> None:
    rules = preset("indonli-expert").changed({"forms": "none", "no_gold": "train", **changes})
    release: Release = build(release_freeze(project=project, rules=rules, by=None))
    rows, manifest = rows_of(folder(release)), json.loads((folder(release) / "manifest.json").read_bytes())
    gold = [row for row in rows if row["label_source"] == "gold"]
    drawn = splits_again(manifest["rules"], rows)
    assert len(gold) > 30
    assert [row["split"] for row in gold] == [drawn[row["premise"]] for row in gold]
    assert len(set(drawn.values())) > 1
