"""Kinds of studies: what is drawn from a project, how it is asked, and the report on the answers.

One file a kind with a `TYPE`, named in `studies` of its app's AppConfig (annotation/core/declared.py): the mechanism
(actions.studies), the pages (views.studies) and who may not take part (eligibility) are the same for all.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django import forms
from django.core.validators import validate_slug
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from annotation.core import declared
from annotation.core.access import Membership
from annotation.core.errors import Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.kinds import Kind, SlotIn
from annotation.tasks.rules.task import Task
from annotation.ui.fields import WholeNumberField, line_field, whole_number_field
from validation.consensus.protocol import NEVER, Protocol
from validation.consensus.stages import ADJUDICATED, EXCLUDED, NO_CONSENSUS, SETTLED
from validation.studies.models import Study

MOST_PEOPLE = 9
# Where nobody is asked about an item any more.
DECIDED_STAGES = (SETTLED, NO_CONSENSUS, ADJUDICATED, EXCLUDED)
File = Callable[[Study], Iterable[Sequence[object]]]


class RowIn(NamedTuple):
    """One item to be: its key, the text of its source, and what only the study knows of it.

    A kind makes its content of `slot_input`; an item of a task has its `texts` by column. `group`: the place of the
    people who alone are asked, in `Drawn.groups`.
    """

    key: str
    data: Mapping[str, Any]
    text: str = ""
    slot_input: SlotIn = SlotIn()
    texts: Mapping[str, Any] | None = None
    source_item_id: int | None = None
    revision_n: int | None = None
    group: int = 0


@dataclass(frozen=True)
class StudyDraw:
    """What a study asks: rows of a kind, or of a task of its own, under a protocol.

    `groups` are places in the project that it is drawn from: each row is asked of its group only; none: of everybody.
    `guidelines`: what people read before they begin, in Markdown; empty: those of the kind or the task.
    """

    seed: str
    kind_or_task: Kind | Task
    protocol: Protocol
    rows: Sequence[RowIn]
    language: str
    register: str = ""
    name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    groups: Sequence[Sequence[int]] = ()
    guidelines: str = ""


class StudyForm(forms.Form):
    """What every new study asks: where it is answered, and who of the project takes part."""

    slug = forms.CharField(
        label=_("Short name of the project in which it is answered"),
        max_length=60,
        validators=[validate_slug],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Small letters, digits and hyphens. It never changes."),
    )
    name = line_field(_("Name"), 200, _("Empty: it is named after this project and the short name."), required=False)

    def __init__(self, *args: Any, people: "QuerySet[Annotator] | None" = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        there = [] if people is None else list(people)
        if there:
            self.fields["members"] = forms.TypedMultipleChoiceField(
                label=_("Who takes part"),
                choices=[(each.pk, each.pseudonym) for each in there],
                coerce=int,
                initial=[each.pk for each in there if each.is_validator],
                required=False,
                widget=forms.CheckboxSelectMultiple,
                help_text=_("Members of this project. You can invite others to the project of the study."),
            )
            self.order_fields(self.field_order)


def set_choices(form: forms.Form, name: str, choices: Iterable[tuple[str, Any]]) -> None:
    """What can be chosen in a field that was declared without choices."""
    chosen = form.fields[name]
    assert isinstance(chosen, forms.ChoiceField)  # noqa: S101 - declared so by the form
    chosen.choices = list(choices)


def people_field(initial: int, help: Any) -> WholeNumberField:
    """How many people answer each item."""
    return whole_number_field(_("People for each item"), 1, MOST_PEOPLE, help, initial=initial)


def one_round_protocol(
    name: str, people: int, *, quorum: int = 1, plurality: bool = True, most_ambiguous: int = NEVER
) -> Protocol:
    """So many people answer each item, all at once; gold is what most of them say, or `quorum` of them."""
    if not 1 <= people <= MOST_PEOPLE:
        raise Invalid(field="people", code="study_people")
    return Protocol(
        name,
        rounds=(people,),
        quorum=quorum,
        author="none",
        plurality=plurality,
        stop_hopeless=False,
        most_ambiguous=most_ambiguous,
    )


class HumanAccuracy(NamedTuple):
    """How often what most of the people say is right: of so many items of these sources."""

    people: int
    sources: Sequence[str]
    right: int
    items: int


class StudyType:
    """A kind of study. `slug` names it in addresses and stands in its draws; the rest are words for pages.

    `leads_may_draw`: leads of the project draw one too, not administrators alone. `hides_report_until_closed`: its
    report is shown once it is closed, since whoever saw how it goes could end it at the right moment. `shows_gold`:
    people are shown what is right, so that a part in it is one in the project that it was drawn from. `requirements`
    says what there has to be before one is drawn, `template` draws what `report` gives.
    """

    slug: str
    name: str
    plural: str
    help: str
    requirements: str
    template: str
    form: type[StudyForm] = StudyForm
    leads_may_draw = False
    hides_report_until_closed = False
    shows_gold = False

    def is_available(self, project: Project) -> bool:
        """Whether the project can have such studies; asks the database nothing."""
        raise NotImplementedError

    def eligible_members(self, project: Project) -> "QuerySet[Annotator] | None":
        """Members of the project who can take part; None where whoever made the items never does."""
        return None

    def prepare_form(self, project: Project, form: StudyForm) -> bool:
        """Give the form its choices; whether there is anything to draw from."""
        return True

    def draw(self, project: Project, slug: str, n: int, sent: Mapping[str, Any]) -> StudyDraw:
        """Draw, by what the form sent. Raises Invalid, naming the field."""
        raise NotImplementedError

    def excluded_members(self, study: Study) -> "QuerySet[Annotator]":
        """Places in the project that it is drawn from whose people answer nothing, now or later."""
        raise NotImplementedError

    def bars_membership(self, study: Study, *, lead: bool, targets: Collection[str] | None) -> bool:
        """Whether who answers may not become a member there: a lead, one who works for these targets, any."""
        return lead

    def source_project_slugs(self, study: Study) -> Collection[str]:
        """The projects, by their short names, whose items it asks."""
        return [study.derived_from.slug]

    def is_readable_by(self, study: Study, membership: Membership) -> bool:
        """Whether somebody who reads the studies of the project that it was drawn from reads this one."""
        return True

    def on_joined(self, study: Study, user: User) -> None:
        """What follows from somebody having a place in its project, and one in what it asks of."""

    def title(self, study: Study) -> str:
        """What lists call it beside its number; empty: nothing."""
        return ""

    def report(self, request: HttpRequest, study: Study) -> dict[str, Any]:
        """What the template shows."""
        raise NotImplementedError

    def accuracy(self, study: Study) -> HumanAccuracy | None:
        """How often its people give the right answer; None where it does not ask that, or somebody is still asked."""
        return None

    @property
    def csv_files(self) -> Mapping[str, tuple[str, File]]:
        """Its CSV files: the name, what the button says, the rows."""
        return {}


def all_study_types() -> dict[str, StudyType]:
    """Every kind of study, by its slug."""
    return {slug: declared.attribute("studies", slug) for slug in declared.entries("studies")}


def revealing_types() -> list[str]:
    """The kinds of studies that show people what is right."""
    return [slug for slug, kind in all_study_types().items() if kind.shows_gold]


def study_type_of(project: Project, slug: str) -> StudyType:
    """The kind with this slug; NotFound where there is none, or the project cannot have it."""
    found: StudyType | None = declared.attribute("studies", slug)
    if found is None or not found.is_available(project):
        raise NotFound
    return found
