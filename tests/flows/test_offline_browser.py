"""Without a connection: each answer ends in one vote or in a clear word, whatever happens in between."""

import random
from collections import Counter
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page, Route, expect

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory
from tests.conftest import Pages
from tests.flows.conftest import sign_in
from tests.flows.steps import drop_connection, restore_connection, token
from tests.wait import wait_until
from validation.voting.actions.assignments import assignments_expire
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
PageOf = Callable[..., Page]
NOISE = (
    "net::ERR_",
    "Status Error",
    "Failed to load",
    "htmx:",
    "status of 4",
    "status of 5",
    "Failed to fetch",
)
KEPT = """() => new Promise((done) => {
  const asked = indexedDB.open("mufakat", 1);
  asked.onerror = () => done(-1);
  asked.onsuccess = () => {
    const all = asked.result.transaction("answers").objectStore("answers").getAll();
    all.onsuccess = () => { asked.result.close(); done(all.result.length); };
  };
})"""


def waiting(project: Project, sets: int = 2) -> Annotator:
    factory.written_pairs(project, factory.member(project, "writer"), sets)
    while decide_due():
        pass
    return factory.member(project, "validator")


def kept(page: Page) -> int:
    """How many answers this device keeps."""
    return int(page.evaluate(KEPT))


def take(page: Page, project: Project, count: int = 20) -> None:
    """Take cards along and wait for the first."""
    page.goto(f"/p/{project.slug}/ahead/")
    page.get_by_label("How many").fill(str(count))
    page.get_by_role("button", name="Take cards along").click()
    expect(page.locator("#card form.vote")).to_be_visible()


def answer(page: Page, key: str = "1") -> str:
    """Answer the card that is shown and wait for the next; its token."""
    before = token(page)
    page.locator(f"#label-{key}").check()
    page.get_by_role("button", name="Send").last.click()
    expect(page.locator(f"#card[data-token='{before}']")).to_have_count(0)
    return before


def worker_ready(page: Page) -> None:
    """The service worker is there, and what it keeps from the start is kept."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    wait_until(lambda: page.evaluate("navigator.serviceWorker.controller !== null"), what="control", page=page)


def page_kept(page: Page) -> None:
    """The service worker keeps the page that is open, and with it all that it loads."""
    wait_until(
        lambda: page.evaluate("caches.match(location.href).then(Boolean)"),
        what="the page to be kept",
        page=page,
    )


@pytest.fixture
def project() -> Project:
    return factory.project()


def test_cards_taken_along_are_answered_without_a_connection(project: Project, page_of: PageOf) -> None:
    validator = waiting(project)
    page = page_of(validator.user, allow=NOISE, service_worker=True)
    page.goto("/")
    worker_ready(page)
    take(page, project, 3)
    assert Assignment.objects.filter(annotator=validator, state="open", place__gt=0).count() == 3
    page_kept(page)
    drop_connection(page)
    answer(page)
    answer(page, "2")
    expect(page.locator("#unsent")).to_contain_text("not sent yet: 2")
    address = page.url
    context = page.context
    page.close()
    again = context.new_page()
    again.goto(address)
    # The page that is kept, and on it only what is not answered.
    expect(again.locator("[data-left]")).to_have_text("1")
    assert not Vote.objects.exists()
    again.goto("/")
    expect(again.get_by_role("heading", name="No connection")).to_be_visible()
    # What is kept is said to be kept, and nothing was sent by a form; there is not said what is not true.
    expect(again.locator("#unsent")).to_contain_text("not sent yet: 2")
    expect(again.locator("[data-posted]")).to_be_hidden()
    again.goto(address)
    again.get_by_role("button", name="Give back those that are left").click()
    expect(again.locator("[data-posted]")).to_contain_text("did NOT arrive")
    again.goto(address)
    restore_connection(again)
    wait_until(lambda: Vote.objects.count() == 2, what="both votes", page=again)
    expect(again.locator("#unsent")).to_be_empty()
    assert set(Vote.objects.values_list("label", "seconds")) == {("e", None), ("n", None)}


def test_a_tab_that_is_killed_loses_nothing(project: Project, page_of: PageOf) -> None:
    validator = waiting(project)
    page = page_of(validator.user, allow=NOISE)
    page.goto(f"/p/{project.slug}/vote/")
    drop_connection(page)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    wait_until(lambda: kept(page) == 1, what="the answer to be kept", page=page)
    context = page.context
    page.close()
    context.set_offline(False)
    other = context.new_page()
    other.goto("/")
    wait_until(lambda: Vote.objects.filter(label="n").count() == 1, what="the vote", page=other)
    wait_until(lambda: kept(other) == 0, what="nothing to be kept", page=other)


def test_two_tabs_make_one_vote_and_one_word(project: Project, page_of: PageOf) -> None:
    first = page_of(waiting(project).user, allow=NOISE)
    take(first, project, 1)
    second = first.context.new_page()
    second.goto(first.url)
    second.locator("#card form.vote").wait_for()
    drop_connection(first)
    answer(second, "2")
    # The first tab has the same card still, and says something else.
    answer(first, "1")
    assert kept(first) == 2
    restore_connection(first)
    expect(first.locator("#unsent .note--error")).to_contain_text("The first answer counts")
    assert Vote.objects.count() == 1
    first.get_by_role("button", name="I have read it").click()
    wait_until(lambda: kept(first) == 0, what="the word to be read", page=first)


def test_a_cleared_cookie_and_somebody_else_send_nothing(project: Project, page_of: PageOf, open_page: Pages) -> None:
    validator = waiting(project)
    page = page_of(validator.user, allow=NOISE)
    take(page, project, 1)
    context = page.context
    context.clear_cookies()
    answer(page)
    expect(page.locator("#unsent")).to_contain_text("You are signed out")
    assert (Vote.objects.count(), kept(page)) == (0, 1)
    other = factory.member(project, "validator")
    assert other.user is not None
    assert validator.user is not None
    sign_in(context, other.user, open_page.origin)
    page.goto(f"/p/{project.slug}/vote/")
    expect(page.locator("#unsent")).to_be_empty()
    assert (Vote.objects.count(), kept(page)) == (0, 1)
    context.clear_cookies()
    sign_in(context, validator.user, open_page.origin)
    page.goto("/")
    wait_until(lambda: Vote.objects.count() == 1, what="the vote of its owner", page=page)
    assert Vote.objects.get().annotator == validator


@pytest.mark.parametrize(("free", "votes"), [(1, 1), (0, 0)])
def test_an_assignment_that_ended(project: Project, page_of: PageOf, free: int, votes: int) -> None:
    page = page_of(waiting(project).user, allow=NOISE)
    take(page, project, 1)
    drop_connection(page)
    which = answer(page)
    Assignment.objects.filter(token=which).update(until="2020-01-01T00:00Z")
    assert assignments_expire() == 1
    if not free:
        item = Assignment.objects.get(token=which).item
        item.slots_free = 0
        item.save()
    restore_connection(page)
    wait_until(lambda: kept(page) == 0 or page.locator("#unsent .note--error").count(), what="an end", page=page)
    assert Vote.objects.count() == votes
    if not votes:
        expect(page.locator("#unsent .note--error")).to_contain_text("no longer open to you")


def test_a_text_that_changed_is_read_again(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user, allow=NOISE)
    take(page, project, 1)
    drop_connection(page)
    which = answer(page)
    assert Assignment.objects.filter(token=which).update(revision_n=2) == 1
    restore_connection(page)
    expect(page.locator("#unsent .note--error")).to_contain_text("changed after you saw it")
    assert not Vote.objects.exists()


def test_a_wrong_clock_changes_nothing(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user, allow=NOISE)
    page.add_init_script("const real = Date.now; Date.now = () => real() - 40 * 365 * 86_400_000;")
    take(page, project, 2)
    answer(page)
    answer(page)
    wait_until(lambda: Vote.objects.count() == 2, what="both votes", page=page)


def test_signing_out_with_something_unsent_asks(project: Project, page_of: PageOf) -> None:
    page = page_of(waiting(project).user, allow=NOISE)
    take(page, project, 1)
    drop_connection(page)
    answer(page)
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", stay)
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    wait_until(lambda: bool(asked), what="the question", page=page)
    assert "Not sent yet: 1" in asked[0]


def test_pages_of_one_person_are_not_anothers(project: Project, page_of: PageOf, open_page: Pages) -> None:
    page = page_of(waiting(project).user, allow=NOISE, service_worker=True)
    page.goto("/")
    worker_ready(page)
    take(page, project, 1)
    wait_until(lambda: page.evaluate("caches.has('mufakat-pages')"), what="the page to be kept", page=page)
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/accounts/login/**")
    wait_until(lambda: not page.evaluate("caches.has('mufakat-pages')"), what="the pages to go", page=page)


class Faults:
    """What happens around one answer; each ends with a page that is connected."""

    def __init__(self, page: Page, people: tuple[User, User], origin: str, draw: random.Random) -> None:
        self.page, self.address, self.draw = page, "", draw
        self.owner, self.other = people
        self.origin = origin
        self.context: BrowserContext = page.context

    def nothing(self) -> str:
        return answer(self.page)

    def offline(self) -> str:
        self.context.set_offline(True)
        which = answer(self.page)
        self.context.set_offline(False)
        return which

    def killed(self) -> str:
        """The tab is gone as soon as the next card is there."""
        self.context.set_offline(self.draw.random() < 0.5)
        which = answer(self.page)
        self.page.close()
        self.context.set_offline(False)
        self.page = self.context.new_page()
        self.page.goto(self.address)
        return which

    def unanswered(self) -> str:
        """The server has stored it, and its answer is lost."""

        def lose(route: Route) -> None:
            route.fetch()
            route.abort()

        self.page.route("**/vote/*/", lose, times=1)
        return answer(self.page)

    def two_tabs(self) -> str:
        second = self.context.new_page()
        second.goto(self.address)
        second.locator("#card form.vote").wait_for()
        self.context.set_offline(True)
        which = answer(self.page)
        if token(second) == which:
            answer(second, "2")
        self.context.set_offline(False)
        second.close()
        return which

    def ended(self) -> str:
        self.context.set_offline(True)
        which = answer(self.page)
        Assignment.objects.filter(token=which, state="open").update(until="2020-01-01T00:00Z")
        assignments_expire()
        self.context.set_offline(False)
        return which

    def wrong_clock(self) -> str:
        """The device is wrong by decades, either way, while it keeps and sends."""
        years = self.draw.choice((-40, 40))
        self.page.evaluate(f"const real = Date.now; Date.now = () => real() + {years} * 365 * 86_400_000;")
        return self.offline()

    def cleared_cookie(self) -> str:
        """Nobody is signed in any more when it is sent; its owner signs in again."""
        self.context.clear_cookies()
        which = answer(self.page)
        expect(self.page.locator("#unsent")).to_contain_text("You are signed out")
        self.back_again()
        return which

    def somebody_else(self) -> str:
        """Another person opens pages on the same device before it is sent: they send and see nothing of it."""
        self.context.set_offline(True)
        which = answer(self.page)
        self.context.clear_cookies()
        sign_in(self.context, self.other, self.origin)
        self.context.set_offline(False)
        self.page.goto("/me/")
        self.page.evaluate("navigator.locks.request('mufakat-outbox', () => true)")
        expect(self.page.locator("#unsent")).to_be_empty()
        assert Assignment.objects.get(token=which).state == "open"
        self.back_again()
        return which

    def back_again(self) -> None:
        self.context.clear_cookies()
        sign_in(self.context, self.owner, self.origin)
        self.page.goto(self.address)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("rounds", [12, pytest.param(200, marks=pytest.mark.faults)])
def test_none_is_lost(project: Project, page_of: PageOf, open_page: Pages, rounds: int) -> None:
    """Every answer of every round is one vote, or is told on the page why it is none."""
    owner = waiting(project, sets=rounds // 6 + 5).user
    other = factory.member(project, "validator").user
    assert owner is not None
    assert other is not None
    page = page_of(owner, allow=NOISE)
    draw = random.Random(rounds)
    faults = Faults(page, (owner, other), open_page.origin, draw)
    names = [
        *("nothing", "offline", "killed", "unanswered", "two_tabs", "ended"),
        *("wrong_clock", "cleared_cookie", "somebody_else"),
    ]
    happened: Counter[str] = Counter()
    sent: set[str] = set()
    told = 0
    for n in range(rounds):
        page = faults.page
        if n % 20 == 0:
            settled(page, sent)
            take(page, project, min(20, rounds - n))
            faults.address = page.url
        happened[name := names[n] if n < len(names) else draw.choice(names)] += 1
        sent.add(getattr(faults, name)())
        told += settled(faults.page, sent)
    assert Vote.objects.count() == len(sent) == rounds
    assert set(Vote.objects.values_list("annotator__user", flat=True)) == {owner.pk}
    print(f"{rounds} rounds: {len(sent)} answers, {Vote.objects.count()} votes, {told} second answers told")
    print(", ".join(f"{name} {times}" for name, times in happened.items()))


def settled(page: Page, sent: set[str]) -> int:
    """Wait until nothing is unsent: each answer has its vote; how many words were told, and are read now."""
    if not sent:
        return 0
    page.evaluate("dispatchEvent(new Event('online'))")
    notes = page.locator("#unsent .note--error")
    wait_until(lambda: kept(page) == notes.count(), 60, "all to be sent", page=page)
    done = Assignment.objects.filter(token__in=sent, state="done").count()
    assert done == len(sent), Assignment.objects.filter(token__in=sent).exclude(state="done").values()
    count = notes.count()
    for _ in range(count):
        notes.first.get_by_role("button").click()
        wait_until(lambda: kept(page) == notes.count(), what="a word to be read", page=page)
    return count
