"""Every registered check: one contract over all of them, and what single ones decide."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation import kinds
from annotation.text import checks
from annotation.text.checks import base
from annotation.text.checks.characters import SUSPICION_MESSAGES
from annotation.text.common_words import CommonWords
from annotation.text.normalise import SUSPICIONS
from tests.annotation.text.examples import EXAMPLES
from tests.annotation.text.examples.sets import PREMISE, example

ALL = list(checks.all_checks().values())
GOOD = [
    pytest.param(check, each, id=f"{check.id}-{n}") for check in ALL for n, each in enumerate(EXAMPLES[check.id].good)
]
BAD = [
    pytest.param(check, each, id=f"{check.id}-{n}") for check in ALL for n, each in enumerate(EXAMPLES[check.id].bad)
]
WILD = st.text(st.characters() | st.sampled_from(".!?…。 \n\"'”)aBé\u0301\u200b\u202e\ud800\x00"), max_size=60)


def found(check_id, *texts, **options):
    return [(each.slot, dict(each.params)) for each in checks.run_checks([check_id], example(*texts, **options))]


def test_the_folder_is_walked():
    assert set(checks.all_checks()) == {
        "empty", "too_long", "several_sentences", "copy_of_source", "copy_of_other", "per_label", "tags_missing",
        "no_shared_word", "negation_only", "near_word", "suspicious_characters", "end_mark", "doubled_blanks",
        "choices_missing", "choices_equal", "choices_near", "answer_missing", "distractor_missing",
        "choice_repeats_question", "answer_place", "concept_missing", "concept_other_form", "superlative",
        "in_the_world", "question_mark", "context_missing", "parts_one_line", "category_missing", "responses_few",
        "best_missing", "responses_twice", "responses_near", "best_by_length", "response_semicolon",
        "variation_same", "translation_empty", "source_copied", "alternatives_slash", "brackets_added",
        "end_mark_differs", "outer_blanks", "blanks_doubled", "mixed_unicode", "numbers_differ",
        "placeholders_differ", "length_unusual", "answer_not_in_passage", "other_language", "other_register",
    }  # fmt: skip


@pytest.mark.parametrize("check", ALL, ids=lambda check: check.id)
def test_a_check_says_what_it_is_and_shows_it(check):
    assert checks.get(check.id) is check
    assert check.id.isidentifier()
    assert check.title
    assert check.catches.endswith(".")
    assert check.level in (checks.BLOCK, checks.WARN)
    assert EXAMPLES[check.id].good
    assert EXAMPLES[check.id].bad


def test_a_copied_source_says_how_much_of_the_text_it_is():
    params = [checks.get("source_copied").run(context)[0].params for context in EXAMPLES["source_copied"].bad]
    whole, _, sentence = [(int(str(each["copied"])), int(str(each["words"]))) for each in params]
    assert whole[0] == whole[1]
    assert (sentence[0], sentence[1] > 3) == (3, True)


@pytest.mark.parametrize(("check", "context"), GOOD)
def test_a_check_leaves_its_good_examples_alone(check, context):
    assert check.run(context) == []


@pytest.mark.parametrize(("check", "context"), BAD)
def test_a_check_finds_its_bad_examples(check, context):
    findings = check.run(context)
    assert findings
    for finding in findings:
        assert (finding.check, finding.level) == (check.id, check.level)
        assert finding.slot in {checks.WHOLE_SET, *(slot.key for slot in context.slots)}
        assert finding.message % finding.params


@settings(max_examples=200)
@given(
    WILD,
    st.lists(st.builds(base.SlotText, st.sampled_from("ab"), st.sampled_from("enc"), WILD), max_size=4),
    st.sampled_from(["id", "en", "su", "jv", "xx", ""]),
    st.dictionaries(WILD, st.integers(0, 100), max_size=5),
)
def test_checks_never_raise(source, slots, language, often):
    labels = ("e", "n", "c")
    context = base.SetContext(source, tuple(slots), language, {"tags": "required"}, 2, labels, often)
    for finding in checks.run_checks(list(checks.all_checks()), context):
        assert finding.message % finding.params


def test_long_runs_of_marks_cost_no_more_than_their_length():
    hostile = [
        ". " * 100_000,
        "." * 200_000,
        "a " + '."' * 100_000,
        "a b c d " + "x. " * 60_000,
        "a-" * 100_000,
    ]
    context = example(*(("c", text) for text in hostile), source=hostile[3], often=dict.fromkeys(["aaaaa"], 99))
    assert checks.blocks(checks.run_checks(list(checks.all_checks()), context))


def test_very_long_texts_are_not_said_to_have_nothing_in_common():
    def texts(name):
        return " ".join(f"{name}{number:04}" for number in range(300))

    assert found("no_shared_word", ("n", texts("awan")), source=texts("kuda")) == []
    assert found("no_shared_word", ("n", texts("awan")[:90]), source=texts("kuda")) == [("s1", {})]


@pytest.mark.parametrize("kind", kinds.all_kinds(), ids=lambda kind: kind.slug)
def test_kinds_name_checks_that_there_are(kind):
    assert set(kind.authoring.checks) <= set(checks.all_checks())


def test_findings_come_in_the_order_of_the_ids():
    context = example(("e", PREMISE + " " + PREMISE), ("n", ""))
    ids = ["several_sentences", "empty", "copy_of_source"]
    assert [finding.check for finding in checks.run_checks(ids, context)] == ["several_sentences", "empty"]


def test_an_unknown_check_is_an_error():
    with pytest.raises(KeyError, match="nothing_of_the_kind"):
        checks.run_checks(["nothing_of_the_kind"], example())


def test_two_checks_cannot_share_an_id(monkeypatch):
    from annotation.text.checks import copies, shape

    twin = base.Check(**{**vars(shape.empty), "title": "Twin"})
    monkeypatch.setattr(copies, "TWIN", twin, raising=False)
    with pytest.raises(ValueError, match="empty"):
        checks.all_checks.__wrapped__()


def test_only_blocking_findings_block():
    warning = checks.run_checks(["end_mark"], example(("e", "Rina membeli ikan")))
    assert warning
    assert not checks.blocks(warning)
    assert checks.blocks([*warning, *checks.run_checks(["empty"], example(("e", "")))])


def test_params_name_what_is_wrong():
    assert found("per_label", ("e", "Satu."), ("e", "Dua."), labels=("e", "n")) == [
        ("", {"label": "e", "count": 2, "wanted": 1}),
        ("", {"label": "n", "count": 0, "wanted": 1}),
    ]
    assert found("copy_of_other", ("e", "Satu."), ("n", "Dua."), ("c", "satu")) == [("s3", {"other": "s1"})]
    assert found("near_word", ("e", "Ini membeil, itu membeil."), often={"membeli": 20}) == [
        ("s1", {"word": "membeil", "near": "membeli"})
    ]


def test_every_suspicion_has_its_words():
    assert set(SUSPICION_MESSAGES) == set(SUSPICIONS)


@pytest.mark.parametrize(
    ("word", "counts", "expected"),
    [
        ("rumha", {"rumah": 20}, "rumah"),
        ("ruma", {"rumah": 20}, None),
        ("rumaah", {"rumah": 20}, "rumah"),
        ("rumuh", {"rumah": 20}, "rumah"),
        ("pasarr", {"pasar": 19}, None),
        ("membeli", {"membeli": 20, "memberi": 900}, None),
        ("membeli", {"membeli": 2, "memberi": 39}, None),
        ("membeli", {"membeli": 2, "memberi": 40}, "memberi"),
        ("rumih", {"rumah": 20, "rumit": 30}, "rumit"),
        ("rumih", {"rumit": 20, "rumah": 20}, "rumah"),
        ("harum", {"rumah": 20}, None),
        ("a" * 31, {"a" * 30: 20}, None),
        ("rumah", {}, None),
    ],
)
def test_near_words(word, counts, expected):
    assert CommonWords(counts).near_word(word) == expected


def test_counts_keep_their_index():
    often = CommonWords({"rumah": 20})
    assert CommonWords.of(often) is often
    assert dict(CommonWords.of({"rumah": 20})) == dict(often) == {"rumah": 20}
    assert len(often) == 1


def test_answers_are_remembered_up_to_a_number(monkeypatch):
    monkeypatch.setattr("annotation.text.common_words.MOST_REMEMBERED", 1)
    often = CommonWords({"rumah": 20, "pasar": 20})
    assert [often.near_word(word) for word in ("rumha", "pasra", "rumha")] == ["rumah", "pasar", "rumah"]
