"""What the small world's projects say of themselves, and what a colleague said: nobody else reads that."""

from dataclasses import replace

from annotation.api.tokens import token_create
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.datasheet.actions import about_change, consent_give, consent_publish, demographics_save
from exports.lm_eval.actions import prompt_save
from tests.conventions.named_objects import Things, mark


def with_about(colleague: Annotator, by: User) -> None:
    """Licence, statement and a text to agree to; the colleague agreed, and said something."""
    project = colleague.project
    words = {
        "licence": "MIT",
        "citation": mark("citation"),
        "statement": {"other": mark("statement")},
    }
    about_change(project=project, by=by, changes=words, version=0)
    consent_publish(project=project, text=mark("consent"), asks_again=True, by=by)
    consent_give(annotator=colleague, n=1)
    demographics_save(annotator=colleague, answers={"ethnicity": mark("ethnicity")[:80], "region": "Bali"})


def with_task_prompt(things: Things, by: User, name: str) -> Things:
    """The same with a prompt of the project's own, which administrators alone see."""
    project = Project.objects.get(slug=things.slug)
    text = f"{{{{premise}}}} {mark('task-prompt')}"
    prompt_save(project=project, by=by, task=things.task, name=name, text=text)
    return replace(things, task_prompt=name)


def with_token(things: Things, owner: Annotator) -> Things:
    """The same with a token of the API, which this person made and called by their own name."""
    assert owner.user is not None
    made = token_create(user=owner.user, name=owner.user.name[:80], scopes=["read"])
    return replace(things, api_token=str(made.token.pk))
