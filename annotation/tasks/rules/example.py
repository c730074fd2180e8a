"""One item of a task as its description shows it: the examples of its fields, or the names of those without one."""

from collections.abc import Mapping

from annotation.kinds.rendered_texts import MEDIA_WIDGETS
from annotation.tasks.rules.kind import GROUP
from annotation.tasks.rules.question import localised_text
from annotation.tasks.rules.task import SourceField, Task


def example(task: Task, media: Mapping[str, str], language: str) -> dict[str, str]:
    """The content of such an item; `media` are the addresses of what stands for images and for sounds, by type, and
    what the texts of one column or another are instead."""
    content = {column: text for field in task.source for column, text in _texts(field, media, language)}
    return {column: media.get(column, text) for column, text in content.items()} | {GROUP: "example"}


def _texts(field: SourceField, media: Mapping[str, str], language: str) -> list[tuple[str, str]]:
    name = localised_text(field.name, language)
    if field.type == "texts":
        return [(side.key, side.example or f"{localised_text(side.name, language)} …") for side in field.sides]
    if field.type in MEDIA_WIDGETS:
        return [(field.key, media[field.type]), (f"{field.key}_alt", field.example or name)]
    if field.type == "dialogue":
        return [(field.key, field.example or f"A: {name} …\nB: …")]
    if field.type == "table":
        return [(field.key, field.example or f"{name}: …")]
    return [(field.key, field.example or f"{name} …")]
