"""What every page has to be at every width and in both colour schemes; a page is opened once and looked at in each."""

from collections.abc import Iterator
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WIDTHS = (360, 1280)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_AXE = Axe()
# The same few colours stand behind every word of a page, and working one out is a third of all that axe does.
_COLOURS_ONCE = """
(() => {
  const known = new Map();
  const { prototype } = axe.commons.color.Color;
  const parse = prototype.parseString;
  prototype.parseString = function (words) {
    const found = known.get(words);
    if (found) { [this.r, this.g, this.b, this.alpha] = found; return this; }
    parse.call(this, words);
    known.set(words, [this.r, this.g, this.b, this.alpha]);
    return this;
  };
})();
"""
_COUNT_OF_H1 = "document.querySelectorAll('h1').length"
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Colours that are still on their way to the other scheme would be measured as they are not meant.
_WAIT_UNTIL_STILL = """
const moving = () => document.getAnimations().filter((one) => one.playState === 'running');
for (let left = moving(); left.length; left = moving()) left.forEach((one) => one.finish());
"""
# No rule that is run reads the style sheets, which axe would make copies of first. Null where axe is not there yet.
_RUN_AXE = f"""
async () => {{
  {_WAIT_UNTIL_STILL}
  if (!('axe' in window)) return null;
  const found = await axe.run(document, {{resultTypes: ['violations'], preload: {{assets: ['media']}}}});
  return [found.violations, {_COUNT_OF_H1}, {_TOO_WIDE}];
}}
"""


def too_wide(page: Page) -> int:
    """By how many pixels the page is wider than the screen, once its styles are there."""
    page.wait_for_load_state("load")
    return int(page.evaluate(_TOO_WIDE))


def _measure_page(page: Page) -> tuple[list[str], int, int]:
    """What axe finds on the page as it stands, how many h1 it has, and by how much it is too wide."""
    page.wait_for_load_state("load")
    answer = page.evaluate(_RUN_AXE)
    if answer is None:
        page.evaluate(_AXE.axe_script + _COLOURS_ONCE)
        answer = page.evaluate(_RUN_AXE)
    found, headings, wide = answer
    return [_read(one) for one in found], int(headings), int(wide)


def _read(one: Any) -> str:
    node = one["nodes"][0]
    return f"{one['id']}: {node['target']} {node['html'][:160]}"


def axe_findings(page: Page) -> list[str]:
    """All that axe finds on the page as it stands, once its styles are there."""
    return _measure_page(page)[0]


def _settings(page: Page, widths: tuple[int, ...], *, every: bool = True) -> Iterator[str]:
    for n, width in enumerate(widths):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in SCHEMES if every or len(widths) == 1 else (SCHEMES[n % 2],):
            page.emulate_media(color_scheme=scheme)
            yield f"{scheme}-{width}"


def open_in_each_look(page: Page, widths: tuple[int, ...] = WIDTHS) -> Iterator[str]:
    """The page at each width, light and dark, by what the look is called; what was opened on it stays open."""
    for look in _settings(page, widths):
        page.evaluate(f"() => {{ {_WAIT_UNTIL_STILL} }}")
        yield look


def open_all(page: Page) -> None:
    """Open whatever can be folded out."""
    page.evaluate("document.querySelectorAll('main details').forEach((more) => { more.open = true; })")


def faults_in_all_looks(
    page: Page, name: object, widths: tuple[int, ...] = WIDTHS, *, every: bool = False
) -> list[str]:
    """All that axe finds in any look, headings of the first order that are not one, what is wider than the screen.

    A page is looked at once a width, narrow in the light scheme and wide in the dark one: the components that it is
    made of are looked at in every look by themselves (test_gallery). `every`: the page too.
    """
    told = []
    for look in _settings(page, widths, every=every):
        found, headings, wide = _measure_page(page)
        if headings != 1:
            found.append(f"{headings} h1")
        if wide > 0:
            found.append(f"{wide} px wider than the screen")
        told += [f"{name}, {look}: {one}" for one in found]
    return told


def assert_for_everybody(page: Page, name: object, widths: tuple[int, ...] = WIDTHS) -> None:
    """Nothing is wrong with the page in any look; see wrongs."""
    told = faults_in_all_looks(page, name, widths)
    assert not told, "\n".join(told)
