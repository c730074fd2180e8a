"""Kalahi's validation report: by hand, undefined where nobody chose, and the paper's own table by simulation."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exports.formats.rules.kalahi_csv import KalahiRow, read
from tests.data import DATA, needs_data
from tests.kalahi import PUBLISHED, VALIDATORS, simulate
from validation.insights.rules.agreement import cohen_kappa, krippendorff_alpha
from validation.insights.rules.best_choice import (
    MESSAGES,
    ChoiceFault,
    JudgedPrompt,
    Share,
    baseline,
    letters,
    report,
)

SHOWN = ("b", "x", "y", "z")


def number(figure):
    """The figure as a float; None, where it is not defined, fails."""
    return float(figure)


def judged(key, *choices, shown=SHOWN):
    return JudgedPrompt(key, "b", shown, dict(zip(("V1", "V2", "V3", "V4"), choices, strict=False)))


def made(count, irrelevant=3):
    others = tuple(f"salah {n}" for n in range(irrelevant))
    ids = [f"{n:02d}00000100" for n in range(1, count + 1)]
    return [KalahiRow(key, key[:8], "e", "t", "c\ni", "benar", ("benar", "lain"), others) for key in ids]


def test_by_hand():
    found = report([judged("p", "b", "b", "b"), judged("q", "b", "x", "b"), judged("r", "x", "y", "b")], "s")
    assert found.best == Share(6, 9)
    assert found.best.exact == Fraction(2, 3)
    assert found.table == {3: Share(1, 3), 2: Share(1, 3), 1: Share(1, 3), 0: Share(0, 3)}
    assert (found.prompts, found.open, found.baseline) == (3, 0, Fraction(1, 4))
    assert found.flagged == ("r",)


def test_open_prompts_count_in_shares_but_not_in_the_table():
    found = report([judged("p", "x", "y"), judged("q"), judged("r", "x", "x", "x"), judged("s", *"bbbb")], "s")
    assert (found.best, found.open, found.flagged) == (Share(4, 9), 3, ("r",))
    assert found.table[0] == Share(1, 1)
    # One pair from p, three from r, six from s: each over the pairs of people who share prompts.
    assert (found.alpha.items, found.alpha.ratings) == (3, 9)


def test_without_choices_nothing_is_defined():
    found = report([], "s")
    assert (found.best.exact, found.baseline, found.kappa.exact, found.alpha.exact) == (None,) * 4
    assert found.table[3].exact is None
    assert report([judged("p")], "s").kappa.reason == "no_pairs"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: judged("p", "?"), "not_shown"),
        (lambda: JudgedPrompt("p", "b", ("x", "y"), {}), "best_not_shown"),
        (lambda: JudgedPrompt("p", "b", ("b", *map(str, range(26))), {}), "too_many"),
    ],
)
def test_what_cannot_be_is_refused(make, code):
    with pytest.raises(ChoiceFault) as refused:
        make()
    assert refused.value.code == code
    assert str(refused.value) == MESSAGES[code] % refused.value.params


@given(st.text(max_size=5), st.text(max_size=5), st.lists(st.text(max_size=4), unique=True, max_size=6))
def test_letters_are_one_each_whoever_asks(seed, prompt, shown):
    found = letters(seed, prompt, shown)
    assert sorted(found.values()) == list("ABCDEF"[: len(shown)])
    assert found == letters(seed, prompt, shown[::-1])


def test_the_best_response_has_every_letter_about_as_often():
    drawn = [letters("s", f"p{n}", SHOWN)["b"] for n in range(2000)]
    assert all(440 < drawn.count(letter) < 560 for letter in "ABCD")


@given(st.lists(st.lists(st.sampled_from(SHOWN), max_size=4), max_size=8))
def test_shares_add_up(choices):
    found = report([judged(f"p{n}", *each) for n, each in enumerate(choices)], "s")
    complete = sum(share.n for share in found.table.values())
    assert complete + found.open == found.prompts == len(choices)
    assert found.best.of == sum(map(len, choices))
    assert len(found.flagged) == found.table[1].n + found.table[0].n


def test_the_baseline_is_the_mean_over_prompts():
    assert baseline([4, 5]) == Fraction(9, 40)
    # The published sizes (data/README.md): 4, 5, 6 responses in 134, 8, 8 prompts.
    assert round(number(baseline([4] * 134 + [5] * 8 + [6] * 8)), 4) == 0.2429


def check_table(found):
    assert {n: share.n for n, share in found.table.items()} == {3: 111, 2: 31, 1: 8, 0: 0}
    assert found.best == Share(403, 450)
    assert round(number(found.best.exact) * 100, 2) == 89.56
    assert len(found.flagged) == 8


def test_simulated_validators_give_the_papers_table():
    found = report(simulate(made(150), "any"), "any")
    check_table(found)


@needs_data
@pytest.mark.data
def test_the_published_prompts_with_simulated_validators():
    rows = read((DATA / "kalahi" / "filipino.csv").read_bytes())
    choices = simulate(rows, "kalahi")
    found = report(choices, "kalahi")
    check_table(found)
    assert round(number(found.baseline), 4) == 0.2429
    assert found.kappa.value == pytest.approx(0.76, abs=0.02)
    assert found.alpha.value == pytest.approx(0.76, abs=0.02)
    assert (found.kappa.pairs, found.kappa.items, found.alpha.items, found.alpha.ratings) == (
        3,
        450,
        150,
        450,
    )
    # Roles as categories are what nobody should report: chance agreement is nearly complete.
    roles = [["best" if c == each.best else "other" for c in each.choices.values()] for each in choices]
    assert number(krippendorff_alpha(roles).exact) < 0.15
    assert number(cohen_kappa([(row[0], row[1]) for row in roles]).exact) < 0.3


@needs_data
@pytest.mark.data
@pytest.mark.parametrize("seed", [f"seed {n}" for n in range(12)])
def test_the_kappa_does_not_hang_on_the_seed(seed):
    rows = read((DATA / "kalahi" / "filipino.csv").read_bytes())
    found = report(simulate(rows, seed), seed)
    check_table(found)
    assert 0.73 < number(found.kappa.exact) < 0.79
    assert 0.73 < number(found.alpha.exact) < 0.79


def test_the_simulation_is_even_and_repeatable():
    rows = made(150)
    first = simulate(rows, "s")
    assert first == simulate(rows, "s") != simulate(rows, "t")
    dissent = [who for each in first for who, choice in each.choices.items() if choice != each.best]
    assert len(dissent) == 47 == PUBLISHED[2] + 2 * PUBLISHED[1]
    assert all(dissent.count(who) > 7 for who in VALIDATORS)
