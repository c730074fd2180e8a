"""What sessions are held for, and which kinds of items have them (Kalahi §3, Appendix B)."""

from collections.abc import Collection, Mapping


def gettext_noop(text: str) -> str:
    """Mark for translation without Django; templates translate."""
    return text


ELICITATION, REVIEW = "elicitation", "review"
# A purpose, and the feature of a kind that it belongs to.
FEATURES: Mapping[str, str] = {ELICITATION: "elicitation", REVIEW: "group_review"}
NAMES: Mapping[str, str] = {
    ELICITATION: gettext_noop("Elicitation"),
    REVIEW: gettext_noop("Group review"),
}


def purposes(features: Collection[str]) -> list[str]:
    """The purposes that a kind with these features has sessions for."""
    return [purpose for purpose, feature in FEATURES.items() if feature in features]
