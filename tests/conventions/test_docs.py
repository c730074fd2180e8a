"""What the documents name exists, and what has to be documented is."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class

from annotation import answers
from annotation.core.rules.settings import ProjectSettings
from annotation.presets import all_presets
from tests.conventions.sources import ROOT, python_files, syntax_tree
from tests.flows.pictures import PICTURES
from validation.consensus.protocol import PRESETS, Protocol

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FOLDERS = (
    "annotation",
    "validation",
    "exports",
    "config",
    "templates",
    "static",
    "tests",
    "bench",
    "deploy",
    "docs",
)
# What is there only where somebody runs it, or is a place to be filled.
NOT_IN_THE_REPOSITORY = re.compile(r"^deploy/tls|NAME|…|\*|<")
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]+`", re.M | re.S)


def variables(path: Path) -> Iterator[str]:
    """Names read as `env("X")` (config/variables.py), `os.environ["X"]`, `os.environ.get("X")`, `os.getenv("X")`."""
    for node in ast.walk(syntax_tree(path)):
        if isinstance(node, ast.Call) and node.args:
            called, first = node.func, node.args[0]
        elif isinstance(node, ast.Subscript):
            called, first = node.value, node.slice
        else:
            continue
        if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
            continue
        if re.fullmatch(r"env|os\.environ(\.get|\.setdefault)?|os\.getenv", ast.unparse(called)):
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
        if "install" not in code(path).partition(f"make {target}")[0].rpartition("\n")[2]  # apt install … make git
    }
    assert {pair for pair in named if pair[1] not in targets} == set()


def commands(path: Path) -> set[str]:
    """The management commands that a document shows."""
    return set(re.findall(r"(?:manage\.py|deploy/manage) ([a-z]\w*)", code(path)))


def test_every_command_exists() -> None:
    known = set(get_commands())
    assert {(path.name, name) for path in DOCUMENTS for name in commands(path) if name not in known} == set()


def test_every_command_of_ours_is_documented() -> None:
    ours = {name for name, app in get_commands().items() if app in ("annotation", "validation", "exports")}
    assert ours - commands(ROOT / "README.md") == set()


@pytest.mark.parametrize("name", sorted(set().union(*map(commands, DOCUMENTS))))
def test_every_documented_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = load_command_class(get_commands()[name], name)
    with pytest.raises(SystemExit) as ended:
        command.create_parser("manage.py", name).parse_args(["--help"])
    assert ended.value.code == 0
    assert len(command.help) > 20
    assert command.help in " ".join(capsys.readouterr().out.split())


def options(path: Path) -> set[tuple[str, str]]:
    """Command and long option, for each line that a document shows; a line that goes on is one line."""
    lines = code(path).replace("\\\n", " ").splitlines()
    calls = (re.search(r"(?:manage\.py|deploy/manage) ([a-z]\w*)([^#|&;]*)", line) for line in lines)
    return {(call[1], option) for call in calls if call for option in re.findall(r"(--[a-z][a-z-]*)", call[2])}


def test_every_option_exists() -> None:
    def known(name: str) -> set[str]:
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        return {option for action in parser._actions for option in action.option_strings}

    wrong = {(path.name, *pair) for path in DOCUMENTS for pair in options(path) if pair[1] not in known(pair[0])}
    assert wrong == set()


def test_every_linked_file_exists() -> None:
    links = [
        (path, target)
        for path in DOCUMENTS
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text())
        if "://" not in target and not target.startswith("mailto:")
    ]
    assert [f"{path.name}: {target}" for path, target in links if not (path.parent / target).exists()] == []


def files(path: Path) -> set[str]:
    """Files and folders of the repository that a document names as code."""
    words = {word.strip("`.,;:()") for word in re.findall(r"[\w./*<>…-]+", code(path))}
    named = {word for word in words if word.partition("/")[0] in FOLDERS and "/" in word}
    return {word for word in named if not NOT_IN_THE_REPOSITORY.search(word)}


def test_every_file_named_exists() -> None:
    assert len(set().union(*map(files, DOCUMENTS))) > 30
    missing = {(path.name, name) for path in DOCUMENTS for name in files(path) if not (ROOT / name).exists()}
    assert missing == set()


def test_every_setting_field_and_preset_is_explained() -> None:
    told = (ROOT / "docs" / "administrators.md").read_text()
    rows = set(re.findall(r"^ *\| `([\w-]+)` \|", told, re.M))
    declared = {**ProjectSettings.declared(), **Protocol.declared()}
    stated = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", told, re.M))
    assert {name: stated.get(name) for name in declared} == {name: each.title for name, each in declared.items()}
    assert "sample_share" in stated
    assert ({preset.slug for preset in all_presets()} | set(PRESETS)) - rows == set()


MOST_BYTES_OF_PICTURES = 3_000_000


def test_only_pictures_that_documents_show_are_kept_and_they_are_small() -> None:
    folder = ROOT / "docs" / "screenshots"
    shown = {
        (path.parent / target).resolve()
        for path in DOCUMENTS
        for target in re.findall(r"!\[[^\]]*\]\(([^)#\s]+)", path.read_text())
    }
    kept = {path.resolve() for path in folder.rglob("*") if path.is_file()}
    assert kept == {path for path in shown if path.is_relative_to(folder.resolve())}
    assert sum(path.stat().st_size for path in kept) < MOST_BYTES_OF_PICTURES


def test_new_pictures_lie_where_git_ignores_them() -> None:
    source = (ROOT / "tests" / "screenshots.py").read_text()
    assert 'or settings.BASE_DIR / "var" / "screenshots")' in source
    assert "var/" in (ROOT / ".gitignore").read_text().splitlines()


def test_the_version_is_the_same_everywhere() -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    locked = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    (own,) = [package["version"] for package in locked if package["name"] == "mufakat"]
    assert (settings.MUFAKAT_RELEASE, own) == (stated, stated)


def test_every_answer_type_has_its_picture() -> None:
    """Made by `make pictures`, small, and shown to task designers."""
    found = {path.stem: path for path in (ROOT / "docs" / "pictures").glob("*")}
    assert found.keys() == answers.types_by_slug().keys() == PICTURES.keys()
    shown = (ROOT / "docs" / "tasks.md").read_text()
    for slug, path in found.items():
        assert path.read_bytes().startswith(b"\x89PNG"), path
        assert path.stat().st_size <= 40 * 1024, path
        assert f"](pictures/{slug}.png)" in shown
