"""Small worlds for tests of people's work: votes of people on items, by the ordinary actions."""

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from tests import review


def cast_first_votes(at: review.World) -> None:
    """Two validators agree with the author on the first four items, which settles them; the first on a fifth too."""
    items = list(Item.objects.filter(project=at.project).order_by("pk")[:5])
    for item in items[:4]:
        for person in at.validators[:2]:
            cast_vote(item, person, item.author_label)
    cast_vote(items[4], at.validators[0], items[4].author_label)
    review.decide()


def cast_vote(item: Item, person: Annotator, label: str) -> None:
    item.refresh_from_db()
    review.cast_vote(review.assign(item, person), label)


def user_of(person: Annotator) -> User:
    assert person.user is not None
    return person.user


def lead_of(at: review.World) -> User:
    return user_of(at.lead)
