"""Label checks: whether gold labels survive translation (LoraxBench's labels are the source's, never judged anew).

A sample of translated rows becomes a project of its own, of the kind whose labels they carry, in the target's
language. Nobody's label goes with them, so that nothing there tells a validator what the source says.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import transaction

from annotation import kinds, presets
from annotation.concepts.actions import ConceptIn, concepts_add
from annotation.content import shapes
from annotation.content.actions.items import items_retell
from annotation.content.models.item import Item
from annotation.content.shapes.base import SourceRow
from annotation.core.actions.projects import project_create
from annotation.core.errors import Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.core.rules.draws import draw, order
from annotation.kinds import Kind
from annotation.text.sentences import sentence_class
from annotation.translation.models import (
    LabelCheck,
    LabelCheckRow,
    SourceEntry,
    SourceSet,
    Translation,
)
from annotation.writing.actions.allocation import PremiseIn, premises_add
from validation.consensus.protocol import Protocol
from validation.consensus.stages import ADJUDICATED, SETTLED
from validation.voting import wake

PURPOSE = "label-check"
MOST_VOTERS = 9


class Candidate(NamedTuple):
    """A row of a source set whose translation into the target is approved."""

    entry: SourceEntry
    translation: Item
    texts: Mapping[str, str]


def voters(people: int) -> Protocol:
    """So many people judge each row, all at once; gold is what more than half of them say."""
    if not 1 <= people <= MOST_VOTERS:
        raise Invalid(field="people", code="label_check_people")
    return Protocol(
        PURPOSE,
        rounds=(people,),
        quorum=people // 2 + 1,
        author="none",
        stop_hopeless=False,
    )


def candidates(source_set: SourceSet, target: Target) -> list[Candidate]:
    """What can be drawn: rows with a label that the kind knows, translated and approved, by their keys."""
    kind = kinds.judging(source_set.shape)
    if kind is None:
        return []
    approved = Translation.objects.filter(target=target, item__stage__in=[SETTLED, ADJUDICATED])
    done = {
        each.unit_id: each for each in approved.select_related("item").filter(unit__source_set=source_set)
    }
    entries = SourceEntry.objects.filter(source_set=source_set, removed=False, unit__in=list(done))
    found = []
    for entry in entries:
        made = done[entry.unit_id]
        written = {str(each["key"]): str(each["text"]) for each in made.fields}
        texts = {role: written.get(key, "") for role, key in entry.fields.items()}
        if _fits(kind, kind.read_label(entry.label), texts):
            found.append(Candidate(entry, made.item, texts))
    return sorted(found, key=lambda each: each.entry.key)


def _fits(kind: Kind, label: str | None, texts: Mapping[str, str]) -> bool:
    """Whether the kind has a place for the label and every text of a row, and the row for the kind's form."""
    assert kind.from_source is not None  # noqa: S101 - a kind that judges rows reads them
    if not label or not all(texts.values()):
        return False
    _, typed = kind.from_source(texts)
    options = [name for name in typed.more if name.startswith(kinds.OPTION)]
    known = {kinds.option_field(key) for key in kind.label_keys}
    return known.issuperset(options) and (not options or kinds.option_field(label) in options)


def label_check_create(
    *, target: Target, source_set: SourceSet, slug: str, size: int, people: int, by: User, name: str = ""
) -> LabelCheck:
    """Draw rows and make the project in which they are judged. Raises Invalid where there is nothing to draw.

    The draw depends on the seed of the project of translations, the target and the rows alone.
    """
    kind, protocol = kinds.judging(source_set.shape), voters(people)
    if kind is None:
        raise Invalid(field="source_set", code="label_check_no_labels")
    if size < 1:
        raise Invalid(field="size", code="label_check_size")
    with transaction.atomic():
        found = {each.entry.key: each for each in candidates(source_set, target)}
        drawn = order(target.project.seed, f"{PURPOSE}:{target.key}", found)[:size]
        if not drawn:
            raise Invalid(field="size", code="label_check_nothing")
        judged = _project(kind, target, slug, name or f"{target.project.name}: {target.title}", protocol, by)
        made = LabelCheck.objects.create(
            project_id=target.project_id, target=target, source_set=source_set, judged=judged, by=by
        )
        _fill(made, kind, [found[key] for key in sorted(drawn)])
        data = {"target": target.key, "set": source_set.key, "project": judged.slug, "n": len(drawn)}
        Event.objects.create(project_id=target.project_id, actor=by, verb="label_check_created", data=data)
        transaction.on_commit(wake.wake_worker)
    return made


def _project(kind: Kind, target: Target, slug: str, name: str, protocol: Protocol, by: User) -> Project:
    preset = next(each for each in presets.all_presets() if each.kind == kind.slug)
    return project_create(
        slug=slug,
        name=name,
        preset=preset.slug,
        language=target.language,
        register=target.register,
        seed=f"{draw(target.project.seed, PURPOSE, slug):016x}",
        by=by,
        protocol=protocol,
        settings={"offer_minutes": 0, "check_first": False},
    )


def _fill(made: LabelCheck, kind: Kind, drawn: Sequence[Candidate]) -> None:
    assert kind.from_source is not None  # noqa: S101 - a kind that judges rows reads them
    told = [kind.from_source(each.texts) for each in drawn]
    keys = [each.entry.key for each in drawn]
    sources = _sources(made.judged, kind, keys, [text for text, _ in told])
    pairs = zip(sources, told, strict=True)
    contents = [kind.content(source.as_source, typed) for source, (_, typed) in pairs]
    items = items_retell(project=made.judged, sources=sources, keys=keys, contents=contents)
    LabelCheckRow.objects.bulk_create(
        [
            LabelCheckRow(
                label_check=made,
                entry=each.entry,
                translation=each.translation,
                revision_n=each.translation.revision_n,
                item=item,
            )
            for each, item in zip(drawn, items, strict=True)
        ],
        batch_size=2000,
    )


def _sources(judged: Project, kind: Kind, keys: Sequence[str], texts: Sequence[str]) -> list[SourceRow]:
    """What the judged items stand under: a premise each text once, or a stand-in concept each row."""
    target = judged.targets.get()
    if shapes.get(kind.shape).source == "concept":
        rows = [ConceptIn(key, PURPOSE, key) for key in keys]
        return list(concepts_add(target=target, rows=rows))
    first = {text: key for key, text in reversed(list(zip(keys, texts, strict=True)))}
    premises = premises_add(
        target=target,
        rows=[PremiseIn(key, text, sentence_class(text, judged.language)) for text, key in first.items()],
    )
    by_text = {premise.text: premise for premise in premises}
    return [by_text[text] for text in texts]
