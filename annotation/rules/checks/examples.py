"""Sets that the checks show themselves on: written for this file, in Indonesian."""

from collections.abc import Mapping

from annotation.rules.checks.base import SetContext, SlotText

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
