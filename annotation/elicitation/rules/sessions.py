"""Sessions and their purposes, questions to groups, and the four ticks of the second pass (Kalahi §3; domain.md §6)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from annotation.text.gettext import gettext_noop as _

ELICITATION, REVIEW = "elicitation", "review"
# A purpose, and the feature of a kind that it belongs to.
FEATURES: Mapping[str, str] = {ELICITATION: "elicitation", REVIEW: "group_review"}
PURPOSE_NAMES: Mapping[str, str] = {ELICITATION: _("Elicitation"), REVIEW: _("Group review")}


def purposes(features: Collection[str]) -> list[str]:
    """The purposes that a kind with these features has sessions for."""
    return [purpose for purpose, feature in FEATURES.items() if feature in features]


LONGEST_QUESTION = 1_000
LONGEST_ANSWER = 4_000
# Where a topic came from (domain.md §6): offered beside the field, anything else may be typed.
TOPIC_SOURCES = (_("searches"), _("brainstorming"), _("group"))
LONGEST_SOURCE = 200


TICKS: Mapping[str, str] = {
    "authentic": _("Authentic: people here live and speak like this"),
    "natural": _("Natural: it reads as somebody would say it"),
    "spelling": _("Spelling is right"),
    "grammar": _("Grammar is right"),
}

# The same in one word, over the columns of a table.
TICK_COLUMNS: Mapping[str, str] = {
    "authentic": _("Authentic"),
    "natural": _("Natural"),
    "spelling": _("Spelling"),
    "grammar": _("Grammar"),
}


@dataclass(frozen=True)
class Look:
    """One writer's pass over the present text of a prompt: what they ticked, and what they said."""

    who: str
    ticks: frozenset[str]
    words: str = ""

    @property
    def missing(self) -> list[str]:
        return [tick for tick in TICKS if tick not in self.ticks]


@dataclass(frozen=True)
class Standing:
    """How a prompt stands: who has looked, who has not yet, how many did not give each tick, and what they said."""

    looks: tuple[Look, ...]
    waiting: tuple[str, ...]

    @property
    def missing(self) -> dict[str, int]:
        return {tick: sum(tick not in look.ticks for look in self.looks) for tick in TICKS}

    @property
    def said(self) -> list[Look]:
        """The looks with words, in the order of names."""
        return [look for look in self.looks if look.words]

    @property
    def total(self) -> int:
        """How many have looked or are still to."""
        return len(self.looks) + len(self.waiting)

    @property
    def is_done(self) -> bool:
        """Whether every writer ticked all four."""
        return not self.waiting and not any(look.missing for look in self.looks)


def standing_among_writers(looks: Iterable[Look], writers: Collection[str]) -> Standing:
    """How a prompt stands among the writers that the project has now; one who has left is not waited for."""
    made = tuple(sorted(looks, key=lambda look: look.who))
    looked = {look.who for look in made}
    return Standing(made, tuple(sorted(set(writers) - looked)))


VARIATIONS = "variations"
