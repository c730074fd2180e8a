"""Projects of translations for tests: source sets of a few rows, targets, translators, translations handed in."""

import secrets
from collections.abc import Mapping
from typing import Any

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.kinds import SlotIn, field_name
from annotation.translation.actions.targets import target_create, target_members_set
from annotation.translation.models import SourceEntry
from annotation.translation.rules.source_units import SHAPES, Row, units_of
from annotation.writing.actions.writing import set_submit
from tests import factory
from validation.consensus.protocol import PRESETS as PROTOCOLS
from validation.consensus.protocol import Protocol

# Javanese in two registers and Sundanese: what is written in tests need not be of any language.
TARGETS = (("jv", "ngoko"), ("jv", "krama"), ("su", ""))


def a_translation_project(
    slug: str = "",
    *,
    targets: tuple[tuple[str, str], ...] = TARGETS,
    protocol: str | Protocol = "review-1",
    **fields: Any,
) -> Project:
    """A project from Indonesian into some targets, whose translations are offered to reviewers at once."""
    rules = PROTOCOLS[protocol] if isinstance(protocol, str) else protocol
    made = factory.project(slug, preset="loraxbench", protocol=rules, **fields)
    for language, register in targets:
        target_create(project=made, language=language, register=register)
    return made


def pair_rows(count: int, *, of_one: int = 2) -> list[Row]:
    """Pairs of which `of_one` allocation a premise."""
    return [
        Row(
            f"pair-{number:04}",
            {
                "premise": f"Pedagang nomor {number // of_one} menjual mangga di pasar pagi.",
                "hypothesis": f"Ada {number + 2} mangga di pasar.",
            },
            label="enc"[number % 3],
            split="test",
        )
        for number in range(count)
    ]


def sentence_rows(count: int) -> list[Row]:
    """Plain sentences."""
    return [Row(f"s-{number:04}", {"text": f"Hujan turun {number} kali di desa kami."}) for number in range(count)]


def passage_rows() -> list[Row]:
    """Two questions about one passage."""
    passage = "Pasar itu dibuka tahun 1950. Pedagang pertamanya bernama Sarmi."
    return [
        Row("q-1", {"passage": passage, "question": "Kapan pasar itu dibuka?", "answer": "1950"}, split="test"),
        Row(
            "q-2",
            {"passage": passage, "question": "Siapa pedagang pertamanya?", "answer": "Sarmi"},
            split="train",
        ),
    ]


def a_source_set(of: Project, rows: list[Row], *, shape: str = "pair", key: str = "", frozen: bool = True) -> SourceSet:
    """A source set with its units and entries, frozen unless it is to be cleaned."""
    from django.utils.timezone import now

    spec = SHAPES[shape]
    made = SourceSet.objects.create(
        project=of,
        key=key or shape,
        name=spec.name,
        task=spec.task,
        shape=shape,
        frozen_at=now() if frozen else None,
    )
    position = 0
    for place, unit in enumerate(units_of(spec, rows)):
        stored = SourceUnit.objects.create(
            project=of,
            source_set=made,
            key=f"{made.key}:{unit.key}",
            position=place,
            fields=[dict(each) for each in unit.fields],
            sentences=len(unit.fields),
            words=sum(len(each["text"].split()) for each in unit.fields),
        )
        for row, names in unit.rows:
            SourceEntry.objects.create(
                source_set=made,
                unit=stored,
                key=row.key,
                position=position,
                fields=dict(names),
                label=row.label,
                split=row.split,
                data=dict(row.data),
            )
            position += 1
    return made


def member(of: Project, *roles: str, targets: tuple[str, ...] = (), account: Any = None) -> Annotator:
    """A person with these roles who works for these targets (by key); for all of them where none is named."""
    made = factory.member(of, *roles, account=account)
    chosen = [each for each in of.targets.all() if not targets or each.key in targets]
    target_members_set(annotator=made, targets=chosen)
    return made


def target_of(of: Project, key: str = "jv-ngoko") -> Target:
    return of.targets.select_related("project").get(key=key)


def a_share(unit: SourceUnit, target: Target, translator: Annotator) -> Allocation:
    """The unit in this translator's hands."""
    return Allocation.objects.create(
        project_id=target.project_id,
        unit=unit,
        target=target,
        writer=translator,
        token=secrets.token_urlsafe(18),
        position=Allocation.objects.filter(writer=translator).count() + 1,
    )


def translated_slots(unit: SourceUnit, target: Target, texts: Mapping[str, str] | None = None) -> SlotIn:
    """A translation of every field: each word of the source turned around, numbers and marks as they were."""
    given = texts or {each["key"]: reversed_words(each["text"]) for each in unit.fields}
    return SlotIn("", more={field_name(key): text for key, text in given.items()})


def reversed_words(text: str) -> str:
    """Words of no language that keep the source's numbers and marks."""
    return " ".join(_reversed_word(word) for word in text.split())


def _reversed_word(word: str) -> str:
    core = word.rstrip(".,?!")
    return word if any(c.isdigit() for c in core) else core[::-1].lower() + word[len(core) :]


def a_translation(
    unit: SourceUnit, target: Target, translator: Annotator, texts: Mapping[str, str] | None = None
) -> Item:
    """A translation handed in by this translator."""
    allocation = a_share(unit, target, translator)
    return set_submit(writer=translator, token=allocation.token, slots={"t": translated_slots(unit, target, texts)})[0]
