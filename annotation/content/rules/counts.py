"""How much of an item its writer wrote: own texts and the sentences in them, as work is paid (domain.md §7)."""

from collections.abc import Mapping
from typing import Any

from annotation.kinds import Kind, text_at
from annotation.text.sentences import sentence_count


def revision_counts(kind: Kind, content: Mapping[str, Any], language: str) -> dict[str, int]:
    """The columns of a revision that say how many texts its writer wrote, and how many sentences, at least one a text.

    Not those of its source, nor those that follow from others. A text that validators are not shown is part of one that
    they are, where the kind joins such; else the source's. For a translation, pay takes the sentences of the source
    unit instead.
    """
    joined = kind.authoring.joined_fields
    texts = [
        text
        for each in kind.correctable_texts(content)
        if not each.shared and not each.derived and (each.shown or joined)
        if (text := text_at(content, each.key)).strip()
    ]
    return {
        "fields_n": len(texts),
        "sentences_n": sum([sentence_count(text, language) for text in texts]),
    }
