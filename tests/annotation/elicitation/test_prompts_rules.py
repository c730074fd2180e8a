"""Prompts: parts and ids both ways, numbers that stay, and the published file split and joined again."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.elicitation.rules.prompts import (
    MESSAGES,
    CodeBook,
    Overview,
    Parts,
    PromptFault,
    PromptId,
    compose,
    overview,
    part_faults,
    read_id,
    split_text,
)
from tests.data import DATA, needs_data

MARKET = Parts("Saya pedagang.", "Pasar sepi.\nHujan turun.", "Saya punya payung.", "Apa yang saya lakukan?")
FIRST = PromptId(1, 1, 1, 1)

line = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1).filter(str.strip)
context = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
parts = st.builds(Parts, line | st.just(""), context, line | st.just(""), line)
numbers = st.builds(PromptId, st.integers(1, 99), st.integers(0, 99), st.integers(1, 9999), st.integers(0, 99))


@pytest.fixture(scope="module")
def published():
    with (DATA / "kalahi" / "filipino.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def book():
    made = CodeBook()
    made.add(FIRST, MARKET)
    made.add(PromptId(3, 0, 1, 0), Parts("", "Banjir.", "", MARKET.instruction))
    return made


def code_of(call, *args):
    with pytest.raises(PromptFault) as raised:
        call(*args)
    assert str(raised.value) == MESSAGES[raised.value.code] % raised.value.params
    return raised.value.code


def test_an_id_is_read_and_written():
    read = read_id("0101000103", "01010001")
    assert read == PromptId(context=1, user=1, instruction=1, personal=3)
    assert (read.variation_id, read.prompt_id, read.family) == ("0101000103", "01010001", "01")


@given(numbers)
def test_every_id_is_read_as_it_was_written(each):
    assert read_id(each.variation_id, each.prompt_id) == each
    assert each.variation_id.startswith(each.prompt_id)
    assert each.prompt_id.startswith(each.family)


@pytest.mark.parametrize(
    ("variation", "prompt", "code"),
    [
        ("", None, "id_form"),
        ("01010001", None, "id_form"),
        ("010100010", None, "id_form"),
        ("01010001033", None, "id_form"),
        ("01 01000103", None, "id_form"),
        ("0101000103\n", None, "id_form"),
        ("٠101000103", None, "id_form"),
        ("0001000103", None, "id_zero"),
        ("0101000003", None, "id_zero"),
        ("0101000103", "01010002", "id_other"),
        ("0101000103", "", "id_other"),
    ],
)
def test_what_is_no_id_is_refused(variation, prompt, code):
    assert code_of(read_id, variation, prompt) == code


def test_a_prompt_is_its_parts_in_order():
    assert compose(MARKET) == "Saya pedagang.\nPasar sepi.\nHujan turun.\nSaya punya payung.\nApa yang saya lakukan?"
    assert compose(Parts("", "Banjir.", " ", "Apa?")) == "Banjir.\nApa?"
    assert compose(Parts("", "", "", "")) == ""


@given(parts)
def test_what_was_composed_is_split_again(each):
    of = PromptId(1, int(bool(each.user)), 1, int(bool(each.personal)))
    assert part_faults(each) == []
    assert split_text(compose(each), of) == each


@given(st.text(), numbers)
def test_whatever_splits_joins_again(text, of):
    there = (of.user, 1, of.personal, 1)
    if text.count("\n") + 1 < sum(map(bool, there)):
        assert code_of(split_text, text, of) == "lines_missing"
    else:
        found = split_text(text, of)
        assert "\n".join(part for part, number in zip(found, there, strict=True) if number) == text


def test_too_few_lines_are_refused():
    assert code_of(split_text, "Banjir.\nApa?", PromptId(1, 1, 1, 0)) == "lines_missing"
    assert code_of(split_text, "Banjir.\nSaya.\nApa?", FIRST) == "lines_missing"


def test_parts_say_what_is_wrong_with_them():
    faults = part_faults(Parts("a\nb", " \n", "c\rd", ""))
    assert [(fault.code, fault.part) for fault in faults] == [
        ("part_missing", "context"),
        ("part_missing", "instruction"),
        ("part_lines", "user"),
        ("part_lines", "personal"),
    ]
    assert str(faults[3]).startswith("The personal situation has to be one line")


def test_known_texts_keep_their_numbers_and_new_ones_get_the_next(book):
    assert book.new_id(MARKET._replace(personal="")) == PromptId(1, 1, 1, 0)
    assert book.new_id(MARKET._replace(personal="Saya kaya.")) == PromptId(1, 1, 1, 2)
    assert book.new_id(Parts("Saya guru.", "Kelas ramai.", "", "Benarkah ini?")) == PromptId(4, 2, 2, 0)
    # The same under key_form: composed or not, blanks outside.
    assert book.number("user", " Saya pedagang. ") == 1
    assert book.number("user", "") == book.number("user", "  ") == 0


def test_a_prompt_that_is_there_gets_no_second_id(book):
    assert code_of(book.new_id, MARKET) == "id_taken"


def test_incomplete_parts_get_no_id(book):
    assert code_of(book.new_id, MARKET._replace(instruction="")) == "part_missing"
    assert code_of(book.variation_id, FIRST, MARKET, MARKET._replace(personal="a\nb")) == "part_lines"


def test_a_variation_of_a_reworded_prompt_keeps_its_family(book):
    reworded = MARKET._replace(context="Pasar sangat sepi.")
    assert book.new_id(reworded).context == 4
    varied = reworded._replace(personal="Saya sendirian.")
    assert book.variation_id(FIRST, reworded, varied) == PromptId(1, 1, 1, 2)
    assert code_of(book.variation_id, FIRST, reworded, reworded) == "id_taken"


def test_numbers_at_the_end_fill_gaps_and_then_run_out():
    book = CodeBook()
    for number in (*range(1, 50), *range(51, 100)):
        book.add(PromptId(number, 0, 1, 0), Parts("", f"c{number}", "", "i"))
    assert book.number("context", "new") == 50
    book.add(PromptId(50, 0, 1, 0), Parts("", "c50", "", "i"))
    assert code_of(book.number, "context", "new") == "numbers_up"
    assert book.number("context", "c50") == 50


def test_a_book_refuses_an_id_that_its_text_denies():
    assert code_of(CodeBook().add, PromptId(1, 0, 1, 1), MARKET) == "number_unlike"
    assert code_of(CodeBook().add, FIRST, MARKET._replace(personal="")) == "number_unlike"


@given(st.lists(parts, unique=True, max_size=12))
def test_made_ids_are_unique_and_a_number_is_one_text(prompts):
    book, made = CodeBook(), {}
    for each in prompts:
        of = PromptId(*(book.number(part, each.get(part)) for part in PromptId._fields))
        if of in made:  # unique as typed, the same under key_form
            assert code_of(book.new_id, each) == "id_taken"
            continue
        assert book.new_id(each) == of
        book.add(of, each)
        made[of] = each
    assert all(book.number(part, each.get(part)) == of.get(part) for of, each in made.items() for part in of._fields)


@needs_data
@pytest.mark.data
def test_all_published_prompts_split_and_join(published):
    book, ids = CodeBook(), []
    for row in published:
        of = read_id(row["prompt_variation_id"], row["prompt_id"])
        found = split_text(row["prompt"], of)
        assert part_faults(found) == []
        assert compose(found) == row["prompt"]
        assert of.variation_id == row["prompt_variation_id"]
        book.add(of, found)
        ids.append(of)
    assert overview(ids) == Overview(150, 84, 86, 85, 10)
    # A number is one text and a text one number, in all parts.
    for row, of in zip(published, ids, strict=True):
        found = split_text(row["prompt"], of)
        assert PromptId(*(book.number(part, found.get(part)) for part in of._fields)) == of
    assert [book.number(part, "new") for part in PromptId._fields] == [85, 8, 12, 23]
