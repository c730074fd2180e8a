"""Kalahi's CSV: rows to bytes and back, the published file byte for byte, and what is left without its contexts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.elicitation.rules.prompts import read_id
from annotation.elicitation.rules.responses import findings
from exports.formats.rules.kalahi_csv import (
    COLUMNS,
    CsvFault,
    KalahiRow,
    read,
    responses_of,
    row_of,
    write,
)
from tests.data import DATA, needs_data
from tests.kalahi import without_user, without_user_and_personal

HEADER = ",".join(COLUMNS).encode()
ROW = KalahiRow(
    "0101000102",
    "01010001",
    "ethics",
    "adat, pasar",
    "Saya pedagang.\nPasar sepi.\nSaya kaya.\nApa yang saya lakukan?",
    "Tawar dengan sopan.",
    ("Datang pagi.", "Tawar dengan sopan.", "Bawa tas."),
    ("Ambil saja.", "Minta gratis.", "Marah."),
)

texts = st.text(st.characters(exclude_categories=["Cs"]))
responses = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters=";")).filter(str.strip), max_size=5
).map(tuple)
rows = st.builds(KalahiRow, texts, texts, texts, texts, texts, texts, responses, responses)


@pytest.fixture(scope="module")
def published():
    return (DATA / "kalahi" / "filipino.csv").read_bytes()


def fault_of(call, *args):
    with pytest.raises(CsvFault) as raised:
        call(*args)
    fault = raised.value
    assert fault.message % fault.params in str(fault)
    return fault.row, fault.field, fault.code


def test_a_row_by_hand():
    assert write([ROW]) == (
        HEADER + b'\r\n0101000102,01010001,ethics,"adat, pasar",'
        b'"Saya pedagang.\nPasar sepi.\nSaya kaya.\nApa yang saya lakukan?",Tawar dengan sopan.,'
        b"Datang pagi.;Tawar dengan sopan.;Bawa tas.,Ambil saja.;Minta gratis.;Marah."
    )


def test_nothing_is_a_header():
    assert write([]) == HEADER
    assert read(HEADER) == read(b"\xef\xbb\xbf" + HEADER + b"\r\n") == []


@given(st.lists(rows, max_size=4))
def test_rows_are_read_as_they_were_written(each):
    data = write(each)
    assert read(data) == each
    assert write(read(data)) == data


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", (0, "", "csv_columns")),
        (HEADER + b",more", (0, "", "csv_columns")),
        (HEADER + b"\r\n\xff", (0, "", "csv_utf8")),
        (HEADER + b"\r\na,b", (1, "", "csv_cells")),
        (HEADER + b"\r\n1,1,e,t,p,b,r,i\r\n", None),
        (HEADER + b"\r\n1,1,e,t,p,b,r,i\r\n\r\n", (2, "", "csv_cells")),
        (HEADER + b'\r\n1,1,e,t,p,b,r,i\r\n1,1,e,t,"p,b,r,i', (2, "", "csv_quotes")),
        (b'"' + HEADER, (0, "", "csv_quotes")),
        (HEADER + b"\r\n1,1,e,t,p,b,r;,i", (1, "relevant_answers", "cell_empty")),
        (HEADER + b"\r\n1,1,e,t,p,b,r,i;;i", (1, "irrelevant_answers", "cell_empty")),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_row(data, expected):
    if expected is None:
        assert len(read(data)) == 1
    else:
        assert fault_of(read, data) == expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"relevant_answers": ("Datang; lalu tawar.",)}, (2, "relevant_answers", "cell_separator")),
        ({"irrelevant_answers": ("",)}, (2, "irrelevant_answers", "cell_empty")),
        ({"topic": "\ud800"}, (2, "", "csv_storable")),
    ],
)
def test_what_the_format_cannot_hold_is_refused_with_its_row(changed, expected):
    assert fault_of(write, [ROW, ROW._replace(**changed)]) == expected


def test_responses_keep_their_order_and_their_keys_tell_nothing():
    found = responses_of(ROW)
    assert [each.text for each in found] == [*ROW.relevant_answers, *ROW.irrelevant_answers]
    assert [each.role for each in found] == ["relevant", "best", "relevant"] + ["irrelevant"] * 3
    assert sorted(each.key for each in found) == list("ABCDEF")
    assert row_of(ROW.prompt_variation_id, ROW.category, ROW.topic, ROW.prompt, found) == ROW
    firsts = {responses_of(ROW._replace(prompt_variation_id=f"{n:010d}"))[1].key for n in range(40)}
    assert firsts == set("ABCDEF")


def test_a_row_has_one_best_that_is_relevant():
    assert fault_of(responses_of, ROW._replace(best_answer="Pulang."), 7) == (
        7,
        "best_answer",
        "best_missing",
    )
    twice = [each._replace(role="best") for each in responses_of(ROW)[:2]]
    assert fault_of(row_of, "0101000102", "e", "t", "p", twice, 3) == (3, "best_answer", "best_not_one")
    assert fault_of(row_of, "x", "e", "t", "p", twice[:1], 3) == (3, "prompt_variation_id", "id_form")
    many = ROW._replace(irrelevant_answers=tuple(map(str, range(24))))
    assert fault_of(responses_of, many) == (0, "", "responses_many")


def test_without_user_and_situation():
    plain = ROW._replace(prompt_variation_id="0101000100", prompt="Saya pedagang.\nPasar sepi.\nApa?")
    assert [each.prompt for each in without_user([ROW, plain])] == [
        "Pasar sepi.\nSaya kaya.\nApa yang saya lakukan?",
        "Pasar sepi.\nApa?",
    ]
    assert without_user_and_personal([ROW, plain]) == [plain._replace(prompt="Pasar sepi.\nApa?")]


def test_what_cannot_be_derived_is_refused_with_its_row():
    torn = ROW._replace(prompt="Pasar.\nApa?")
    assert fault_of(without_user, [ROW, torn]) == (2, "prompt", "lines_missing")
    other = ROW._replace(prompt_id="02010001")
    assert fault_of(without_user_and_personal, [other]) == (1, "prompt_variation_id", "id_other")


@needs_data
@pytest.mark.data
def test_the_published_file_byte_for_byte(published):
    found = read(published)
    assert len(found) == 150
    assert write(found) == published
    again = [
        row_of(each.prompt_variation_id, each.category, each.topic, each.prompt, responses_of(each)) for each in found
    ]
    assert write(again) == published
    codes = {each.code for row in found for each in findings(responses_of(row))}
    assert codes <= {"response_near", "best_longer", "best_shorter", "response_separator"}


@needs_data
@pytest.mark.data
def test_the_published_file_without_its_contexts(published):
    found = read(published)
    no_user, bare = without_user(found), without_user_and_personal(found)
    assert (len(no_user), len(bare)) == (150, 85)
    # The paper counts 84 (Appendix H): two of the 85 differ in their user only.
    assert len({each.prompt for each in bare}) == 84
    changed = [a.prompt != b.prompt for a, b in zip(found, no_user, strict=True)]
    assert changed.count(False) == 10
    assert {read_id(each.prompt_variation_id).personal for each in bare} == {0}
    assert read(write(bare)) == bare
