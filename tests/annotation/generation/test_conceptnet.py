"""ConceptNet: lines and nodes, entities, relations, threes and what drops them (mCSQA §3.1), as tables."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.generation.rules.conceptnet import (
    DIRECTIONS,
    FILTERS,
    LONGEST_KEY,
    LONGEST_TERM,
    RELATIONS,
    QuestionSet,
    count_words,
    draw_sets,
    drawn_place,
    dropping_filter,
    is_letter,
    language_tag,
    node_term,
    parse_relations,
    read_assertion,
    set_key,
    term_name,
)


def line(relation: str, start: str, end: str) -> bytes:
    return f"/a/[/r/{relation}/,{start}/,{end}/]\t/r/{relation}\t{start}\t{end}\t{{}}".encode()


# --- lines ------------------------------------------------------------------------------

READ = [
    (
        line("UsedFor", "/c/en/pen/n", "/c/en/write"),
        (b"UsedFor", b"/c/en/pen/n", b"/c/en/write", b"en", b"en"),
    ),
    (line("IsA", "/c/ja/科学者", "/c/en/x"), (b"IsA", "/c/ja/科学者".encode(), b"/c/en/x", b"ja", b"en")),
    (line("ExternalURL", "/c/en/x", "http://x"), (b"ExternalURL", b"/c/en/x", b"http://x", b"en", b"")),
    (line("UsedFor", "/c/en/a", "/c/en/b") + b"\r", (b"UsedFor", b"/c/en/a", b"/c/en/b", b"en", b"en")),
    # Tabs inside the JSON belong to it.
    (line("UsedFor", "/c/en/a", "/c/en/b") + b"\t\t", (b"UsedFor", b"/c/en/a", b"/c/en/b", b"en", b"en")),
]
MALFORMED = [
    b"",
    b"\t\t\t\t",
    b"/a/x\t/r/UsedFor\t/c/en/a\t/c/en/b",
    b"/a/x /r/UsedFor /c/en/a /c/en/b {}",
    b"/a/x\t/r/\t/c/en/a\t/c/en/b\t{}",
    b"/a/x\tUsedFor\t/c/en/a\t/c/en/b\t{}",
    b"/a/x\t/r/UsedFor\t\t/c/en/b\t{}",
    b"/a/x\t/r/UsedFor\t/c/en/a\t\t{}",
    bytes(range(256)),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_a_line_is_read(text: bytes, expected: tuple[bytes, ...]) -> None:
    assert read_assertion(text) == expected


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_line_is_told(text: bytes) -> None:
    assert read_assertion(text) is None


@given(st.binary(max_size=200))
def test_whatever_stands_in_a_line_is_read_or_malformed(text: bytes) -> None:
    found = read_assertion(text)
    assert found is None or all(isinstance(each, bytes) for each in found)
    if found is not None:
        node_term(found[1])


@pytest.mark.parametrize(
    ("uri", "term"),
    [
        ("/c/en/test/n/wn/act", "test"),
        ("/c/en/test", "test"),
        ("/c/en/test/", "test"),
        ("/c/en/hard_questions/n", "hard_questions"),
        ("/c/ja/科学者", "科学者"),
        ("/c/en/", None),
        ("/c/en", None),
        ("/c/en/_", None),
        ("/c/en/__/n", None),
        ("/c/en/a\0b", None),
        ("/c/en/\u200b\u200b", None),
        (f"/c/en/{'x' * LONGEST_TERM}", "x" * LONGEST_TERM),
        (f"/c/en/{'x' * (LONGEST_TERM + 1)}", None),
    ],
)
def test_the_term_of_a_node_stands_without_its_senses(uri: str, term: str | None) -> None:
    assert node_term(uri.encode()) == term


def test_a_node_that_is_no_utf8_has_no_term() -> None:
    assert node_term(b"/c/en/caf\xe9") is None


def test_a_term_is_read_with_blanks() -> None:
    assert term_name("hard__questions_") == "hard questions"


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("en", "en"),
        ("pt-BR", "pt"),
        ("zh-Hant", "zh"),
        ("id", "ms"),
        ("nb-NO", "no"),
        ("EN", "en"),
        ("jv", "jv"),
    ],
)
def test_conceptnet_has_one_code_for_what_it_takes_for_one_language(language: str, code: str) -> None:
    assert language_tag(language) == code


# --- entities ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "count"),
    [
        ("pen", 1),
        ("take_a_bath_today", 4),
        ("take_a_long_bath_today", 5),
        ("take__bath_", 2),
        ("e-mail", 1),
        ("don't_go", 2),
        ("fête_d'été", 2),
        ("пить_чай", 2),
        # Written without blanks: two letters of Han or Hiragana a word, a run of Katakana is one.
        ("本", 1),
        ("科学者", 2),
        ("音楽を聴く", 3),
        ("一二三四五六七八", 4),
        ("一二三四五六七八九", 5),
        ("コンピュータープログラム", 1),
        ("テレビを見る", 3),
        ("見る_テレビ", 2),
        ("3dプリンター", 2),
        # Four letters of Thai a word; its marks are none.
        ("สวัสดี", 1),
        ("ก" * 17, 5),
        ("ก\u0e34" * 4, 1),
    ],
)
def test_words_of_an_entity(term: str, count: int) -> None:
    assert count_words(term) == count


@pytest.mark.parametrize(
    ("term", "is_one"),
    [
        ("x", True),
        ("本", True),
        ("é", True),
        ("e\u0301", True),
        ("_x_", True),
        ("ab", False),
        ("本屋", False),
        ("क्या", False),
    ],
)
def test_one_character_is_what_a_reader_counts(term: str, is_one: bool) -> None:
    assert is_letter(term) is is_one


# --- relations --------------------------------------------------------------------------


def test_the_list_of_the_house_has_22_relations_and_those_that_commonsenseqa_prints() -> None:
    printed = "AtLocation Causes CapableOf Antonym HasSubevent HasPrerequisite CausesDesire Desires PartOf HasProperty"
    assert len(RELATIONS) == 22
    assert set(printed.split()) < set(RELATIONS)
    assert not {"RelatedTo", "IsA", "Synonym"} & set(RELATIONS)
    assert list(RELATIONS) == sorted(RELATIONS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", RELATIONS),
        ("  \n# nothing\n", RELATIONS),
        ("UsedFor", ("UsedFor",)),
        ("/r/UsedFor/\nIsA # too\n\nUsedFor", ("IsA", "UsedFor")),
    ],
)
def test_a_project_names_its_relations(text: str, expected: tuple[str, ...]) -> None:
    assert parse_relations(text) == expected


# --- sets -------------------------------------------------------------------------------


def a_set(*targets: str, source: str = "bank") -> QuestionSet:
    return QuestionSet("en", "UsedFor", "forward", source, targets)


FAULTS = [
    (a_set("money", "river", "loan"), ""),
    (a_set("money", "river", "loan", source="place_to_keep_money"), ""),
    (a_set("money", "river", "loan", source="a_place_to_keep_money"), "words"),
    (a_set("money", "sit_down_on_a_bench", "loan"), "words"),
    (a_set("money", "x", "loan"), "letter"),
    (a_set("money", "river", "loan", source="b"), "letter"),
    (a_set("car", "carpet", "loan"), "part"),
    (a_set("loan", "river", "bank_loan"), "part"),
    (a_set("STRASSE", "river", "straße"), "part"),
    # The source is no target: it may be part of one.
    (a_set("bank_loan", "river", "money"), ""),
    (a_set("money", "cash", "river"), "synonym"),
    # In this order: a set is counted once.
    (a_set("x", "a_b_c_d_e", "cash"), "words"),
    (a_set("x", "xy", "cash"), "letter"),
    (a_set("money", "cash", "cash_desk"), "part"),
]


@pytest.mark.parametrize(("found", "expected"), FAULTS)
def test_a_set_is_dropped_whole(found: QuestionSet, expected: str) -> None:
    related = {frozenset(("money", "cash"))}
    assert dropping_filter(found, lambda one, other: frozenset((one, other)) in related) == expected
    assert expected in ("", *FILTERS)


@given(st.sets(st.text("abcde", min_size=1, max_size=4), max_size=30), st.permutations(range(30)))
def test_threes_are_disjoint_whole_and_the_same_in_any_order(targets: set[str], mixed: list[int]) -> None:
    given_in_order = sorted(targets)
    other_order = [given_in_order[n] for n in mixed if n < len(given_in_order)]
    for direction in DIRECTIONS:
        found = draw_sets("seed", "en", "UsedFor", direction, "bank", given_in_order)
        assert found == draw_sets("seed", "en", "UsedFor", direction, "bank", other_order)
        taken = [target for each in found for target in each.targets]
        assert len(found) == len(targets) // 3
        assert len(taken) == len(set(taken))
        assert set(taken) <= targets
        assert all(len(each.targets) == 3 for each in found)


def test_another_seed_draws_other_threes_and_a_direction_is_a_draw_of_its_own() -> None:
    targets = [f"target{n}" for n in range(30)]
    drawn = [
        draw_sets(seed, "en", "UsedFor", direction, "bank", targets) for seed in ("a", "b") for direction in DIRECTIONS
    ]
    cut = [{frozenset(each.targets) for each in found} for found in drawn]
    assert all(one != other for one, other in pairwise(cut))


def test_a_key_is_of_what_the_set_holds_and_never_too_long() -> None:
    found = a_set("money", "river", "loan")
    assert set_key(found) == set_key(a_set("loan", "money", "river"))
    assert set_key(found).startswith("en:UsedFor:forward:bank:")
    assert set_key(found) != set_key(a_set("loan", "money", "rivers"))
    long = [a_set("money", "river", "loan", source=letter * LONGEST_TERM) for letter in "ab"]
    assert len({set_key(each) for each in long}) == 2
    assert max(len(set_key(each)) for each in long) <= LONGEST_KEY


def test_the_place_of_a_set_is_drawn_by_seed_and_key() -> None:
    assert drawn_place("a", "key") == drawn_place("a", "key")
    assert len({drawn_place("a", "key"), drawn_place("b", "key"), drawn_place("a", "other")}) == 3
