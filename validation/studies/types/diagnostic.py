"""Diagnostic sets: gold items drawn by label, whose phenomena one expert other than the author confirms (IndoNLI §5).

Experts see gold labels: whoever joins is never asked to vote on the drawn items where they are from, nor goes through
the tags of what they wrote.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, override

from annotation.content.models.item import Item, Revision
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules.draws import draw
from annotation.jobs.bulk import any_of
from annotation.text.phenomena import get as phenomenon
from annotation.ui.fields import whole_number_field
from annotation.ui.navigation import page_url
from annotation.ui.tables import WORD, Column, Table, columns, table
from validation.consensus.stages import SETTLED
from validation.studies.actions.barring import bar_from
from validation.studies.models import Study
from validation.studies.queries import diagnostic as fetch
from validation.studies.rules import diagnostic as rules
from validation.studies.rules.phenomena_task import describe_task, texts_of
from validation.studies.study_types import RowIn, StudyDraw, StudyForm, StudyType
from validation.studies.views.pages import page_of
from validation.voting.actions.exclusions import bar_people

AT_ONCE = 5000


class Candidate(NamedTuple):
    """An item that can be drawn: its key, gold label, id and revision as they are now."""

    key: str
    gold: str
    pk: int
    revision_n: int


def candidates(project: Project, seed: str, size: int) -> list[Candidate]:
    """So many of the project's gold. Labels are counted first, so that no more rows are held than are drawn."""
    gold = Item.objects.filter(project=project, stage=SETTLED).exclude(gold="").order_by()
    counts = dict(gold.values_list("gold").annotate(items=Count("pk")))
    rows = gold.values_list("key", "gold", "pk", "revision_n").iterator(chunk_size=AT_ONCE)
    return rules.draw_items(seed, counts, (Candidate(*row) for row in rows), size)


class Form(StudyForm):
    """How many items, and who goes through them."""

    size = whole_number_field(
        gettext_lazy("Items to draw"),
        1,
        rules.LARGEST,
        gettext_lazy("Of each gold label its share. All, where there are fewer."),
        initial=rules.USUAL_SIZE,
    )
    field_order = ("size", "members", "slug", "name")


class DiagnosticSet(StudyType):
    slug = fetch.SLUG
    name = gettext_noop("Diagnostic set")
    plural = gettext_noop("Diagnostic sets")
    help = gettext_noop(
        "Items with a gold label, drawn by label, whose phenomena one expert other than the author confirms or "
        "changes. Releases carry the newest set as a file. Experts see gold labels: they are never asked to vote on "
        "these items."
    )
    requirements = gettext_noop("No item has a gold label that votes settled on.")
    template = "validation/studies/reports/diagnostic.html"
    form = Form
    leads_may_draw = shows_gold = True

    def is_available(self, project: Project) -> bool:
        return fetch.has_tags(project)

    def eligible_members(self, project: Project) -> "QuerySet[Annotator]":
        there = Annotator.objects.filter(project=project, left_at=None)
        return there.filter(user__is_active=True, user__is_administrator=False).order_by("pseudonym")

    def prepare_form(self, project: Project, form: StudyForm) -> bool:
        if "members" in form.fields:
            form.fields["members"].initial = []
        return Item.objects.filter(project=project, stage=SETTLED).exclude(gold="").exists()

    def draw(self, project: Project, slug: str, n: int, sent: Mapping[str, Any]) -> StudyDraw:
        """The draw depends on the project's seed, the number of the set and the items alone."""
        seed = f"{draw(project.seed, rules.PURPOSE, str(n)):016x}"
        found = candidates(project, seed, sent["size"])
        if not found:
            raise Invalid(field="size", code="diagnostic_nothing")
        with override(project.language):
            task = describe_task(project.kind_spec, project.language, _)
            rows = _rows(project, found)
        name = f"{project.name}: {_(self.name)} {n}"
        return StudyDraw(seed, task, task.protocol.protocol(), rows, project.language, name=name)

    def excluded_members(self, study: Study) -> "QuerySet[Annotator]":
        """Nobody: what somebody wrote themselves is kept from them item by item."""
        return Annotator.objects.none()

    def bars_membership(self, study: Study, *, lead: bool, targets: Collection[str] | None) -> bool:
        return False

    def on_joined(self, study: Study, user: User) -> None:
        """Keep an expert from what they wrote, and from voting on any of it where it was drawn from."""
        there = {place.project_id: place for place in Annotator.objects.filter(user=user)}
        expert, member = there.get(study.project_id), there.get(study.derived_from_id)
        if expert is None or member is None:
            return
        own = Item.objects.filter(study_row__study=study, study_row__of_item__author=member)
        bar_people((item, expert.pk) for item in own)
        bar_from(member, Item.objects.filter(studied__study=study))

    def report(self, request: HttpRequest, study: Study) -> dict[str, Any]:
        """Tags by gold label, and every item."""
        lines, labels = fetch.set_lines(study), study.derived_from.kind_spec.question.labels
        counts = rules.count_tags([line.row for line in lines], [label.key for label in labels])
        page = page_of(request, lines)
        return {
            "counts": counts,
            "tags": [
                (of, phenomenon(of.tag).name, list(zip(labels, of.by_label.values(), strict=True)))
                for of in counts.tags
            ],
            "page": page,
            "items": _items(study.derived_from, page),
        }

    @property
    def csv_files(self) -> Mapping[str, Any]:
        return {
            "counts": (gettext_noop("Tags by label as CSV"), _counts),
            "rows": (gettext_noop("Items as CSV"), _lines),
        }


def _rows(project: Project, found: Sequence[Candidate]) -> list[RowIn]:
    """What the expert sees of each item as it is now, and what only the report knows."""
    kind, wanted = project.kind_spec, {each.pk: each.revision_n for each in found}
    revisions = Revision.objects.filter(item__in=any_of(wanted)).values_list("item", "n", "content")
    contents = {item: content for item, n, content in revisions if wanted[item] == n}
    authors = dict(Item.objects.filter(pk__in=any_of(wanted)).values_list("pk", "author__pseudonym"))
    made = []
    for key, gold, pk, revision_n in found:
        tags = fetch.author_tags(contents[pk])
        texts = texts_of(kind, contents[pk], gold, tags, _)
        data = {"gold": gold, "tags": list(tags), "author": authors[pk] or ""}
        text = next(iter(texts.values()))
        made.append(RowIn(key, data, text, texts=texts, source_item_id=pk, revision_n=revision_n))
    return made


def _items(project: Project, lines: Iterable[fetch.SetLine]) -> Table:
    """Every item with both people's tags: what the expert took away from the author's and what they added."""
    rows = []
    for item, row, author, expert in lines:
        theirs: object = format_html('<span class="muted">{}</span>', _("open"))
        if row.expert is not None:
            theirs = _mark_differing_tags(row.expert, row.author, "ins")
        authors = _mark_differing_tags(row.author, row.author if row.expert is None else row.expert, "del")
        url = page_url("item", project.slug, item)
        rows.append((row.key, row.gold or None, author or None, authors or None, expert or None, theirs or None, url))
    shown = [
        Column("", _("Item"), WORD, url=itemgetter(-1)),
        *columns(WORD, _("Gold"), _("Author")),
        *columns("", _("Tags of the author")),
        *columns(WORD, _("Expert")),
        *columns("", _("Tags of the expert")),
    ]
    return table(shown, rows, region=_("Items and their tags"), cards=False)


def _mark_differing_tags(tags: Iterable[str], others: Collection[str], mark: str) -> SafeString:
    """Tags, those marked that the other one does not have."""
    marked = f"<{mark}>{{}}</{mark}>"
    return format_html_join(" ", "{}", ((tag if tag in others else format_html(marked, tag),) for tag in tags))


def _counts(study: Study) -> Iterator[Sequence[object]]:
    """Tags by gold label, and all items."""
    labels = [label.key for label in study.derived_from.kind_spec.question.labels]
    counts = rules.count_tags([line.row for line in fetch.set_lines(study)], labels)
    yield "tag", "items", *labels
    for each in counts.tags:
        yield each.tag, each.items, *each.by_label.values()
    yield "", counts.rows, *counts.labels.values()


def _lines(study: Study) -> Iterator[Sequence[object]]:
    """Every item with the author's tags and the expert's."""
    yield "id", "gold", "author", "author_tags", "expert", "expert_tags", "done"
    for _item, (key, gold, author, tags), who, expert in fetch.set_lines(study):
        yield key, gold, who, " ".join(author), expert, " ".join(tags or ()), int(tags is not None)


TYPE = DiagnosticSet()
