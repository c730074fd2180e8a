"""A form that shows a stored text, opened and sent as it stands: nothing is stored, and no text is another one."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from annotation.concepts.actions import concept_change
from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Concept, Draft, Premise
from annotation.content.models.units import SourceUnit
from annotation.content.queries import current_content
from annotation.core.models.member import Event
from annotation.core.models.project import GuidelineVersion, Project, TaskVersion
from annotation.datasheet.actions import consent_publish
from annotation.datasheet.models import ConsentVersion
from annotation.elicitation.actions import (
    elicitation_add,
    elicitation_answer,
    elicitation_answer_change,
    elicitation_change,
    variation_new,
)
from annotation.elicitation.models import ElicitationAnswer, ElicitationQuestion, Suggestion
from annotation.generation.models import InstructionVersion
from annotation.generation.rules.instructions import default_text
from annotation.kinds import with_text
from annotation.projects.actions.projects import guideline_publish
from annotation.tasks.actions import task_publish
from annotation.tasks.queries import task_of_project
from annotation.tasks.rules.reading import task_from_plain
from annotation.translation.models import CleanUp
from exports.lm_eval.actions import prompt_save
from exports.lm_eval.models import TaskPrompt
from tests import factory, group, questions, reviews, translations, unchecked_questions
from tests.annotation.tasks.items import make_task_project
from tests.forms import Fields, unchanged_form
from tests.machine import a_machine_project
from tests.prompts import a_prompt, a_prompt_project
from tests.review import decide, give_back, world
from validation.voting.models.review import Proposal

pytestmark = pytest.mark.django_db
ROOT = Path(settings.BASE_DIR)
TEXTS = {
    "LF": "\n\n    Pasar pagi.\nBuka pukul lima.\n",
    "CRLF": "    Pasar pagi.\r\nBuka pukul lima.\r\n",
    "mixed": "Pasar pagi.\r\nBuka\npukul lima.\rTutup. ",
}
KEPT: tuple[Any, ...] = (
    Revision,
    Premise,
    Proposal,
    Suggestion,
    SourceUnit,
    CleanUp,
    Concept,
    ElicitationQuestion,
    ElicitationAnswer,
    GuidelineVersion,
    InstructionVersion,
    ConsentVersion,
    TaskPrompt,
    TaskVersion,
    Event,
)


@dataclass
class Shown:
    """Whose page has the form: its address, where the form goes, a field that only it has, what is pressed or ticked;
    and how a text comes to stand in it."""

    person: Any
    page: str
    action: str
    plant: Callable[[str], None]
    has: str = ""
    pressed: Fields = field(default_factory=dict)


def plant(item: Item, *names: str) -> Callable[[str], None]:
    """Store these texts of an item, as if they had come so."""

    def planted(text: str) -> None:
        content = current_content(item)
        for name in names:
            content = with_text(content, name, text)
        Revision.objects.filter(item=item, n=item.revision_n).update(content=content)
        shapes.get(item.project.kind_spec.shape).update(item, content)
        if "premise" in names:
            Premise.objects.filter(hypotheses__item=item).update(text=text)

    return planted


def assessment() -> Shown:
    project = unchecked_questions.a_checked_project()
    item = unchecked_questions.a_machine_item(project)
    page, texts = f"/p/{project.slug}/items/{item.pk}/", plant(item, "concept", "question", "option-A", "option-B")
    pressed = {f"verdict-{part}": ["none"] for part in ("concept", "question", "options")}
    return Shown(
        factory.member(project, "lead").user, page, "/assess/", texts, "", {"decision": ["approve"], **pressed}
    )


def correction(key: str) -> Callable[[], Shown]:
    def shown() -> Shown:
        at = world(opened=False)
        item = at.item("e")
        page, texts = f"/p/{at.project.slug}/items/{item.pk}/", plant(item, key)
        return Shown(at.lead.user, page, "/correct/", texts, f"field={key}", {"meaning": ["new"]})

    return shown


def own_item() -> Shown:
    at = world(opened=False)
    item = at.item("e")
    page = f"/p/{at.project.slug}/write/item/{item.pk}/"
    return Shown(at.writer.user, page, "", plant(item, "hypothesis"), "version_e1")


def own_question() -> Shown:
    project = questions.a_question_project(settings={"own_wording": True})
    writer = factory.member(project, "writer")
    item = questions.a_question(project, writer)
    texts = plant(item, "concept", "question", "option-A")
    return Shown(writer.user, f"/p/{project.slug}/write/item/{item.pk}/", "", texts, "version_q")


def returned() -> Shown:
    at = world()
    item = give_back(at, at.item("e"))
    page, texts = f"/p/{at.project.slug}/returned/{item.pk}/", plant(item, "hypothesis")
    return Shown(at.writer.user, page, "", texts, f"version_{item.slot}")


def variation() -> Shown:
    project = a_prompt_project()
    writer = factory.member(project, "writer")
    allocation = variation_new(writer=writer, item_id=a_prompt(project, writer).pk)

    def texts(text: str) -> None:
        draft = allocation.drafts.get()
        draft.content = {**draft.content, "text": text, "more": {**draft.content["more"], "option-R1": text}}
        draft.save()

    return Shown(writer.user, f"/p/{project.slug}/write/{allocation.token}/", "/submit/", texts, "", {"save": ["1"]})


def source_unit() -> Shown:
    project = translations.a_translation_project()
    made = translations.a_source_set(project, translations.sentence_rows(1), shape="sentence", frozen=False)
    unit = made.units.get()

    def texts(text: str) -> None:
        SourceUnit.objects.filter(pk=unit.pk).update(fields=[{**each, "text": text} for each in unit.fields])

    page, lead = f"/p/{project.slug}/sources/units/{unit.pk}/", translations.member(project, "lead").user
    return Shown(lead, page, "/clean/", texts, "text-text", {"reason": ["obvious"]})


def suggestion(form: str, *names: str) -> Callable[[], Shown]:
    def shown() -> Shown:
        at = group.build()
        page = f"/p/{at.project.slug}/review-group/{at.session.pk}/{at.item.pk}/"
        return Shown(at.reviewer.user, page, "/propose/", plant(at.item, *names), f"form={form}")

    return shown


def card() -> Shown:
    at = world(settings={"corrections": True})
    all_texts = [plant(item, "premise", "hypothesis") for item in at.items]
    decide()

    def texts(text: str) -> None:
        for each in all_texts:
            each(text)

    return Shown(at.validators[0].user, f"/p/{at.project.slug}/vote/", "/vote/", texts, "", {"label": ["e"]})


def review_card() -> Shown:
    at = reviews.translation_review_world(4)
    all_texts = [plant(item, "field-premise") for item in at.items]

    def texts(text: str) -> None:
        for each in all_texts:
            each(text)

    pressed = {"label": ["approve"]}
    return Shown(at.reviewers[0].user, f"/p/{at.project.slug}/vote/", "/vote/", texts, "", pressed)


def administrator() -> Any:
    return factory.user(administrator=True)


def guidelines() -> Shown:
    project = factory.project()

    def texts(text: str) -> None:
        guideline_publish(project=project, role="writing", text=text)

    return Shown(administrator(), f"/p/{project.slug}/guidelines/writing/edit/", "", texts, "note")


def instruction() -> Shown:
    project, name = a_machine_project(), "mcsqa-question"

    def texts(text: str) -> None:
        InstructionVersion.objects.update_or_create(
            project=project, name=name, n=1, defaults={"text": default_text(name) + text}
        )

    return Shown(administrator(), f"/p/{project.slug}/machine/instructions/{name}/", "", texts, "note")


def consent() -> Shown:
    project, boss = factory.project(), administrator()

    def texts(text: str) -> None:
        seen = ConsentVersion.objects.filter(project=project).count()
        consent_publish(project=project, text=text, asks_again=True, by=boss, seen=seen)

    return Shown(boss, f"/p/{project.slug}/about/", "/consent/", texts, "", {"asks": ["stays"]})


def task_prompt() -> Shown:
    project = factory.project()

    def texts(text: str) -> None:
        words = "{{premise}}\n{{hypothesis}}" + text
        seen = TaskPrompt.objects.count()
        prompt_save(project=project, by=None, task="nli", name="ringkas", text=words, seen=seen)

    return Shown(administrator(), f"/p/{project.slug}/prompts/nli/ringkas/", "", texts, "text")


def group_question() -> Shown:
    project, boss = a_prompt_project(), administrator()
    made = elicitation_add(project=project, by=boss, sort="signs", text="Apa?")

    def texts(text: str) -> None:
        made.refresh_from_db()
        given: dict[str, Any] = {"version": made.version, "sort": "signs", "text": text}
        elicitation_change(project=project, question_id=made.pk, by=boss, **given)

    return Shown(boss, f"/p/{project.slug}/elicitation/", f"/elicitation/{made.pk}/", texts, "sort")


def group_answer() -> Shown:
    project, boss = a_prompt_project(), administrator()
    made = elicitation_add(project=project, by=boss, sort="signs", text="Apa?")
    writer = factory.member(project, "writer")
    given = elicitation_answer(annotator=writer, question_id=made.pk, text="Itu.")

    def texts(text: str) -> None:
        elicitation_answer_change(annotator=writer, answer_id=given.pk, text=text)

    return Shown(writer.user, f"/p/{project.slug}/elicitation/", f"/answers/{given.pk}/", texts)


def concept() -> Shown:
    project, boss = questions.a_question_project(), administrator()
    made = questions.a_concept(project)

    def texts(text: str) -> None:
        made.refresh_from_db()
        told: dict[str, Any] = {"category": made.category, "text": made.text, "sure": True}
        told["parallel"] = " ".join(text.split())
        concept_change(project=project, concept_id=made.pk, by=boss, version=made.version, **told)

    return Shown(boss, f"/p/{project.slug}/concepts/{made.pk}/", "", texts, "parallel")


def description() -> Shown:
    project = make_task_project("sentiment")

    def texts(text: str) -> None:
        now = task_of_project(project)
        assert now is not None
        version = Project.objects.get(pk=project.pk).version
        task_publish(
            project=project, by=None, task=task_from_plain({**now.plain(), "description": text}), version=version
        )

    return Shown(administrator(), f"/p/{project.slug}/task/", "", texts, "task.name.en")


FORMS: dict[str, Callable[[], Shown]] = {
    "assessment": assessment,
    "correction": correction("hypothesis"),
    "correction of a shared text": correction("premise"),
    "own item": own_item,
    "own question": own_question,
    "returned": returned,
    "variation": variation,
    "source unit": source_unit,
    "reword": suggestion("reword", "context"),
    "rephrase": suggestion("rephrase", "option-R1", "option-I3"),
    "card": card,
    "review card": review_card,
    "guidelines": guidelines,
    "instruction": instruction,
    "consent": consent,
    "task prompt": task_prompt,
    "group question": group_question,
    "group answer": group_answer,
    "concept": concept,
    "description": description,
}


def stored() -> list[list[dict[str, Any]]]:
    """Every row of what people wrote."""
    return [list(table._default_manager.order_by("pk").values()) for table in KEPT]


def drafts() -> list[tuple[str, dict[str, str]]]:
    """What drafts say: a box that is ticked anew is no other text."""
    rows = Draft.objects.order_by("pk").values_list("content", flat=True)
    return [(content["text"], {key: text for key, text in content.get("more", {}).items() if text}) for content in rows]


@pytest.mark.parametrize("form", FORMS)
def test_a_form_sent_unchanged_stores_nothing(form: str) -> None:
    shown, client = FORMS[form](), Client()
    client.force_login(shown.person)
    for text in TEXTS.values():
        shown.plant(text)
        page = client.get(shown.page).content.decode()
        place, fields = unchanged_form(page, shown.action, shown.has)
        before = stored(), drafts()
        answer = client.post(place or shown.page, {**fields, **shown.pressed})
        refused = re.search("same as before|changed nothing|Nothing differs", answer.content.decode())
        assert answer.status_code in (200, 302) or refused, answer.content.decode()
        assert (stored(), drafts()) == before, (form, text)


def test_every_area_shows_its_text_from_the_first_character() -> None:
    """A browser drops one line break behind the tag, and keeps every blank."""
    wrong = [
        (path.name, area[0])
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for area in re.findall(r"<textarea(?:\{%.*?%\}|\{\{.*?\}\}|[^>{])*>([^<]*)</textarea>", path.read_text(), re.S)
        if area and not re.match(r"\n[{]", area)
    ]
    assert wrong == []
