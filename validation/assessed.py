"""The fetchers of what reviewers said of machine-written items: verdicts that count, tables, what was corrected."""

from typing import Any

from annotation.bulk import any_of
from annotation.models import Item, Project, Revision
from annotation.rules import recipes
from annotation.rules.recipes import Recipe
from validation.models import Assessment
from validation.rules import assessing
from validation.rules.assessing import Corrections, Part

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


def corrections(project: Project) -> Corrections:
    """How many of a project's machine-written items were corrected, by part, from their first and present texts."""
    items = Item.objects.filter(project=project, origin=Item.Origin.MACHINE)
    found, last = Corrections(), 0
    while page := dict(items.filter(pk__gt=last).order_by("pk").values_list("pk", "revision_n")[:PAGE]):
        last = max(page)
        rows = Revision.objects.filter(item__in=any_of(page)).values_list("item_id", "n", "content")
        texts: dict[int, dict[int, Any]] = {}
        for item, n, content in rows:
            texts.setdefault(item, {})[n] = content
        for item, n in page.items():
            found = found.plus(assessing.changed(texts[item][1], texts[item][n]))
    return found
