"""Guidelines for who votes, in Markdown, made from a task's description where it brings none."""

from collections.abc import Iterator

from annotation.tasks.rules.question import Criterion, TaskLabel, localised_text
from annotation.tasks.rules.task import Task


def guideline(task: Task, language: str) -> str:
    """What is asked, and what each answer means, in the project's language where the description has it."""
    return "\n".join(_lines(task, language)).strip() + "\n"


def _lines(task: Task, language: str) -> Iterator[str]:
    yield f"# {localised_text(task.name, language)}"
    yield ""
    if task.description is not None:
        yield from (localised_text(task.description, language), "")
    for question in task.questions:
        yield from (f"## {localised_text(question.text, language)}", "")
        if question.help is not None:
            yield from (localised_text(question.help, language), "")
        entries: tuple[TaskLabel | Criterion, ...] = (*question.labels, *question.criteria)
        for entry in entries:
            help_text = localised_text(entry.help, language)
            yield f"- **{localised_text(entry.name, language)}**{f': {help_text}' if help_text else ''}"
        if question.scale is not None:
            yield f"- {question.scale.first}: {localised_text(question.scale.low, language)}"
            yield f"- {question.scale.last}: {localised_text(question.scale.high, language)}"
        yield ""
