"""What pages read of evaluations, for leads and administrators of the project whose release it is."""

from collections import defaultdict

from django.db.models import QuerySet

from annotation.core.access import Membership
from annotation.core.errors import Forbidden
from annotation.core.models.member import Annotator
from exports.evaluation.models import Evaluation, EvaluationRow
from exports.evaluation.rules import Answered
from exports.releases.models import Release
from validation.consensus.stages import ADJUDICATED, EXCLUDED, NO_CONSENSUS, SETTLED
from validation.studies.projects import first_of
from validation.voting.models.vote import Vote

OVER = (SETTLED, NO_CONSENSUS, ADJUDICATED)


def evaluations_of(membership: Membership, release: Release) -> QuerySet[Evaluation]:
    """The evaluations of a release, newest first."""
    if not membership.sees_all:
        raise Forbidden
    return Evaluation.objects.filter(release=release).select_related("project").order_by("-pk")


def evaluation_of(membership: Membership, release: Release, slug: str) -> Evaluation | None:
    """The one that is answered in the project of that name, or the newest; None where there is none yet."""
    result = evaluations_of(membership, release)
    if not slug:
        return result.first()
    return first_of(result.filter(project__slug=slug))


def rows_of(made: Evaluation) -> list[Answered]:
    """Every item by its key, with what was said of it under pseudonyms; three statements."""
    names = dict(Annotator.objects.filter(project=made.project_id).values_list("pk", "pseudonym"))
    answers: dict[int, list[tuple[str, str]]] = defaultdict(list)
    votes = Vote.objects.filter(
        item__project=made.project_id, withdrawn_at=None, surplus=False, item__evaluation_row__isnull=False
    )
    for item, epoch, present, who, label in votes.values_list(
        "item_id", "epoch", "item__epoch", "annotator_id", "label"
    ):
        if epoch == present:
            answers[item].append((names[who], label))
    rows = EvaluationRow.objects.filter(evaluation=made).values_list(
        "item_id", "item__key", "item__stage", "split", "level", "answer"
    )
    result = [
        Answered(key, split, level, answer, tuple(sorted(answers[item])), stage in OVER, stage == EXCLUDED)
        for item, key, stage, split, level, answer in rows
    ]
    return sorted(result, key=lambda row: row.key)
