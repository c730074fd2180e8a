"""Label checks: whether gold labels survive translation (LoraxBench's labels are the source's, never judged again).

A sample of translated rows is judged in the target's language, as the kind whose labels they carry. Nobody's label goes
with them, and who made or reviewed translations into the target, or leads the project, judges none.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _

from annotation import kinds
from annotation.content.models.item import Item, Revision
from annotation.content.models.units import SourceSet, Translation
from annotation.core import access
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.rules.draws import order
from annotation.kinds import Kind
from annotation.translation.models import SourceEntry
from annotation.ui.fields import whole_number_field
from annotation.ui.navigation import page_url
from annotation.ui.tables import NUMBER, TEXT, WORD, Column, columns, table
from validation.consensus.protocol import Protocol
from validation.consensus.stages import ADJUDICATED, SETTLED
from validation.studies.models import Study, StudyRow
from validation.studies.rules.label_checks import CHANGED, KEPT, NO_GOLD, WAITING, JudgedLabel, report
from validation.studies.study_types import (
    DECIDED_STAGES,
    RowIn,
    StudyDraw,
    StudyForm,
    StudyType,
    one_round_protocol,
    people_field,
    set_choices,
)
from validation.studies.views.pages import page_of

MOST_ROWS = 10_000
# In the order in which a lead looks at them.
OUTCOMES = {
    CHANGED: gettext_noop("has another label"),
    NO_GOLD: gettext_noop("no majority"),
    WAITING: gettext_noop("waits for votes"),
    KEPT: gettext_noop("kept its label"),
}


class Candidate(NamedTuple):
    """A row of a source set whose translation into the target is approved, with its label as the kind has it."""

    entry: SourceEntry
    translation: Item
    texts: Mapping[str, str]
    label: str


class Row(NamedTuple):
    """One row with the translation that it was made from; `changed_since`: that says something else by now."""

    judged: JudgedLabel
    translation: int
    changed_since: bool


def candidates(source_set: SourceSet, target: Target) -> list[Candidate]:
    """What can be drawn: rows with a label that the kind knows, translated and approved, by their keys."""
    kind = kinds.judging_kind(source_set.shape)
    if kind is None:
        return []
    approved = Translation.objects.filter(target=target, item__stage__in=[SETTLED, ADJUDICATED])
    done = {each.unit_id: each for each in approved.select_related("item").filter(unit__source_set=source_set)}
    entries = SourceEntry.objects.filter(source_set=source_set, removed=False, unit__in=list(done))
    found = []
    for entry in entries:
        made = done[entry.unit_id]
        written = {str(each["key"]): str(each["text"]) for each in made.fields}
        texts = {role: written.get(key, "") for role, key in entry.fields.items()}
        label = kind.question.read_label(entry.label)
        if label and _fits(kind, label, texts):
            found.append(Candidate(entry, made.item, texts, label))
    return sorted(found, key=lambda each: each.entry.key)


def _fits(kind: Kind, label: str, texts: Mapping[str, str]) -> bool:
    """Whether the kind has a place for the label and every text of a row, and the row for the kind's form."""
    assert kind.source.read_source_row is not None  # noqa: S101 - a kind that judges rows reads them
    if not all(texts.values()):
        return False
    _, typed = kind.source.read_source_row(texts)
    options = [name for name in typed.more if name.startswith(kinds.OPTION_PREFIX)]
    known = {kinds.option_field(key) for key in kind.question.label_keys}
    return known.issuperset(options) and (not options or kinds.option_field(label) in options)


def rows_of(made: Study) -> list[Row]:
    """Every row by its key; two statements."""
    rows = StudyRow.objects.filter(study=made).order_by("item__key")
    later = Revision.objects.filter(item__in=rows.values("of_item"), meaning="new").order_by("n")
    newest = dict(later.values_list("item_id", "n"))
    columns_of = ("item__key", "item__gold", "item__stage", "of_item", "revision_n", "data")
    return [
        Row(
            JudgedLabel(key, data["label"], gold, stage in DECIDED_STAGES),
            item,
            newest.get(item, 0) > revision,
        )
        for key, gold, stage, item, revision, data in rows.values_list(*columns_of)
    ]


class Form(StudyForm):
    """Of which translations, how many rows, by how many people each."""

    target = forms.ChoiceField(label=gettext_lazy("Target"))
    source_set = forms.ChoiceField(label=gettext_lazy("Source set"))
    size = whole_number_field(
        gettext_lazy("Rows"), 1, MOST_ROWS, gettext_lazy("All, where there are fewer."), initial=100
    )
    people = people_field(3, gettext_lazy("What more than half of them say is its label in the target."))
    field_order = ("target", "source_set", "size", "people", "slug", "name")


class LabelCheck(StudyType):
    slug = "label-check"
    name = gettext_noop("Label check")
    plural = gettext_noop("Label checks")
    help = gettext_noop(
        "Whether the labels of the source still hold in a target: translated rows are judged anew by speakers who had "
        "no part in translating them. What they say is kept apart from the source’s labels."
    )
    requirements = gettext_noop("It needs a target, and a source set of pairs or of questions with choices.")
    template = "validation/studies/reports/label_check.html"
    form = Form

    def is_available(self, project: Project) -> bool:
        return access.has_targets(project)

    def prepare_form(self, project: Project, form: StudyForm) -> bool:
        there = Target.objects.filter(project=project).order_by("key")
        sets = [
            each for each in SourceSet.objects.filter(project=project).order_by("key") if kinds.judging_kind(each.shape)
        ]
        set_choices(form, "target", ((target.key, target.title) for target in there))
        set_choices(form, "source_set", ((each.key, each.name) for each in sets))
        return bool(there and sets)

    def protocol(self, people: int) -> Protocol:
        """So many people judge each row, all at once; gold is what more than half of them say."""
        return one_round_protocol(self.slug, people, quorum=max(people, 0) // 2 + 1, plurality=False)

    def draw(self, project: Project, slug: str, n: int, sent: Mapping[str, Any]) -> StudyDraw:
        """The draw depends on the seed of the project of translations, the target and the rows alone."""
        target = Target.objects.get(project=project, key=sent["target"])
        source_set = SourceSet.objects.get(project=project, key=sent["source_set"])
        kind, people, size = kinds.judging_kind(source_set.shape), sent["people"], sent["size"]
        protocol = self.protocol(people)
        if kind is None:
            raise Invalid(field="source_set", code="label_check_no_labels")
        found = {each.entry.key: each for each in candidates(source_set, target)}
        drawn = order(project.seed, f"{self.slug}:{target.key}", found)[:size]
        if not drawn:
            raise Invalid(field="size", code="label_check_nothing")
        return StudyDraw(
            project.seed,
            kind,
            protocol,
            [_row(kind, found[key]) for key in sorted(drawn)],
            target.language,
            target.register,
            f"{project.name}: {target.title}",
            {"target": target.key, "title": target.title, "source_set": source_set.name},
        )

    def excluded_members(self, study: Study) -> "QuerySet[Annotator]":
        here = {"target__key": study.options["target"], "target__project": study.derived_from_id}
        part = (
            Q(has_led=True)
            | Q(**{f"target_memberships__{name}": value for name, value in here.items()})
            | Q(**{f"items__{name}": value for name, value in here.items()})
            | Q(**{f"votes__item__{name}": value for name, value in here.items()})
        )
        return Annotator.objects.filter(part, project=study.derived_from_id)

    def bars_membership(self, study: Study, *, lead: bool, targets: Collection[str] | None) -> bool:
        return lead or (targets is not None and study.options["target"] in targets)

    def title(self, study: Study) -> str:
        return f"{study.options['title']} · {study.options['source_set']}"

    def report(self, request: HttpRequest, study: Study) -> dict[str, Any]:
        """Which labels survived: counts, the table of labels, and the rows, changed ones first."""
        kind, rows = study.project.kind_spec, rows_of(study)
        figures = report([row.judged for row in rows])
        names = {label.key: gettext(label.name) for label in kind.question.labels}
        crossed = [(names[source], *(figures.pairs[source, gold] for gold in (*names, ""))) for source in names]
        ranks = list(OUTCOMES)
        rows.sort(key=lambda row: (ranks.index(row.judged.outcome), row.judged.key))
        page = page_of(request, rows)
        labels = [*columns(TEXT, _("Source")), *columns(NUMBER, *names.values(), _("No majority"))]
        columns_of = [
            Column("", _("Row"), WORD, url=itemgetter(-1)),
            *columns(TEXT, _("Source"), _("Target"), _("Outcome")),
        ]
        lines = [_line(row, names, study.derived_from.slug) for row in page]
        return {
            "report": figures,
            "percent": None if figures.survived is None else 100 * figures.survived,
            "outcomes": [(name, figures.counts[outcome]) for outcome, name in OUTCOMES.items()],
            "crossed": table(labels, crossed, region=_("Labels of source and target"), cards=False),
            "page": page,
            "rows": table(columns_of, lines, region=_("Rows that were judged"), cards=False),
        }

    @property
    def csv_files(self) -> Mapping[str, Any]:
        return {"labels": (gettext_noop("Rows as CSV"), _labels)}


def _row(kind: Kind, each: Candidate) -> RowIn:
    assert kind.source.read_source_row is not None  # noqa: S101 - a kind that judges rows reads them
    text, typed = kind.source.read_source_row(each.texts)
    item = each.translation
    return RowIn(each.entry.key, {"label": each.label}, text, typed, source_item_id=item.pk, revision_n=item.revision_n)


def _line(row: Row, names: Mapping[str, str], slug: str) -> Sequence[object]:
    changed = " · " + gettext("the translation was changed since") if row.changed_since else ""
    outcome, of = gettext(OUTCOMES[row.judged.outcome]) + changed, row.judged
    return of.key, names.get(of.source), names.get(of.gold), outcome, page_url("item", slug, row.translation)


def _labels(study: Study) -> Iterator[Sequence[object]]:
    """Every row: its id in the release, the source's label, the votes' label, its outcome."""
    yield "id", "target", "source_label", "target_label", "outcome", "translation_changed_since"
    for of, _item, changed_since in rows_of(study):
        yield of.key, study.options["target"], of.source, of.gold, of.outcome, int(changed_since)


TYPE = LabelCheck()
