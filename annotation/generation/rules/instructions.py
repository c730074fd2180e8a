"""Prompt templates: a file each in annotation/generation/instructions; a project can change them, in numbered versions.

A template is plain text with `$name` where a value goes; `$$` is a dollar. Values are put in once and never read
again, so that nothing in a concept or question is taken for a place of its own. A line that is just `---` parts the
system's message from the user's.
"""

from collections.abc import Mapping
from pathlib import Path
from string import Template

from annotation.text.gettext import gettext_noop

FILES = Path(__file__).parent.parent / "instructions"
LONGEST_TEXT = 20_000


class InstructionFault(ValueError):
    """A template that cannot be used: the reason (English, translatable) and its parameters."""

    def __init__(self, reason: str, **params: object) -> None:
        self.reason, self.params = reason, params
        super().__init__(reason % params)


def names() -> tuple[str, ...]:
    """The names of all templates, in order."""
    return tuple(sorted(path.stem for path in FILES.glob("*.txt")))


def default_text(name: str) -> str:
    """The text that a project starts from; KeyError where there is none of that name."""
    if name not in names():
        raise KeyError(f"no instruction {name!r}; there are: {', '.join(names())}")
    return (FILES / f"{name}.txt").read_text(encoding="utf-8")


def placeholders(text: str) -> frozenset[str]:
    """The names of the values that a template takes."""
    return frozenset(Template(text).get_identifiers())


def check(name: str, text: str) -> None:
    """Refuse a changed template that could not be filled. Raises `InstructionFault`."""
    if not text.strip():
        raise InstructionFault(gettext_noop("is empty"))
    if len(text) > LONGEST_TEXT:
        raise InstructionFault(gettext_noop("is longer than %(most)d characters"), most=LONGEST_TEXT)
    if not Template(text).is_valid():
        raise InstructionFault(gettext_noop("has a $ that is no name of a value; write $$ for a dollar"))
    unknown = placeholders(text) - placeholders(default_text(name))
    if unknown:
        raise InstructionFault(
            gettext_noop("names values that there are not here: %(names)s"), names=", ".join(sorted(unknown))
        )


def messages(text: str, values: Mapping[str, str]) -> list[dict[str, str]]:
    """The messages of a chat from a template and its values; KeyError where a value is missing."""
    system, parted, user = text.partition("\n---\n")
    parts = (("system", system), ("user", user)) if parted else (("user", text),)
    return [{"role": role, "content": Template(part.strip()).substitute(values)} for role, part in parts]
