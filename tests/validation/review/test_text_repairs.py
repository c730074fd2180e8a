"""Texts that a form damaged: what they were is found in their revisions, shown, and stored again when that is asked."""

import io

import pytest
from django.core.management import call_command

from annotation.content.queries import current_content
from annotation.kinds import text_at
from tests import factory
from tests.unchecked_questions import a_checked_project, a_machine_item, assess, check
from validation import integrity
from validation.review.rules.damaged_texts import undamaged


@pytest.mark.parametrize(
    ("texts", "right"),
    [
        (["Apa?"], "Apa?"),
        (["Apa?", "    Apa?"], "Apa?"),
        (["Apa?", "    Apa?", "        Apa?", "        Apa?"], "Apa?"),
        (["Apa?", "    Apa itu?"], "Apa itu?"),
        (["Apa?", "    Apa?", "        Apa itu?"], "Apa itu?"),
        (["Apa?", "    Apa?", "Apa itu?"], "Apa itu?"),
        (["  Apa?", "      Apa?"], "  Apa?"),
        (["  Apa?", "Apa?"], "Apa?"),
        (["  Apa\r\nitu?", "      Apa\r\nitu?", "  Apa\r\nitu?"], "  Apa\r\nitu?"),
        (["  Apa?", "      Apa?", "          Apa?", "  Apa itu?"], "  Apa itu?"),
        (["  Apa?", "      Apa?", "          Apa?", "      Apa itu?"], "  Apa itu?"),
        (["  Apa?", "   Apa?", "       Apa?", "   Apa?"], "   Apa?"),
        (["  Apa?", "      Apa?", " Apa?", "     Apa?"], " Apa?"),
        (["Apa?", "   Apa?"], "   Apa?"),
        (["Apa?\r\nYa.", "Apa?\nYa."], "Apa?\r\nYa."),
        (["Apa?\r\nYa.", "    Apa?\nYa."], "Apa?\r\nYa."),
        (["Apa?\r\nYa.", "Apa?\nBukan."], "Apa?\nBukan."),
    ],
)
def test_a_text_without_the_damage(texts: list[str], right: str) -> None:
    assert undamaged(texts) == right


def repair(*args: str) -> str:
    out = io.StringIO()
    call_command("repair_texts", *args, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_damaged_texts_are_shown_before_they_are_repaired() -> None:
    project = a_checked_project()
    item, other, lead = a_machine_item(project), a_machine_item(project), factory.member(project, "lead")
    first = current_content(item)
    fields = ("question", "option-A", "option-B")
    for _ in range(2):
        now = current_content(item)
        item = assess(lead, item, check(texts={field: "    " + text_at(now, field) for field in fields}))
    assess(lead, other)
    shown = repair(project.slug)
    assert shown.count("should be") == 3
    assert repr("        " + first["question"]) in shown
    assert text_at(current_content(item), "question").startswith("        ")
    assert "3 texts are damaged, 3 repaired" in repair(project.slug, "--item", item.key, "--apply")
    item.refresh_from_db()
    assert current_content(item) == first
    assert repair() == "0 texts are damaged, 0 repaired\n"
    assert list(integrity.run(project=project)) == []
