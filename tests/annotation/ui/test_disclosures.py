"""What is wrong, or has to be filled, is never in a closed disclosure."""

from types import SimpleNamespace

import pytest
from django.forms import CharField, Form
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from annotation.ui.disclosures import open_over_errors
from annotation.ui.rule_forms import Group
from tests import factory


@pytest.mark.parametrize(
    ("page", "opened"),
    [
        ('<details><p class="field__error">x</p></details>', "<details open>"),
        ('<details class="a"\n id="b"><details><input aria-invalid="true"></details></details>', "<details open>"),
        ('é<br>\n<details name="a"><p class="note note--error">x</p></details>', '<details open name="a">'),
        ('<details open><p class="field__error">x</p></details>', "<details open>"),
    ],
)
def test_a_disclosure_over_an_error_is_open(page: str, opened: str) -> None:
    found = open_over_errors(page)
    assert opened in found
    assert found.count(" open") == page.count("<details")
    assert found.replace(" open", "") == page.replace(" open", "")


def test_others_stay_as_they_are() -> None:
    page = '<details><p>x</p></details><p class="field__error">y</p><details class="b">z</details>'
    assert open_over_errors(page) == page


@pytest.mark.django_db
def test_a_refused_page_of_any_kind_opens_them(client: Client) -> None:
    """Where the template says nothing of it: a setting in one of its groups."""
    project = factory.project()
    client.force_login(factory.user(administrator=True))
    address = reverse("settings", args=[project.slug])
    form = client.get(address).context["form"]
    sent = {name: form[name].value() for name in form.fields if form[name].value() is not None} | {"spacing": "many"}
    page = client.post(address, sent)
    assert page.status_code == 422
    before = page.text.partition('id="id_spacing"')[0]
    assert "open" in before.rpartition("<details")[2].partition(">")[0]


def test_a_group_with_an_empty_field_that_is_required_is_open() -> None:
    class Names(Form):
        needed = CharField()
        other = CharField(required=False)

    empty, filled = Names(), Names(initial={"needed": "x"})
    assert Group("x", [empty["needed"]], 0).is_open
    assert not Group("x", [empty["other"]], 0).is_open
    assert not Group("x", [filled["needed"]], 0).is_open


@pytest.mark.parametrize("needed", [True, False])
def test_phenomena_that_are_required_are_open(needed: bool) -> None:
    row = {"tag": SimpleNamespace(code="NEG", name="Negation")}
    field = SimpleNamespace(key="a", content={"tags": []}, name="A")
    page = render_to_string(
        "annotation/writing/partials/slot.html", {"field": field, "spread": [row], "tags_required": needed}
    )
    assert ('<details class="slot__tags" open>' in page) is needed
