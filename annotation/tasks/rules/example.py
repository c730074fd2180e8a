"""One item of a task as its description shows it: the examples of its fields, or the names of those without one."""

from annotation.tasks.rules.kind import GROUP
from annotation.tasks.rules.question import words
from annotation.tasks.rules.task import SourceField, Task


def example(task: Task, picture: str, language: str) -> dict[str, str]:
    """The content of such an item; `picture` is the address of what stands for images, which nobody else is asked."""
    content = {column: text for field in task.source for column, text in _texts(field, picture, language)}
    return content | {GROUP: "example"}


def _texts(field: SourceField, picture: str, language: str) -> list[tuple[str, str]]:
    name = words(field.name, language)
    if field.type == "texts":
        return [(side.key, side.example or f"{words(side.name, language)} …") for side in field.sides]
    if field.type == "image":
        return [(field.key, picture), (f"{field.key}_alt", field.example or name)]
    if field.type == "audio":
        return [(field.key, "")]
    if field.type == "dialogue":
        return [(field.key, field.example or f"A: {name} …\nB: …")]
    if field.type == "table":
        return [(field.key, field.example or f"{name}: …")]
    return [(field.key, field.example or f"{name} …")]
