"""Projects of questions for tests: concepts in categories, and questions handed in by their writers."""

import secrets
from collections.abc import Mapping
from typing import Any

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import SlotIn
from annotation.text.normalise import text_hash
from annotation.writing.actions.writing import set_submit
from tests import factory
from validation.consensus.protocol import PRESETS as PROTOCOLS
from validation.consensus.protocol import Protocol

CONCEPTS = ("tikar", "payung", "kelambu", "gerobak", "cobek", "kendi", "tampah", "gayung", "anglo", "lesung")
CATEGORIES = ("culinary", "place", "culture", "activity", "history")
CHOICES = {
    "A": "duduk bersama tetangga",
    "B": "mencuci beras",
    "C": "memanggil kereta",
    "D": "menimbang emas",
    "E": "mengirim surat",
}


def a_question_project(slug: str = "", *, protocol: str | Protocol = "answers-5", **fields: Any) -> Project:
    """A project of the kind mcq whose questions are offered at once; `settings` may say `check_first`."""
    rules = PROTOCOLS[protocol] if isinstance(protocol, str) else protocol
    made = factory.project(slug, protocol=rules, **fields)
    Project.objects.filter(pk=made.pk).update(kind="mcq", preset="idcsqa")
    made.refresh_from_db()
    return made


def a_concept(of: Project, text: str = "", *, category: str = "culture", **fields: Any) -> Concept:
    """An approved concept; without a text the next of those above, numbered when they run out."""
    n = of.concepts.count()
    word = CONCEPTS[n % len(CONCEPTS)]
    given = text or (word if n < len(CONCEPTS) else f"{word} {n}")
    return Concept.objects.create(
        project=of,
        target=of.targets.get(),
        key=fields.pop("key", f"c{n + 1}"),
        category=category,
        text=given,
        text_hash=text_hash(given),
        **fields,
    )


def a_share(concept: Concept, writer: Annotator) -> Allocation:
    """The concept in this writer's hands."""
    return Allocation.objects.create(
        project_id=concept.project_id,
        concept=concept,
        writer=writer,
        token=secrets.token_urlsafe(18),
        position=Allocation.objects.filter(writer=writer).count() + 1,
    )


def typed_question(
    concept: str,
    *,
    question: str = "",
    answer: str = "A",
    distractor: str = "B",
    choices: Mapping[str, str] = CHOICES,
    **more: str,
) -> SlotIn:
    """A question with five choices as its writer types it; no check blocks it."""
    text = question or f"Untuk apa warga desa memakai {concept} pada sore hari?"
    options = {f"option-{key}": choice for key, choice in choices.items()}
    return SlotIn(text, more={**options, "answer": answer, "distractor": distractor, **more})


def a_question(
    of: Project, writer: Annotator, *, concept: Concept | None = None, answer: str = "A", **typed: Any
) -> Item:
    """One question of this writer for a concept (a new one unless given), handed in like on the writing page."""
    about = concept or a_concept(of)
    allocation = a_share(about, writer)
    slots = {"q": typed_question(about.text, answer=answer, **typed)}
    (item,) = set_submit(writer=writer, token=allocation.token, slots=slots)
    return item
