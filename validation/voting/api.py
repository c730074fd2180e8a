"""A validator's work: the next item, a vote, passing, taking back. Nothing tells of others, author or key."""

from collections.abc import Mapping
from typing import Any

import orjson
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import kinds
from annotation.api.views import ANNOTATE, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.content.models.item import Revision
from annotation.core import access
from annotation.core.messages import PASS_REASONS
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.elicitation.actions import owes_signature
from annotation.kinds import Kind
from validation.consensus import translation_review as reviewing
from validation.review.queries.check_findings import Found, flagged, found_in
from validation.voting.actions.assignments import assignment_pass
from validation.voting.actions.votes import errors_of, vote_cast, vote_take_back
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote
from validation.voting.rules.option_order import Order, labels_shown, order_shown
from validation.voting.sql import Held, Offer
from validation.voting.views.cards import (
    MARK_OPTION,
    MARK_QUESTION,
    PROPOSE,
    Review,
    ShownText,
    ballot_of,
    card_in,
    earlier,
    review_in,
    typed_in,
)
from validation.voting.views.vote import claim

LONGEST_TEXT = 100_000
TYPED = ("label", "unsure", "ambiguous", "comment", "personal", "error", "text_error")


class TextRow(Row):
    """A text to read. `beside` is the text that it says in another language."""

    key = serializers.CharField()
    name = serializers.CharField()
    text = serializers.CharField()
    beside = serializers.CharField()
    given = serializers.BooleanField()
    found = serializers.ListField(child=serializers.DictField(), help_text="What checks found in it.")


class ChoiceRow(Row):
    """A label to choose. Of the item's own options `key` is the letter that this person is shown."""

    key = serializers.CharField()
    name = serializers.CharField()


class CardRow(Row):
    """What is judged, as its page shows it. `token` is what the answer goes to; `typed` what was said before it was
    taken back."""

    token = serializers.CharField()
    question = serializers.CharField()
    language = serializers.CharField()
    texts = TextRow(many=True)
    corrections = serializers.ListField(
        child=serializers.CharField(), help_text="Texts that can be corrected."
    )
    choices = ChoiceRow(many=True)
    marks = serializers.ListField(child=serializers.CharField())
    asks_why = serializers.BooleanField()
    error_types = ChoiceRow(many=True)
    typed = serializers.DictField()


class WorkRow(Row):
    """The next item; null where nothing waits. `owes`: what has to be signed on the page first."""

    card = CardRow(allow_null=True)
    owes = serializers.CharField(allow_null=True)


class VoteIn(Body):
    """A vote, in the names of the card."""

    label = serializers.CharField(max_length=40)  # type: ignore[assignment]
    unsure = serializers.BooleanField(default=False)
    ambiguous = serializers.BooleanField(default=False)
    comment = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    text_error = serializers.BooleanField(default=False)
    question_ambiguous = serializers.BooleanField(default=False)
    options_ambiguous = serializers.ListField(
        child=serializers.CharField(max_length=4), default=list, max_length=26
    )
    personal = serializers.CharField(max_length=4, default="", allow_blank=True)
    error = serializers.CharField(max_length=60, default="", allow_blank=True)
    corrections = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False), default=dict
    )


class SkipIn(Body):
    """Why somebody does not answer."""

    reason = serializers.ChoiceField(list(PASS_REASONS))
    words = serializers.CharField(max_length=250, default="", allow_blank=True)


def _found(found: tuple[Found, ...]) -> list[dict[str, Any]]:
    return [{"words": one.words, "why": one.why} for one in found]


def _card(
    kind: Kind,
    content: Mapping[str, Any],
    order: Order,
    token: str,
    language: str,
    found: list[Found] | None = None,
    review: Review | None = None,
    vote: Vote | None = None,
) -> dict[str, Any]:
    said = typed_in(vote, order) if vote else {}
    card = card_in(kind, content, order, said, token, language, found or [], review)

    def text(one: ShownText) -> dict[str, Any]:
        plain = {name: getattr(one, name) for name in ("key", "name", "text", "beside", "given")}
        return {**plain, "found": _found(one.found)}

    return {
        "token": token,
        "question": card.question,
        "language": language,
        "texts": [text(one) for one in (*card.texts, *card.options)],
        "corrections": [one.key for one in card.corrections],
        "choices": [{"key": label.key, "name": label.name} for label in labels_shown(kind, content, order)],
        "marks": list(card.marks),
        "asks_why": card.asks_why,
        "error_types": [{"key": key, "name": name} for key, name in review.errors] if review else [],
        "typed": {name: said[name] for name in TYPED if said.get(name)},
    }


def _of_offer(held: Held, offer: Offer) -> dict[str, Any]:
    """The card of an item that was assigned with a vote; one statement more where it is reviewed."""
    kind, content = kinds.get(held.project_kind), orjson.loads(offer.slot.content)
    order = order_shown(
        kind, content, drawn_with=offer.drawn_with, item=offer.slot.key, annotator=offer.annotator
    )
    if reviewing.FEATURE not in kind.features:
        return _card(kind, content, order, offer.token, offer.language)
    shown = Revision.objects.filter(item=offer.slot.item, n=offer.slot.revision_n)
    found = found_in(kind, content, shown.values_list(flagged(), flat=True).get())
    target = Target(language=held.target_language, name=held.target_name, register=held.target_register)
    review = review_in(held.project_language, target.title, errors_of(held, kind), found)
    return _card(kind, content, order, offer.token, offer.language, found, review)


def _of_assignment(assignment: Assignment, project: Project, vote: Vote | None) -> dict[str, Any]:
    """The card of an assignment, one statement."""
    kind = project.kind_spec
    reviewed = reviewing.FEATURE in kind.features
    rows = Revision.objects.filter(item=assignment.item_id, n=assignment.revision_n)
    if reviewed:
        rows = rows.annotate(flagged=flagged())
    content, item, *flag = rows.values_list("content", "item__key", *(["flagged"] if reviewed else [])).get()
    who = assignment.annotator.pseudonym if kind.shuffled else ""
    order = order_shown(kind, content, drawn_with=assignment.drawn_with(project), item=item, annotator=who)
    found = found_in(kind, content, flag[0]) if reviewed else []
    title = assignment.target.title
    review = review_in(project.language, title, project.error_types, found) if reviewed else None
    return _card(kind, content, order, assignment.token, assignment.target.language, found, review, vote)


class Work(ApiView):
    """What a validator does."""

    tag = "work"

    def following(self, annotator: Annotator, project: Project) -> Response:
        """The assignment that this person holds, or the next one."""
        assignment = claim(annotator, project)
        if assignment is None:
            owes = "signature" if owes_signature(annotator) else None
            return self.given({"card": None, "owes": owes})
        card = _of_assignment(assignment, project, earlier(assignment))
        return self.given({"card": card, "owes": None})


class WorkNext(Work):
    """The next item."""

    @operation(scopes=[ANNOTATE], gives=WorkRow)
    def post(self, request: Request, slug: str) -> Response:
        """Take the next item to judge, or the one that you hold. For validators."""
        membership, annotator = access.member(self.user, slug, "validator")
        return self.following(annotator, membership.project)


class AssignmentVote(Work):
    """A vote."""

    @operation(scopes=[ANNOTATE], takes=VoteIn, gives=WorkRow)
    def post(self, request: Request, slug: str, token: str) -> Response:
        """Send a vote; the answer is the next item. The same vote again is stored once."""
        cast = vote_cast(
            user_id=self.user.pk,
            slug=slug,
            token=token,
            ballot=ballot_of(_form(self.sent())),
            as_shown=True,
            go_on=True,
        )
        if cast.offer is not None:
            return self.given({"card": _of_offer(cast.held, cast.offer), "owes": None})
        membership, annotator = access.member(self.user, slug, "validator")
        return self.following(annotator, membership.project)


def _form(sent: dict[str, Any]) -> QueryDict:
    """A vote as the form of the page sends it."""
    form = QueryDict(mutable=True)
    marks = {"question_ambiguous": MARK_QUESTION}
    for name in ("unsure", "ambiguous", "text_error", "question_ambiguous"):
        if sent[name]:
            form[marks.get(name, name)] = "on"
    for name in ("label", "comment", "personal", "error"):
        form[name] = sent[name]
    form.setlist(MARK_OPTION, sent["options_ambiguous"])
    for name, text in sent["corrections"].items():
        form[PROPOSE + name] = text
    return form


class AssignmentSkip(Work):
    """An item that is passed."""

    @operation(scopes=[ANNOTATE], takes=SkipIn, gives=WorkRow)
    def post(self, request: Request, slug: str, token: str) -> Response:
        """Pass an item with a reason; it never comes back to you. The answer is the next item."""
        membership, annotator = access.member(self.user, slug, "validator")
        sent = self.sent()
        reason, words = sent["reason"], sent["words"].strip()
        assignment_pass(annotator=annotator, token=token, reason=f"{reason}: {words}" if words else reason)
        return self.following(annotator, membership.project)


class WorkUndo(Work):
    """The last vote."""

    @operation(scopes=[ANNOTATE], gives=WorkRow)
    def post(self, request: Request, slug: str) -> Response:
        """Take back your last vote, within ten minutes, and answer its item again."""
        membership, annotator = access.member(self.user, slug, "validator")
        assignment = vote_take_back(annotator=annotator)
        if assignment is None:
            return self.following(annotator, membership.project)
        card = _of_assignment(assignment, membership.project, earlier(assignment))
        return self.given({"card": card, "owes": None})
