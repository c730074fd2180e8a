"""A translation that came back: its form beside the sources, what was said to checks, and sent again."""

import pytest
from django.test import Client

from annotation.content.models.units import Translation
from tests import reviews
from tests.review import decide
from tests.translations import translated_slots

pytestmark = pytest.mark.django_db(transaction=True)
SLASHED = "Bakul iku adol pelem / gedhang ing pasar."


@pytest.fixture
def at() -> reviews.TranslationReviewWorld:
    made = reviews.translation_review_world()
    made.send_back()
    return made


@pytest.fixture
def browser(client: Client, at: reviews.TranslationReviewWorld) -> Client:
    assert at.translator.user is not None
    client.force_login(at.translator.user)
    return client


def address(at: reviews.TranslationReviewWorld) -> str:
    return f"/p/{at.project.slug}/returned/{at.item.pk}/"


def posted(at: reviews.TranslationReviewWorld, **more: str) -> dict[str, str]:
    """The form as a browser sends it; `premise="…"` is the field `premise`."""
    typed = dict(translated_slots(at.units[0], at.target).more) | {f"field-{key}": text for key, text in more.items()}
    return {"version_t": str(at.item.version), **{f"more_t_{name}": text for name, text in typed.items()}}


def test_it_is_mended_beside_its_sources(browser: Client, at: reviews.TranslationReviewWorld) -> None:
    page = browser.get(address(at)).content.decode()
    assert reviews.WORDS in page
    assert page.count('class="text side__text" lang="id"') == len(at.units[0].fields)
    assert f'lang="{at.target.language}"' in page
    assert browser.post(address(at), posted(at, premise=reviews.CORRECTED_TEXT)).status_code == 302
    assert at.item.stage == "voting"
    assert Translation.objects.get(item=at.item).fields[0]["text"] == reviews.CORRECTED_TEXT


def test_words_to_a_check_stay_with_it(browser: Client, at: reviews.TranslationReviewWorld) -> None:
    said = {**posted(at, premise=SLASHED), "more_t_why-alternatives_slash": "Begitu orang bilang"}
    checked = browser.post(address(at), {**said, "check": "1"}, headers={"Accept": "application/json"})
    found = [line for line in checked.json()["lines"]["t"] if line["check"] == "alternatives_slash"]
    assert [line["field"] for line in found] == ["field-premise"]
    assert at.item.stage == "returned"
    assert browser.post(address(at), said).status_code == 302
    assert Translation.objects.get(item=at.item).more["whys"] == {"alternatives_slash": "Begitu orang bilang"}
    decide()
    at.send_back(by=1)
    assert 'value="Begitu orang bilang"' in browser.get(address(at)).content.decode()


def test_what_is_empty_stops_it(browser: Client, at: reviews.TranslationReviewWorld) -> None:
    page = browser.post(address(at), posted(at, premise=""))
    assert page.status_code == 422
    assert 'aria-invalid="true"' in page.content.decode()
    assert at.item.stage == "returned"
