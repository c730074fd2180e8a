"""The links of a project's head: one row of a few, else by groups with the group and the page marked."""

import pytest
from django.test import Client

from annotation.ui.navigation import MOST_LINKS_IN_ROW, NavigationLink, group_links
from tests import factory

pytestmark = pytest.mark.django_db


def test_few_stand_in_one_row_and_many_by_groups() -> None:
    few = [NavigationLink(f"/{n}", str(n), "Work") for n in range(MOST_LINKS_IN_ROW)]
    assert group_links(few) == []
    groups = group_links(
        [
            *few,
            NavigationLink("/desk", "Desk", "Quality", current=True),
            NavigationLink("/out", "Out", "Release"),
        ]
    )
    assert [(group.name, len(group.rooms), group.current) for group in groups] == [
        ("Work", MOST_LINKS_IN_ROW, False),
        ("Quality", 1, True),
        ("Release", 1, False),
    ]


def test_few_with_long_names_are_a_menu_on_a_phone() -> None:
    long = [
        NavigationLink(f"/{n}", name, "Work")
        for n, name in enumerate(("Ringkasan", "Terjemahkan", "Panduan", "Pertanyaan"))
    ]
    (group,) = group_links(long)
    assert group.rooms == long
    assert (
        group_links([NavigationLink("/", "Tulis", "Work") if room.name == "Terjemahkan" else room for room in long])
        == []
    )


@pytest.mark.parametrize("preset", ["indonli-expert", "kalahi", "loraxbench"])
def test_an_administrator_has_four_groups(preset: str) -> None:
    project = factory.project(preset=preset)
    administrator = factory.user(administrator=True)
    visitor = Client()
    visitor.force_login(administrator)
    text = visitor.get(f"/p/{project.slug}/people/").content.decode()
    assert text.count('class="rooms__row') == 2
    assert text.count('aria-current="true"') == 1
    assert text.count('<p class="rooms__group"') == 4
    # The menu of a phone and the second row, of which one is shown.
    assert text.count('aria-current="page"') == 2


def test_a_writer_has_one_row() -> None:
    writer = factory.member(factory.project(), "writer")
    assert writer.user is not None
    visitor = Client()
    visitor.force_login(writer.user)
    assert "rooms__row" not in visitor.get(f"/p/{writer.project.slug}/guidelines/").content.decode()


def test_a_page_is_called_what_its_room_is_called() -> None:
    translator = factory.member(factory.project(preset="loraxbench"), "writer")
    assert translator.user is not None
    visitor = Client()
    visitor.force_login(translator.user)
    text = visitor.get(f"/p/{translator.project.slug}/write/").content.decode()
    assert text.partition("<title>")[2].split()[:1] == ["Translate"]
