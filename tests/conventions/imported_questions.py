"""The tests' file of finished questions, in the project of machine-written ones: taken in, with a refused row."""

from dataclasses import replace

from annotation.core.models.project import Project
from annotation.jobs.models import Import, ImportRow
from tests.conventions.named_objects import Things, mark


def with_question_file(things: Things) -> Things:
    """The same with a file that was taken in; everything that a file can say is planted."""
    project = Project.objects.get(slug=things.generated)
    taken = Import.objects.create(project=project, name=mark("question-file"), what=Import.What.MATERIALS, refused=1)
    ImportRow.objects.create(source=taken, n=2, field="answer", reason=mark("question-row"))
    return replace(things, question_file=str(taken.pk))


def documents(project: Project) -> Import:
    """Documents that were sent, without their files, and snippets that are gone too."""
    wish = {
        "rules": {"n": 3, "seed": mark("document-seed")},
        "about": {"source": mark("document-source")},
    }
    told = {**wish, "files": [mark("document-file")], "snippets": 0}
    return Import.objects.create(
        project=project,
        name=mark("documents"),
        path="1" * 32,
        what=Import.What.DOCUMENTS,
        mapping=told,
    )
