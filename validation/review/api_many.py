"""One action on many items of the review desk, over the API: preview, carrying it out, progress, undo."""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import ensure_lead_place
from annotation.core.errors import Invalid
from annotation.core.messages import problem_words
from annotation.jobs.models import Job
from validation.consensus import stages
from validation.review.actions.many import many_begin, undo_begin, undoable_steps
from validation.review.queries import many as fetch
from validation.review.rules import many as rules
from validation.review.rules.filters import Filters
from validation.voting.rules.flags import FLAG_NAMES

LONGEST_KEY = 200
LONGEST_WORDS = 100_000


class SeenItem(Body):
    """An item at the version that you read."""

    key = serializers.CharField(max_length=LONGEST_KEY)
    version = WholeNumberField()


class ActsIn(Body):
    """What is to be done: approve, exclude (with `words`) or close (a `flag`)."""

    act = serializers.ChoiceField(list(rules.ACT_NAMES))
    flag = serializers.ChoiceField(list(FLAG_NAMES), default="", allow_blank=True)
    words = serializers.CharField(max_length=LONGEST_WORDS, default="", allow_blank=True)


class ActsPreviewIn(ActsIn):
    """To which items: `keys`, or all that fit the filters of `items`, at most a thousand at once."""

    keys = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_KEY),
        default=None,
        allow_null=True,
        max_length=rules.MOST,
    )
    stage = serializers.ChoiceField(list(stages.STAGE_NAMES), default="", allow_blank=True)
    flagged = serializers.ChoiceField(list(FLAG_NAMES), default="", allow_blank=True)
    round = serializers.IntegerField(min_value=0, max_value=9, default=None, allow_null=True)
    target = serializers.CharField(max_length=40, default="", allow_blank=True)


class ActsSentIn(ActsIn):
    """To which items: as the preview answers them. One that changed since is left out, and counted."""

    items = serializers.ListField(child=SeenItem(), allow_empty=False, max_length=rules.MOST)


class LeftRow(Row):
    """An item that is left out, and why."""

    key = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()


class SeenRow(Row):
    """An item at the version that it has."""

    key = serializers.CharField()
    version = serializers.IntegerField()


class ActsPreview(Row):
    """What an act would take and leave out; `more`: how many fit beyond what one act takes."""

    items = SeenRow(many=True)
    left = LeftRow(many=True)
    more = serializers.IntegerField()


class ActsRow(Row):
    """An act on many items. It is done when `state` is; `undoable`: of how many it can be taken back still.

    `undoes` is the act that this one took back."""

    id = serializers.IntegerField()
    act = serializers.CharField()
    state = serializers.ChoiceField(Job.State.values)
    items = serializers.IntegerField()
    done = serializers.IntegerField()
    left = LeftRow(many=True)
    undoable = serializers.IntegerField()
    undoes = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField()


def _read_act(sent: Mapping[str, Any]) -> rules.BulkAct:
    if sent["act"] == rules.CLOSE and not sent["flag"]:
        raise Invalid(field="flag", code="flag_missing")
    return rules.BulkAct(sent["act"], sent["flag"], sent["words"])


def _left_out_rows(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"key": key, "code": why, "detail": problem_words(why)} for key, why in pairs]


def _act(job: Job) -> dict[str, Any]:
    job.refresh_from_db()
    left = job.result.get("left", [])
    keys = dict(Item.objects.filter(pk__in=[pk for pk, _why in left]).values_list("pk", "key"))
    return {
        "id": job.pk,
        "act": job.args["act"],
        "state": job.state,
        "items": len(job.args["items"]),
        "done": job.result.get("done", 0),
        "left": _left_out_rows((keys[pk], why) for pk, why in left if pk in keys),
        "undoable": undoable_steps(job).count() if job.state == Job.State.DONE else 0,
        "undoes": job.args.get("undoes"),
        "at": job.at,
    }


class ActsApi(ApiView):
    """Common parts of the addresses of actions on many items."""

    tag = "items"

    def preview(self, membership: Membership, sent: Mapping[str, Any]) -> fetch.Preview:
        """What an act would do; NotFound for an item that the viewer may not look at."""
        wish = _read_act(sent)
        if sent["keys"] is not None:
            return fetch.preview_of_ids(membership, self.ids(membership, sent["keys"]).values(), wish)
        wanted = Filters(
            of="items",
            stage=sent["stage"],
            flag=sent["flagged"],
            round=sent["round"],
            target=sent["target"],
        )
        return fetch.preview_of_filters(membership, wanted, wish)

    def ids(self, membership: Membership, keys: Iterable[str]) -> dict[str, int]:
        """Keys to items. Raises Invalid, naming the first that there is not."""
        wanted = list(dict.fromkeys(keys))
        found = dict(content_queries.reviewable(membership).filter(key__in=wanted).values_list("key", "pk"))
        for n, key in enumerate(wanted, 1):
            if key not in found:
                raise Invalid(
                    f"Item {n} of the list, “{key}”, is not there, or you wrote it. Leave it out.",
                    field="keys",
                    code="not_found",
                )
        return found


class Acts(ActsApi):
    """Acts on many items."""

    @operation(scopes=[MANAGE], takes=ActsSentIn, gives=ActsRow, status=202, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Approve or exclude many items, or close a flag of them, each as if it were done alone. What changed since it
        was read is left out. More than a few are done in the background. For leads and administrators, who become
        leads by it."""
        membership, sent = access.lead_membership(self.user, slug), self.validated_body()
        _, lead = ensure_lead_place(self.user, slug)
        ids = self.ids(membership, [item["key"] for item in sent["items"]])
        items = {ids[item["key"]]: item["version"] for item in sent["items"]}
        job = many_begin(lead=lead, wish=_read_act(sent), items=list(items.items()))
        return self.row_response(_act(job), status=202)


class ActsPreviewed(ActsApi):
    """What an act would do."""

    @operation(scopes=[READ], takes=ActsPreviewIn, gives=ActsPreview)
    def post(self, request: Request, slug: str) -> Response:
        """Say which items an act would take, at which versions, and which it would leave out and why. Nothing is done.
        For leads and administrators."""
        found = self.preview(access.lead_membership(self.user, slug), self.validated_body())
        left = _left_out_rows((item.key, why) for why, items in found.excluded_items.items() for item in items)
        return self.row_response({"items": found.included_items, "left": left, "more": found.more})


class ActsView(ActsApi):
    """One act."""

    @operation(scopes=[READ], gives=ActsRow)
    def get(self, request: Request, slug: str, job_id: int) -> Response:
        """Read how far an act is, what it left out and why. For leads and administrators."""
        return self.row_response(_act(fetch.job_of(access.lead_membership(self.user, slug), job_id)))


class ActsUndo(ActsApi):
    """One act that is taken back."""

    @operation(scopes=[MANAGE], gives=ActsRow, status=202, repeats=True)
    def post(self, request: Request, slug: str, job_id: int) -> Response:
        """Take an act back, on those of its items to which nothing happened since. For leads and administrators, who
        become leads by it."""
        membership, lead = ensure_lead_place(self.user, slug)
        return self.row_response(_act(undo_begin(lead=lead, job=fetch.job_of(membership, job_id))), status=202)
