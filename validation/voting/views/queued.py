"""Answers that a browser stored without a connection: each is stored once, or gets a reason why it is not."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext

from annotation.core.errors import EntryOwed, Forbidden, NotFound, Refusal, SecondFactorOwed
from annotation.core.messages import problem_words
from annotation.core.person import person_mark
from annotation.core.problems import PROBLEMS
from validation.voting.actions.votes import is_answer_stored
from validation.voting.views.cards import client_id_of


def is_queued(request: HttpRequest) -> bool:
    """Whether a script sends what it kept: it names whose it is, and reads JSON."""
    return "X-Queued-By" in request.headers


def handle_queued(request: HttpRequest, slug: str, send: Callable[[], object]) -> HttpResponse:
    """Do what was kept: 200 where it is stored, now or before; else why not, in words, 403 if another's or waiting."""
    assert request.user.pk is not None  # noqa: S101 - login_required
    if request.headers["X-Queued-By"] != person_mark(request.user):
        return JsonResponse({"problem": "other_person"}, status=403)
    try:
        send()
    except EntryOwed as owed:
        return _waiting(owed, reverse("entry", args=[owed.slug]), gettext("Before you begin"))
    except SecondFactorOwed as owed:
        return _waiting(owed, reverse("second_factor"), gettext("Set up two-step sign-in"))
    except Refusal as refusal:
        if is_answer_stored(user_id=request.user.pk, slug=slug, client_id=client_id_of(request.POST)):
            return JsonResponse({"stored": True})
        code = "assignment_gone" if isinstance(refusal, NotFound | Forbidden) else refusal.code
        later = f"queued_{code}"
        words = problem_words(later if later in PROBLEMS else code) % refusal.details
        return JsonResponse({"problem": refusal.code, "words": words}, status=refusal.page_status)
    return JsonResponse({"stored": True})


def _waiting(owed: Refusal, address: str, title: str) -> HttpResponse:
    """What was kept waits until its person has confirmed or set up what they owe; all else is sent meanwhile."""
    waits = {"words": problem_words(owed.code), "address": address, "title": title}
    return JsonResponse({"problem": owed.code, "waits": waits}, status=owed.status)
