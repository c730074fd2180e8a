"""Correcting several texts of an item at once, and which choice is its answer: one revision (domain.md §5)."""

from collections.abc import Mapping
from typing import Any

from annotation.content.models.item import Item, QAPair
from annotation.content.queries import current_content
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.kinds import Kind, option_field, text_at, with_text
from annotation.writing.actions.revising import label_of
from validation.review.rules import assessments as assessing
from validation.voting.actions import steps
from validation.voting.actions.steps import Correction, write_revision

ANSWER = "answer"
LONGEST = {"concept": QAPair._meta.get_field("wording").max_length or 0}


def reword(
    *,
    item: Item,
    lead: Annotator,
    texts: Mapping[str, str],
    answer: str = "",
    meaning: str = "",
    words: str = "",
) -> bool:
    """Make these the texts and the answer of an item that the caller holds; whether anything changed.

    A choice beyond those that the kind has is taken away by an empty text. What nobody was asked about yet means the
    same; of everything else `meaning` says whether it does. Raises Invalid with the field that is wrong.
    """
    before = current_content(item)
    content = content_with(item.project.kind_spec, before, texts, answer)
    if content == before:
        return False
    comment = steps.checked_words(words, field="words", required=False)
    means = steps.checked_meaning(meaning) if steps.has_validation_begun(item) else steps.SAME_MEANING
    label = label_of(item, item.project.kind_spec.authoring.slot_from_content(content))
    write_revision(lead, item, content, Correction("", "", means, comment), None, label)
    return True


def content_with(kind: Kind, content: Mapping[str, Any], texts: Mapping[str, str], answer: str) -> dict[str, Any]:
    """The content with these texts and this answer; Invalid where that is no question."""
    fields = {text.key for text in kind.correctable_texts(content) if not text.derived}
    extra = {option_field(key) for key in extra_choices(kind, content)}
    made = dict(content)
    for field, text in texts.items():
        if field not in fields:
            raise Invalid(field=field, code="field_unknown")
        if field in extra and not text.strip():
            made["options"] = [each for each in made["options"] if option_field(each["key"]) != field]
        elif text != text_at(content, field):
            made = with_text(made, field, _checked_text(field, text))
    made = _with_answer(made, answer)
    return dict(content) if made == content else kind.authoring.derive(made)


def extra_choices(kind: Kind, content: Mapping[str, Any]) -> list[str]:
    """The choices of a content that the kind has no label for: a machine can have written too many."""
    if not kind.question.own_options:
        return []
    return [str(each["key"]) for each in content.get("options", ()) if each["key"] not in kind.question.label_keys]


def _checked_text(field: str, text: str) -> str:
    try:
        steps.checked_text(text)
    except Invalid as wrong:
        raise Invalid(field=field, code=wrong.code) from None
    if len(text) > LONGEST.get(field, len(text)):
        raise Invalid(field=field, code="text_not_storable")
    return text


def _with_answer(content: dict[str, Any], answer: str) -> dict[str, Any]:
    """The content with this choice as its answer; Invalid where there is no such choice, or none is the answer."""
    now = assessing.answer_of(content)
    if answer in ("", now) and now:
        return content
    if answer not in {each["key"] for each in content["options"]}:
        raise Invalid(field=ANSWER, code="right_choice_missing")
    roles = {now: "", answer: ANSWER}
    options = [{**each, "role": roles.get(each["key"], each["role"])} for each in content["options"]]
    return {**content, "options": options}
