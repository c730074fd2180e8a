"""Questions to the leads in the small world: one of the validator's own, one of a colleague, answered with words."""

from dataclasses import replace

from annotation.core.models.member import Annotator
from tests.conventions.named_objects import Things, mark
from validation.questions.actions import question_ask, question_reply
from validation.questions.queries import QuestionSubject


def with_thread(things: Things, own: Annotator, lead: Annotator) -> Things:
    """The same with a question of this person, which a lead answered."""
    assert lead.user is not None
    asked = question_ask(annotator=own, about=QuestionSubject(), text="What is a market?")
    question_reply(question=asked, by=lead.user, text="Where things are sold.")
    return replace(things, thread=str(asked.pk))


def thread_of(colleague: Annotator, lead: Annotator) -> str:
    """A thread in which every word is marked, for the colleague and the leads alone."""
    assert lead.user is not None
    asked = question_ask(annotator=colleague, about=QuestionSubject(), text=mark("question"))
    question_reply(question=asked, by=lead.user, text=mark("question-reply"))
    return str(asked.pk)
