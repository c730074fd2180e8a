"""Prompt templates as a project changes them: a new version each time, checked before it is kept."""

from django.db import transaction

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.models import InstructionVersion
from annotation.generation.rules import instructions
from annotation.generation.rules.instructions import InstructionFault
from annotation.generation.rules.plans import Instruction
from annotation.text.line_breaks import plain_breaks
from annotation.text.normalise import storage_problem


def current_instruction(project: Project, name: str) -> Instruction:
    """The template that a run of this project would use now: its newest version, or the default file."""
    newest = project.instructions.filter(name=name).order_by("-n").first()
    if newest is not None:
        return Instruction(newest.n, newest.text)
    return Instruction(0, instructions.default_text(name))


def instruction_save(
    *, project: Project, by: User | None, name: str, text: str, note: str = "", seen: int | None = None
) -> Instruction:
    """A new version of a template; what runs have pinned stays. `seen` is the number that was shown when it was typed.

    A text that stands already makes no new version, so that a click sent twice saves once. Raises Invalid where the
    template cannot be used (`fault` has the reason and its parameters), Conflict where somebody was faster.
    """
    text = plain_breaks(text)
    if name not in instructions.names():
        raise Invalid(code="instruction_unknown", field="name")
    if storage_problem(text) or storage_problem(note):
        raise Invalid(code="text_not_storable", field="text")
    try:
        instructions.check(name, text)
    except InstructionFault as fault:
        raise Invalid(code="instruction_wrong", field="text", fault=fault) from fault
    with transaction.atomic():
        Project.lock(project.pk)
        now = current_instruction(project, name)
        if plain_breaks(now.text) == text:
            return now
        if seen is not None and seen != now.n:
            raise Conflict(code="instruction_stale", field="text")
        made = InstructionVersion.objects.create(
            project=project, name=name, n=now.n + 1, text=text, note=note.strip()[:300], by=by
        )
        Event.record(project, by, "instruction_saved", name=name, n=made.n)
    return Instruction(made.n, made.text)
