"""What the documents name exists, and what has to be documented is."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.core.management import get_commands

from tests.house.sources import ROOT, python_files, tree

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]+`", re.M | re.S)


def variables(path: Path) -> Iterator[str]:
    """Names read as `env("X")`, `env.str("X")`, `os.environ["X"]`, `os.environ.get("X")`, `os.getenv("X")`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and node.args:
            called, first = ast.unparse(node.func), node.args[0]
        elif isinstance(node, ast.Subscript):
            called, first = ast.unparse(node.value), node.slice
        else:
            continue
        reads = re.fullmatch(r"env(\.\w+)?|os\.environ(\.get|\.setdefault)?|os\.getenv", called)
        if reads and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value


def test_every_environment_variable_stands_in_the_table() -> None:
    files = python_files("config", "annotation", "validation", "exports")
    read = {name for path in files for name in variables(path)}
    assert len(read) > 15
    table = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "operating.md").read_text(), re.M))
    assert read - table == set()
    assert table - read - {"BIND"} == set()


def code(path: Path) -> str:
    """What a document shows as code, in blocks and in lines."""
    return "\n".join(CODE.findall(path.read_text()))


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = {
        (path.name, target)
        for path in DOCUMENTS
        for target in re.findall(r"\bmake ([a-z][a-z-]*)", code(path))
        if "install"
        not in code(path).partition(f"make {target}")[0].rpartition("\n")[2]  # apt install … make git
    }
    assert {pair for pair in named if pair[1] not in targets} == set()


def test_every_command_exists() -> None:
    known = set(get_commands())
    named = {
        (path.name, command)
        for path in DOCUMENTS
        for command in re.findall(r"(?:manage\.py|deploy/manage) ([a-z]\w*)", code(path))
    }
    assert {pair for pair in named if pair[1] not in known} == set()


def test_every_linked_file_exists() -> None:
    links = [
        (path, target)
        for path in DOCUMENTS
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text())
        if "://" not in target and not target.startswith("mailto:")
    ]
    assert [f"{path.name}: {target}" for path, target in links if not (path.parent / target).exists()] == []
