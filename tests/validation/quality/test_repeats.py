"""Self-agreement in projects of cultural prompts: a person's own earlier prompt comes again after 50 others."""

import pytest

from annotation.content.models.item import Item, Revision
from annotation.elicitation.actions import no_part_sign
from tests import factory
from tests.prompts import a_prompt, a_prompt_project
from tests.validation.quality.test_shares import claim
from validation import integrity
from validation.quality import queries
from validation.quality.actions.repeats import repeat_prepare, repeats_watch
from validation.quality.models import Repeat
from validation.quality.rules.gold import repeats_due
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("votes", "due"), [(0, 0), (74, 0), (75, 1), (99, 1), (100, 2)])
def test_when_one_is_due(votes: int, due: int) -> None:
    assert repeats_due(votes) == due


def test_ones_own_prompt_comes_again_and_counts_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    # Seventy-five votes take long to cast: the rule's numbers are made small, the way is the same.
    monkeypatch.setattr("validation.quality.actions.repeats.AGAIN_AFTER", 1)
    monkeypatch.setattr("validation.quality.actions.repeats.repeats_due", lambda votes: votes - 1)
    project = a_prompt_project(settings={"gold_questions": True, "spacing": 0})
    writer = factory.member(project, "writer")
    for _ in range(3):
        a_prompt(project, writer)
    decide_due()
    person = factory.member(project, "validator")
    no_part_sign(annotator=person)
    assert person.user is not None
    said = []
    for _ in range(2):
        held = claim(person)
        assert held is not None
        cast = vote_cast(
            user_id=person.user.pk,
            slug=project.slug,
            token=held.token,
            ballot=Ballot(label="I1"),
            go_on=False,
        )
        said.append(cast.vote)
    repeats_watch()
    repeat = Repeat.objects.get()
    # Of the two the earlier one, once.
    assert repeat.of_vote_id == said[0].pk
    assert repeat_prepare(person, project) is None
    held = claim(person)
    assert held is not None
    assert held.item_id == repeat.item_id
    before = list(Item.objects.filter(project=project).order_by("pk").values("pk", "stage", "votes_n", "gold"))
    content = Revision.objects.get(item=repeat.item).content
    assert content == Revision.objects.get(item=repeat.of_vote.item_id).content
    vote_cast(user_id=person.user.pk, slug=project.slug, token=held.token, ballot=Ballot(label="I2"))
    decide_due()
    after = list(Item.objects.filter(project=project).order_by("pk").values("pk", "stage", "votes_n", "gold"))
    assert before == after
    assert Vote.objects.filter(project=project).count() == 2
    (figures,) = queries.figures(project, [person])
    assert figures.repeat_agreement == (0, 1)
    # Nobody else is ever asked it.
    other = factory.member(project, "validator")
    no_part_sign(annotator=other)
    theirs = claim(other)
    assert theirs is not None
    assert theirs.item.project_id == project.pk
    assert list(integrity.run(project=project)) == []
