"""The keys that choose a label on a card."""

from annotation.answers import Label

# Single keys that the voting page itself takes; a label's own letter is a key only where it is none of them.
PAGE_KEYS = frozenset("ump.,?")


def choice_keys(label: Label, place: int) -> tuple[str, ...]:
    """The keys of the label at a place, counted from one: its place up to nine, and its letter.

    The first is shown beside it; a label may have none.
    """
    letter = label.letter.lower()
    places = (str(place),) if place < 10 else ()
    is_key = len(letter) == 1 and not letter.isdecimal() and letter not in PAGE_KEYS
    return (*places, letter) if is_key else places
