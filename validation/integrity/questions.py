"""Questions: the person who asked, the subject and the person who answered belong to one project."""

from collections.abc import Iterator

from django.db.models import F, Q

from annotation.core.models.project import Project
from validation.integrity.base import Breach
from validation.questions.models import Question, Reply


def check_questions(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Compare the projects of questions with those of their askers and items; nothing of it can be repaired."""
    rows = Question.objects.exclude(
        Q(by__project=F("project")),
        Q(revision=None) | Q(revision__item__project=F("project")),
    )
    of_others = Reply.objects.filter(by_asker=True).exclude(by=F("question__by__user"))
    if project is not None:
        rows, of_others = rows.filter(project=project), of_others.filter(question__project=project)
    for pk, slug in rows.order_by("pk").values_list("pk", "project__slug").iterator():
        yield Breach("Q1", slug, f"question {pk}", "about another project", "another", "its own project")
    for pk, slug in of_others.order_by("pk").values_list("pk", "question__project__slug").iterator():
        yield Breach("Q1", slug, f"reply {pk}", "said to be of who asked", "another person", "who asked")
