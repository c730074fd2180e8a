"""`manage.py create_project SLUG --preset NAME`, or `--task FILE`: a project as a paper had it, or with an own task."""

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug

from annotation import presets
from annotation.core.errors import Refusal
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_create


class Command(BaseCommand):
    """Makes a project from a preset or a task; everything else can be changed on its pages."""

    help = "Make a project from a preset, or with a task of your own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the short name: it stands in addresses and never changes")
        made_from = parser.add_mutually_exclusive_group(required=True)
        made_from.add_argument("--preset", choices=[p.slug for p in presets.all_presets()])
        made_from.add_argument(
            "--task", metavar="FILE", help="a task of your own: a YAML file, or the name of a template"
        )
        parser.add_argument("--language", default="", help="code of the language (default: the preset's)")
        parser.add_argument("--register", default="", help="where the language has several")
        parser.add_argument("--name", default="", help="what people see (default: the slug)")
        parser.add_argument("--seed", default="", help="of every draw (default: drawn once)")
        parser.add_argument("--share", default=None, help="part that is validated, 0 to 1 (default: the preset's)")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        try:
            validate_slug(slug)
            share = None if options["share"] is None else Decimal(options["share"])
            if share is not None and not 0 <= share <= 1:
                raise InvalidOperation
            given = {name: options[name] for name in ("language", "register", "seed")} | {"share": share}
            if options["task"] is not None:
                project = _project_of_task(slug, options["name"], options["task"], given)
            else:
                name = options["name"] or slug
                project = project_create(slug=slug, name=name, preset=options["preset"], **given)
        except ValidationError as error:
            raise CommandError("slug: small letters, digits and hyphens, such as pasar-1") from error
        except InvalidOperation as error:
            raise CommandError("share: must be a number from 0 to 1") from error
        except Refusal as refusal:
            raise CommandError(f"{refusal.field}: {refusal.message or problem_words(refusal.code)}") from refusal
        self.stdout.write(f"project {project.slug} ({project.kind}, {project.language}, seed {project.seed})")


def _project_of_task(slug: str, name: str, file: str, given: dict[str, Any]) -> Project:
    """A project with the task that a file, or a template of this name, describes. Raises CommandError."""
    # Only where one is described: reading descriptions takes pydantic.
    from annotation.tasks.actions import task_project_create
    from annotation.tasks.rules.reading import LONGEST_FILE, TaskRefused, read
    from annotation.tasks.rules.templates import templates

    text = templates().get(file)
    try:
        if text is None:
            with Path(file).open(encoding="utf-8") as lines:
                text = lines.read(LONGEST_FILE + 1)
        return task_project_create(slug=slug, name=name, task=read(text), **given)
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(
            f"{file}: cannot be read ({error}); give a YAML file, or one of {', '.join(templates())}"
        ) from error
    except TaskRefused as refused:
        raise CommandError("\n".join([f"{file}: the task cannot be made", *refused.problems])) from refused
