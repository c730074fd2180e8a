"""Source sets: the list, a set with its units and counts, and cleaning it row by row (LoraxBench §3.4, Table 2).

For leads and administrators; translators never see these pages.
"""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.units import SourceSet
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.translation.actions.source_sets import source_set_freeze
from annotation.translation.queries import sources
from annotation.translation.rules import clean_up
from annotation.translation.rules.source_units import SHAPES
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import frame_context
from validation.translation.views.source_units import (
    What,
    reason_names_of,
    row_shown,
)

UNITS_A_PAGE = 20
STATES: Mapping[str, str] = {
    "kept": _("kept"),
    "removed": _("removed"),
    "changed": _("changed"),
    "unanswerable": _("unanswerable without its passage"),
    "upstream": _("changed where it came from"),
}


@login_required
@require_GET
def source_sets(request: HttpRequest, slug: str) -> HttpResponse:
    """Every source set with its counts and whether it is frozen."""
    membership = sources.sources_membership(request.user, slug)
    listed = sources.source_sets(membership)
    context = frame_context(
        membership, "source_sets", sets=listed, shapes={slug: shape.name for slug, shape in SHAPES.items()}
    )
    return render(request, "validation/translation/source_sets.html", context)


# --- one set ----------------------------------------------------------------------------


def _set(request: HttpRequest, slug: str, key: str) -> tuple[Membership, SourceSet]:
    membership = sources.sources_membership(request.user, slug)
    return membership, sources.source_set(membership, key)


@login_required
@require_GET
def source_set(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Where it is from, its counts as in the paper's Table 2, and its units, page by page."""
    membership, found = _set(request, slug, key)
    return _set_page(request, membership, found)


def _set_page(
    request: HttpRequest, membership: Membership, found: SourceSet, *, problem: str = "", status: int = 200
) -> HttpResponse:
    words, state = request.GET.get("q", "")[:200], request.GET.get("state", "")
    state = state if state in STATES else ""
    page = Paginator(sources.units(found, words, state), UNITS_A_PAGE).get_page(request.GET.get("page"))
    entries = sources.entries_of(list(page))
    given = {name: value for name, value in {"q": words, "state": state}.items() if value}
    context = frame_context(
        membership,
        "source_sets",
        set=found,
        shape=SHAPES[found.shape],
        counts=sources.source_counts(found),
        reasons=_reason_rows(membership, found),
        translations=sources.translations(found) if found.frozen_at else 0,
        page=page,
        units=[(unit, [row_shown(found, unit, entry) for entry in entries[unit.pk]]) for unit in page],
        states=STATES.items(),
        q=words,
        state=state,
        query=f"{urlencode(given)}&" if given else "",
        problem=problem,
    )
    return render(request, "validation/translation/source_set.html", context, status=status)


def _reason_rows(membership: Membership, found: SourceSet) -> list[tuple[str, str, int]]:
    """What was done, why, how often: the standing steps."""
    names, counted = reason_names_of(membership), sources.source_counts(found).reasons
    return [
        (str(What(what).label), names.get(reason, reason) or gettext("In their own words"), n)
        for (what, reason), n in sorted(
            counted.items(), key=lambda each: (clean_up.STEPS.index(each[0][0]), -each[1], each[0][1])
        )
    ]


@login_required
@require_GET
def source_counts_csv(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Table 2 as a file: the counts of rows, then every standing step by what was done and why."""
    membership, found = _set(request, slug, key)
    counted = sources.source_counts(found)
    rows: list[tuple[object, ...]] = [
        ("category", "reason", "count"),
        ("rows", "", counted.rows),
        ("removed", "", counted.removed),
        ("fixed_typos", "", counted.typos),
        ("improved_distractors", "", counted.distractors),
        ("unanswerable", "", counted.unanswerable),
        ("final_data_count", "", counted.final),
    ]
    rows += [(f"texts_{what}", "", n) for what, n in counted.texts.items()]
    rows += [(f"step_{what}", reason, n) for (what, reason), n in counted.reasons.items()]
    return csv_answer(request, rows, f"{membership.project.slug}-{found.key}-clean-up.csv")


@login_required
@require_POST
def source_freeze(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Let translation begin."""
    membership, found = _set(request, slug, key)
    try:
        source_set_freeze(source_set=found, by=membership.user)
    except (Invalid, Conflict) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return _set_page(request, membership, found, problem=refusal.code, status=status)
    messages.success(request, gettext("The set is frozen: its texts are given to translators from now on."))
    return redirect("source_set", slug=slug, key=key)
