"""A project's settings: typed, with defaults, so that every number of the protocol is a setting with a name."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from annotation.core.rules import error_types
from annotation.text.gettext import gettext_noop as _
from validation.studies.rules.criteria import read_criteria

# One job holds a whole batch, one answer all questions of a call: neither may grow beyond what is done in one go.
MOST: Mapping[str, int] = {
    "batch_size": 100,
    "concepts_per_call": 20,
    "questions_per_concept": 20,
    "near_percent": 100,
    "similarity": 1,
}
LEAST = dict.fromkeys(("per_label", "concepts_per_call", "questions_per_concept", "batch_size"), 1)
CHOICES: Mapping[str, tuple[str, ...]] = {
    "tags": ("off", "optional", "required"),
    "sample_unit": ("item", "premise"),
}
# How the texts that are lists are read, one thing a line.
LISTS: Mapping[str, Callable[[str], object]] = {
    "error_types": error_types.parse,
    "clean_up_reasons": error_types.parse,
    "rating_criteria": lambda text: text.strip() and read_criteria(text),
}


@dataclass(frozen=True)
class ProjectSettings:
    """What a project may set beside its protocol (domain.md §3, §4, §10). Times in the unit that the name says."""

    per_label: int = 2
    tags: str = "off"
    max_words: int = 200
    per_document: int = 5
    allocation_size: int = 110
    sample_unit: str = "item"
    offer_minutes: int = 15
    idle_days: int = 14
    aged_days: int = 3
    spacing: int = 10
    fast_base_seconds: float = 1.0
    fast_word_seconds: float = 0.1
    agreement_from: int = 20
    release: str = "indonli-lay"
    paragraph_name: str = "paragraph"
    writers_each: int = 2
    per_category: int = 50
    category_target: int = 150
    own_wording: bool = False
    check_first: bool = False
    error_types: str = ""
    least_responses: int = 3
    second_language: str = ""
    rating_criteria: str = ""
    near_percent: int = 90
    answer_place_from: int = 20
    numerals_stay: bool = False
    take_size: int = 20
    length_limit: float = 3.5
    clean_up_reasons: str = ""
    recipe: str = ""
    place: str = ""
    set_count: int = 6000
    relations: str = ""
    concepts_per_call: int = 5
    questions_per_concept: int = 1
    batch_size: int = 20
    offensive_words: str = ""
    similarity: float = 0.9
    native_language: str = ""
    years: int = 0
    shared_percent: int = 0
    leads_vote: bool = False

    @property
    def entry(self) -> dict[str, str | int]:
        """The conditions that a member confirms before they work (domain.md §2); empty where there are none."""
        asked: dict[str, str | int] = {"native_language": self.native_language.strip(), "years": self.years}
        return {name: value for name, value in asked.items() if value}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "ProjectSettings":
        """ValueError, naming the field, for unknown names, wrong types, and what a setting cannot be."""
        known = {field.name: field for field in fields(cls)}
        values: dict[str, Any] = {}
        for name, value in raw.items():
            if name not in known:
                raise ValueError(f"{name}: there is no such setting")
            default = known[name].default
            if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
                value = float(value)
            if type(value) is not type(default):
                raise ValueError(f"{name}: must be {type(default).__name__}, not {type(value).__name__}")
            if isinstance(value, (int, float)) and not LEAST.get(name, 0) <= value <= MOST.get(name, value):
                raise ValueError(f"{name}: must be from {LEAST.get(name, 0)} to {MOST.get(name, 'any')}")
            if value not in CHOICES.get(name, (value,)):
                raise ValueError(f"{name}: must be one of {', '.join(CHOICES[name])}")
            values[name] = value
        for name in LISTS.keys() & values.keys():
            try:
                LISTS[name](values[name])
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


# What only says something where a machine writes.
OF_RECIPES = (
    *("place", "set_count", "relations", "concepts_per_call", "questions_per_concept"),
    *("batch_size", "offensive_words", "similarity"),
)
SETTING_HELP: Mapping[str, str] = {
    "per_label": _("Hypotheses to be written for each label (IndoNLI 2, OCNLI 3)."),
    "tags": _("Phenomenon tags: off, optional or required (expert projects)."),
    "max_words": _("Longest premise of any sentence class, in words; a longer one is refused on import."),
    "leads_vote": _(
        "QC leads may be voters too, as in teams where the authors judge each other's work. They are never asked about "
        "what they wrote or have opened on the review desk, and see there only what they can no longer vote on."
    ),
    "shared_percent": _(
        "Rows of dev and test, in %, that may share their premise or concept with another split of a release; one "
        "that shares more has to be confirmed."
    ),
    "per_document": _("Most premises taken from one document."),
    "allocation_size": _("Premises, or texts to translate, in one writer's share."),
    "sample_unit": _("What the validation share is drawn over: item or premise."),
    "offer_minutes": _("Minutes between submitting a set and offering it to validators."),
    "idle_days": _("Idle days after which a premise or concept goes back to the pool."),
    "aged_days": _("Days of waiting after which an item moves up in the queue."),
    "spacing": _("Items between two of one premise or concept for the same validator."),
    "fast_base_seconds": _("A vote under this many seconds plus the next figure per word is flagged."),
    "fast_word_seconds": _("Seconds per word shown, added to the figure above."),
    "agreement_from": _("Settled items from which a validator sees their agreement with gold."),
    "release": _("Rules for splits that a release starts from."),
    "writers_each": _("Writers who get the same concept."),
    "per_category": _("Concepts of one category in one writer's share."),
    "category_target": _("Concepts that a category should have."),
    "own_wording": _("Writers fill in the concept's wording in their own language."),
    "check_first": _("A QC lead approves each item before anybody votes on it."),
    "least_responses": _("Fewest relevant, and fewest irrelevant responses of a prompt."),
    "second_language": _("Language code of optional translations of each part; empty for none."),
    "rating_criteria": _(
        "Criteria of ratings of model outputs, one a line: key, a colon, name, a colon, what a rater says yes to. "
        "Empty: the seven built-in ones."
    ),
    "error_types": _(
        "Error types of the review, one a line: code, a colon, what it is called. Empty: those of the kind."
    ),
    "paragraph_name": _("How the class of longer premises is written in releases."),
    "near_percent": _(
        "Two choices of which so many percent of the letters agree are called nearly the same."
    ),
    "numerals_stay": _("Numerals stay numerals: a number written out in words is warned of."),
    "take_size": _("Texts to translate that a translator takes at once."),
    "length_limit": _(
        "How far a translation's length may lie from what is usual for its languages, as a robust z-score."
    ),
    "clean_up_reasons": _(
        "Reasons for cleaning sources, one a line: code, a colon, what it is called. Empty: the five built-in ones."
    ),
    "recipe": _("How questions are written by a machine; empty where people write them."),
    "place": _("The place that questions are about, as an instruction names it (Indonesia)."),
    "set_count": _("Question sets drawn from ConceptNet; all where there are fewer."),
    "relations": _(
        "ConceptNet relations that questions are made from, one a line. Empty: the built-in list of 22."
    ),
    "concepts_per_call": _("Concepts of one category that are asked for in one call, at most 20."),
    "questions_per_concept": _("Machine-written questions for each concept, at most 20."),
    "batch_size": _("Sources that one job carries through all steps, at most 100."),
    "offensive_words": _(
        "Words, one a line, with which a question is dropped; beside the list of the language."
    ),
    "similarity": _("From which similarity on a translation, translated back, is kept (0 to 1)."),
    "native_language": _(
        "Entry condition: the native language that each member confirms before they work. Empty: none."
    ),
    "years": _(
        "Entry condition: years that each member confirms to have lived where the language is spoken. 0: none."
    ),
    "answer_place_from": _(
        "Questions from which a writer is told that over half of their answers stand at one place."
    ),
}
