"""What the item page is made of: texts, options, votes, flags, proposals and steps, each ready to be shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_noop

from annotation.content.models.item import Revision
from annotation.kinds import Label
from annotation.kinds.rendered_texts import list_pairs
from annotation.text.differences import Part
from validation.voting.models.vote import Vote
from validation.voting.rules.option_order import MARKED, OPTIONS, OPTIONS_UNKNOWN, QUESTION, UNKNOWN

COUNTED, SURPLUS = "counted", "surplus"
WITHDRAWN_NAMES: Mapping[str, str] = {
    Vote.Withdrawn.TAKEN_BACK: gettext_noop("vote taken back"),
    Vote.Withdrawn.VOIDED: gettext_noop("vote voided"),
    Vote.Withdrawn.NEW_MEANING: gettext_noop("was for a text of another meaning"),
}
COUNTS_NAMES: Mapping[str, str] = {
    COUNTED: gettext_noop("counts"),
    SURPLUS: gettext_noop("beyond the decision, kept and not counted"),
    **WITHDRAWN_NAMES,
}


@dataclass(frozen=True)
class ShownText:
    """One of the item's texts as it stands; `shared` by other items. `shortcut` opens the form that corrects it; a
    `derived` one follows from others and has none, one `is_hidden_from_voters` is not shown to validators.
    `source_text` is the text that it says in another language; `widget`: how it is drawn where it is no plain text;
    `is_list`: a dialogue or a table row.
    """

    key: str
    name: str
    text: str
    shared: bool
    shortcut: str = ""
    derived: bool = False
    is_hidden_from_voters: bool = False
    source_text: str = ""
    widget: str = ""
    alt: str = ""
    is_list: bool = False

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The turns of a dialogue, or the columns of a table row."""
        return list_pairs(self.text)


ROLE_NAMES: Mapping[str, str] = {
    "answer": gettext_noop("answer"),
    "distractor": gettext_noop("distractor"),
    "best": gettext_noop("best"),
    "relevant": gettext_noop("relevant"),
    "irrelevant": gettext_noop("irrelevant"),
}


@dataclass(frozen=True)
class Change:
    """A revision: what it changed, text by text, against the one before (empty for the first)."""

    revision: Revision
    name: str
    texts: list[tuple[str, list[Part]]]


@dataclass(frozen=True)
class ShownVote:
    """A vote on the page; `counts` is `counted`, `surplus`, or why it was withdrawn."""

    vote: Vote
    label: Label | None
    counts: str

    # What partials/votes_bar.html asks for.
    author = False

    @property
    def who(self) -> str:
        return self.vote.annotator.pseudonym

    @property
    def unsure(self) -> bool | None:
        return self.vote.unsure

    @property
    def ambiguous(self) -> bool | None:
        return self.vote.ambiguous

    @property
    def counts_name(self) -> str:
        return COUNTS_NAMES[self.counts]

    @property
    def is_standing(self) -> bool:
        return self.vote.withdrawn_at is None

    @property
    def text_error(self) -> bool:
        return bool(self.vote.answers.get("text_error"))

    @property
    def marked_options(self) -> list[str]:
        """What this annotator marked ambiguous by itself: letters of options; the question is distinguished."""
        return list(self.vote.answers.get(OPTIONS, ""))

    @property
    def question_marked(self) -> bool:
        return bool(self.vote.answers.get(QUESTION) == MARKED)

    @property
    def ambiguity_unknown(self) -> bool:
        """Whether of the question or a choice it is not known what this annotator marked."""
        answers = self.vote.answers
        unknown = answers.get(QUESTION) == UNKNOWN or OPTIONS_UNKNOWN in answers
        return self.vote.ambiguous is None or unknown

    @property
    def personal(self) -> str:
        """The option that this annotator would choose for themselves, where they said another one."""
        return str(self.vote.answers.get("personal", ""))


@dataclass(frozen=True)
class Entry:
    """One step of the item's history; nobody's (`who` empty) where the system decided."""

    version: int
    at: datetime
    event: str
    name: str
    who: str
    words: str = ""
    label: Label | None = None
    error: str = ""
