"""The rooms of a project that somebody may enter, for the head of its pages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.core import declared
from annotation.core.access import Membership, has_concepts, has_targets
from annotation.elicitation.queries import open_to as sessions_open_to


@dataclass(frozen=True)
class Room:
    """One link of the navigation."""

    url: str
    name: str
    current: bool = False
    count: int | None = None


def sees_concepts(membership: Membership) -> bool:
    """Whether the page of concepts is open to somebody, and is where they go."""
    return has_concepts(membership.project) and (
        membership.sees_all or (membership.is_writer and not sees_topics(membership))
    )


def sees_topics(membership: Membership) -> bool:
    """Whether somebody begins prompts on topics."""
    return membership.is_writer and "variations" in membership.project.kind_spec.features


def looks_again(membership: Membership) -> bool:
    """Whether somebody goes through all prompts a second time, or sees who did."""
    return (
        membership.is_writer or membership.sees_all
    ) and "second_look" in membership.project.kind_spec.features


def sees_ratings(membership: Membership) -> bool:
    """Whether somebody prepares ratings of model outputs and reads what came of them."""
    return membership.sees_all and "rating" in membership.project.kind_spec.features


def asked(name: str) -> Callable[[Membership], bool]:
    """Whether a room is open to somebody, as the app says that it belongs to."""

    def is_open(membership: Membership) -> bool:
        open_to = declared.attribute("rooms", name)
        return bool(open_to and open_to(membership))

    return is_open


def sees_comparisons(membership: Membership) -> bool:
    """Whether somebody has runs compared and reads what came of it."""
    return membership.sees_all and bool(membership.project.rules.recipe)


def sees_elicitation(membership: Membership) -> bool:
    """Whether somebody answers what groups are asked first, or reads it."""
    return (
        membership.is_writer or membership.sees_all
    ) and "elicitation" in membership.project.kind_spec.features


def sees_validation(membership: Membership) -> bool:
    """Whether somebody reads what validators chose as the best."""
    return membership.sees_all and bool(membership.project.kind_spec.voted_roles)


def sees_targets(membership: Membership) -> bool:
    """Whether somebody says into which languages the project translates, and who does."""
    return membership.sees_all and has_targets(membership.project)


def sees_conflicts(membership: Membership) -> bool:
    """Whether writers and voters can be of two minds: not where voters review what a writer gave no label to."""
    return membership.sees_all and "review" not in membership.project.kind_spec.features


def checks_labels(membership: Membership) -> bool:
    """Whether somebody draws or reads label checks of translations."""
    return membership.sees_all and has_targets(membership.project)


def sees_pay(membership: Membership) -> bool:
    """Whether somebody sets what is paid here, or counts what is paid for."""
    return membership.is_administrator or (membership.is_lead and membership.project.pays)


def sees_sources(membership: Membership) -> bool:
    """Whether somebody cleans and freezes what is translated; translators never do."""
    return membership.sees_all and has_targets(membership.project)


def sees_machine(membership: Membership) -> bool:
    """Whether somebody sees how a machine writes the project's questions."""
    return membership.sees_all and bool(membership.project.rules.recipe)


def sees_phenomena(membership: Membership) -> bool:
    """Whether somebody draws diagnostic sets, or reads what an expert made of their tags."""
    return membership.sees_all and "tags" in membership.project.kind_spec.settings


ROOMS: tuple[tuple[str, str, Callable[[Membership], bool]], ...] = (
    ("project", _("Overview"), lambda membership: True),
    ("targets", _("Targets"), sees_targets),
    ("concepts", _("Concepts"), sees_concepts),
    ("source_sets", _("Sources"), sees_sources),
    ("machine", _("Machine"), sees_machine),
    ("elicitation", _("Elicitation"), sees_elicitation),
    ("topics", _("Topics"), sees_topics),
    ("write", _("Write"), lambda membership: membership.is_writer),
    ("sessions", _("Sessions"), lambda membership: bool(sessions_open_to(membership))),
    ("second_look", _("Second look"), looks_again),
    ("vote", _("Vote"), lambda membership: membership.is_validator),
    ("rate", _("Rate"), lambda membership: membership.is_rater),
    ("compare", _("Compare"), asked("compare")),
    ("answer", _("Answer"), lambda membership: membership.is_baseline),
    ("desk", _("Review desk"), lambda membership: membership.sees_all),
    ("insights", _("Insights"), lambda membership: membership.sees_all),
    ("validation", _("Validation"), sees_validation),
    ("conflicts", _("Conflicts"), sees_conflicts),
    ("ratings", _("Ratings"), sees_ratings),
    ("comparisons", _("Comparisons"), sees_comparisons),
    ("label_checks", _("Label checks"), checks_labels),
    ("diagnostic_sets", _("Diagnostic set"), sees_phenomena),
    ("baselines", _("Human baseline"), asked("baselines")),
    ("guidelines", _("Guidelines"), lambda membership: not membership.is_baseline),
    ("people", _("People"), lambda membership: membership.sees_all),
    ("pay", _("Pay"), sees_pay),
    ("about", _("About"), lambda membership: membership.is_administrator),
    ("imports", _("Import"), lambda membership: membership.is_administrator),
    ("missing", _("Missing"), lambda membership: membership.sees_all and has_targets(membership.project)),
    ("registers", _("Registers"), lambda membership: membership.sees_all and has_targets(membership.project)),
    ("releases", _("Releases"), lambda membership: membership.sees_all),
    ("settings", _("Settings"), lambda membership: membership.is_administrator),
)


def rooms(membership: Membership, current: str = "") -> list[Room]:
    """The project's rooms for this person; a room that this site does not have is left out."""
    found = []
    for name, words, open_to in ROOMS:
        if not open_to(membership):
            continue
        url = link(name, membership.project.slug)
        if url:
            found.append(Room(url, _name(membership, name, words), name == current))
    return found


def frame(membership: Membership, current: str = "", **more: Any) -> dict[str, Any]:
    """What the frame of every page of a project shows, and `more`; `current` is the room that the page is in."""
    shown = {"project": membership.project, "membership": membership, "nav": rooms(membership, current)}
    return shown | more


def _name(membership: Membership, name: str, words: str) -> str:
    """What a room is called: that of concepts by the kind's own word for them, others as the kind has it."""
    kind = membership.project.kind_spec
    return capfirst(gettext(kind.source_plural if name == "concepts" else kind.rooms.get(name, words)))


def link(name: str, *args: object) -> str:
    """The address of a page; empty where this site does not have it."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""
