"""Documents that the code cites, and the glossary: each cited section is there, each model and package has its line."""

import re
from pathlib import Path

import pytest
from django.apps import apps

from tests.conventions import sources

DOCS = sources.ROOT / "docs"
DESIGN = DOCS / "design"
PRODUCT = ("annotation", "validation", "exports")


def _texts() -> list[tuple[str, str]]:
    """Name and text of every Python file of the product and the tests, and of every template."""
    files = [
        *sources.python_files(*sources.APPS, "config", "tests"),
        *(sources.ROOT / "templates").rglob("*.html"),
    ]
    return [(sources.relative_name(path), path.read_text()) for path in files if path != Path(__file__)]


def _numbers(pattern: str) -> set[str]:
    return {cited for _, text in _texts() for cited in re.findall(pattern, text)}


def test_cited_sections_are_there() -> None:
    domain = (DESIGN / "domain.md").read_text()
    there = set(re.findall(r"^## (\d+)\.", domain, re.MULTILINE))
    cited = _numbers(r"domain\.md §(\d+)")
    assert cited
    assert cited - there == set()
    rulings = set(re.findall(r"^(\d+)\. \*", domain, re.MULTILINE))
    assert _numbers(r"\brulings? (\d+)\b") - rulings == set()


def test_cited_pages_are_there() -> None:
    there = set(re.findall(r"^(\d+)\. \*\*", (DESIGN / "screens.md").read_text(), re.MULTILINE))
    cited = _numbers(r"screens\.md (\d+)")
    assert cited
    assert cited - there == set()


def test_cited_cases_are_there() -> None:
    there = set(re.findall(r"^\| ([IAF]\d+) \|", (DESIGN / "reliability.md").read_text(), re.MULTILINE))
    cited = _numbers(r"\b([AF]\d\d)\b(?!\w)") - {"F401", "F403"}
    assert len(cited) > 40
    assert cited - there == set()
    assert {f"I{n}" for n in range(1, 13)} <= there


@pytest.mark.parametrize("name", ["house.md", "stopping.md", "libraries.md", "api.md"])
def test_nothing_else_is_cited(name: str) -> None:
    """A document that is cited is in docs/, or the citation helps nobody."""
    if (DOCS / name).exists() or (DESIGN / name).exists():
        return
    assert [file for file, text in _texts() if re.search(rf"(?<![\w/]){re.escape(name)}", text)] == []


# --- the glossary -------------------------------------------------------------------------


def _glossary() -> list[list[str]]:
    rows = re.findall(r"^\| (.+) \|$", (DOCS / "glossary.md").read_text(), re.MULTILINE)
    return [[cell.strip() for cell in row.split(" | ")] for row in rows]


def test_every_model_is_in_the_glossary() -> None:
    written = {name for row in _glossary() for cell in row for name in re.findall(r"`(\w+)`", cell)}
    models = {model.__name__ for app in PRODUCT for model in apps.get_app_config(app).get_models()}
    assert models - written == set()


def test_every_package_is_in_the_glossary() -> None:
    written = {name for row in _glossary() for cell in row for name in re.findall(r"`(\w+/\w+)`", cell)}
    packages = {
        f"{app}/{folder.name}"
        for app in PRODUCT
        for folder in (sources.ROOT / app).iterdir()
        if (folder / "__init__.py").exists() and folder.name not in ("migrations", "management", "templatetags")
    }
    assert packages - written == set()
    assert written - packages == set()


def test_no_old_name_is_left() -> None:
    """Names that were replaced by standard terms do not come back."""
    old = r"\b(?:class|def) (?:Seat|Lane|LanePlace|Lore|Dossier|seat\w*|lane\w*|put_down|whence|retold)\b"
    assert [(name, found) for name, text in _texts() for found in re.findall(old, text)] == []
