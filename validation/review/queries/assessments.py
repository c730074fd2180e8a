"""Queries on verdicts on machine-written items: those that count, tables, corrections."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.fields.json import KT

from annotation.content.models.item import Item, Revision
from annotation.core.models.project import Project
from annotation.generation.models import GenerationRun
from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.base import CHAT, Recipe
from annotation.jobs.bulk import any_of
from validation.review.models.assessment import Assessment
from validation.review.rules import assessments as assessing
from validation.review.rules.assessments import Corrections, Part, TableSource, VerdictCount

PAGE = 1000


def recipe_of(project: Project) -> Recipe | None:
    """How the project's questions are written by a machine; None where it says nothing, or something unknown."""
    slug = project.rules.recipe
    return next((recipe for recipe in recipes.all_recipes() if recipe.slug == slug), None)


def parts_of(item: Item) -> tuple[Part, ...]:
    """The parts of an item that get a verdict, by its text as the machine wrote it; none where a person did."""
    if item.origin != Item.Origin.MACHINE:
        return ()
    raw = Revision.objects.values_list("content", flat=True).get(item=item, n=1)
    return assessing.parts_of(raw, recipe_of(item.project))


def texts_of(item: Item) -> tuple[dict[str, Any], dict[str, Any]]:
    """An item's content as it was first written, and as it is."""
    rows = Revision.objects.filter(item=item, n__in=(1, item.revision_n))
    texts: dict[int, dict[str, Any]] = dict(rows.values_list("n", "content"))
    return texts[1], texts[item.revision_n]


def history_of(item: Item) -> list[Assessment]:
    """Every verdict on an item, the newest first."""
    return list(Assessment.objects.filter(item=item).select_related("by").order_by("-n", "pk"))


def verdicts_of(item: Item) -> dict[str, Assessment]:
    """The verdicts that count, by part: the newest of each."""
    rows = Assessment.objects.filter(item=item).select_related("by").order_by("n")
    return {row.part: row for row in rows}


# --- counts -----------------------------------------------------------------------------


def newest_verdicts() -> QuerySet[Assessment]:
    """The verdicts that count: of each item and part the last."""
    later = Assessment.objects.filter(item=OuterRef("item"), part=OuterRef("part"), n__gt=OuterRef("n"))
    return Assessment.objects.filter(~Exists(later))


def has_verdict(mark: str) -> Exists:
    """Whether an item has this verdict (`question-typo`) now."""
    part, error = assessing.read_mark(mark)
    return Exists(newest_verdicts().filter(item=OuterRef("pk"), part=part, error=error))


def models_of(plan: Mapping[str, Any]) -> str:
    """The chat models that a run asked, by its plan."""
    models = [step["model"] for step in plan["steps"] if step["asked"] == CHAT and step["model"]]
    return " + ".join(dict.fromkeys(models))


def items_written_by(project: Project, wrote: str) -> Q:
    """The items of a project that came of a recipe, model or run."""
    way, _, which = wrote.partition(":")
    if way == assessing.RUN:
        return Q(origin=Item.Origin.MACHINE, candidate__run__n=int(which))
    alone = Q(candidate__run=None)
    if way == assessing.RECIPE:
        taken_in = alone if which == project.rules.recipe else Q(pk=None)
        return Q(Q(candidate__run__recipe=which) | taken_in, origin=Item.Origin.MACHINE)
    rows = GenerationRun.objects.filter(project=project).values_list("pk", "plan")
    runs = [pk for pk, plan in rows if models_of(plan) == which]
    named = Revision.objects.filter(item=OuterRef("pk"), n=1, content__made__model=which)
    return Q(Q(candidate__run__in=runs) | Q(alone, Exists(named)), origin=Item.Origin.MACHINE)


def verdict_counts(projects: Collection[Project], by: str) -> list[VerdictCount]:
    """How many items got which verdict, by project, language and what wrote them; two statements."""
    here = {project.pk: project for project in projects}
    raw = Revision.objects.filter(item=OuterRef("item"), n=1).annotate(model=KT("content__made__model"))
    rows = (
        newest_verdicts()
        .filter(project__in=here)
        .annotate(model=Subquery(raw.values("model")[:1]))
        .values_list("project", "item__target__language", "item__candidate__run", "model", "part", "error")
        .annotate(found=Count("pk"))
        .order_by()
    )
    runs = {run.pk: run for run in GenerationRun.objects.filter(project__in=here)}
    found: Counter[tuple[TableSource, str, str]] = Counter()
    for project, language, run, model, part, error, n in rows:
        wrote = _source_of(by, here[project], runs.get(run), model or "")
        found[TableSource(here[project].slug, wrote, language), part, error] += n
    return [VerdictCount(*each, n) for each, n in found.items()]


def _source_of(by: str, project: Project, run: GenerationRun | None, model: str) -> str:
    """What wrote an item; what came in without a run belongs to the project's recipe, and to no run."""
    if by == assessing.RUN:
        return f"{by}:{run.n}" if run is not None else f"{assessing.MODEL}:{model}"
    if by == assessing.MODEL:
        return f"{by}:{models_of(run.plan) if run is not None else model}"
    return f"{by}:{run.recipe if run is not None else project.rules.recipe}"


def model_of(item: Item, raw: Mapping[str, Any]) -> str:
    """The model that wrote an item, by its run or by what was said when it was taken in."""
    run = GenerationRun.objects.filter(candidates__item=item).first()
    return models_of(run.plan) if run is not None else str(raw.get("made", {}).get("model", ""))


def corrections(project: Project) -> Corrections:
    """How many of a project's machine-written items were corrected, by part, from their first and present texts."""
    items, last = Item.objects.filter(project=project, origin=Item.Origin.MACHINE), 0
    as_first = items.filter(revision_n=1).count()
    found = Corrections(items=as_first, nothing_changed=as_first)
    again = items.filter(revision_n__gt=1).order_by("pk").values_list("pk", "revision_n")
    while page := dict(again.filter(pk__gt=last)[:PAGE]):
        last = max(page)
        rows = Revision.objects.filter(item__in=any_of(page)).values_list("item_id", "n", "content")
        texts: dict[int, dict[int, Any]] = {}
        for item, n, content in rows:
            texts.setdefault(item, {})[n] = content
        for item, n in page.items():
            found = found.plus(assessing.compare_contents(texts[item][1], texts[item][n]))
    return found
