"""Data that a release reads once from a project: names, protocols, runs, and the basis of draws."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.db.models import F, Value
from django.db.models.functions import Coalesce

from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.content.rules.premises import spell_class as class_spelled
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project, ProtocolVersion, Target
from annotation.generation.models import Endpoint, GenerationRun
from exports.releases.rules.machine import Run
from exports.releases.rules.rows import Names
from exports.releases.rules.splits import DealFacts
from validation.consensus.protocol import Protocol
from validation.consensus.stages import ADJUDICATE
from validation.voting.models.review import Review


def read_names(project: Project) -> Names:
    """What the ids of a project mean, read once."""
    rules = project.rules
    people = list(Annotator.objects.filter(project=project).values_list("pk", "pseudonym", "imported"))
    return Names(
        annotators={pk: pseudonym for pk, pseudonym, _ in people},
        imported_annotators={pk: pseudonym for pk, pseudonym, imported in people if imported},
        guidelines=dict(GuidelineVersion.objects.filter(project=project).values_list("pk", "n")),
        targets={
            pk: (language, register)
            for pk, language, register in Target.objects.filter(project=project).values_list(
                "pk", "language", "register"
            )
        },
        classes={name: class_spelled(name, rules.paragraph_name) for name in ("single", "double", "paragraph")},
    )


def read_runs(project: Project) -> dict[int, Run]:
    """The project's runs of generation by id, each with the chat models that it asked."""
    rows = GenerationRun.objects.filter(project=project).values_list("pk", "n", "plan")
    found = {}
    for pk, n, plan in rows:
        models = (step["model"] for step in plan.get("steps", ()) if step.get("asked") == Endpoint.What.CHAT)
        found[pk] = Run(n, tuple(dict.fromkeys(model for model in models if model)))
    return found


def read_protocols(project: Project) -> dict[int, Protocol]:
    """The project's protocols by id."""
    stored = ProtocolVersion.objects.filter(project=project).values_list("pk", "rules")
    return {pk: Protocol.from_stored(rules) for pk, rules in stored}


def read_lead_answers(project: Project) -> dict[int, list[tuple[int, dict[str, Any]]]]:
    """The answers by which leads settled items, by item, each with its version, in order: few of all items."""
    rows = Review.objects.filter(project=project, event=ADJUDICATE, answers__isnull=False).order_by("version")
    found: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    for item, version, answers in rows.values_list("item_id", "version", "answers"):
        found.setdefault(item, []).append((version, answers or {}))
    return found


# What a source says of its text, in the words of published sets.
_GENRE = "genre"


def facts_of(names: Names, author: int | None, source: Sequence[Any]) -> DealFacts:
    """An item's facts from the columns of its source, as shapes give them (`columns`)."""
    _, text_class, document, extra = source[:4]
    facts = _genre_in(extra)
    text_class = names.classes.get(text_class, text_class or "")
    return DealFacts(names.annotators.get(author or 0, ""), text_class, document or "", facts)


def _genre_in(extra: Any) -> str:
    stored = orjson.loads(extra) if isinstance(extra, (str, bytes)) and extra else extra
    return str(stored.get(_GENRE, "")) if isinstance(stored, Mapping) else ""


def current_facts(project: Project) -> dict[str, DealFacts]:
    """The facts of every item of a project as it stands, by key: for the preview."""
    shape = shapes.get(project.kind_spec.shape)
    text_class = Coalesce(F(shape.text_class_path), Value("")) if shape.text_class_path else Value("")
    columns = text_class, F(shape.document_path), F(f"{shape.source_path}__extra")
    found = Item.objects.filter(project=project).order_by()
    listed = found.values_list("key", "author__pseudonym", *columns)
    classes = read_names(project).classes
    return {
        key: DealFacts(author or "", classes.get(kind, kind or ""), group or "", _genre_in(more))
        for key, author, kind, group, more in listed.iterator(chunk_size=5000)
    }
