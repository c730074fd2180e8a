"""A project of prompts that a group reviews, for the tests of proposals and of what becomes of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.content.queries import current_content
from annotation.core.errors import Refusal
from annotation.core.messages import PROBLEMS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.actions import session_create
from annotation.elicitation.models import Session, Suggestion
from tests import factory
from tests.prompts import a_prompt, a_prompt_project, a_variation
from tests.review import decide
from validation import integrity
from validation.group_review import actions as group
from validation.group_review import actions as group_decide

SITUATION = "Saya sedang berpuasa."
CONTEXT = "Saya diundang ke kenduri tetangga."


@dataclass
class World:
    """A project with a prompt, its variation and another prompt, two leads, two reviewers and a session."""

    project: Project
    writer: Annotator
    lead: Annotator
    other_lead: Annotator
    reviewer: Annotator
    second: Annotator
    session: Session
    item: Item
    varied: Item
    apart: Item

    def suggest(self, form: str, item: Item | None = None, /, words: str = "", **typed: str) -> Suggestion:
        by = {"by": self.reviewer, "session_id": self.session.pk, "item_id": (item or self.item).pk}
        return group.suggest(**by, form=form, typed=typed, words=words)  # type: ignore[arg-type]

    def accept(self, made: Suggestion, lead: Annotator | None = None, **given: Any) -> Suggestion:
        seen = given.pop("revision_n", Item.objects.get(pk=made.item_id).revision_n)
        return group_decide.accept(
            lead=lead or self.lead,
            session_id=self.session.pk,
            suggestion_id=made.pk,
            revision_n=seen,
            **given,
        )

    def decline(self, made: Suggestion, lead: Annotator | None = None, reason: str = "No.") -> Suggestion:
        here = {"session_id": self.session.pk, "suggestion_id": made.pk}
        return group_decide.decline(lead=lead or self.lead, **here, reason=reason)

    def sound(self) -> None:
        decide()
        assert list(integrity.run(project=self.project)) == []


def build(**fields: Any) -> World:
    project = a_prompt_project(**fields)
    writer = factory.member(project, "writer")
    item = a_prompt(project, writer, context=CONTEXT)
    varied = a_variation(project, writer, item, SITUATION)
    apart = a_prompt(project, writer)
    lead, other = (factory.member(project, "lead") for _ in range(2))
    one, two = (factory.member(project, "reviewer") for _ in range(2))
    held = session_create(lead=lead, purpose="review", name="Sanggar", held_on=date(2026, 3, 1))
    return World(project, writer, lead, other, one, two, held, item, varied, apart)


def parts(item: Item, **other: str) -> dict[str, str]:
    content = current_content(item)
    return {name: content[name] for name in ("user", "context", "personal", "instruction")} | other


@contextmanager
def refused(kind: type[Refusal], code: str) -> Iterator[Any]:
    """What is done within is refused for this reason, which has words for people."""
    assert code in PROBLEMS
    with pytest.raises(kind) as refusal:
        yield refusal
    assert getattr(refusal.value, "code", "") == code


def refusals_in(came: list[Any]) -> list[tuple[type, str]]:
    """What was refused of what was done at once; anything else that went wrong is raised."""
    for each in came:
        if isinstance(each, Exception) and not isinstance(each, Refusal):
            raise each
    return [(type(each), each.code) for each in came if isinstance(each, Refusal)]
