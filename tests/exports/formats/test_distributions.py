"""Label distributions: which votes are of the released text, and what stands beside them."""

import pytest

from exports.formats.release.distributions import by_item, distribution, entropy

NLI = ("entailment", "neutral", "contradiction")
ROW = {"pair_id": "p1", "label": "neutral", "gold_label": "neutral", "author_label": "entailment", "split": "test",
       "premise": "not told again"}  # fmt: skip


def vote(label: str, why: str | None = None, **marks: bool):
    told = {"label": label, "counted": why is None, "not_counted_because": why}
    return told | {"pair_id": "p1", "unsure": False, "ambiguous": False, **marks}


def test_votes_beyond_the_decision_are_told_and_earlier_ones_are_not():
    votes = [
        vote("neutral", unsure=True),
        vote("neutral", ambiguous=True),
        vote("contradiction", "extra"),
        vote("entailment", "new_meaning"),
        vote("entailment", "taken_back"),
    ]
    assert distribution(ROW, votes, NLI, "pair_id") == {
        "pair_id": "p1",
        "label": "neutral",
        "gold_label": "neutral",
        "author_label": "entailment",
        "label_count": {"entailment": 0, "neutral": 2, "contradiction": 1},
        "votes": 3,
        "entropy": 0.9183,
        "unsure": 1,
        "ambiguous": 1,
        "split": "test",
    }


def test_options_of_an_item_are_those_that_were_chosen():
    found = distribution(ROW, [vote("C"), vote("A"), vote("C")], (), "pair_id")
    assert found is not None
    assert list(found["label_count"].items()) == [("A", 1), ("C", 2)]


def test_nothing_without_a_vote_on_this_text():
    assert distribution(ROW, [vote("neutral", "new_meaning")], NLI, "pair_id") is None


@pytest.mark.parametrize(("counts", "bits"), [([5, 0, 0], 0.0), ([1, 1], 1.0), ([1, 1, 1, 1], 2.0), ([3, 2], 0.971)])
def test_entropy(counts, bits):
    assert str(entropy(counts)) == str(bits)


def test_votes_of_an_item_stand_together():
    votes = [{"id": "a", "n": 1}, {"id": "a", "n": 2}, {"id": "b", "n": 1}]
    assert [(item, len(mine)) for item, mine in by_item(votes, "id")] == [("a", 2), ("b", 1)]
