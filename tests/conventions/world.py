"""One small world for the convention tests: two projects, one person a role, and an object of every kind that has an
address. Every word that a person can type is planted: a mark that is nowhere else, and markup that must stay words.
To make a new address testable, give the object that it names a field on `Things` and make it in `_things`."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from django.conf import settings
from django.test import Client
from django.test.client import ClientHandler

from annotation.content.models.item import Hypothesis, Item
from annotation.content.models.source import Allocation, Concept, Premise
from annotation.core.actions.members import Roles
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.elicitation.actions import elicitation_answer, elicitation_seed
from annotation.elicitation.models import ElicitationAnswer, Session
from annotation.jobs.models import Heartbeat, Import, ImportRow, Job
from annotation.jobs.queue import DECIDER, WORKER
from annotation.media.actions import media_keep
from annotation.projects.actions.invitations import invitation_create
from annotation.projects.actions.projects import guideline_publish
from annotation.writing.actions.allocation import allocations_assign
from tests import factory
from tests.annotation.media.files import image
from tests.conventions.evaluated_project import with_evaluation
from tests.conventions.imported_questions import documents, with_question_file
from tests.conventions.lead_questions import thread_of, with_thread
from tests.conventions.machine_project import with_generation
from tests.conventions.named_objects import PROJECTS, XSS, Things, mark
from tests.conventions.pay_objects import entry_of, with_pay
from tests.conventions.project_texts import with_about, with_task_prompt, with_token
from tests.conventions.quality_work import with_quality
from tests.conventions.release_objects import build_release_once, unvalidated_set
from tests.conventions.translation_project import colleagues_objects as translated_of
from tests.conventions.translation_project import with_translations
from tests.conventions.webhooks import with_webhook
from tests.prompts import a_prompt, a_prompt_project, a_topic
from tests.questions import a_concept, a_question_project
from validation.group_review import actions as group
from validation.models import Assignment, Comment, Flag, Proposal, Review, Vote
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast


@dataclass
class World:
    """`own` is the project that the roles belong to, `foreign` the other one, `others` what is a colleague's in
    the own project, `nothing` what does not exist (under the own project's slug: `missing`)."""

    people: dict[str, User]
    own: Things
    others: Things
    foreign: Things
    nothing: Things = field(default_factory=Things)
    sessions: dict[str, str] = field(default_factory=dict)
    # Each holds its middleware, which is slow to make: one for browsers that are asked for the token, one for others.
    handlers: dict[bool, ClientHandler] = field(default_factory=dict)

    @cached_property
    def missing(self) -> Things:
        return Things(**{**asdict(self.nothing), **self._slugs})

    @cached_property
    def alien(self) -> Things:
        """The other project's things under the own project's slug; ids of prompts are numbers that both have."""
        return Things(**{**asdict(self.foreign), **self._slugs, "prompt_key": "none", "look_key": "none"})

    @property
    def _slugs(self) -> dict[str, str]:
        return {name: getattr(self.own, name) for name in PROJECTS}

    def client(self, role: str, *, csrf: bool = False) -> Client:
        """A new browser in which this role is logged in."""
        client = Client(enforce_csrf_checks=csrf)
        client.handler = self.handlers.setdefault(csrf, client.handler)
        if role in self.people:
            if role not in self.sessions:
                client.force_login(self.people[role], backend=settings.AUTHENTICATION_BACKENDS[0])
                self.sessions[role] = client.cookies[settings.SESSION_COOKIE_NAME].value
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[role]
        return client

    @property
    def project(self) -> Project:
        return Project.objects.get(slug=self.own.slug)


def build() -> World:
    """Both projects with everything in them, and all processes at work, however long the tests take."""
    for part in (DECIDER, WORKER):
        Heartbeat.objects.update_or_create(name=part, defaults={"at": "2999-01-01T00:00:00Z"})
    administrator = factory.user(administrator=True, name=mark("administrator-name"))
    one = _project("one", administrator)
    two = _project("two", administrator)
    crowd = {name: _member(one, name) for name in ("writer", "validator", "lead", "removed")}
    colleagues = {name: _member(one, name) for name in ("second-writer", "second-validator", "third-validator")}
    writer, validator = _member(two, "foreign-writer"), _member(two, "foreign-validator")
    crowd["deactivated"] = _member(one, "deactivated-writer")
    own = _things(one, crowd["writer"], crowd["validator"], colleagues, crowd["lead"])
    foreign_lead = _member(two, "foreign-lead")
    foreign = _things(two, writer, validator, {}, foreign_lead)
    _look_doubtful(one, crowd["lead"], colleagues)
    own = _with_questions(own, {**crowd, **colleagues})
    foreign = _with_questions(foreign, {"writer": writer, "second-writer": writer, "lead": foreign_lead})
    own = _with_prompts(own, {**crowd, **colleagues})
    foreign = _with_prompts(foreign, {"writer": writer, "second-writer": writer, "lead": foreign_lead})
    own = with_question_file(with_generation(own, crowd))
    foreign = with_question_file(with_generation(foreign, {"writer": writer, "lead": foreign_lead}, first=71))
    own = with_translations(own, {**crowd, **colleagues}, administrator)
    own = with_evaluation(own, crowd, administrator)
    foreign = with_evaluation(foreign, {"writer": writer, "lead": foreign_lead}, administrator, twice=True)
    own = with_pay(own, administrator, crowd["writer"], colleagues["second-writer"])
    foreign = with_pay(foreign, administrator, writer, writer)
    with_about(colleagues["second-writer"], administrator)
    with_about(writer, administrator)
    own = with_task_prompt(own, administrator, "ringkas")
    foreign = with_task_prompt(foreign, administrator, "lain")
    foreign = with_translations(
        foreign, {"writer": writer, "second-writer": writer, "lead": foreign_lead}, administrator
    )
    own, foreign = with_webhook(with_token(own, crowd["writer"])), with_webhook(with_token(foreign, writer))
    own = with_quality(with_thread(own, crowd["validator"], crowd["lead"]), colleagues["second-validator"])
    foreign = with_quality(with_thread(foreign, validator, foreign_lead), validator)
    people = {name: place.user for name, place in crowd.items() if place.user is not None}
    Annotator.objects.filter(pk=crowd["removed"].pk).update(left_at="2026-01-01T00:00Z")
    User.objects.filter(pk=people["deactivated"].pk).update(is_active=False)
    assert writer.user is not None
    world = World(
        people={**people, "administrator": administrator, "other": writer.user},
        own=own,
        others=replace(
            _colleagues_things(one, own, colleagues),
            thread=thread_of(colleagues["second-validator"], crowd["lead"]),
        ),
        foreign=foreign,
    )
    for role in world.people:
        world.client(role)
    return world


def _project(slug: str, by: User) -> Project:
    project = factory.project(slug, by=by)
    Project.objects.filter(pk=project.pk).update(name=mark(f"project-{slug}"), description=mark("description"))
    project.refresh_from_db()
    for role in ("writing", "validation"):
        text = f"# Title\n\n{XSS}\n\n[here](javascript:alert(1)) [data](data:text/html,x) ![x](javascript:alert(2))"
        guideline_publish(project=project, role=role, text=text, note=mark("note"), by=by)
    return project


def _member(project: Project, name: str) -> Annotator:
    roles = [role for role in ("writer", "validator", "lead") if role in name] or ["writer", "validator"]
    account = factory.user(f"canary-mail-{name}-{project.slug}@example.org", name=mark(f"name-{name}"))
    return factory.member(project, *roles, account=account)


def _things(
    project: Project,
    writer: Annotator,
    validator: Annotator,
    voters: Mapping[str, Annotator],
    lead: Annotator,
) -> Things:
    """A written premise with six pairs in validation, an open premise, an open assignment, an invitation."""
    second = voters.get("second-writer")
    items = factory.written_pairs(project, second or writer)
    unvalidated_set(project, writer)
    factory.premises(project, 4, start=50)
    allocations_assign(target=project.targets.get(), writers=[w for w in (writer, second) if w], size=2)
    for model in (Premise, Hypothesis):
        for number, row in enumerate(model._default_manager.filter(project=project)):
            model._default_manager.filter(pk=row.pk).update(text=f"{model.__name__} {number} {XSS}")
    Item.objects.filter(pk=items[0].pk).update(key=f"{project.slug}-first")
    decide_due()
    assignment = assignment_claim(annotator=validator, target=project.targets.get(), spacing=0)
    assert assignment is not None
    allocation = Allocation.objects.filter(writer=writer, state=Allocation.State.OPEN).order_by("position")[0]
    assert lead.user is not None
    invited = invitation_create(
        project=project,
        email=f"canary-mail-invited-{project.slug}@example.org",
        roles=Roles(writer=True),
        by=lead.user,
    )
    return Things(
        slug=project.slug,
        allocation=allocation.token,
        assignment=assignment.token,
        annotator=str(writer.pk),
        invitation=invited.token,
        invitation_id=str(invited.invitation.pk),
        item=str(items[0].pk),
        item_key=f"{project.slug}-first",
        job=str(Job.objects.create(kind="insights", project=project, state="done").pk),
        own_item=str(Item.objects.filter(author=writer).order_by("pk")[0].pk),
        own_item_key=Item.objects.filter(author=writer).order_by("pk")[0].key,
        imported=str(_imported(project).pk),
        documents=str(documents(project).pk),
        **_media(project),
        many=str(
            Job.objects.create(
                kind="review_many", project=project, state="done", args={"act": "approve", "items": []}
            ).pk
        ),
        release=str(build_release_once(project, twice=not voters)),
        predictions="1" if voters else "2",
    )


def _with_questions(things: Things, crowd: Mapping[str, Annotator]) -> Things:
    """The same with a project of questions, in which the same people have the same roles: its concepts.

    One was proposed by the writer, one by a colleague; that one was returned with words for the colleague alone.
    """
    project = a_question_project(f"{things.slug}-questions")
    places = {
        name: factory.member(project, name.rpartition("-")[2], account=crowd[name].user)
        for name in ("writer", "second-writer", "validator", "lead")
        if name in crowd
    }
    a_concept(project, "tikar")
    state = Concept.State
    a_concept(
        project,
        "payung",
        proposed_by=places["second-writer"],
        state=state.RETURNED,
        words=mark("concept-words"),
    )
    own = a_concept(project, "kelambu", proposed_by=places["writer"], state=state.PROPOSED)
    return replace(things, questions=project.slug, concept=str(own.pk))


def _with_prompts(things: Things, crowd: Mapping[str, Annotator]) -> Things:
    """The same with a project of prompts that a group has reviewed: a topic, and a prompt of each writer.

    What nobody but a lead may reach: a topic that waits, and a prompt that is left out.
    """
    project = a_prompt_project(f"{things.slug}-prompts", settings={"check_first": True})
    places = {
        name: factory.member(project, name.rpartition("-")[2], account=crowd[name].user)
        for name in ("writer", "second-writer", "validator", "lead")
        if name in crowd and not (name == "second-writer" and crowd[name] == crowd["writer"])
    }
    topic = a_topic(project, "kondangan")
    a_topic(project, "arisan", state=Concept.State.PROPOSED)
    own = a_prompt(project, places["writer"], topic=topic)
    colleagues = a_prompt(project, places.get("second-writer", places["writer"]), topic=topic)
    left_out = a_prompt(project, places["writer"], topic=topic)
    Item.objects.filter(pk=left_out.pk).update(stage="excluded")
    made = replace(things, prompts=project.slug, topic=str(topic.pk))
    made = replace(made, prompt=str(own.pk), look=str(colleagues.pk))
    made = replace(made, prompt_key=own.key, look_key=colleagues.key)
    made = _with_review(made, own, factory.member(project, "reviewer"))
    return _with_answers(made, project, places)


def _with_review(things: Things, item: Item, reviewer: Annotator) -> Things:
    """A session of group review, with what somebody proposed and said there."""
    session = Session.objects.create(
        project=item.project, purpose=Session.Purpose.REVIEW, name=mark("session"), held_on="2026-05-02"
    )
    made = group.suggest(
        by=reviewer,
        session_id=session.pk,
        item_id=item.pk,
        form="reword",
        typed={"instruction": mark("suggestion")},
        words=mark("suggestion-words"),
    )
    group.remark(by=reviewer, session_id=session.pk, suggestion_id=made.pk, text=mark("remark"))
    return replace(things, review=str(session.pk), suggestion=str(made.pk))


def _with_answers(things: Things, project: Project, places: Mapping[str, Annotator]) -> Things:
    """A question that groups are asked, answered by each writer, and a session of such a group."""
    elicitation_seed(project=project, by=None)
    question = project.elicitation.order_by("position")[0]
    meeting = Session.objects.create(
        project=project, purpose=Session.Purpose.ELICITATION, name=mark("group"), held_on="2026-05-01"
    )
    given = {
        name: elicitation_answer(
            annotator=places[name], question_id=question.pk, text=mark("group-answer"), session_id=meeting.pk
        )
        for name in ("writer", "second-writer")
        if name in places
    }
    return replace(things, asked=str(question.pk), answer=str(given["writer"].pk), meeting=str(meeting.pk))


def _media(project: Project) -> dict[str, str]:
    """The name of an image with metadata in its address, and its row; no other project has the same."""
    data = image("JPEG", size=(project.pk % 900 + 1, 2), place="Jalan Melati 7")
    kept = media_keep(project=project, by=None, name="a.jpg", data=data)
    return {"media": kept.reference.removeprefix("media/"), "media_file": str(kept.pk)}


def _imported(project: Project) -> Import:
    """A file that was sent and not started, its report filled; the file itself is gone."""
    columns = [mark("column"), "text"]
    found = Import.objects.create(
        project=project,
        name=mark("file"),
        path="0" * 32,
        mapping={"fields": {"premise": "text"}, "columns": columns, "format": "csv", "lines": 2},
        refused=1,
    )
    ImportRow.objects.create(source=found, n=2, field="premise", reason=mark("refused"))
    return found


def _colleagues_things(project: Project, own: Things, colleagues: Mapping[str, Annotator]) -> Things:
    assignment = Assignment.objects.filter(annotator=colleagues["third-validator"], state=Assignment.State.OPEN).get()
    allocation = Allocation.objects.filter(writer=colleagues["second-writer"], state=Allocation.State.OPEN)[0]
    concept = Concept.objects.get(project__slug=own.questions, state=Concept.State.RETURNED)
    topic = Concept.objects.get(project__slug=own.prompts, state=Concept.State.PROPOSED)
    left_out = Item.objects.get(project__slug=own.prompts, stage="excluded")
    return replace(
        own,
        allocation=allocation.token,
        assignment=assignment.token,
        entry=entry_of(colleagues["second-writer"]),
        own_entry=entry_of(colleagues["second-writer"]),
        **{"own_item": own.item, "own_item_key": own.item_key},
        concept=str(concept.pk),
        topic=str(topic.pk),
        **{"prompt": own.look, "look": str(left_out.pk)},
        **{"prompt_key": own.look_key, "look_key": left_out.key},
        **translated_of(own),
        answer=str(ElicitationAnswer.objects.filter(project__slug=own.prompts).exclude(pk=own.answer).get().pk),
    )


def vote(annotator: Annotator, words: str, label: str = "e") -> Vote:
    """One vote of this person on whatever the queue gives them, with a comment and a proposal."""
    target = annotator.project.targets.get()
    assignment = assignment_claim(annotator=annotator, target=target, spacing=0)
    assert assignment is not None
    assert annotator.user_id is not None
    ballot = Ballot(
        label=label,
        unsure=True,
        ambiguous=True,
        comment=mark(f"comment-{words}"),
        proposals={"hypothesis": mark(f"proposal-{words}")},
    )
    return vote_cast(user_id=annotator.user_id, slug=annotator.project.slug, token=assignment.token, ballot=ballot).vote


def _look_doubtful(project: Project, lead: Annotator, colleagues: Mapping[str, Annotator]) -> None:
    """Votes of two colleagues, verdicts, flags, a lead's words, a comment: what a validator must never see."""
    second, third = colleagues["second-validator"], colleagues["third-validator"]
    for _ in range(4):
        vote(second, "second")
        vote(third, "third")
    decide_due()
    assert assignment_claim(annotator=third, target=project.targets.get(), spacing=0) is not None
    voted = Item.objects.filter(project=project, votes_n__gt=0).order_by("pk")[0]
    Item.objects.filter(pk=voted.pk).update(doubt=3)
    Flag.objects.create(
        project=project, item=voted, code="text_error", detail={"words": mark("flag")}, by=lead, version=90
    )
    Review.objects.create(
        project=project,
        item=voted,
        version=91,
        event="approve",
        by=lead,
        words=mark("review"),
        error_type=mark("error")[:60],
    )
    Comment.objects.create(project=project, item=voted, by=lead, text=mark("lead-comment"))
    assert Proposal.objects.filter(project=project).exists()


Provider = Callable[[World, str], Things]
TARGETS: Mapping[str, Provider] = {
    "own": lambda world, role: world.own,
    "foreign": lambda world, role: world.foreign,
    "missing": lambda world, role: world.missing,
}
