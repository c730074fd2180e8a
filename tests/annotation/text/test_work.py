"""What the longest accepted texts and the widest accepted files cost, in calls: a few for each line, word or column."""

from pathlib import Path

import pytest

from annotation.text.differences import MOST_PARTS, piece_parts, text_parts
from tests.call_counts import count_calls
from validation.imports.rules import FileRefused, open_source
from validation.imports.rules.problems import MOST_COLUMNS
from validation.imports.rules.records import LONGEST_LINE

LONGEST_GUIDELINE = 100_000  # annotation/core/forms.py; rules know no forms
LINES = 6000
EVERY_SECOND = (
    [f"baris {n} aa\n" for n in range(LINES)],
    [f"baris {n} {'ab'[n % 2] * 2}\n" for n in range(LINES)],
)
VERSIONS = {
    "every second line is new": tuple(map("".join, EVERY_SECOND)),
    "lines are swapped": ("".join(EVERY_SECOND[0]), "".join(reversed(EVERY_SECOND[0]))),
    "empty lines": ("\n" * LINES, "x\n" + "\n" * (LINES - 10) + "y\n"),
    "nothing but line ends": ("\n" * LONGEST_GUIDELINE, "a" + "\n" * 99_000 + "b"),
    "one word again and again": ("la " * 33_000, "di la la " * 11_000),
    "marks": ("a." * 50_000, "b." * 50_000),
    "short lines of which a few are new": ("a\nb\n" * 25_000, "c\na\nb\nb\n" * 12_500),
}


@pytest.mark.parametrize("shape", VERSIONS)
def test_two_long_versions_are_compared_in_few_steps(shape: str) -> None:
    old, new = VERSIONS[shape]
    parts = text_parts(old, new)
    assert count_calls(lambda: text_parts(old, new)) < 3 * LONGEST_GUIDELINE
    assert len(parts) <= 3 * MOST_PARTS
    assert "".join(text for op, text in parts if op != "insert") == old
    assert "".join(text for op, text in parts if op != "delete") == new


def test_a_long_text_of_which_few_lines_changed_is_marked_in_words() -> None:
    old, new = list(EVERY_SECOND[0]), list(EVERY_SECOND[0])
    for n in range(0, LINES, 60):
        new[n] = new[n].replace("aa", "zz")
    marked = [part for part in text_parts("".join(old), "".join(new)) if part[0] != "equal"]
    assert marked == [("delete", "aa"), ("insert", "zz")] * (LINES // 60)


def test_two_revisions_of_a_text_are_compared_in_few_steps() -> None:
    old = [f" kata{n}" for n in range(10_000)]
    new = [word if n % 2 else f" lain{n}" for n, word in enumerate(old)]
    assert count_calls(lambda: piece_parts(old, new)) < 60_000


def looked_through(path: Path) -> int:
    """How many rows a file has that can be read."""
    try:
        return sum(record.data is not None for record in open_source(path, path.name).records())
    except FileRefused:
        return 0


def names(count: int) -> list[str]:
    return [f"kolom-{n}" for n in range(count)]


def keys(count: int) -> str:
    return ",".join(f'"{name}":1' for name in names(count))


FILES = {
    "as many columns as can be read": ("a.csv", ",".join(names(MOST_COLUMNS)) + "\n", 0, 10_000),
    "a hundred thousand columns": ("b.csv", ",".join(names(60_000)) + "\n", 0, 200_000),
    "as many fields as can be read": ("c.jsonl", "{" + keys(MOST_COLUMNS) + "}\n", 1, 10_000),
    "fifty thousand fields": ("d.jsonl", '{"text":"x"}\n{' + keys(50_000) + "}\n", 1, 10_000),
    "fifty thousand keys in one field": ("e.jsonl", '{"text":{' + keys(50_000) + "}}\n", 1, 10_000),
    "the last of them twice": ("f.jsonl", '{"text":{' + keys(50_000) + ',"kolom-49999":2}}\n', 0, 400_000),
    "fifty thousand objects": ("g.jsonl", '{"text":[' + ",".join(['{"k":1}'] * 50_000) + "]}\n", 1, 700_000),
}


@pytest.mark.parametrize("shape", FILES)
def test_a_wide_file_is_looked_through_in_few_steps(shape: str, tmp_path: Path) -> None:
    name, content, rows, most = FILES[shape]
    path = tmp_path / name
    path.write_text(content)
    assert all(len(line) < LONGEST_LINE for line in content.splitlines())
    found = []
    assert count_calls(lambda: found.append(looked_through(path))) < most
    assert found == [rows]
