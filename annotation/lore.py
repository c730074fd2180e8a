"""What is known of a target, fetched for the checks of one translation."""

from annotation.models import Lane
from annotation.rules.lore import Lore, Words


def lore_of(lane: Lane | None) -> Lore | None:
    """The lore of a target; None in kinds without targets."""
    if lane is None:
        return None
    registers = Lane.objects.filter(project=lane.project_id, language=lane.language, ended_at=None)
    others = {
        name: _words(words) for name, words in registers.exclude(pk=lane.pk).values_list("register", "words")
    }
    return Lore(
        source_language=lane.project.language,
        language=lane.language,
        register=lane.register,
        words=_words(lane.words),
        others={name: others[name] for name in sorted(others)},
    )


def _words(stored: list[list[str]]) -> Words:
    return tuple((word, meaning) for word, meaning in stored)
