"""What the tests of the review desk share: signed-in clients, pages by name, doubtful items."""

from typing import Any

from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from tests.review import World, cast_votes


def browser_of(person: Annotator) -> Client:
    made = Client()
    assert person.user is not None
    made.force_login(person.user)
    return made


def page(at: World, name: str, *args: Any, **query: Any) -> str:
    path = reverse(name, args=[at.project.slug, *args])
    return path + ("?" + "&".join(f"{key}={value}" for key, value in query.items()) if query else "")


def get(at: World, who: Annotator, name: str, *args: Any, **query: Any) -> str:
    answer = browser_of(who).get(page(at, name, *args, **query))
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def act(at: World, item: Item, what: str, trail: str = "", **fields: Any) -> Any:
    sent = {"version": item.version, **fields}
    return browser_of(at.lead).post(page(at, "item_act", item.pk, what) + trail, sent)


def make_doubtful(at: World, label: str, *, unsure: bool = False, ambiguous: bool = False) -> Item:
    item = at.item(label)
    return cast_votes(at, item, label * 2, unsure=unsure, ambiguous=ambiguous)
