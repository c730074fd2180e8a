"""A project's settings: typed, with defaults, so that every number of the protocol is a setting with a name."""

import re
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from annotation.core.rules.error_types import parse
from annotation.core.rules.fields import FieldError, Rules, rule
from annotation.text.gettext import gettext_noop as _
from validation.studies.rules.criteria import CriteriaFault, read_criteria

# One job holds a whole batch, one answer all questions of a call: neither may grow beyond what is done in one go.
MOST_BATCH, MOST_PER_CALL = 100, 20
MOST_ATTEMPTS = 5
ZONE_NAME = re.compile(r"UTC|[A-Z]\w+(/[A-Za-z0-9_+-]+)+")
WRITING = _("Writing and its checks")
SHARES = _("What each person is given")
QUALITY = _("Quality of people's work")
VOTING = _("Voting: order and time")
REVIEW = _("Lists of the review and of ratings")
MEMBERS = _("Who may take part")
MACHINE = _("How a machine writes")
RELEASES = _("Releases")


def _check_criteria(text: str) -> None:
    try:
        if text.strip():
            read_criteria(text)
    except CriteriaFault as fault:
        raise FieldError("", fault.message, **fault.params) from fault


def _check_zone(name: str) -> None:
    try:
        # Names alone: "localtime" and the like are files of one machine.
        if name and not (ZONE_NAME.fullmatch(name) and ZoneInfo(name)):
            raise ValueError
    except (ValueError, OSError, ZoneInfoNotFoundError) as fault:
        raise FieldError("", _("Unknown time zone. Enter its name, for example Asia/Jakarta.")) from fault


@dataclass(frozen=True)
class Quiz:
    """How many questions the quiz of a role has (0: there is none), how many right answers pass, how many attempts."""

    questions: int
    right: int
    attempts: int


@dataclass(frozen=True)
class ProjectSettings(Rules):
    """What a project may set beside its protocol (domain.md §3, §4, §10). Times in the unit that the name says.

    Those without a group are shown first. Those of the group `MACHINE` say something only where a machine writes.
    """

    # fmt: off
    time_zone: str = rule("", _("Time zone"),
        _("Days for limits, pay and weekly figures are those of this time zone, for example Asia/Jakarta. Empty: the "
          "time zone of the site."), reads=_check_zone)
    per_label: int = rule(2, _("Hypotheses for each label"),
        _("Hypotheses to be written for each label (IndoNLI 2, OCNLI 3)."), ge=1)
    tags: str = rule("off", _("Phenomenon tags"),
        _("What a hypothesis turns on, marked by its writer (expert projects)."),
        choices={"off": _("Not asked for"), "optional": _("Optional"), "required": _("Required")})
    typing: str = rule("off", _("Record how texts are typed"),
        _("Characters typed, pasted and inserted, edits and pauses of each text, never the keys; only of writers who "
          "agree. Writers are also asked to attest that they wrote each set."), WRITING,
        choices={"off": _("Not recorded"), "sums": _("In sums in releases"), "rows": _("In each row of releases")})
    max_words: int = rule(200, _("Longest premise"),
        _("Longest premise of any sentence class, in words; a longer one is refused on import."), WRITING)
    per_document: int = rule(5, _("Premises from one document"), _("Most premises taken from one document."), SHARES)
    allocation_size: int = rule(110, _("Texts for each writer"),
        _("Premises, or texts to translate, in one writer's share."), SHARES)
    sample_unit: str = rule("item", _("Sampled by"), _("What the validation share is drawn over."), VOTING,
        choices={"item": _("Item"), "premise": _("Premise, with all its items")})
    offer_minutes: int = rule(15, _("Minutes before voting"),
        _("Minutes between submitting a set and offering it to validators."), VOTING)
    idle_days: int = rule(14, _("Idle days"), _("Idle days after which a premise or concept goes back to the pool."),
        SHARES)
    aged_days: int = rule(3, _("Days of waiting"), _("Days of waiting after which an item moves up in the queue."),
        VOTING)
    spacing: int = rule(10, _("Distance between pairs"),
        _("Items between two of one premise or concept for the same validator."), VOTING)
    fast_base_seconds: float = rule(1.0, _("Too fast: seconds"),
        _("A vote under this many seconds plus the next figure per word is flagged."), VOTING)
    fast_word_seconds: float = rule(0.1, _("Too fast: seconds for each word"),
        _("Seconds per word shown, added to the figure above."), VOTING)
    agreement_from: int = rule(20, _("Agreement shown from"),
        _("Settled items from which a validator sees their agreement with gold."), VOTING)
    release: str = rule("indonli-lay", _("Rules for splits"), _("Rules for splits that a release starts from."),
        RELEASES, min_length=1)
    paragraph_name: str = rule("paragraph", _("Name of the longer class"),
        _("How the class of longer premises is written in releases."), RELEASES, min_length=1)
    writers_each: int = rule(2, _("Writers for each concept"), _("Writers who get the same concept."), SHARES)
    per_category: int = rule(50, _("Concepts of a category for each writer"),
        _("Concepts of one category in one writer's share."), SHARES)
    category_target: int = rule(150, _("Concepts wanted in each category"),
        _("Concepts that a category should have."), SHARES)
    own_wording: bool = rule(False, _("Writers give the concept in their own wording"),
        _("Writers fill in the concept's wording in their own language."), WRITING)
    check_first: bool = rule(False, _("A QC lead approves each item before voting"),
        _("A QC lead approves each item before anybody votes on it."))
    error_types: str = rule("", _("Error types of the review"),
        _("Error types of the review, one a line: code, a colon, what it is called. Empty: those of the kind."),
        REVIEW, lines=True, reads=parse)
    least_responses: int = rule(3, _("Fewest responses of each side"),
        _("Fewest relevant, and fewest irrelevant responses of a prompt."), WRITING)
    second_language: str = rule("", _("Second language"),
        _("Language code of optional translations of each part; empty for none."), WRITING)
    rating_criteria: str = rule("", _("Criteria of ratings"),
        _("Criteria of ratings of model outputs, one a line: key, a colon, name, a colon, what a rater says yes to. "
          "Empty: the built-in ones."), REVIEW, lines=True, reads=_check_criteria)
    near_percent: int = rule(90, _("Choices nearly the same from"),
        _("Two choices of which so many percent of the letters agree are called nearly the same."), WRITING, le=100)
    answer_place_from: int = rule(20, _("Usual place of the answer from"),
        _("After this many questions a writer gets a note if over half of their answers are at one place."), WRITING)
    numerals_stay: bool = rule(False, _("Numerals stay numerals"),
        _("Numerals stay numerals: a number written out in words is warned of."), WRITING)
    take_size: int = rule(20, _("Texts that a translator takes at once"),
        _("Texts to translate that a translator takes at once."), SHARES)
    length_limit: float = rule(3.5, _("Unusual length from"),
        _("How far a translation's length may lie from what is usual for its languages, as a robust z-score."),
        WRITING)
    clean_up_reasons: str = rule("", _("Reasons for cleaning sources"),
        _("Reasons for cleaning sources, one a line: code, a colon, what it is called. Empty: the five built-in "
          "ones."), REVIEW, lines=True, reads=parse)
    recipe: str = rule("", _("How a machine writes questions"),
        _("How questions are written by a machine, where people do not write them."), empty=_("People write them"))
    place: str = rule("", _("Place that questions are about"),
        _("The place that questions are about, as an instruction names it (Indonesia)."), MACHINE)
    set_count: int = rule(6000, _("Question sets"),
        _("Question sets drawn from ConceptNet; all where there are fewer."), MACHINE)
    relations: str = rule("", _("ConceptNet relations"),
        _("ConceptNet relations that questions are made from, one a line. Empty: the built-in list of 22."), MACHINE,
        lines=True)
    concepts_per_call: int = rule(5, _("Concepts asked for in one call"),
        _("Concepts of one category that are asked for in one call, at most 20."), MACHINE, ge=1, le=MOST_PER_CALL)
    questions_per_concept: int = rule(1, _("Machine-written questions for each concept"),
        _("Machine-written questions for each concept, at most 20."), MACHINE, ge=1, le=MOST_PER_CALL)
    batch_size: int = rule(20, _("Sources in one batch"),
        _("Sources that one job carries through all steps, at most 100."), MACHINE, ge=1, le=MOST_BATCH)
    offensive_words: str = rule("", _("Offensive words of the project"),
        _("Words, one a line, with which a question is dropped; beside the list of the language."), MACHINE,
        lines=True)
    similarity: float = rule(0.9, _("Likeness of what is translated back"),
        _("From which similarity on a translation, translated back, is kept (0 to 1)."), MACHINE, le=1)
    native_language: str = rule("", _("Native language asked for"),
        _("Entry condition: the native language that each member confirms before they work. Empty: none."), MEMBERS)
    years: int = rule(0, _("Years asked for"),
        _("Entry condition: years that each member confirms to have lived where the language is spoken. 0: none."),
        MEMBERS)
    shared_percent: int = rule(0, _("Shared sources, in %"),
        _("Rows of dev and test, in %, that may share their premise or concept with another split of a release; one "
          "that shares more has to be confirmed."), RELEASES, le=100)
    corrections: bool = rule(True, _("Voters may propose corrections"),
        _("Beside their vote, voters may propose a correction of the texts, on which a QC lead decides. Off in "
          "studies, whose items are copies."), VOTING)
    leads_vote: bool = rule(False, _("QC leads may vote"),
        _("QC leads may be voters too, as in small teams that judge each other's work. They are never asked about "
          "what they wrote or have opened on the review desk, and see there only what they can no longer vote on."))
    writer_native_language: str = rule("", _("Native language asked of writers"),
        _("Entry condition of writers, beside those of every member: the native language that they confirm. Empty: "
          "none."), MEMBERS)
    writer_years: int = rule(0, _("Years asked of writers"),
        _("Entry condition of writers, beside those of every member: years that they confirm to have lived where the "
          "language is spoken. 0: none."), MEMBERS)
    cards_per_day: int = rule(0, _("Cards a day"),
        _("Most cards that one voter is given in a day in one target; days are those of the project's time zone. 0: no "
          "limit."), QUALITY)
    round_percent: int = rule(0, _("Share of a round, in %"),
        _("Most items of a round, in %, that are given to one voter, so that others have their part. 0: no limit."),
        QUALITY, le=100)
    fair_dealing: bool = rule(False, _("Deal the last cards fairly"),
        _("When few cards are left, those who are present and had fewer are given theirs first."), QUALITY)
    gold_questions: bool = rule(False, _("Ask gold questions"),
        _("Items with a known answer are mixed into what voters are asked; QC leads choose them on the page Quality."),
        QUALITY)
    quiz_questions: int = rule(0, _("Questions of the voters' quiz"),
        _("Questions of the quiz that voters pass before they are given anything; 10 is usual. 0: no quiz."), QUALITY,
        le=100)
    quiz_right: int = rule(8, _("Right answers in the voters' quiz"),
        _("Right answers with which the voters' quiz is passed."), QUALITY, le=100)
    quiz_attempts: int = rule(2, _("Attempts at the voters' quiz"),
        _("Attempts that a voter has, with other questions each."), QUALITY, ge=1, le=MOST_ATTEMPTS)
    writer_quiz_questions: int = rule(0, _("Questions of the writers' quiz"),
        _("Questions of the quiz that writers pass before they are given anything to write; it asks what voters are "
          "asked. 10 is usual. 0: no quiz."), QUALITY, le=100)
    writer_quiz_right: int = rule(8, _("Right answers in the writers' quiz"),
        _("Right answers with which the writers' quiz is passed."), QUALITY, le=100)
    writer_quiz_attempts: int = rule(2, _("Attempts at the writers' quiz"),
        _("Attempts that a writer has, with other questions each."), QUALITY, ge=1, le=MOST_ATTEMPTS)
    # fmt: on

    def __post_init__(self) -> None:
        for name, quiz in (
            ("quiz_right", self.quiz("validator")),
            ("writer_quiz_right", self.quiz("writer")),
        ):
            if 0 < quiz.questions < quiz.right:
                raise FieldError(name, _("The quiz has fewer questions than that."))

    def quiz(self, role: str) -> Quiz:
        """The quiz of whoever votes (`validator`), or of whoever writes (`writer`)."""
        if role == "writer":
            return Quiz(self.writer_quiz_questions, self.writer_quiz_right, self.writer_quiz_attempts)
        return Quiz(self.quiz_questions, self.quiz_right, self.quiz_attempts)

    @property
    def entry_conditions(self) -> dict[str, str | int]:
        """The conditions that a member confirms before they work (domain.md §2); empty where there are none."""
        asked: dict[str, str | int] = {"native_language": self.native_language.strip(), "years": self.years}
        return {name: value for name, value in asked.items() if value}

    @property
    def writer_entry_conditions(self) -> dict[str, str | int]:
        """The conditions that a writer confirms beside them; empty where there are none."""
        asked: dict[str, str | int] = {
            "writer_native_language": self.writer_native_language.strip(),
            "writer_years": self.writer_years,
        }
        return {name: value for name, value in asked.items() if value}

    @property
    def deals(self) -> bool:
        """Whether cards are dealt by limits, or with gold questions among them."""
        return bool(self.cards_per_day or self.round_percent or self.fair_dealing or self.gold_questions)


MACHINE_SETTINGS = tuple(
    name for name, declaration in ProjectSettings.declared().items() if declaration.group == MACHINE
)
QUIZ_SETTINGS = tuple(name for name in ProjectSettings.declared() if "quiz_" in name)
