"""All votes of one person set aside in one act, on PostgreSQL: what reopens, what is paid, and the act undone."""

import pytest

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid
from annotation.jobs.models import Job
from annotation.jobs.queue import Handle
from tests import factory, review
from tests.pay import a_rate, entries
from tests.quality import cast_first_votes, cast_vote, lead_of, user_of
from validation.quality import queries
from validation.quality.actions.set_aside import set_aside_begin, set_aside_do, set_aside_undo
from validation.quality.models import SetAsideVote
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def stages(at: review.World) -> list[str]:
    return list(Item.objects.filter(project=at.project).order_by("pk").values_list("stage", flat=True))


def test_what_reopens_is_told_before_and_happens_and_is_undone() -> None:
    at = review.world()
    cast_first_votes(at)
    hasty, by = at.validators[0], lead_of(at)
    assert stages(at) == ["settled"] * 4 + ["voting"] * 2
    before = queries.preview(hasty, by)
    assert (before.votes, before.outcomes) == (5, [("reopens", 4), ("waits", 1)])

    act = set_aside_begin(annotator=hasty, by=by, reason="answers without reading")
    assert stages(at) == ["voting"] * 6
    assert Vote.objects.filter(annotator=hasty, withdrawn_at=None).count() == 0
    assert set(Vote.objects.filter(annotator=hasty).values_list("withdrawn_reason", flat=True)) == {
        "answers without reading"
    }
    assert SetAsideVote.objects.filter(act=act).count() == 5
    at.sound()

    undone = set_aside_undo(act=act, by=by)
    assert undone.undone_by == by
    assert stages(at) == ["settled"] * 4 + ["voting"] * 2
    assert Vote.objects.filter(annotator=hasty, withdrawn_at=None).count() == 5
    assert Vote.objects.filter(annotator=hasty).count() == 10
    at.sound()
    with pytest.raises(Conflict) as refused:
        set_aside_undo(act=act, by=by)
    assert refused.value.code == "set_aside_undone"


def test_an_item_that_was_answered_by_somebody_else_meanwhile_keeps_their_vote() -> None:
    at = review.world()
    cast_first_votes(at)
    hasty, by = at.validators[0], lead_of(at)
    act = set_aside_begin(annotator=hasty, by=by, reason="why")
    first = Item.objects.filter(project=at.project).order_by("pk")[0]
    cast_vote(first, at.validators[2], first.author_label)
    review.decide()
    set_aside_undo(act=act, by=by)
    first.refresh_from_db()
    assert (first.stage, first.gold) == ("settled", first.author_label)
    standing = Vote.objects.filter(item=first, withdrawn_at=None).order_by("n")
    assert [(vote.annotator_id, vote.surplus) for vote in standing] == [
        (at.validators[1].pk, False),
        (at.validators[2].pk, False),
        (hasty.pk, True),
    ]
    at.sound()


def test_the_work_is_paid_once() -> None:
    at = review.world()
    a_rate(at.project)
    cast_first_votes(at)
    hasty, by = at.validators[0], lead_of(at)

    def units() -> int:
        return sum(entry.units for entry in entries(at.project, hasty))

    assert units() == 5
    act = set_aside_begin(annotator=hasty, by=by, reason="why")
    assert units() == 5
    set_aside_undo(act=act, by=by)
    assert units() == 5


def test_a_job_that_runs_twice_does_nothing_twice() -> None:
    at = review.world()
    cast_first_votes(at)
    act = set_aside_begin(annotator=at.validators[0], by=lead_of(at), reason="why")
    assert act.job_id is not None
    job = Job.objects.get(pk=act.job_id)
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, lease="again")
    job.refresh_from_db()
    assert set_aside_do(Handle(job))["done"] == 5
    assert SetAsideVote.objects.count() == 5
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, lease="", lease_until=None)
    at.sound()


def test_refused_without_a_reason_and_without_votes() -> None:
    at = review.world()
    by = lead_of(at)
    with pytest.raises(Invalid) as wrong:
        set_aside_begin(annotator=at.validators[0], by=by, reason="  ")
    assert wrong.value.code == "reason_missing"
    with pytest.raises(Conflict) as refused:
        set_aside_begin(annotator=at.validators[0], by=by, reason="why")
    assert refused.value.code == "votes_none"


def test_a_lead_who_wrote_here_leaves_the_votes_on_that() -> None:
    made = factory.project()
    writes = factory.member(made, "writer", "lead")
    (first, second) = (factory.member(made, "validator") for _ in range(2))
    items = factory.written_pairs(made, writes)
    review.decide()
    for person in (first, second):
        cast_vote(items[0], person, items[0].author_label)
    review.decide()
    with pytest.raises(Conflict) as refused:
        set_aside_begin(annotator=first, by=user_of(writes), reason="why")
    assert refused.value.code == "votes_none"
