"""What a member says about themselves, once they agreed; it goes for good when they say so."""

from collections.abc import Mapping

from django.db import transaction
from django.db.models.functions import Now

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.user import User
from annotation.datasheet.models import Consent, Demographics
from annotation.datasheet.queries import consent_of, consent_text
from annotation.datasheet.rules.demographics import (
    CHOICES,
    FIELDS,
    LARGEST_THRESHOLD,
    LONGEST,
    THRESHOLD,
)
from annotation.jobs.database import locked, now
from annotation.text.normalise import key_form, storable


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
        forget([place])


def forget(places: list[Annotator]) -> None:
    """Delete what these places' people said about themselves, and end what they agreed to; the caller locked them."""
    Demographics.objects.filter(annotator__in=places).delete()
    Consent.objects.filter(annotator__in=places, ended_at=None).update(ended_at=Now())
    Annotator.objects.filter(pk__in=[place.pk for place in places]).exclude(region="").update(region="")


def demographics_save(*, annotator: Annotator, said: Mapping[str, str], least: int = THRESHOLD) -> None:
    """Say about oneself what one likes, all of it anew; what is left empty is not said.

    It is kept as it was typed; spellings of one answer come together where they are counted. `least` is the smallest
    group that the person agrees to be counted in. Raises Conflict without a standing agreement, Invalid otherwise.
    """
    words = {name: _word(name, said.get(name, "")) for name in FIELDS}
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


def _word(name: str, given: str) -> str:
    word = key_form(" ".join(given.split()))
    if storable(word) or len(word) > LONGEST:
        raise Invalid(field=name, code="text_not_storable")
    if word and name in CHOICES and word not in dict(CHOICES[name]):
        raise Invalid(field=name, code="choice_unknown")
    return word


def entry_confirm(*, annotator: Annotator, asked: Mapping[str, str]) -> None:
    """Confirm the project's entry conditions; `asked` are those that the page showed, as it sent them.

    Raises Conflict where they were changed meanwhile. Confirming twice is the same as once.
    """
    with transaction.atomic():
        place = locked(Annotator.objects.select_related("project").filter(pk=annotator.pk)).get()
        conditions = place.project.rules.entry
        if dict(asked) != {name: str(value) for name, value in conditions.items()}:
            raise Conflict(code="entry_stale")
        if place.entry != conditions:
            place.entry = conditions
            place.save(update_fields=["entry"])
            data = {"annotator": place.pseudonym, "conditions": conditions}
            Event.objects.create(project=place.project, actor=place.user, verb="entry_confirmed", data=data)


def account_forget(user: User) -> None:
    """All of it, in every project, for somebody whose account is deleted; in the caller's transaction."""
    forget(list(locked(Annotator.objects.filter(user=user).order_by("pk"))))
