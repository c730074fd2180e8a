"""What a project says of itself: the only writers of its licence, statement and consent text."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.datasheet.models import About, ConsentVersion
from annotation.datasheet.rules.demographics import LARGEST_THRESHOLD
from annotation.datasheet.rules.statement import LONGEST_SECTION, SECTIONS
from annotation.jobs.database import locked
from annotation.text.normalise import storable

LONGEST_CITATION, LONGEST_CONSENT = 4_000, 20_000
# The longest of each, as its column has it.
WORDS: Mapping[str, int] = {
    "licence": 80,
    "citation": LONGEST_CITATION,
    "homepage": 200,
    "ethics_board": 200,
    "ethics_number": 80,
}
ADDRESSES = ("https://", "http://")


def about_change(*, project: Project, by: User, changes: Mapping[str, Any], version: int) -> About:
    """Say anew what a release tells of the project; `version` is what the page showed, 0 where nothing was said.

    `changes` are columns of About, and `statement` whole. Releases that were made stay as they are. Raises Conflict
    where somebody was faster, Invalid for what cannot be stored.
    """
    said: dict[str, Any] = {
        name: _words(name, changes[name], longest) for name, longest in WORDS.items() if name in changes
    }
    if said.get("homepage") and not said["homepage"].startswith(ADDRESSES):
        raise Invalid(field="homepage", code="homepage_wrong")
    if "statement" in changes:
        said["statement"] = _statement(changes["statement"])
    if "threshold" in changes:
        said["threshold"] = _threshold(changes["threshold"])
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        present = About.objects.filter(project=fresh).first()
        if version != (present.version if present else 0):
            raise Conflict(code="stale")
        if present is None:
            present = About(project=fresh, version=0)
        changed = sorted(name for name, value in said.items() if getattr(present, name) != value)
        if not changed and present.pk:
            return present
        for name, value in said.items():
            setattr(present, name, value)
        present.version += 1
        present.save()
        Event.objects.create(project=fresh, actor=by, verb="about_changed", data={"fields": changed})
    return present


def _words(name: str, text: Any, longest: int) -> str:
    said = str(text).replace("\r\n", "\n").strip()
    if storable(said) or len(said) > longest:
        raise Invalid(field=name, code="text_not_storable")
    return said


def _statement(sections: Any) -> dict[str, str]:
    if not isinstance(sections, Mapping) or set(sections) - set(SECTIONS):
        raise Invalid(field="statement", code="section_unknown")
    said = {name: _words(name, sections.get(name, ""), LONGEST_SECTION) for name in SECTIONS}
    return {name: text for name, text in said.items() if text}


def _threshold(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST_THRESHOLD:
        raise Invalid(field="threshold", code="threshold_wrong")
    return value


def consent_publish(
    *, project: Project, text: str, asks_again: bool, by: User, seen: int = 0
) -> ConsentVersion:
    """A new version of what members agree to; `seen` is the number of the one that the page showed.

    With `asks_again` what members agreed to before holds no longer: they are asked, and counted when they agree. The
    first version asks everybody. Raises Conflict where there is a newer one, Invalid without a text.
    """
    said = _words("text", text, LONGEST_CONSENT)
    if not said:
        raise Invalid(field="text", code="text_missing")
    with transaction.atomic():
        fresh = locked(Project.objects.filter(pk=project.pk)).get()
        last = ConsentVersion.objects.filter(project=fresh).aggregate(n=Max("n"))["n"] or 0
        if seen != last:
            raise Conflict(code="stale")
        made = ConsentVersion.objects.create(
            project=fresh, n=last + 1, text=said, asks_again=asks_again or not last, by=by
        )
        data = {"n": made.n, "asks_again": made.asks_again}
        Event.objects.create(project=fresh, actor=by, verb="consent_published", data=data)
    return made
