"""My record: one's own votes, time, agreement and data; settings; leaving over HTTP."""

import json
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.cache import cache
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory
from tests.page_text import page_text
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.models.review import Review
from validation.voting.models.vote import Verdict, Vote

pytestmark = pytest.mark.django_db
HERE = "my_record"


@pytest.fixture
def project() -> Project:
    return factory.project("p1", settings={"agreement_from": 3, "spacing": 0})


def _as(place: Annotator) -> Client:
    client = Client()
    assert place.user is not None
    client.force_login(place.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def _vote(place: Annotator, label: str) -> Vote:
    assignment = assignment_claim(annotator=place, target=place.project.targets.get(), spacing=0)
    assert assignment is not None
    assert place.user_id is not None
    ballot = Ballot(label=label, comment="my words")
    return vote_cast(user_id=place.user_id, slug="p1", token=assignment.token, ballot=ballot).vote


def _three_votes(project: Project) -> tuple[Annotator, Annotator]:
    writer, voter = factory.member(project, "writer"), factory.member(project, "validator")
    factory.written_pairs(project, writer)
    decide_due()
    for _ in range(3):
        _vote(voter, "e")
    return writer, voter


def _settle(gold: list[str], gold_from: str = "votes") -> None:
    for label, vote in zip(gold, Vote.objects.order_by("id"), strict=True):
        Item.objects.filter(pk=vote.item_id).update(
            gold=label, gold_from=gold_from, stage="settled", pending=0, slots_free=0
        )
        Verdict.objects.create(
            project=vote.project, item=vote.item, version=50, epoch=1, event="settle", round=1, label=label
        )


def test_own_votes_and_no_gold_before_the_project_closes(project: Project) -> None:
    _, voter = _three_votes(project)
    _settle(["e", "n", "e"])
    client = _as(voter)
    votes = client.get(reverse(HERE)).context["votes"]
    assert [(vote.label.key, vote.gold, vote.standing) for vote in votes] == [("e", None, True)] * 3
    assert all(text for vote in votes for _, text in vote.texts)
    Project.objects.update(closed_at=Now())
    assert [vote.gold.key for vote in client.get(reverse(HERE)).context["votes"]] == ["e", "n", "e"]


def _others_votes(project: Project) -> None:
    """The votes of others, long ago: alike with the writer on all three items, and unlike the voter on the second."""
    people = [factory.member(project, "validator") for _ in range(2)]
    for vote, (author, *labels) in zip(Vote.objects.order_by("id"), map(list, ("ee", "nnn", "ee")), strict=True):
        Item.objects.filter(pk=vote.item_id).update(author_label=author)
        for n, (place, label) in enumerate(zip(people, labels, strict=False), start=1):
            _add_vote(vote.item, place, label, n=vote.item.votes_n + n, round=n)
    Vote.objects.exclude(comment="my words").update(cast_at="2020-01-01T00:00:00Z")


def _add_vote(item: Item, place: Annotator, label: str, **values: Any) -> None:
    known = {"epoch": 1, "revision_n": 1, "unsure": False, "ambiguous": False}
    Vote.objects.create(project=item.project, item=item, annotator=place, label=label, **known, **values)


def test_agreement_is_one_late_figure(project: Project) -> None:
    _, voter = _three_votes(project)
    figure = lambda: _as(voter).get(reverse(HERE)).context["figures"][0].agreement  # noqa: E731
    assert figure() is None
    _settle(["e", "n", "e"])
    _others_votes(project)
    # Each can still be taken back: the figure would tell what that changes.
    assert figure() is None
    first, *others = Vote.objects.filter(annotator=voter).order_by("id")
    Vote.objects.filter(pk__in=[vote.pk for vote in others]).update(cast_at="2020-01-01T00:00:00Z")
    assert figure() is None
    Vote.objects.filter(pk=first.pk).update(cast_at="2020-01-01T00:00:00Z")
    assert figure() == 67
    # Nor does it move with what another person can take back.
    item = first.item
    _add_vote(item, factory.member(project, "validator"), "e", n=item.votes_n + 3, round=1, surplus=True)
    assert figure() is None
    Vote.objects.update(cast_at="2020-01-01T00:00:00Z")
    assert figure() == 67
    Item.objects.filter(gold="n").update(gold_from="lead")
    assert figure() is None


def test_texts_are_those_that_were_seen(project: Project) -> None:
    _, voter = _three_votes(project)
    from annotation.writing.actions.revising import revise

    item = Vote.objects.latest("id").item
    lead = factory.member(project, "lead")
    revise(
        item=item,
        content={"premise": "P", "hypothesis": "secret correction"},
        by=lead,
        event="correct",
        meaning="same",
    )
    assert "secret correction" not in _as(voter).get(reverse(HERE)).text


def test_the_writer_sees_what_was_returned_and_changed(project: Project) -> None:
    from annotation.writing.actions.revising import revise

    writer, _ = _three_votes(project)
    lead, item = factory.member(project, "lead"), Item.objects.filter(author=writer)[0]
    made = revise(
        item=item,
        content={"premise": "P", "hypothesis": "Corrected."},
        by=lead,
        event="correct",
        meaning="same",
    )
    Review.objects.create(
        project=project,
        item=item,
        version=made.version,
        event="correct",
        by=lead,
        words="A slip.",
        error_type="typo",
    )
    rows = _as(writer).get(reverse(HERE)).context["returned"]
    assert [(row.event, row.words) for row in rows] == [("correct", "A slip.")]
    assert any(("insert", "Corrected") in parts for _, parts in rows[0].parts)
    assert rows[0].text == "Corrected."


def test_what_was_returned_is_told_in_words_and_approvals_are_not(project: Project) -> None:
    writer, _ = _three_votes(project)
    lead, item = factory.member(project, "lead"), Item.objects.filter(author=writer)[0]
    for version, event, error in ((2, "approve_written", ""), (3, "return", "language")):
        Review.objects.create(
            project=project, item=item, version=version, event=event, by=lead, error_type=error, words="Look."
        )
    answer = _as(writer).get(reverse(HERE))
    assert [(row.event, row.done) for row in answer.context["returned"]] == [("return", "returned to the writer")]
    assert "approve_written" not in answer.text
    assert dict(project.error_types)["language"] in answer.text


def test_my_data_is_mine(project: Project) -> None:
    writer, voter = _three_votes(project)
    answer = _as(voter).get(reverse("my_data"))
    assert answer["Content-Disposition"].startswith("attachment")
    data = json.loads(answer.content)
    assert voter.user is not None
    assert data["account"]["email"] == voter.user.email
    assert [vote["comment"] for vote in data["projects"][0]["votes"]] == ["my words"] * 3
    assert data["projects"][0]["items"] == []
    assert len(json.loads(_as(writer).get(reverse("my_data")).content)["projects"][0]["revisions"]) == 6
    assert writer.pseudonym not in page_text(answer.text)


def test_my_data_tells_how_i_sign_in() -> None:
    me, other = factory.user(), factory.user()
    for user, subject in ((me, "mine"), (other, "theirs")):
        SocialAccount.objects.create(user=user, provider="sso.example.org", uid=subject)
        Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": "sealed"})
    browser = Client()
    browser.force_login(me)
    text = browser.get(reverse("my_data")).text
    account = json.loads(text)["account"]
    assert [(each["provider"], each["subject"]) for each in account["institutions"]] == [("sso.example.org", "mine")]
    assert [each["type"] for each in account["second_factors"]] == ["totp"]
    assert "sealed" not in text


def test_settings(project: Project) -> None:
    place = factory.member(project, "writer")
    client = _as(place)
    fields = {"name": " Ana ", "theme": "dark", "is_administrator": "on", "email": "x@example.org"}
    answer = client.post(reverse("my_settings"), fields)
    user = User.objects.get(memberships=place)
    assert (user.name, user.theme, user.single_keys, user.is_administrator) == ("Ana", "dark", False, False)
    assert answer.cookies["theme"].value == "dark"
    assert 'data-theme="dark"' in client.get(reverse(HERE)).text
    for wrong in ({"theme": "x"}, {"name": "a" * 121}, {"name": "a\0"}):
        assert client.post(reverse("my_settings"), wrong).status_code == 422


def test_deleting_asks_for_the_password_and_limits_guesses(project: Project) -> None:
    cache.clear()
    place = factory.member(project, "validator")
    client, url = _as(place), reverse("my_deletion")
    assert client.post(url, {"password": "wrong"}).status_code == 422
    statuses = [client.post(url, {"password": f"wrong{n}"}).status_code for n in range(12)]
    assert 429 in statuses
    cache.clear()
    answer = client.post(url, {"password": factory.PASSWORD})
    assert answer["Location"] == reverse("account_login")
    assert client.get(reverse(HERE)).status_code == 302
    assert User.objects.get(memberships=place).deleted_at is not None
    cache.clear()


def test_the_page_costs_the_same_with_many_votes(project: Project, django_assert_max_num_queries) -> None:
    _, voter = _three_votes(project)
    client = _as(voter)
    with django_assert_max_num_queries(14):
        client.get(reverse(HERE))
    for _ in range(3):
        _vote(voter, "n")
    with django_assert_max_num_queries(14):
        client.get(reverse(HERE))
