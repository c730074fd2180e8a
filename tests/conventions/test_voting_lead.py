"""A15, A16 for a lead who votes: what others voted on an item that this lead can still be asked about changes no byte
of any page or answer of the API, whatever was computed, listed, searched or downloaded meanwhile."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import override_settings
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.projects.actions.projects import project_settings_change
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules.settings import preset
from tests import factory, translations
from tests.conventions.named_objects import mark
from tests.conventions.table import family_of, read_whole, rows
from tests.conventions.translation_project import OWN_TARGET
from tests.conventions.visits import comparable_bytes, rolled_back
from tests.conventions.world import World
from tests.review import assign, cast_vote, decide
from validation.insights.actions import insights_ask
from validation.insights.models import Insight
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db
ROLE, MOMENT = "voting-lead", "2026-05-01T00:00Z"
# What leads can read; what differs from moment to moment is not among it.
GETS = [row for row in rows() if row.method == "GET" and not family_of(row.route) and row.expected["lead"][0] == "200"]
GETS = [
    row for row in GETS if row.route not in ("readyz", "healthz", "how_to", "service_worker", "manifest", "offline")
]
# Routes of the projects of other kinds that count, list or name items.
OF_EVERY_KIND = {
    *("project", "people", "imports", "media_files", "questions", "insights", "conflicts", "conflict_items"),
    *("conflicts_file", "agreement_file", "validation", "validation_file", "model_votes", "desk", "items", "errors"),
    *(
        "releases",
        "release_new",
        "targets",
        "missing",
        "missing_file",
        "second_looks",
        "pay",
        "insight",
        "insight_file",
    ),
    *("api_items", "api_sources", "api_events", "api_audits", "api_error_counts", "api_insights", "api_insight"),
    *(
        "api_members",
        "api_questions",
        "api_model_votes",
        "api_model_votes_compare",
        "api_pay",
        "api_jobs",
        "api_targets",
    ),
}
# What lists and figures can be narrowed to.
NARROWED = {
    "items": ("stage=voting", "stage=returned", "round=1", "round=2", "q=Ada", "flag=ambiguous", "against=1"),
    "desk": ("stage=returned", "check=1"),
    "conflicts": ("round=1", "round=2", "category=single"),
    "conflict_items": ("all=1", "round=2"),
    "conflicts_file": ("round=2",),
    "agreement_file": ("category=single",),
    "api_items": ("stage=voting", "updated_since=2026-01-01T00:00:00Z"),
}


class Colleagues:
    """Two people in projects of each kind, who vote on an item that the reader can still be asked about."""

    def __init__(self, world: World) -> None:
        self.world, self.reader = world, factory.user()
        self.projects: dict[str, Project] = {}
        self.items: dict[str, Item] = {}
        self.voters: dict[str, list[Annotator]] = {}
        for name in ("slug", "generated", "prompts", "translated"):
            self._join(name, Project.objects.get(slug=getattr(world.own, name)))
        world.people[ROLE] = self.reader
        world.sessions.pop(ROLE, None)
        self.client = world.client(ROLE)
        for name, project in self.projects.items():
            # What they hold is held in both worlds, under the same token.
            self.client.get(reverse("vote", args=[project.slug]))
            self.items[name] = self._asked(project)
        self.jobs = [insights_ask(project=project, by=None) for project in self.projects.values()]

    def _join(self, name: str, project: Project) -> None:
        project_settings_change(project=project, by=None, changes={"leads_vote": True, "check_first": False})
        project.refresh_from_db()
        join: Any = partial(translations.member, targets=(OWN_TARGET,)) if name == "translated" else factory.member
        join(project, "lead", "validator", account=self.reader)
        self.projects[name], self.voters[name] = project, [join(project, "validator") for _ in range(2)]
        waiting = Item.objects.filter(project=project, stage__in=("submitted", "written", "voting")).order_by("pk")
        # One word of a reviewer returns a translation.
        slots = 1 if name == "translated" else 4
        asked = {"stage": "voting", "round": 1, "pending": slots, "slots_free": slots, "sampled": True, "due_at": None}
        Item.objects.filter(pk__in=waiting.values("pk")[:2]).update(**asked)

    def _asked(self, project: Project) -> Item:
        """An item of the project that the reader may be offered, and does not hold."""
        held = Assignment.objects.filter(annotator__user=self.reader).values("item")
        found = Item.objects.filter(project=project, stage="voting", slots_free__gt=0).exclude(pk__in=held)
        return found.order_by("pk")[0]

    def vote(self) -> None:
        """Both vote in each project, differently, with all that can be said beside a label."""
        words, marks = {"comment": mark("comment")}, {"unsure": True, "ambiguous": True}
        self._cast("slug", ("n", "c"), **words, **marks, proposals={"hypothesis": "Ada yang lain."})
        self._cast("generated", ("yes", "no"), **words)
        self._cast("prompts", ("R2", "I2"), **words, answers={"personal": "I1"})
        self._cast("translated", ("return",), **words, answers={"error": "number"})
        decide()

    def _cast(self, name: str, labels: tuple[str, ...], **more: Any) -> None:
        for person, label in zip(self.voters[name], labels, strict=False):
            cast_vote(assign(self.items[name], person), label, **more)

    def addresses(self) -> list[str]:
        """What the reader can ask for, with one's own things and a colleague's, in the project of each kind."""
        own, found = self.world.own, set[str]()
        for row in GETS:
            found |= {row.url(things) for things in (own, self.world.others)}
            narrowed = {f"{row.url(own)}?{query}" for query in NARROWED.get(row.route, ())}
            found |= narrowed
            if row.route in OF_EVERY_KIND:
                project = row.url(own).split("/projects/" if row.is_api else "/p/")[1].split("/")[0]
                for other in self.projects.values():
                    found |= {url.replace(f"/{project}/", f"/{other.slug}/") for url in (row.url(own), *narrowed)}
        for name, item in self.items.items():
            slug = self.projects[name].slug
            found |= {reverse("item", args=[slug, item.pk]), reverse("api_item", args=[slug, item.key])}
        newest = Release.objects.filter(project__slug=own.slug).order_by("-n")[0].n + 1
        of_release = ("release", "api_release", "statistics", "publication", "predictions")
        found |= {reverse(name, args=[own.slug, newest]) for name in of_release}
        return sorted({*found, reverse("release_file", args=[own.slug, newest, "votes.jsonl"])})

    def answers(self, addresses: list[str]) -> dict[str, tuple[int, dict[str, str], bytes]]:
        """What each address answers after figures were computed, and a release was built, of what there is now."""
        for job in self.jobs:
            jobs.run(job.pk)
        Insight.objects.update(at=MOMENT, seconds=0)
        rules = preset("indonli-lay").changed({"not_sampled": "train", "strict": "no", "forms": "none"})
        made = release_freeze(project=self.projects["slug"], rules=rules, by=None, here=True)
        assert made.job is not None
        jobs.run(made.job.pk)
        # Numbers are not given twice, whatever was taken back.
        Release.objects.filter(pk=made.pk).update(job=None)
        made.job.delete()
        Job.objects.update(at=MOMENT, started_at=MOMENT, finished_at=MOMENT)
        cache.clear()
        return {url: rolled_back(partial(self._answer, url)) for url in addresses}

    def _answer(self, url: str) -> tuple[int, dict[str, str], bytes]:
        return comparable_bytes(read_whole(self.client.get(url)))


def test_others_votes_change_nothing_that_a_lead_who_votes_sees(world: World, tmp_path: Path) -> None:
    colleagues = Colleagues(world)
    addresses = colleagues.addresses()

    def voted() -> dict[str, tuple[int, dict[str, str], bytes]]:
        colleagues.vote()
        stages = Item.objects.filter(pk__in=[item.pk for item in colleagues.items.values()]).values_list(
            "stage", flat=True
        )
        assert sorted(stages) == ["returned", "voting", "voting", "voting"]
        return colleagues.answers(addresses)

    with override_settings(MUFAKAT_DATA_DIR=tmp_path):
        before = rolled_back(lambda: colleagues.answers(addresses))
        after = rolled_back(voted)
    assert [url for url in addresses if before[url] != after[url]] == []
    # What is shown is not nothing.
    assert sum(status == 200 for status, _, _ in before.values()) > 200
