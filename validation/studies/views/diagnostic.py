"""Diagnostic sets for leads and administrators: draw one, give it to experts, read what they made of the tags."""

from collections.abc import Collection, Iterable
from operator import itemgetter

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.text.phenomena import get as phenomenon
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import link
from annotation.ui.pages import context, whole_number, words_of
from annotation.ui.tables import WORD, Column, Table, columns, table
from validation.studies.actions.diagnostic import diagnostic_create
from validation.studies.actions.diagnostic import diagnostic_deal as deal
from validation.studies.models import DiagnosticSet
from validation.studies.queries import diagnostic as fetch
from validation.studies.rules import diagnostic as rules
from validation.studies.views.pages import page_of


def _chosen(sent: QueryDict) -> list[int]:
    """The ids of the people who were ticked."""
    return [whole_number(each) for each in sent.getlist("expert")]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def diagnostic_sets(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's diagnostic sets, and a form for a new one."""
    membership = fetch.overseer(request.user, slug)
    problem, status, sent = "", 200, request.POST
    if request.method == "POST":
        try:
            made = diagnostic_create(
                project=membership.project,
                size=whole_number(sent.get("size")),
                experts=_chosen(sent),
                by=membership.user,
            )
        except (Conflict, Invalid) as refusal:
            problem, status = words_of(refusal), refusal.page_status
        else:
            messages.success(request, _("The set is drawn. The experts find it on their first page."))
            return redirect("diagnostic_set", slug, made.n)
    shown = context(
        membership,
        "diagnostic_sets",
        sets=fetch.sets(membership.project),
        problem=problem,
        size=sent.get("size", rules.USUAL_SIZE),
        largest=rules.LARGEST,
        people=_people(membership, _chosen(sent)),
    )
    return render(request, "validation/studies/diagnostic_sets.html", shown, status=status)


def _people(
    membership: Membership, ticked: Collection[int], holders: Collection[str] = ()
) -> list[tuple[int, str, bool]]:
    there = fetch.people(membership.project)
    return [(each.pk, each.pseudonym, each.pk in ticked or each.pseudonym in holders) for each in there]


@login_required
@require_GET
def diagnostic_set(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """One set: how far the experts are, tags by gold label, and every item."""
    membership = fetch.overseer(request.user, slug)
    return _page(request, membership, fetch.one(membership, n))


def _page(
    request: HttpRequest,
    membership: Membership,
    found: DiagnosticSet,
    *,
    status: int = 200,
    problem: str = "",
) -> HttpResponse:
    lines, labels = fetch.lines(found), membership.project.kind_spec.labels
    counts = rules.counts([line.row for line in lines], [label.key for label in labels])
    page = page_of(request, lines)
    holders = {line.expert for line in lines}
    shown = context(
        membership,
        "diagnostic_sets",
        found=found,
        size=len(lines),
        counts=counts,
        tags=[
            (of, phenomenon(of.tag).name, list(zip(labels, of.by_label.values(), strict=True)))
            for of in counts.tags
        ],
        progress=fetch.progress(lines),
        nobodys=sum(not line.expert for line in lines),
        mine=membership.annotator is not None and membership.annotator.pseudonym in holders,
        page=page,
        items=_items(membership, page),
        people=_people(membership, _chosen(request.POST), holders),
        problem=problem,
    )
    return render(request, "validation/studies/diagnostic_set.html", shown, status=status)


def _items(membership: Membership, lines: Iterable[fetch.Line]) -> Table:
    """Every item with both people's tags: what the expert took away from the author's and what they added."""
    rows = []
    for item, row, author, expert in lines:
        theirs: object = format_html('<span class="muted">{}</span>', _("open"))
        if row.expert is not None:
            theirs = _marked(row.expert, row.author, "ins")
        authors = _marked(row.author, row.author if row.expert is None else row.expert, "del")
        url = link("item", membership.project.slug, item)
        rows.append(
            (row.key, row.gold or None, author or None, authors or None, expert or None, theirs or None, url)
        )
    shown = [
        Column("", _("Item"), WORD, url=itemgetter(-1)),
        *columns(WORD, _("Gold"), _("Author")),
        *columns("", _("Tags of the author")),
        *columns(WORD, _("Expert")),
        *columns("", _("Tags of the expert")),
    ]
    return table(shown, rows, region=_("Items and their tags"), cards=False)


def _marked(tags: Iterable[str], others: Collection[str], mark: str) -> SafeString:
    """Tags, those marked that the other one does not have."""
    marked = f"<{mark}>{{}}</{mark}>"
    return format_html_join(
        " ", "{}", ((tag if tag in others else format_html(marked, tag),) for tag in tags)
    )


@login_required
@require_POST
def diagnostic_deal(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Give what nobody went through yet to other experts."""
    membership = fetch.overseer(request.user, slug)
    found = fetch.one(membership, n)
    try:
        left = deal(project=membership.project, n=found.n, experts=_chosen(request.POST), by=membership.user)
    except (Conflict, Invalid) as refusal:
        return _page(request, membership, found, status=refusal.page_status, problem=words_of(refusal))
    if left:
        words = ngettext(
            "%(n)s item is still nobody’s: its author is the only expert. Add another one.",
            "%(n)s items are still nobody’s: their author is the only expert. Add another one.",
            left,
        )
        messages.warning(request, words % {"n": left})
    else:
        messages.success(request, _("The items are given out."))
    return redirect("diagnostic_set", slug, found.n)


@login_required
@require_GET
def diagnostic_counts(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Tags by gold label, as CSV."""
    membership = fetch.overseer(request.user, slug)
    found = fetch.one(membership, n)
    labels = [label.key for label in membership.project.kind_spec.labels]
    counts = rules.counts([line.row for line in fetch.lines(found)], labels)
    rows = [(each.tag, each.items, *each.by_label.values()) for each in counts.tags]
    whole = ("", counts.rows, *counts.labels.values())
    return csv_answer([("tag", "items", *labels), *rows, whole], f"{slug}-diagnostic-{found.n}-counts.csv")


@login_required
@require_GET
def diagnostic_rows(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Every item with the author's tags and the expert's, as CSV."""
    found = fetch.one(fetch.overseer(request.user, slug), n)
    head = ("id", "gold", "author", "author_tags", "expert", "expert_tags", "done")
    rows = [
        (key, gold, who, " ".join(author), expert, " ".join(tags or ()), int(tags is not None))
        for _item, (key, gold, author, tags), who, expert in fetch.lines(found)
    ]
    return csv_answer([head, *rows], f"{slug}-diagnostic-{found.n}.csv")
