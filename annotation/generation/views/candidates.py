"""Questions in the making: those of a run, and one of them with what each step made of it and its calls."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.core import access
from annotation.generation.candidate_text import (
    OUTCOMES,
    Change,
    changes,
    reason_name,
    reason_words,
    step_words,
    texts,
)
from annotation.generation.models import Call, Candidate, GenerationRun, StepResult
from annotation.generation.queries import candidates as fetch
from annotation.generation.queries import runs as machine
from annotation.ui.navigation import link, rooms

ROWS_A_PAGE = 25
# So much of an answer is put into lines, and so much of any text is shown: a model may say what it likes.
LONGEST_PRETTY = 20_000
LONGEST_SHOWN = 40_000
# What stands in a request beside its parameters.
TOLD = ("messages", "model", "input")


@dataclass(frozen=True)
class Row:
    """One question of the list: where it stands, and why it was dropped."""

    candidate: Candidate
    step: str
    reason: str


@dataclass(frozen=True)
class Sent:
    """One call as people read it: what was sent, with which parameters, what came back."""

    call: Call
    parameters: list[tuple[str, str]]
    messages: list[tuple[str, str]]
    answer: str


@dataclass(frozen=True)
class Stage:
    """What one step made of a question."""

    result: StepResult
    name: str
    outcome: str
    reason: str
    changes: list[Change]
    calls: list[Sent]


@login_required
@require_safe
def candidates(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """A run's questions; filters stand in the address, so that every number of a table leads to those behind it."""
    membership = access.machine_place(request.user, slug)
    run = access.generation_run(membership, n)
    chosen = {name: request.GET.get(name, "") for name in ("state", "step", "reason")}
    page = Paginator(fetch.candidates(run, **chosen), ROWS_A_PAGE).get_page(request.GET.get("page"))
    names = step_names(run)
    kept = urlencode({name: value for name, value in chosen.items() if value})
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "machine"),
        "run": run,
        "page": page,
        "rows": [
            Row(each, names.get(each.step, each.step), reason_words(each.reason, each.params))
            for each in page.object_list
        ],
        "query": f"{kept}&" if kept else "",
        "chosen": chosen,
        "states": _states(),
        "steps": names,
        "reasons": {code: reason_name(code) for code in fetch.reasons(run)},
    }
    return render(request, "annotation/generation/candidates.html", context)


def _states() -> dict[str, str]:
    """Where a question stands; and what a step made of it, where a step is chosen too."""
    outcomes = {
        key: gettext("%(what)s by the step") % {"what": gettext(name)} for key, name in OUTCOMES.items()
    }
    return {
        **{key: str(name) for key, name in Candidate.State.choices},
        "changed": outcomes["changed"],
    }


def step_names(run: GenerationRun) -> dict[str, str]:
    """The steps of a run by slug, as people call them."""
    return {step.slug: gettext(step.name) for step in machine.steps_of_run(run)}


@login_required
@require_safe
def candidate(request: HttpRequest, slug: str, n: int, candidate_id: int) -> HttpResponse:
    """One question: what it starts from, each step before and after with its calls, and the item made of it."""
    membership = access.machine_place(request.user, slug)
    run = access.generation_run(membership, n)
    one = fetch.candidate(run, candidate_id)
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "machine"),
        "run": run,
        "candidate": one,
        "texts": texts(one.content),
        "reason": reason_words(one.reason, one.params),
        "source": _source(one.material.data),
        "stages": _stages(run, one),
        "item_url": link("item", slug, one.item_id) if one.item_id else "",
        "before": fetch.neighbour(one, forward=False),
        "after": fetch.neighbour(one, forward=True),
    }
    return render(request, "annotation/generation/candidate.html", context)


def _stages(run: GenerationRun, one: Candidate) -> list[Stage]:
    results, names = fetch.results(one), step_names(run)
    calls = fetch.calls(results)
    found, before = [], fetch.begun_as(one)
    for result in results:
        found.append(
            Stage(
                result,
                names.get(result.step) or gettext("Made an item"),
                gettext(OUTCOMES[result.outcome]),
                step_words(result.reason, result.params),
                changes(before, result.content),
                [_sent(calls[number]) for number in result.calls if number in calls],
            )
        )
        before = result.content
    return found


def _sent(call: Call) -> Sent:
    request: Mapping[str, Any] = call.request
    parameters = request.get("parameters") or {
        name: value for name, value in request.items() if name not in TOLD
    }
    return Sent(
        call,
        [(name, _plain(value)) for name, value in parameters.items() if not isinstance(value, (dict, list))],
        [
            (str(each.get("role", "")), _readable(str(each.get("content", ""))))
            for each in request.get("messages", ())
        ],
        _readable(_pretty(call)),
    )


def _pretty(call: Call) -> str:
    """An answer that could be used in lines, where it is not too long for that; any other as it came."""
    if call.state != Call.State.ANSWERED or len(call.answer) > LONGEST_PRETTY:
        return call.answer
    try:
        return json.dumps(json.loads(call.answer), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return call.answer


def _readable(text: str) -> str:
    """A text that can be sent: half characters replaced, and what is far too long cut, which it says."""
    sound = text[:LONGEST_SHOWN].encode("utf-8", "replace").decode("utf-8")
    if len(text) <= LONGEST_SHOWN:
        return sound
    cut = gettext("(Cut here: %(shown)s of %(all)s characters are shown.)")
    return f"{sound}…\n{cut % {'shown': LONGEST_SHOWN, 'all': len(text)}}"


def _plain(value: object) -> str:
    return _readable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _source(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a question starts from, line by line."""
    found = []
    for name, value in data.items():
        if isinstance(value, list):
            told = ", ".join(
                str(each.get("text", "")) if isinstance(each, dict) else str(each) for each in value
            )
        else:
            told = str(value)
        if told and name != "uris":
            found.append((source_name(name), told))
    return found


def source_name(name: str) -> str:
    """What a part of a source is called."""
    words = {
        "relation": gettext("Relation"),
        "direction": gettext("Direction"),
        "source": gettext("Source"),
        "targets": gettext("Targets"),
        "concept": gettext("Concept"),
        "category": gettext("Category"),
        "question": gettext("Question"),
        "options": gettext("Choices"),
        "id": gettext("Number"),
        "parallel": gettext("Parallel key"),
        "language": gettext("Language"),
        "project": gettext("Project"),
    }
    return words.get(name, name)
