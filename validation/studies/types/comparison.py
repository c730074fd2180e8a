"""Blind comparisons of two runs on the same sources, part by part (id-csqa Appendix A.2, Table 8).

A pair are two kept questions of one source and place in it; each person sees the two sides in an order of their own,
and nothing tells which run wrote which. Nobody compares who led the project or wrote its instructions.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import floatformat
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from annotation.answers.preference import TIE, A, B
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.generation.models import Candidate, GenerationRun, InstructionVersion
from annotation.tasks.rules.question import TaskQuestion
from annotation.tasks.rules.task import SideText, SourceField, Task
from annotation.ui.fields import whole_number_field
from annotation.ui.navigation import page_url
from annotation.ui.tables import NUMBER, TEXT, Table, columns, table
from validation.studies.models import Study
from validation.studies.queries.studies import standing_answers
from validation.studies.rules import comparisons as rules
from validation.studies.rules.comparisons import CONCEPT, EQUAL, FIRST, OPTIONS, QUESTION, SECOND, WinRate
from validation.studies.study_types import (
    RowIn,
    StudyDraw,
    StudyForm,
    StudyType,
    one_round_protocol,
    people_field,
    set_choices,
)
from validation.voting.rules.option_order import ORDER

LARGEST, USUAL_SIZE, PEOPLE = 1_000, 200, 3
FINISHED_STATES = (GenerationRun.State.DONE, GenerationRun.State.CANCELLED)
# The name of each part, also in Indonesian, and what is asked of it.
PARTS: Mapping[str, tuple[str, str, str]] = {
    CONCEPT: (gettext_noop("Concept"), "Konsep", gettext_noop("Which concept is better?")),
    QUESTION: (gettext_noop("Question"), "Soal", gettext_noop("Which question is better?")),
    OPTIONS: (gettext_noop("Choices"), "Pilihan", gettext_noop("Which choices are better?")),
}
# What people choose, whatever stood on their left: A is always the first run's.
RUN_OF_SIDE = {A: FIRST, B: SECOND, TIE: EQUAL}


class Form(StudyForm):
    """Which runs, which parts, how many pairs, by how many people each."""

    first = forms.TypedChoiceField(label=gettext_lazy("First run"), coerce=int)
    second = forms.TypedChoiceField(label=gettext_lazy("Second run"), coerce=int)
    parts = forms.MultipleChoiceField(
        label=gettext_lazy("What is compared"),
        choices=[(part, gettext_lazy(name)) for part, (name, *_words) in PARTS.items()],
        initial=list(PARTS),
        widget=forms.CheckboxSelectMultiple,
    )
    size_help = gettext_lazy("A pair are two questions that both runs kept from the same source.")
    size = whole_number_field(gettext_lazy("Pairs to draw"), 1, LARGEST, size_help, initial=USUAL_SIZE)
    people = people_field(PEOPLE, gettext_lazy("Each of them says which side is better, or neither."))
    field_order = ("first", "second", "parts", "size", "people", "members", "slug", "name")


class ComparisonStudy(StudyType):
    slug = "comparison"
    name = gettext_noop("Comparison")
    plural = gettext_noop("Comparisons of two runs")
    help = gettext_noop(
        "Which of two runs writes better: people see two questions from the same source side by side and say which is "
        "better, without knowing which run wrote which. Whoever led this project or wrote its instructions compares "
        "nothing."
    )
    requirements = gettext_noop(
        "Two runs that are over are needed. Begin two with the same sources, each with another model or other "
        "instructions."
    )
    template = "validation/studies/reports/comparison.html"
    form = Form
    leads_may_draw = hides_report_until_closed = True

    def is_available(self, project: Project) -> bool:
        return bool(project.rules.recipe)

    def eligible_members(self, project: Project) -> "QuerySet[Annotator]":
        there = Annotator.objects.filter(project=project, is_validator=True, left_at=None)
        there = there.filter(user__is_active=True, user__is_administrator=False)
        return there.exclude(_led_or_instructed(project)).order_by("pseudonym")

    def prepare_form(self, project: Project, form: StudyForm) -> bool:
        kept = Count("candidates", filter=Q(candidates__state=Candidate.State.KEPT))
        there = GenerationRun.objects.filter(project=project, state__in=FINISHED_STATES).annotate(kept=kept)
        offered = [(str(run.n), _run_words(run)) for run in there.order_by("-n")]
        set_choices(form, "first", offered)
        set_choices(form, "second", offered)
        if len(offered) > 1:
            form.fields["second"].initial = offered[1][0]
        return len(offered) > 1

    def draw(self, project: Project, slug: str, n: int, sent: Mapping[str, Any]) -> StudyDraw:
        """The draw depends on the project's seed, the comparison's number and the sources that both runs kept."""
        parts = [part for part in rules.PARTS if part in sent["parts"]]
        if not parts or len(parts) < len(set(sent["parts"])):
            raise Invalid(field="parts", code="comparison_parts_wrong")
        protocol = one_round_protocol(self.slug, sent["people"])
        runs = _runs(project, sent["first"], sent["second"])
        first, second = (_kept_questions(run) for run in runs)
        pairs = rules.draw_pairs(f"{project.seed}:{n}", first.keys() & second.keys(), sent["size"])
        if not pairs:
            raise Invalid(field="second", code="comparison_nothing")
        rows = [_row(place, first[key], second[key]) for place, key in enumerate(pairs, start=1)]
        described = [{"n": run.n, "name": run.name, "models": models_of(run)} for run in runs]
        options = {"parts": parts, "runs": described}
        language = first[pairs[0]].material.target.language
        return StudyDraw(project.seed, _task(language, parts), protocol, rows, language, options=options)

    def excluded_members(self, study: Study) -> "QuerySet[Annotator]":
        return Annotator.objects.filter(_led_or_instructed(study.derived_from), project=study.derived_from_id)

    def title(self, study: Study) -> str:
        return " – ".join(run["name"] for run in study.options["runs"])

    def report(self, request: HttpRequest, study: Study) -> dict[str, Any]:
        """Win rates over all that was said, over pairs, and by person."""
        tally, slug = tally_of(study), study.derived_from.slug
        return {
            "runs": [(run, page_url("machine_run", slug, run["n"])) for run in study.options["runs"]],
            "said": _rates(study, tally.single_choices, _("Win rates")),
            "pairs_once": _rates(study, tally.pairs, _("Win rates where each pair counts once")),
            "persons": _people(study, tally),
        }

    @property
    def csv_files(self) -> Mapping[str, Any]:
        return {
            "rates": (gettext_noop("Win rates as CSV"), _rate_rows),
            "preferences": (gettext_noop("Answers as CSV"), _preference_rows),
        }


def _led_or_instructed(project: Project) -> Q:
    """Who led the project, or wrote its instructions."""
    wrote = InstructionVersion.objects.filter(project=project, by__isnull=False)
    return Q(has_led=True) | Q(user__in=wrote.values("by"))


def models_of(run: GenerationRun) -> str:
    """The models that a run asked, as they were when it began."""
    named = [str(step.get("model", "")) for step in run.plan.get("steps", ())]
    return ", ".join(dict.fromkeys(name for name in named if name))


def _run_words(run: GenerationRun) -> str:
    kept = vars(run)["kept"]
    questions = ngettext("%(n)s question", "%(n)s questions", kept) % {"n": kept}
    return f"{run.name} ({models_of(run) or '–'}): {questions}"


def _runs(project: Project, first: int, second: int) -> list[GenerationRun]:
    """Two different runs of the project that are over, by their numbers."""
    if first == second:
        raise Invalid(field="second", code="comparison_of_one")
    there = {run.n: run for run in GenerationRun.objects.filter(project=project, n__in=[first, second])}
    if len(there) < 2:
        raise Invalid(field="second" if first in there else "first", code="comparison_run_unknown")
    if any(run.state not in FINISHED_STATES for run in there.values()):
        raise Invalid(field="first", code="comparison_run_unfinished")
    return [there[first], there[second]]


def _kept_questions(run: GenerationRun) -> dict[str, Candidate]:
    """What a run kept, by the source's key with the question's own."""
    rows = Candidate.objects.filter(run=run, state=Candidate.State.KEPT).select_related("material__target")
    return {f"{each.material.key} {each.key}": each for each in rows}


def _task(language: str, parts: Sequence[str]) -> Task:
    return Task(
        name=gettext_noop("Comparison of questions"),
        language=language,
        source=tuple(
            SourceField(
                key=f"{part}_pair",
                name=name,
                type="texts",
                required=False,
                sides=tuple(
                    SideText(key=f"{part}_{at.lower()}", name={"en": f"{name} {at}", "id": f"{words} {at}"})
                    for at in (A, B)
                ),
            )
            for part, (name, words, _asked) in PARTS.items()
        ),
        questions=tuple(
            TaskQuestion(key=f"better_{each}", text=text, type="preference", between=f"{each}_pair", tie=True)
            for each, (*_names, text) in PARTS.items()
            if each in parts
        ),
        flags=(),
        shuffle=("sides",),
    )


def _texts(content: Mapping[str, Any], side: str) -> dict[str, str]:
    """One question; which choice is its answer is left out."""
    texts = {part: str(content.get(part, "")) for part in (CONCEPT, QUESTION)}
    texts[OPTIONS] = "\n".join(f"{each['key']}. {each['text']}" for each in content.get("options", ()))
    return {f"{part}_{side.lower()}": text for part, text in texts.items()}


def _row(place: int, first: Candidate, second: Candidate) -> RowIn:
    key = f"pair-{place:04d}"
    texts = _texts(first.content, A) | _texts(second.content, B)
    return RowIn(key, {"source": first.material.key}, key, texts=texts)


def tally_of(study: Study) -> rules.Tally:
    """The outcome of a comparison."""
    parts = study.options["parts"]
    rows = standing_answers(study).values_list("item__key", "annotator__pseudonym", "answers")
    return rules.tally([rules.Choice(pair, who, _runs_meant(answer, parts)) for pair, who, answer in rows], parts)


def _runs_meant(answer: Mapping[str, Any], parts: Sequence[str]) -> dict[str, str]:
    return {part: RUN_OF_SIDE[answer[f"better_{part}"]] for part in parts}


def _rates(study: Study, counts: Mapping[str, WinRate], name: str) -> Table:
    rows = [
        (_(PARTS[part][0]), *(_share(each, run) for run in (FIRST, SECOND)), each.equal, each.total)
        for part, each in counts.items()
    ]
    first, second = (run["name"] for run in study.options["runs"])
    numbers = columns(NUMBER, first, second, _("Equal"), _("All"))
    return table([*columns(TEXT, _("Part")), *numbers], rows, region=name, cards=False)


def _share(counted: WinRate, run: str) -> SafeString | None:
    """One run's share of what had a winner, with its interval."""
    rate, interval = counted.rate(run), counted.interval(run)
    if rate is None or interval is None:
        return None
    low, high = (floatformat(100 * end, 1) for end in interval)
    return format_html(
        '{}&nbsp;%&nbsp;({})<br><span class="muted small">{}&nbsp;–&nbsp;{}&nbsp;%</span>',
        floatformat(100 * rate, 1),
        intcomma(counted.wins(run)),
        low,
        high,
    )


def _people(study: Study, tally: rules.Tally) -> Table | None:
    rows = [
        (who, _(PARTS[part][0]), each.first, each.second, each.equal)
        for who, counts in tally.people.items()
        for part, each in counts.items()
    ]
    first, second = (run["name"] for run in study.options["runs"])
    heads = [*columns(TEXT, _("Person"), _("Part")), *columns(NUMBER, first, second, _("Equal"))]
    return table(heads, rows) if rows else None


def _rate_rows(study: Study) -> Iterator[Sequence[object]]:
    """Win rates by part: over all that was said, over pairs, and by person."""
    tally = tally_of(study)
    yield ["over", "person", "part", "run", "wins", "equal", "total", "win_rate", "low_95", "high_95"]
    of_people = [("person", who, counts) for who, counts in tally.people.items()]
    for over, who, counts in [("said", "", tally.single_choices), ("pairs", "", tally.pairs), *of_people]:
        for part, each in counts.items():
            for run, described in zip((FIRST, SECOND), study.options["runs"], strict=True):
                figures = [each.rate(run), *(each.interval(run) or (None, None))]
                yield [over, who, part, described["name"], each.wins(run), each.equal, each.total, *figures]


def _preference_rows(study: Study) -> Iterator[Sequence[object]]:
    """All that was said, in the order of pairs and people."""
    parts, runs = study.options["parts"], study.options["runs"]
    names = {FIRST: runs[0]["name"], SECOND: runs[1]["name"], EQUAL: EQUAL}
    yield ["pair", "source", "left", "person", *parts, "comment", "seconds"]
    of_row = ("item__study_row__position", "item__study_row__data")
    wanted = (*of_row, "annotator__pseudonym", "answers", "comment", "seconds")
    for place, data, who, answer, comment, seconds in standing_answers(study).values_list(*wanted):
        left = names[RUN_OF_SIDE[answer.get(ORDER, A)[0]]]
        better = [names[meant] for meant in _runs_meant(answer, parts).values()]
        yield [place, data["source"], left, who, *better, comment, seconds]


TYPE = ComparisonStudy()
