"""Items: their stage, their present content, and every revision of it."""

from datetime import datetime

from django.db import models
from django.db.models.functions import Now

from annotation.content.models.source import Allocation, Concept, Premise
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project, ProtocolVersion, Target
from validation.consensus.stages import RESUBMITTED


def items_due(by: datetime | Now) -> "models.QuerySet[Item]":
    """What was due for a decision by a moment, the longest first; copies kept for another project are never decided."""
    return Item.objects.filter(due_at__lte=by, project__kept_for=None).order_by("due_at")


class Item(models.Model):
    """Where an item stands. No text is on this row: it changes with every vote.

    `pending` counts the votes that the open round still waits for, `slots_free` those that nobody holds an assignment
    for, `due_at` says that the system has something to decide, `version` numbers the actions (not the votes),
    `votes_n` numbers the votes. `family` is the premise, so that two pairs of one are kept apart in a queue;
    `gold_answers` has the gold answer to each question where more is asked than a label; `gold` is then their key.
    `route` is where its first vote led it under a protocol with audits (`validation.consensus.audit`).
    `words` is how many a validator is shown; `opened_at` is the first time that somebody was assigned it.
    """

    class Origin(models.TextChoices):
        WRITTEN = "written"
        IMPORTED = "imported"
        MACHINE = "machine"

    project = models.ForeignKey(Project, models.PROTECT, related_name="items", db_index=False)
    target = models.ForeignKey(Target, models.PROTECT, related_name="+", db_index=False)
    author = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="items", db_index=False)
    allocation = models.ForeignKey(Allocation, models.PROTECT, null=True, related_name="items", db_index=False)
    slot = models.CharField(max_length=20)
    key = models.CharField(max_length=220)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.WRITTEN)
    protocol = models.ForeignKey(ProtocolVersion, models.PROTECT, related_name="+", db_index=False)
    family = models.BigIntegerField(default=0)
    author_label = models.CharField(max_length=40, blank=True)
    sampled = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    stage = models.CharField(max_length=14, default="written")
    epoch = models.PositiveSmallIntegerField(default=1)
    round = models.PositiveSmallIntegerField(default=0)
    slots_free = models.SmallIntegerField(default=0)
    pending = models.SmallIntegerField(default=0)
    votes_n = models.PositiveIntegerField(default=0)
    revision_n = models.PositiveIntegerField(default=1)
    priority = models.SmallIntegerField(default=0)
    shuffle = models.BigIntegerField()
    due_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    gold = models.CharField(max_length=40, blank=True)
    gold_from = models.CharField(max_length=10, blank=True)
    gold_answers = models.JSONField(null=True, blank=True)
    route = models.CharField(max_length=14, blank=True, default="", db_default="")
    words = models.PositiveIntegerField(default=0)
    doubt = models.PositiveSmallIntegerField(default=0)
    returns = models.PositiveSmallIntegerField(default=0)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="item_key_once"),
            models.CheckConstraint(
                condition=models.Q(slots_free__gte=0) & models.Q(pending__gte=0),
                name="item_no_negative_slots",
            ),
            models.CheckConstraint(
                condition=models.Q(slots_free__lte=models.F("pending")), name="item_free_within_pending"
            ),
            models.CheckConstraint(
                condition=models.Q(gold="", gold_from="")
                | (~models.Q(gold="") & models.Q(gold_from__in=["votes", "lead", "author"])),
                name="item_gold_has_origin",
            ),
        ]
        indexes = [
            models.Index(
                fields=["target", "-priority", "shuffle"],
                condition=models.Q(slots_free__gt=0),
                name="item_queue",
            ),
            models.Index(fields=["due_at"], condition=models.Q(due_at__isnull=False), name="item_due"),
            models.Index(fields=["project", "-doubt", "id"], condition=models.Q(doubt__gt=0), name="item_doubtful"),
            models.Index(fields=["project", "stage", "round"], name="item_funnel"),
            models.Index(fields=["family"], name="item_family"),
            # Most items of a file have neither.
            models.Index(fields=["author"], condition=models.Q(author__isnull=False), name="item_author"),
            models.Index(fields=["allocation"], condition=models.Q(allocation__isnull=False), name="item_allocation"),
        ]

    def __str__(self) -> str:
        return self.key


class Hypothesis(models.Model):
    """An item's present content in nli: the hypothesis written for its premise, with its phenomenon tags.

    In a team's own task `more` has the item's texts by column, and `text` all of them, to be searched.
    """

    item = models.OneToOneField(Item, models.PROTECT, primary_key=True, related_name="hypothesis")
    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    premise = models.ForeignKey(Premise, models.PROTECT, related_name="hypotheses")
    text = models.TextField()
    tags = models.JSONField(default=list, blank=True)
    more = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(text=""), name="hypothesis_has_text")]
        verbose_name_plural = "hypotheses"

    def __str__(self) -> str:
        return self.text[:60]


class QAPair(models.Model):
    """An item's present content where it is a question with options: the question, written for its concept.

    `wording` is the concept as this item words it; `more` are the content's further texts by name.
    """

    item = models.OneToOneField(Item, models.PROTECT, primary_key=True, related_name="qa")
    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    concept = models.ForeignKey(Concept, models.PROTECT, related_name="questions")
    wording = models.CharField(max_length=300, blank=True)
    question = models.TextField()
    more = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(question=""), name="qa_has_question")]
        verbose_name = "QA pair"

    def __str__(self) -> str:
        return self.question[:60]


class Option(models.Model):
    """One choice of a question. Its key is for good, wherever it is shown; `role` is what the writer means it to be."""

    item = models.ForeignKey(Item, models.PROTECT, related_name="options", db_index=False)
    key = models.CharField(max_length=4)
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    role = models.CharField(max_length=12, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "key"], name="option_key_once"),
            models.UniqueConstraint(fields=["item", "position"], name="option_place_once"),
            models.UniqueConstraint(
                fields=["item"], condition=models.Q(role__in=["answer", "best"]), name="option_one_answer"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} {self.key}"


class PublishedSplit(models.Model):
    """The split that an imported item was published in, as its file names it; no row where the file names none."""

    item = models.OneToOneField(Item, models.PROTECT, primary_key=True, related_name="published_split")
    split = models.CharField(max_length=64)

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(split=""), name="published_split_named")]

    def __str__(self) -> str:
        return self.split


class Revision(models.Model):
    """The content of an item at a moment, as it was; append-only. `meaning`: first, same (votes stay) or new.

    `fields_n` and `sentences_n` are how many texts of it its writer wrote, and the sentences in them.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="revisions", db_index=False)
    n = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    epoch = models.PositiveSmallIntegerField()
    event = models.CharField(max_length=20)
    meaning = models.CharField(max_length=5)
    content = models.JSONField()
    fields_n = models.PositiveIntegerField()
    sentences_n = models.PositiveIntegerField()
    author_label = models.CharField(max_length=40, blank=True)
    by = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="+", db_index=False)
    why = models.TextField(blank=True)
    guideline = models.ForeignKey(GuidelineVersion, models.PROTECT, null=True, related_name="+", db_index=False)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "n"], name="revision_number_once"),
            models.UniqueConstraint(fields=["item", "version"], name="revision_step_once"),
        ]
        # Few: what a writer sent back corrected is paid.
        indexes = [models.Index(fields=["by"], condition=models.Q(event__in=RESUBMITTED), name="revision_sent_back")]

    def __str__(self) -> str:
        return f"{self.item_id} r{self.n}"
