"""Texts of items that are drawn as something else: images and sounds by address, dialogues and table rows by line."""

MEDIA_WIDGETS = ("image", "audio")
LONGEST_NAME = 60


def name_value_pairs(text: str) -> list[tuple[str, str]]:
    """Lines of “name: value”; a line without a name belongs to the one above it."""
    found: list[tuple[str, str]] = []
    for line in text.split("\n"):
        name, mark, value = line.partition(": ")
        if mark and len(name) <= LONGEST_NAME:
            found.append((name, value))
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}")
        else:
            found.append(("", line))
    return found
