"""Human baselines: people with no part in the data answer drawn items of releases and sets (IndoNLI Appendix C).

They go by a short text on the task and some examples, the guidelines of their project, and by nothing else.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, override

from annotation import kinds
from annotation.core.access import Membership
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules.draws import draw
from annotation.kinds import Kind, SlotIn, text_at
from annotation.tasks.queries import task_of_project
from annotation.tasks.rules.kind import GROUP
from annotation.text.normalise import storage_problem
from annotation.ui.fields import area_field, whole_number_field
from annotation.ui.tables import NUMBER, WORD, Table, columns, table
from exports.baselines import draws, rules
from exports.baselines.draws import DrawnItem as One
from exports.baselines.draws import SourceIn
from exports.releases.models import Release
from validation.studies.models import Study, StudyRow
from validation.studies.queries.diagnostic import SLUG as DIAGNOSTIC
from validation.studies.queries.studies import standing_answers
from validation.studies.study_types import (
    HumanAccuracy,
    RowIn,
    StudyDraw,
    StudyForm,
    StudyType,
    one_round_protocol,
    people_field,
    revealing_types,
)
from validation.studies.views.pages import accuracy_columns

MOST_EXAMPLES, LONGEST_TASK, LARGEST, LISTED = 100, 4_000, 10_000, 20
SOURCE = "source-"


def answered_kind(project: Project) -> Kind | None:
    """The kind as which people who know nothing of the project answer its items; None where they have no labels."""
    kind = project.kind_spec
    if kind.question.evaluation_kind:
        return kinds.get(kind.question.evaluation_kind)
    return kind if kind.question.labels and "review" not in kind.features else None


def drawable_sources(project: Project) -> dict[str, Release | Study]:
    """What can be drawn from: sets and ready releases of alike projects, newest first, by their names in the form."""
    alike = {"kind": project.kind, "language": project.language}
    sets = Study.objects.filter(kind=DIAGNOSTIC, derived_from__in=Project.objects.filter(**alike))
    ready = Release.objects.filter(project__in=Project.objects.filter(**alike), state=Release.State.READY)
    releases = ready.select_related("project").defer("manifest", "context").order_by("-pk")[:LISTED]
    return {
        **{f"set-{each.pk}": each for each in sets.select_related("derived_from").order_by("-pk")[:LISTED]},
        **{f"release-{each.pk}": each for each in releases},
    }


def _project(of: Release | Study) -> Project:
    return of.project if isinstance(of, Release) else of.derived_from


def _title(of: Release | Study) -> str:
    names = {"project": _project(of).name, "n": of.n}
    if isinstance(of, Release):
        return _("Test of release %(n)s of %(project)s") % names
    return _("Diagnostic set %(n)s of %(project)s") % names


class Form(StudyForm):
    """How many items of what, how many people, and what they read before; `prepared` adds what can be drawn from."""

    people = people_field(
        rules.USUAL_PEOPLE,
        gettext_lazy(
            "What more than half of them say is their answer; else the label that most of the data has. Invite as many."
        ),
    )
    examples = whole_number_field(
        gettext_lazy("Examples"),
        0,
        MOST_EXAMPLES,
        gettext_lazy("As many of each label. They are never asked."),
        initial=rules.USUAL_EXAMPLES,
    )
    task = area_field(
        gettext_lazy("What people read before they begin"),
        LONGEST_TASK,
        8,
        gettext_lazy(
            "A short text on the task, in Markdown. They see no other guidelines, nor anything else of the project."
        ),
    )


class HumanBaseline(StudyType):
    slug = rules.PURPOSE
    name = gettext_noop("Human baseline")
    plural = gettext_noop("Human baselines")
    help = gettext_noop(
        "How well people answer who had no part in the data: after a short text and some examples, by what most of "
        "three say. Of each source so many items are drawn, of each gold label its share; only items whose label votes "
        "settled on are asked."
    )
    requirements = gettext_noop("It is drawn from a release or a diagnostic set.")
    template = "exports/baselines/report.html"
    form = Form

    def is_available(self, project: Project) -> bool:
        return answered_kind(project) is not None

    def prepare_form(self, project: Project, form: StudyForm) -> bool:
        """The usual number stands at the newest source."""
        found = drawable_sources(project)
        sets = any(not isinstance(of, Release) for of in found.values())
        usual = rules.USUAL_OF_SET if sets else rules.USUAL_OF_RELEASE
        for place, (name, of) in enumerate(found.items()):
            form.fields[SOURCE + name] = whole_number_field(
                _title(of), 0, LARGEST, required=False, initial=0 if place else usual
            )
        form.fields["task"].initial = _usual_task(project)
        form.order_fields([*(SOURCE + name for name in found), "people", "examples", "task", "slug", "name"])
        return bool(found)

    def draw(self, project: Project, slug: str, n: int, sent: Mapping[str, Any]) -> StudyDraw:
        """The draw depends on the project's seed, the number of the baseline and what it is drawn from alone."""
        there = drawable_sources(project)
        sources = [SourceIn(of, size) for name, of in there.items() if (size := sent.get(SOURCE + name))]
        people, task, kind = sent["people"], sent["task"].strip(), answered_kind(project)
        if kind is None:
            raise Invalid(field="people", code="baseline_no_labels")
        if not task or len(task) > LONGEST_TASK or storage_problem(task):
            raise Invalid(field="task", code="baseline_task")
        seed = f"{draw(project.seed, rules.PURPOSE, str(n)):016x}"
        found = draws.draw_sample(seed, kind, sources, sent["examples"])
        if not found.asked:
            raise Invalid(field="people", code="baseline_nothing")
        contents = draws.contents_of([*found.asked, *found.examples])
        examples = [(contents[one.candidate.item], one.candidate.gold) for one in found.examples]
        made_of = {name for source in sources for name in _projects(source.source)} | {project.slug}
        own_task = task_of_project(project)
        with override(project.language):
            guidelines = rules.guidelines(kind, task, examples, _)
        return StudyDraw(
            seed,
            own_task or kind,
            one_round_protocol(self.slug, people, quorum=people // 2 + 1, plurality=False),
            _rows(kind, found.asked, contents, by_column=own_task is not None),
            project.language,
            name=f"{project.name}: {_(self.name)} {n}",
            options={
                "people": people,
                "examples": len(examples),
                "projects": sorted(made_of),
                "sources": [
                    {"title": _title(source.source), "file": _in_file(source.source), "frequent": label}
                    for source, label in zip(sources, found.frequent, strict=True)
                ],
            },
            guidelines=guidelines,
        )

    def source_project_slugs(self, study: Study) -> Collection[str]:
        return list(study.options["projects"])

    def excluded_members(self, study: Study) -> "QuerySet[Annotator]":
        """Everybody with a part in a project that is asked about, or in a study of one that shows gold."""
        asked = self.source_project_slugs(study)
        of_study = Q(project__study__kind__in=revealing_types(), project__study__derived_from__slug__in=asked)
        return Annotator.objects.filter(Q(project__slug__in=asked) | of_study)

    def bars_membership(self, study: Study, *, lead: bool, targets: Collection[str] | None) -> bool:
        return True

    def is_readable_by(self, study: Study, membership: Membership) -> bool:
        """One that asks of other projects too is for administrators."""
        return membership.is_administrator or set(self.source_project_slugs(study)) == {membership.project.slug}

    def report(self, request: HttpRequest, study: Study) -> dict[str, Any]:
        """What it asks, and how often people are right: what most of them say, and each."""
        kind, judged = study.project.kind_spec, judged_items(study)
        titles = {n: each["title"] for n, each in enumerate(study.options["sources"], start=1)}
        labels = () if kind.question.own_options or kind.question.questions else kind.question.label_keys
        over = sum(each.is_complete for each in judged)
        return {
            "sources": [(title, sum(each.row.source == n for each in judged)) for n, title in titles.items()],
            "asked": len(judged),
            "over": over,
            "most": _accuracy_table(rules.majority_accuracies(judged, labels), titles, kind) if over else None,
            "each": _accuracy_table(rules.person_accuracies(judged), titles, kind, by_person=True),
        }

    def accuracy(self, study: Study) -> HumanAccuracy | None:
        judged = judged_items(study)
        if not judged or not all(each.is_complete for each in judged):
            return None
        sources = [each["file"] for each in study.options["sources"]]
        return HumanAccuracy(study.options["people"], sources, sum(each.right for each in judged), len(judged))

    @property
    def csv_files(self) -> Mapping[str, Any]:
        return {"rows": (gettext_noop("Rows as CSV"), _item_table)}


def _projects(of: Release | Study) -> set[str]:
    """The projects whose items a source has; all of a release of several."""
    if isinstance(of, Study):
        return {of.derived_from.slug}
    columns_of = (
        "project__slug",
        "parts__project__slug",
        "whole__project__slug",
        "whole__parts__project__slug",
    )
    rows = Release.objects.filter(pk=of.pk).values_list(*columns_of)
    return {slug for row in rows for slug in row if slug}


def _in_file(of: Release | Study) -> str:
    return f"{_project(of).slug} {'release' if isinstance(of, Release) else 'diagnostic'} {of.n}"


def _usual_task(project: Project) -> str:
    """The question and what each answer means, as the kind has them; to be said in the project's own words."""
    kind = answered_kind(project)
    if kind is None:
        return ""
    explained = [f"- **{_(label.name)}**: {_(label.help)}" for label in kind.question.labels if label.help]
    return "\n\n".join([_(kind.question.text), *(["\n".join(explained)] if explained else [])])


def _rows(
    kind: Kind, asked: Sequence[One], contents: Mapping[int, Mapping[str, Any]], *, by_column: bool
) -> list[RowIn]:
    """Items without parts that reveal the answer; those of several projects may share a key, their sources differ."""
    keys, made = Counter(one.candidate.key for one in asked), []
    for source, (key, gold, item, revision_n) in asked:
        text, typed, texts = _asked(kind, contents[item], by_column=by_column)
        made.append(
            RowIn(
                key if keys[key] == 1 else f"{source}-{key}",
                {"source": source, "gold": gold},
                text,
                typed,
                texts,
                source_item_id=item,
                revision_n=revision_n,
            )
        )
    return made


def _asked(kind: Kind, content: Mapping[str, Any], *, by_column: bool) -> tuple[str, SlotIn, Mapping[str, Any] | None]:
    """The text of an item's source and what stands in a slot; of a team's own task its texts by column."""
    if by_column:
        texts = {name: text for name, text in content.items() if name != GROUP}
        return text_at(texts, next(iter(texts))), SlotIn(), texts
    if kind.export.source_row and kind.source.read_source_row:
        return *kind.source.read_source_row(dict(kind.export.source_row[1](content))), None
    shared = next((text.key for text in kind.presentation.texts if text.shared), "")
    return text_at(content, shared), replace(kind.authoring.slot_from_content(content), tags=()), None


def judged_items(study: Study) -> list[rules.JudgedItem]:
    """Every item that is asked, by source and key, with what was said of it under pseudonyms; two statements."""
    labels: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for item, who, label in standing_answers(study).values_list("item", "annotator__pseudonym", "label"):
        labels[item].append((who, label))
    rows = StudyRow.objects.filter(study=study).values_list("item", "of_item__key", "data")
    asked = [
        rules.AnsweredItem(key, data["source"], data["gold"], tuple(sorted(labels[item]))) for item, key, data in rows
    ]
    frequent = {n: each["frequent"] for n, each in enumerate(study.options["sources"], start=1)}
    ordered = sorted(asked, key=lambda row: (row.source, row.key))
    return rules.judge_items(ordered, study.options["people"], frequent)


def _accuracy_table(
    counted: Sequence[rules.Accuracy], names: Mapping[int, str], kind: Kind, *, by_person: bool = False
) -> Table | None:
    """How often people are right: by gold label, with how many items they make no majority of, or by person."""
    words = {"": _("all"), **{label.key: _(label.name) for label in kind.question.labels}}
    rows = [
        (
            each.person if by_person else words.get(each.label, each.label),
            _("all") if each.source is None else names[each.source],
            each.n,
            each.right,
            each.percent,
            each.percents,
            each.no_majority,
        )
        for each in counted
    ]
    names_of = columns(WORD, _("Who") if by_person else _("Gold"), _("Drawn from"))
    split = [] if by_person else columns(NUMBER, _("No majority"))
    return table([*names_of, *accuracy_columns(), *split], rows) if rows else None


def _item_table(study: Study) -> Iterator[Sequence[object]]:
    """Every item: where it is from, gold, what the people's answer is, and what each said."""
    yield "id", "source", "gold", "answer", "majority", "right", "answers"
    names = [each["file"] for each in study.options["sources"]]
    for each in judged_items(study):
        yield (
            each.row.key,
            names[each.row.source - 1],
            each.row.gold,
            each.label,
            int(each.has_majority) if each.is_complete else "",
            int(each.right) if each.is_complete else "",
            " ".join(f"{who}:{label}" for who, label in each.row.answers),
        )


TYPE = HumanBaseline()
