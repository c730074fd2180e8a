"""What items and all that belongs to them look like over the API."""

from typing import Any

from rest_framework import serializers

from annotation.api.wire import Row, SinceQuery
from annotation.content.models.item import Item
from validation.consensus import stages
from validation.voting.models.review import Proposal
from validation.voting.rules.flags import FLAG_NAMES


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
    gold_answers = serializers.DictField(
        allow_null=True, help_text="The gold answer to each question, where more is asked than a label."
    )
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


class ItemQuery(SinceQuery):
    """What a list of items is narrowed to. What happened to an item, votes too, has changed it."""

    stage = serializers.ChoiceField(list(stages.STAGE_NAMES), default="")
    flag = serializers.ChoiceField(list(FLAG_NAMES), default="")
    round = serializers.IntegerField(min_value=0, max_value=9, default=None)
    target = serializers.CharField(max_length=40, default="")


class VoteRow(Row):
    """A vote. `answers` has those to questions by their keys, and what was marked beside the label.

    `unsure` and `ambiguous` are null where it is not known; one that no longer counts says why. Places in a text that
    `answers` name belong to `revision`."""

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
    answers = serializers.DictField(allow_null=True)
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
