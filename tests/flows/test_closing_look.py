"""The page that asks before public pages are closed, in a browser: what was typed arrives, axe finds nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from exports.public.models import Publication
from tests.exports.public.test_closing import decided, item_of
from tests.flows.looks import assert_for_everybody
from validation.voting.models.review import Review

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = "Baris pertama\n  baris kedua; “tanda kutip” & <b>."


def test_what_was_typed_is_done_after_confirming(page_of: Callable[..., Page], settings: Any, tmp_path: Path) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    at = decided()
    page, item = page_of(at.lead.user, allow=["409"]), item_of("e1")
    page.goto(f"/p/own/items/{item.pk}/")
    fill = "(form, words) => { form.words.value = words; form.error_type.value = 'wrong-label'; form.submit(); }"
    page.locator("form[action*='/return/']").evaluate(fill, WORDS)
    page.get_by_role("button", name="Close the pages and continue").wait_for()
    assert_for_everybody(page, "confirmation")
    page.get_by_role("button", name="Close the pages and continue").click()
    page.wait_for_url("**/items/**")
    assert Review.objects.get(item=item, event="return").words.replace("\r\n", "\n") == WORDS
    assert not Publication.objects.filter(public=True).exists()
