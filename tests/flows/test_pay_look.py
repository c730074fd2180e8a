"""Pay in a browser: what axe finds, at both widths and schemes, and the whole way without a script."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotation.pay.actions import dispute_answer, dispute_open, pay_approve
from annotation.pay.queries import today
from tests.flows.looks import assert_for_everybody, open_all
from tests.pay import PaidProject, entries


@pytest.mark.django_db(transaction=True)
def test_axe_finds_nothing(page_of: Callable[..., Page]) -> None:
    at = PaidProject()
    entry, other, *_ = entries(at.project, at.ana)
    dispute = dispute_open(entry=entry, words="I voted twice on it.")
    dispute_answer(dispute=dispute, by=at.by, answer="So.", outcome="again", units=2)
    pay_approve(project=at.project, end=today(), by=at.by, people=[at.writer])
    dispute = dispute_open(entry=other, words="This one too.")
    for person, paths in (
        (
            at.by,
            (
                f"{at.url('pay')}?person={at.ana.pseudonym}",
                at.url("pay_reverse", entry.token),
                at.url("pay_reverse", entries(at.project, at.writer)[0].token),
                at.url("pay_dispute_answer", dispute.pk),
            ),
        ),
        (at.lead.user, (at.url("pay"),)),
        (at.ana.user, (reverse("my_pay"), reverse("my_record"), reverse("my_pay_dispute", args=[entry.token]))),
    ):
        page = page_of(person)
        for path in paths:
            page.goto(path)
            open_all(page)
            assert_for_everybody(page, path)
        page.context.close()


@pytest.mark.django_db(transaction=True)
def test_from_a_rate_to_what_is_paid_without_a_script(page_of: Callable[..., Page]) -> None:
    at = PaidProject()
    ana = page_of(at.ana.user, javascript=False)
    ana.goto("/me/")
    ana.get_by_role("link", name="What I earned, piece by piece").click()
    ana.get_by_role("link", name="Is this wrong?").first.click()
    ana.get_by_label("What is wrong with it?").fill("It was two.")
    ana.get_by_role("button", name="Send").click()
    ana.get_by_text("in dispute").first.wait_for()
    admin = page_of(at.by, javascript=False)
    admin.goto(at.url("project"))
    admin.get_by_role("link", name="Set-up", exact=True).click()
    admin.get_by_role("link", name="Pay", exact=True).click()
    admin.get_by_role("link", name="Answer", exact=True).click()
    admin.get_by_role("textbox", name="Answer").fill("Two it is.")
    admin.get_by_label("is counted anew").check()
    admin.get_by_role("textbox", name="Units").fill("2")
    admin.get_by_role("button", name="Send the answer").click()
    admin.get_by_role("button", name="Approve everybody").click()
    admin.get_by_text("Approved for 2 people.").wait_for()
    ana.reload()
    ana.get_by_text("Two it is.").first.wait_for()
    assert "1.22\u00a0USD" in ana.content().replace("&nbsp;", "\u00a0")
