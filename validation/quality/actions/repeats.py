"""Self-agreement, where answers are a matter of taste: a person's own earlier item comes again after 50 others."""

from django.db import transaction

from annotation.core.database import locked
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.rules.draws import draw
from validation.quality.actions.gold import copy_item, keeper_of
from validation.quality.models import Repeat
from validation.quality.rules.gold import repeats_due
from validation.voting.models.vote import Vote
from validation.voting.rules.dealing import AGAIN_AFTER, repeats_target_key


def repeats_watch() -> None:
    """Make ready what people are asked again; run by the sweep."""
    for project in Project.objects.filter(closed_at=None):
        if project.kind_spec.excludes_family_contributors and project.rules.gold_questions:
            for person in Annotator.objects.filter(project=project, is_validator=True, left_at=None):
                repeat_prepare(person, project)


def repeat_prepare(person: Annotator, project: Project) -> Repeat | None:
    """Copy one of a person's earlier items for them alone, where the next is due; one at a time."""
    with transaction.atomic():
        locked(Annotator.objects.filter(pk=person.pk)).get()
        votes = list(
            Vote.objects.filter(annotator=person, item__project=project, withdrawn_at=None)
            .select_related("item")
            .order_by("pk")
        )
        had = set(Repeat.objects.filter(annotator=person).values_list("of_vote", flat=True))
        if len(had) >= repeats_due(len(votes)):
            return None
        earlier = [
            vote
            for vote in votes[:-AGAIN_AFTER]
            if vote.pk not in had and (vote.epoch, vote.revision_n) == (vote.item.epoch, vote.item.revision_n)
        ]
        if not earlier:
            return None
        vote = min(earlier, key=lambda each: draw(project.secret, "again", f"{person.pseudonym}:{each.item.key}"))
        keeper = keeper_of(project)
        target, _ = Target.objects.get_or_create(
            project=keeper, key=repeats_target_key(person.pk), defaults={"language": project.language}
        )
        item = copy_item(vote.item, target, most=1)
        return Repeat.objects.create(annotator=person, item=item, of_vote=vote)
