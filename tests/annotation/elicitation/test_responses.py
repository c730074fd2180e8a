"""Responses: each rule finds what it is for and nothing else; cells of the CSV both ways."""

import csv
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.elicitation.rules.responses import (
    CELL_MESSAGES,
    MESSAGES,
    CellFault,
    Response,
    check_counts,
    check_lengths,
    check_near,
    check_repeated,
    check_separators,
    findings,
    read_cell,
    write_cell,
)
from annotation.text import checks
from tests.data import DATA, needs_data

TEXTS = (
    ("best", "Cium tangan nenek saat datang."),
    ("relevant", "Sapa beliau dengan sopan dan lembut."),
    ("relevant", "Bawakan kue kesukaan beliau."),
    ("irrelevant", "Panggil namanya saja dari pintu."),
    ("irrelevant", "Lambaikan tangan sambil berlalu."),
    ("irrelevant", "Tunggu sampai beliau menyapa dulu."),
)


def of(*pairs):
    return [Response("ABCDEFGHIJKLMN"[n], text, role) for n, (role, text) in enumerate(pairs)]


def codes(found):
    return [each.code for each in found]


GOOD = of(*TEXTS)


def test_a_good_prompt_has_no_findings():
    assert findings(GOOD) == []


@pytest.mark.parametrize(
    ("responses", "expected"),
    [
        (of(), ["relevant_count", "irrelevant_count", "best_count"]),
        (of(*TEXTS[1:]), ["relevant_count", "best_count"]),
        (of(*TEXTS[:5]), ["irrelevant_count"]),
        (of(*TEXTS, ("best", "Peluk beliau.")), ["best_count"]),
        (of(*TEXTS, ("irrelevant", " \n")), ["response_empty"]),
        (of(*TEXTS, *[("irrelevant", f"Pergi {n}.") for n in "ab"]), []),
        (of(*TEXTS, *[("irrelevant", f"Pergi {n}.") for n in "abc"]), ["irrelevant_count"]),
        (of(*TEXTS, *[("relevant", f"Duduk {n}.") for n in "ab"]), []),
        (of(*TEXTS, *[("relevant", f"Duduk {n}.") for n in "abc"]), ["relevant_count"]),
    ],
)
def test_counts(responses, expected):
    assert codes(check_counts(responses)) == expected


def test_an_empty_response_does_not_fill_a_place():
    found = list(check_counts(of(*TEXTS[:5], ("irrelevant", ""))))
    assert [(each.code, each.key) for each in found] == [("irrelevant_count", ""), ("response_empty", "F")]
    assert found[0].params == {"least": 3, "most": 5, "n": 2}


@pytest.mark.parametrize(
    ("role", "text", "expected"),
    [
        ("relevant", "“cium tangan  nenek saat datang”", "response_twice"),
        ("irrelevant", "CIUM TANGAN NENEK SAAT DATANG!", "response_both"),
        ("irrelevant", "Lambaikan tangan sambil berlalu", "response_twice"),
        ("irrelevant", "Lambaikan tangan.", None),
    ],
)
def test_the_same_twice_or_on_both_sides(role, text, expected):
    found = list(check_repeated(of(*TEXTS, (role, text))))
    assert codes(found) == ([expected] if expected else [])
    assert all(each.key == "G" for each in found)


def test_marks_alone_are_no_repetition():
    assert list(check_repeated(of(("relevant", "!"), ("irrelevant", "?")))) == []


def test_near_equal_ones_warn_and_equal_ones_do_not_warn_again():
    (found,) = check_near(of(*TEXTS, ("irrelevant", "Cium tangan nenek saat datang pagi.")))
    assert (found.code, found.key, found.params["other_option"]) == ("response_near", "G", "A")
    assert checks.get("responses_near").level == "warn"
    assert found.params["percent"] in range(90, 100)
    assert list(check_near(of(*TEXTS, ("relevant", TEXTS[0][1])))) == []


@pytest.mark.parametrize(
    ("best", "others", "expected"),
    [
        (15, (10, 10, 10), []),
        (16, (10, 10, 10), ["best_longer"]),
        (16, (10, 10, 11), []),
        (10, (15, 15, 15), []),
        (10, (16, 16, 16), ["best_shorter"]),
        (10, (16, 16, 15), []),
        (10, (), []),
        (0, (9, 9), []),
    ],
)
def test_a_best_one_out_of_line_gives_itself_away(best, others, expected):
    responses = of(("best", "x" * best), ("relevant", "x" * 99), *(("irrelevant", "y" * n) for n in others))
    assert codes(check_lengths(responses)) == expected


def test_a_semicolon_is_told_while_writing():
    assert codes(check_separators(of(("best", "Sapa; lalu duduk.")))) == ["response_separator"]


@given(st.lists(st.tuples(st.sampled_from(["best", "relevant", "irrelevant"]), st.text()), max_size=8))
def test_findings_never_raise_and_can_be_told(pairs):
    for each in findings(of(*pairs)):
        assert MESSAGES[each.code] % each.params


def longest_is_best(prompts):
    """Count the prompts whose best response is longer than every irrelevant one, and the prompts.

    Who always picks the longest response gets that share: beside the random baseline it says how much length gives
    away in the whole set (62 of 150 published, where chance alone has 0.2429).
    """
    wins = total = 0
    for responses in prompts:
        best = [len(each.text) for each in responses if each.role == "best"]
        others = [len(each.text) for each in responses if each.role == "irrelevant"]
        if best and others:
            total += 1
            wins += best[0] > max(others)
    return wins, total


def test_who_picks_the_longest():
    short = of(("best", "a"), ("irrelevant", "bb"))
    assert longest_is_best([GOOD, short, of(("best", "a")), of(("best", "ccc"), ("irrelevant", "bb"))]) == (
        1,
        3,
    )


texts = st.lists(st.text(st.characters(exclude_characters=";")).filter(str.strip), max_size=6)


@given(texts)
def test_cells_are_read_as_they_were_written(each):
    assert read_cell(write_cell(each)) == tuple(each)


@given(st.text())
def test_whatever_cell_is_read_is_written_so(cell):
    if cell and not all(map(str.strip, cell.split(";"))):
        with pytest.raises(CellFault, match="is empty"):
            read_cell(cell)
    else:
        assert write_cell(read_cell(cell)) == cell


@pytest.mark.parametrize(("each", "code"), [(["a;b"], "cell_separator"), (["a", " "], "cell_empty")])
def test_what_a_cell_cannot_hold_is_refused(each, code):
    with pytest.raises(CellFault) as raised:
        write_cell(each)
    assert raised.value.code == code
    assert str(raised.value) == CELL_MESSAGES[code] % raised.value.params


@needs_data
@pytest.mark.data
def test_the_published_responses():
    found: Counter[str] = Counter()
    prompts = []
    with (DATA / "kalahi" / "filipino.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            relevant, irrelevant = read_cell(row["relevant_answers"]), read_cell(row["irrelevant_answers"])
            pairs = [("best" if each == row["best_answer"] else "relevant", each) for each in relevant]
            prompts.append(of(*pairs, *(("irrelevant", each) for each in irrelevant)))
            found.update(codes(findings(prompts[-1])))
    # Nothing blocks; what warns is what a second look would want to see.
    assert found == {"response_near": 4, "best_longer": 17, "best_shorter": 2}
    assert longest_is_best(prompts) == (62, 150)
