"""`concepts`: proposed by writers, added, reviewed and changed by leads, taken over from other projects."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, ListQuery, Row, WholeNumberField
from annotation.concepts import actions, queries
from annotation.concepts.forms import MOST_LINES
from annotation.content.models.source import Concept
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Invalid
from annotation.elicitation.rules.sessions import LONGEST_SOURCE

SURE_HELP = "Store it although a nearly equal one is there: `near` of the refusal (`concept_near`) has both wordings."


class ConceptRow(Row):
    """A concept of a category. `mine`: you proposed it; `words`, why it came back, and `proposed_by` are null for
    writers where it is somebody else's. `parallel` is its wording in the other language."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    category = serializers.CharField()
    text = serializers.CharField()
    state = serializers.ChoiceField(Concept.State.values)
    version = serializers.IntegerField()
    parallel = serializers.CharField()
    shared_key = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    mine = serializers.BooleanField()
    proposed_by = serializers.CharField(allow_null=True)
    words = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()


class ConceptQuery(ListQuery):
    """Which concepts."""

    category = serializers.CharField(default="", allow_blank=True, max_length=actions.LONGEST_CATEGORY)
    state = serializers.ChoiceField(Concept.State.values, default="", allow_blank=True)


class ConceptIn(Body):
    """A concept for one of the project's categories; for any while it has none."""

    category = serializers.CharField(max_length=actions.LONGEST_CATEGORY)
    text = serializers.CharField(max_length=actions.LONGEST_CONCEPT)
    source = serializers.CharField(  # type: ignore[assignment]
        max_length=LONGEST_SOURCE, default="", allow_blank=True, help_text="How it was found."
    )
    sure = serializers.BooleanField(default=False, help_text=SURE_HELP)


class ConceptsIn(Body):
    """Approved concepts of one category, each by its text."""

    category = serializers.CharField(max_length=actions.LONGEST_CATEGORY)
    texts = serializers.ListField(
        child=serializers.CharField(max_length=actions.LONGEST_CONCEPT), max_length=MOST_LINES
    )
    source = serializers.CharField(max_length=LONGEST_SOURCE, default="", allow_blank=True)  # type: ignore[assignment]
    sure = serializers.BooleanField(default=False, help_text=SURE_HELP)


class ConceptsAddedRow(Row):
    """How many concepts are new, and how many were there already."""

    added = serializers.IntegerField()
    there = serializers.IntegerField()


class ConceptsTakenIn(Body):
    """The project, by its slug, whose approved concepts are taken over under the same shared keys."""

    project = serializers.SlugField(max_length=80)


class ConceptChangeIn(Body):
    """What a lead changes; whoever proposed it changes the text. What is left out stays."""

    version = WholeNumberField(help_text="The version that you read; another one is answered with 409.")
    text = serializers.CharField(max_length=actions.LONGEST_CONCEPT, required=False)
    category = serializers.CharField(max_length=actions.LONGEST_CATEGORY, required=False)
    parallel = serializers.CharField(max_length=actions.LONGEST_CONCEPT, required=False, allow_blank=True)
    source = serializers.CharField(max_length=LONGEST_SOURCE, required=False, allow_blank=True)  # type: ignore[assignment]
    sure = serializers.BooleanField(default=False, help_text=SURE_HELP)


class ConceptApproveIn(Body):
    """Which version was looked at."""

    version = WholeNumberField()


class ConceptReturnIn(ConceptApproveIn):
    """Why it comes back to whoever proposed it."""

    words = serializers.CharField(max_length=actions.LONGEST_WORDS)


def _row(membership: Membership, concept: Concept) -> dict[str, Any]:
    own = membership.annotator is not None and concept.proposed_by_id == membership.annotator.pk
    told = own or membership.sees_all
    names = ("id", "key", "category", "text", "state", "version", "parallel", "shared_key", "at")
    return {name: getattr(concept, name) for name in names} | {
        "source": concept.extra.get("source", ""),
        "mine": own,
        "proposed_by": concept.proposed_by.pseudonym if told and concept.proposed_by else None,
        "words": concept.words if told else None,
    }


class ConceptApi(ApiView):
    """Concepts of a project."""

    tag = "concepts"

    def place(self, slug: str) -> Membership:
        """Whoever asks, as writer, lead or administrator. Raises NotFound where the kind has no concepts."""
        return queries.concepts_membership(self.user, slug)

    def overseer(self, slug: str) -> Membership:
        """Whoever asks, as lead or administrator."""
        self.place(slug)
        return access.lead_membership(self.user, slug)

    def row(self, membership: Membership, concept: Concept, status: int = 200) -> Response:
        """One concept as it stands now."""
        return self.row_response(_row(membership, queries.concept(membership, concept.pk)), status)


class Concepts(ConceptApi):
    """The list."""

    @operation(scopes=[READ], gives=ConceptRow, query=ConceptQuery, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the concepts. For writers, leads and administrators of projects with concepts."""
        membership = self.place(slug)
        chosen = {name: self.query_values[name] for name in ("category", "state") if self.query_values[name]}
        rows = Concept.objects.filter(project=membership.project, **chosen).select_related("proposed_by")
        return self.page_response(rows, lambda page: [_row(membership, each) for each in page])


class ConceptsPropose(ConceptApi):
    """A writer's concept."""

    @operation(scopes=[ANNOTATE], takes=ConceptIn, gives=ConceptRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Propose a concept; nobody writes for it before a lead approved it. For writers."""
        self.place(slug)
        membership, writer = access.writer_at_work(self.user, slug)
        target = access.only_target(membership.project)
        made = actions.concept_propose(writer=writer, target=target, **self.validated_body())
        return self.row(membership, made, status=201)


class ConceptsAdd(ConceptApi):
    """A lead's concepts."""

    @operation(scopes=[MANAGE], takes=ConceptsIn, gives=ConceptsAddedRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Add approved concepts to a category. For leads and administrators."""
        membership = self.overseer(slug)
        target = access.only_target(membership.project)
        new, there = actions.concepts_add_typed(target=target, by=self.user, **self.validated_body())
        return self.row_response({"added": new, "there": there}, status=201)


class ConceptsTakeOver(ConceptApi):
    """Another project's concepts."""

    @operation(scopes=[MANAGE], takes=ConceptsTakenIn, gives=ConceptsAddedRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Take over another project's approved concepts; those that are here already stay as they are. For leads and
        administrators of both."""
        membership, wanted = self.overseer(slug), self.validated_body()["project"]
        lists = queries.concept_source_projects(membership)
        source = next((each for each in lists if each.slug == wanted and self.token_covers(wanted)), None)
        if source is None:
            raise Invalid(field="project", code="concepts_source_missing")
        n = actions.concepts_take_over(source=source, into=membership.project, by=self.user)
        approved = Concept.objects.filter(project=source, state=Concept.State.APPROVED).count()
        return self.row_response({"added": n, "there": approved - n})


class ConceptView(ConceptApi):
    """One concept."""

    @operation(scopes=[READ], gives=ConceptRow)
    def get(self, request: Request, slug: str, concept_id: int) -> Response:
        """Read one concept. For leads and administrators, and whoever proposed it."""
        membership = self.place(slug)
        return self.row(membership, queries.concept(membership, concept_id))


class ConceptChange(ConceptApi):
    """One concept that is changed."""

    @operation(scopes=[MANAGE, ANNOTATE], takes=ConceptChangeIn, gives=ConceptRow, repeats=True)
    def post(self, request: Request, slug: str, concept_id: int) -> Response:
        """Change a concept: leads (with the scope `manage`) all of it, whoever proposed it the text, by which it is
        proposed again."""
        membership, sent = self.place(slug), self.validated_body()
        concept = queries.concept(membership, concept_id)
        given = {"concept_id": concept.pk, "version": sent["version"], "sure": sent["sure"]}
        given["text"] = sent.get("text", concept.text)
        if membership.sees_all and (self.token is None or MANAGE in self.token.scopes):
            for name in ("category", "parallel"):
                given[name] = sent.get(name, getattr(concept, name))
            given["source"] = sent.get("source")
            actions.concept_change(project=membership.project, by=self.user, **given)
        else:
            if strange := sorted(sent.keys() - given.keys()):
                raise Invalid(field=strange[0], code="concept_text_alone")
            _, writer = access.require_role(self.user, slug, "writer")
            actions.concept_propose_again(writer=writer, **given)
        return self.row(membership, concept)


class ConceptReviewed(ConceptApi):
    """One concept that a lead reviews."""

    def reviewed(self, slug: str, concept_id: int, *, approve: bool) -> Response:
        """Approve or return it. Raises Conflict where it is the lead's own, decided, or in use."""
        membership = self.overseer(slug)
        concept = queries.concept(membership, concept_id)
        told: dict[str, Any] = {**self.validated_body(), "concept_id": concept.pk, "approve": approve}
        actions.concept_review(project=membership.project, by=self.user, **told)
        return self.row(membership, concept)


class ConceptApprove(ConceptReviewed):
    """One concept that is approved."""

    @operation(scopes=[MANAGE], takes=ConceptApproveIn, gives=ConceptRow, repeats=True)
    def post(self, request: Request, slug: str, concept_id: int) -> Response:
        """Approve a proposed concept: from now on it is given to writers. For leads and administrators who did not
        propose it."""
        return self.reviewed(slug, concept_id, approve=True)


class ConceptReturn(ConceptReviewed):
    """One concept that comes back."""

    @operation(scopes=[MANAGE], takes=ConceptReturnIn, gives=ConceptRow, repeats=True)
    def post(self, request: Request, slug: str, concept_id: int) -> Response:
        """Return a concept to whoever proposed it, with words. For leads and administrators."""
        return self.reviewed(slug, concept_id, approve=False)
