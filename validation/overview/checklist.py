"""The steps that a project still needs, from sources to its release: a list for leads and administrators.

Every step is computed from the state of the project, nothing is ticked by hand. Which steps a project has follows from
its kind's features and shape, its protocol and its settings.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Q
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_noop as _

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept, Premise
from annotation.core import access, declared
from annotation.core.access import Membership
from annotation.core.models.project import Project
from annotation.elicitation import queries as prompts
from annotation.elicitation.models import ElicitationAnswer, Session
from annotation.generation.models import GenerationRun, MachineLimit, Material
from annotation.generation.queries.runs import is_reviewed
from annotation.translation.queries.targets import units_live
from annotation.ui.navigation import navigation_links, page_url
from validation.consensus import stages
from validation.consensus.protocol import Protocol, people_needed
from validation.overview.queries import Resting, resting
from validation.review.queries import desk
from validation.translation.queries import Progress, targets_of

VALIDATED = (stages.SETTLED, stages.NO_CONSENSUS, stages.ADJUDICATED)


@dataclass(frozen=True)
class Step:
    """One thing to do: whether it is done, how it stands, and where it is done (empty where the viewer cannot)."""

    name: str
    done: bool
    status_text: str = ""
    url: str = ""


def count_people(project: Project) -> Mapping[str, int]:
    """How many people with an account are here: by role, and who writes or votes (`both`); one statement."""
    return project.annotators.filter(user__isnull=False, left_at=None).aggregate(
        writers=Count("pk", filter=Q(is_writer=True)),
        validators=Count("pk", filter=Q(is_validator=True)),
        leads=Count("pk", filter=Q(is_lead=True)),
        both=Count("pk", filter=Q(is_writer=True) | Q(is_validator=True)),
    )


class State:
    """A project as its viewer sees it; what several steps need is read once, and only where one asks for it.

    What the caller has read already is handed in under the name of the property that it is.
    """

    def __init__(self, membership: Membership, **read: Any) -> None:
        vars(self).update(read)
        self.membership, self.project, self.kind = (
            membership,
            membership.project,
            membership.project.kind_spec,
        )
        self.recipe = membership.project.rules.recipe
        # Nobody writes here: items are imported ready, or a machine makes them.
        self.unwritten = bool(self.recipe) or not self.kind.has_writers
        self.has_targets = access.has_targets(membership.project)
        self.votes = membership.project.sample_share > 0
        self.open_rooms = {room.url for room in navigation_links(membership)}

    def at(self, name: str, more: str = "") -> str:
        """The address of a room with a query or place behind it, where the viewer may enter the room."""
        url = page_url(name, self.project.slug)
        return url + more if url in self.open_rooms else ""

    @cached_property
    def by_stage(self) -> Counter[str]:
        rows = Item.objects.filter(project=self.project).values_list("stage").annotate(n=Count("pk"))
        found = Counter[str]()
        for stage, n in rows.order_by():
            found[content_queries.counted_stage(self.membership, stage)] += n
        return found

    @property
    def items(self) -> int:
        return sum(self.by_stage.values())

    @cached_property
    def to_check(self) -> int:
        return sum(desk.check_counts(self.membership).values())

    @cached_property
    def resting(self) -> Resting:
        return resting(self.project)

    @property
    def awaits_votes(self) -> bool:
        """Whether votes are still to come, of which something may become doubtful."""
        rest = self.resting
        return self.votes and self.project.closed_at is None and bool(rest.n + rest.due + self.by_stage[stages.VOTING])

    @cached_property
    def targets(self) -> list[Progress]:
        return targets_of(self.membership)

    @cached_property
    def protocol(self) -> Protocol:
        return Protocol.from_stored(self.project.protocols.order_by("-n")[0].rules)

    @cached_property
    def people(self) -> Mapping[str, int]:
        """How many are here: `writers`, `validators`, `leads`, and who writes or votes (`both`)."""
        return count_people(self.project)

    def count_text(self, n: int) -> str:
        """So many items, by the kind's own word."""
        shown = self.kind.presentation
        return f"{intcomma(n)} {gettext(shown.item_name if n == 1 else shown.item_plural)}"


def _sources(state: State) -> Step | None:
    """What writers start from, or a machine; nothing where items come ready."""
    project, kind = state.project, state.kind
    if not kind.has_writers:
        return None
    if state.recipe:
        done = Material.objects.filter(project=project).exists()
        return Step(gettext("Take in what questions are made from"), done, url=_page_url("materials", project))
    if state.has_targets:
        name = gettext("Bring in source sets, clean them and freeze them")
        units = state.targets[0].units if state.targets else units_live(project.pk).count()
        return _counted_step(state, name, units, state.at("source_sets"))
    name = gettext("Bring in %(sources)s") % {"sources": gettext(kind.source.plural)}
    if content_queries.has_concepts(project):
        approved = Concept.objects.filter(project=project, state=Concept.State.APPROVED)
        return _counted_step(state, name, approved.count(), state.at("concepts"))
    return _counted_step(state, name, Premise.objects.filter(project=project).count(), state.at("imports"))


def _counted_step(state: State, name: str, n: int, url: str) -> Step:
    called = gettext(state.kind.source.name if n == 1 else state.kind.source.plural)
    return Step(name, n > 0, f"{intcomma(n)} {called}", url)


def _page_url(name: str, project: Project) -> str:
    return page_url(name, project.slug)


def _targets(state: State) -> Step | None:
    if not state.has_targets:
        return None
    there = [row for row in state.targets if row.target.ended_at is None]
    detail = ngettext("%(n)d target", "%(n)d targets", len(there)) % {"n": len(there)}
    return Step(gettext("Add targets"), bool(there), detail, _page_url("target_new", state.project))


def _budget(state: State) -> Step | None:
    if not state.recipe:
        return None
    done = MachineLimit.objects.filter(project=state.project).exists() or _has_run(state)
    detail = "" if done else gettext("without one, only what was kept is answered")
    url = _page_url("machine_limit", state.project) if state.membership.is_administrator else ""
    return Step(gettext("Set a budget"), done, detail, url)


def _has_run(state: State) -> bool:
    return GenerationRun.objects.filter(project=state.project).exists()


def _run(state: State) -> Step | None:
    return Step(gettext("Begin a run"), _has_run(state), url=state.at("machine")) if state.recipe else None


def _elicitation(state: State) -> Step | None:
    if "elicitation" not in state.kind.features:
        return None
    n = ElicitationAnswer.objects.filter(project=state.project).count()
    detail = ngettext("%(n)d answer", "%(n)d answers", n) % {"n": n}
    return Step(gettext("Ask a group about its life"), n > 0, detail, state.at("elicitation"))


def _people(state: State) -> Step | None:
    """Enough people for what the protocol asks; a machine's items that leads check need nobody else."""
    if not state.votes and is_reviewed(state.recipe):
        return None
    name, url = gettext("Invite people"), state.at("people", "#invite")
    if state.has_targets:
        short = [row for row in state.targets if row.lacks_people]
        words = ngettext("%(n)d target is short of people", "%(n)d targets are short of people", len(short))
        detail = words % {"n": len(short)} if short else ""
        return Step(name, bool(state.targets) and not short, detail, url)
    there = state.people
    needed = people_needed(state.protocol, written_by_people=not state.unwritten) if state.votes else 1
    both = _("%(here)d who write or vote are here, %(needed)d are needed")
    words = both if state.kind.has_writers else _("%(here)d who vote are here, %(needed)d are needed")
    here = there["both" if state.kind.has_writers else "validators"]
    detail = gettext(words) % {"here": here, "needed": needed}
    return Step(name, here >= needed and bool(there["writers"] or state.unwritten), detail, url)


def _allocations(state: State) -> Step | None:
    """Giving out; not where writers choose a topic, nor where a machine writes."""
    if state.unwritten or prompts.has_topics(state.project):
        return None
    given = Allocation.objects.filter(project=state.project).count()
    name = gettext("Give out %(sources)s") % {"sources": gettext(state.kind.source.plural)}
    detail = gettext("%(n)d given out") % {"n": given}
    return Step(name, given > 0 or state.items > 0, detail, state.at("people", "#allocation"))


def _writing(state: State) -> Step:
    made = _("A machine makes %(items)s") if state.recipe else _("Writers hand in %(items)s")
    if not state.kind.has_writers:
        name = gettext("Bring in %(sources)s") % {"sources": gettext(state.kind.presentation.item_plural)}
        return Step(name, state.items > 0, state.count_text(state.items), state.at("imports"))
    name = gettext(made) % {"items": gettext(state.kind.presentation.item_plural)}
    return Step(name, state.items > 0, state.count_text(state.items), _page_url("items", state.project))


def _group_review(state: State) -> Step | None:
    if "group_review" not in state.kind.features:
        return None
    held = Session.objects.filter(project=state.project, purpose=Session.Purpose.REVIEW).exists()
    return Step(gettext("Hold a group review"), held, url=state.at("sessions"))


def _second_look(state: State) -> Step | None:
    if prompts.SECOND_LOOK not in state.kind.features:
        return None
    left = prompts.count_not_looked_at(state.project)
    words = gettext("%(items)s that nobody has gone through") % {"items": state.count_text(left)}
    detail = words if left else ""
    return Step(
        gettext("Writers go through all a second time"),
        state.items > 0 and not left,
        detail,
        _page_url("second_looks", state.project),
    )


def _first_checks(state: State) -> Step | None:
    if not state.project.rules.check_first:
        return None
    detail = gettext("%(n)d to check") % {"n": state.to_check} if state.to_check else ""
    name = gettext("Check what was handed in")
    return Step(name, state.items > 0 and not state.to_check, detail, state.at("desk", "?check=1"))


def _votes(state: State) -> Step | None:
    if not state.votes:
        return None
    asked, through = state.by_stage[stages.VOTING], sum(state.by_stage[each] for each in VALIDATED)
    reviews = "review" in state.kind.features
    name = gettext("Reviewers review") if reviews else gettext("Validators vote")
    rest = state.resting.n + state.resting.due
    counted = _("%(asked)d open, %(through)d through")
    not_yet = _("%(rest)d not open yet, %(asked)d open, %(through)d through")
    detail = gettext(not_yet if rest else counted) % {"asked": asked, "through": through, "rest": rest}
    return Step(name, through > 0 and not state.awaits_votes, detail, _page_url("items", state.project))


def _doubts(state: State) -> Step:
    n = desk.on_desk(state.membership).count() - state.to_check
    detail = ngettext("%(n)d item waits", "%(n)d items wait", n) % {"n": n} if n else ""
    done = state.items > 0 and not n and not state.awaits_votes
    return Step(gettext("Decide what is doubtful"), done, detail, state.at("desk"))


Maker = Callable[[State], Step | None]
STEPS_BEFORE_WRITING: tuple[Maker, ...] = (
    _sources,
    _targets,
    _budget,
    _elicitation,
    _people,
    _allocations,
    _run,
)
STEPS: tuple[Maker, ...] = (
    *STEPS_BEFORE_WRITING,
    _writing,
    _group_review,
    _second_look,
    _first_checks,
    _votes,
    _doubts,
)


def open_steps(membership: Membership, **read: Any) -> list[Step]:
    """What the project needs, in order, with what is done of it; empty once all is done.

    Of a closed project only what is still to be decided and released. `read`: as State takes it.
    """
    found = list(_steps(State(membership, **read)))
    return [] if all(step.done for step in found) else found


def _steps(state: State) -> Iterator[Step]:
    last = [declared.attribute("steps", name) for name in declared.entries("steps")]
    for maker in (*(STEPS if state.project.closed_at is None else (_doubts,)), *last):
        step = maker(state)
        if step is not None:
            yield step
