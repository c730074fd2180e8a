"""Every check of every kind is explained where annotators and leads read it, and the page is true."""

import re

from annotation import kinds
from annotation.text import checks
from tests.conventions.checks_page import page_part
from tests.conventions.sources import ROOT

PAGE = ROOT / "docs" / "checks.md"


def test_the_page_says_what_the_registry_says() -> None:
    """`python -m tests.conventions.checks_page` prints what it has to say."""
    assert page_part() in PAGE.read_text()


def test_every_check_of_every_kind_has_its_section() -> None:
    sections = re.findall(r"^### (\w+)$", PAGE.read_text(), re.M)
    assert sorted(sections) == sorted(set(sections)) == sorted(checks.all_checks())
    assert {check for kind in kinds.all_kinds() for check in kind.authoring.checks} <= set(sections)
