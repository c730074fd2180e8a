"""Sources of writers, allocations of them, and drafts that were not submitted."""

from typing import TYPE_CHECKING, NamedTuple

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.kinds import Source

if TYPE_CHECKING:
    from annotation.content.models.units import SourceUnit

MOST_SKIPS = 2


class PremiseQuerySet(models.QuerySet["Premise"]):
    """Premises, and those that can be given to a writer."""

    def free(self) -> "PremiseQuerySet":
        """In nobody's hands, not written for yet, and not skipped twice (rulings 12 and 13)."""
        held = Allocation.objects.filter(premise=models.OuterRef("pk"), state__in=Allocation.IN_HAND)
        return self.filter(~models.Exists(held), skips__lt=MOST_SKIPS, hypotheses__isnull=True)


class Premise(models.Model):
    """A text that hypotheses are written for (IndoNLI §3.1). `document` groups the snippets of one document."""

    class Size(models.TextChoices):
        SINGLE = "single", _("single sentence")
        DOUBLE = "double", _("two sentences")
        PARAGRAPH = "paragraph", _("paragraph")

    project = models.ForeignKey(Project, models.PROTECT, related_name="premises", db_index=False)
    target = models.ForeignKey(Target, models.PROTECT, related_name="+", db_index=False)
    key = models.CharField(max_length=200)
    text = models.TextField()
    text_hash = models.CharField(max_length=64)
    sentence_class = models.CharField(max_length=10, choices=Size.choices)
    document = models.CharField(max_length=200, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    revision = models.PositiveIntegerField(default=1)
    skips = models.PositiveSmallIntegerField(default=0)
    at = models.DateTimeField(db_default=Now(), editable=False)

    objects = PremiseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["target", "key"], name="premise_key_once"),
            models.CheckConstraint(condition=~models.Q(text=""), name="premise_has_text"),
        ]
        indexes = [
            models.Index(fields=["project", "document"], name="premise_document"),
            models.Index(fields=["project", "text_hash"], name="premise_text"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def as_source(self) -> Source:
        """The premise as kinds read it."""
        return Source(self.key, self.text, self.document, extra=self.extra)


class Concept(models.Model):
    """What a question is about: a concept in its category (id-csqa §4.2), or a topic.

    `shared_key` is the same in every language project that has this concept; `parallel` is its wording in the other
    language. A proposed one waits for a lead; only approved ones are given to writers.
    """

    class State(models.TextChoices):
        PROPOSED = "proposed", _("proposed")
        APPROVED = "approved", _("approved")
        RETURNED = "returned", _("returned")

    project = models.ForeignKey(Project, models.PROTECT, related_name="concepts")
    target = models.ForeignKey(Target, models.PROTECT, related_name="+", db_index=False)
    key = models.CharField(max_length=200)
    category = models.CharField(max_length=120)
    text = models.CharField(max_length=300)
    text_hash = models.CharField(max_length=64, db_index=True)
    shared_key = models.CharField(max_length=200, blank=True)
    parallel = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.APPROVED)
    proposed_by = models.ForeignKey(Annotator, models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    words = models.TextField(blank=True)
    extra = models.JSONField(default=dict, blank=True)
    skips = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["target", "key"], name="concept_key_once"),
            models.UniqueConstraint(fields=["target", "category", "text_hash"], name="concept_once_a_category"),
            models.UniqueConstraint(
                fields=["target", "shared_key"],
                condition=~models.Q(shared_key=""),
                name="concept_shared_key_once",
            ),
            models.CheckConstraint(condition=~models.Q(text=""), name="concept_has_text"),
        ]
        indexes = [models.Index(fields=["project", "category"], name="concept_category")]

    def __str__(self) -> str:
        return self.key

    @property
    def as_source(self) -> Source:
        """The concept as kinds read it."""
        return Source(self.key, self.text, self.category, self.parallel, self.extra)


class OpenConcept(NamedTuple):
    """A concept that can be given to `lacks` more writers."""

    pk: int
    key: str
    category: str
    lacks: int


def concepts_lacking_writers(target: Target, writers: int) -> list[OpenConcept]:
    """Concepts that are approved, not skipped twice, and in fewer hands than `writers` (id-csqa §4.2: 2).

    A question that was imported with its concept counts as written.
    """
    in_hand = models.Count("allocations", filter=models.Q(allocations__state__in=Allocation.IN_HAND), distinct=True)
    brought = models.Count("questions", filter=models.Q(questions__item__allocation=None), distinct=True)
    rows = (
        Concept.objects.filter(target=target, state=Concept.State.APPROVED, skips__lt=MOST_SKIPS)
        .annotate(lacks=models.Value(writers) - in_hand - brought)
        .filter(lacks__gt=0)
    )
    return [OpenConcept(*row) for row in rows.values_list("pk", "key", "category", "lacks")]


class Allocation(models.Model):
    """What one writer starts from, in their hands: open, submitted as a set, skipped, or gone back to the pool.

    It is a premise, a concept, or a unit to translate into one target, its `target`. Where a writer makes several items
    from one source (prompts on a topic) the allocations are numbered; `origin` is the prompt that a variation starts
    from.
    """

    class State(models.TextChoices):
        OPEN = "open", _("open")
        SUBMITTED = "submitted", _("submitted")
        SKIPPED = "skipped", _("skipped")
        LAPSED = "lapsed", _("gone back")

    IN_HAND = (State.OPEN, State.SUBMITTED)

    project = models.ForeignKey(Project, models.PROTECT, related_name="allocations")
    premise = models.ForeignKey(Premise, models.PROTECT, null=True, blank=True, related_name="allocations")
    concept = models.ForeignKey(Concept, models.PROTECT, null=True, blank=True, related_name="allocations")
    unit = models.ForeignKey("annotation.SourceUnit", models.PROTECT, null=True, blank=True, related_name="allocations")
    target = models.ForeignKey(
        Target, models.PROTECT, null=True, blank=True, related_name="allocations", db_index=False
    )
    writer = models.ForeignKey(Annotator, models.PROTECT, related_name="allocations")
    origin = models.ForeignKey("annotation.Item", models.PROTECT, null=True, blank=True, related_name="+")
    number = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    token = models.CharField(max_length=32, unique=True)
    position = models.PositiveIntegerField()
    skip_reason = models.CharField(max_length=300, blank=True)
    opened_at = models.DateTimeField(db_default=Now(), editable=False)
    touched_at = models.DateTimeField(db_default=Now())
    submitted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["premise", "writer"], name="allocation_once_a_writer"),
            models.UniqueConstraint(fields=["concept", "writer", "number"], name="allocation_concept_numbered"),
            models.CheckConstraint(
                condition=models.Q(premise__isnull=False, concept__isnull=True, unit__isnull=True)
                | models.Q(premise__isnull=True, concept__isnull=False, unit__isnull=True)
                | models.Q(premise__isnull=True, concept__isnull=True, unit__isnull=False),
                name="allocation_of_one_source",
            ),
            models.CheckConstraint(
                condition=models.Q(unit__isnull=True) | models.Q(target__isnull=False),
                name="allocation_of_unit_has_target",
            ),
            models.UniqueConstraint(fields=["unit", "target", "writer"], name="allocation_unit_once_a_writer"),
            models.UniqueConstraint(
                fields=["unit", "target"],
                condition=models.Q(state__in=["open", "submitted"]),
                name="allocation_one_translator_at_once",
            ),
            models.UniqueConstraint(
                fields=["premise"],
                condition=models.Q(state__in=["open", "submitted"]),
                name="allocation_one_writer_at_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["writer", "position"],
                condition=models.Q(state="open"),
                name="allocation_open_of_writer",
            )
        ]

    def __str__(self) -> str:
        return f"{self.premise_id or self.concept_id or self.unit_id} {self.writer_id}"

    @property
    def source(self) -> "Premise | Concept | SourceUnit":
        """What the writer starts from."""
        source = self.premise or self.concept or self.unit
        assert source is not None  # noqa: S101 - allocation_of_one_source
        return source


class Draft(models.Model):
    """What stands in one slot of an allocation: one overwritten row with a version, not a revision."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    allocation = models.ForeignKey(Allocation, models.PROTECT, related_name="drafts")
    slot = models.CharField(max_length=20)
    content = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["allocation", "slot"], name="draft_once_a_slot")]

    def __str__(self) -> str:
        return f"{self.allocation_id} {self.slot}"
