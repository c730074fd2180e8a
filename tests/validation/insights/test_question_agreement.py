"""Agreement on questions: alpha with the distance of each answer type, by hand and beside the library."""

from typing import Any

import numpy as np
import pytest
from krippendorff import alpha

from annotation.answers import Question, type_of
from annotation.answers.agreement import agreement
from annotation.answers.scale import points
from annotation.kinds import nli
from tests import factory
from tests.every_answer_type import a_project, browser_of, registered
from tests.validation.voting.test_question_answers import posted, room
from validation.insights.reports import applicable_to, get
from validation.insights.reports.reading import Reading
from validation.insights.rules.agreement import ONE_LABEL, REASONS, krippendorff_alpha
from validation.voting.models.assignment import Assignment

SCALE = Question("q", "?", "scale", labels=points(5))
LABELS = Question("q", "?", labels=nli.LABELS)
# Krippendorff's own example (2011): four observers, twelve units, values missing.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)


def test_ordinal_and_nominal_alpha_are_krippendorff_s() -> None:
    units = [[None if n is None else str(n) for n in unit] for unit in zip(*OBSERVERS, strict=True)]
    ordinal = agreement(type_of(SCALE), SCALE, units)
    nominal = agreement(type_of(LABELS), LABELS, units)
    assert ordinal.alpha == pytest.approx(0.815, abs=5e-4)
    assert nominal.alpha == pytest.approx(0.743, abs=5e-4)
    data = np.array([[np.nan if n is None else n for n in row] for row in OBSERVERS], float)
    assert ordinal.alpha == pytest.approx(alpha(data, level_of_measurement="ordinal"))
    assert nominal.alpha == pytest.approx(alpha(data, level_of_measurement="nominal"))


def test_the_distance_of_two_answers_on_a_scale_is_in_points() -> None:
    found = agreement(type_of(SCALE), SCALE, [["5", "5", "5", "4", "4"]])
    assert found.distance == pytest.approx(6 / 10)
    assert agreement(type_of(LABELS), LABELS, [["e", "e", "n"]]).distance == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "units", [[["e", "e"], ["e", "e"]], [["e", "e"], ["n", "n"]], [["e", "n"], ["n", "n"]], [["e"]]]
)
def test_two_pages_tell_the_same_alpha_of_the_same_votes(units: list[list[str]]) -> None:
    assert agreement(type_of(LABELS), LABELS, units).alpha == krippendorff_alpha(units).value


def test_masi_is_passonneau_s() -> None:
    question, _, _ = type_of(Question("e", "?", "several")).sample()
    kind = type_of(question)
    assert kind.distance(question, ["joy"], ["joy", "anger"]) == pytest.approx(1 - 1 / 2 * 2 / 3)
    assert kind.distance(question, ["joy", "fear"], ["joy", "anger"]) == pytest.approx(1 - 1 / 3 * 1 / 3)
    assert kind.distance(question, ["joy"], ["fear"]) == 1


def test_passages_are_compared_by_their_tokens() -> None:
    question = Question("s", "?", "spans", texts=("text",))

    def span(start: int, text: str) -> list[dict[str, Any]]:
        end = start + len(text)
        return [{"of": "text", "start": start, "end": end, "text": text, "label": ""}]

    # Two of two tokens and two of three: F1 = 2 x 2 / 5.
    apart = type_of(question).distance(question, span(0, "Kota Bandung"), span(0, "Kota Bandung Raya"))
    assert apart == pytest.approx(1 - 4 / 5)


@pytest.mark.django_db
def test_the_page_has_a_row_for_each_question() -> None:
    with registered():
        project = a_project()
        for toxicity in ("1", "2"):
            web = browser_of(factory.member(project, "validator"))
            for _ in range(2):
                token = web.get(room(project)).context["card"].token
                item = Assignment.objects.get(token=token).item
                web.post(room(project, token), posted(item, **{"answer-toxicity": toxicity}))
        assert "questions" in [each.slug for each in applicable_to(project)]
        rows = {row["question"]: row for row in get("questions").compute(Reading(project))["questions"]}
        # Everybody always said the same: as on every other page, there is no chance to correct for.
        assert (rows["Is it fluent?"]["alpha"], rows["Is it fluent?"]["why"]) == (None, REASONS[ONE_LABEL])
        assert rows["How toxic is it?"]["distance"] == 1
        assert {row["items"] for row in rows.values()} == {2}
    assert "questions" not in [each.slug for each in applicable_to(factory.project())]
