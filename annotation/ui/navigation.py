"""The rooms of a project that somebody may enter, for the head of its pages."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.content.queries import has_concepts
from annotation.core import declared
from annotation.core.access import Membership, has_targets


@dataclass(frozen=True)
class NavigationLink:
    """One link of the navigation."""

    url: str
    name: str
    group: str
    current: bool = False


def sees_concepts(membership: Membership) -> bool:
    """Whether the page of concepts is open to somebody, and is where they go."""
    return has_concepts(membership.project) and (
        membership.sees_all or (membership.is_writer and not sees_topics(membership))
    )


def sees_topics(membership: Membership) -> bool:
    """Whether somebody begins prompts on topics."""
    return membership.is_writer and "variations" in membership.project.kind_spec.features


def sees_second_look(membership: Membership) -> bool:
    """Whether somebody goes through all prompts a second time, or sees who did."""
    return (membership.is_writer or membership.sees_all) and "second_look" in membership.project.kind_spec.features


def is_open_as_declared(name: str) -> Callable[[Membership], bool]:
    """Whether a room is open to somebody, as the app says that it belongs to."""

    def is_open(membership: Membership) -> bool:
        open_to = declared.attribute("rooms", name)
        return bool(open_to and open_to(membership))

    return is_open


def sees_elicitation(membership: Membership) -> bool:
    """Whether somebody answers what groups are asked first, or reads it."""
    return (membership.is_writer or membership.sees_all) and "elicitation" in membership.project.kind_spec.features


def sees_validation(membership: Membership) -> bool:
    """Whether somebody reads what validators chose as the best."""
    return membership.sees_all and bool(membership.project.kind_spec.question.voted_roles)


def sees_targets(membership: Membership) -> bool:
    """Whether somebody says into which languages the project translates, and who does."""
    return membership.sees_all and has_targets(membership.project)


def sees_conflicts(membership: Membership) -> bool:
    """Whether writers and voters can be of two minds: not where voters review what a writer gave no label to."""
    kind = membership.project.kind_spec
    return membership.sees_all and kind.has_author_labels and "review" not in kind.features


def sees_pay(membership: Membership) -> bool:
    """Whether somebody sets what is paid here, or counts what is paid for."""
    return membership.is_administrator or (membership.is_lead and membership.project.pays)


def sees_sources(membership: Membership) -> bool:
    """Whether somebody cleans and freezes what is translated; translators never do."""
    return membership.sees_all and has_targets(membership.project)


def sees_machine(membership: Membership) -> bool:
    """Whether somebody sees how a machine writes the project's questions."""
    return membership.sees_all and bool(membership.project.rules.recipe)


WORK, QUALITY, SET_UP, RELEASE = _("Work"), _("Quality"), _("Set-up"), _("Release")
NAVIGATION: Mapping[str, tuple[tuple[str, str, Callable[[Membership], bool]], ...]] = {
    WORK: (
        ("project", _("Overview"), lambda membership: True),
        ("concepts", _("Concepts"), sees_concepts),
        ("machine", _("Machine"), sees_machine),
        ("elicitation", _("Elicitation"), sees_elicitation),
        ("topics", _("Topics"), sees_topics),
        ("write", _("Write"), lambda membership: membership.is_writer),
        ("sessions", _("Sessions"), is_open_as_declared("sessions")),
        ("second_look", _("Second look"), sees_second_look),
        ("vote", _("Vote"), lambda membership: membership.is_validator),
    ),
    QUALITY: (
        ("desk", _("Review desk"), lambda membership: membership.sees_all),
        ("insights", _("Insights"), lambda membership: membership.sees_all),
        ("validation", _("Validation"), sees_validation),
        ("conflicts", _("Conflicts"), sees_conflicts),
        ("quality", _("People's work"), is_open_as_declared("quality")),
        ("studies", _("Studies"), is_open_as_declared("studies")),
    ),
    SET_UP: (
        ("guidelines", _("Guidelines"), lambda membership: True),
        ("questions", _("Questions"), lambda membership: True),
        ("people", _("People"), lambda membership: membership.sees_all),
        ("targets", _("Targets"), sees_targets),
        ("source_sets", _("Sources"), sees_sources),
        ("pay", _("Pay"), sees_pay),
        ("about", _("About"), lambda membership: membership.is_administrator),
        ("imports", _("Import"), lambda membership: membership.is_administrator),
        ("settings", _("Settings"), lambda membership: membership.is_administrator),
    ),
    RELEASE: (
        ("releases", _("Releases"), lambda membership: membership.sees_all),
        ("missing", _("Missing"), sees_targets),
        ("registers", _("Registers"), sees_targets),
    ),
}
# So many links stand in one row; more are shown by their groups.
MOST_LINKS_IN_ROW = 6
# So many letters of links stand in one row of a phone 360 px wide, with two for the gap before each: it would wrap.
MOST_LETTERS = 42


@dataclass(frozen=True)
class Group:
    """Rooms of one purpose; its link leads to the first of them."""

    name: str
    rooms: list[NavigationLink]

    @property
    def current(self) -> bool:
        """Whether the page is in one of its rooms."""
        return any(room.current for room in self.rooms)


def navigation_links(membership: Membership, current: str = "") -> list[NavigationLink]:
    """The project's rooms for this person; a room that this site does not have is left out.

    Whoever sets nothing up has one group: to them guidelines and questions belong to the work.
    """
    found = []
    for group, named in NAVIGATION.items():
        belongs = gettext(group if membership.sees_all else WORK)
        for name, words, open_to in named:
            url = page_url(name, membership.project.slug) if open_to(membership) else ""
            if url:
                found.append(NavigationLink(url, _name(membership, name, words), belongs, name == current))
    return found


def current_link_name(shown: Iterable[NavigationLink]) -> str:
    """What the room is called that the page is in; empty where it is in none."""
    return next((room.name for room in shown if room.current), "")


def group_links(shown: Iterable[NavigationLink]) -> list[Group]:
    """The rooms by their groups, of which there is one where they fit in one row of a wide screen alone; none where
    they fit in one row of a phone too."""
    shown = list(shown)
    if len(shown) <= MOST_LINKS_IN_ROW:
        wide = sum(len(room.name) + 2 for room in shown) > MOST_LETTERS
        return [Group(shown[0].group, shown)] if wide else []
    return [Group(name, list(some)) for name, some in groupby(shown, key=lambda room: room.group)]


def frame_context(membership: Membership, current: str = "", **more: Any) -> dict[str, Any]:
    """What the frame of every page of a project shows, and `more`; `current` is the room that the page is in."""
    shown = {
        "project": membership.project,
        "membership": membership,
        "nav": navigation_links(membership, current),
    }
    return shown | more


def _name(membership: Membership, name: str, words: str) -> str:
    """What a room is called: that of concepts by the kind's own word for them, others as the kind has it."""
    kind = membership.project.kind_spec
    return capfirst(
        gettext(kind.source.plural if name == "concepts" else kind.presentation.activity_names.get(name, words))
    )


def page_url(name: str, *args: object) -> str:
    """The address of a page; empty where this site does not have it."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""
