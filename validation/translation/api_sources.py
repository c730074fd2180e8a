"""`source-sets`: sets to translate, their clean-up row by row, and freezing, as on their pages."""

from collections import defaultdict
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, ListQuery, Row, WholeNumberField
from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.access import Membership
from annotation.core.errors import Invalid
from annotation.translation.actions.clean_up import LONGEST_WORDS, StepIn
from annotation.translation.actions.source_sets import source_set_freeze
from annotation.translation.models import CleanUp
from annotation.translation.queries import sources
from annotation.translation.rules.clean_up import LONGEST_TEXT, STEPS
from validation.translation.actions import source_clean, source_undo


class SourceSetRow(Row):
    """A source set. `upstream` counts rows that changed where they were taken from; `rows`, `removed` and `final` are
    rows, `units` and `sentences` what is left to translate."""

    key = serializers.CharField()
    name = serializers.CharField()
    task = serializers.CharField()
    shape = serializers.CharField()
    origin = serializers.DictField()
    rows = serializers.IntegerField()
    removed = serializers.IntegerField()
    final = serializers.IntegerField()
    units = serializers.IntegerField()
    sentences = serializers.IntegerField()
    upstream = serializers.IntegerField()
    at = serializers.DateTimeField()
    frozen_at = serializers.DateTimeField(allow_null=True)


class SourceSetWhole(SourceSetRow):
    """A source set with the counts of its clean-up: rows that had a typo fixed or a distractor improved, rows that are
    unanswerable, and texts changed by what was done."""

    typos = serializers.IntegerField()
    distractors = serializers.IntegerField()
    unanswerable = serializers.IntegerField()
    texts = serializers.DictField(child=serializers.IntegerField())


class SourceTextRow(Row):
    """A text of a unit by its key."""

    key = serializers.CharField()
    role = serializers.CharField()
    text = serializers.CharField()


class SourceEntryRow(Row):
    """A row of a unit: its key, its label and split, which texts it is made of (role to key), and what was done."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    split = serializers.CharField()
    texts = serializers.DictField(source="fields", child=serializers.CharField())
    removed = serializers.BooleanField()
    unanswerable = serializers.BooleanField()
    upstream_changed = serializers.BooleanField()


class CleanUpRow(Row):
    """One step of clean-up. `undone` says that it was taken back."""

    id = serializers.IntegerField()
    what = serializers.ChoiceField(CleanUp.What.values)
    row = serializers.CharField(source="entry.key", default=None, allow_null=True)
    reason = serializers.CharField()
    words = serializers.CharField()
    field = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    undone = serializers.SerializerMethodField()
    at = serializers.DateTimeField()

    def get_undone(self, step: CleanUp) -> bool:
        """Whether it was taken back."""
        return hasattr(step, "undone_by")


class SourceUnitRow(Row):
    """What is translated in one go: its texts, and the rows that they belong to. `revision` counts its changes."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    position = serializers.IntegerField()
    revision = serializers.IntegerField()
    removed = serializers.BooleanField()
    texts = SourceTextRow(many=True, source="fields")
    rows = SourceEntryRow(many=True, source="own")
    at = serializers.DateTimeField()


class SourceUnitWhole(SourceUnitRow):
    """A unit with the steps of its clean-up, the newest first."""

    steps = CleanUpRow(many=True)


class SourceUnitQuery(ListQuery):
    """Which units: with these words, with what was done to them."""

    words = serializers.CharField(default="", allow_blank=True, max_length=200)
    state = serializers.ChoiceField(sources.STATES, default="", allow_blank=True)


class CleanUpIn(Body):
    """One step on one row (its `id`), for the `revision` of the unit that you read. `texts`: the new texts by key, of a
    typo or a distractor. `reason` is a code of the project's reasons, or empty with `words`."""

    row = serializers.IntegerField(min_value=0, max_value=2**53)
    what = serializers.ChoiceField(list(STEPS))
    revision = WholeNumberField()
    reason = serializers.CharField(max_length=40, default="", allow_blank=True)
    words = serializers.CharField(max_length=LONGEST_WORDS, default="", allow_blank=True)
    texts = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False), default=dict
    )


class CleanUpUndoIn(Body):
    """The step that is taken back, by its `id`, and the `revision` of the unit that you read."""

    step = serializers.IntegerField(min_value=0, max_value=2**53)
    revision = WholeNumberField()


class SourceSetApi(ApiView):
    """Source sets of a project."""

    tag = "sources"

    def place(self, slug: str) -> Membership:
        """Whoever asks, as lead or administrator of a project that translates."""
        return sources.sources_membership(self.user, slug)

    def whole(self, membership: Membership, found: SourceSet) -> Response:
        """One set as it stands, with the counts of its clean-up."""
        counted = sources.source_counts(found)
        row = _rows(membership, [found])[0]
        figures = ("typos", "distractors", "unanswerable", "texts")
        return self.row_response({**row, **{name: getattr(counted, name) for name in figures}})

    def unit(self, membership: Membership, unit_id: int) -> Response:
        """One unit as it stands, with its steps."""
        found = sources.source_unit(membership, unit_id)
        vars(_with_entries([found])[0])["steps"] = sources.steps(found)
        return self.row_response(found)


def _rows(membership: Membership, page: list[SourceSet]) -> list[dict[str, Any]]:
    listed = {each.source_set.pk: each for each in sources.source_sets(membership)}
    names = ("key", "name", "task", "shape", "origin", "at", "frozen_at")
    figures = ("rows", "removed", "final", "units", "sentences", "upstream")
    return [
        {name: getattr(each, name) for name in names} | {name: getattr(listed[each.pk], name) for name in figures}
        for each in page
    ]


def _with_entries(page: list[SourceUnit]) -> list[SourceUnit]:
    entries = sources.entries_of(page) if page else defaultdict(list)
    for unit in page:
        vars(unit)["own"] = entries[unit.pk]
    return page


class SourceSets(SourceSetApi):
    """The sets."""

    @operation(scopes=[READ], gives=SourceSetRow, paged=True, since=("at", "frozen_at"))
    def get(self, request: Request, slug: str) -> Response:
        """List the source sets. For leads and administrators of projects that translate."""
        membership = self.place(slug)
        rows = SourceSet.objects.filter(project=membership.project)
        return self.page_response(rows, lambda page: _rows(membership, page))


class SourceSetView(SourceSetApi):
    """One set."""

    @operation(scopes=[READ], gives=SourceSetWhole)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """Read a source set with the counts of its clean-up. For leads and administrators."""
        membership = self.place(slug)
        return self.whole(membership, sources.source_set(membership, key))


class SourceSetFreeze(SourceSetApi):
    """One set that is frozen."""

    @operation(scopes=[MANAGE], gives=SourceSetWhole)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Freeze a source set: its texts are given to translators from now on. For leads and administrators."""
        membership = self.place(slug)
        found = sources.source_set(membership, key)
        return self.whole(membership, source_set_freeze(source_set=found, by=self.user))


class SourceSetUnits(SourceSetApi):
    """The units of one set."""

    @operation(scopes=[READ], gives=SourceUnitRow, query=SourceUnitQuery, paged=True)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """List the units of a source set with their texts and rows. For leads and administrators."""
        found = sources.source_set(self.place(slug), key)
        return self.page_response(
            sources.units(found, self.query_values["words"], self.query_values["state"]), _with_entries
        )


class SourceUnitView(SourceSetApi):
    """One unit."""

    @operation(scopes=[READ], gives=SourceUnitWhole)
    def get(self, request: Request, slug: str, unit_id: int) -> Response:
        """Read a unit with its rows and the steps of its clean-up. For leads and administrators."""
        return self.unit(self.place(slug), unit_id)


class SourceUnitClean(SourceSetApi):
    """One unit that is cleaned."""

    @operation(scopes=[MANAGE], takes=CleanUpIn, gives=SourceUnitWhole, repeats=True)
    def post(self, request: Request, slug: str, unit_id: int) -> Response:
        """Do one step of clean-up: remove a row, fix a typo, improve a distractor, or mark a row as unanswerable
        without its passage. A stale `revision` is answered with 409. For leads and administrators."""
        membership, sent = self.place(slug), self.validated_body()
        unit = sources.source_unit(membership, unit_id)
        stands = {each["key"]: each["text"] for each in (*unit.fields, *unit.dropped)}
        if strange := sorted(sent["texts"].keys() - stands.keys()):
            raise Invalid(field=f"texts.{strange[0]}", code="slot_field_unknown")
        texts = {key: text for key, text in sent["texts"].items() if text != stands[key]}
        entry = sources.entry(unit, sent["row"])
        given = StepIn(entry.pk, sent["revision"], self.user, sent["reason"], sent["words"])
        source_clean(project=membership.project, unit_id=unit.pk, what=sent["what"], given=given, texts=texts)
        return self.unit(membership, unit_id)


class SourceUnitUndo(SourceSetApi):
    """A step that is taken back."""

    @operation(scopes=[MANAGE], takes=CleanUpUndoIn, gives=SourceUnitWhole, repeats=True)
    def post(self, request: Request, slug: str, unit_id: int) -> Response:
        """Take a step of clean-up back, where nothing later stands on the same text. For leads and administrators."""
        membership, sent = self.place(slug), self.validated_body()
        unit = sources.source_unit(membership, unit_id)
        given = {"step_id": sent["step"], "revision": sent["revision"]}
        source_undo(project=membership.project, unit_id=unit.pk, by=self.user, **given)
        return self.unit(membership, unit_id)
