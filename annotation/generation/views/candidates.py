"""Candidates: those of a run, and one of them with the result of each step and its calls."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_safe

from annotation.generation.candidate_text import (
    OUTCOMES,
    changes,
    reason_name,
    reason_words,
    step_words,
    texts,
)
from annotation.generation.models import Call, Candidate, GenerationRun
from annotation.generation.queries import candidates as fetch
from annotation.generation.queries import runs
from annotation.generation.queries.runs import steps_of_run
from annotation.generation.views.runs import render_page
from annotation.ui.navigation import page_url

ROWS_A_PAGE = 25
# So much of an answer is put into lines, and so much of any text is shown: a model may answer what it likes.
LONGEST_PRETTY, LONGEST_SHOWN = 20_000, 40_000
# What the parts of a source are called; others by themselves.
SOURCE_NAMES = {
    "relation": _("Relation"),
    "direction": _("Direction"),
    "source": _("Source"),
    "targets": _("Targets"),
    "concept": _("Concept"),
    "category": _("Category"),
    "question": _("Question"),
    "options": _("Choices"),
    "id": _("Number"),
    "parallel": _("Parallel key"),
    "language": _("Language"),
    "project": _("Project"),
}


@login_required
@require_safe
def candidates(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """A run's questions; filters stand in the address, so that every number of a table leads to those behind it."""
    membership = runs.machine_membership(request.user, slug)
    run = runs.generation_run(membership, n)
    chosen = {name: request.GET.get(name, "") for name in ("state", "step", "reason")}
    page = Paginator(fetch.candidates(run, **chosen), ROWS_A_PAGE).get_page(request.GET.get("page"))
    names = _step_names(run)
    query = urlencode({name: value for name, value in chosen.items() if value})
    by_step = gettext("%(what)s by the step") % {"what": gettext(OUTCOMES["changed"])}
    states = {**dict(Candidate.State.choices), "changed": by_step}
    reasons = {code: reason_name(code) for code in fetch.reasons(run)}
    filters = [
        ("state", gettext("State"), states, chosen["state"]),
        ("step", gettext("Step"), names, chosen["step"]),
        ("reason", gettext("Dropped because"), reasons, chosen["reason"]),
    ]
    return render_page(
        request,
        membership,
        "candidates",
        run=run,
        page=page,
        rows=[
            (each, names.get(each.step, each.step), reason_words(each.reason, each.params)) for each in page.object_list
        ],
        query=f"{query}&" if query else "",
        filters=filters,
    )


def _step_names(run: GenerationRun) -> dict[str, str]:
    """The steps of a run by slug, as people call them."""
    return {step.slug: gettext(step.name) for step in steps_of_run(run)}


@login_required
@require_safe
def candidate(request: HttpRequest, slug: str, n: int, candidate_id: int) -> HttpResponse:
    """One question: what it starts from, each step before and after with its calls, and the item made of it."""
    membership = runs.machine_membership(request.user, slug)
    run = runs.generation_run(membership, n)
    one = fetch.candidate(run, candidate_id)
    return render_page(
        request,
        membership,
        "candidate",
        run=run,
        candidate=one,
        texts=texts(one.content),
        reason=reason_words(one.reason, one.params),
        source=list(_source_lines(one.material.data)),
        stages=list(_step_results(run, one)),
        item_url=page_url("item", slug, one.item_id) if one.item_id else "",
        before=fetch.neighbour(one, forward=False),
        after=fetch.neighbour(one, forward=True),
    )


def _step_results(run: GenerationRun, one: Candidate) -> Iterator[dict[str, Any]]:
    """What each step made of a question, with its calls."""
    results, names = fetch.results(one), _step_names(run)
    calls, before = fetch.calls(results), fetch.initial_content(one)
    for result in results:
        yield {
            "result": result,
            "name": names.get(result.step) or gettext("Made an item"),
            "outcome": gettext(OUTCOMES[result.outcome]),
            "reason": step_words(result.reason, result.params),
            "changes": changes(before, result.content),
            "calls": [_shown_call(calls[number]) for number in result.calls if number in calls],
        }
        before = result.content


def _shown_call(call: Call) -> dict[str, Any]:
    """One call as people read it: what was sent, with which parameters, what came back."""
    request: Mapping[str, Any] = call.request
    beside = {name: value for name, value in request.items() if name not in ("messages", "model", "input")}
    parameters = request.get("parameters") or beside
    return {
        "call": call,
        "parameters": [
            (name, _readable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))
            for name, value in parameters.items()
            if not isinstance(value, (dict, list))
        ],
        "messages": [
            (str(each.get("role", "")), _readable(str(each.get("content", "")))) for each in request.get("messages", ())
        ],
        "answer": _readable(_indented_answer(call)),
    }


def _indented_answer(call: Call) -> str:
    """An answer that could be used in lines, where it is not too long for that; any other as it came."""
    if call.state != Call.State.ANSWERED or len(call.answer) > LONGEST_PRETTY:
        return call.answer
    try:
        return json.dumps(json.loads(call.answer), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return call.answer


def _readable(text: str) -> str:
    """A text that can be sent: half characters replaced, and what is far too long cut, with a note."""
    sound = text[:LONGEST_SHOWN].encode("utf-8", "replace").decode("utf-8")
    if len(text) <= LONGEST_SHOWN:
        return sound
    cut = gettext("(Cut here: %(shown)s of %(all)s characters are shown.)")
    return f"{sound}…\n{cut % {'shown': LONGEST_SHOWN, 'all': len(text)}}"


def _source_lines(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a question starts from, line by line."""
    for name, value in data.items():
        parts = value if isinstance(value, list) else [value]
        line = ", ".join(str(each.get("text", "") if isinstance(each, dict) else each) for each in parts)
        if line and name != "uris":
            yield gettext(SOURCE_NAMES.get(name, name)), line
