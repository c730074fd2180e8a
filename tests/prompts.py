"""Cultural projects for tests: topics, and prompts handed in by their writers as on the writing page."""

import secrets
from collections.abc import Mapping
from typing import Any

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept
from annotation.content.queries import current_content
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import SlotIn
from annotation.text.normalise import text_hash
from annotation.writing.actions.writing import set_submit
from tests import factory
from validation.consensus.protocol import PRESETS as PROTOCOLS
from validation.consensus.protocol import Protocol

TOPICS = ("makan bersama", "kondangan", "warung", "gotong royong", "angkot", "arisan", "mudik", "ronda malam")
RESPONSES = {
    "R1": "Salami dulu yang paling tua di sana.",
    "R2": "Tanyakan kepada tuan rumah di mana kamu boleh duduk.",
    "R3": "Tunggu sampai dipersilakan, lalu ucapkan terima kasih.",
    "I1": "Langsung ambil makanan sebelum yang lain datang.",
    "I2": "Pulang lagi tanpa berkata apa-apa kepada siapa pun.",
    "I3": "Minta semua tamu bangun dan berganti tempat duduk.",
}


def a_prompt_project(slug: str = "", *, protocol: str | Protocol = "best-of-3", **fields: Any) -> Project:
    """A project of the kind cultural whose prompts are offered at once; `settings` as of any project."""
    rules = PROTOCOLS[protocol] if isinstance(protocol, str) else protocol
    made = factory.project(slug, protocol=rules, **fields)
    Project.objects.filter(pk=made.pk).update(kind="cultural", preset="kalahi")
    made.refresh_from_db()
    return made


def a_topic(of: Project, text: str = "", **fields: Any) -> Concept:
    """An approved topic; without a text the next of those above, numbered when they run out."""
    n = of.concepts.count()
    word = TOPICS[n % len(TOPICS)]
    given = text or (word if n < len(TOPICS) else f"{word} {n}")
    return Concept.objects.create(
        project=of,
        target=of.targets.get(),
        key=fields.pop("key", f"t{n + 1}"),
        category=fields.pop("category", "topics"),
        text=given,
        text_hash=text_hash(given),
        **fields,
    )


def a_prompt_share(topic: Concept, writer: Annotator, *, origin: Item | None = None) -> Allocation:
    """A new prompt on the topic in this writer's hands; with `origin` a variation of that prompt."""
    return Allocation.objects.create(
        project_id=topic.project_id,
        concept=topic,
        writer=writer,
        origin=origin,
        number=1 + Allocation.objects.filter(writer=writer, concept=topic).count(),
        token=secrets.token_urlsafe(18),
        position=1 + Allocation.objects.filter(writer=writer).count(),
    )


def typed_prompt(
    n: int = 1,
    *,
    user: str = "Saya mahasiswa di Surabaya.",
    context: str = "",
    personal: str = "",
    instruction: str = "",
    category: str = "ethics",
    best: str = "R2",
    responses: Mapping[str, str] = RESPONSES,
    **more: str,
) -> SlotIn:
    """A prompt as its writer types it, another one for each `n`; no check says anything of it."""
    parts = {
        "category": category,
        "user": user,
        "context": context or f"Saya diundang makan di rumah tetangga nomor {n} dan belum kenal siapa pun.",
        "personal": personal,
    }
    options = {f"option-{key}": text for key, text in responses.items()}
    asked = instruction or f"Apa yang sebaiknya saya lakukan saat tiba di rumah nomor {n}?"
    return SlotIn(asked, True, more={**parts, **options, "best": best, **more})


def a_prompt(
    of: Project, writer: Annotator, *, topic: Concept | None = None, origin: Item | None = None, **typed: Any
) -> Item:
    """One prompt of this writer, handed in; on its origin's topic, or a new one unless given.

    Without texts it has a context and instruction of its own; `context="…"` shared by several makes a family.
    """
    source = None if origin is None else Concept.objects.get(questions__item=origin)
    about = topic or source or a_topic(of)
    allocation = a_prompt_share(about, writer, origin=origin)
    typed.setdefault("n", 1 + of.items.count())
    (item,) = set_submit(writer=writer, token=allocation.token, slots={"p": typed_prompt(**typed)})
    return item


def a_variation(of: Project, writer: Annotator, origin: Item, personal: str, **typed: Any) -> Item:
    """A prompt that differs from its origin in the personal situation (and in what is `typed`)."""
    content = current_content(origin)
    parts = {name: content[name] for name in ("user", "context", "instruction", "category")}
    return a_prompt(of, writer, origin=origin, **{**parts, "personal": personal, **typed})
