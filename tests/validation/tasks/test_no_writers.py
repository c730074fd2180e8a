"""An own task whose items are imported: no page, file or card of it speaks of writers, whom it does not have."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from exports.releases.actions import release_freeze
from exports.releases.rules.settings import preset
from tests import factory
from tests.annotation.tasks.answers import vote_all
from tests.annotation.tasks.items import write_items_file
from tests.wording import texts_of
from validation.insights.actions import insights_ask
from validation.voting.actions.decide import decide_due

WRITERS = re.compile(r"\b(writers?|authors?|writing|hand(s|ed)? in|indonli-\w+)\b", re.IGNORECASE)
LINK = re.compile(r'href="(/p/[^"#?]*)')
# The form of a description offers writers, a task says what it likes; code of formats and keys of manifests are shared.
OFFERS = ("task/", "task.yaml", "lm_eval/utils.py", "manifest.json")
# Words of a template's own question, which the card quotes.
OWN_WORDS = "How does the writer feel about what the text is about?"
VOTERS = 5


@pytest.fixture
def voted(request: pytest.FixtureRequest, tmp_path: Path, settings: Any) -> Project:
    """A template's task with imported items that people voted on, its insights and a release."""
    slug = request.param
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    call_command("create_project", slug, task=slug, seed="seed")
    call_command("import_items", slug, str(write_items_file(slug, tmp_path)))
    project = Project.objects.get(slug=slug)
    people = [factory.member(project, "validator") for _ in range(VOTERS)]
    decide_due()
    for place, person in enumerate(people):
        vote_all(person, slug, place)
        decide_due()
    assert jobs.run_here(insights_ask(project=project, by=None)).state == "done"
    release = release_freeze(project=project, rules=preset(project.rules.release), by=None, here=True)
    assert release.job is not None
    jobs.run(release.job.pk)
    return project


def pages(user: User, start: str) -> Iterator[tuple[str, str]]:
    """Every page and file that links of the project lead this person to, each once."""
    web = Client()
    web.force_login(user)
    seen, waiting = {start}, [start]
    while waiting:
        address = waiting.pop()
        answer = web.get(address, follow=True)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
        text = content.decode(errors="replace")
        yield address.removeprefix(start), text
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            links = {html.unescape(link) for link in LINK.findall(text)}
            waiting += (new := {link for link in links if link.startswith(start)} - seen)
            seen |= new


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("voted", ["sentiment", "toxicity"], indirect=True)
def test_what_a_task_lacks_is_not_spoken_of(voted: Project) -> None:
    lead, validator = factory.member(voted, "lead").user, factory.member(voted, "validator").user
    assert lead is not None
    assert validator is not None
    start, found, read = f"/p/{voted.slug}/", set[str](), set[str]()
    for user in (factory.user(administrator=True), lead, validator):
        for address, text in pages(user, start):
            read.add(address)
            if not address.endswith(OFFERS):
                said = texts_of(text) if text.lstrip().startswith("<") else text.splitlines()
                found |= {f"{address}: {words}" for words in said if WRITERS.search(words.replace(OWN_WORDS, ""))}
    assert not found, "\n".join(sorted(found))
    # What was read is not nothing: pages of each part, tables as CSV and LaTeX, the card and the rows of the release.
    parts = ("", "people/", "settings/", "guidelines/", "insights/agreement/overall.tex", "releases/1/files/README.md")
    assert {*parts, "desk/", "pay/", "import/", "releases/new/", "releases/1/files/votes.jsonl"} <= read


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("voted", ["toxicity"], indirect=True)
def test_what_it_needs_and_has_is_said(voted: Project) -> None:
    user = factory.user(administrator=True)
    web = Client()
    web.force_login(user)
    people = html.unescape(web.get(f"/p/{voted.slug}/people/").content.decode())
    assert "it needs at least 5 people" in people
    assert "The protocol needs 5 people who vote; 5 are here." in web.get(f"/p/{voted.slug}/").content.decode()
    conflicts = web.get(f"/p/{voted.slug}/conflicts/")
    assert (conflicts.status_code, conflicts["Location"]) == (302, f"/p/{voted.slug}/insights/agreement/")
    card = b"".join(web.get(f"/p/{voted.slug}/releases/1/files/README.md").streaming_content).decode()  # type: ignore[attr-defined]
    assert "- `preset`: `task`\n" in card
    assert "5 people voted on the items. A validator sees no other vote before voting." in card
