"""Common code of views: show a page of a project, and carry out a form's action or show it again with errors."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, NamedTuple

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, Refusal
from annotation.core.messages import problem_words
from annotation.kinds import Kind
from annotation.ui.navigation import navigation_links
from annotation.ui.typed_numbers import read_number


def page(
    request: HttpRequest, membership: Membership, room: str, template: str, *, status: int = 200, **more: Any
) -> HttpResponse:
    """A page of a project, with the navigation of its reader; `room` is the link of it that leads here."""
    return render(request, template, page_context(membership, room, **more), status=status)


class Difference(NamedTuple):
    """One field in which what was typed and what stands now differ."""

    name: str
    typed: Any
    current: Any


def differences(form: Form, typed: Mapping[str, Any], stands: Mapping[str, Any]) -> list[Difference]:
    """What somebody typed beside what stands now, where they differ."""
    return [
        Difference(str(form.fields[name].label), value, stands[name])
        for name, value in typed.items()
        if name in stands and name != "version" and value != stands[name]
    ]


def with_media(response: HttpResponse, kind: Kind) -> HttpResponse:
    """Let the page load what the kind's items show from the hosts that its task names, and from nowhere else."""
    if kind.presentation.media_origins:
        response._csp_update = dict(kind.presentation.media_origins)  # type: ignore[attr-defined]
    return response


def page_context(membership: Membership, room: str, **more: Any) -> dict[str, Any]:
    """What every page of a project takes; `room` is its place in the navigation."""
    return {
        "project": membership.project,
        "membership": membership,
        "nav": navigation_links(membership, room),
        **more,
    }


def words_of(refusal: Refusal) -> str:
    """What went wrong: the action's own words, or those of its code."""
    return refusal.message or problem_words(refusal.code)


def show_refusal(form: Form, refusal: Refusal) -> int:
    """Put a refusal into the form that was sent, beside its field where it has one; the status of the page."""
    form.add_error(refusal.field if refusal.field in form.fields else None, words_of(refusal))
    return refusal.page_status


def submit(form: Form, act: Callable[[dict[str, Any]], object]) -> int:
    """Do with the cleaned data what a form asks for: 0, or the status of the page that shows the form again."""
    if not form.is_valid():
        return 422
    try:
        act(form.cleaned_data)
    except (Invalid, Conflict) as refusal:
        return show_refusal(form, refusal)
    return 0


def posted_number(request: HttpRequest, name: str) -> int:
    """A version that the form carries; 0 where it carries none or nonsense, which then conflicts by itself."""
    return whole_number(request.POST.get(name))


def typed_number(text: str | None) -> int:
    """A whole number that somebody typed, as the page's language writes it; 0 for an empty field, -1 for all else."""
    with suppress(ValueError):
        number = read_number(text) if text and text.strip() else Decimal(0)
        return int(number) if number == number.to_integral_value() and 0 <= number < 10**9 else -1
    return -1


def whole_number(text: str | None) -> int:
    """A whole number as typed; 0, which nothing takes, for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0
