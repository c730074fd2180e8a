"""A list of people to invite: its lines, what each comes to, and a list that is sent twice."""

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.core.models.member import Invitation
from annotation.core.rules.invitation_lists import MOST_ROWS, read
from tests import factory
from tests.flows.desk import browser_of

LIST = """e-mail,roles
ani@example.org,writer validator
budi@example.org

Ani@Example.org
nobody
citra@example.org;"validator"
dewi@example.org,boss
eka@example.org,lead
"""


def test_the_lines_of_a_list() -> None:
    rows = [(row.n, row.email, sorted(row.roles), row.problem) for row in read(LIST)]
    assert rows == [
        (2, "ani@example.org", ["validator", "writer"], ""),
        (3, "budi@example.org", [], ""),
        (5, "Ani@Example.org", [], "invitation_listed_twice"),
        (6, "nobody", [], ""),
        (7, "citra@example.org", ["validator"], ""),
        (8, "dewi@example.org", [], "invitation_role_unknown"),
        (9, "eka@example.org", ["lead"], ""),
    ]
    many = "\n".join(f"p{n}@example.org" for n in range(MOST_ROWS + 1))
    assert [row.problem for row in read(many)][-2:] == ["", "invitation_rows_too_many"]
    assert list(read("\ufeff\n \n")) == []


@pytest.mark.django_db
def test_each_is_invited_once_and_what_is_wrong_is_told_by_its_line() -> None:
    lead = factory.member(factory.project(), "lead")
    factory.member(lead.project, "writer", account=factory.user("gita@example.org"))
    path = f"/p/{lead.project.slug}/people/invite-many/"
    text = LIST + "gita@example.org\n"
    page = browser_of(lead).post(path, {"list": text, "writer": "on"})
    assert page.status_code == 200
    assert sorted(Invitation.objects.values_list("email", "is_writer", "is_validator", "is_lead")) == [
        ("ani@example.org", True, True, False),
        ("budi@example.org", True, False, False),
        ("citra@example.org", False, True, False),
    ]
    assert sorted(one.to[0] for one in mail.outbox) == [
        "ani@example.org",
        "budi@example.org",
        "citra@example.org",
    ]
    refused = [(row.n, row.problem) for row in page.context["many"]["refused"]]
    assert refused == [
        (5, "invitation_listed_twice"),
        (6, "email_wrong"),
        (8, "invitation_role_unknown"),
        (9, "invitation_role_not_yours"),
        (10, "invitation_of_member"),
    ]
    assert "dewi@example.org,boss" in page.context["many"]["text"]
    again = browser_of(lead).post(path, {"list": LIST, "writer": "on"})
    assert again.status_code == 422
    assert Invitation.objects.open().count() == Invitation.objects.count() == 3


@pytest.mark.django_db
def test_a_file_is_read_and_one_that_is_no_text_is_refused() -> None:
    lead = factory.member(factory.project(), "lead")
    path = f"/p/{lead.project.slug}/people/invite-many/"
    sent = {"file": SimpleUploadedFile("people.csv", b"hadi@example.org\r\nira@example.org,validator\r\n")}
    assert browser_of(lead).post(path, {**sent, "writer": "on"}).status_code == 200
    assert Invitation.objects.count() == 2
    for wrong in (b"\xff\xfe\x00", b"a@example.org\n" * 20_000):
        page = browser_of(lead).post(path, {"file": SimpleUploadedFile("p.csv", wrong), "list": "typed@example.org"})
        assert page.status_code == 422
        assert "typed@example.org" in page.content.decode()
    assert browser_of(lead).post(path, {"list": " "}).status_code == 422
    assert Invitation.objects.count() == 2


@pytest.mark.django_db
def test_who_accepted_and_who_is_active_is_told_by_the_day() -> None:
    lead = factory.member(factory.project(), "lead")
    writer = factory.member(lead.project, "writer")
    factory.written_pairs(lead.project, writer)
    page = browser_of(lead).get(f"/p/{lead.project.slug}/people/")
    active = {one.annotator.pk: one.active_at is not None for one in page.context["members"]}
    assert active == {lead.pk: False, writer.pk: True}
    assert "today" in page.content.decode()
