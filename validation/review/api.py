"""`items` with their history, and the actions of leads: the same queries and actions as the desk's."""

from collections import defaultdict
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import NDJSON, Body, WholeNumberField
from annotation.content import queries as content_queries
from annotation.content.models.item import Item, Revision
from annotation.content.queries import contents
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import ensure_lead_place
from annotation.core.errors import first_or_not_found
from annotation.core.models.member import Annotator
from validation.review.actions.decisions import adjudicate
from validation.review.api_rows import (
    CommentRow,
    FlagRow,
    ItemQuery,
    ItemRow,
    ProposalRow,
    ReviewRow,
    RevisionRow,
    VerdictRow,
    VoteRow,
)
from validation.review.export import item_lines, vote_lines
from validation.review.models.comment import Comment
from validation.review.queries import desk
from validation.review.rules.filters import Filters
from validation.review.views.item import ACTS
from validation.voting.actions.ballots import answers_by_criterion
from validation.voting.actions.steps import bar_lead_from_voting
from validation.voting.actions.verdicts import protocol_of
from validation.voting.api_rows import AnswersField, errors_named_as_sent
from validation.voting.models.review import Flag, Proposal, Review
from validation.voting.models.vote import Verdict, Vote

LONGEST_TEXT = 100_000


class ActIn(Body):
    """What an action takes: `version` all but `comment`, the rest by the action.

    approve (meaning, words, unseen), return (error_type, words), correct (field, text, meaning, words), adjudicate
    (label, or answers where voters answer questions, by the keys of the questions; words), exclude (words), reopen
    (words), void (vote, words), accept and decline (proposal, meaning, words), close (flag, words), comment (text).
    """

    version = WholeNumberField(
        default=0, help_text="The item's version that you read; another one is answered with 409."
    )
    meaning = serializers.ChoiceField(["same", "new"], required=False)
    flag = serializers.CharField(max_length=30, required=False)
    words = serializers.CharField(max_length=LONGEST_TEXT, allow_blank=True, required=False)
    unseen = serializers.BooleanField(required=False)
    error_type = serializers.CharField(max_length=60, required=False)
    field = serializers.CharField(max_length=60, required=False)
    text = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False, required=False)
    label = serializers.CharField(max_length=40, required=False)  # type: ignore[assignment]
    answers = AnswersField(required=False)
    vote = WholeNumberField(required=False)
    proposal = serializers.IntegerField(min_value=0, max_value=2**53, required=False)


# What is done with one item over the API; the check of machine-written ones asks for a page.
ACTS_SERVED = tuple(name for name in ACTS if name != "assess")


class ActConverter:
    """One of the actions, in an address."""

    regex = "|".join(ACTS_SERVED)

    def to_python(self, value: str) -> str:
        """As it stands."""
        return value

    to_url = to_python


def updated_since(since: datetime) -> Q:
    """Items to which something happened from then on: made, revised, voted on, decided, reviewed, flagged."""
    here = {"item": OuterRef("pk")}
    return (
        Q(at__gte=since)
        | Q(Exists(Revision.objects.filter(**here, at__gte=since)))
        | Q(Exists(Vote.objects.filter(Q(cast_at__gte=since) | Q(withdrawn_at__gte=since), **here)))
        | Q(Exists(Verdict.objects.filter(**here, at__gte=since)))
        | Q(Exists(Review.objects.filter(**here, at__gte=since)))
        | Q(Exists(Flag.objects.filter(Q(at__gte=since) | Q(closed_at__gte=since), **here)))
    )


def with_content(items: list[Item], *, flags: bool = True) -> list[Item]:
    """Items with their present content and open flags: three statements at most, however many they are."""
    present, found = contents(items), defaultdict(list)
    if flags:
        rows = Flag.objects.filter(item__in=[item.pk for item in items], closed_at=None).order_by("pk")
        for pk, code in rows.values_list("item", "code"):
            found[pk].append(code)
    for item in items:
        vars(item).update(present=present.get(item.pk, {}), open_flags=found[item.pk])
    return items


def item_named(membership: Membership, key: str) -> Item:
    """One item by its key, for leads and administrators; Forbidden where they wrote it.

    A lead who votes is never asked about an item that they opened, here as on pages.
    """
    here = desk.item(
        membership,
        first_or_not_found(content_queries.openable_items(membership).filter(key=key).only("pk")).pk,
    )
    if membership.annotator is not None:
        bar_lead_from_voting(item_id=here.pk, lead=membership.annotator)
    return here


class Items(ApiView):
    """The items of a project."""

    tag = "items"

    @operation(scopes=[READ], gives=ItemRow, query=ItemQuery, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List items, but those that you wrote. For leads and administrators."""
        membership, asked = access.lead_membership(self.user, slug), self.query_values
        narrowed = {name: asked[name] for name in ("stage", "flag", "round", "target")}
        rows = desk.items_listed(membership, Filters(of="items", **narrowed))
        if asked["updated_since"] is not None:
            rows = rows.filter(updated_since(asked["updated_since"]))
        return self.page_response(rows.select_related("author", "target", "project"), with_content)


class ItemView(ApiView):
    """One item."""

    tag = "items"

    @operation(scopes=[READ], gives=ItemRow)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """Read one item. For leads and administrators."""
        found = item_named(access.lead_membership(self.user, slug), key)
        return self.row_response(with_content([found])[0])


class ItemAct(ApiView):
    """What is done with one item."""

    tag = "items"

    @operation(scopes=[MANAGE], takes=ActIn, gives=ItemRow, repeats=True)
    def post(self, request: Request, slug: str, key: str, act: str) -> Response:
        """Do one thing with an item: approve, return, correct, adjudicate, exclude, reopen, void, accept, decline,
        close a flag or comment. For leads and administrators, who become leads by it. A stale `version` is answered
        with 409."""
        found, sent = item_named(access.lead_membership(self.user, slug), key), self.validated_body()
        _, lead = ensure_lead_place(self.user, slug)
        answers = sent.pop("answers", None)
        if act == "adjudicate" and answers is not None:
            self._settle(lead, found, answers, sent)
        else:
            form = QueryDict(mutable=True)
            form.update({name: str(value) for name, value in sent.items() if value is not False})
            ACTS[act](lead, found.pk, sent["version"], form)
        membership = access.lead_membership(self.user, slug)
        return self.row_response(with_content([desk.item(membership, found.pk)])[0])

    def _settle(self, lead: Annotator, item: Item, answers: dict[str, Any], sent: dict[str, Any]) -> None:
        posed = item.project.kind_spec.question.card_questions(protocol_of(item).criteria)
        with errors_named_as_sent():
            adjudicate(
                lead=lead,
                item_id=item.pk,
                version=sent["version"],
                words=sent.get("words", ""),
                label=sent.get("label", ""),
                answers=answers_by_criterion(posed, answers),
            )


class ItemPart(ApiView):
    """Rows that belong to one item."""

    tag = "items"

    def of(self, slug: str, key: str) -> Item:
        """The item."""
        return item_named(access.lead_membership(self.user, slug), key)


class ItemVotes(ItemPart):
    """The votes on one item."""

    @operation(scopes=[READ], gives=VoteRow, paged=True, since=("cast_at", "withdrawn_at"))
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List an item's votes, those that no longer count too. For leads and administrators."""
        return self.page_response(self.of(slug, key).votes.select_related("annotator"))


class ItemRevisions(ItemPart):
    """The revisions of one item."""

    @operation(scopes=[READ], gives=RevisionRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List what an item's content was at each moment. For leads and administrators."""
        return self.page_response(self.of(slug, key).revisions.select_related("by"))


class ItemVerdicts(ItemPart):
    """The verdicts on one item."""

    @operation(scopes=[READ], gives=VerdictRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List what the system decided about an item. For leads and administrators."""
        return self.page_response(self.of(slug, key).verdicts.all())


class ItemFlags(ItemPart):
    """The flags of one item."""

    @operation(scopes=[READ], gives=FlagRow, paged=True, since=("at", "closed_at"))
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List an item's flags, closed ones too. For leads and administrators."""
        rows: QuerySet[Flag] = Flag.objects.filter(item=self.of(slug, key))
        return self.page_response(rows)


class ItemReviews(ItemPart):
    """The reviews of one item."""

    @operation(scopes=[READ], gives=ReviewRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List what leads did with an item. For leads and administrators."""
        return self.page_response(Review.objects.filter(item=self.of(slug, key)).select_related("by"))


class ItemComments(ItemPart):
    """The comments on one item."""

    @operation(scopes=[READ], gives=CommentRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List what leads and the writer said about an item. For leads and administrators."""
        return self.page_response(Comment.objects.filter(item=self.of(slug, key)).select_related("by"))


class ItemProposals(ItemPart):
    """The proposed corrections of one item."""

    @operation(scopes=[READ], gives=ProposalRow, paged=True, since=("at", "decided_at"))
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List the corrections that validators proposed for an item. For leads and administrators."""
        return self.page_response(Proposal.objects.filter(item=self.of(slug, key)).select_related("by"))


class ItemsExport(ApiView):
    """All items, in one go."""

    tag = "items"

    @operation(scopes=[READ], gives=ItemRow, media=NDJSON)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Read all items, one JSON object a line, as lists have them. For leads and administrators."""
        membership = access.reader_of_all(self.user, slug)
        return StreamingHttpResponse(item_lines(membership), content_type=NDJSON)


class VotesExport(ApiView):
    """All votes, in one go."""

    tag = "items"

    @operation(scopes=[READ], gives=VoteRow, media=NDJSON)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Read all votes, one JSON object a line, each with the key of its item. For leads and administrators."""
        membership = access.reader_of_all(self.user, slug)
        return StreamingHttpResponse(vote_lines(membership), content_type=NDJSON)
