"""Small inputs that users of such tools report, and their kind: sheets, numbers, lists in cells, labels, YAML.

The files of `../shared/data/cases` where they are there, and texts of our own everywhere.
"""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.tasks.rules.kind import aliases_of
from annotation.tasks.rules.reading import TaskRefused
from annotation.tasks.rules.reading import read as read_task
from annotation.tasks.rules.task import Task
from annotation.text.formulas import GUARDED_COLUMN, guard
from annotation.text.normalise import label_form, match_label, meant_text
from tests.data import DATA
from validation.imports.rules import FileRefused, PairRow, Problem, Reader, Record, Source, open_source
from validation.imports.rules.columns import split_pair
from validation.imports.rules.csv_rows import SEPARATORS
from validation.imports.rules.json_values import read_object
from validation.imports.rules.pairs import PAIRS
from validation.imports.rules.repeated import RepeatedRows
from validation.imports.rules.sources import SourceReader
from validation.imports.rules.tasks import TaskReader, TaskRow, columns_of
from validation.imports.rules.values import read_values

CASES = DATA / "cases"
needs_cases = pytest.mark.skipif(
    not CASES.is_dir(), reason="needs the small inputs in ../shared/data/cases (not shipped)"
)
TASK = """
version: 1
name: Setuju
language: id
source: [{key: text, name: Teks}]
questions:
  - key: v
    type: single
    text: Pilih
    labels: [%s]
"""
AGREEMENT = "{key: ss, name: Sangat setuju}, {key: ts, name: Tidak setuju}, {key: n, name: Netral}"
POLARITY = "{key: pos, name: Positif}, {key: neg, name: Negatif}"


def task(labels: str = POLARITY) -> Task:
    return read_task(TASK % labels)


def source(tmp_path: Path, content: str | bytes, name: str = "x.csv", separator: str = "") -> Source:
    path = tmp_path / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_source(path, name, separator=separator)


def items(opened: Source, about: Task | None = None) -> list[TaskRow | Problem]:
    about = about or task()
    reader = TaskReader(columns_of(about).guess(opened.columns), about, aliases_of(about.main))
    found = [reader.read(record) for record in opened.records()]
    assert all(isinstance(row, TaskRow | Problem) for row in found)
    return found  # type: ignore[return-value]


def texts(opened: Source) -> list[str]:
    return [row.content["text"] if isinstance(row, TaskRow) else row.reason for row in items(opened)]


def labels(row: TaskRow | Problem) -> list[str] | str:
    return [vote.label for vote in row.votes] if isinstance(row, TaskRow) else row.reason


def notes(opened: Source) -> list[str]:
    return [note.reason for note in opened.notes()]


def case(name: str) -> Source:
    return open_source(CASES / name, name)


# --- the files that failed ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "listed"),
    [
        ("a.jsonl", '{"id": 1}\n{"id": 2}\n{"id": 1}\n\n{"id": 1}\n', "3 (1), 5 (1)"),
        ("a.json", '[{"id": 1}, {"id": 2}, {"id": 2}]', "3 (2)"),
        ("a.csv", "id,text\r\n1,Ada.\r\n2,Ada.\r\n1,Ada.\r\n", "4 (2)"),
        ("a.txt", "Ada ikan.\nAda udang.\nAda ikan.", "3 (1)"),
    ],
)
def test_rows_that_repeat_an_earlier_one_are_listed(tmp_path: Path, name: str, content: str, listed: str) -> None:
    (tmp_path / name).write_text(content, newline="")
    opened = open_source(tmp_path / name, name)
    rows = list(opened.records())
    count = listed.count("(")
    assert notes(opened) == [f"Rows that repeat an earlier row exactly: {count}. Row (first): {listed}."]
    assert len(list(opened.records())) == len(rows)
    assert len(notes(opened)) == 1, "counted anew with each reading"


def test_many_repeated_rows_are_counted_and_the_first_listed() -> None:
    rows = RepeatedRows(1000)
    for n in range(1, 1001):
        rows.digests[n] = n % 500 + 1
    [note] = rows.notes()
    assert note.params["count"] == 500
    assert str(note.params["rows"]).startswith("501 (1), 502 (2)")
    assert str(note.params["rows"]).endswith("550 (50), …")


@needs_cases
def test_cases_of_sheets() -> None:
    assert texts(case("apostrophe.csv")) == ["'-kan' adalah akhiran yang produktif."]
    assert texts(case("sep.csv")) == ["Pasar pagi ramai sekali.", "Ibu membeli ikan."]
    trailing = case("trail.csv")
    assert (trailing.columns, texts(trailing)) == (["id", "text"], ["Pasar pagi ramai.", "Ibu membeli ikan."])
    assert notes(trailing) == [
        "Empty rows ignored: 2 (row 4, 5).",
        "Empty columns without a name ignored: 2.",
    ]
    blank = case("blankrows.csv")
    assert (texts(blank), notes(blank)) == (["Pasar pagi ramai."], ["Empty rows ignored: 2 (row 3, 4)."])


@needs_cases
def test_cases_of_values() -> None:
    assert texts(case("numbers.jsonl")) == ["12345678901234567890123"]
    assert [labels(row) for row in items(case("py.csv"))] == [["pos", "neg", "pos"]]
    assert [labels(row) for row in items(case("votes_space.csv"), task(AGREEMENT))] == [["ss", "ts", "n"]]
    found = [labels(row) for row in items(case("letters.jsonl"), task(AGREEMENT))]
    assert found[2] == ["ss", "ss", "n"]
    assert found[4] == ["ss", "ss", "ts"]
    assert found[0] == "“e” is not one of the labels. Use one of these, or its name: ss, ts, n."
    assert found[1] == "“P” is not one of the labels. Use one of these, or its name: ss, ts, n."
    assert found[3] == "“1” is not one of the labels. Use one of these, or its name: ss, ts, n."


@needs_cases
def test_case_of_a_key_twice() -> None:
    with pytest.raises(TaskRefused) as refused:
        read_task((CASES / "dupkey.yaml").read_text())
    assert refused.value.problems == ["Line 3: the key “name” stands in line 2 already; keep one of them."]


# --- sheets ---------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.text("'=-+@; \"a\t", min_size=1, max_size=8).filter(str.strip))
def test_only_a_file_that_says_so_is_unguarded(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("sheet")
    quoted, guarded = ('"' + cell.replace('"', '""') + '"' for cell in (text, guard(text)))
    assert texts(source(folder, f"text\n{quoted}\n")) == [text]
    ours = source(folder, f"text,{GUARDED_COLUMN}\n{guarded},\n")
    assert (ours.columns, texts(ours), notes(ours)) == (["text"], [text], [])


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("sep=;\nid;text\na;b,c\n", ["id", "text"]),
        ('"sep=;"\r\nid;text\r\na;b,c\r\n', ["id", "text"]),
        ("SEP=\t\nid\ttext\na\tb,c\n", ["id", "text"]),
        ("sep=^\nid^text\na^b,c\n", ["id", "text"]),
        ("\ufeffsep=,\nid,text\na,\"b,c\"\n", ["id", "text"]),
        ('"id";"text"\na;b,c\n', ["id", "text"]),
        ('id;"text";"what, why, when, where"\na;b,c;\n', ["id", "text", "what, why, when, where"]),
        ('id|text|"a ""quoted"", name"\na|b,c|\n', ["id", "text", 'a "quoted", name']),
        (",,\nid,text,\na,\"b,c\",\n", ["id", "text"]),
    ],
)  # fmt: skip
def test_the_separator_is_found(tmp_path: Path, content: str, columns: list[str]) -> None:
    opened = source(tmp_path, content)
    assert (opened.columns, texts(opened)) == (columns, ["b,c"])


def test_a_separator_that_is_said(tmp_path: Path) -> None:
    content = 'text;"a";b\nx, y, z;1;2\n'
    assert source(tmp_path, content, separator="comma").columns == ['text;"a";b']
    assert source(tmp_path, "a,b,c;text\nx;y\n", separator="semicolon").columns == ["a,b,c", "text"]
    lines = source(tmp_path, "satu; dua\n\ntiga, empat\n", "x.csv", "line")
    assert texts(lines) == ["satu; dua", "tiga, empat"]
    for wrong, name, code in (
        ("colon", "x.csv", "separator_unknown"),
        ("comma", "x.jsonl", "separator_unlike"),
        ("tab", "x.json", "separator_unlike"),
    ):
        with pytest.raises(FileRefused) as refused:
            source(tmp_path, '{"text": "a"}\n', name, wrong)
        assert refused.value.code == code
    assert set(SEPARATORS) == {"comma", "semicolon", "tab", "bar", "line"}


def test_what_is_ignored_is_said(tmp_path: Path) -> None:
    opened = source(tmp_path, ",id,text,,\n0,a,satu,,\n , ,,,\n1,b,dua,,x\n2,c,tiga,,,,,\n3,d,empat\n")
    assert (opened.columns, texts(opened)) == (["id", "text"], ["satu", "dua", "tiga", "empat"])
    assert notes(opened) == [
        "Empty rows ignored: 1 (row 3).",
        "Empty columns without a name ignored: 1.",
        "A column without a name is not imported (column 1, 5): 4 rows have a value there, the first is row 2. Give "
        "the column a name to import it.",
    ]
    # Each reading counts anew.
    assert (texts(opened), len(notes(opened))) == (["satu", "dua", "tiga", "empat"], 3)
    many = source(tmp_path, "id,text\n" + ",\n" * 9 + "a,b\n")
    assert (texts(many), notes(many)) == (["b"], ["Empty rows ignored: 9 (row 2, 3, 4, 5, 6, …)."])


def test_a_cell_too_many_that_holds_something_is_refused(tmp_path: Path) -> None:
    assert texts(source(tmp_path, "id,text\na,b,c\na\n")) == [
        "The row has 3 cells and the header 2.",
        "The row has 1 cells and the header 2.",
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("Pasar, sekali.\r\n\n  Ibu; membeli ikan.\n", ["Pasar, sekali.", "  Ibu; membeli ikan."]),
        ('"Ya," katanya.\nBaris "dua\n', ['"Ya," katanya.', 'Baris "dua']),
        ("[Andi] Halo.\nYa.", ["[Andi] Halo.", "Ya."]),
        ("text\nSatu.\n", ["Satu."]),
        ("id;text\n1;Satu.\n", ["Satu."]),
        ("ID\tText\n1\tSatu.\n", ["Satu."]),
        ("sep=|\nID|text\n1|Satu.\n", ["Satu."]),
        ('{"text": "Satu."}\n', ["Satu."]),
        ('[{"text": "Satu."}]', ["Satu."]),
    ],
)  # fmt: skip
def test_a_text_file_holds_a_text_a_line(tmp_path: Path, content: str, found: list[str]) -> None:
    opened = source(tmp_path, content, "x.txt")
    assert texts(opened) == found
    assert [record.n for record in opened.records()]


def test_a_line_that_is_no_text(tmp_path: Path) -> None:
    opened = source(tmp_path, b"Satu.\n\xff\nTiga.\n", "x.txt.gz")
    assert [(record.n, record.problem and record.problem.code) for record in opened.records()] == [
        (1, None),
        (2, "not_utf8"),
        (3, None),
    ]


# --- numbers and lists ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "number",
    [
        "12345678901234567890123", "-99999999999999999999", "1.10", "0.50", "3.14159265358979323846", "1e3", "1E-7",
        "18446744073709551615", "7", "0.5", "3.0", "-2.25", "0.30000000000000004",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ['{"id":"a","text":%s}', '{"text": %s , "id":"a"}', '[{"id":"a","text":%s}]'])
def test_a_number_keeps_its_digits(tmp_path: Path, form: str, number: str) -> None:
    assert texts(source(tmp_path, form % number, "x.json")) == [number]


def test_a_number_beside_a_row_is_stored_with_its_digits() -> None:
    line = b'{"id": "a", "text": "Satu.", "n": 12345678901234567890123, "x": [1.10, 3.14159265358979323846, 5]}'
    data = read_object(line)
    row = SourceReader("sentence", {"id": "id", "text": "text"}).read(Record(1, data, None))  # type: ignore[arg-type]
    assert not isinstance(row, Problem)
    assert row.data == {"n": "12345678901234567890123", "x": [1.1, "3.14159265358979323846", 5]}
    assert {type(each) for each in row.data["x"]} == {float, str, int}


def test_a_number_of_too_many_digits_is_refused() -> None:
    found = read_object(b'{"text": ' + b"9" * 5000 + b"}")
    assert isinstance(found, Problem)
    assert found.code == "not_json"


# --- labels -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("Sangat setuju,Tidak setuju,Netral", ["ss", "ts", "n"]),
        ("sangat setuju | netral", ["ss", "n"]),
        ("Sangat setuju", ["ss"]),
        ("Sangat setuju tidak  setuju NETRAL ss", ["ss", "ts", "n", "ss"]),
        ("ss n, Tidak setuju", ["ss", "n", "ts"]),
        ("['Sangat setuju' 'Netral']", ["ss", "n"]),
        ("Agak setuju,Netral", "“Agak setuju” is not one of the labels. Use one of these, or its name: ss, ts, n."),
    ],
)
def test_labels_with_blanks(tmp_path: Path, cell: str, found: list[str] | str) -> None:
    (row,) = items(source(tmp_path, f'text;votes\nSatu.;"{cell}"\n'), task(AGREEMENT))
    assert labels(row) == found


@pytest.mark.parametrize("votes", ['[1, 2.0, "3.0"]', '"1.0 2 3."', '"[1. 2. 3.]"', "\"[1.0, '2', 3]\""])
def test_whole_numbers_as_pandas_writes_them(votes: str) -> None:
    about = task("{key: '1', name: satu}, {key: '2', name: dua}, {key: '3', name: tiga}")
    reader = TaskReader({"text": "text", "votes": "votes", "id": "id"}, about, aliases_of(about.main))
    record = read_object(f'{{"id": 7.0, "text": "Satu.", "votes": {votes}}}'.encode())
    row = reader.read(Record(1, record, None))  # type: ignore[arg-type]
    assert isinstance(row, TaskRow), row
    assert (row.key, labels(row)) == ("7", ["1", "2", "3"])


def test_keys_that_differ_in_case_alone_are_matched_exactly() -> None:
    known = aliases_of(task("{key: a, name: X}, {key: per, name: Y}, {key: PER, name: Z}").main)
    assert [match_label(text, known) for text in ("A", " x", "per", "PER", "z", "Per")] == [
        "a",
        "a",
        "per",
        "PER",
        "PER",
        None,
    ]
    assert match_label("d", known) is None
    assert label_form(" Sangat  SETUJU") == "sangat setuju"


def test_pairs_have_labels_with_blanks_and_numbers_too() -> None:
    by_form = {"entailment": "e", "not sure": "n", "2": "c"}
    reader = Reader({"premise": "p", "hypothesis": "h", "votes": "v"}, "id", lambda text: match_label(text, by_form))
    for votes, found in (
        ("entailment, Not sure, 2.0", ["e", "n", "c"]),
        ("not sure not sure", ["n", "n"]),
        ("['entailment' 'x y']", ["e", "x y"]),
        ("x y", ["x", "y"]),
        ([2.0, "2"], ["c", "c"]),
    ):
        row = reader.read(Record(1, {"p": "Ada.", "h": "Tidak.", "v": votes}, None))
        assert isinstance(row, PairRow)
        assert [label for _, label in row.votes] == found


# --- names of columns, YAML, encodings --------------------------------------------------------------


def test_columns_whose_names_hold_signs() -> None:
    columns = ["a=b", "c:d", "c", "text", "e:f=g"]
    guess = PAIRS.guess(columns)
    assert PAIRS.read_map(["a=b=hypothesis", "text="], columns, guess) == {"hypothesis": "a=b"}
    assert split_pair("e:f=g=x=y", columns) == ("e:f=g", True, "x=y")
    assert read_values(["c:d:W5:x=y", "c::1:2=", "e:f=g::a=b", '["c", "", "x=1", "y=2:3"]'], columns) == [
        ("c", "", "1:2", ""),
        ("c", "", "x=1", "y=2:3"),
        ("c:d", "W5", "x", "y"),
        ("e:f=g", "", "a", "b"),
    ]
    for wrong in ("c:x=y", "c", '["c", "x"]', "[1", "z::a=b"):
        with pytest.raises(FileRefused):
            read_values([wrong], columns)


def test_every_key_that_stands_twice_in_yaml_is_named() -> None:
    text = "version: 1\nname: D\nname: E\nsource:\n  - key: text\n    name: T\n    key: more\nname: F\n"
    with pytest.raises(TaskRefused) as refused:
        read_task(text)
    assert refused.value.problems == [
        "Line 3: the key “name” stands in line 2 already; keep one of them.",
        "Line 8: the key “name” stands in line 2 already; keep one of them.",
        "Line 7: the key “key” stands in line 5 already; keep one of them.",
    ]
    with pytest.raises(TaskRefused, match="Line 1: the key “version”"):
        read_task('{"version": 1, "version": 1}')


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("kafÃ© di pasar", "kafé di pasar"),
        ("â€œHaloâ€\u009d", "“Halo”"),
        ("Ibu â€“ ayah", "Ibu – ayah"),
        ("naïve café é” São Tomé", ""),
        ("Ibu – ayah “membeli” ikan… 50 €", ""),
        ("ꦲꦏ꧀ꦱꦫ مرحبا Привет", ""),
        ("a=b", ""),
    ],
)
def test_texts_in_a_wrong_encoding_are_found_and_never_altered(tmp_path: Path, text: str, meant: str) -> None:
    assert meant_text(text) == meant
    opened = source(tmp_path, f"id,text\na,Satu.\nb,{text}\n")
    assert texts(opened) == ["Satu.", text]
    found = notes(opened)
    assert len(found) == bool(meant)
    if meant:
        assert found[0].startswith("Rows with text that looks wrongly decoded: 1. The first is row 3, text: ")
        assert f"“{meant}”" in found[0]
