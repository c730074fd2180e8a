"""A rate is read in the page's language, and counts once it was repeated."""

import pytest

from annotation.pay.models import Rate
from tests.pay import PaidProject, browser_of
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(standing: SharedWorlds) -> PaidProject:
    return standing(PaidProject)


@pytest.mark.parametrize(
    ("language", "typed", "repeated"),
    [
        ("id", "1.500", ("Rp1.500</strong>", "seribu lima ratus (Rupiah)", "Rp150.000")),
        ("su", "1.500", ("Rp1.500</strong>", "sarebu lima ratus (Rupiah)")),
        ("en", "1,500", ("1,500.00\u00a0IDR</strong>", "one thousand five hundred (Rupiah)", "150,000.00\u00a0IDR")),
    ],
)
def test_a_rate_is_read_in_the_pages_language_and_repeated(
    at: PaidProject, language: str, typed: str, repeated: tuple[str, ...]
) -> None:
    client, before = browser_of(at.by), Rate.objects.count()
    type(at.by).objects.filter(pk=at.by.pk).update(language=language)
    form = {"action": "vote", "unit": "vote", "amount": typed, "currency": "IDR"}
    page = client.post(at.url("pay_rate"), form)
    assert all(words in page.text for words in repeated)
    assert Rate.objects.count() == before
    form["confirmed"] = page.context["rate_form"]["confirmed"].value()
    # What is corrected on that page is repeated again.
    assert client.post(at.url("pay_rate"), form | {"amount": "15"}).status_code == 200
    assert Rate.objects.count() == before
    assert client.post(at.url("pay_rate"), form).status_code == 302
    assert Rate.objects.latest("pk").amount == 1500


def test_a_rate_that_could_be_two_is_refused_with_both(at: PaidProject) -> None:
    form = {"action": "vote", "unit": "vote", "amount": "1.500", "currency": "IDR"}
    page = browser_of(at.by).post(at.url("pay_rate"), form)
    assert page.status_code == 422
    assert "This can be read as two numbers. Enter 1.5 or 1500." in page.text
    assert 'value="1.500"' in page.text
