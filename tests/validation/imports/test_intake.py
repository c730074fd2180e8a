"""Reading rows: nothing raises, texts pass through unchanged, columns are found by the names that files use."""

import csv
import gzip
import io
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds import get
from annotation.text.formulas import GUARDED_COLUMN, guard, unguard
from annotation.text.normalise import key_form
from validation.imports.rules import (
    FileRefused,
    PairRow,
    PremiseRow,
    Problem,
    Reader,
    Record,
    open_source,
)
from validation.imports.rules.compression import open_bytes
from validation.imports.rules.csv_rows import MOST_BROKEN
from validation.imports.rules.pairs import PAIRS
from validation.imports.rules.problems import excerpt
from validation.imports.rules.questions import QUESTIONS

READ_LABEL = get("nli").question.read_label
ALL = {
    field: field for field in PAIRS.fields if field not in ("annotator_labels", "label1", "label2", "label3", "label4")
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
ROWS = st.fixed_dictionaries({}, optional=dict.fromkeys(PAIRS.fields, JSON))
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60)
VISIBLE = TEXTS.filter(key_form)


def reader(mapping: dict[str, str] | None = None) -> Reader:
    return Reader(mapping or ALL, "id", READ_LABEL)


def records(tmp_path: Path, content: bytes, name: str = "x.jsonl") -> list[Record]:
    path = tmp_path / "file"
    path.write_bytes(content)
    return list(open_source(path, name).records())


@settings(max_examples=400, deadline=None)
@given(ROWS, st.sampled_from([ALL, {field: field for field in PAIRS.fields}, {"premise": "premise"}]))
def test_no_row_raises(data: dict[str, Any], mapping: dict[str, str]) -> None:
    found = reader(mapping).read(Record(1, data, None))
    assert isinstance(found, PremiseRow | PairRow | Problem)
    if isinstance(found, Problem):
        assert found.reason
        assert found.field in ("", *PAIRS.fields)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["x.jsonl", "x.csv", "x", "x.jsonl.gz"]))
def test_no_file_raises(tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str) -> None:
    path = tmp_path_factory.mktemp("file") / "file"
    for given_bytes in (content, gzip.compress(content)):
        path.write_bytes(given_bytes)
        try:
            source = open_source(path, name)
        except FileRefused:
            continue
        numbers = [record.n for record in source.records()]
        assert numbers == sorted(set(numbers))


@settings(max_examples=150, deadline=None)
@given(st.lists(VISIBLE, min_size=1, max_size=6), st.sampled_from(["jsonl", "csv", "guarded"]), st.booleans())
def test_texts_pass_through_unchanged(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], kind: str, packed: bool
) -> None:
    if kind == "jsonl":
        content = b"".join(orjson.dumps({"text": text}) + b"\n" for text in texts)
    else:
        # A lone CR at a line's end would be read as part of it by no spreadsheet either: cells are quoted.
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
        if kind == "guarded":
            writer.writerows([["text", GUARDED_COLUMN], *([guard(text), ""] for text in texts)])
        else:
            writer.writerows([["text"], *([text] for text in texts)])
        content = out.getvalue().encode()
    path = tmp_path_factory.mktemp("file") / "file"
    path.write_bytes(gzip.compress(content) if packed else content)
    source = open_source(path, "x.jsonl" if kind == "jsonl" else "x.csv")
    read = reader(PAIRS.guess(source.columns)).read
    found = [read(record) for record in source.records()]
    assert [row.text if isinstance(row, PremiseRow) else row for row in found] == texts


@given(st.text(max_size=12))
def test_a_guarded_cell_comes_back(text: str) -> None:
    assert unguard(guard(text)) == text
    assert guard(text).replace("'", "") == text.replace("'", "")


@given(st.text("'=-; \t\n\r\"a", max_size=12))
def test_a_guarded_cell_comes_back_wherever_it_is_cut(text: str) -> None:
    assert unguard(guard(text)) == text
    first, *behind = re.split("[;\t\r\n]", guard(text))
    assert not re.match("\\s*[=+@-]", first)
    assert not [part for part in behind if re.match('["\\s]*[=+@-]', part)]


@pytest.mark.parametrize(
    "cell",
    [
        "=1",
        "+1",
        "-1",
        "@a",
        "\0",
        "＝1",
        "＋1",
        "－1",
        "＠a",
        " =1",
        "\ufeff=1",
        "\u200b=1",
    ],
)
def test_what_a_spreadsheet_would_evaluate_is_guarded(cell: str) -> None:
    assert guard(cell) == "'" + cell


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("ok;=1+1", "ok;'=1+1"),
        ("ok; =1", "ok;' =1"),
        ('ok;"=1"', 'ok;\'"=1"'),
        ("ok;'=1", "ok;''=1"),
        ("a\n=1", "a\n'=1"),
        ("\t=1", "\t'=1"),
        ("\r\n=1", "\r\n'=1"),
        ("a\t@b;-c", "a\t'@b;'-c"),
    ],
)
def test_what_begins_behind_another_separator_is_guarded(cell: str, written: str) -> None:
    """A spreadsheet that separates by semicolons cuts there, quoted or not: the quotation began before the cut."""
    assert guard(cell) == written
    assert unguard(written) == cell


@pytest.mark.parametrize("size", [1_000, 100_000])
def test_a_cell_of_cuts_and_blanks_is_read_once(size: int) -> None:
    for hostile in ("\n", "; ", "'", ";'", ';"', "\t "):
        assert unguard(guard(hostile * size)) == hostile * size


@pytest.mark.parametrize(
    "cell", ["", "a=1", "'hello'", "it's", "1-2", "a;b", "a; b-c", "x,=1", "\n1", "a\n\nb", "a;\r\n\tb"]
)
def test_what_needs_no_guard_is_left_alone(cell: str) -> None:
    assert guard(cell) == unguard(cell) == cell


PUBLISHED = {
    "IndoNLI": ("premise_id premise hypothesis label sentence_size pair_id", {"author_label": "label"}),
    "premises": ("premise_id text sentence_size", {"premise": "text", "sentence_class": "sentence_size"}),
    "replay": ("pair_id premise hypothesis author_label votes label", {"author_label": "author_label"}),
    "SNLI": (
        "annotator_labels captionID gold_label pairID sentence1 sentence2",
        {"premise_id": "captionID", "pair_id": "pairID", "annotator_labels": "annotator_labels"},
    ),
    "OCNLI": (
        "level sentence1 sentence2 label label0 label1 label2 label3 label4 genre prem_id id",
        {"author_label": "label0", "label4": "label4", "pair_id": "id", "premise_id": "prem_id"},
    ),
    "plain premises": ("id text", {"premise_id": "id"}),
    "plain pairs": (
        "ID Premise Hypothesis Label Writer Topic",
        {"pair_id": "ID", "author": "Writer", "topics": "Topic"},
    ),
    "expert": ("premise hypothesis label inference_phenomena", {"tags": "inference_phenomena"}),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_columns_are_guessed(name: str) -> None:
    columns, expected = PUBLISHED[name]
    found = PAIRS.guess(columns.split())
    assert {field: found.get(field) for field in expected} == expected
    assert len(set(found.values())) == len(found)


def test_a_mapping_by_hand() -> None:
    columns = ["id", "text", "kalimat", "note"]
    guess = PAIRS.guess(columns)
    assert PAIRS.read_map(["kalimat=premise", "id="], columns, guess) == {"premise": "kalimat"}
    assert PAIRS.read_map([], columns, guess) == guess
    for wrong in ("kalimat", "kalimat=sentence", "nothing=premise"):
        with pytest.raises(FileRefused):
            PAIRS.read_map([wrong], columns, guess)
    with pytest.raises(FileRefused, match="No column is taken"):
        PAIRS.validated({"premise": "gone"}, columns)


def test_every_field_is_explained() -> None:
    for columns in (PAIRS, QUESTIONS):
        assert set(columns.help) == set(columns.aliases)


def test_a_pair_whole() -> None:
    data = {
        "pair_id": 7,
        "premise_id": " e\u0301 ",
        "premise": "Rina pergi ke pasar.",
        "sentence_class": "multiple",
        "document": "d",
        "topics": ["a", "b"],
        "genre": 3,
        "hypothesis": "Ia pergi.",
        "author_label": "Entailment",
        "author": " B ",
        "votes": [{"annotator": "A", "label": "n"}, "e", None, "unrelated"],
        "tags": ["semlex", "MORPH"],
    }
    found = reader().read(Record(3, data, None))
    assert isinstance(found, PairRow)
    assert (found.key, found.author, found.author_label, found.tags) == ("7", "B", "e", ("MORPH", "LEXSEM"))
    assert found.votes == (("A", "n"), ("?2", "e"), ("?4", "unrelated"))
    premise = found.premise
    assert (premise.key, premise.sentence_class, premise.document) == ("é", "paragraph", "d")
    assert premise.extra == {"genre": "3", "topics": "a, b"}


def test_ids_are_made_where_there_are_none() -> None:
    """The same texts give the same ids in every file."""
    row = {"premise": "Rina pergi.", "hypothesis": "Ia pergi.", "author_label": "e"}
    one, same, other = (
        reader().read(Record(n, {**row, **more}, None)) for n, more in ((1, {}), (2, {}), (3, {"author_label": "n"}))
    )
    assert isinstance(one, PairRow)
    assert isinstance(same, PairRow)
    assert isinstance(other, PairRow)
    assert one.key == same.key != other.key
    assert one.premise.made
    assert one.premise.key == other.premise.key


def test_unknown_tags_are_kept() -> None:
    row = {"premise": "a", "hypothesis": "b", "author_label": "e", "tags": "IRONY, MORPH"}
    found = reader().read(Record(1, row, None))
    assert isinstance(found, PairRow)
    assert found.tags == ("IRONY", "MORPH")


def test_a_name_without_an_ending(tmp_path: Path) -> None:
    assert records(tmp_path, b'{"text": "a"}\n', "x")[0].data == {"text": "a"}
    assert records(tmp_path, b"text\na\n", "x")[0].data == {"text": "a"}


def test_a_sheet_that_is_broken_all_over_is_given_up(tmp_path: Path) -> None:
    found = records(tmp_path, b"text\n" + b'"a"b\n' * (MOST_BROKEN + 500), "x.csv")
    assert len(found) == MOST_BROKEN + 1
    assert found[-1].problem is not None
    assert found[-1].problem.code == "too_broken"


def test_the_cap_on_what_is_unpacked() -> None:
    packed = gzip.compress(bytes(range(256)) * 1000)
    with pytest.raises(FileRefused, match="far more"):
        open_bytes(io.BytesIO(packed), len(packed), most=1000)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="cannot be read"):
        open_source(tmp_path / "nothing", "x.jsonl")


def test_long_texts_are_shortened_in_reasons() -> None:
    assert excerpt("a" * 200) == "a" * 89 + "…"
