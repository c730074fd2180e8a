"""Words that reveal the label of a writer's texts: seen early, a habit is no artefact yet (domain.md §4)."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

# A word is a habit where at least so many of a writer's texts of one class have it, so large a share of them, and
# so many times the share among the writer's other texts.
LEAST_TEXTS = 5
LEAST_SHARE = 0.5
MORE_OFTEN_FACTOR = 2.0


@dataclass(frozen=True)
class WordHabit:
    """`having` of `texts` of a writer's texts of a class have the word, and `elsewhere` of the `others` texts."""

    writer: str
    label: str
    word: str
    having: int
    texts: int
    elsewhere: int
    others: int

    @property
    def share(self) -> float:
        return self.having / self.texts


def strongest_habits(
    texts: Mapping[tuple[str, str], int], having: Mapping[tuple[str, str, str], int]
) -> list[WordHabit]:
    """The strongest habit of each writer and class, in the order of both.

    `texts` counts a writer's texts by (writer, class), `having` those with a word by (writer, class, word); each text
    counts once for a word. Marks are no words.
    """
    of_writer: defaultdict[str, int] = defaultdict(int)
    for (writer, _), count in texts.items():
        of_writer[writer] += count
    # What is no habit in one class says nothing about another: only candidates are looked up elsewhere.
    likely = {
        key: count
        for key, count in having.items()
        if texts[key[:2]] >= LEAST_TEXTS
        and count >= LEAST_SHARE * texts[key[:2]]
        and (key[2][0].isalnum() or key[2][0] == "_")
    }
    classes = sorted({label for _, label in texts})
    by_pair: dict[tuple[str, str], WordHabit] = {}
    for (writer, label, word), count in likely.items():
        others = of_writer[writer] - texts[writer, label]
        elsewhere = sum(having.get((writer, other, word), 0) for other in classes if other != label)
        habit = WordHabit(writer, label, word, count, texts[writer, label], elsewhere, others)
        if _is_telling(habit) and _comes_before(habit, by_pair.get((writer, label))):
            by_pair[writer, label] = habit
    return [by_pair[key] for key in sorted(by_pair)]


def _is_telling(habit: WordHabit) -> bool:
    """Without other texts nothing is known of the word; it is no habit then, it may be the writer's language."""
    return habit.others > 0 and habit.share >= MORE_OFTEN_FACTOR * habit.elsewhere / habit.others


def _comes_before(one: WordHabit, other: WordHabit | None) -> bool:
    return other is None or (-one.having, one.elsewhere, one.word) < (
        -other.having,
        other.elsewhere,
        other.word,
    )
