"""Search over items: words of texts, keys and writers; for those who lead, within their project."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.flows.desk import browser_of, page
from tests.review import world

pytestmark = pytest.mark.django_db


def test_a_search_finds_texts_keys_and_writers_of_its_project_alone() -> None:
    at, other = world(), world()
    item = at.items[0]
    for q, n in (("pisang", None), (item.key, 1), (at.writer.pseudonym, 6), ("nowhere-at-all", 0)):
        found = browser_of(at.lead).get(page(at, "items", q=q)).context["page"].paginator.count
        assert found == n if n is not None else found > 0, q
    for person in (at.writer, at.validators[0]):
        assert browser_of(person).get(page(at, "items", q="pisang")).status_code == 403
    assert browser_of(other.lead).get(page(at, "items", q="pisang")).status_code == 404


def test_a_page_of_a_search_reads_the_texts_once_in_their_order() -> None:
    at = world()
    with CaptureQueriesContext(connection) as statements:
        found = browser_of(at.lead).get(page(at, "items", q="pisang")).context["page"]
    texts = [one["sql"] for one in statements if "annotation_premise" in one["sql"] and "LIKE" in one["sql"]]
    assert len(texts) == 1
    shown = [item.pk for item in found]
    assert len(shown) == found.paginator.count == len(set(shown)) > 1
    assert shown == sorted(shown)
