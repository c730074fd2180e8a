"""How well people answer who had no part in making it: the human baseline of releases (IndoNLI §5.1, Appendix C). Pure.

A stratified sample with its gold labels concealed, three people, their majority against gold; where they make none,
the label that most of the data has. 15 examples, five of each label, are shown before and never asked.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.core.rules.draws import order
from annotation.kinds import Kind, text_at
from annotation.text.gettext import gettext_noop
from annotation.text.markdown import escape
from validation.studies.rules import stratified
from validation.studies.rules.comparisons import RightShare

PURPOSE = "baseline"
USUAL_PEOPLE, USUAL_EXAMPLES = 3, 15
USUAL_OF_SET, USUAL_OF_RELEASE = 650, 450
EXAMPLES, RIGHT = gettext_noop("Examples"), gettext_noop("Right")


def sample_source(
    seed: str, source: int, counts: Mapping[str, int], rows: Iterable[stratified.Row], size: int
) -> list[stratified.Row]:
    """So many rows of one source, of each gold label its share, in drawn order; `counts` are how many have each."""
    return stratified.draw_proportionally(seed, f"{PURPOSE}:{source}", counts, rows, size)


def asking_order(seed: str, keys: Iterable[str]) -> list[str]:
    """The order in which everybody is asked: drawn over all sources together."""
    return order(seed, f"{PURPOSE}-turn", keys)


def draw_examples(seed: str, fresh: Mapping[str, str], others: Mapping[str, str], size: int) -> list[str]:
    """So many examples, of each label as many as of any other.

    `fresh` are those that share no text with what is asked; `others` come in only where these are too few.
    """
    purpose = f"{PURPOSE}-example"
    labels = {**others, **fresh}
    wanted = Counter(labels[key] for key in stratified.draw_evenly(seed, purpose, labels, size))
    chosen: list[str] = []
    for label, n in sorted(wanted.items()):
        near = [key for key in order(seed, purpose, fresh) if fresh[key] == label]
        far = [key for key in order(seed, purpose, others) if others[key] == label and key not in fresh]
        chosen += [*near, *far][:n]
    return order(seed, f"{purpose}-turn", chosen)


def most_frequent_label(counts: Mapping[str, int], known: Sequence[str]) -> str:
    """The label that most have; of those that as many have, the one that the kind names first."""
    places = {label: n for n, label in enumerate(known)}
    return min(counts, key=lambda label: (-counts[label], places.get(label, len(known)), label), default="")


def majority(labels: Sequence[str], otherwise: str) -> tuple[str, bool]:
    """What more than half of the people said, and whether there is such a label; else `otherwise`."""
    label, n = Counter(labels).most_common(1)[0] if labels else ("", 0)
    return (label, True) if 2 * n > len(labels) else (otherwise, False)


@dataclass(frozen=True)
class AnsweredItem:
    """One item that is asked: of which source it is, its gold label, and what each person said."""

    key: str
    source: int
    gold: str
    answers: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class JudgedItem:
    """The same with the people's answer, once so many said something; `has_majority` is whether most of them said
    it.
    """

    row: AnsweredItem
    is_complete: bool
    label: str
    has_majority: bool

    @property
    def right(self) -> bool:
        return self.is_complete and self.label == self.row.gold


def judge_items(rows: Iterable[AnsweredItem], people: int, frequent_of: Mapping[int, str]) -> list[JudgedItem]:
    """Each item with what the people's answer is; an item counts once so many people have answered it."""
    result = []
    for row in rows:
        over = len(row.answers) >= people
        labels = [label for _, label in row.answers]
        label, agreed = majority(labels, frequent_of[row.source]) if over else ("", False)
        result.append(JudgedItem(row, over, label, agreed))
    return result


@dataclass(frozen=True)
class Accuracy(RightShare):
    """How many of so many answers are gold: of a source (None: all), a gold label (empty: all), a person (empty: most).

    `no_majority` is how many of the items the people made no majority of.
    """

    source: int | None
    label: str
    person: str
    n: int
    right: int
    no_majority: int = 0


def majority_accuracies(judged: Sequence[JudgedItem], labels: Sequence[str]) -> list[Accuracy]:
    """Of each source and, where there are several, of all together: over all labels, then by gold label."""
    result = []
    for source in _sources(judged):
        for label in ("", *labels):
            here = [
                each
                for each in judged
                if each.is_complete and source in (None, each.row.source) and label in ("", each.row.gold)
            ]
            right, split = sum(each.right for each in here), sum(not each.has_majority for each in here)
            result.append(Accuracy(source, label, "", len(here), right, split))
    return result


def _sources(judged: Sequence[JudgedItem]) -> list[int | None]:
    result = sorted({each.row.source for each in judged})
    return [*result, *([None] if len(result) != 1 else [])]


def person_accuracies(judged: Sequence[JudgedItem]) -> list[Accuracy]:
    """Everybody who answered, by pseudonym, over all that they answered: of each source, and of all together."""
    by_person: dict[str, Counter[tuple[int, bool]]] = {}
    for each in judged:
        for who, label in each.row.answers:
            by_person.setdefault(who, Counter())[each.row.source, label == each.row.gold] += 1
    return [
        Accuracy(
            source,
            "",
            who,
            sum(n for (of, _), n in counts.items() if source in (None, of)),
            sum(n for (of, right), n in counts.items() if right and source in (None, of)),
        )
        for who, counts in sorted(by_person.items())
        for source in _sources(judged)
    ]


# --- what people read before they begin -----------------------------------------------------


Example = tuple[Mapping[str, Any], str]


def guidelines(kind: Kind, task: str, examples: Sequence[Example], say: Callable[[str], str] = str) -> str:
    """The text on the task (Markdown) and the examples, each with its right answer; `say` translates."""
    parts = [task]
    if examples:
        parts.append(f"## {say(EXAMPLES)}")
    parts += [_example(kind, n, content, gold, say) for n, (content, gold) in enumerate(examples, start=1)]
    return "\n\n".join(parts) + "\n"


def _example(kind: Kind, n: int, content: Mapping[str, Any], gold: str, say: Callable[[str], str]) -> str:
    texts = [
        f"**{say(text.name)}**\n\n> {_quoted(text_at(content, text.key))}"
        for text in kind.presentation.texts_in(content)
        if text.shown
    ]
    options = (
        [f"- {escape(label.name)}" for label in kind.question.votable_labels(content)]
        if kind.question.own_options
        else []
    )
    label = kind.question.item_label(content, gold)
    name = gold if label is None else label.name if label.is_item_option else say(label.name)
    right = f"**{say(RIGHT)}:** {escape(name)}"
    return "\n\n".join([f"### {n}", *texts, *(["\n".join(options)] if options else []), right])


def _quoted(text: str) -> str:
    return escape(text).replace("\n", "\n> ")
