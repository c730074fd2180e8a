"""One unit of a source set, row by row: its texts, its steps of clean-up, and undoing them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.text.differences import text_parts
from annotation.text.line_breaks import typed_text
from annotation.translation.actions.clean_up import StepIn
from annotation.translation.models import CleanUp, SourceEntry
from annotation.translation.queries import sources
from annotation.translation.rules import clean_up
from annotation.translation.rules.source_units import SHAPES, answer_key, distractors, field_title
from annotation.ui.navigation import frame_context
from annotation.ui.pages import posted_number
from validation.translation.actions import source_clean as clean
from validation.translation.actions import source_undo as undo

What = CleanUp.What


@dataclass(frozen=True)
class Text:
    """One text of a row as the page shows it; `rows` is how many rows share it."""

    key: str
    name: str
    number: str
    text: str
    answer: bool = False
    distractor: bool = False
    rows: int = 1


@dataclass(frozen=True)
class RowShown:
    """A row of a unit with its texts."""

    entry: SourceEntry
    texts: list[Text]

    @property
    def own(self) -> list[Text]:
        """Without what it shares with others, unless it has nothing else."""
        return [text for text in self.texts if text.rows < 2] or self.texts


def reason_names_of(membership: Membership) -> dict[str, str]:
    """The reasons of the project by their codes; what it has no name for any more stands as it is."""
    known = clean_up.reasons_of(membership.project.rules.clean_up_reasons)
    return {code: gettext(words) for code, words in known} | {clean_up.SPELLING: gettext(clean_up.SPELLING_NAME)}


def row_shown(
    of: SourceSet, unit: SourceUnit, entry: SourceEntry, sharing: Mapping[str, int] | None = None
) -> RowShown:
    shape, texts = SHAPES[of.shape], {each["key"]: each["text"] for each in (*unit.fields, *unit.dropped)}
    wrong = set(distractors(shape, entry.label, entry.fields))
    right = answer_key(shape, entry.label, entry.fields)
    shown = []
    for key, name in sorted(entry.fields.items(), key=lambda each: list(texts).index(each[1])):
        title, _n = field_title(shape, key)
        shared = shape.role(key).shared
        shown.append(
            Text(
                name,
                title,
                key.partition("-")[2],
                texts[name],
                key == right,
                name in wrong,
                (sharing or {}).get(name, 2) if shared else 1,
            )
        )
    return RowShown(entry, shown)


def _row_id(raw: str | None) -> int | None:
    return int(raw) if raw and raw.isascii() and raw.isdigit() and len(raw) < 18 else None


@login_required
@require_GET
def source_unit(request: HttpRequest, slug: str, unit_id: int) -> HttpResponse:
    """One unit; one of its rows is at hand, with what can be done to it."""
    membership = sources.sources_membership(request.user, slug)
    unit = sources.source_unit(membership, unit_id)
    entry = sources.entry(unit, _row_id(request.GET.get("row")))
    return _unit_page(request, membership, unit, entry)


def _unit_page(
    request: HttpRequest,
    membership: Membership,
    unit: SourceUnit,
    entry: SourceEntry,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    of, sharing = unit.source_set, sources.count_sharing_rows(unit)
    shown = [row_shown(of, unit, each, sharing) for each in sources.entries_of([unit])[unit.pk]]
    at_hand = next(row for row in shown if row.entry.pk == entry.pk)
    before, after = sources.neighbours(entry)
    place, total = sources.position_in_set(entry)
    shape, typed = SHAPES[of.shape], more.get("typed") or {}
    context = frame_context(
        membership,
        "source_sets",
        set=of,
        unit=unit,
        row=at_hand,
        others=[row for row in shown if row is not at_hand],
        before=before,
        after=after,
        n=place + 1,
        total=total,
        reasons=reason_names_of(membership).items(),
        fixable=_fields(_correctable_texts(shown, at_hand), typed),
        improvable=_fields([text for text in at_hand.texts if text.distractor], typed),
        has_passage=any(role.contained_in for role in shape.roles),
        steps=_steps(membership, unit),
        origin=_origin(membership, entry),
        **more,
    )
    return render(request, "validation/translation/source_unit.html", context, status=status)


def _steps(membership: Membership, unit: SourceUnit) -> list[dict[str, Any]]:
    """The steps of clean-up: why each was done, what differs, and whether it was taken back."""
    names = reason_names_of(membership)
    return [
        {
            "step": step,
            "why": names.get(step.reason, step.reason),
            "parts": text_parts(step.before, step.after) if step.field else [],
            "undone": hasattr(step, "undone_by"),
        }
        for step in sources.steps(unit)
    ]


def _correctable_texts(shown: Iterable[RowShown], at_hand: RowShown) -> list[Text]:
    """The texts of the row; and answers of other rows, which have to stay spans of the passage that they share."""
    shape = SHAPES[at_hand.entry.source_set.shape]
    spans = [
        text
        for row in shown
        if row is not at_hand and not row.entry.removed
        for text in row.texts
        if shape.role(text.key).contained_in
    ]
    return [*at_hand.texts, *spans]


def _fields(texts: Iterable[Text], typed: Mapping[str, str]) -> list[tuple[Text, str]]:
    return [(text, typed.get(text.key, text.text)) for text in texts]


def _origin(membership: Membership, entry: SourceEntry) -> str:
    """The page of the item that a row was taken from, for those who may open it."""
    if entry.upstream is None:
        return ""
    try:
        access.lead_membership(membership.user, entry.upstream.project.slug)
    except (NotFound, Forbidden):
        return ""
    return reverse("item", args=(entry.upstream.project.slug, entry.upstream_id))


def _typed(request: HttpRequest, unit: SourceUnit) -> dict[str, str]:
    """The texts that were sent, by field."""
    stands = {each["key"]: str(each["text"]) for each in (*unit.fields, *unit.dropped)}
    found = {}
    for key, before in stands.items():
        sent = request.POST.get(f"text-{key}")
        if sent is not None:
            found[key] = typed_text(sent, before)
    return found


@login_required
@require_POST
def source_clean(request: HttpRequest, slug: str, unit_id: int) -> HttpResponse:
    """One step of clean-up. Who is behind gets 409, with what they typed beside what stands now."""
    membership = sources.sources_membership(request.user, slug)
    unit = sources.source_unit(membership, unit_id)
    entry = sources.entry(unit, _row_id(request.POST.get("row")) or 0)
    what, typed = request.POST.get("what", ""), _typed(request, unit)
    if what not in clean_up.STEPS:
        raise NotFound
    given = StepIn(
        entry.pk,
        posted_number(request, "revision"),
        membership.user,
        request.POST.get("reason", ""),
        request.POST.get("words", ""),
    )
    try:
        clean(project=membership.project, unit_id=unit.pk, what=what, given=given, texts=_changed(unit, typed))
    except (Invalid, Conflict) as refusal:
        unit = sources.source_unit(membership, unit_id)
        return _unit_page(
            request,
            membership,
            unit,
            sources.entry(unit, entry.pk),
            status=409 if isinstance(refusal, Conflict) else 422,
            act=what,
            typed=_own_changes(unit, typed, given.revision),
            said=given,
            problem=refusal.code,
            answers=refusal.details.get("answers", ()),
        )
    messages.success(request, gettext("%(what)s: done.") % {"what": What(what).label})
    return redirect(_next_row_url(slug, entry, what))


def _changed(unit: SourceUnit, typed: Mapping[str, str]) -> dict[str, str]:
    """Every field of the form is sent; those that say what stands there already are no change."""
    stands = {each["key"]: each["text"] for each in (*unit.fields, *unit.dropped)}
    return {key: text for key, text in typed.items() if text != stands[key]}


def _own_changes(unit: SourceUnit, typed: Mapping[str, str], revision: int) -> dict[str, str]:
    """What somebody typed themselves: a field that they left as their page showed it says what stands now."""
    seen = {each["key"]: str(each["text"]) for each in (*unit.fields, *unit.dropped)}
    since = CleanUp.objects.filter(unit=unit, revision__gt=revision).exclude(field="").order_by("-pk")
    for field, before in since.values_list("field", "before"):
        seen[field] = before
    return {key: text for key, text in typed.items() if text != seen.get(key)}


def _next_row_url(slug: str, entry: SourceEntry, what: str) -> str:
    """The next row once this one is done with; after a change of its texts it is looked at again."""
    following = sources.neighbours(entry)[1] if what in (What.REMOVED, What.UNANSWERABLE) else None
    there = following or entry
    return reverse("source_unit", args=(slug, there.unit_id)) + f"?row={there.pk}"


@login_required
@require_POST
def source_undo(request: HttpRequest, slug: str, unit_id: int) -> HttpResponse:
    """Take a step back."""
    membership = sources.sources_membership(request.user, slug)
    unit = sources.source_unit(membership, unit_id)
    entry = sources.entry(unit, _row_id(request.POST.get("row")) or 0)
    try:
        undo(
            project=membership.project,
            unit_id=unit.pk,
            step_id=_row_id(request.POST.get("step")) or 0,
            revision=posted_number(request, "revision"),
            by=membership.user,
        )
    except (Invalid, Conflict) as refusal:
        unit = sources.source_unit(membership, unit_id)
        status = 409 if isinstance(refusal, Conflict) else 422
        again = sources.entry(unit, entry.pk)
        return _unit_page(request, membership, unit, again, status=status, problem=refusal.code)
    messages.success(request, gettext("It was undone."))
    return redirect(reverse("source_unit", args=(slug, unit.pk)) + f"?row={entry.pk}")
