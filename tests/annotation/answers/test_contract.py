"""What every answer type has to do, whatever it is: one test a promise, run over the registry."""

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from annotation import answers
from annotation.answers import Answer, AnswerProblem, AnswerType, Question, ShownItem, label_of
from annotation.answers.agreement import agreement
from validation.consensus.engine import GOLD, NO_CONSENSUS, OPEN, VoteIn, decide
from validation.consensus.protocol import Protocol
from validation.voting.rules.flags import FLAG_NAMES

TYPES = list(answers.types_by_slug().values())
EVERY = pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.slug)
COMBINES = ("", "whole", "parts")
_MARK = {"of": "text", "start": 16, "end": 28, "text": "Kota Bandung", "label": "LOC"}
# What answers raise together for leads to look at, by answer type: answers that do, and answers that do not.
RAISED: dict[str, dict[str, tuple[list[Answer], list[Answer]]]] = {
    "criteria": {
        "criteria_apart": (
            [{"factual": "yes", "fluent": "3"}, {"factual": "no", "fluent": "2"}],
            [{"factual": "yes", "fluent": "3"}, {"factual": "no", "fluent": "3"}],
        )
    },
    "free_text": {"unconfirmed": (["Bandung", "Bogor"], ["Bandung", "bandung ", "Bogor"])},
    "preference": {"neither_leads": (["A", "B", "tie"], ["A", "A", "B"])},
    "scale": {"both_ends": (["1", "3", "5"], ["2", "3", "5"])},
    "several": {"none_or_some": ([[], ["joy"]], [["fear"], ["joy"]])},
    "single": {"all_differ": (["e", "n", "c"], ["e", "n", "e"])},
    "spans": {"boundaries": ([[_MARK], [{**_MARK, "start": 21, "text": "Bandung"}]], [[_MARK], [_MARK], []])},
}
ODD: tuple[Any, ...] = (
    None,
    "",
    "no-such",
    7,
    True,
    [None],
    ["no-such"],
    {"x": 1},
    [{"start": 3}],
    [[]],
    b"x",
)


def sample(kind: AnswerType) -> tuple[Question, ShownItem, tuple[Answer, ...]]:
    return kind.sample()


def protocol(combine: str, votes: int = 3, quorum: int = 2, **more: Any) -> Protocol:
    return Protocol("p", (votes,), quorum, author="none", combine=combine, **more)


def votes(question: Question, given: list[Answer]) -> list[VoteIn]:
    """Each answer by another person, as votes keep it: parts of criteria stand side by side."""
    return [
        VoteIn(None, f"W{n}", 1, n, dict(answer) if question.parts else {question.key: answer})
        for n, answer in enumerate(given, start=1)
    ]


def gold(question: Question, decision: Any) -> Answer:
    told = dict(decision.criteria)
    return told if question.parts else told[question.key]


def test_the_registry_has_the_types_of_the_design() -> None:
    assert list(answers.types_by_slug()) == [
        "criteria",
        "free_text",
        "preference",
        "scale",
        "several",
        "single",
        "spans",
    ]
    with pytest.raises(KeyError, match="no answer type"):
        answers.get("none-such")


@EVERY
def test_its_sample_is_a_question_that_can_be_asked(kind: AnswerType) -> None:
    question, _, given = sample(kind)
    assert question.answer_type == kind.slug
    assert kind.definition_errors(question) == ()
    assert len({json.dumps(answer, sort_keys=True) for answer in given}) == len(given) >= 2
    assert kind.name
    assert kind.help


@EVERY
def test_an_answer_goes_to_a_form_and_back(kind: AnswerType) -> None:
    question, shown, given = sample(kind)
    for answer in given:
        assert kind.parse_value(question, answer, shown) == answer
        stored = json.loads(json.dumps(answer))
        assert kind.parse_form(question, kind.form_data(question, stored, shown), shown) == answer


@EVERY
def test_what_a_card_posts_is_the_answer_that_stands_on_it(kind: AnswerType) -> None:
    """Drawn with an answer, the fields of the markup post that answer: chosen, ticked or typed."""
    from html.parser import HTMLParser

    class Fields(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.sent: list[tuple[str, str]] = []
            self.at: dict[str, Any] = {}
            self.area: str | None = None

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            found = dict(attrs)
            if tag == "input" and (found.get("type") not in ("radio", "checkbox") or "checked" in found):
                self.sent.append((found["name"], found.get("value", "")))
            if tag == "select":
                self.at = found
                self.sent.append((found["name"], ""))
            if tag == "option" and "selected" in found:
                self.sent[-1] = (self.at["name"], found["value"])
            if tag == "textarea":
                self.area = found["name"]
                self.sent.append((found["name"], ""))

        def handle_data(self, data: str) -> None:
            if self.area:
                self.sent[-1] = (self.area, self.sent[-1][1] + data)

        def handle_endtag(self, tag: str) -> None:
            self.area = None if tag == "textarea" else self.area

    question, shown, given = sample(kind)
    for answer in given:
        posted = kind.form_data(question, answer, shown)
        context = {
            "question": question,
            "drawn": kind.template_context(question, posted, shown),
            "language": "id",
        }
        fields = Fields()
        fields.feed(render_to_string(kind.template, context))
        assert fields.sent or answer == []
        sent = QueryDict(mutable=True)
        for name, value in fields.sent:
            sent.appendlist(name, value)
        assert kind.parse_form(question, dict(sent.lists()), shown) == answer


def test_passages_of_texts_that_stand_in_each_other_s_place() -> None:
    """A card calls them by their places; stored is the text that was marked."""
    kind, question = answers.get("spans"), Question("e", "?", "spans", texts=("one", "two"))
    shown = ShownItem({"one": "Siti pergi.", "two": "Ali pulang."}, swapped_pairs=(("one", "two"),))
    posted = {"answer-e-text": ["Ali"], "answer-e-of": ["one"]}
    answer = kind.parse_form(question, posted, shown)
    assert [(span["of"], span["start"], span["text"]) for span in answer] == [("two", 0, "Ali")]
    assert kind.form_data(question, answer, shown)["answer-e-of"] == ["one"]


@EVERY
def test_nothing_chosen_is_no_answer_or_a_problem(kind: AnswerType) -> None:
    question, shown, _ = sample(kind)
    if not question.parts:
        optional = replace(question, optional=True)
        assert kind.parse_form(optional, {}, shown) in (None, [])
        with pytest.raises(AnswerProblem):
            kind.parse_form(replace(question, optional=False), {}, shown)


@EVERY
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_what_cannot_be_an_answer_is_refused_with_a_code(kind: AnswerType, odd: Any) -> None:
    question, shown, _ = sample(kind)
    strict = replace(question, optional=False)
    if kind.slug == "free_text" and isinstance(odd, str) and odd:
        assert kind.parse_value(strict, odd, shown) == odd
        return
    with pytest.raises(AnswerProblem) as caught:
        kind.parse_value(strict, odd, shown)
    assert caught.value.code
    assert caught.value.question in {question.key, *(part.key for part in question.parts)}


@EVERY
def test_what_its_answers_raise(kind: AnswerType) -> None:
    question, _, given = sample(kind)
    assert dict(kind.flags).keys() == RAISED[kind.slug].keys()
    for code, (raising, silent) in RAISED[kind.slug].items():
        assert kind.flags[code]
        assert code in FLAG_NAMES
        assert code in kind.raised_flags(question, raising)
        assert set(kind.raised_flags(question, raising)[code]) <= set(range(len(raising)))
        assert code not in kind.raised_flags(question, silent)
    assert kind.raised_flags(question, []) == {}
    assert kind.raised_flags(question, given[:1]) == {}
    for many in itertools.permutations(given):
        assert kind.raised_flags(question, many).keys() <= kind.flags.keys()


@EVERY
@pytest.mark.parametrize("combine", COMBINES)
def test_unanimous_votes_give_that_answer(kind: AnswerType, combine: str) -> None:
    question, _, given = sample(kind)
    for answer in given:
        decision = decide(protocol(combine), None, votes(question, [answer] * 3), (), tuple(question.leaf_questions()))
        assert decision.state == GOLD
        assert gold(question, decision) == answer
        assert decision.label == label_of(
            tuple(question.leaf_questions()), answer if question.parts else {question.key: answer}
        )


@EVERY
@pytest.mark.parametrize("combine", COMBINES)
@pytest.mark.parametrize("plurality", [False, True])
def test_the_order_of_votes_plays_no_part(kind: AnswerType, combine: str, plurality: bool) -> None:
    question, _, given = sample(kind)
    for chosen in itertools.combinations_with_replacement(given, 3):
        made = set()
        for order in itertools.permutations(votes(question, list(chosen))):
            asked = [vote._replace(seq=n) for n, vote in enumerate(order)]
            rules = protocol(combine, plurality=plurality, tie="lowest-pseudonym")
            decision = decide(rules, None, asked, (), tuple(question.leaf_questions()))
            assert decision.state in (GOLD, NO_CONSENSUS)
            made.add(json.dumps([decision.state, decision.label, decision.criteria], sort_keys=True))
        assert len(made) == 1


@EVERY
@pytest.mark.parametrize("combine", COMBINES)
def test_votes_outside_the_scheme_never_make_gold(kind: AnswerType, combine: str) -> None:
    question, _, given = sample(kind)
    strict = replace(question, optional=False)
    for odd in ODD:
        if kind.slug == "free_text" and isinstance(odd, str) and odd:
            continue
        wrong = [VoteIn("x", f"W{n}", 1, n, {leaf.key: odd for leaf in strict.leaf_questions()}) for n in range(1, 4)]
        decision = decide(protocol(combine), None, wrong, (), tuple(strict.leaf_questions()))
        assert decision.state == NO_CONSENSUS, odd
        mixed = [*votes(strict, [given[0]]), *wrong[1:]]
        assert decide(protocol(combine), None, mixed, (), tuple(strict.leaf_questions())).state == NO_CONSENSUS


@EVERY
def test_votes_that_run_out_leave_it_open(kind: AnswerType) -> None:
    question, _, given = sample(kind)
    decision = decide(protocol(""), None, votes(question, [given[0]] * 2), (), tuple(question.leaf_questions()))
    assert (decision.state, decision.missing, decision.label) == (OPEN, 1, None)


@EVERY
@pytest.mark.parametrize("combine", COMBINES)
def test_rounds_stop_once_it_is_settled(kind: AnswerType, combine: str) -> None:
    """Three of four equal under 2, 1, 1 with a quorum of three: the fourth is not asked for."""
    question, _, given = sample(kind)
    rules = Protocol("p", (2, 1, 1), 3, author="none", combine=combine)
    cast = [vote._replace(round=max(1, n - 1)) for n, vote in enumerate(votes(question, [given[0]] * 3), start=1)]
    decision = decide(rules, None, cast, (), tuple(question.leaf_questions()))
    assert (decision.state, decision.round) == (GOLD, 2)
    # Its tally is the type's own, too, where it is asked as a whole.
    tally = kind.tally(question, rules)
    for n in range(3):
        tally.add_answer(given[0], f"W{n}")
    assert not tally.close_round(1)
    assert (tally.answer, tally.done, tally.tied) == (given[0], True, False)


@EVERY
def test_a_distance_is_symmetric_and_zero_between_equals(kind: AnswerType) -> None:
    question, _, given = sample(kind)
    for one, other in itertools.product(given, given):
        apart = kind.distance(question, one, other)
        assert apart == kind.distance(question, other, one)
        assert 0 <= apart <= 1
        assert (apart == 0) == (one == other)
        assert bool(kind.differences(question, one, other)) == (one != other)


@EVERY
def test_agreement_is_1_for_identical_votes_and_less_for_others(kind: AnswerType) -> None:
    question, _, given = sample(kind)
    same = agreement(kind, question, [[answer] * 3 for answer in given])
    assert (same.alpha, same.distance) == (1.0, 0.0)
    assert (same.items, same.answers) == (len(given), 3 * len(given))
    apart = agreement(kind, question, [[given[0], given[1]], [given[1], given[1]]])
    assert apart.alpha is not None
    assert apart.alpha < 1
    assert agreement(kind, question, [[given[0]], [None, given[1]]]).alpha is None


@EVERY
def test_keys_are_short_and_tell_answers_apart(kind: AnswerType) -> None:
    question, _, given = sample(kind)
    keys = [kind.key(question, answer) for answer in given]
    assert len(set(keys)) == len(keys)
    assert all(0 < len(key) <= 40 for key in keys)
    assert all(kind.display_text(question, answer) for answer in given)


@EVERY
def test_an_export_is_typed(kind: AnswerType) -> None:
    """`datasets` reads the values as the features that the columns name, an item without an answer among them."""
    datasets = pytest.importorskip("datasets")
    question, _, given = sample(kind)
    columns = kind.columns(question)
    rows = [kind.values(question, answer) for answer in (*given, None)]
    assert all(set(row) == {column.name for column in columns} for row in rows)
    features = datasets.Features({column.name: feature(datasets, column.feature) for column in columns})
    loaded = datasets.Dataset.from_list(rows, features=features)
    assert loaded.to_list() == rows


def feature(datasets: Any, told: Any) -> Any:
    if isinstance(told, list):
        return [feature(datasets, told[0])]
    if isinstance(told, dict):
        return {name: feature(datasets, each) for name, each in told.items()}
    return datasets.Value(told)
