"""What may stand in an elicitation question or an answer (Kalahi §3.1)."""

ELICITATION = "elicitation"
LONGEST_QUESTION = 1_000
LONGEST_ANSWER = 4_000
# Where a topic came from (domain.md §6): offered beside the field, anything else may be typed.
TOPIC_SOURCES = ("searches", "brainstorming", "group")
LONGEST_SOURCE = 200


def one_text(text: str) -> str:
    """A text as it is kept: one kind of line break, no blanks around it."""
    return text.replace("\r\n", "\n").strip()
