"""`items` with all that happened to each, and what leads do about them: the same queries and actions as the desk's."""

from collections import defaultdict
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, ListQuery, Row, Whole
from annotation.content.models.item import Item, Revision
from annotation.core import access
from annotation.core.access import Membership, contents
from annotation.core.actions.members import lead_place
from annotation.core.errors import one
from validation.consensus import stages
from validation.review.models.review import Comment, Flag, Proposal, Review
from validation.review.queries import desk
from validation.review.rules.filters import Filters
from validation.review.rules.flags import FLAG_NAMES
from validation.review.views.item import ACTS
from validation.voting.models.vote import Verdict, Vote

LONGEST_TEXT = 100_000


class OrNull(serializers.CharField):
    """A text, null where nobody gave one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**({"allow_null": True} | options))

    def to_representation(self, value: Any) -> Any:
        """Null for the empty text."""
        return value or None


class ItemRow(Row):
    """An item as it stands. `content` is what the kind makes of it; `flags` are the open ones."""

    key = serializers.CharField()
    target = serializers.CharField(source="target.key")
    origin = serializers.ChoiceField(Item.Origin.values)
    author = serializers.CharField(source="author.pseudonym", allow_null=True, default=None)
    author_label = OrNull()
    stage = serializers.ChoiceField(list(stages.STAGE_NAMES))
    version = serializers.IntegerField()
    revision = serializers.IntegerField(source="revision_n")
    epoch = serializers.IntegerField()
    round = serializers.IntegerField()
    votes = serializers.IntegerField(source="votes_n")
    sampled = serializers.BooleanField()
    gold = OrNull()
    gold_from = OrNull()
    doubt = serializers.IntegerField()
    returns = serializers.IntegerField()
    at = serializers.DateTimeField()
    flags = serializers.ListField(child=serializers.CharField(), source="open_flags")
    content = serializers.DictField(source="present")


class OwnItemRow(Row):
    """An item that one wrote, and whether it came back to be corrected: nothing of what others said."""

    key = serializers.CharField()
    target = serializers.CharField(source="target.key")
    author_label = OrNull()
    returned = serializers.SerializerMethodField()
    at = serializers.DateTimeField()
    content = serializers.DictField(source="present")

    def get_returned(self, item: Item) -> bool:
        """Whether it waits for its writer."""
        return item.stage == stages.RETURNED


class ItemQuery(ListQuery):
    """What a list of items is narrowed to. `updated_since`: something happened to them from then on."""

    stage = serializers.ChoiceField(list(stages.STAGE_NAMES), default="")
    flag = serializers.ChoiceField(list(FLAG_NAMES), default="")
    round = serializers.IntegerField(min_value=0, max_value=9, default=None)
    target = serializers.CharField(max_length=40, default="")
    updated_since = serializers.DateTimeField(default=None)


class VoteRow(Row):
    """A vote. `unsure` and `ambiguous` are null where it is not known; one that no longer counts says why."""

    n = serializers.IntegerField()
    annotator = serializers.CharField(source="annotator.pseudonym")
    label = serializers.CharField()  # type: ignore[assignment]
    answers = serializers.DictField()
    unsure = serializers.BooleanField(allow_null=True)
    ambiguous = serializers.BooleanField(allow_null=True)
    comment = serializers.CharField()
    seconds = serializers.FloatField(allow_null=True)
    epoch = serializers.IntegerField()
    round = serializers.IntegerField()
    revision = serializers.IntegerField(source="revision_n")
    imported = serializers.BooleanField()
    surplus = serializers.BooleanField()
    at = serializers.DateTimeField(source="cast_at")
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    withdrawn_why = OrNull()
    withdrawn_reason = OrNull()


class RevisionRow(Row):
    """The content at a moment."""

    n = serializers.IntegerField()
    version = serializers.IntegerField()
    epoch = serializers.IntegerField()
    event = serializers.CharField()
    meaning = serializers.CharField()
    content = serializers.DictField()
    author_label = OrNull()
    by = serializers.CharField(source="by.pseudonym", allow_null=True, default=None)
    why = serializers.CharField()
    at = serializers.DateTimeField()


class VerdictRow(Row):
    """What the system decided at a step."""

    version = serializers.IntegerField()
    epoch = serializers.IntegerField()
    event = serializers.CharField()
    round = serializers.IntegerField()
    asked = serializers.IntegerField()
    label = OrNull()  # type: ignore[assignment]
    hopeless = serializers.BooleanField()
    votes = serializers.IntegerField(source="votes_n")
    at = serializers.DateTimeField()


class FlagRow(Row):
    """A reason to look; `closed_at` is null while it is open."""

    code = serializers.CharField()
    detail = serializers.DictField()
    version = serializers.IntegerField()
    at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class ReviewRow(Row):
    """An action of a lead, or a writer's answer to a return."""

    version = serializers.IntegerField()
    event = serializers.CharField()
    by = serializers.CharField(source="by.pseudonym")
    error_type = OrNull()
    words = serializers.CharField()
    label = OrNull()  # type: ignore[assignment]
    at = serializers.DateTimeField()


class CommentRow(Row):
    """Words of a lead or the writer."""

    by = serializers.CharField(source="by.pseudonym")
    text = serializers.CharField()
    at = serializers.DateTimeField()


class ProposalRow(Row):
    """A correction that a validator proposed; `id` is what `accept` and `decline` take as `proposal`."""

    id = serializers.IntegerField()
    by = serializers.CharField(source="by.pseudonym")
    field = serializers.CharField()
    text = serializers.CharField()
    state = serializers.ChoiceField(Proposal.State.values)
    at = serializers.DateTimeField()


class ActIn(Body):
    """What an action takes: `version` all but `comment`, the rest by the action.

    approve (meaning, words, unseen), return (error_type, words), correct (field, text, meaning, words), adjudicate
    (label, words), exclude (words), reopen (words), void (vote, words), accept and decline (proposal, meaning, words),
    comment (text).
    """

    version = Whole(
        default=0, help_text="The item's version that you read; another one is answered with 409."
    )
    meaning = serializers.ChoiceField(["same", "new"], required=False)
    words = serializers.CharField(max_length=LONGEST_TEXT, allow_blank=True, required=False)
    unseen = serializers.BooleanField(required=False)
    error_type = serializers.CharField(max_length=60, required=False)
    field = serializers.CharField(max_length=60, required=False)
    text = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False, required=False)
    label = serializers.CharField(max_length=40, required=False)  # type: ignore[assignment]
    vote = Whole(required=False)
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
    """One item by its key, for leads and administrators; Forbidden where they wrote it."""
    return desk.item(membership, one(access.project_items(membership).filter(key=key).only("pk")).pk)


class Items(ApiView):
    """The items of a project."""

    tag = "items"

    @operation(scopes=[READ], gives=ItemRow, query=ItemQuery, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List items, but those that you wrote. For leads and administrators."""
        membership, asked = access.overseer(self.user, slug), self.asked
        narrowed = {name: asked[name] for name in ("stage", "flag", "round", "target")}
        rows = desk.listed(membership, Filters(of="items", **narrowed))
        if asked["updated_since"] is not None:
            rows = rows.filter(updated_since(asked["updated_since"]))
        return self.listed(rows.select_related("author", "target", "project"), with_content)


class OwnItems(ApiView):
    """What one wrote."""

    tag = "items"

    @operation(scopes=[READ], gives=OwnItemRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the items that you wrote. For writers."""
        _, writer = access.member(self.user, slug, "writer")
        rows = access.own_items(writer).select_related("target", "project")
        return self.listed(rows, lambda items: with_content(items, flags=False))


class ItemView(ApiView):
    """One item."""

    tag = "items"

    @operation(scopes=[READ], gives=ItemRow)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """Read one item. For leads and administrators."""
        found = item_named(access.overseer(self.user, slug), key)
        return self.given(with_content([found])[0])


class ItemAct(ApiView):
    """What is done with one item."""

    tag = "items"

    @operation(scopes=[MANAGE], takes=ActIn, gives=ItemRow, repeats=True)
    def post(self, request: Request, slug: str, key: str, act: str) -> Response:
        """Do one thing with an item: approve, return, correct, adjudicate, exclude, reopen, void, accept, decline or
        comment. For leads and administrators, who become leads by it. A stale `version` is answered with 409."""
        found, sent = item_named(access.overseer(self.user, slug), key), self.sent()
        _, lead = lead_place(self.user, slug)
        form = QueryDict(mutable=True)
        form.update({name: str(value) for name, value in sent.items() if value is not False})
        ACTS[act](lead, found.pk, sent["version"], form)
        membership = access.overseer(self.user, slug)
        return self.given(with_content([desk.item(membership, found.pk)])[0])


class ItemPart(ApiView):
    """Rows that belong to one item."""

    tag = "items"

    def of(self, slug: str, key: str) -> Item:
        """The item."""
        return item_named(access.overseer(self.user, slug), key)


class ItemVotes(ItemPart):
    """The votes on one item."""

    @operation(scopes=[READ], gives=VoteRow, paged=True)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List an item's votes, those that no longer count too. For leads and administrators."""
        return self.listed(self.of(slug, key).votes.select_related("annotator"))


class ItemRevisions(ItemPart):
    """The revisions of one item."""

    @operation(scopes=[READ], gives=RevisionRow, paged=True)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List what an item's content was at each moment. For leads and administrators."""
        return self.listed(self.of(slug, key).revisions.select_related("by"))


class ItemVerdicts(ItemPart):
    """The verdicts on one item."""

    @operation(scopes=[READ], gives=VerdictRow, paged=True)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List what the system decided about an item. For leads and administrators."""
        return self.listed(self.of(slug, key).verdicts.all())


class ItemFlags(ItemPart):
    """The flags of one item."""

    @operation(scopes=[READ], gives=FlagRow, paged=True)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List an item's flags, closed ones too. For leads and administrators."""
        rows: QuerySet[Flag] = Flag.objects.filter(item=self.of(slug, key))
        return self.listed(rows)


class ItemReviews(ItemPart):
    """The reviews of one item."""

    @operation(scopes=[READ], gives=ReviewRow, paged=True)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List what leads did with an item. For leads and administrators."""
        return self.listed(Review.objects.filter(item=self.of(slug, key)).select_related("by"))


class ItemComments(ItemPart):
    """The comments on one item."""

    @operation(scopes=[READ], gives=CommentRow, paged=True)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List what leads and the writer said about an item. For leads and administrators."""
        return self.listed(Comment.objects.filter(item=self.of(slug, key)).select_related("by"))


class ItemProposals(ItemPart):
    """The proposed corrections of one item."""

    @operation(scopes=[READ], gives=ProposalRow, paged=True)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List the corrections that validators proposed for an item. For leads and administrators."""
        return self.listed(Proposal.objects.filter(item=self.of(slug, key)).select_related("by"))
