"""The rooms of a project that somebody may enter, for the head of its pages."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.core.access import Place, has_concepts, has_targets
from annotation.elicitation.queries.sessions import open_to as sessions_open_to


@dataclass(frozen=True)
class Room:
    """One link of the navigation."""

    url: str
    name: str
    current: bool = False
    count: int | None = None


def sees_concepts(place: Place) -> bool:
    """Whether the page of concepts is open to somebody, and is where they go."""
    return has_concepts(place.project) and (place.sees_all or (place.is_writer and not sees_topics(place)))


def sees_topics(place: Place) -> bool:
    """Whether somebody begins prompts on topics."""
    return place.is_writer and "variations" in place.project.kind_spec.features


def looks_again(place: Place) -> bool:
    """Whether somebody goes through all prompts a second time, or sees who did."""
    return (place.is_writer or place.sees_all) and "second_look" in place.project.kind_spec.features


def sees_ratings(place: Place) -> bool:
    """Whether somebody prepares ratings of model outputs and reads what came of them."""
    return place.sees_all and "rating" in place.project.kind_spec.features


_openers: dict[str, Callable[[Place], bool]] = {}


def opens(name: str, open_to: Callable[[Place], bool]) -> None:
    """Say to whom a room is open, for an app above that alone can know."""
    _openers[name] = open_to


def asked(name: str) -> Callable[[Place], bool]:
    """Whether a room is open to somebody, as the app says that it belongs to."""
    return lambda place: name in _openers and _openers[name](place)


def sees_comparisons(place: Place) -> bool:
    """Whether somebody has runs compared and reads what came of it."""
    return place.sees_all and bool(place.project.rules.recipe)


def sees_elicitation(place: Place) -> bool:
    """Whether somebody answers what groups are asked first, or reads it."""
    return (place.is_writer or place.sees_all) and "elicitation" in place.project.kind_spec.features


def sees_validation(place: Place) -> bool:
    """Whether somebody reads what validators chose as the best."""
    return place.sees_all and bool(place.project.kind_spec.voted_roles)


def sees_targets(place: Place) -> bool:
    """Whether somebody says into which languages the project translates, and who does."""
    return place.sees_all and has_targets(place.project)


def sees_conflicts(place: Place) -> bool:
    """Whether writers and voters can be of two minds: not where voters review what a writer gave no label to."""
    return place.sees_all and "review" not in place.project.kind_spec.features


def checks_labels(place: Place) -> bool:
    """Whether somebody draws or reads label checks of translations."""
    return place.sees_all and has_targets(place.project)


def sees_pay(place: Place) -> bool:
    """Whether somebody sets what is paid here, or counts what is paid for."""
    return place.is_administrator or (place.is_lead and place.project.pays)


def sees_sources(place: Place) -> bool:
    """Whether somebody cleans and freezes what is translated; translators never do."""
    return place.sees_all and has_targets(place.project)


def sees_machine(place: Place) -> bool:
    """Whether somebody sees how a machine writes the project's questions."""
    return place.sees_all and bool(place.project.rules.recipe)


def sees_phenomena(place: Place) -> bool:
    """Whether somebody draws diagnostic sets, or reads what an expert made of their tags."""
    return place.sees_all and "tags" in place.project.kind_spec.settings


ROOMS: tuple[tuple[str, str, Callable[[Place], bool]], ...] = (
    ("project", _("Overview"), lambda place: True),
    ("targets", _("Targets"), sees_targets),
    ("concepts", _("Concepts"), sees_concepts),
    ("source_sets", _("Sources"), sees_sources),
    ("machine", _("Machine"), sees_machine),
    ("elicitation", _("Elicitation"), sees_elicitation),
    ("topics", _("Topics"), sees_topics),
    ("write", _("Write"), lambda place: place.is_writer),
    ("sessions", _("Sessions"), lambda place: bool(sessions_open_to(place))),
    ("second_look", _("Second look"), looks_again),
    ("vote", _("Vote"), lambda place: place.is_validator),
    ("rate", _("Rate"), lambda place: place.is_rater),
    ("compare", _("Compare"), asked("compare")),
    ("answer", _("Answer"), lambda place: place.is_baseline),
    ("desk", _("Review desk"), lambda place: place.sees_all),
    ("insights", _("Insights"), lambda place: place.sees_all),
    ("validation", _("Validation"), sees_validation),
    ("conflicts", _("Conflicts"), sees_conflicts),
    ("ratings", _("Ratings"), sees_ratings),
    ("comparisons", _("Comparisons"), sees_comparisons),
    ("label_checks", _("Label checks"), checks_labels),
    ("diagnostic_sets", _("Diagnostic set"), sees_phenomena),
    ("baselines", _("Human baseline"), asked("baselines")),
    ("guidelines", _("Guidelines"), lambda place: not place.is_baseline),
    ("people", _("People"), lambda place: place.sees_all),
    ("pay", _("Pay"), sees_pay),
    ("about", _("About"), lambda place: place.is_administrator),
    ("imports", _("Import"), lambda place: place.is_administrator),
    ("missing", _("Missing"), lambda place: place.sees_all and has_targets(place.project)),
    ("registers", _("Registers"), lambda place: place.sees_all and has_targets(place.project)),
    ("releases", _("Releases"), lambda place: place.sees_all),
    ("settings", _("Settings"), lambda place: place.is_administrator),
)


def rooms(place: Place, current: str = "") -> list[Room]:
    """The project's rooms for this person; a room that this site does not have is left out."""
    found = []
    for name, words, open_to in ROOMS:
        if not open_to(place):
            continue
        url = link(name, place.project.slug)
        if url:
            found.append(Room(url, _name(place, name, words), name == current))
    return found


def _name(place: Place, name: str, words: str) -> str:
    """What a room is called: that of concepts by the kind's own word for them, others as the kind has it."""
    kind = place.project.kind_spec
    return capfirst(gettext(kind.source_plural if name == "concepts" else kind.rooms.get(name, words)))


def link(name: str, *args: object) -> str:
    """The address of a page; empty where this site does not have it."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""
