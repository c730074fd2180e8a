"""`studies` of a project: drawn, read and closed as on their pages, with the files of their reports."""

from collections.abc import Iterable
from typing import Any, cast

from django.core.files.uploadedfile import SimpleUploadedFile
from django.forms import ChoiceField, FileField
from django.http import QueryDict
from django.http.response import HttpResponseBase
from django.utils.datastructures import MultiValueDict
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.ui.csv_files import csv_answer
from validation.studies.actions.studies import study_close, study_create, study_group_join
from validation.studies.models import Study
from validation.studies.queries import studies as fetch
from validation.studies.study_types import StudyForm, StudyType, all_study_types, study_type_of

LONGEST = 60


class StudyRow(Row):
    """A study, by its kind and number. People answer it in a project of its own, `project`, with the API's `work:next`.

    `over`: of how many of its items nobody is asked any more.
    """

    kind = serializers.CharField()
    n = serializers.IntegerField()
    title = serializers.SerializerMethodField()
    project = serializers.CharField(source="project.slug")
    name = serializers.CharField(source="project.name")
    items = serializers.IntegerField()
    over = serializers.IntegerField()
    at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(source="project.closed_at", allow_null=True)

    def get_title(self, study: Study) -> str:
        """What lists call it; empty: nothing."""
        return all_study_types()[study.kind].title(study)


class PersonRow(Row):
    """Somebody who answers, and how many items of how many they answered."""

    pseudonym = serializers.CharField()
    group = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()


class StudyWhole(StudyRow):
    """A study with its people. `files` are those of its report; none before that may be read."""

    people = serializers.SerializerMethodField()
    files = serializers.SerializerMethodField()

    def get_people(self, study: Study) -> list[dict[str, Any]]:
        """By group and pseudonym."""
        return [dict(PersonRow(each).data) for each in fetch.people(study)]

    def get_files(self, study: Study) -> list[str]:
        """Their names."""
        kind = all_study_types()[study.kind]
        return list(kind.csv_files) if fetch.shows_report(study, kind) else []


class StudyIn(Body):
    """A study to be drawn: its kind, the short name of the project in which it is answered, and `options`, what the
    page of a new study of this kind asks besides. A file is given as its text, in JSON Lines."""

    kind = serializers.SlugField(max_length=LONGEST)
    slug = serializers.SlugField(max_length=LONGEST)
    name = serializers.CharField(max_length=200, default="", allow_blank=True)
    members = serializers.ListField(
        child=WholeNumberField(),
        default=list,
        max_length=1000,
        help_text="Who takes part, by the `id` of a member.",
    )
    options = serializers.DictField(default=dict)


class StudyClosingIn(Body):
    """Whether the study is closed from now on. To open one again, `confirm` is the short name of its project."""

    closed = serializers.BooleanField()
    confirm = serializers.CharField(default="", allow_blank=True, max_length=LONGEST)


class StudyMemberIn(Body):
    """Somebody who joined the study's project later, by pseudonym, and the number of a group."""

    member = serializers.CharField(max_length=LONGEST)
    group = serializers.CharField(max_length=LONGEST)


def _form(kind: StudyType, membership: Membership, sent: dict[str, Any]) -> StudyForm:
    """The form of its page, as it would have been sent. Raises Invalid, naming the field."""
    options, people = sent["options"], kind.eligible_members(membership.project)
    data, files = QueryDict(mutable=True), MultiValueDict[str, Any]()
    form = kind.form(data, files, people=people)
    own = form.fields.keys() - {"slug", "name", "members"}
    if strange := sorted(options.keys() - own):
        words = f"There is no such option. There are: {', '.join(sorted(own))}."
        raise Invalid(words, field=f"options.{strange[0]}", code="setting_unknown")
    data.update({"slug": sent["slug"], "name": sent["name"]})
    data.setlist("members", [str(each) for each in sent["members"]])
    for name, value in options.items():
        if isinstance(form.fields[name], FileField):
            files[name] = SimpleUploadedFile(f"{name}.jsonl", str(value).encode())
        elif value is not None and value is not False:
            data.setlist(name, [str(one) for one in (value if isinstance(value, list) else [value])])
    prepared = kind.prepare_form(membership.project, form)
    if not prepared:
        raise Conflict(str(kind.requirements), code="refused")
    for name, problems in form.errors.items():
        field, words = form.fields[name], " ".join(map(str, problems))
        if isinstance(field, ChoiceField):
            choices = cast(Iterable[tuple[Any, Any]], field.choices)
            there = "; ".join(f"{key} ({shown})" for key, shown in choices)
            words = f"{words} There are: {there}."
        raise Invalid(words, field=f"options.{name}" if name in own else name, code="setting_wrong")
    return form


class StudyApi(ApiView):
    """What addresses of studies have alike."""

    tag = "studies"

    def found(self, slug: str, kind: str, n: int) -> tuple[Membership, StudyType, Study]:
        """One study, for leads and administrators. Raises NotFound."""
        membership = access.lead_membership(self.user, slug)
        of = study_type_of(membership.project, kind)
        study = fetch.studies_with_counts(membership, [of]).filter(n=n).first()
        if study is None:
            raise NotFound
        return membership, of, study

    def drawer(self, membership: Membership, kind: StudyType) -> None:
        """Raises Forbidden for who does not draw such studies."""
        if not fetch.may_draw(membership, kind):
            raise Forbidden


class Studies(StudyApi):
    """The studies of a project."""

    @operation(scopes=[READ], gives=StudyRow, paged=True, since=("at", "project__closed_at"))
    def get(self, request: Request, slug: str) -> Response:
        """List the studies that were drawn from the project. For leads and administrators."""
        membership = access.lead_membership(self.user, slug)
        kinds = [kind for kind in all_study_types().values() if kind.is_available(membership.project)]
        return self.page_response(fetch.studies_with_counts(membership, kinds))

    @operation(scopes=[MANAGE], takes=StudyIn, gives=StudyWhole, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Draw a study. For administrators, and for leads where they draw such ones."""
        membership, sent = access.lead_membership(self.user, slug), self.validated_body()
        kind = study_type_of(membership.project, sent["kind"])
        self.drawer(membership, kind)
        form = _form(kind, membership, sent)
        made = study_create(
            kind=kind,
            project=membership.project,
            slug=sent["slug"],
            by=self.user,
            sent=form.cleaned_data,
            name=sent["name"],
            members=sent["members"],
        )
        return self.row_response(self.found(slug, kind.slug, made.n)[2], status=201)


class StudyView(StudyApi):
    """One study."""

    @operation(scopes=[READ], gives=StudyWhole)
    def get(self, request: Request, slug: str, kind: str, n: int) -> Response:
        """Read how far a study is, and which files its report has. For leads and administrators."""
        return self.row_response(self.found(slug, kind, n)[2])


class StudyClosing(StudyApi):
    """Whether a study is open."""

    @operation(scopes=[MANAGE], takes=StudyClosingIn, gives=StudyWhole, repeats=True)
    def post(self, request: Request, slug: str, kind: str, n: int) -> Response:
        """Close a study, so that nobody answers any more, or open it again. A blind one stays closed. For those who
        draw such studies."""
        membership, of, study = self.found(slug, kind, n)
        self.drawer(membership, of)
        study_close(study=study, by=self.user, **self.validated_body())
        return self.row_response(self.found(slug, kind, n)[2])


class StudyMembers(StudyApi):
    """The groups of one study."""

    @operation(scopes=[MANAGE], takes=StudyMemberIn, gives=StudyWhole)
    def post(self, request: Request, slug: str, kind: str, n: int) -> Response:
        """Give somebody who joined later the items of a group, where a study has groups. For those who draw such
        studies."""
        membership, of, study = self.found(slug, kind, n)
        self.drawer(membership, of)
        study_group_join(study=study, by=self.user, **self.validated_body())
        return self.row_response(self.found(slug, kind, n)[2])


class StudyFileView(StudyApi):
    """One file of a study's report."""

    @operation(scopes=[READ], media="text/csv")
    def get(self, request: Request, slug: str, kind: str, n: int, name: str) -> HttpResponseBase:
        """Read a file of the report as CSV; of a blind study once it is closed. For leads and administrators."""
        _membership, of, study = self.found(slug, kind, n)
        if name not in of.csv_files:
            raise NotFound
        if not fetch.shows_report(study, of):
            raise Forbidden
        _words, rows = of.csv_files[name]
        return csv_answer(None, rows(study), f"{slug}-{kind}-{n}-{name}.csv")
