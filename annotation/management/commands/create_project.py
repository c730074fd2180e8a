"""`manage.py create_project SLUG --preset NAME --language CODE`: a project as a paper had it."""

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug

from annotation import presets
from annotation.core.actions.projects import project_create
from annotation.core.errors import Refusal
from annotation.core.messages import problem_words


class Command(BaseCommand):
    """Makes a project from a preset; everything else can be changed on its pages."""

    help = "Make a project from a preset."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the short name: it stands in addresses and never changes")
        parser.add_argument("--preset", required=True, choices=[p.slug for p in presets.all_presets()])
        parser.add_argument("--language", default="", help="code of the language (default: the preset's)")
        parser.add_argument("--register", default="", help="where the language has several")
        parser.add_argument("--name", default="", help="what people see (default: the slug)")
        parser.add_argument("--seed", default="", help="of every draw (default: drawn once)")
        parser.add_argument(
            "--share", default=None, help="part that is validated, 0 to 1 (default: the preset's)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        try:
            validate_slug(slug)
            share = None if options["share"] is None else Decimal(options["share"])
            if share is not None and not 0 <= share <= 1:
                raise InvalidOperation
            project = project_create(
                slug=slug,
                name=options["name"] or slug,
                preset=options["preset"],
                language=options["language"],
                register=options["register"],
                seed=options["seed"],
                share=share,
            )
        except ValidationError as error:
            raise CommandError("slug: small letters, digits and hyphens, such as pasar-1") from error
        except InvalidOperation as error:
            raise CommandError("share: must be a number from 0 to 1") from error
        except Refusal as refusal:
            raise CommandError(
                f"{refusal.field}: {refusal.message or problem_words(refusal.code)}"
            ) from refusal
        self.stdout.write(f"project {project.slug} ({project.kind}, {project.language}, seed {project.seed})")
