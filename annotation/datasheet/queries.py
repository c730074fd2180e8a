"""What is read of a project's own words and of its people's: for its pages, and frozen into its releases."""

from datetime import datetime
from functools import partial
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet

from annotation.core import access, language
from annotation.core.errors import NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.datasheet.models import About, Consent, ConsentVersion, Demographics
from annotation.datasheet.rules import CHOICES, FIELDS, QUESTIONS, SECTIONS, StatedAnswer, canary


def about_of(project: Project) -> About:
    """What the project says of itself; an unsaved row of defaults where nobody said anything yet."""
    return About.objects.filter(project=project).first() or About(project=project)


def consent_text(project: Project) -> ConsentVersion | None:
    """The version that members are asked to agree to now."""
    return ConsentVersion.objects.filter(project=project).order_by("-n").first()


def least_consent_version(project: Project) -> int:
    """The version from which on an agreement still holds: the newest that asked everybody again."""
    asked = ConsentVersion.objects.filter(project=project, asks_again=True).order_by("-n")
    return asked.values_list("n", flat=True).first() or 1


def standing_consents(project: Project) -> QuerySet[Consent]:
    """The agreements of members that hold now."""
    result = Consent.objects.filter(version__project=project, ended_at=None)
    return result.filter(version__n__gte=least_consent_version(project))


def consent_of(annotator: Annotator) -> Consent | None:
    """A member's agreement that holds now."""
    return standing_consents(annotator.project).filter(annotator=annotator).select_related("version").first()


def own_place(user: User | AnonymousUser, slug: str) -> Annotator:
    """The viewer's own place in a project, also one that they left; NotFound where they never had one."""
    result = None
    if isinstance(user, User) and user.is_active:
        rows = Annotator.objects.select_related("project")
        result = rows.filter(user=user, project__slug=slug).first()
    if result is None:
        raise NotFound
    if result.left_at is None:
        language.apply_project_language(slug, partial(access.language_of_work, result))
    return result


def own_places(user: User) -> list[Annotator]:
    """Every place of somebody, also those that they left, by the project's name."""
    result = Annotator.objects.select_related("project").filter(user=user)
    return sorted(result, key=lambda place: (place.project.name.casefold(), place.project.slug))


def demographics_of(annotator: Annotator) -> Demographics:
    """What a member said about themselves; an unsaved row where they said nothing."""
    return Demographics.objects.filter(annotator=annotator).first() or Demographics(annotator=annotator)


def about_in_release(project: Project) -> dict[str, Any]:
    """A project's statements about itself in a release; plain values, nothing about its people."""
    stated, text = about_of(project), consent_text(project)
    return {
        "canary": canary(project.seed, project.slug),
        "licence": stated.licence,
        "citation": stated.citation,
        "homepage": stated.homepage,
        "ethics": {"board": stated.ethics_board, "number": stated.ethics_number},
        "consent": {"n": text.n, "text": text.text} if text else None,
        "entry": {**project.rules.entry_conditions, **project.rules.writer_entry_conditions},
        "statement": {name: stated.statement[name] for name in SECTIONS if stated.statement.get(name)},
        "answers": {name: stated.answers[name] for name in QUESTIONS if stated.answers.get(name)},
    }


def demographics_by_member(project: Project) -> dict[int, tuple[datetime, dict[str, StatedAnswer]]]:
    """What those who agreed to be counted said about themselves, and when, by the ids of their places."""
    agreed = standing_consents(project).filter(annotator=OuterRef("annotator"))
    rows = Demographics.objects.filter(Exists(agreed), annotator__project=project)
    names = {name: dict(choices) for name, choices in CHOICES.items()}
    columns = ["annotator__region" if name == "region" else name for name in FIELDS]
    return {
        annotator: (
            at,
            {
                name: StatedAnswer(names.get(name, {}).get(value, value), least)
                for name, value in zip(FIELDS, values, strict=True)
            },
        )
        for annotator, at, least, *values in rows.values_list("annotator", "at", "least", *columns)
    }
