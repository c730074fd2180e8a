"""The keys that choose a label on a card."""

from annotation.answers import Label

# Single keys that the voting page itself takes; a label's own letter is a key only where it is none of them.
PAGE_KEYS = frozenset("ump.,?")


def choice_keys(label: Label, place: int) -> tuple[str, ...]:
    """The keys of the label at a place, counted from one; the first is shown beside it. Some labels have none.

    A number of a scale is its own key. Any other label has its place up to nine, and its letter.
    """
    letter = label.letter.lower()
    if letter == label.name.lower() and any(each.isdecimal() for each in letter):
        return (letter,) if letter in set("0123456789") else ()
    places = (str(place),) if place < 10 else ()
    is_key = len(letter) == 1 and not letter.isdecimal() and letter not in PAGE_KEYS
    return (*places, letter) if is_key else places
