"""Pages of reviews over HTTP: the reviewer's card, the translator's answer, what leads see."""

import gzip
import re
from typing import Any

import pytest
from django.db import connection
from django.db.models import Max
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Revision
from annotation.content.queries import current_content
from annotation.core.messages import PROBLEMS
from annotation.kinds import text_at
from annotation.translation.models import TargetMember
from tests import reviews, translations
from tests.page_text import page_text
from tests.review import assign, cast_vote, decide
from tests.reviews import TranslationReviewWorld, translation_review_world
from validation.voting.actions.flags import update_doubt
from validation.voting.actions.nobody_left import flag_nobody_left
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}
MOST_STATEMENTS = 10


def browser_of(person: Any) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def card(client: Client, at: TranslationReviewWorld) -> Any:
    return client.get(f"/p/{at.project.slug}/vote/").context["card"]


def send(client: Client, at: TranslationReviewWorld, token: str, **fields: Any) -> Any:
    return client.post(f"/p/{at.project.slug}/vote/{token}/", fields, headers=HTMX)


def posted(shown: Any, **changed: str) -> dict[str, str]:
    """What a form without a script sends of the card's fields: all of them."""
    fields = {}
    for text in shown.texts:
        fields["shown_" + text.key] = text.text
        fields["propose_" + text.key] = changed.get(text.key.removeprefix("field-"), text.text)
    return fields


def test_the_card_shows_source_and_target_each_in_its_language():
    at = translation_review_world()
    page = browser_of(at.reviewers[0]).get(f"/p/{at.project.slug}/vote/").content.decode()
    content = current_content(at.item)
    for each in content["source"]:
        assert re.search(rf'lang="id"\s+dir="auto">{re.escape(each["text"])}<', page)
    for each in content["fields"]:
        assert re.search(rf'lang="jv"\s+dir="auto">{re.escape(each["text"])}<', page)
    assert at.translator.pseudonym not in page_text(page)
    assert at.item.key not in page


def test_unchanged_fields_are_no_correction_and_changed_ones_are():
    at = translation_review_world()
    client = browser_of(at.reviewers[0])
    shown = card(client, at)
    assert send(client, at, shown.token, label="approve", **posted(shown)).status_code == 200
    assert Vote.objects.get().label == "approve"
    assert not Vote.objects.get().proposals.exists()


def test_a_correction_without_a_script():
    at = translation_review_world()
    client = browser_of(at.reviewers[0])
    shown = card(client, at)
    fields = posted(shown, premise="Wong dodol\r\npelem.")
    answer = client.post(f"/p/{at.project.slug}/vote/{shown.token}/", {"label": "correct", **fields})
    assert answer.status_code == 302
    assert list(Vote.objects.get().proposals.values_list("field", "text")) == [("field-premise", "Wong dodol\npelem.")]
    decide()
    assert text_at(current_content(at.item), "field-premise") == "Wong dodol\npelem."


def test_put_back_as_it_was_before_is_a_correction_too():
    at = translation_review_world()
    before = text_at(current_content(at.item), "field-premise")
    at.correct()
    client = browser_of(at.reviewers[1])
    shown = card(client, at)
    assert send(client, at, shown.token, label="correct", **posted(shown, premise=before)).status_code == 200
    decide()
    assert text_at(current_content(at.item), "field-premise") == before
    at.sound()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"label": "return"}, "return_reason_missing"),
        ({"label": "correct", "comment": "Kurang."}, "correction_missing"),
        ({"label": "approve", "comment": "Apik."}, "approval_says_more"),
        ({"label": "return", "comment": "Ora.", "error": "ghost"}, "error_type_missing"),
        ({"comment": "Ora.", "error": "number"}, "label_unknown"),
    ],
)
def test_what_cannot_be_keeps_what_was_typed(fields, code):
    at = translation_review_world()
    client = browser_of(at.reviewers[0])
    shown = card(client, at)
    answer = send(client, at, shown.token, **posted(shown), **fields)
    assert answer.status_code == 422
    assert PROBLEMS[code] in answer.content.decode().replace("&#x27;", "'")
    again = answer.context["card"]
    assert again.token == shown.token
    assert {name: again.typed.get(name) for name in fields} == fields
    assert not Vote.objects.exists()


def test_a_changed_text_is_kept_when_something_is_missing():
    at = translation_review_world()
    client = browser_of(at.reviewers[0])
    shown = card(client, at)
    fields = posted(shown, premise="Wong liya.")
    answer = send(client, at, shown.token, label="approve", **fields)
    assert answer.status_code == 422
    assert answer.context["card"].texts[0].proposal == "Wong liya."
    assert 'review__correction" open' in answer.content.decode()


def test_what_checks_found_stands_with_the_translators_word():
    at = translation_review_world()
    row = {
        "check": "numbers_differ",
        "field": "field-premise",
        "message": "The numbers are others.",
        "params": {},
        "why": "Wis bener <b>.",
    }
    Flag.objects.filter(item=at.item, code="failed_check").delete()
    Flag.objects.create(
        project=at.project,
        item=at.item,
        code="failed_check",
        version=1,
        detail={"checks": ["numbers_differ"], "findings": [row]},
    )
    Revision.objects.filter(item=at.item).update(
        content={
            **current_content(at.item),
            "whys": {"numbers_differ": "Wis bener <b>.", "no-such": "Mergo."},
        }
    )
    client = browser_of(at.reviewers[0])
    shown = card(client, at)
    assert [(one.words, one.why) for one in shown.texts[0].check_findings] == [
        ("The numbers are others.", "Wis bener <b>.")
    ]
    assert [(one.words, one.why) for one in shown.review.check_findings] == [("no-such", "Mergo.")]
    page = client.get(f"/p/{at.project.slug}/vote/").content.decode()
    assert "Wis bener &lt;b&gt;." in page


def test_who_lost_their_place_is_told_and_keeps_what_they_typed():
    at = translation_review_world()
    client = browser_of(at.reviewers[0])
    shown = card(client, at)
    TargetMember.objects.filter(annotator=at.reviewers[0]).delete()
    fields = posted(shown, premise="Wong liya.")
    answer = send(client, at, shown.token, label="correct", **fields)
    assert answer.status_code == 409
    assert PROBLEMS["not_your_target"] in answer.content.decode()
    assert "Wong liya." in answer.content.decode()
    assert not Vote.objects.exists()
    assert card(client, at) is None


def test_a_review_with_its_next_card_takes_as_many_statements_as_any_vote():
    at = translation_review_world(8)
    client = browser_of(at.reviewers[0])
    shown = card(client, at)
    second = send(client, at, shown.token, label="approve", **posted(shown)).context["card"]
    fields = {"label": "return", "comment": "Ora ngono.", "error": "number", **posted(second)}
    with CaptureQueriesContext(connection) as said:
        answer = send(client, at, second.token, **fields)
    assert answer.context["card"].token not in ("", second.token)
    own = [query["sql"] for query in said if not re.match("BEGIN|COMMIT|SAVEPOINT|RELEASE", str(query["sql"]))]
    assert len(own) <= MOST_STATEMENTS, own
    assert len(gzip.compress(answer.content, 6)) < 4096


def test_the_translator_sees_what_was_changed_and_nobodys_name():
    at = translation_review_world()
    at.correct(comment="Luwih apik.")
    client = browser_of(at.translator)
    assert "correction by a reviewer to look at" in client.get("/").content.decode()
    page = client.get(f"/p/{at.project.slug}/corrected/").content.decode()
    assert "<ins>" in page
    assert "<del>" in page
    assert "Luwih apik." in page
    assert at.reviewers[0].pseudonym not in page_text(page)
    fields = {"answer": "accept", "revision": str(at.item.revision_n)}
    done = client.post(f"/p/{at.project.slug}/corrected/{at.item.pk}/", fields, follow=True)
    assert "Accepted. It is settled." in done.content.decode()
    assert at.item.gold_from == "author"
    assert "correction by a reviewer" not in client.get("/").content.decode()


def test_words_are_needed_to_dispute_and_are_on_the_desk_then():
    at = translation_review_world()
    at.correct()
    client, path = browser_of(at.translator), f"/p/{at.project.slug}/corrected/{at.item.pk}/"
    fields = {"answer": "dispute", "revision": str(at.item.revision_n), "words": " "}
    refused: Any = client.post(path, fields)
    assert refused.status_code == 422
    assert PROBLEMS["words_missing"] in refused.content.decode()
    assert client.post(path, {**fields, "words": "Ora ana sing ngomong ngono."}).status_code == 302
    lead = browser_of(at.lead)
    assert at.item in list(lead.get(f"/p/{at.project.slug}/desk/").context["page"].object_list)
    page = lead.get(f"/p/{at.project.slug}/items/{at.item.pk}/").content.decode()
    assert "Ora ana sing ngomong ngono." in page
    assert "correction disputed" in page


def test_who_comes_second_keeps_their_words():
    at = translation_review_world()
    at.correct()
    revision = at.item.revision_n
    cast_vote(assign(at.item, at.reviewers[1]), "approve")
    decide()
    fields = {"answer": "dispute", "revision": str(revision), "words": "Dudu kuwi."}
    answer: Any = browser_of(at.translator).post(f"/p/{at.project.slug}/corrected/{at.item.pk}/", fields)
    assert answer.status_code == 409
    assert PROBLEMS["reviewed_meanwhile"] in answer.content.decode()
    assert "Dudu kuwi." in answer.content.decode()


def test_sent_back_stands_with_its_words_and_goes_to_reviewers_again():
    at = translation_review_world()
    at.send_back()
    client = browser_of(at.translator)
    page = client.get(f"/p/{at.project.slug}/returned/").content.decode()
    assert reviews.WORDS in page
    assert at.reviewers[0].pseudonym not in page_text(page)
    item, slug = at.item, at.project.slug
    form = client.get(f"/p/{slug}/returned/{item.pk}/")
    assert reviews.WORDS in form.content.decode()
    fields = {f"version_{item.slot}": str(item.version), "words": ""}
    for each in current_content(item)["fields"]:
        fields[f"more_{item.slot}_field-{each['key']}"] = each["text"].replace("aggnam", "pelem")
    done = client.post(f"/p/{slug}/returned/{item.pk}/", fields, follow=True)
    assert "Submitted" in done.content.decode()
    assert at.item.stage == "voting"
    at.sound()


def test_what_only_a_check_flagged_waits_for_a_reviewer_and_not_for_the_lead():
    at = translation_review_world()
    for item in at.items:
        Flag.objects.update_or_create(
            item=item,
            code="failed_check",
            closed_at=None,
            defaults={"project": at.project, "version": 1, "detail": {"checks": ["numbers_differ"]}},
        )
        update_doubt(item=item)
    assert at.item.doubt > 0
    lead = browser_of(at.lead)
    assert not lead.get(f"/p/{at.project.slug}/desk/").context["page"].object_list
    assert "item to look at" not in lead.get("/").content.decode()


def test_lists_of_corrections_take_as_many_statements_at_ten_as_at_one():
    counts = []
    for pairs in (2, 20):
        at = translation_review_world(pairs)
        for item in at.items:
            cast_vote(assign(item, at.reviewers[0]), "correct", proposals={"field-premise": f"Wong {item.pk}."})
        decide()
        assert Assignment.objects.filter(project=at.project).aggregate(n=Max("epoch"))["n"] == 1
        client = browser_of(at.translator)
        with CaptureQueriesContext(connection) as said:
            page = client.get(f"/p/{at.project.slug}/corrected/")
        assert len(page.context["rows"]) == pairs // 2
        counts.append(len(said))
    assert counts[0] == counts[1]


def test_nobody_left_looks_at_who_works_for_the_target():
    at = translation_review_world(reviewers=1)
    translations.member(at.project, "validator", targets=("su",))
    at.correct()
    assert flag_nobody_left() == 1
    translations.member(at.project, "validator", targets=("jv-ngoko",))
    Flag.objects.filter(code="nobody_left").delete()
    assert flag_nobody_left() == 0
