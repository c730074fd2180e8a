"""`manage.py load_demo`: six small projects with a history, and one log-in for each role, printed once."""

import secrets
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from exports.demo import machine, models, prompts, questions, story, translations
from exports.releases.actions import release_freeze
from exports.releases.rules.settings import preset

SLUGS = (story.SLUG, questions.SLUG, prompts.SLUG, translations.SLUG, machine.SETS_SLUG, machine.REVIEW_SLUG)
DEMO_LOGINS = (
    ("administrator", "admin@demo.example"),
    ("QC lead", "lead@demo.example"),
    ("writer", "writer@demo.example"),
    ("validator", "validator@demo.example"),
)


class Command(BaseCommand):
    """Everything in one transaction: the demo is there whole, or not at all."""

    help = "Load the six demo projects with people, history and a first release each, and print the log-ins."

    def handle(self, *args: Any, **options: Any) -> None:
        if Project.objects.filter(slug__in=SLUGS).exists() or User.objects.filter(email=DEMO_LOGINS[0][1]).exists():
            raise CommandError("The demo is loaded already.")
        passwords: dict[str, str] = {}

        def password(email: str) -> str | None:
            if email not in dict(DEMO_LOGINS).values():
                return None
            return passwords.setdefault(email, secrets.token_urlsafe(9))

        with transaction.atomic():
            demo = story.people(password)
            story.sources(demo)
            story.writing(demo)
            story.voting(demo)
            story.review(demo)
            story.describe_project(demo)
            releases = [
                release_freeze(project=project, rules=preset(project.rules.release), by=demo.administrator)
                for project in (
                    demo.project,
                    questions.make_project(demo),
                    prompts.make_project(demo),
                    translations.make_project(demo),
                    *machine.make_both_projects(demo),
                )
            ]
        for release in releases:
            assert release.job is not None  # noqa: S101 - release_freeze made it
            jobs.run_here(release.job)
        models.score_models(releases[0])
        self.stdout.write("Log-ins of the demo (passwords made when it was loaded, on this machine only):")
        for role, email in DEMO_LOGINS:
            self.stdout.write(f"  {role:<14} {email:<24} {passwords[email]}")
