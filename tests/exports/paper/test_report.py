"""A report: what it holds, that each number is what its function computes, who gets it, and hostile words in it."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.kinds import Label
from annotation.ui.tables import FIGURE, NUMBER, PERCENT, TEXT, WORD, Column
from exports.paper.cards import card_latex
from exports.paper.drawings import figure_of
from exports.paper.sheets import sheet_of
from exports.paper.sources import SourceTable, Words
from exports.paper.typeset import breakable, typeset
from exports.releases.models import Release
from exports.releases.rules.manifest import Tally
from exports.statistics.facts import facts_of
from tests import factory
from tests.exports.releases.test_pages import client
from tests.exports.statistics.computed import computed
from tests.exports.world import Staged, build, freeze, staged
from tests.shared_worlds import SharedWorlds
from validation.insights.actions import insights_ask
from validation.insights.models import Insight
from validation.insights.reports.base import Chart
from validation.insights.reports.reading import Reading, project_state

HOSTILE = r"100 % & a_b #1 {x} ~ ^ \input{/etc/passwd} $x$ é “kutip” 😀 ꦗꦮ"


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged)


def insights_of(project: Project) -> None:
    job = jobs.run_here(insights_ask(project=project, by=None, here=True))
    assert not job.error


@pytest.fixture
def ready(made: Staged) -> Staged:
    computed(build(freeze(made, dev_percent="0")))
    insights_of(made.project)
    return made


def files_of(answer: Any) -> dict[str, str]:
    assert answer.status_code == 200, answer.status_code
    with ZipFile(io.BytesIO(answer.content)) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def archive_of(who: Any, slug: str, query: str = "") -> Any:
    return client(who).get(reverse("report_archive", args=[slug]) + query)


def numbers_of(files: Mapping[str, str]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files["numbers.csv"].removeprefix("\ufeff"))))


def named(path: str) -> Callable[..., Any]:
    """The function of that module and name."""
    module, name = path.rsplit(".", 1)
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def value_at(rows: Any, row: str, column: str) -> Any:
    """What stands in a row of computed values; the ends of an interval are two columns of a file."""
    kept = rows[int(row)]
    if column in kept:
        return kept[column]
    key, _, end = column.rpartition("_")
    return kept[key][("low", "high").index(end)]


# --- each number --------------------------------------------------------------------------


@pytest.mark.django_db
def test_each_number_is_what_its_function_computes(ready: Staged) -> None:
    """Every figure is computed anew by the function that its line names, and printed where the line says."""
    project = ready.project
    files = files_of(archive_of(ready.at.lead.user, project.slug))
    release = Release.objects.get(project=project)
    facts, _people = facts_of(release, lambda: None)
    again: dict[str, Any] = {}
    seen: defaultdict[str, int] = defaultdict(int)
    for number in numbers_of(files):
        function = number["function"]
        seen[number["source"].split("/")[2]] += 1
        assert Path(number["file"]).is_file(), number
        if number["table"] == "methods":
            continue
        if function not in again:
            about = facts if function.startswith("exports.") else Reading(project, lambda: None, "default")
            again[function] = named(function)(about)
        table = number["source"].rsplit("/", 1)[1].removesuffix(".csv")
        rows = again[function].rows if function.startswith("exports.") else again[function][table]
        value = value_at(rows, number["source_row"], number["source_column"])
        assert float(number["value"]) == pytest.approx(float(value), rel=1e-9), number
        folder, name = "tables", number["table"]
        if name.startswith("figure:"):
            folder, name = "figures", name.removeprefix("figure:")
        printed = f"{folder}/{name}.tex"
        assert number["printed"] in files[printed], number
    assert seen["insights"] > 100
    assert seen["releases"] > 20


@pytest.mark.django_db
def test_the_numbers_of_the_paragraph_are_those_of_project_and_manifest(ready: Staged) -> None:
    files = files_of(archive_of(ready.at.lead.user, ready.project.slug))
    told = {line["column"]: line for line in numbers_of(files) if line["table"] == "methods"}
    _state, items, votes = project_state(ready.project)
    people = Release.objects.get(project=ready.project).counts["people"]
    expected = {"items": items, "votes": votes, "authors": people["authors"], "voters": people["voters"]}
    assert {name: int(line["value"]) for name, line in told.items()} == expected
    assert told["voters"]["function"] == f"{Tally.__module__}.{Tally.counts.__qualname__}"
    for line in told.values():
        assert line["printed"] in files["methods.tex"]
    assert "Stopping rule (protocol 1): author + 2, +1, +1; three equal." in files["methods.tex"]
    (first, *_rows) = Insight.objects.get(project=ready.project, slug="agreement").tables["overall"]["rows"]
    assert first["over"].removesuffix(": cite these") in files["methods.tex"]
    assert "cite these" not in files["methods.tex"]
    assert "biased" not in files["methods.tex"]
    address = "/" + told["voters"]["source"]
    manifest = client(ready.at.lead.user).get(address)
    assert b'"counts"' in b"".join(manifest)
    manifest.close()


@pytest.mark.django_db
def test_rows_of_people_and_of_nothing_are_not_printed(ready: Staged) -> None:
    files = files_of(archive_of(ready.at.lead.user, ready.project.slug))
    assert (
        not {"tables/agreement-people.tex", "tables/agreement-pairs.tex", "tables/annotators-people.tex"} & files.keys()
    )
    for place in (*ready.at.validators, ready.at.writer):
        assert not [name for name, text in files.items() if re.search(rf"\b{place.pseudonym}\b", text)], place
    for name, text in files.items():
        if name.startswith("tables/"):
            assert "\\midrule\n\\bottomrule" not in text, name
    stored = Insight.objects.get(project=ready.project, slug="agreement").tables["sizes"]["rows"]
    assert [row for row in stored if row["items"]] == stored or "tables/agreement-sizes.tex" in files


# --- several projects ---------------------------------------------------------------------


@pytest.mark.django_db
def test_two_projects_have_a_column_each(ready: Staged) -> None:
    other = Project.objects.create(
        slug="pakar", name="Pakar & ahli_1", kind="nli", preset=ready.project.preset, seed="s2", language="id"
    )
    factory.member(other, "lead", account=ready.at.lead.user)
    Insight.objects.create(
        project=other,
        slug="agreement",
        tables={
            "individual": {"rows": [{"measure": "No gold label", "part": 7, "whole": 70, "percent": 10.0}], "of": 1}
        },
        state="x",
        items=70,
        votes=280,
    )
    files = files_of(archive_of(ready.at.lead.user, ready.project.slug, "?with=pakar"))
    told = [
        line
        for line in numbers_of(files)
        if line["row"].startswith("No gold label") and line["table"].startswith("agreement")
    ]
    assert {line["project"] for line in told} == {ready.project.slug, "pakar"}
    assert {line["column"] for line in told} == {ready.project.name, "Pakar & ahli_1"}
    assert "Pakar \\& ahli\\_1" in files["tables/agreement-individual.tex"]
    assert "Pakar \\& ahli\\_1" in files["paper.tex"]
    # Of the project that is alone in a table its caption says so.
    assert f"\\caption{{{ready.project.name}. Rows by split" in files["tables/release-sizes.tex"]


@pytest.mark.django_db
def test_only_who_sees_insights_of_each_gets_them_side_by_side(ready: Staged) -> None:
    other = Project.objects.create(slug="jauh", name="Jauh", kind="nli", preset=ready.project.preset, seed="s2")
    lead = ready.at.lead.user
    page = client(lead).get(reverse("report", args=[ready.project.slug])).content.decode()
    assert "Download the report" in page
    assert "Jauh" not in page
    assert archive_of(lead, ready.project.slug, "?with=jauh").status_code == 404
    factory.member(other, "validator", account=lead)
    assert archive_of(lead, ready.project.slug, "?with=jauh").status_code == 403
    api = client(lead).get(reverse("api_report", args=[ready.project.slug]) + "?beside=jauh")
    assert api.status_code == 403
    again = client(lead).get(reverse("api_report", args=[ready.project.slug]))
    assert again.content == archive_of(lead, ready.project.slug).content


@pytest.mark.django_db
def test_without_figures_there_is_no_report(made: Staged, tmp_path: Path) -> None:
    lead = made.at.lead.user
    assert "Nothing was computed yet" in client(lead).get(reverse("report", args=[made.project.slug])).content.decode()
    assert archive_of(lead, made.project.slug).status_code == 409
    with pytest.raises(CommandError, match="no project kosong"):
        call_command("paper", "kosong", "--out", str(tmp_path))


@pytest.mark.django_db
def test_the_command_computes_what_is_not_there_and_writes_the_same(made: Staged, tmp_path: Path) -> None:
    build(freeze(made, dev_percent="0"))
    call_command("paper", made.project.slug, "--out", str(tmp_path / "p"), "--no-pdf")
    for name in ("cards/older.tex", "tables/older.tex", "paper.pdf"):
        (tmp_path / "p" / name).write_text("older")
    call_command("paper", made.project.slug, "--out", str(tmp_path / "p"), "--no-pdf")
    written = {
        path.relative_to(tmp_path / "p").as_posix(): path.read_bytes().decode()
        for path in (tmp_path / "p").rglob("*.*")
    }
    packed = files_of(archive_of(made.at.lead.user, made.project.slug))
    assert written.keys() == packed.keys()
    assert [name for name, text in written.items() if text != packed[name]] == []
    assert {"paper.tex", "methods.tex", "numbers.csv", "references.bib"} < written.keys()
    for name in re.findall(r"\\input\{([^}]*)\}", written["paper.tex"]):
        assert f"{name}.tex" in written


def test_hyphens_of_code_stay_two() -> None:
    drawn = card_latex("`a --out x`\n\n```\nb --all\n```\n")
    assert "a -{}-out x" in drawn
    assert "b -{}-all" in drawn


# --- how it is set ------------------------------------------------------------------------


class PlainWords(Words):
    """Words as they are, of no project."""

    def __init__(self) -> None:
        pass

    def __call__(self, column: Column, value: Any) -> str:
        return "" if value is None else str(value)


def a_table(project: str, rows: list[dict[str, Any]], key: str = "k", **more: Any) -> SourceTable:
    columns = [Column("split", "Split", TEXT), Column("target", "Target", WORD), Column("n", "Items", NUMBER)]
    columns += [Column("share", "Share", PERCENT), Column("low", "From", FIGURE), Column("high", "To", FIGURE)]
    kept = [each for each in columns if any(each.key in row for row in rows)]
    return SourceTable(
        project, project.upper(), key, "A title", "A note.", kept, rows, f"p/{project}/x.csv", "a.b.c", PlainWords(),
        of=len(rows), **more,
    )  # fmt: skip


def test_groups_are_columns_under_their_project() -> None:
    tables = [
        a_table("lay", [{"split": "test", "target": "jv", "n": 3}, {"split": "test", "target": "su", "n": 1234}]),
        a_table("expert", [{"split": "test", "target": "jv", "n": 5}]),
    ]
    (sheet,) = sheet_of(tables)
    drawn = typeset(sheet)
    assert " & \\multicolumn{2}{c}{LAY} & \\multicolumn{1}{c}{EXPERT} \\\\\n" in drawn
    assert "\nSplit & jv & su & jv \\\\\n\\midrule\ntest & 3 & 1,234 & 5 \\\\\n\\bottomrule" in drawn
    assert "\\caption{A title. Shown: Items. A note.}" in drawn
    assert [(each.row, each.column, each.value, each.source_row) for each in sheet.numbers] == [
        ("test", "LAY, jv", 3, 0),
        ("test", "LAY, su", 1234, 1),
        ("test", "EXPERT, jv", 5, 0),
    ]


def test_two_ends_are_one_interval_and_two_numbers_and_what_is_not_known_is_no_zero() -> None:
    rows: list[dict[str, Any]] = [
        {"split": "a", "n": 1, "low": 0.125, "high": 0.5},
        {"split": "b", "n": 2},
        {"split": "c", "n": 0},
    ]
    (sheet,) = sheet_of([a_table("lay", rows)])
    assert [[cell.latex for cell in line] for line in sheet.lines] == [["a", "1", "[0.125, 0.500]"], ["b", "2", "--"]]
    assert [(each.printed, each.source_column) for each in sheet.numbers] == [
        ("1", "n"),
        ("0.125", "low"),
        ("0.500", "high"),
        ("2", "n"),
    ]


def test_two_labels_stand_across_each_other() -> None:
    rows = [{"split": a, "other": b, "n": n} for a, b, n in (("e", "e", 5), ("e", "", 2), ("c", "e", 0))]
    columns = [Column("split", "Writer", TEXT), Column("other", "Gold", TEXT), Column("n", "Items", NUMBER)]
    chart = Chart("heat", "split", ("other", "n"))
    table = replace(a_table("lay", rows, chart=chart), columns=columns)
    (sheet,) = sheet_of([table], named=True)
    assert [(head.text, head.over) for head in sheet.heads] == [("Writer", ""), ("e", "Gold"), ("--", "Gold")]
    assert [[cell.latex for cell in line] for line in sheet.lines] == [["e", "5", "2"], ["c", "0", "--"]]
    assert [(each.row, each.column, each.source_row) for each in sheet.numbers] == [
        ("e", "e", 0),
        ("e", "", 1),
        ("c", "e", 2),
    ]
    assert sheet.caption == "LAY. A title. Shown: Items. A note."


def test_a_column_of_words_without_any_is_left_out() -> None:
    rows = [{"split": "a", "n": 1, "target": None}, {"split": "b", "n": 2}]
    (sheet,) = sheet_of([replace(a_table("lay", rows), key="agreement-targets")])
    assert [head.text for head in sheet.heads] == ["Split", "Items"]
    # Where another project says something in it, each row has a place for it.
    other = replace(a_table("expert", [{"split": "c", "n": 1, "target": "jv"}]), key="agreement-targets")
    (sheet,) = sheet_of([replace(a_table("lay", rows), key="agreement-targets"), other])
    assert {len(line) for line in sheet.lines} == {len(sheet.heads)} == {4}


def test_what_nobody_counted_is_left_out() -> None:
    rows = [{"split": "a", "n": 0, "share": None}, {"split": "b", "n": 0, "share": None}]
    assert sheet_of([a_table("lay", rows)]) == []


def test_many_languages_go_on_in_further_tables() -> None:
    rows = [{"split": "test", "target": f"l{n:02}", "n": n} for n in range(1, 21)]
    sheets = sheet_of([a_table("lorax", rows)])
    assert [sheet.key for sheet in sheets] == ["k-1", "k-2", "k-3", "k-4"]
    assert [number.value for sheet in sheets for number in sheet.numbers] == list(range(1, 21))


def test_rows_that_do_not_meet_stand_under_one_another() -> None:
    tables = [a_table(name, [{"split": f"{name}-{n}", "n": n} for n in range(1, 4)]) for name in ("x", "y")]
    (sheet,) = sheet_of(tables)
    assert [line[0].latex for line in sheet.lines] == ["X"] * 3 + ["Y"] * 3


def test_a_long_table_goes_on_and_nothing_is_lost() -> None:
    (sheet,) = sheet_of([a_table("x", [{"split": f"s{n}", "n": n} for n in range(60)])])
    drawn = typeset(sheet)
    assert drawn.count("\\begin{table}") == drawn.count("continued.") + 1 == 2
    assert [f"s{n} & {n} \\\\" in drawn for n in range(60)] == [True] * 60


def test_a_figure_is_drawn_from_the_same_rows() -> None:
    chart = Chart("bar", "split", ("share",))
    rows: list[dict[str, Any]] = [
        {"split": HOSTILE, "share": 50.0},
        {"split": "b", "share": 12.25},
        {"split": "c", "share": None},
    ]
    drawn = figure_of([a_table("x", rows, chart=chart)])
    assert drawn is not None
    assert [number.printed for number in drawn.numbers] == ["50.0", "12.3"]
    assert "\\input" not in drawn.latex
    assert drawn.latex.count("\\fill") == 2
    assert figure_of([a_table("x", rows[:1], chart=chart)]) is None
    assert figure_of([a_table("x", [{"split": "a", "share": 0}, {"split": "b", "share": 0}], chart=chart)]) is None


def test_nothing_in_a_card_is_a_command() -> None:
    card = f"---\na: 1\n---\n# Kartu {HOSTILE}\n\n- `{HOSTILE}`\n\n| a | b |\n|---|---|\n| {HOSTILE} | 1 |\n\n"
    card += "    \\end{quote}\\input{x}\n\n> kutipan\n\n[kata](https://a.example/%7E_b)\n\n```\n\\end{verbatim}\n```\n"
    drawn = card_latex(card)
    assert "\\input" not in drawn
    assert "\\end{verbatim}" not in drawn
    assert "\\begin{quote}" in drawn
    assert "[U+1F600]" in drawn
    assert "kata (\\texttt{https://a.example/\\%7E\\_b})" in drawn.replace("\\allowbreak{}", "")


def test_long_words_break_and_keep_their_letters() -> None:
    for text in ("a" * 64, "folder/with\\_underscores/and\\_more.jsonl", "short words only"):
        assert breakable(text).replace("\\allowbreak{}", "") == text
    assert "\\allowbreak{}" in breakable("a" * 64)


@pytest.mark.django_db
def test_labels_are_called_by_their_names(made: Staged) -> None:
    words = Words(made.project)
    label: Label = made.project.kind_spec.question.labels[0]
    assert words(Column("label", "Label", "label"), label.key) == label.name
