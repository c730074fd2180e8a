"""Rating model outputs: even groups, own orders, majorities by hand and as the engine decides, editable criteria."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import KALAHI_CRITERIA, PRESETS
from validation.studies.rules import criteria
from validation.studies.rules import ratings as rating
from validation.studies.rules.criteria import (
    DEFAULT,
    CriteriaFault,
    Criterion,
    read_criteria,
    write_criteria,
)
from validation.studies.rules.ratings import (
    Count,
    Output,
    RaterBallot,
    RatingFault,
    deal_outputs,
    sample,
    tally,
)

MODELS = ("alpha", "beta", "gamma", "delta")
RATERS = [f"R{n}" for n in range(1, 7)]


def made(prompts, models=MODELS):
    return [Output(f"{prompt}/{model}", f"p{prompt:03d}", model) for prompt in range(prompts) for model in models]


def code_of(call, *args):
    with pytest.raises((RatingFault, CriteriaFault)) as refused:
        call(*args)
    fault = refused.value
    assert isinstance(fault, RatingFault | CriteriaFault)
    assert str(fault) == fault.message % fault.params
    assert fault.code in {*rating.MESSAGES, *criteria.MESSAGES}
    return fault.code


def test_the_paper_s_design():
    drawn = sample(made(150), "s")
    assert (len(drawn.prompts), len(drawn.outputs), drawn.incomplete) == (60, 240, {})
    groups = deal_outputs(drawn.outputs, RATERS, "s")
    assert [(len(group.raters), len(group.outputs)) for group in groups] == [(3, 120), (3, 120)]
    assert sorted(rater for group in groups for rater in group.raters) == RATERS


def test_only_prompts_with_every_output_are_drawn():
    outputs = [each for each in made(4) if each.key not in ("1/beta", "1/delta", "3/alpha")]
    drawn = sample(outputs, "s", 2)
    assert sorted(drawn.prompts) == ["p000", "p002"]
    assert drawn.incomplete == {"p001": ("beta", "delta"), "p003": ("alpha",)}
    assert {each.prompt for each in drawn.outputs} == set(drawn.prompts)


@pytest.mark.parametrize(
    ("call", "args", "code"),
    [
        (sample, (made(3), "s", 4), "sample_short"),
        (sample, ([], "s", 1), "sample_short"),
        (sample, ([*made(1), Output("other", "p000", "beta")], "s", 1), "output_twice"),
        (deal_outputs, (made(2), RATERS[:5], "s"), "raters_uneven"),
        (deal_outputs, (made(2), [], "s"), "raters_uneven"),
    ],
)
def test_what_cannot_be_dealt_is_refused(call, args, code):
    assert code_of(call, *args) == code


@given(st.integers(0, 30), st.integers(1, 5), st.integers(1, 4), st.text(max_size=4))
def test_groups_are_even_in_all_and_by_model(prompts, models, teams, seed):
    outputs = made(prompts, [f"m{n}" for n in range(models)])
    groups = deal_outputs(outputs, [f"R{n}" for n in range(3 * teams)], seed)
    dealt = Counter(key for group in groups for key in group.outputs)
    assert dealt == Counter(each.key for each in outputs)
    model_of = {each.key: each.model for each in outputs}
    loads = [len(group.outputs) for group in groups]
    assert max(loads) - min(loads) <= 1
    for model in set(model_of.values()):
        of = [sum(model_of[key] == model for key in group.outputs) for group in groups]
        assert max(of) - min(of) <= 1


@given(st.permutations(made(6)), st.permutations(RATERS))
def test_the_order_in_which_things_come_changes_nothing(outputs, raters):
    assert sample(outputs, "s", 3) == sample(made(6), "s", 3)
    assert deal_outputs(outputs, raters, "s") == deal_outputs(made(6), RATERS, "s")


def ballots(output, model, *answers):
    return [RaterBallot(output, model, f"R{n}", {"ok": each}) for n, each in enumerate(answers) if each]


def test_counts_by_hand():
    found = tally(
        [
            *ballots("1", "alpha", "yes", "yes", "no"),
            *ballots("2", "alpha", "yes", "no", "no"),
            *ballots("1b", "beta", "yes", "yes", "yes"),
            *ballots("2b", "beta", "yes", "yes"),
        ],
        ["ok"],
    )
    assert found.models == ("alpha", "beta")
    assert found.counts == {("alpha", "ok"): Count(1, 2), ("beta", "ok"): Count(1, 1)}
    assert found.waiting == 1
    agreed = found.agreement["ok"]
    assert (agreed.alpha.items, agreed.alpha.ratings, agreed.kappa.pairs) == (4, 11, 3)
    assert agreed.percent.value == pytest.approx((1 / 3 + 1 / 3 + 1 + 1) / 4)


def test_where_all_say_yes_there_is_no_alpha_but_a_reason():
    found = tally(ballots("1", "alpha", "yes", "yes", "yes"), ["ok", "never"])
    assert found.agreement["ok"].alpha.reason == "one_label"
    assert found.agreement["never"].alpha.reason == "no_pairs"
    assert found.counts["alpha", "never"] == Count(0, 1)
    assert tally([], ["ok"]).counts == {}


def test_the_same_rater_counts_once():
    twice = [*ballots("1", "alpha", "yes"), *ballots("1", "alpha", "no")]
    assert code_of(tally, twice, ["ok"]) == "rated_twice"


@given(st.lists(st.sampled_from(["yes", "no"]), min_size=21, max_size=21))
def test_majorities_are_those_of_the_engine(answers):
    given = [dict(zip(KALAHI_CRITERIA, answers[n::3], strict=True)) for n in range(3)]
    found = tally([RaterBallot("1", "m", f"R{n}", each) for n, each in enumerate(given)], KALAHI_CRITERIA)
    votes = [VoteIn(None, f"R{n}", 1, n, each) for n, each in enumerate(given)]
    decided = dict(decide(PRESETS["rating-3"], None, votes, ["yes", "no"]).criteria)
    assert {each: bool(found.counts["m", each].yes) for each in KALAHI_CRITERIA} == {
        each: label == "yes" for each, label in decided.items()
    }


def test_the_seven_are_the_protocol_s():
    assert tuple(each.key for each in DEFAULT) == KALAHI_CRITERIA
    assert read_criteria(write_criteria(DEFAULT)) == DEFAULT


word = st.text(st.sampled_from("abc xyz.,"), min_size=1, max_size=30).map(str.strip).filter(bool)
key = st.from_regex("[a-z][a-z0-9-]{0,10}", fullmatch=True)


@given(st.lists(st.builds(Criterion, key, word, word), min_size=1, max_size=20, unique_by=lambda each: each.key))
def test_lists_are_read_as_they_were_written(each):
    assert read_criteria(write_criteria(each)) == tuple(each)


def test_a_definition_may_hold_colons_and_lists_blank_lines():
    assert read_criteria("\n tone : Tone : polite: as here \n\n") == (Criterion("tone", "Tone", "polite: as here"),)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "criteria_none"),
        (" \n", "criteria_none"),
        ("tone", "criterion_form"),
        ("tone: Tone", "criterion_form"),
        ("tone: : polite", "criterion_form"),
        ("Tone: Tone: polite", "criterion_key"),
        ("tone: " + "T" * 61 + ": polite", "criterion_long"),
        ("tone: Tone: " + "p" * 501, "criterion_long"),
        ("tone: Tone: polite\ntone: Tone: kind", "criterion_twice"),
        ("\n".join(f"c{n}: C: c" for n in range(21)), "criteria_many"),
    ],
)
def test_lists_that_cannot_be_used_are_refused(text, code):
    assert code_of(read_criteria, text) == code
