"""`materials`, the sources of machine-written questions, and `instructions` for models."""

from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, ListQuery, Row, WholeNumberField
from annotation.content import item_choice
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Forbidden, Invalid, NotFound
from annotation.generation.actions.instructions import current_instruction, instruction_save
from annotation.generation.actions.materials import (
    MaterialsTaken,
    concepts_as_materials,
    items_as_materials,
    material_sort,
    questions_take,
)
from annotation.generation.queries import materials
from annotation.generation.queries import runs as machine
from annotation.generation.rules import instructions as rules
from annotation.generation.rules.finished_questions import LONGEST_SPLIT
from annotation.generation.rules.instructions import InstructionFault
from annotation.generation.rules.recipes.forms import QUESTION

LONGEST_TEXT = 100_000


class MaterialRow(Row):
    """What a question is made of; `begun`: a run has begun with it, so it stays as it is."""

    key = serializers.CharField()
    group = serializers.CharField()
    data = serializers.DictField()  # type: ignore[assignment]
    split = serializers.CharField()
    position = serializers.IntegerField()
    begun = serializers.BooleanField()
    at = serializers.DateTimeField()


class MaterialQuery(ListQuery):
    """Which materials: of a group (relation or category), with these words."""

    group = serializers.CharField(default="", allow_blank=True, max_length=200)
    words = serializers.CharField(default="", allow_blank=True, max_length=200)


class MaterialsTakenRow(Row):
    """What was done, by count. `held` stay as they are, because runs have begun with them; `not_taken` were not chosen,
    by reason: a stage, `rejected` by votes, or `no_answer`."""

    new = serializers.IntegerField()
    same = serializers.IntegerField()
    changed = serializers.IntegerField()
    removed = serializers.IntegerField()
    held = serializers.IntegerField()
    not_taken = serializers.DictField(child=serializers.IntegerField())


class MaterialsProjectIn(Body):
    """The project, by its slug, whose questions are taken over, and which of them."""

    project = serializers.SlugField(max_length=80)
    items = serializers.ChoiceField(
        list(item_choice.CHOICES),
        default=item_choice.SETTLED,
        help_text="`settled`: with gold; `checked`: all that wait for no check; `all`: all that are not excluded.",
    )


class MaterialsFileQuery(Body):
    """The split of rows that name none."""

    split = serializers.CharField(max_length=LONGEST_SPLIT, default="", allow_blank=True)


class MaterialsFileRow(Row):
    """The outcome of a file of questions: rows by count, and the first refused ones."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    accepted = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    refused = serializers.IntegerField()
    rows = serializers.SerializerMethodField()

    def get_rows(self, taken: Any) -> list[dict[str, Any]]:
        """The first hundred refused rows: number, field, reason."""
        return list(taken.rows.order_by("n", "pk").values("n", "field", "reason")[:100])


class InstructionRow(Row):
    """A prompt template of a step. Version 0 is the default text."""

    name = serializers.CharField()
    steps = serializers.ListField(child=serializers.CharField())
    version = serializers.IntegerField()
    text = serializers.CharField()


class InstructionIn(Body):
    """The next version of a template; the `version` that you read."""

    name = serializers.CharField(max_length=60)
    version = WholeNumberField()
    text = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False)
    note = serializers.CharField(max_length=300, default="", allow_blank=True)


class InstructionsRow(Row):
    """All templates that the project's steps use."""

    instructions = InstructionRow(many=True)


class MaterialApi(ApiView):
    """Materials of a project."""

    tag = "machine"

    def place(self, slug: str, *, administrator: bool = False) -> tuple[Membership, str]:
        """Whoever asks and what the questions start from. Raises NotFound where people write them."""
        membership = machine.machine_membership(self.user, slug)
        try:
            sort = material_sort(membership.project)
        except Invalid as refusal:
            raise NotFound from refusal
        if administrator and not membership.is_administrator:
            raise Forbidden
        return membership, sort

    def taken(self, done: MaterialsTaken) -> Response:
        """The counts."""
        return self.row_response(done)


class Materials(MaterialApi):
    """The list."""

    @operation(scopes=[READ], gives=MaterialRow, query=MaterialQuery, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List what questions are made of. For leads and administrators of projects with a recipe."""
        membership, sort = self.place(slug)
        return self.page_response(
            materials.list_materials(
                membership, sort, group=self.query_values["group"], words=self.query_values["words"]
            )
        )


class MaterialsOfConcepts(MaterialApi):
    """Concepts as materials."""

    @operation(scopes=[MANAGE], gives=MaterialsTakenRow)
    def post(self, request: Request, slug: str) -> Response:
        """Take the approved concepts. For leads and administrators."""
        membership, _ = self.place(slug)
        return self.taken(concepts_as_materials(project=membership.project, by=self.user))


class MaterialsOfItems(MaterialApi):
    """Another project's questions as materials."""

    @operation(scopes=[MANAGE], takes=MaterialsProjectIn, gives=MaterialsTakenRow)
    def post(self, request: Request, slug: str) -> Response:
        """Take over questions of another project; what is not taken is counted with its reason. For administrators."""
        membership, _ = self.place(slug, administrator=True)
        sent = self.validated_body()
        wanted = sent["project"]
        there = materials.source_projects(membership)
        source = next((each for each in there if each.slug == wanted and self.token_covers(wanted)), None)
        if source is None:
            raise Invalid(field="project", code="materials_source_missing")
        chosen = {"source": source, "choice": sent["items"]}
        return self.taken(items_as_materials(project=membership.project, **chosen, by=self.user))


class MaterialsOfFile(MaterialApi):
    """Finished questions as materials."""

    parser_classes = [MultiPartParser]

    @operation(scopes=[MANAGE], gives=MaterialsFileRow, query=MaterialsFileQuery, upload=True)
    def post(self, request: Request, slug: str) -> Response:
        """Take finished questions from a file, sent as `file` of a form; each refused row is reported. For
        administrators."""
        membership, sort = self.place(slug, administrator=True)
        sent = request.FILES.get("file")
        if sort != QUESTION:
            raise Invalid(field="file", code="materials_other_sort")
        if sent is None:
            raise Invalid(field="file", code="file_missing")
        given: dict[str, Any] = {
            "project": membership.project,
            "by": self.user,
            "split": self.query_values["split"],
        }
        with NamedTemporaryFile(prefix="mufakat-questions-") as file:
            file.writelines(sent.chunks())
            file.flush()
            return self.row_response(questions_take(path=Path(file.name), name=sent.name or "file", **given))


class Instructions(MaterialApi):
    """Instructions for models."""

    @operation(scopes=[READ], gives=InstructionsRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read the templates that the project's steps use, as a run of now would. For leads and administrators."""
        return self.instructions(machine.machine_membership(self.user, slug))

    @operation(scopes=[MANAGE], takes=InstructionIn, gives=InstructionsRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Make the next version of a template; what runs have pinned stays. A stale `version` is answered with 409. For
        administrators."""
        machine.machine_membership(self.user, slug)
        membership, sent = access.administrator_membership(self.user, slug), self.validated_body()
        if sent["name"] not in _steps_by_template(membership):
            raise Invalid(field="name", code="instruction_unknown")
        given = {"name": sent["name"], "text": sent["text"], "note": sent["note"], "seen": sent["version"]}
        try:
            instruction_save(project=membership.project, by=self.user, **given)
        except Invalid as refusal:
            fault = refusal.details.get("fault")
            if not isinstance(fault, InstructionFault):
                raise
            raise Invalid(str(fault), field="text", code=refusal.code) from refusal
        return self.instructions(membership)

    def instructions(self, membership: Membership) -> Response:
        """As they stand, by name."""
        rows = []
        for name, steps in sorted(_steps_by_template(membership).items()):
            now = current_instruction(membership.project, name)
            rows.append({"name": name, "steps": steps, "version": now.n, "text": now.text})
        return self.row_response({"instructions": rows})


def _steps_by_template(membership: Membership) -> dict[str, list[str]]:
    """The steps by the template that they use."""
    used: dict[str, list[str]] = {}
    for step in machine.recipe_of(membership.project).steps:
        for name in step.instructions:
            if name in rules.names():
                used.setdefault(name, []).append(step.slug)
    return used
