"""What a project tells of itself in a release: the sections of a data statement, and its canary string.

Pure. The sections are those of Bender and Friedman (2018), in their order.
"""

from collections.abc import Mapping
from hashlib import sha256
from uuid import UUID


def gettext_noop(text: str) -> str:
    """Mark for translation without Django; templates translate."""
    return text


SECTIONS: Mapping[str, tuple[str, str]] = {
    "curation_rationale": (
        gettext_noop("Curation rationale"),
        gettext_noop("Which texts were chosen, why, and what the data are for."),
    ),
    "language_variety": (
        gettext_noop("Language variety"),
        gettext_noop(
            "Which variety, dialect or register; the language and targets are added from the project."
        ),
    ),
    "speaker_demographic": (
        gettext_noop("Speaker demographic"),
        gettext_noop("Who wrote the source texts, where that is known."),
    ),
    "annotator_demographic": (
        gettext_noop("Annotator demographic"),
        gettext_noop(
            "Who wrote and judged the items: how they were found, trained and paid. Counts of what they said "
            "are added where they agreed."
        ),
    ),
    "speech_situation": (
        gettext_noop("Speech situation"),
        gettext_noop("When, where and for whom the texts were written; in one go or edited."),
    ),
    "text_characteristics": (
        gettext_noop("Text characteristics"),
        gettext_noop("Genre, topics, structure of the texts."),
    ),
    "recording_quality": (
        gettext_noop("Recording quality"),
        gettext_noop("For texts that were taken down from speech; empty otherwise."),
    ),
    "other": (gettext_noop("Other"), gettext_noop("What else a user of the data should know.")),
    "provenance": (
        gettext_noop("Provenance"),
        gettext_noop("Where texts come from another data set: its name, licence and its own statement."),
    ),
}
LONGEST_SECTION = 10_000


def canary(seed: str, slug: str) -> str:
    """The string by which a leak of a project's test data into training data is found; as fixed as seed and name."""
    guid = UUID(
        bytes=sha256(f"{seed}:canary:{slug}".encode("utf-8", "surrogatepass")).digest()[:16], version=4
    )
    return f"mufakat:{slug}:canary:{guid}"
