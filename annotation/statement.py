"""What is read of a project's own words and of its people's: for its pages, and frozen into its releases."""

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import About, Annotator, Consent, ConsentVersion, Demographics, Project
from annotation.rules.about import SECTIONS, canary
from annotation.rules.demographics import CHOICES, FIELDS, Said, counted


def about_of(project: Project) -> About:
    """What the project says of itself; an unsaved row of defaults where nobody said anything yet."""
    return About.objects.filter(project=project).first() or About(project=project)


def consent_text(project: Project) -> ConsentVersion | None:
    """The version that members are asked to agree to now."""
    return ConsentVersion.objects.filter(project=project).order_by("-n").first()


def least_version(project: Project) -> int:
    """The version from which on an agreement still holds: the newest that asked everybody again."""
    asked = ConsentVersion.objects.filter(project=project, asks_again=True).order_by("-n")
    return asked.values_list("n", flat=True).first() or 1


def standing(project: Project) -> QuerySet[Consent]:
    """The agreements of members that hold now."""
    found = Consent.objects.filter(version__project=project, ended_at=None)
    return found.filter(version__n__gte=least_version(project))


def consent_of(annotator: Annotator) -> Consent | None:
    """A member's agreement that holds now."""
    return standing(annotator.project).filter(annotator=annotator).select_related("version").first()


def demographics_of(annotator: Annotator) -> Demographics:
    """What a member said about themselves; an unsaved row where they said nothing."""
    return Demographics.objects.filter(annotator=annotator).first() or Demographics(annotator=annotator)


def about(project: Project, people: Collection[int]) -> dict[str, Any]:
    """What a release tells of the project, as `context["about"]` keeps it; `people` took part in what is released.

    Plain values. `people` in it holds counts only, grouped by annotation.rules.demographics; nobody is named.
    """
    said, text = about_of(project), consent_text(project)
    return {
        "canary": canary(project.seed, project.slug),
        "licence": said.licence,
        "citation": said.citation,
        "homepage": said.homepage,
        "ethics": {"board": said.ethics_board, "number": said.ethics_number},
        "consent": {"n": text.n, "text": text.text} if text else None,
        "entry": project.rules.entry,
        "statement": {name: said.statement[name] for name in SECTIONS if said.statement.get(name)},
        "people": {
            "threshold": said.threshold,
            "fields": _counts(project, said.threshold, people),
        },
    }


def _counts(project: Project, threshold: int, people: Collection[int]) -> list[dict[str, Any]]:
    """A table for each field in which enough said something."""
    rows = Demographics.objects.filter(annotator__project=project).filter(
        Exists(standing(project).filter(annotator=OuterRef("annotator")))
    )
    names = {name: dict(choices) for name, choices in CHOICES.items()}
    columns = ["annotator__region" if name == "region" else name for name in FIELDS]
    said: dict[str, list[Said]] = {name: [] for name in FIELDS}
    for annotator, least, *values in rows.values_list("annotator", "least", *columns):
        if annotator not in people:
            continue
        for name, value in zip(FIELDS, values, strict=True):
            said[name].append(Said(names.get(name, {}).get(value, value), least))
    found = (counted(name, each, threshold) for name, each in said.items())
    return [table.to_dict() for table in found if table.said]


def has_told(project: Project) -> bool:
    """Whether anybody agreed to be counted and said something, so that it matters who took part."""
    return Demographics.objects.filter(annotator__project=project).exists()
