"""A release tells how well people answer who had no part in it, once a study of its project has measured that."""

from typing import Any

import pytest

from exports.releases.rules.human import check_human
from exports.releases.verify import verify
from tests.baselines import a_baseline, an_outsider, answer_items
from tests.exports.releases.test_arising import run_whole
from tests.exports.world import build, files, folder, freeze, manifest
from tests.review import World
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(standing: SharedWorlds) -> World:
    return standing(run_whole)


def released(at: World) -> Any:
    return build(freeze(at, "indonli-expert", no_gold="test"))


def test_what_most_people_say_is_compared_with_gold(at: World) -> None:
    first = released(at)
    assert "human" not in manifest(first)
    study = a_baseline(at.project, first, size=6)
    people = [an_outsider(study) for _ in range(3)]
    for person in people[:2]:
        answer_items(person, "e")
    # While somebody is still asked nothing is told.
    assert "human" not in manifest(released(at))
    answer_items(people[2], "n")
    second = released(at)
    gold = [row.data["gold"] for row in study.rows.all()]
    (told,) = manifest(second)["human"]
    assert (told["study"], told["n"], told["people"]) == ("baseline", 1, 3)
    assert told["sources"] == [f"{at.project.slug} release {first.n}"]
    assert (told["right"]["n"], told["right"]["of"]) == (gold.count("e"), len(gold))
    card = files(second)["README.md"].decode()
    assert "## How well people answer" in card
    share = 100 * gold.count("e") / len(gold)
    assert f"the label of {share:.1f} % of {len(gold)} items" in card
    report = verify(folder(second))
    assert report.right, [fault for check in report.checks for fault in check.faults]
    assert any("accuracies of people" in check.what for check in report.checks)
    assert any("human" in words for words in report.unchecked)


def test_shares_that_their_sums_do_not_give_are_found() -> None:
    right = {"n": 5, "of": 6, "share": 0.99, "from": 0.4365, "to": 0.9699}
    (check,) = check_human({"human": [{"study": "baseline", "n": 1, "right": right}]})
    assert check.wrong == 1
