"""Style sheets and scripts keep to the floor of docs/browsers.md, or do without what is younger."""

import re
from pathlib import Path

import django_htmx
import pytest
from django.template.loader import render_to_string

from tests.browser_floor import script_faults, style_faults

ROOT = Path(__file__).parents[2]
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
HTMX = Path(django_htmx.__file__).parent / "static" / "django_htmx" / "htmx-2.min.js"
# What is younger than the floor, and what stands there without it.
DONE_WITHOUT = {
    ":has": "a rule of its own: room, a frame, a bar that stays; the box or radio in it shows what is chosen",
    ":focus-visible": "the browser's own ring",
    ":backdrop": "the page behind the list of keys is as bright as ever",
    ":highlight": "the rows under the text show what is marked",
    "text-wrap": "lines end where they end",
    "balance": "as text-wrap",
    "pretty": "as text-wrap",
    "anywhere": "break-word, which everything inherits from body",
    "field-sizing": "a field has its rows, and scrolls",
    "content": "as field-sizing",
    "accent-color": "boxes have the system's colour",
    "appearance": "a bar of progress looks as the system's",
    "text-size-adjust": "the others enlarge no text of a page this wide",
    "color-scheme": "the browser's own fields are light on dark pages",
    "light": "as color-scheme",
    "dark": "as color-scheme",
    "scroll-padding-block": "a field that is jumped to may stand under a bar",
    "scroll-margin-block-start": "as scroll-padding-block",
    "start": "a row stands in the middle of its place",
    "fit-content": "a box is as wide as its column",
}
# Names of our own that something younger has too, and what is there by other means.
NAMES = {
    *("address", "token", "path"),
    *("parameters", "keyboard", "move", "login", "element", "loading", "level", "lines", "first"),
    *("fontFamily", "destroy"),  # of Chart.js
    *("config", "transition", "delay", "isError"),  # of htmx
    "Highlight",  # where CSS.highlights is
    "submitter",  # base.js gives it to those who have it not
}


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_styles_are_read_by_the_oldest(path: Path) -> None:
    assert style_faults(path.read_text(encoding="utf-8"), DONE_WITHOUT) == []


def test_scripts_are_read_by_the_oldest(tmp_path: Path) -> None:
    context = {"kept": ["/a"], "to_work": ["/b"], "offline": "/o", "static": "/s/", "release": "1"}
    worker = tmp_path / "sw.js"
    worker.write_text(render_to_string("sw.js", context), encoding="utf-8")
    found = script_faults([*SCRIPTS, worker, HTMX])
    assert {name: lacks for name, lacks in found.items() if name.split()[-1].split(".")[-1] not in NAMES} == {}


def test_one_function_asks_the_server() -> None:
    """What it catches is a missing answer alone: a fault of ours is thrown, whoever asks."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in SCRIPTS}
    asking = {name: len(re.findall(r"\bfetch\(|XMLHttpRequest|sendBeacon", text)) for name, text in texts.items()}
    assert {name: count for name, count in asking.items() if count} == {"offline.js": 1}
    only_the_answer = r"try \{\s*const answer = await fetch\(request\);[^;]*;[^;]*;\s*\} catch \{\s*return null;"
    assert re.search(only_the_answer, texts["offline.js"])
    swallowed = {name: text.count(".catch(") for name, text in texts.items() if ".catch(" in text}
    assert swallowed == {"offline.js": 1}  # a browser that refuses the service worker


@pytest.mark.parametrize(
    ("sheet", "fault"),
    [
        ("a { color: light-dark(#000, #fff); }", "light-dark()"),
        (":root { --ink: light-dark(#000, #fff); }", "light-dark()"),
        ("a { color: #000; color: light-dark(#000, #fff); }", ""),
        (":root { --ink: #000; --ink: light-dark(#000, #fff); }", "--ink"),
        ("@supports (color: light-dark(red, red)) { a { color: light-dark(#000, #fff); } }", ""),
        ("a, b:has(c) { color: red; }", ":has"),
        ("b:has(c) { color: red; }", ""),
        ("a { block-size: 100dvh; }", "dvh"),
        ("a { block-size: 100vh; block-size: 100dvh; }", ""),
        ("@container (min-width: 1px) { a { color: red; } }", "@container"),
        ("@media (width > 1px) { a { color: red; } }", "range"),
        ("a { & b { color: red; } }", "nest"),
        ("a { view-transition-name: b; }", "view-transition-name"),
    ],
)
def test_a_style_that_is_too_young_is_found(sheet: str, fault: str) -> None:
    found = style_faults(sheet, {":has": ""})
    assert (fault in str(found)) if fault else found == []


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("fetch('/', { signal: AbortSignal.timeout(1) });", "AbortSignal.timeout"),
        ("form.requestSubmit();", "requestSubmit"),
        ("form.requestSubmit?.();", ""),
        ("if (form.requestSubmit) form.requestSubmit(); else form.submit();", ""),
        ("texts.at(-1);", "at"),
        ("structuredClone({});", "structuredClone"),
        ("class One { static { run(); } }", "Unexpected"),
        ("class One { #two = 1; }", "Unexpected"),
        ("text.replace(/(?<=a)b/, '');", "(?<"),
        ("one.querySelector('a:has(b)');", ":has"),
        ("one ??= two?.three;", ""),
    ],
)
def test_a_script_that_is_too_young_is_found(script: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "one.js"
    path.write_text(script, encoding="utf-8")
    found = script_faults([path])
    assert (fault in str(found)) if fault else found == {}
