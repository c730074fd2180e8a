"""Ratings of model outputs by fixed groups of three, yes or no for every criterion (Kalahi Appendix I).

Prompts that have an output of every model are drawn; each output is asked of one group. Of questions (a kind with
`free_answers`) the outputs are answers without the choices, shown beside the settled one (id-csqa §7.1). Which model
wrote it stands in the study's rows alone, and is shown once the study is closed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.content.queries import ACCEPTED_STAGES
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules.draws import draw
from annotation.kinds import text_at
from annotation.kinds.texts import option_field
from annotation.tasks.rules.question import LONGEST_TEXT, TaskQuestion
from annotation.tasks.rules.question import Criterion as TaskCriterion
from annotation.tasks.rules.task import SourceField, Task
from annotation.ui.fields import area_field, whole_number_field
from annotation.ui.tables import NUMBER, columns, table
from validation.consensus import stages
from validation.insights.rules.agreement import Figure
from validation.studies.model_outputs import ModelOutput, OutputsField, outputs_by_prompt
from validation.studies.models import Study
from validation.studies.queries.studies import standing_answers
from validation.studies.rules import criteria as criteria_rules
from validation.studies.rules import ratings as rules
from validation.studies.rules.criteria import CriteriaFault, Criterion, read_criteria
from validation.studies.study_types import RowIn, StudyDraw, StudyForm, StudyType, one_round_protocol

QUESTION, OUTPUT, PROMPT, ANSWER = "quality", "output", "prompt", "answer"
# Of a kind whose items are questions that models answer without the choices.
FREE_ANSWERS = "free_answers"
LARGEST_SAMPLE, LONGEST_CRITERIA = 1_000, 12_000
FIGURES = ("percent_agreement", "krippendorff_alpha", "mean_pairwise_kappa")


class Form(StudyForm):
    """Which outputs, how many prompts, by which criteria."""

    outputs = OutputsField(
        label=gettext_lazy("File of outputs"),
        help_text=gettext_lazy("JSON Lines or CSV: in each row the id of a prompt or question, a model and a text."),
    )
    sample = whole_number_field(
        gettext_lazy("Prompts or questions to draw"), 1, LARGEST_SAMPLE, initial=rules.SAMPLE_SIZE
    )
    criteria = area_field(
        gettext_lazy("Criteria"),
        LONGEST_CRITERIA,
        9,
        gettext_lazy(
            "One a line: key, colon, name, colon, what a rater says yes to. Left empty: those of the project, or those "
            "that are built in."
        ),
        required=False,
    )
    field_order = ("outputs", "sample", "criteria", "members", "slug", "name")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "members" in self.fields:
            self.fields["members"].help_text = gettext_lazy(
                "They are put into fixed groups of three, each output goes to one group. Without anybody ticked, each "
                "output is rated by any three whom you invite. Whoever rates an output does not vote on what it is for."
            )


class RatingStudy(StudyType):
    slug = "rating"
    name = gettext_noop("Rating")
    plural = gettext_noop("Ratings of model outputs")
    help = gettext_noop(
        "How good the outputs of models are for the prompts or questions of this project: three people say yes or no "
        "to each criterion, and are told no model’s name."
    )
    requirements = gettext_noop("It needs prompts, or questions whose answers are settled.")
    template = "validation/studies/reports/rating.html"
    form = Form
    leads_may_draw = hides_report_until_closed = True

    def is_available(self, project: Project) -> bool:
        return "rating" in project.kind_spec.features

    def eligible_members(self, project: Project) -> "QuerySet[Annotator]":
        there = Annotator.objects.filter(project=project, has_led=False, left_at=None)
        return there.filter(user__is_active=True, user__is_administrator=False).order_by("pseudonym")

    def draw(self, project: Project, slug: str, n: int, sent: Mapping[str, Any]) -> StudyDraw:
        """Prompts are drawn, and outputs dealt to the groups, with the project's seed and the members' pseudonyms."""
        with_answers = _has_answers(project)
        built_in = criteria_rules.FREE_ANSWERS if with_answers else criteria_rules.DEFAULT
        criteria = criteria_in(sent["criteria"] or project.rules.rating_criteria, built_in)
        people = {member.pseudonym: member.pk for member in sent["members"]}
        there = Item.objects.filter(project=project).exclude(stage=stages.EXCLUDED)
        items = {item.pk: item for item in there.select_related("project")}
        written = outputs_by_prompt(sent["outputs"], {item.key: pk for pk, item in items.items()})
        if with_answers:
            _refuse_unsettled([items[of.prompt] for of in written])
        by_key = {f"{items[each.prompt].key}\t{each.model}": each for each in written}
        outputs = [rules.Output(key, items[of.prompt].key, of.model) for key, of in by_key.items()]
        try:
            drawn = rules.sample(outputs, project.seed, sent["sample"])
            groups = rules.deal_outputs(drawn.outputs, list(people), project.seed) if people else []
        except rules.RatingFault as fault:
            field = "sample" if fault.code == "sample_short" else "members"
            raise Invalid(gettext(fault.message) % fault.params, field=field, code=fault.code) from fault
        group_of = {key: number for number, group in enumerate(groups) for key in group.outputs}
        prompts = [items[pk] for pk in sorted({by_key[each.key].prompt for each in drawn.outputs})]
        contents = content_queries.contents(prompts)
        rows = [
            _row(project, items[of.prompt], of, contents[of.prompt], group_of.get(each.key, 0))
            for each in drawn.outputs
            for of in [by_key[each.key]]
        ]
        return StudyDraw(
            project.seed,
            _task(project, criteria),
            one_round_protocol(self.slug, rules.GROUP_SIZE, quorum=rules.GROUP_SIZE // 2 + 1, plurality=False),
            rows,
            project.language,
            options={"criteria": [each._asdict() for each in criteria], "sample": sent["sample"]},
            groups=[[people[rater] for rater in group.raters] for group in groups],
        )

    def excluded_members(self, study: Study) -> "QuerySet[Annotator]":
        return Annotator.objects.filter(Q(has_led=True), project=study.derived_from_id)

    def report(self, request: HttpRequest, study: Study) -> dict[str, Any]:
        """For how many outputs a majority says yes, by model, and how far raters agree."""
        tally = tally_of(study)
        names = {
            each["key"]: format_html('<span dir="auto">{}</span>', _(each["name"]))
            for each in study.options["criteria"]
        }
        counts = [(names[key], *(_count(tally.counts[model, key]) for model in tally.models)) for key in names]
        agreed = tally.agreement
        agreement = [(names[key], *map(_figure, agreed[key]), _basis_cell(agreed[key])) for key in names]
        coefficients = columns(NUMBER, "Percent agreement", "Krippendorff's alpha", "Mean Cohen's kappa of pairs")
        criterion, title = columns("", _("Criterion")), _("For how many outputs a majority says yes")
        models = set(study.rows.values_list("data__model", flat=True))
        return {
            "tally": tally,
            "counts": table([*criterion, *columns(NUMBER, *tally.models)], counts, region=title, cards=False),
            "agreement": table([*criterion, *coefficients, *columns("", _("Over"))], agreement),
            "undefined": sorted({each.why for key in names for each in agreed[key] if each.value is None}),
            "unrated": sorted(models - set(tally.models)),
        }

    @property
    def csv_files(self) -> Mapping[str, Any]:
        return {
            "counts": (gettext_noop("Counts as CSV"), _count_rows),
            "ratings": (gettext_noop("Ratings as CSV"), _rating_rows),
        }


def _has_answers(project: Project) -> bool:
    """Whether an answer is settled that outputs are held against."""
    return FREE_ANSWERS in project.kind_spec.features


def _refuse_unsettled(items: Sequence[Item]) -> None:
    """Raise Invalid for questions without a settled answer: raters see it, and nobody may vote who has seen it."""
    wrong = sorted({item.key for item in items if not item.gold or item.stage not in ACCEPTED_STAGES})
    if wrong:
        message = gettext(
            "%(n)d questions have no settled answer, “%(key)s” first. Raters see the answer: leave their rows out."
        )
        told = {"n": len(wrong), "key": wrong[0]}
        raise Invalid(message % told, field="outputs", code="outputs_unsettled")


def criteria_in(text: str, built_in: Sequence[Criterion]) -> Sequence[Criterion]:
    """The criteria that somebody listed; an empty text means those that are built in."""
    try:
        return read_criteria(text) if text.strip() else built_in
    except CriteriaFault as fault:
        raise Invalid(gettext(fault.message) % fault.params, field="criteria", code=fault.code) from fault


def _task(project: Project, criteria: Sequence[Criterion]) -> Task:
    """The prompt as its project shows it, the output, a yes or no for each criterion."""
    shown = [text for text in project.kind_spec.presentation.texts if text.shown]
    return Task(
        name=gettext_noop("Rating of model outputs"),
        language=project.language,
        source=(
            *(SourceField(key=f"{PROMPT}_{n}", name=text.name) for n, text in enumerate(shown, 1)),
            *([SourceField(key=ANSWER, name=gettext_noop("Right answer"))] if _has_answers(project) else []),
            SourceField(key=OUTPUT, name=gettext_noop("Output")),
        ),
        questions=(
            TaskQuestion(
                key=QUESTION,
                text=gettext_noop("Is this so?"),
                type="criteria",
                criteria=tuple(TaskCriterion(key=each.key, name=each.name, help=each.definition) for each in criteria),
            ),
        ),
        flags=(),
    )


def _row(project: Project, item: Item, of: ModelOutput, content: Mapping[str, Any], group: int) -> RowIn:
    shown = [text_at(content, text.key) for text in project.kind_spec.presentation.texts if text.shown]
    texts = {f"{PROMPT}_{n}": text for n, text in enumerate(shown, 1)} | {OUTPUT: of.text[:LONGEST_TEXT]}
    if _has_answers(project):
        texts[ANSWER] = text_at(content, option_field(item.gold))
    # The key tells neither prompt nor model.
    key = f"{draw(project.seed, 'rated-key', f'{item.key}:{of.model}'):016x}"
    data = {"prompt": item.key, "model": of.model, "group": group + 1}
    return RowIn(
        key,
        data,
        "\n".join(shown),
        texts=texts,
        source_item_id=item.pk,
        revision_n=item.revision_n,
        group=group,
    )


def _answers_by_criterion(vote: Mapping[str, Any], keys: Sequence[str]) -> dict[str, str]:
    return {key: str(vote.get(f"{QUESTION}_{key}", "")) for key in keys}


def tally_of(study: Study) -> rules.Tally:
    """The counts of a study."""
    keys = [str(each["key"]) for each in study.options["criteria"]]
    rows = standing_answers(study).values_list("item__key", "item__study_row__data", "annotator__pseudonym", "answers")
    return rules.tally(
        (
            rules.RaterBallot(output, data["model"], who, _answers_by_criterion(answer, keys), data["prompt"])
            for output, data, who, answer in rows
        ),
        keys,
    )


def _count(count: rules.Count) -> SafeString:
    return format_html('{} <span class="muted small">/ {}</span>', count.yes, count.outputs)


def _figure(figure: Figure) -> str | None:
    if figure.value is None:
        return None
    return render_to_string("validation/insights/partials/figure.html", {"figure": figure})


def _basis_cell(agreed: rules.CriterionAgreement) -> SafeString:
    """Over what the figures are; those of pairs of people are over other items."""
    shown = [agreed.percent, *([agreed.kappa] if agreed.kappa.pairs else [])]
    template = "validation/insights/partials/figure_over.html"
    parts = [render_to_string(template, {"figure": figure}) for figure in shown]
    return format_html("{}" + "<br>{}" * (len(parts) - 1), *parts)


def _count_rows(study: Study) -> Iterator[Sequence[object]]:
    """Counts by criterion and model with agreement."""
    tally = tally_of(study)
    over = [f"{name}{part}" for name in FIGURES for part in ("", "_items", "_ratings")]
    yield ["criterion", "model", "majority_yes", "outputs", *over]
    for key in tally.criteria:
        figures = [cell for figure in tally.agreement[key] for cell in _cells(figure)]
        for model in tally.models:
            count = tally.counts[model, key]
            yield [key, model, count.yes, count.outputs, *figures]


def _cells(figure: Figure) -> list[object]:
    return [figure.value, figure.items, figure.ratings]


def _rating_rows(study: Study) -> Iterator[Sequence[object]]:
    """Every rating that was given, by prompt, model and person."""
    keys = [str(each["key"]) for each in study.options["criteria"]]
    yield ["prompt", "model", "group", "rater", *keys, "comment", "seconds"]
    found = defaultdict[tuple[str, str], list[list[object]]](list)
    rows = standing_answers(study).values_list(
        "item__study_row__data", "annotator__pseudonym", "answers", "comment", "seconds"
    )
    for data, who, answer, comment, seconds in rows:
        cells = [
            *_answers_by_criterion(answer, keys).values(),
            comment,
            seconds,
        ]
        found[data["prompt"], data["model"]].append([data["group"], who, *cells])
    for (prompt, model), given in sorted(found.items()):
        for row in given:
            yield [prompt, model, *row]


TYPE = RatingStudy()
