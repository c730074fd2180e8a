"""Ratings of free answers to questions, beside the settled answer (id-csqa §7.1)."""

from pathlib import Path
from typing import Any

import pytest

from annotation import presets
from annotation.content.models.item import Item
from annotation.content.queries import current_content
from annotation.core.errors import Invalid
from tests import factory
from tests.exports.releases.test_every_preset import project_with_items
from tests.ratings import MODELS, RatedWorld, next_assignment, rate_all, study_members
from validation.studies.types.rating import tally_of
from validation.voting.actions.decide import decide_due
from validation.voting.views.cards import card_of

pytestmark = pytest.mark.django_db


def test_free_answers_to_questions_are_held_against_the_settled_answer(tmp_path: Path, settings: Any) -> None:
    settings.REDIS_URL = ""
    project = project_with_items(presets.get("idcsqa"), tmp_path, votes=True)
    items = list(Item.objects.filter(project=project).order_by("key"))
    raters = [factory.member(project, "validator") for _ in range(3)]
    at = RatedWorld(project, items, raters, factory.member(project, "lead"))
    Item.objects.filter(pk=items[0].pk).update(stage="voting")
    with pytest.raises(Invalid) as refusal:
        at.draw()
    assert items[0].key in refusal.value.message
    Item.objects.filter(pk=items[0].pk).update(stage="settled")
    study = at.draw(sample=4)
    assert [each["key"] for each in study.options["criteria"]] == ["correct", "specific"]
    place = study_members(study)[0]
    decide_due()
    held = next_assignment(place)
    assert held is not None
    shown = " ".join(part.text for part in card_of(held, study.project).texts)
    of = Item.objects.get(project=project, key=study.rows.get(item=held.item_id).data["prompt"])
    texts = {option["key"]: option["text"] for option in current_content(of)["options"]}
    assert [text for text in texts.values() if text in shown] == [texts[of.gold]]
    assert "Jawaban" in shown
    yes = {"correct": "yes", "specific": "yes"}
    rate_all(study, lambda _key, model, rater: {"correct": "no"} if model == MODELS[0] and rater else {}, yes)
    tally = tally_of(study)
    assert [tally.counts[model, "correct"] for model in MODELS] == [(0, 4), (4, 4)]
    assert [tally.counts[model, "specific"] for model in MODELS] == [(4, 4), (4, 4)]
