"""`make screenshots`: every screen of the demo, 360 and 1280 px wide, into var/screenshots, which git ignores.

Not a test of the suite (pytest does not find it by its name): it starts at each role's home page and follows links,
taking each route once, the home and project pages once for each role, and what questions show otherwise once more.
The projects of cultural prompts, of translations and of machine-written questions have lists of their own.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from playwright.sync_api import Page

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.content.models.units import SourceUnit
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.elicitation.models import Suggestion
from annotation.generation.models import Candidate
from annotation.jobs import queue as jobs
from exports.demo import machine, prompts, questions, story, translations
from validation.insights.actions import insights_ask

FOLDER = Path(os.environ.get("SCREENSHOTS") or settings.BASE_DIR / "var" / "screenshots")
WIDTHS = (360, 1280)
HEIGHT = 800
FOR_EACH_ROLE = {"home", "project"}
# Screens that look different where questions are asked: taken in both demo projects.
BOTH = {
    "project",
    "write_set",
    "write_item",
    "write_done",
    "vote",
    "desk",
    "item",
    "items",
    "people",
    "settings",
}
# Screens that questions show better, or alone.
QUESTIONS = {
    "concepts",
    "concept",
    "errors",
    "conflicts",
    "conflict_items",
    "returned",
    "returned_item",
}
# What no link leads to, or a page that somebody with fewer rights was shown before: role, path, name.
MORE = (
    ("lead", f"/p/{story.SLUG}/guidelines/writing/edit/", "guidelines_edit"),
    ("administrator", "/projects/new/?preset=idcsqa", "project_new-preset"),
    ("writer", f"/p/{questions.SLUG}/write/", "write_set-mcq"),
)
# Projects whose screens are listed below, one by one.
THEIR_OWN = tuple(f"/p/{slug}/" for slug in (prompts.SLUG, translations.SLUG, machine.SETS_SLUG, machine.REVIEW_SLUG))
PREMISES = """premise_id,premise,document
contoh-1,Perpustakaan desa tutup setiap hari Jumat.,perpustakaan
contoh-2,,perpustakaan
contoh-3,Kartu anggota perpustakaan itu berlaku dua tahun.,perpustakaan
"""
NOT_SCREENS = ("admin", "account_logout", "mfa_activate", "healthz", "readyz")
ENTRANCE = ("/accounts/login/", "/accounts/password/reset/")


def people() -> Iterator[tuple[str, User]]:
    """One person for each role, the same at every run."""
    places = Annotator.objects.filter(left_at=None, user__is_active=True).order_by("project", "pseudonym")
    for role in ("writer", "validator", "lead"):
        place = places.filter(**{f"is_{role}": True}).select_related("user").first()
        assert place is not None, f"the demo has no {role}"
        assert place.user is not None
        yield role, place.user
    yield "administrator", User.objects.filter(is_administrator=True).order_by("pk")[0]


def route(path: str) -> str | None:
    """The name of the route, where it is a screen."""
    try:
        name = resolve(path).view_name
    except Resolver404:
        return None
    return None if not name or name.startswith(NOT_SCREENS) else name


def label_of(path: str, name: str, role: str) -> str | None:
    """What the picture of a page is called; None where the other demo project shows it."""
    if path.startswith(THEIR_OWN):
        return None
    asked = path.startswith(f"/p/{questions.SLUG}/")
    if (asked and name not in BOTH | QUESTIONS) or (not asked and name in QUESTIONS):
        return None
    name = f"{name}-{role}" if name in FOR_EACH_ROLE else name
    return f"{name}-mcq" if asked and name not in QUESTIONS else name


def session(user: User, origin: str) -> dict[str, str]:
    """The cookie of somebody who is signed in, as Playwright wants it."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": origin}


class Album:
    """Pages taken so far, and the windows, one for each width, that they are taken in."""

    def __init__(self, pages: list[Page]) -> None:
        self.pages = pages
        self.taken: set[str] = set()

    def take(self, path: str, name: str) -> list[str]:
        """A picture at each width; returns the paths that the page links to. Downloads are passed over."""
        self.taken.add(name)
        for page in self.pages:
            answer = page.request.get(path)
            assert answer.status < 500, f"{path} answers {answer.status}"
            if not answer.ok or "text/html" not in answer.headers.get("content-type", ""):
                return []
            page.goto(path, wait_until="networkidle")
            assert page.viewport_size is not None
            width = page.viewport_size["width"]
            # As high as the page, so that a bar at the foot of the window covers nothing.
            height = page.evaluate("document.documentElement.scrollHeight")
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=FOLDER / f"{name}-{width}.png", full_page=True)
            page.set_viewport_size({"width": width, "height": HEIGHT})
        links = self.pages[-1].eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
        return [urlsplit(link).path for link in links if urlsplit(link).scheme.startswith("http")]

    def walk(self, role: str) -> None:
        """From this person's home page on, breadth first."""
        waiting, met = ["/"], {"/"}
        while waiting:
            path = waiting.pop(0)
            name = route(path)
            if name is None:
                continue
            label = label_of(path, name, role)
            if label is None or label in self.taken:
                continue
            for link in self.take(path, label):
                if link not in met:
                    met.add(link)
                    waiting.append(link)


@pytest.mark.timeout(1200)
@pytest.mark.django_db(transaction=True)
def test_every_screen(open_page: Callable[..., Page], live_server: pytest.FixtureRequest, tmp_path: Path) -> None:
    call_command("load_demo")
    (tmp_path / "premises.csv").write_text(PREMISES)
    with suppress(CommandError):  # one row is refused
        call_command("import_items", story.SLUG, str(tmp_path / "premises.csv"))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.png"):
        old.unlink()
    entrance = Album([open_page(width=width) for width in WIDTHS])
    for path in ENTRANCE:
        entrance.take(path, str(route(path)))
    everything = Album([])
    everything.taken |= entrance.taken
    for role, user in people():
        everything.pages = [open_page(width=width) for width in WIDTHS]
        for page in everything.pages:
            page.context.add_cookies([session(user, live_server.url)])  # type: ignore[attr-defined, list-item]
        for whose, path, name in MORE:
            if whose == role:
                everything.take(path, name)
        everything.walk(role)


def of_prompts() -> Iterator[tuple[User, str, str]]:
    """Who opens which page of the project of cultural prompts, and what its picture is called."""
    project = Project.objects.get(slug=prompts.SLUG)
    base = f"/p/{prompts.SLUG}/"
    users = {role: User.objects.get(email=f"{role}@demo.example") for role in ("writer", "validator", "lead")}
    begun = Allocation.objects.filter(project=project, writer__user=users["writer"], state=Allocation.State.OPEN)[0]
    settled = Item.objects.filter(project=project, stage="settled").order_by("key")[0]
    open_one = Suggestion.objects.filter(project=project, state=Suggestion.State.OPEN).order_by("pk")[0]
    pages = (
        ("writer", "elicitation/", "elicitation"),
        ("writer", "topics/", "topics"),
        ("writer", f"write/{begun.token}/", "write_set-cultural"),
        ("writer", "second-look/", "second_look"),
        ("validator", "vote/", "vote-cultural"),
        ("lead", "", "project-lead-cultural"),
        ("lead", "concepts/", "concepts-cultural"),
        ("lead", "sessions/", "sessions"),
        ("lead", reverse("group", args=[project.slug, open_one.session_id]), "group"),
        ("lead", reverse("show", args=[project.slug, open_one.session_id]), "show"),
        ("lead", "second-look/table/", "second_looks"),
        ("lead", f"items/{settled.pk}/", "item-cultural"),
        ("lead", "validation/", "validation"),
        ("lead", "studies/", "studies"),
        ("lead", "studies/rating/", "study_new"),
        ("lead", "studies/rating/1/", "study-rating"),
    )
    for role, path, name in pages:
        yield users[role], path if path.startswith("/") else base + path, name


def of_translations() -> Iterator[tuple[User, str, str]]:
    """The same of the project of translations."""
    project = Project.objects.get(slug=translations.SLUG)
    base = f"/p/{translations.SLUG}/"
    users = {role: User.objects.get(email=f"{role}@demo.example") for role in ("writer", "validator", "lead")}
    users["administrator"] = User.objects.get(email="admin@demo.example")
    corrected = Item.objects.filter(project=project, revisions__event="take_correction").order_by("key")[0]
    unit = SourceUnit.objects.filter(project=project, clean_ups__what="distractor").get()
    pages = (
        ("writer", "write/", "write_set-translation"),
        ("writer", "corrected/", "corrected"),
        ("writer", "/me/pay/", "my_pay"),
        ("validator", "vote/", "vote-translation"),
        ("lead", "", "project-lead-translation"),
        ("lead", "targets/", "targets"),
        ("lead", "targets/on/id-santai/", "target"),
        ("lead", "sources/", "source_sets"),
        ("lead", "sources/sets/causal/", "source_set"),
        ("lead", f"sources/units/{unit.pk}/", "source_unit"),
        ("lead", f"items/{corrected.pk}/", "item-translation"),
        ("lead", "missing/", "missing"),
        ("lead", "registers/", "registers"),
        ("administrator", "sources/new/", "source_set_new"),
        ("administrator", "studies/label-check/", "study_new-label-check"),
        ("administrator", "pay/", "pay"),
        ("administrator", "releases/1/", "release-translation"),
    )
    for role, path, name in pages:
        yield users[role], path if path.startswith("/") else base + path, name


def of_machines() -> Iterator[tuple[User, str, str]]:
    """The same of what a machine wrote."""
    users = {role: User.objects.get(email=f"{role}@demo.example") for role in ("validator", "lead")}
    users["administrator"] = User.objects.get(email="admin@demo.example")
    sets, checked = f"/p/{machine.SETS_SLUG}/", f"/p/{machine.REVIEW_SLUG}/"
    dropped = Candidate.objects.filter(run__project__slug=machine.SETS_SLUG, run__n=1, state="dropped").order_by("key")[
        0
    ]
    waiting = Item.objects.filter(project__slug=machine.REVIEW_SLUG, stage="submitted").order_by("key")[0]
    pages = (
        ("administrator", f"{sets}machine/", "machine"),
        ("administrator", f"{sets}materials/", "materials"),
        ("administrator", f"{sets}machine/runs/2/", "machine_run"),
        ("administrator", f"{sets}machine/runs/new/", "machine_run_new"),
        ("administrator", f"{sets}machine/runs/1/questions/", "candidates"),
        ("administrator", f"{sets}machine/runs/1/questions/{dropped.pk}/", "candidate"),
        ("administrator", f"{sets}machine/instructions/", "instructions"),
        ("administrator", f"{sets}machine/instructions/mcsqa-question/", "instruction"),
        ("administrator", f"{sets}machine/cost/?beside=demo-soal", "machine_cost"),
        ("administrator", f"{sets}machine/limits/", "machine_limit"),
        ("administrator", f"{sets}releases/1/", "release-judged"),
        ("administrator", "/endpoints/", "endpoints"),
        ("administrator", "/machine/", "machine_all"),
        ("validator", f"{sets}vote/", "vote-judged"),
        ("lead", f"{checked}items/{waiting.pk}/", "item-machine"),
        ("lead", f"{checked}errors/machine/", "machine_errors"),
    )
    for role, path, name in pages:
        yield users[role], path, name


def of_figures() -> Iterator[tuple[User, str, str]]:
    """What leads read of a project's votes and texts, and what administrators say of it."""
    project = Project.objects.get(slug=story.SLUG)
    jobs.run_here(insights_ask(project=project, by=None, nightly=True))
    administrator = User.objects.get(email="admin@demo.example")
    home = f"/p/{project.slug}"
    for path, name in (
        ("insights/", "insights"),
        *((f"insights/{each}/", f"insight-{each}") for each in ("agreement", "words", "protocols", "classifier")),
        ("about/", "about"),
        ("releases/1/", "release-forms"),
        ("releases/new/", "release_new-forms"),
    ):
        yield administrator, f"{home}/{path}", name


@pytest.mark.timeout(1200)
@pytest.mark.django_db(transaction=True)
def test_screens_of_their_own(open_page: Callable[..., Page], live_server: pytest.FixtureRequest) -> None:
    call_command("load_demo")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for user, path, name in (*of_prompts(), *of_translations(), *of_machines(), *of_figures()):
        album = Album([open_page(width=width) for width in WIDTHS])
        for page in album.pages:
            page.context.add_cookies([session(user, live_server.url)])  # type: ignore[attr-defined, list-item]
        album.take(path, name)
        assert (FOLDER / f"{name}-{WIDTHS[0]}.png").exists(), path
        for page in album.pages:
            page.context.close()
