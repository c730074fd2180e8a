"""What every page has to be at every width and in both colour schemes; a page is opened once and looked at in each."""

from collections.abc import Iterator
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WIDTHS = (360, 1280)
_AXE = Axe()
_RUN = "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations)"
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Colours that are still on their way to the other scheme would be measured as they are not meant.
_STILL = "() => document.getAnimations().every((one) => one.playState !== 'running')"


def too_wide(page: Page) -> int:
    """By how many pixels the page is wider than the screen, once its styles are there."""
    page.wait_for_load_state("load")
    return int(page.evaluate(_TOO_WIDE))


def violations(page: Page) -> list[Any]:
    """All that axe finds on the page as it stands, once its styles are there."""
    page.wait_for_load_state("load")
    page.wait_for_function(_STILL)
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE.axe_script)
    found: list[Any] = page.evaluate(_RUN)
    return found


def faults(page: Page) -> list[str]:
    """The same, to be read."""
    return [
        f"{one['id']}: {one['nodes'][0]['target']} {one['nodes'][0]['html'][:160]}"
        for one in violations(page)
    ]


def looks(page: Page, widths: tuple[int, ...] = WIDTHS) -> Iterator[str]:
    """The page at each width, light and dark, by what the look is called; what was opened on it stays open."""
    for dark in (False, True):
        page.emulate_media(color_scheme="dark" if dark else "light")
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_function(_STILL)
            yield f"{'dark' if dark else 'light'}-{width}"


def open_all(page: Page) -> None:
    """Open whatever can be folded out."""
    page.evaluate("document.querySelectorAll('main details').forEach((more) => { more.open = true; })")


def assert_for_everybody(page: Page, name: object, widths: tuple[int, ...] = WIDTHS) -> None:
    """In every look: nothing that axe finds, one heading of the first order, nothing wider than the screen."""
    for look in looks(page, widths):
        assert faults(page) == [], (name, look)
        assert page.locator("h1").count() == 1, (name, look)
        assert too_wide(page) <= 0, (name, look)
