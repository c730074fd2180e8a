"""What has to be done before people are asked again about items that they were not to be asked about any more.

Public pages that show their votes are closed, as whoever acts has confirmed; leads who vote and could look at the
items meanwhile are not asked about them.
"""

from collections.abc import Collection, Iterator, Sequence

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from annotation.core.public_pages import close_pages, require_confirmation
from annotation.jobs.bulk import any_of
from validation.consensus import stages
from validation.consensus.engine import OPEN
from validation.voting.actions.exclusions import bar_for_good
from validation.voting.actions.verdicts import decided_by_votes, decision_of, standing_votes

CHUNK = 500


def prepare_asking_again(items: Sequence[Item], *, by: Annotator | None) -> None:
    """Close public pages and bar leads who vote, in the transaction in which items come before voters again.

    `by` is None for the system. Raises ClosesPages where `by` has not confirmed a page that is closed.
    """
    if not items:
        return
    close_pages([item.pk for item in items], by=by.user if by else None)
    _bar_leads(items)


def _bar_leads(items: Sequence[Item]) -> None:
    """Never ask people who lead or have led, and who vote, about what they could look at; people come back too."""
    projects = {item.project_id for item in items}
    leads = Annotator.objects.filter(project__in=projects, has_led=True, is_validator=True)
    for lead in leads:
        bar_for_good([item for item in items if item.project_id == lead.project_id], lead)


def confirm_without_votes(items: Collection[int], *, annotator: Annotator, by: User) -> None:
    """Before a person's votes on items stop counting: raise ClosesPages where that asks again about what a public page
    shows, and `by` has not confirmed it."""
    require_confirmation(list(_asked_again_without(items, annotator)), by=by)


def _asked_again_without(items: Collection[int], annotator: Annotator) -> Iterator[int]:
    """The items that are asked about again where this person's votes do not count."""
    keys = sorted(items)
    for start in range(0, len(keys), CHUNK):
        rows = Item.objects.select_related("project", "protocol").filter(pk__in=any_of(keys[start : start + CHUNK]))
        some = list(rows.exclude(stage__in=(*stages.ASKED_STAGES, stages.ADJUDICATED, stages.CORRECTED)))
        votes, by_votes = standing_votes(some), decided_by_votes(some)
        for item in some:
            others = [vote for vote in votes[item.pk] if vote.annotator_id != annotator.pk]
            is_decided_by_votes = item.stage != stages.EXCLUDED or item.pk in by_votes
            if is_decided_by_votes and decision_of(item, others).state == OPEN:
                yield item.pk
