"""The review desk: items that wait for a QC lead, most doubtful first; and all items of a project (screens.md 4)."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.kinds import Kind
from annotation.ui.navigation import frame_context
from validation.consensus.stages import CORRECTED, STAGE_NAMES
from validation.group_review import queries as group
from validation.review.queries import desk as fetch
from validation.review.rules import assessments as assessing
from validation.review.rules import filters as rules
from validation.review.rules.filters import FilterError, Filters
from validation.review.rules.many import ACT_NAMES, CLOSE, MOST
from validation.translation.rules import PART_NAMES
from validation.voting.models.review import Flag
from validation.voting.rules.flags import FLAG_NAMES

ITEMS_A_PAGE = 25


def filters_of(request: HttpRequest, membership: Membership, of_list: str = "") -> Filters:
    """The filters of the address; a value that cannot be is answered with 400."""
    try:
        return rules.read_filters(request.GET.dict(), membership.project.kind_spec.question.label_keys, of_list)
    except FilterError as error:
        raise Invalid(field=error.field, code="filter_unknown") from error


@login_required
@require_GET
def desk(request: HttpRequest, slug: str) -> HttpResponse:
    """What waits for a lead, with how many items carry each flag."""
    membership = access.lead_membership(request.user, slug)
    checks = fetch.check_counts(membership)
    flags = [(code, FLAG_NAMES[code], n) for code, n in fetch.flag_counts(membership).items()]
    mine = [membership.annotator.pk] if membership.annotator else []
    more = {
        "flag_counts": flags,
        "corrected": checks.get(CORRECTED, 0),
        "to_check": sum(checks.values()),
        "proposals": group.count_proposals_to_decide([membership.project.pk], mine).get(membership.project.pk, 0),
    }
    return _list(request, membership, "desk", more)


@login_required
@require_GET
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """All items of the project, under the same filters; numbers elsewhere lead here."""
    membership = access.lead_membership(request.user, slug)
    return _list(request, membership, "items", {})


def _list(request: HttpRequest, membership: Membership, of_list: str, more: dict[str, object]) -> HttpResponse:
    filters = filters_of(request, membership, of_list)
    kind = membership.project.kind_spec
    page = _page(fetch.items_listed(membership, filters), filters)
    contents = content_queries.contents(page)
    rows = [list_row(item, kind, contents[item.pk]) for item in page]
    people = Annotator.objects.filter(project=membership.project).order_by("pseudonym")
    labels = [(label.key, label.name) for label in kind.question.labels]
    context = {
        **frame_context(membership, "desk"),
        "keys_off": not membership.user.single_keys,
        "list": of_list,
        "filters": filters,
        "page": page,
        "rows": rows,
        "flags": FLAG_NAMES.items(),
        "stages": STAGE_NAMES.items(),
        "labels": labels,
        "gold_labels": [("-", _("none")), *labels],
        "to_check_or_not": [("1", gettext("to check"))],
        "against_or_not": [("1", gettext("all people disagree with it"))],
        "asks_models": Item.objects.filter(project=membership.project, model_votes__isnull=False).exists(),
        "sure_or_not": [("1", gettext("predicted with certainty"))],
        "people": people.values_list("pseudonym", flat=True)[:500],
        "targets": [(target.key, _target_name(target)) for target in membership.project.targets.order_by("key")],
        "has_targets": access.has_targets(membership.project),
        "has_author_labels": kind.has_author_labels and not access.has_targets(membership.project),
        "parts": PART_NAMES.items(),
        "kind": kind,
        "errors": membership.project.error_types,
        "marks": [
            (mark, f"{gettext(part)}: {gettext(error)}")
            for mark, part, error in (assessing.MARK_NAMES if membership.project.rules.recipe else ())
        ],
        "acts": ACT_NAMES.items(),
        "act": CLOSE if filters.flag else "",
        "most": MOST,
        **more,
    }
    return render(request, "validation/review/desk.html", context)


def _page(listed: QuerySet[Item], filters: Filters) -> Page[Any]:
    """A page of a list, with what its rows show; the texts that a search reads are read once, not to count as well."""
    keys = list(listed.values_list("pk", flat=True)) if filters.q else None
    page: Page[Any] = Paginator(listed if keys is None else keys, ITEMS_A_PAGE).get_page(filters.page)
    rows: Any = page.object_list
    if keys is not None:
        rows = Item.objects.filter(pk__in=rows).order_by(*listed.query.order_by)
    flags = Prefetch("flags", Flag.objects.filter(closed_at=None))
    page.object_list = rows.select_related("author", "target", "project").prefetch_related(flags)
    return page


def _target_name(target: Target) -> str:
    """What a target is called; a language with its register where the kind has no targets."""
    if access.has_targets(target.project):
        return target.title
    return " · ".join(part for part in (target.language, target.register) if part)


def list_row(item: Item, kind: Kind, content: Mapping[str, Any]) -> dict[str, Any]:
    """One item in a list: its own text, and beside it what it was made from."""
    text, beside = kind.presentation.headline(content)
    codes = {flag.code for flag in item.flags.all()}
    return {
        "item": item,
        "text": text,
        "beside": beside,
        "beside_lang": (item.project if access.has_targets(item.project) else item.target).language,
        "stage": STAGE_NAMES[item.stage],
        "author_label": kind.question.item_label(content, item.author_label),
        "gold": kind.question.item_label(content, item.gold),
        "flags": [FLAG_NAMES[code] for code in FLAG_NAMES if code in codes],
    }
