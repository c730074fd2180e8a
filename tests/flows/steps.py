"""Steps that several flows in a browser share."""

from playwright.sync_api import Page, expect

from tests.wait import wait_until

# A request of the page's own, past all that the browser and its service worker have kept: whether it was answered.
_ANSWERED = """() => fetch("/healthz", { cache: "no-store" }).then(() => true, () => false)"""


def wait_until_done(page: Page, words: str) -> None:
    """The page says that it is done."""
    expect(page.locator("#messages")).to_contain_text(words)


def press(page: Page, *keys: str) -> None:
    """Press keys once the page's script listens."""
    page.wait_for_load_state("load")
    for key in keys:
        page.keyboard.press(key)


def drop_connection(page: Page) -> None:
    """Nothing that the page sends arrives from here on.

    Chromium says that it has cut a page off before what carries its requests knows of it: one is sent to find out.
    """
    page.context.set_offline(True)
    wait_until(lambda: not page.evaluate(_ANSWERED), what="a request to be refused", page=page)


def disable_prefetch(page: Page) -> None:
    """No card is fetched before it is asked for: Send waits for the answer. For pages that are opened after this."""
    page.route("**/vote/next/", lambda route: route.fulfill(status=204))


def restore_connection(page: Page) -> None:
    """What the page sends arrives again; see drop_connection."""
    page.context.set_offline(False)
    wait_until(lambda: page.evaluate(_ANSWERED), what="a request to be answered", page=page)


def make_a_project(boss: Page, *, preset: str, name: str, slug: str, language: str = "") -> None:
    """From a preset; only its name is typed, and the distance between items changed where there are so few."""
    boss.goto("/projects/new/")
    boss.get_by_role("link", name=preset).click()
    boss.get_by_label("Name", exact=True).fill(name)
    boss.get_by_label("Short name").fill(slug)
    if language:
        boss.get_by_label("Language").fill(language)
    boss.get_by_role("button", name="Create the project").click()
    wait_until_done(boss, "The project was made.")
    boss.get_by_role("link", name="Set-up", exact=True).click()
    boss.get_by_role("link", name="Settings", exact=True).click()
    boss.locator("details:has(#id_spacing) > summary").click()
    boss.locator("#id_spacing").fill("0")
    boss.get_by_role("button", name="Save settings").click()
    wait_until_done(boss, "The settings were saved.")


def add_concepts(boss: Page, slug: str, category: str, *texts: str) -> None:
    """Type concepts, or topics, on their page."""
    boss.goto(f"/p/{slug}/concepts/")
    boss.locator("#add_category").fill(category)
    boss.locator("#add_text").fill("\n".join(texts))
    boss.get_by_role("button", name="Add", exact=True).click()
    wait_until_done(boss, "added.")


def token(page: Page) -> str:
    """The token of the card that is shown."""
    return page.locator("#card").get_attribute("data-token") or ""


def wait_for_another_card(page: Page, before: str, *, script: bool = True) -> str:
    """Wait for another card than this, or for none, until it listens to keys; its token."""
    expect(page.locator("#card")).not_to_have_attribute("data-token", before)
    if script:
        # A card stands there some milliseconds before its scripts know of it; then it is where the keys go.
        expect(page.locator("#card:focus, #card [data-next]:focus")).to_have_count(1)
        # It may stand there before what was sent has an answer.
        expect(page.locator("#card [data-state=busy]")).to_have_count(0)
    else:
        page.wait_for_load_state("load")
    return token(page)


def next_card(page: Page, *keys: str) -> None:
    """Send what is on the card with these keys, and wait for another or for none."""
    before = token(page)
    press(page, *keys)
    wait_for_another_card(page, before)
