"""Annotators' screens on a phone in languages that nobody speaks: words a third longer, and words from the right."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from tests import factory
from tests.conftest import Pages
from tests.flows.looks import open_all, too_wide
from tests.wording import accented, pseudo_language, right_to_left
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db(transaction=True)
# What people press: whole words, none beside the screen and none cut off at its own edge.
CUT = """
() => [...document.querySelectorAll('button, .btn, summary, label, nav a')].filter((one) => {
  const box = one.getBoundingClientRect();
  if (!box.width || one.closest('.visually-hidden, .skip')) return false;
  if (one.closest('.table-wrap, .rooms, [tabindex="0"]')) return false;  // a box that scrolls by itself
  const cut = one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible';
  return cut || box.left < -1 || box.right > document.documentElement.clientWidth + 1;
}).map((one) => `${one.className || one.tagName}: ${one.textContent.trim().slice(0, 60)}`)
"""


@pytest.fixture
def project() -> Project:
    """One in which a writer has a premise, and a validator pairs to judge."""
    made = factory.project()
    factory.written_pairs(made, factory.member(made, "writer"))
    while decide_due():
        pass
    return made


def screens(slug: str) -> Iterator[tuple[str, str]]:
    """Who sees what."""
    for role in ("writer", "validator"):
        yield role, "/"
        yield role, f"/p/{slug}/"
        yield role, f"/p/{slug}/guidelines/"
        yield role, "/me/"
        yield role, "/me/pay/"
    yield "writer", f"/p/{slug}/write/"
    yield "writer", f"/p/{slug}/write/done/"
    yield "writer", f"/p/{slug}/returned/"
    yield "validator", f"/p/{slug}/vote/"
    for path in ("/accounts/login/", "/accounts/password/reset/"):
        yield "", path


@pytest.mark.parametrize("right", [False, True], ids=["longer", "from the right"])
def test_nothing_is_cut_off_on_a_phone(
    project: Project, page_of: Callable[..., Page], open_page: Pages, right: bool
) -> None:
    accounts = {role: factory.user(language="id") for role in ("writer", "validator")}
    members = {role: factory.member(project, role, account=account) for role, account in accounts.items()}
    factory.premises(project, 3, start=2)
    allocations_assign(target=project.targets.get(), writers=[members["writer"]], size=3)
    wrong: list[str] = []
    with pseudo_language(right_to_left if right else accented, bidi=right):
        pages = {role: page_of(account, width=360) for role, account in accounts.items()}
        pages[""] = open_page(width=360, locale="id")
        for role, path in screens(project.slug):
            page = pages[role]
            answer = page.goto(path)
            assert answer is not None
            assert answer.status == 200, path
            assert page.locator("html").get_attribute("dir") == ("rtl" if right else "ltr")
            if path.endswith(("/write/", "/vote/")):
                page.locator("textarea, .vote__send, [name=label]").first.wait_for(state="attached")
            open_all(page)
            if (wide := too_wide(page)) > 0:
                wrong.append(f"{path}: {wide} px wider than the screen")
            wrong += [f"{path}: {each}" for each in page.evaluate(CUT)]
    assert not wrong, "\n".join(wrong)
