"""What experts of a diagnostic set are asked: which phenomena an item with its gold label turns on (IndoNLI §5). Pure.

The tags that the author gave are chosen at first, to be confirmed or changed. `say` translates: texts that are stored
are in the project's language, others in that of whoever reads them.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from annotation.kinds import Kind, text_at
from annotation.tasks.rules.question import TaskLabel, TaskQuestion
from annotation.tasks.rules.task import Rounds, SourceField, Task
from annotation.text.gettext import gettext_noop
from annotation.text.phenomena import PHENOMENA, canonical

QUESTION, GOLD, AUTHOR_TAGS = "phenomena", "gold", "author_phenomena"
TITLE = gettext_noop("Phenomena of a diagnostic set")
TASK_INTRODUCTION = gettext_noop(
    "Say what a reader has to master to get from the texts to the gold label: at least one phenomenon. Those that the "
    "author gave are ticked already."
)
# One each, since there are more of them than digits: keys on the keyboard too.
_LETTERS = "MSLNOQCXURIATEW"


def describe_task(kind: Kind, language: str, say: Callable[[str], str] = str) -> Task:
    """The task of a set whose items are of this kind: their texts, gold label and tags, one expert each."""
    texts = [SourceField(key=_column(text.key), name=text.name) for text in kind.presentation.texts if text.shown]
    gold = SourceField(key=GOLD, name=gettext_noop("Gold label"))
    given = SourceField(key=AUTHOR_TAGS, name=gettext_noop("Phenomena that the author gave"), required=False)
    labels = (
        TaskLabel(key=each.code.lower(), name=each.code, help=each.name, letter=letter)
        for each, letter in zip(PHENOMENA, _LETTERS, strict=True)
    )
    question = TaskQuestion(
        key=QUESTION,
        text=gettext_noop("Which phenomena does one have to master to get this label?"),
        help=gettext_noop("Those that the author gave are ticked already. Confirm them, or change them."),
        type="several",
        labels=tuple(labels),
        suggested=AUTHOR_TAGS,
    )
    return Task(
        name=TITLE,
        language=language,
        source=(*texts, gold, given),
        questions=(question,),
        protocol=Rounds(rounds=(1,), quorum=1),
        flags=(),
        guidelines=_guidelines(say),
    )


def _column(key: str) -> str:
    """What a task calls a text of another kind: plain names are taken there."""
    return f"{key}_text"


def _guidelines(say: Callable[[str], str]) -> str:
    """What each tag means, with an example in the language of the data and in English, as Markdown."""
    parts = [f"# {say(TITLE)}", say(TASK_INTRODUCTION)]
    for each in PHENOMENA:
        pair = f"{each.example_premise} → {each.example_hypothesis}"
        gloss = f"{each.premise_gloss} → {each.hypothesis_gloss}"
        parts.append(f"## {each.code} · {say(each.name)}\n\n{say(each.definition)}\n\n> {pair}\n\n*{gloss}*")
    return "\n\n".join(parts) + "\n"


def texts_of(
    kind: Kind,
    content: Mapping[str, Any],
    gold: str,
    tags: Collection[str],
    say: Callable[[str], str] = str,
) -> dict[str, str]:
    """What the expert sees of an item: its texts as they were drawn, the name of its gold label, the author's tags."""
    label = kind.question.item_label(content, gold)
    texts = {_column(text.key): text_at(content, text.key) for text in kind.presentation.texts if text.shown}
    given = {AUTHOR_TAGS: " ".join(tags)} if tags else {}
    return {**texts, GOLD: say(label.name) if label else gold, **given}


def confirmed_tags(answers: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """The tags of an expert's answers, as they are compared; None before they said."""
    return None if not answers else canonical(answers[QUESTION])
