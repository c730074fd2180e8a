"""What a new version of a task's description changes, and which of it would invalidate votes that were given."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.tasks.rules.kind import is_plain, labels_of
from annotation.tasks.rules.question import TaskQuestion
from annotation.tasks.rules.task import Task


@dataclass(frozen=True)
class Change:
    """One change: the path of its field, what it is in words, and whether votes given before would not hold for it."""

    path: str
    words: str
    invalidates: bool


def changes(old: Task, new: Task) -> list[Change]:
    """Every change, in the order of the description; names, help, colours, letters and order of labels are harmless."""
    return list(_changes(old, new))


def invalidating_changes(old: Task, new: Task) -> list[Change]:
    """The changes with which votes, or items, that are there would not hold."""
    return [change for change in changes(old, new) if change.invalidates]


def _changes(old: Task, new: Task) -> Iterator[Change]:
    for name in ("name", "description", "guidelines"):
        if getattr(old, name) != getattr(new, name):
            yield Change(name, "other words", False)
    for name in ("protocol", "share"):
        if getattr(old, name) != getattr(new, name):
            yield Change(name, "holds for new projects only: change it under Settings", False)
    if old.language != new.language:
        yield Change("language", f"{old.language} becomes {new.language}", True)
    yield from _source(old, new)
    yield from _questions(old, new)
    if old.authoring != new.authoring:
        yield Change("authoring", "who writes what, or the author's label, changes", True)
    for name in ("flags", "shuffle"):
        if getattr(old, name) != getattr(new, name):
            yield Change(name, "holds for cards shown from now on", False)


def _source(old: Task, new: Task) -> Iterator[Change]:
    there, now = ({field.key: field for field in task.source} for task in (old, new))
    for key, field in there.items():
        path = f"source.{key}"
        if key not in now:
            yield Change(path, "is removed: people who voted saw it", True)
            continue
        after = now[key]
        if after.columns != field.columns or after.type != field.type:
            yield Change(path, f"{field.type} becomes {after.type}, or its sides change", True)
        if after.max_length < field.max_length:
            yield Change(f"{path}.max_length", "is lower: items may be longer", True)
        if after.required and not field.required:
            yield Change(f"{path}.required", "becomes required: items may be without it", True)
        if (after.required, after.max_length) != (field.required, field.max_length) and not (
            after.max_length < field.max_length or (after.required and not field.required)
        ):
            yield Change(path, "files may hold more", False)
        if set(field.hosts) - set(after.hosts):
            yield Change(f"{path}.hosts", "is loaded from fewer hosts: items may lie on another", True)
        elif after.hosts != field.hosts:
            yield Change(f"{path}.hosts", "may be loaded from more hosts", False)
        if (after.example, [side.example for side in after.sides]) != (
            field.example,
            [side.example for side in field.sides],
        ):
            yield Change(f"{path}.example", "another example", False)
        if (after.name, [side.name for side in after.sides]) != (
            field.name,
            [side.name for side in field.sides],
        ):
            yield Change(f"{path}.name", "other words", False)
    for key in sorted(now.keys() - there.keys()):
        required = now[key].required
        effect = "is new and required: items are without it" if required else "is new: items are without it"
        yield Change(f"source.{key}", effect, required)
    if list(there) != list(now) and set(there) == set(now):
        yield Change("source", "another order", False)


def _questions(old: Task, new: Task) -> Iterator[Change]:
    there, now = ({question.key: question for question in task.questions} for task in (old, new))
    for key, question in there.items():
        path = f"questions.{key}"
        if key not in now:
            yield Change(path, "is removed: answers to it are there", True)
        elif now[key].type != question.type:
            yield Change(f"{path}.type", f"{question.type} becomes {now[key].type}", True)
        else:
            yield from _question(path, question, now[key])
    for key in sorted(now.keys() - there.keys()):
        required = now[key].required
        effect = "is new and required: votes are without it" if required else "is new: votes are without it"
        yield Change(f"questions.{key}", effect, required)
    if is_plain(old) != is_plain(new):
        yield Change("questions", "one question with one label is stored in another way than several", True)
    if old.main.key != new.main.key and new.main.key in there:
        yield Change("questions", f"{new.main.key} becomes the first: another question makes gold", True)


def _question(path: str, old: TaskQuestion, new: TaskQuestion) -> Iterator[Change]:
    if old.text != new.text:
        # Only a person can judge whether other words ask another thing: the page asks them to check.
        yield Change(f"{path}.text", "is asked in other words: make sure that it asks the same", False)
    if old.help != new.help:
        yield Change(f"{path}.help", "other words", False)
    yield from _labels(path, old, new)
    yield from _criteria(path, old, new)
    if old.suggested != new.suggested:
        yield Change(f"{path}.suggested", "holds for cards shown from now on", False)
    for name in ("of", "between"):
        if getattr(old, name) != getattr(new, name):
            yield Change(f"{path}.{name}", "another text", True)
    for name in ("tie", "many"):
        if getattr(old, name) != getattr(new, name):
            yield Change(f"{path}.{name}", "what can be answered changes", True)
    if new.required and not old.required:
        yield Change(f"{path}.required", "becomes required: votes may be without it", True)
    elif old.required and not new.required:
        yield Change(f"{path}.required", "is optional now", False)
    if new.max_length != old.max_length:
        shorter = new.max_length < old.max_length
        yield Change(f"{path}.max_length", "answers may be longer" if shorter else "is longer", shorter)


def _labels(path: str, old: TaskQuestion, new: TaskQuestion) -> Iterator[Change]:
    before, after = ({label.key: label for label in labels_of(each, "en")} for each in (old, new))
    for key in sorted(before.keys() - after.keys()):
        place = "scale" if old.scale else "labels"
        yield Change(f"{path}.{place}.{key}", "is removed: votes may have it", True)
    for key in sorted(after.keys() - before.keys()):
        # Who voted before could not choose it.
        place = "scale" if new.scale else "labels"
        yield Change(f"{path}.{place}.{key}", "is new: who voted could not choose it", True)
    if before.keys() == after.keys() and old.labels != new.labels:
        yield Change(f"{path}.labels", "names, help, letters, colours or order", False)
    if old.scale and new.scale and (old.scale.low, old.scale.high) != (new.scale.low, new.scale.high):
        yield Change(f"{path}.scale", "its ends are called otherwise: make sure that they mean the same", False)


def _criteria(path: str, old: TaskQuestion, new: TaskQuestion) -> Iterator[Change]:
    if old.type == "criteria" and bool(old.scale) != bool(new.scale):
        yield Change(f"{path}.scale", "criteria are answered in another way", True)
    one, other = ({criterion.key: criterion for criterion in each.criteria} for each in (old, new))
    for key in sorted(one.keys() ^ other.keys()):
        gone = key in one
        yield Change(f"{path}.criteria.{key}", "is removed" if gone else "is new: votes are without it", True)
    if one.keys() == other.keys() and old.criteria != new.criteria:
        yield Change(f"{path}.criteria", "names, help or order", False)
