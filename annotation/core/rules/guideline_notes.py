"""Notes in guidelines: a section of its own for each thing that writers should look out for."""


def with_note(text: str, heading: str, words: str) -> str:
    """Give the guidelines (Markdown) with the words under this heading, added where it stands already.

    Words that stand there already are not added again: the text comes back as it was.
    """
    title, said = "## " + " ".join(heading.split()), words.strip()
    lines = text.rstrip().split("\n")
    if title not in lines:
        return "\n".join([*lines, "", title, "", said, ""])
    start = lines.index(title) + 1
    following = (
        place for place, line in enumerate(lines) if place >= start and line.startswith(("# ", "## "))
    )
    end = next(following, len(lines))
    section = "\n".join(lines[start:end]).strip()
    if f"\n\n{said}\n\n" in f"\n\n{section}\n\n":
        return text
    rest = ["", *lines[end:]] if end < len(lines) else []
    return "\n".join([*lines[:start], "", *([section, ""] if section else []), said, *rest, ""])
