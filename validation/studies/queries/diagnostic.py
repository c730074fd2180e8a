"""Queries on diagnostic sets: every item with both people's tags, and the rows for a release."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef

from annotation.content.models.item import Revision
from annotation.core.models.project import Project
from validation.consensus.stages import SETTLED
from validation.studies.models import Study, StudyRow
from validation.studies.queries.studies import standing_answers
from validation.studies.rules.diagnostic import TaggedItem, known_tags
from validation.studies.rules.phenomena_task import confirmed_tags

SLUG, FEATURE = "diagnostic", "tags"


def has_tags(project: Project) -> bool:
    """Whether writers of the project's kind say which phenomena an item turns on."""
    return FEATURE in project.kind_spec.settings


def author_tags(content: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags that the author gave, as they are compared."""
    return known_tags(str(tag) for tag in content.get(FEATURE, ()))


class SetLine(NamedTuple):
    """One item of a set: which it is where it was drawn from, its tags, its author, and the expert who answered."""

    item: int
    row: TaggedItem
    author: str
    expert: str


def set_lines(of: Study) -> list[SetLine]:
    """Every item of a set in the order drawn; two statements."""
    experts = dict(standing_answers(of).values_list("item", "annotator__pseudonym"))
    rows = StudyRow.objects.filter(study=of).order_by("position")
    names = ("item", "of_item", "of_item__key", "data", "item__gold_answers")
    return [
        SetLine(
            origin,
            TaggedItem(key, data["gold"], tuple(data["tags"]), confirmed_tags(given)),
            data["author"],
            experts.get(item, ""),
        )
        for item, origin, key, data, given in rows.values_list(*names)
    ]


def release_context(project: Project) -> dict[str, Any]:
    """What a release freezes of the project's newest set: the tags of what an expert went through, by key.

    Items that were given another meaning, or another gold label, since they were drawn are not in it.
    """
    made = Study.objects.filter(derived_from=project, kind=SLUG).order_by("-n").first()
    if made is None:
        return {}
    then = Revision.objects.filter(item=OuterRef("of_item"), n=OuterRef("revision_n"))
    rows = StudyRow.objects.filter(
        Exists(then.filter(epoch=OuterRef("of_item__epoch"))), study=made, of_item__stage=SETTLED
    )
    names = ("of_item__key", "of_item__gold", "data", "item__gold_answers")
    tags = {
        key: list(found)
        for key, gold, data, given in rows.order_by("of_item__key").values_list(*names)
        if gold == data["gold"] and (found := confirmed_tags(given))
    }
    return {"diagnostic": {"n": made.n, "tags": dict(sorted(tags.items()))}} if tags else {}
