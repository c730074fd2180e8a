"""What a project and its members say of themselves: licence, data statement, consent, demographics."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from annotation.core.access import entry_conditions
from annotation.core.database import locked, now
from annotation.core.errors import Conflict, Forbidden, Invalid, clean_typed, first_or_not_found
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.datasheet.models import About, Consent, ConsentVersion, Demographics
from annotation.datasheet.queries import consent_of, consent_text
from annotation.datasheet.rules import (
    CHOICES,
    FIELDS,
    LARGEST_THRESHOLD,
    LONGEST_ANSWER,
    LONGEST_LINE,
    LONGEST_SECTION,
    QUESTIONS,
    SECTIONS,
    THRESHOLD,
    wrong_values,
)
from annotation.text.normalise import key_form

LONGEST_CITATION, LONGEST_CONSENT = 4_000, 20_000
# The longest of each, as its column has it.
LONGEST_TEXTS: Mapping[str, int] = {
    "licence": 80,
    "citation": LONGEST_CITATION,
    "homepage": 200,
    "ethics_board": 200,
    "ethics_number": 80,
}


def about_change(*, project: Project, by: User | None, changes: Mapping[str, Any], version: int) -> About:
    """Say anew what a release tells of the project; `version` is what the page showed, 0 where nothing was said.

    `changes` are columns of About, `statement` and `answers` whole. Releases that were made stay as they are. Raises
    Conflict where somebody was faster, Invalid for what cannot be stored.
    """
    given: dict[str, Any] = {
        name: clean_typed(str(changes[name]), name, longest)
        for name, longest in LONGEST_TEXTS.items()
        if name in changes
    }
    if "statement" in changes:
        given["statement"] = _clean_texts(changes["statement"], dict.fromkeys(SECTIONS, LONGEST_SECTION))
    if "answers" in changes:
        given["answers"] = _clean_answers(changes["answers"])
    if "threshold" in changes:
        given["threshold"] = _clean_threshold(changes["threshold"])
    for name, code in wrong_values(given.get("homepage", ""), given.get("answers", {}), now().date()).items():
        raise Invalid(field=name, code=code)
    with transaction.atomic():
        fresh = Project.lock(project.pk)
        present = About.objects.filter(project=fresh).first()
        if version != (present.version if present else 0):
            raise Conflict(code="stale")
        if present is None:
            present = About(project=fresh, version=0)
        changed = sorted(name for name, value in given.items() if getattr(present, name) != value)
        if not changed and present.pk:
            return present
        for name, value in given.items():
            setattr(present, name, value)
        present.version += 1
        present.save()
        Event.record(fresh, by, "about_changed", fields=changed)
    return present


def _clean_texts(texts: Any, longest: Mapping[str, int]) -> dict[str, str]:
    """Texts by name, those that are not empty; none is longer than it may be."""
    if not isinstance(texts, Mapping) or set(texts) - set(longest):
        raise Invalid(field="statement", code="section_unknown")
    cleaned = {name: clean_typed(str(texts.get(name, "")), name, most) for name, most in longest.items()}
    return {name: text for name, text in cleaned.items() if text}


def _clean_answers(texts: Any) -> dict[str, str]:
    """Answers to QUESTIONS."""
    longest = {name: LONGEST_LINE if is_line else LONGEST_SECTION for name, (_, _, is_line) in QUESTIONS.items()}
    return _clean_texts(texts, longest)


def _clean_threshold(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST_THRESHOLD:
        raise Invalid(field="threshold", code="threshold_wrong")
    return value


def consent_publish(*, project: Project, text: str, asks_again: bool, by: User, seen: int = 0) -> ConsentVersion:
    """A new version of what members agree to; `seen` is the number of the one that the page showed.

    With `asks_again` what members agreed to before holds no longer: they are asked, and counted when they agree. The
    first version asks everybody. The same text that nobody is asked about again makes no version. Raises Conflict
    where there is a newer one, Invalid without a text.
    """
    stored = clean_typed(text, "text", LONGEST_CONSENT, missing="text_missing")
    with transaction.atomic():
        fresh = Project.lock(project.pk)
        newest = ConsentVersion.objects.filter(project=fresh).order_by("-n").first()
        last = newest.n if newest is not None else 0
        if seen != last:
            raise Conflict(code="stale")
        if newest is not None and newest.text == stored and not asks_again:
            return newest
        made = ConsentVersion.objects.create(
            project=fresh, n=last + 1, text=stored, asks_again=asks_again or not last, by=by
        )
        Event.record(fresh, by, "consent_published", n=made.n, asks_again=made.asks_again)
    return made


def consent_give(*, annotator: Annotator, n: int) -> Consent:
    """Agree to version `n`, which must be the present one; agreeing twice is the same as once.

    Raises Conflict where another version was published meanwhile.
    """
    with transaction.atomic():
        place = locked(Annotator.objects.filter(pk=annotator.pk)).get()
        text = consent_text(place.project)
        if text is None or text.n != n:
            raise Conflict(code="consent_stale")
        present = Consent.objects.filter(annotator=place, ended_at=None).first()
        if present is not None and present.version_id == text.pk:
            return present
        Consent.objects.filter(annotator=place, ended_at=None).update(ended_at=Now())
        return Consent.objects.create(annotator=place, version=text)


def consent_end(*, annotator: Annotator) -> None:
    """Take the agreement back: what was said goes for good, releases that were made stay as they are."""
    with transaction.atomic():
        place = locked(Annotator.objects.filter(pk=annotator.pk)).get()
        forget_demographics([place])


def forget_demographics(places: list[Annotator]) -> None:
    """Delete what these places' people said about themselves, and end what they agreed to; the caller locked them."""
    Demographics.objects.filter(annotator__in=places).delete()
    Consent.objects.filter(annotator__in=places, ended_at=None).update(ended_at=Now())
    Annotator.objects.filter(pk__in=[place.pk for place in places]).exclude(region="").update(region="")


def demographics_save(*, annotator: Annotator, answers: Mapping[str, str], least: int = THRESHOLD) -> None:
    """Say about oneself what one likes, all of it anew; what is left empty is not said.

    It is kept as it was typed; spellings of one answer come together where they are counted. `least` is the smallest
    group that the person agrees to be counted in. Raises Conflict without a standing agreement, Invalid otherwise.
    """
    words = {name: _clean_word(name, answers.get(name, "")) for name in FIELDS}
    if not 1 <= least <= LARGEST_THRESHOLD:
        raise Invalid(field="least", code="threshold_wrong")
    with transaction.atomic():
        place = locked(Annotator.objects.filter(pk=annotator.pk)).get()
        if consent_of(place) is None:
            raise Conflict(code="consent_missing")
        region = words.pop("region")
        moved, place.region = place.region != region, region
        place.save(update_fields=["region"])
        if not any(words.values()) and not place.region:
            Demographics.objects.filter(annotator=place).delete()
            return
        values = {**words, "least": min(least, THRESHOLD)}
        present = Demographics.objects.filter(annotator=place).first()
        if moved or present is None or any(getattr(present, name) != value for name, value in values.items()):
            Demographics.objects.update_or_create(annotator=place, defaults={**values, "at": now()})


def _clean_word(name: str, given: str) -> str:
    word = clean_typed(key_form(" ".join(given.split())), name, LONGEST_ANSWER)
    if word and name in CHOICES and word not in dict(CHOICES[name]):
        raise Invalid(field=name, code="choice_unknown")
    return word


def entry_confirm(*, annotator: Annotator, asked: Mapping[str, str]) -> None:
    """Confirm the project's entry conditions; `asked` are those that the page showed, as it sent them.

    Raises Conflict where they were changed meanwhile. Confirming twice is the same as once.
    """
    with transaction.atomic():
        place = locked(Annotator.objects.select_related("project").filter(pk=annotator.pk)).get()
        conditions = entry_conditions(place)
        if dict(asked) != {name: str(value) for name, value in conditions.items()}:
            raise Conflict(code="entry_stale")
        if place.entry != conditions:
            place.entry = conditions
            place.save(update_fields=["entry"])
            data = {"annotator": place.pseudonym, "conditions": conditions}
            Event.record(place.project, place.user, "entry_confirmed", **data)


def account_forget(user: User) -> None:
    """All of it, in every project, for somebody whose account is deleted; in the caller's transaction."""
    forget_demographics(list(locked(Annotator.objects.filter(user=user).order_by("pk"))))


REGION_LONGEST = 80


def region_change(*, project: Project, annotator_id: int, region: str, by: User) -> Annotator:
    """Say where somebody answers from, or take it back (empty): the person themselves, or an administrator.

    It is kept as it was typed; spellings of one region come together where they are counted. The event names nobody's
    region. Raises NotFound outside the project, Forbidden for others, Invalid for what cannot be stored.
    """
    wanted = clean_typed(key_form(" ".join(region.split())), "region", REGION_LONGEST, wrong="region_wrong")
    with transaction.atomic():
        there = Annotator.objects.filter(pk=annotator_id, project=project, left_at=None)
        place = first_or_not_found(locked(there.filter(user__isnull=False)))
        if place.user_id != by.pk and not by.is_administrator:
            raise Forbidden
        place.region = wanted
        place.save(update_fields=["region"])
        Demographics.objects.filter(annotator=place).update(at=now())
        Event.record(project, by, "region", annotator=place.pseudonym)
    return place
