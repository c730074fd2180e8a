"""What the small world's projects say of themselves, and what a colleague said: nobody else reads that."""

from annotation.actions.about import about_change, consent_publish
from annotation.actions.demographics import consent_give, demographics_save
from annotation.models import Annotator, User
from tests.house.things import mark


def with_about(colleague: Annotator, by: User) -> None:
    """Licence, statement and a text to agree to; the colleague agreed, and said something."""
    project = colleague.project
    words = {"licence": "MIT", "citation": mark("citation"), "statement": {"other": mark("statement")}}
    about_change(project=project, by=by, changes=words, version=0)
    consent_publish(project=project, text=mark("consent"), asks_again=True, by=by)
    consent_give(annotator=colleague, n=1)
    demographics_save(annotator=colleague, said={"ethnicity": mark("ethnicity")[:80], "region": "Bali"})
