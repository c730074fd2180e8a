"""A context belongs to every prompt of a family that has it: a lead corrects it for all of them (ruling 7)."""

import pytest

from annotation.content.queries import current_content
from annotation.core.errors import Forbidden, Invalid
from tests import factory
from tests.prompts import a_prompt, a_prompt_project, a_variation
from validation.review.actions.corrections import correct, count_affected
from validation.review.queries.item_detail import detail_of

pytestmark = pytest.mark.django_db
CONTEXT = "Ada tetangga yang mengadakan hajatan."
CORRECTED = "Ada tetangga yang akan mengadakan hajatan."


def test_a_context_is_corrected_for_its_whole_family_and_nobody_else() -> None:
    project = a_prompt_project()
    writer, lead = factory.member(project, "writer"), factory.member(project, "lead")
    item = a_prompt(project, writer, context=CONTEXT)
    varied = a_variation(project, writer, item, "Saya baru pindah ke sini.")
    other = a_prompt(project, writer)
    assert count_affected(item=item, membership=factory.reader(item.project)).pairs == 2
    correct(lead=lead, item_id=item.pk, version=item.version, field="context", text=CORRECTED, meaning="same")
    for each in (item, varied):
        each.refresh_from_db()
        content = current_content(each)
        assert content["context"] == CORRECTED
        assert CORRECTED in content["question"]
        assert each.revision_n == 2
    other.refresh_from_db()
    assert other.revision_n == 1
    shown = next(text for text in detail_of(varied, factory.reader(varied.project)).texts if text.key == "context")
    assert shown.shared


def test_what_cannot_be_corrected_so() -> None:
    project = a_prompt_project()
    writer = factory.member(project, "writer")
    both = factory.member(project, "writer", "lead")
    item = a_prompt(project, writer, context=CONTEXT)
    lead = factory.member(project, "lead")
    with pytest.raises(Invalid) as same:
        correct(lead=lead, item_id=item.pk, version=item.version, field="context", text=CONTEXT, meaning="same")
    assert same.value.code == "text_same"
    own = a_prompt(project, both, context=CONTEXT)
    assert own.family == item.family
    with pytest.raises(Forbidden):
        correct(lead=both, item_id=item.pk, version=item.version, field="context", text=CORRECTED, meaning="same")
    with pytest.raises(Invalid) as derived:
        correct(lead=lead, item_id=item.pk, version=item.version, field="question", text="X", meaning="same")
    assert derived.value.code == "field_unknown"
