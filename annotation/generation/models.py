"""Machine-written questions: their sources, endpoints, runs, and every call and step."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core.models import DatedModel
from annotation.core.models.project import Project, Target
from annotation.jobs.models import Job


class Material(DatedModel):
    """What machine-written questions start from: a question set, a concept, or a question to adapt (domain.md §5).

    `data` is as the project's recipe reads it, `position` its place in the drawn order, `split` that of the question
    it is adapted from. A concept of the project or an item of another one stands behind it where there is one.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="materials")
    target = models.ForeignKey(Target, models.PROTECT, related_name="+", db_index=False)
    concept = models.ForeignKey(Concept, models.PROTECT, null=True, related_name="materials")
    item = models.ForeignKey(Item, models.PROTECT, null=True, related_name="retold_as")
    key = models.CharField(max_length=200)
    sort = models.CharField(max_length=10)
    group = models.CharField(max_length=120, blank=True)
    data = models.JSONField()
    split = models.CharField(max_length=20, blank=True)
    position = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["target", "key"], name="material_key_once")]
        indexes = [models.Index(fields=["project", "position", "id"], name="material_order")]

    def __str__(self) -> str:
        return self.key


class Endpoint(DatedModel):
    """A server that is asked: its address, its model, what it costs; changed by administrators only.

    The key is sealed, bound to `key_host`, and never shown again; another host clears it. Prices are for a million
    tokens (of an embedding or translation endpoint: a million characters).
    """

    class What(models.TextChoices):
        CHAT = "chat", _("chat completions")
        TRANSLATION = "translation", _("translation")
        EMBEDDING = "embedding", _("embeddings")

    name = models.CharField(_("name"), max_length=80, unique=True)
    what = models.CharField(_("what it does"), max_length=12, choices=What.choices, default=What.CHAT)
    address = models.URLField(_("address"), max_length=500, blank=True)
    model = models.CharField(_("model"), max_length=200)
    key_sealed = models.TextField(blank=True, editable=False)
    key_host = models.CharField(max_length=255, blank=True, editable=False)
    parameters = models.JSONField(_("parameters"), default=dict, blank=True)
    price_in = models.DecimalField(_("price of what is sent"), max_digits=12, decimal_places=6, default=0)
    price_out = models.DecimalField(_("price of what is answered"), max_digits=12, decimal_places=6, default=0)
    currency = models.CharField(_("currency"), max_length=3, default="USD")
    seconds = models.PositiveSmallIntegerField(_("seconds that an answer may take"), default=60)
    at_once = models.PositiveSmallIntegerField(_("calls at once"), default=4)
    per_minute = models.PositiveIntegerField(_("calls a minute"), default=60)
    version = models.PositiveIntegerField(default=1)
    ended_at = models.DateTimeField(null=True, blank=True)
    # What the breaker knows: until when nobody asks, and how many calls failed in a row.
    rests_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(price_in__gte=0) & models.Q(price_out__gte=0), name="endpoint_price"
            )
        ]

    def __str__(self) -> str:
        return self.name


class MachineLimit(models.Model):
    """What a project may spend on endpoints, and how fast; without a row it may ask no endpoint that has an address."""

    project = models.OneToOneField(Project, models.PROTECT, related_name="machine_limit")
    budget = models.DecimalField(_("budget"), max_digits=14, decimal_places=4)
    currency = models.CharField(_("currency"), max_length=3, default="USD")
    per_minute = models.PositiveIntegerField(_("calls a minute"), default=60)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(budget__gte=0), name="limit_budget_not_negative")]

    def __str__(self) -> str:
        return f"{self.project_id} {self.budget} {self.currency}"


class InstructionVersion(DatedModel):
    """A prompt template as a project changed it; append-only. Without one the default text is used."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="instructions")
    name = models.CharField(max_length=60)
    n = models.PositiveIntegerField()
    text = models.TextField()
    note = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name", "n"], name="instruction_number_once")]

    def __str__(self) -> str:
        return f"{self.name} v{self.n}"


class GenerationRun(DatedModel):
    """One generation: a recipe on some materials, with all that decides what comes of it pinned in `plan`.

    `plan` has for each step the endpoint, its model and parameters, and the text of each instruction; `stepwise` ones
    stop after each step until somebody goes on. `until` is the step that a stepwise one may do next.
    """

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        PAUSED = "paused", _("paused")
        DONE = "done", _("done")
        CANCELLED = "cancelled", _("cancelled")

    project = models.ForeignKey(Project, models.PROTECT, related_name="generation_runs")
    n = models.PositiveIntegerField()
    name = models.CharField(max_length=120)
    recipe = models.CharField(max_length=40)
    plan = models.JSONField()
    seed = models.CharField(max_length=80)
    stepwise = models.BooleanField(default=False)
    until = models.CharField(max_length=40, blank=True)
    makes_items = models.BooleanField(default=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.RUNNING)
    reason = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "n"], name="run_number_once")]


class GenerationBatch(models.Model):
    """Some materials of a run, carried through its steps by one job; `step` is the one that it does next."""

    run = models.ForeignKey(GenerationRun, models.PROTECT, related_name="batches", db_index=False)
    n = models.PositiveIntegerField()
    job = models.OneToOneField(Job, models.PROTECT, null=True, related_name="batch_of")
    step = models.CharField(max_length=40, blank=True)
    done = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "n"], name="batch_number_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.n}"


class Candidate(models.Model):
    """A question in the making: what was made of its material so far, and where it was dropped."""

    class State(models.TextChoices):
        MAKING = "making", _("in the making")
        KEPT = "kept", _("kept")
        DROPPED = "dropped", _("dropped")

    project = models.ForeignKey(Project, models.PROTECT, related_name="candidates", db_index=False)
    run = models.ForeignKey(GenerationRun, models.PROTECT, related_name="candidates", db_index=False)
    batch = models.ForeignKey(GenerationBatch, models.PROTECT, related_name="candidates")
    material = models.ForeignKey(Material, models.PROTECT, related_name="candidates")
    key = models.CharField(max_length=220)
    content = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=State.choices, default=State.MAKING)
    step = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=60, blank=True)
    params = models.JSONField(default=dict, blank=True)
    item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="candidate")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "key"], name="candidate_key_once"),
            models.CheckConstraint(
                condition=models.Q(state="dropped") ^ models.Q(reason=""),
                name="candidate_dropped_for_a_reason",
            ),
        ]
        indexes = [models.Index(fields=["project", "state", "step"], name="candidate_funnel")]

    def __str__(self) -> str:
        return self.key


class StepResult(DatedModel):
    """What one step made of a question in the making, its content afterwards, and the calls that it took."""

    class Outcome(models.TextChoices):
        KEPT = "kept", _("kept as it was")
        CHANGED = "changed", _("changed")
        DROPPED = "dropped", _("dropped")

    run = models.ForeignKey(GenerationRun, models.PROTECT, related_name="results", db_index=False)
    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="results", db_index=False)
    step = models.CharField(max_length=40)
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    reason = models.CharField(max_length=60, blank=True)
    params = models.JSONField(default=dict, blank=True)
    content = models.JSONField(default=dict)
    calls = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["candidate", "step"], name="step_once_a_candidate")]
        indexes = [models.Index(fields=["run", "step", "outcome"], name="step_table")]


class Call(DatedModel):
    """One question to an endpoint and its answer, kept so that the same is never asked, and paid, twice.

    `digest` is over the endpoint's host and model, the parameters and the messages; `n` numbers what was asked again
    because the answer could not be used. The row is stored before anything is sent.

    `cost` is the sum over all its sendings: what each came to, and of one that is under way, or of which nobody knows
    whether it was paid, the most that it may come to. `held_by` is whoever waits for the answer now (a claim of a job,
    not the job), and nobody sends it before `not_before`. `tries` are the attempts that failed while the endpoint
    answered others, `doubts` those that may have been paid although nothing came back.
    """

    class State(models.TextChoices):
        ASKED = "asked", _("asked")
        ANSWERED = "answered", _("answered")
        UNUSABLE = "unusable", _("answered, not usable")
        FAILED = "failed", _("failed")

    project = models.ForeignKey(Project, models.PROTECT, related_name="calls", db_index=False)
    run = models.ForeignKey(GenerationRun, models.PROTECT, null=True, related_name="calls")
    endpoint = models.ForeignKey(Endpoint, models.PROTECT, null=True, related_name="calls")
    step = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    n = models.PositiveSmallIntegerField(default=1)
    model = models.CharField(max_length=200)
    request = models.JSONField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    answer = models.TextField(blank=True)
    fault = models.CharField(max_length=60, blank=True)
    status = models.PositiveSmallIntegerField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)
    doubts = models.PositiveSmallIntegerField(default=0)
    held_by = models.PositiveBigIntegerField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=16, decimal_places=8, default=0)
    currency = models.CharField(max_length=3, default="USD")
    seconds = models.FloatField(default=0)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "digest", "n"], name="call_once")]
        indexes = [
            models.Index(fields=["project", "at"], name="call_time"),
            # What a project has spent is summed from this alone.
            models.Index(fields=["project", "cost"], name="call_cost"),
        ]


class CallAttempt(DatedModel):
    """One sending of a call: what rate limits count, and the evidence of what may have been paid; append-only."""

    call = models.ForeignKey(Call, models.PROTECT, related_name="sendings")
    endpoint = models.ForeignKey(Endpoint, models.PROTECT, related_name="+", db_index=False)
    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)

    class Meta:
        indexes = [
            models.Index(fields=["endpoint", "at"], name="attempt_of_endpoint"),
            models.Index(fields=["project", "at"], name="attempt_of_project"),
        ]
