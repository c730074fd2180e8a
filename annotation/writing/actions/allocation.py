"""Sources: premises taken in, allocations of premises and concepts given to writers, and taken back when left."""

import secrets
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from annotation.content import shapes
from annotation.content.models.source import Allocation, Premise, concepts_lacking_writers
from annotation.core import access
from annotation.core.database import locked
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.text.normalise import text_hash
from annotation.translation.actions.targets import allocations_of_units, distribute_units
from annotation.writing.rules.allocation import deal_concepts, spread_premises


@dataclass(frozen=True)
class PremiseIn:
    """A premise as it comes in; `extra` holds genre, source, topics, licence as the file names them."""

    key: str
    text: str
    sentence_class: str
    document: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


def premises_add(*, target: Target, rows: Sequence[PremiseIn]) -> list[Premise]:
    """Store new premises in one statement; the caller has refused what cannot be stored."""
    return Premise.objects.bulk_create(
        [
            Premise(
                project_id=target.project_id,
                target=target,
                key=row.key,
                text=row.text,
                text_hash=text_hash(row.text),
                sentence_class=row.sentence_class,
                document=row.document,
                extra=dict(row.extra),
            )
            for row in rows
        ],
        batch_size=2000,
    )


def allocations_assign(*, target: Target, writers: Sequence[Annotator], size: int | None = None) -> int:
    """Give writers what they write for, drawn and spread evenly: premises that nobody has, or concepts.

    A premise goes to one writer, a concept to as many as the project says, a unit to one translator of the target that
    the target is; `size` is how many a writer gets at most, of concepts in each category. Nobody gets back what they
    skipped or let lapse.
    """
    with transaction.atomic():
        project = locked(Project.objects.filter(pk=target.project_id)).get()
        by_name = {writer.pseudonym: writer for writer in writers}
        if access.has_targets(project):
            units = distribute_units(target, sorted(by_name), size or project.rules.allocation_size)
            dealt = [
                allocation
                for name, pks in units.items()
                for allocation in allocations_of_units(by_name[name], target, pks)
            ]
            return len(Allocation.objects.bulk_create(dealt, batch_size=2000))
        source = shapes.get(project.kind_spec.shape).source_column
        deal = _distribute_concepts if source == "concept" else _distribute_premises
        allocations = []
        for name, given in deal(project, target, sorted(by_name), size).items():
            last = by_name[name].allocations.aggregate(n=Max("position"))["n"] or 0
            allocations += [
                Allocation(
                    project=project,
                    writer=by_name[name],
                    token=secrets.token_urlsafe(18),
                    position=position,
                    **{f"{source}_id": pk},
                )
                for position, pk in enumerate(given, start=last + 1)
            ]
        Allocation.objects.bulk_create(allocations, batch_size=2000)
    return len(allocations)


def _distribute_premises(project: Project, target: Target, names: list[str], size: int | None) -> dict[str, list[int]]:
    """Writers to the premises that they are given, in their order of work; all sentence classes spread evenly."""
    free = list(Premise.objects.filter(target=target).free().only("pk", "key", "sentence_class", "document"))
    by_key = {premise.key: premise.pk for premise in free}
    had = set(
        Allocation.objects.filter(premise__in=free, writer__pseudonym__in=names).values_list(
            "premise__key", "writer__pseudonym"
        )
    )
    rows = [(premise.key, premise.sentence_class, premise.document) for premise in free]
    dealt = spread_premises(rows, names, size or project.rules.allocation_size, project.seed)
    return {name: [by_key[key] for key in keys if (key, name) not in had] for name, keys in dealt.items()}


def _distribute_concepts(project: Project, target: Target, names: list[str], size: int | None) -> dict[str, list[int]]:
    """The same for concepts, continuing from what was dealt: each to so many writers, so many of a category to each."""
    rules = project.rules
    lacking = concepts_lacking_writers(target, rules.writers_each)
    by_key = {concept.key: concept.pk for concept in lacking}
    had: dict[str, set[str]] = defaultdict(set)
    held: Counter[tuple[str, str]] = Counter()
    given = Allocation.objects.filter(concept__target=target).values_list(
        "writer__pseudonym", "concept__key", "concept__category", "state"
    )
    for name, key, category, state in given:
        had[key].add(name)
        held[name, category] += state in Allocation.IN_HAND
    # Who was shown a question about a concept has read what the other writer made of it (domain.md §5).
    shown = Annotator.objects.filter(project=project, assignments__item__qa__concept__in=by_key.values())
    for name, key in shown.values_list("pseudonym", "assignments__item__qa__concept__key"):
        had[key].add(name)
    dealt = deal_concepts(
        [(concept.key, concept.category) for concept in lacking],
        names,
        each={concept.key: concept.lacks for concept in lacking},
        quota=size or rules.per_category,
        seed=project.seed,
        had=had,
        held=held,
    )
    return {name: [by_key[key] for key in keys] for name, keys in dealt.items()}


def shares_lapse_all() -> int:
    """The same for every open project; run by the sweep."""
    return sum(shares_lapse(project=project) for project in Project.objects.filter(closed_at=None))


def shares_lapse(*, project: Project) -> int:
    """Sources idle for the project's days go back to the pool; the draft stays with its writer (ruling 12)."""
    idle = timedelta(days=project.rules.idle_days)
    return Allocation.objects.filter(
        project=project, state=Allocation.State.OPEN, touched_at__lt=Now() - idle, drafts__isnull=False
    ).update(state=Allocation.State.LAPSED)
