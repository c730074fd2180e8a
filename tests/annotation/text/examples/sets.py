"""How the sets that show the checks are made: our own texts, in Indonesian, English, Javanese and Sundanese."""

from collections.abc import Mapping
from typing import NamedTuple

from annotation.kinds.texts import OPTION_PREFIX
from annotation.text.checks.base import FieldPair, SetContext, SlotText
from annotation.translation.rules.target_resources import TargetResources


class Examples(NamedTuple):
    """Sets that show a check: it finds nothing in the good ones, and something in each of the bad ones."""

    good: tuple[SetContext, ...]
    bad: tuple[SetContext, ...]


PREMISE = "Rina membeli tiga ekor ikan di pasar pagi. Ia pulang naik becak bersama adiknya."


def example(
    *texts: tuple[str, str] | SlotText,
    source: str = PREMISE,
    settings: Mapping[str, object] | None = None,
    per_label: int = 1,
    labels: tuple[str, ...] = ("e", "n", "c"),
    often: Mapping[str, int] | None = None,
) -> SetContext:
    """Make a set from pairs of label and text (slots are numbered), or from slots as they are."""
    slots = tuple(
        each if isinstance(each, SlotText) else SlotText(f"s{number}", each[0], each[1])
        for number, each in enumerate(texts, 1)
    )
    return SetContext(source, slots, "id", settings or {}, per_label, labels, often or {})


CHOICES = ("Becak", "Perahu", "Kereta gantung", "Pesawat terbang", "Kuda kayu")


def question_example(
    text: str,
    *choices: str,
    concept: str = "pasar",
    answer: str = "A",
    distractor: str = "B",
    language: str = "id",
    own: str | None = None,
    settings: Mapping[str, object] | None = None,
    answers: Mapping[str, int] | None = None,
) -> SetContext:
    """Make a question with its five choices (those of `CHOICES` where fewer are given), `own` its own wording."""
    texts = choices + CHOICES[len(choices) :]
    more = {OPTION_PREFIX + key: choice for key, choice in zip("ABCDE", texts, strict=True)}
    more |= {"answer": answer, "distractor": distractor} | ({} if own is None else {"concept": own})
    slot = SlotText("q", answer, text, True, more=more)
    return SetContext(concept, (slot,), language, settings or {}, 1, tuple("ABCDE"), {}, answers or {})


RESPONSES = {
    "R1": "Datang lebih awal dan membantu menata kursi.",
    "R2": "Menitip amplop kepada tetangga yang berangkat.",
    "R3": "Menyalami orang tua pengantin, lalu makan bersama.",
    "I1": "Memotret semua hidangan sebelum tuan rumah makan.",
    "I2": "Menolak makan dan menunggu di dalam mobil.",
    "I3": "Mengajak tuan rumah membahas harga tanah.",
}


def prompt_example(
    text: str = "Apa yang sebaiknya saya lakukan?",
    *,
    user: str = "Saya bidan di Garut.",
    context: str = "Tetangga saya mengadakan hajatan dan mengundang seluruh kampung.",
    personal: str = "",
    category: str = "ethics",
    best: str = "R1",
    settings: Mapping[str, object] | None = None,
    origin: Mapping[str, str] | None = None,
    **responses: str,
) -> SetContext:
    """Make a prompt with its responses (`RESPONSES` but for those that are given), perhaps as a variation."""
    more = {"user": user, "context": context, "personal": personal, "category": category, "best": best}
    more |= {OPTION_PREFIX + key: text for key, text in {**RESPONSES, **responses}.items()}
    slot = SlotText("p", best, text, True, more=more)
    labels = tuple(f"{side}{n}" for side in "RI" for n in range(1, 6))
    return SetContext(
        "hajatan",
        (slot,),
        "id",
        settings or {},
        1,
        labels,
        {},
        origin_fields={} if origin is None else origin,
    )


def translation_example(
    *fields: tuple[str, str] | FieldPair,
    to: str = "jv",
    resources: TargetResources | None = None,
    settings: Mapping[str, object] | None = None,
) -> SetContext:
    """Make a translation from Indonesian, from pairs of source and text (they are numbered) or fields as they are."""
    pairs = tuple(
        each if isinstance(each, FieldPair) else FieldPair(f"field-text.{number}", "text", each[0], each[1])
        for number, each in enumerate(fields, 1)
    )
    slot = SlotText("t", "", "", True, more={pair.key: pair.text for pair in pairs})
    known = resources or TargetResources("id", to)
    source = pairs[0].source if pairs else ""
    return SetContext(source, (slot,), to, settings or {}, 1, (), {}, field_pairs=pairs, resources=known)
