"""Evaluation of a release: people answer a drawn part of dev and test without its answers and levels (mCSQA §4.1)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _

from annotation import kinds
from annotation.content.models.item import Revision
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of
from annotation.kinds import Kind
from annotation.ui.fields import whole_number_field
from annotation.ui.tables import NUMBER, PERCENT, PERSON, TEXT, WORD, Table, columns, table
from exports.evaluation import rules
from exports.evaluation.rules import LEFT_OUT, RIGHT, WAITING, WRONG, AnsweredItem
from exports.releases.models import Release, ReleaseRow
from exports.releases.rules.machine import level_of
from exports.releases.rules.settings import DEV, TEST
from validation.consensus.protocol import NEVER
from validation.consensus.stages import EXCLUDED
from validation.studies.actions.studies import seed_of
from validation.studies.models import Study
from validation.studies.queries.studies import standing_answers
from validation.studies.study_types import (
    DECIDED_STAGES,
    HumanAccuracy,
    RowIn,
    StudyDraw,
    StudyForm,
    StudyType,
    one_round_protocol,
    people_field,
    set_choices,
)
from validation.studies.views.pages import accuracy_columns, page_of

# In the order in which somebody looks at them.
OUTCOMES = {
    WRONG: gettext_noop("another answer"),
    LEFT_OUT: gettext_noop("left out as ambiguous"),
    WAITING: gettext_noop("waits for answers"),
    RIGHT: gettext_noop("the release’s answer"),
}
LEVELS = {"easy": gettext_noop("easy"), "hard": gettext_noop("hard")}
MOST_ROWS = 10_000
ALL_HINT = gettext_lazy("All, where there are fewer.")


def answered_kind(project: Project) -> Kind | None:
    """The kind as which the items of the project's releases are answered; None where they have no choices."""
    slug = project.kind_spec.question.evaluation_kind
    return kinds.get(slug) if slug else None


class Form(StudyForm):
    """Of which release, how many items of dev and of test, how many people each."""

    release = forms.TypedChoiceField(label=gettext_lazy("Release"), coerce=int)
    dev = whole_number_field(gettext_lazy("Items of dev"), 0, MOST_ROWS, ALL_HINT, initial=100)
    test = whole_number_field(gettext_lazy("Items of test"), 0, MOST_ROWS, ALL_HINT, initial=100)
    people = people_field(5, gettext_lazy("What most of them say is their answer; ties are drawn."))
    exclude_ambiguous = forms.BooleanField(
        label=gettext_lazy("Leave out what more than half of them mark as ambiguous"), required=False
    )
    field_order = ("release", "dev", "test", "people", "exclude_ambiguous", "slug", "name")


class Evaluation(StudyType):
    slug = rules.PURPOSE
    name = gettext_noop("Evaluation")
    plural = gettext_noop("Evaluations of releases")
    help = gettext_noop(
        "How often people give the answer that a release has. They answer a drawn part of dev and test, and see "
        "neither answers nor levels; nobody of this project takes part."
    )
    requirements = gettext_noop("It needs a release that is built.")
    template = "exports/evaluation/report.html"
    form = Form

    def is_available(self, project: Project) -> bool:
        return answered_kind(project) is not None

    def prepare_form(self, project: Project, form: StudyForm) -> bool:
        there = Release.objects.filter(project=project, state=Release.State.READY).order_by("-n")
        numbers = list(there.values_list("n", flat=True))
        set_choices(form, "release", ((str(n), str(n)) for n in numbers))
        return bool(numbers)

    def draw(self, project: Project, slug: str, n: int, sent: Mapping[str, Any]) -> StudyDraw:
        """The draw depends on the project's seed, the new project's name and the release alone."""
        people, sizes = sent["people"], {DEV: sent["dev"], TEST: sent["test"]}
        most = people // 2 if sent.get("exclude_ambiguous") else NEVER
        protocol, kind = one_round_protocol(self.slug, people, most_ambiguous=most), answered_kind(project)
        if kind is None:
            raise Invalid(field="release", code="evaluation_no_choices")
        release = Release.objects.get(project=project, n=sent["release"])
        if release.state != Release.State.READY:
            raise Invalid(field="release", code="evaluation_not_ready")
        seed = seed_of(project, self.slug, slug)
        found = _draw_rows(release, seed, sizes)
        if not found:
            raise Invalid(field="test", code="evaluation_nothing")
        rows = _rows(kind, found)
        name = f"{project.name}: {release.n}"
        return StudyDraw(seed, kind, protocol, rows, project.language, name=name, options={"release": release.n})

    def excluded_members(self, study: Study) -> "QuerySet[Annotator]":
        return Annotator.objects.filter(project=study.derived_from_id)

    def bars_membership(self, study: Study, *, lead: bool, targets: Collection[str] | None) -> bool:
        return True

    def title(self, study: Study) -> str:
        return _("Release %(n)s") % {"n": study.options["release"]}

    def report(self, request: HttpRequest, study: Study) -> dict[str, Any]:
        judged = rules.judge_items(study.seed, answered_items(study))
        result, ranks = rules.count_outcomes(judged), list(OUTCOMES)
        ranked = sorted(judged, key=lambda each: (ranks.index(each.outcome), each.row.key))
        page = page_of(request, ranked)
        return {
            "over": sum(each.row.is_complete or each.row.excluded for each in judged),
            "outcomes": [(words, result[name]) for name, words in OUTCOMES.items()],
            "accuracies": _accuracy_table(rules.accuracies(judged)),
            "persons": _people_table(rules.person_results(study.seed, judged)),
            "page": page,
            "items": _item_table(page),
        }

    def accuracy(self, study: Study) -> HumanAccuracy | None:
        items = answered_items(study)
        if not items or not all(each.is_complete or each.excluded for each in items):
            return None
        found = rules.count_outcomes(rules.judge_items(study.seed, items))
        right, wrong = found[rules.RIGHT], found[rules.WRONG]
        people = max(len(each.answers) for each in items)
        source = f"{study.derived_from.slug} release {study.options['release']}"
        return HumanAccuracy(people, [source], right, right + wrong)

    @property
    def csv_files(self) -> Mapping[str, Any]:
        return {"rows": (gettext_noop("Rows as CSV"), _file)}


def _draw_rows(release: Release, seed: str, sizes: Mapping[str, int]) -> list[ReleaseRow]:
    """So many rows of each split, by their keys."""
    rows = ReleaseRow.objects.filter(release=release, split__in=rules.SPLITS)
    there = {row.key: row for row in rows.only("item_id", "revision_n", "key", "split", "label")}
    by_split = {split: [key for key, row in there.items() if row.split == split] for split in rules.SPLITS}
    return [there[key] for key in sorted(k for keys in rules.draw_keys(seed, by_split, sizes).values() for k in keys)]


def _rows(kind: Kind, drawn: Sequence[ReleaseRow]) -> list[RowIn]:
    """Items with the texts that the release holds."""
    wanted = {row.item_id: row.revision_n for row in drawn}
    kept = Revision.objects.filter(item__in=any_of(wanted)).values_list("item_id", "n", "content")
    before = {item: content for item, n, content in kept if wanted[item] == n}
    assert kind.export.source_row is not None  # noqa: S101 - kinds that are answered tell their texts
    assert kind.source.read_source_row is not None  # noqa: S101 - and read them
    found = []
    for row in drawn:
        content = before[row.item_id]
        text, typed = kind.source.read_source_row(dict(kind.export.source_row[1](content)))
        data = {"split": row.split, "level": level_of(content), "answer": row.label}
        found.append(RowIn(row.key, data, text, typed, source_item_id=row.item_id, revision_n=row.revision_n))
    return found


def answered_items(made: Study) -> list[AnsweredItem]:
    """Every item by its key, with what was said of it under pseudonyms; two statements."""
    labels: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for item, who, label in standing_answers(made).values_list("item_id", "annotator__pseudonym", "label"):
        labels[item].append((who, label))
    rows = made.rows.order_by("item__key").values_list("item_id", "item__key", "item__stage", "data")
    return [
        AnsweredItem(
            key,
            data["split"],
            data["level"],
            data["answer"],
            tuple(sorted(labels[item])),
            stage in DECIDED_STAGES and stage != EXCLUDED,
            stage == EXCLUDED,
        )
        for item, key, stage, data in rows
    ]


def _level_name(level: str) -> str:
    return gettext(LEVELS.get(level, level)) if level else ""


def _accuracy_table(counted: Iterable[rules.Accuracy]) -> Table:
    """How often people are right, by split and level."""
    rows = [
        (of.split or _("both"), _level_name(of.level) or _("all"), of.n, of.right, of.percent, of.percents)
        for of in counted
    ]
    names = columns(TEXT, _("Split"), _("Level"))
    return table([*names, *accuracy_columns()], rows, region=_("Accuracy by split and level"), cards=False)


def _people_table(counted: Iterable[rules.PersonResult]) -> Table | None:
    rows = [
        (who, n, 100 * right / n, 100 * with_others / of_others if of_others else None)
        for who, n, right, with_others, of_others in counted
    ]
    shares = columns(PERCENT, _("As the release"), _("As most of the others"))
    all_columns = [*columns(PERSON, _("Who")), *columns(NUMBER, _("Items")), *shares]
    return table(all_columns, rows, region=_("Everybody who answered"), cards=False) if rows else None


def _item_table(judged: Iterable[rules.JudgedItem]) -> Table:
    """Every item with what most people said, and whether that is the release's answer."""
    tied = format_html('{{}} <span class="tag">{}</span>', _("tied"))
    rows = [
        (
            each.row.key,
            each.row.split,
            _level_name(each.row.level) or None,
            each.row.answer or None,
            format_html(tied, each.majority) if each.tied else each.majority or None,
            OUTCOMES[each.outcome],
        )
        for each in judged
    ]
    names = columns(WORD, _("Item"), _("Split"), _("Level"), _("Release"), _("People"))
    outcome = columns(TEXT, _("Outcome"))
    return table([*names, *outcome], rows, region=_("Items and their outcome"), cards=False)


def _file(study: Study) -> Iterator[Sequence[object]]:
    """Every item: its id in the release, the release's answer, what most people said, and what each did."""
    yield "id", "split", "level", "answer", "majority", "tied", "outcome", "answers"
    for each in rules.judge_items(study.seed, answered_items(study)):
        row, labels = each.row, " ".join(f"{who}:{label}" for who, label in each.row.answers)
        yield row.key, row.split, row.level, row.answer, each.majority, int(each.tied), each.outcome, labels


TYPE = Evaluation()
