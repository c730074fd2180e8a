"""What machine-written questions start from: question sets, concepts, finished questions, items of another project.

Each action brings a project's materials to what it was given and says what it did; done again it changes nothing.
What a run has begun with is never removed or altered: its questions would lose where they come from.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef
from django.utils.translation import gettext
from pydantic import ValidationError

from annotation.content import item_choice
from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core import access
from annotation.core.errors import Invalid, clean_typed
from annotation.core.models.member import Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.core.rules import draws
from annotation.generation.models import Candidate, Material
from annotation.generation.rules import recipes
from annotation.generation.rules.finished_questions import LONGEST_SPLIT, FinishedQuestions
from annotation.generation.rules.recipes.forms import (
    ANSWER,
    CONCEPT,
    ITEM,
    QUESTION,
    SET,
    ConceptData,
    ItemData,
    OptionData,
    QuestionData,
)
from annotation.jobs.bulk import bulk_insert
from annotation.jobs.models import Import, ImportRow
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import text_hash
from validation.imports.rules import FileRefused, Problem, Source, open_source
from validation.imports.rules.problems import excerpt

BATCH = 2000
LONGEST_KEY, LONGEST_GROUP, LONGEST_NAME = 200, 120, 200
MATERIAL_COLUMNS = (
    *("project_id", "target_id", "key", "sort", "group", "data", "split", "position"),
    *("concept_id", "item_id"),
)


@dataclass(frozen=True)
class MaterialIn:
    """One material as it comes in; `key` is its own for good in the project."""

    key: str
    group: str
    data: Mapping[str, Any]
    split: str = ""
    concept_id: int | None = None
    item_id: int | None = None


@dataclass
class MaterialsTaken:
    """What was done, by count. `held` are no longer wanted, or read otherwise now, but runs have begun with them, so
    they stay; `not_taken` were not chosen, or have no answer: how many for which reason of `item_choice`."""

    new: int = 0
    same: int = 0
    changed: int = 0
    removed: int = 0
    held: int = 0
    not_taken: dict[str, int] = field(default_factory=dict)

    @property
    def nothing(self) -> bool:
        return not (self.new or self.changed or self.removed)

    @property
    def counts(self) -> dict[str, int]:
        """Its summary, for an event and for the command."""
        return {"new": self.new, "removed": self.removed, "changed": self.changed, "held": self.held}


def material_sort(project: Project) -> str:
    """What the project's questions start from; Invalid where its settings name no way that there is."""
    try:
        return recipes.get(project.rules.recipe).sort
    except KeyError:
        raise Invalid(field="recipe", code="run_recipe_unknown") from None


def lock_ready_project(project: Project, sort: str) -> Target:
    """Lock the project; its target, where it is open and its questions start from this sort. Invalid or Conflict."""
    fresh = Project.lock(project.pk, closed="materials_closed")
    if material_sort(fresh) != sort:
        raise Invalid(field="project", code="materials_other_sort")
    return access.only_target(fresh)


def sets_take(
    *, project: Project, sets: Iterable[MaterialIn], report: Mapping[str, Any], by: User | None = None
) -> MaterialsTaken:
    """Make the project's question sets these, in this order (mCSQA §3.1); the report of the filters is kept with them.

    Sets of an earlier import that are not among them are removed, unless a run has begun with them.
    """
    with transaction.atomic():
        target = lock_ready_project(project, SET)
        taken = _store_drawn(target, iter(sets))
        before = Event.objects.filter(project=project, verb="sets_imported").order_by("-pk").first()
        if not taken.nothing or before is None or before.data.get("report") != report:
            Event.record(project, by, "sets_imported", **taken.counts, report=dict(report))
    return taken


def _store_drawn(target: Target, sets: Iterator[MaterialIn]) -> MaterialsTaken:
    """Store the sets in their order, a batch at a time, however many they are."""
    rows = Material.objects.filter(target=target, sort=SET)
    there = {key: (pk, place) for key, pk, place in rows.values_list("key", "pk", "position")}
    taken, done, moved = MaterialsTaken(), 0, list[Material]()
    while batch := list(islice(sets, BATCH)):
        new = []
        for place, row in enumerate(batch, start=done + 1):
            pk, old = there.pop(row.key, (0, 0))
            if not pk:
                new.append(_material_values(target, SET, place, row))
            elif old != place:
                moved.append(Material(pk=pk, position=place))
        taken.new += bulk_insert(Material, MATERIAL_COLUMNS, new)
        taken.same += len(batch) - len(new)
        done += len(batch)
    held = _drop_unused([pk for pk, _ in sorted(there.values(), key=lambda each: each[1])], taken)
    left = Material.objects.in_bulk(held)
    behind = enumerate(held, start=done + 1)
    moved += [Material(pk=pk, position=n) for n, pk in behind if left[pk].position != n]
    taken.changed = Material.objects.bulk_update(moved, ["position"], batch_size=BATCH)
    return taken


def _drop_unused(ids: Sequence[int], taken: MaterialsTaken) -> list[int]:
    """Remove those of these materials that no run has begun with; the others, in their order."""
    used: set[int] = set()
    for start in range(0, len(ids), BATCH):
        some = ids[start : start + BATCH]
        used |= set(Candidate.objects.filter(material__in=some).values_list("material_id", flat=True))
        gone = [pk for pk in some if pk not in used]
        taken.removed += Material.objects.filter(pk__in=gone).delete()[0]
    held = [pk for pk in ids if pk in used]
    taken.held += len(held)
    return held


def _material_values(target: Target, sort: str, place: int, row: MaterialIn) -> tuple[Any, ...]:
    given = (row.key, sort, row.group[:LONGEST_GROUP], dict(row.data), row.split, place)
    return (target.project_id, target.pk, *given, row.concept_id, row.item_id)


# --- concepts and items: what is already in the database ------------------------------------------


def concepts_as_materials(*, project: Project, by: User | None = None) -> MaterialsTaken:
    """Take the project's approved concepts for materials (id-csqa §4.3: questions that contain the concept).

    A concept that was reworded since is taken anew, one that is not approved any more goes, unless a run began with it.
    """
    with transaction.atomic():
        target = lock_ready_project(project, CONCEPT)
        approved = Concept.objects.filter(target=target, state=Concept.State.APPROVED)
        rows = []
        for each in approved.order_by("pk"):
            data = ConceptData(concept=each.text, category=each.category, parallel=each.parallel)
            rows.append(MaterialIn(each.key, each.category, data.model_dump(), concept_id=each.pk))
        taken = _merge_materials(target, CONCEPT, rows, whole=True)
        if not taken.nothing:
            Event.record(project, by, "materials_of_concepts", **taken.counts)
    return taken


def items_as_materials(
    *, project: Project, source: Project, choice: str = item_choice.SETTLED, by: User | None = None
) -> MaterialsTaken:
    """Take the questions of another project that are chosen (`item_choice`), to be translated (id-csqa §4.1).

    `by` has to lead or administer both, which is for the caller to see. A question corrected there since is taken anew
    unless a run began with it; one not chosen any more stays as it was taken.
    """
    if source.pk == project.pk or not has_questions(source):
        raise Invalid(field="source", code="materials_source_missing")
    if choice not in item_choice.CHOICES:
        raise Invalid(field="items", code="materials_choice_unknown")
    with transaction.atomic():
        target = lock_ready_project(project, ITEM)
        of, accepting = Item.objects.filter(project=source), source.kind_spec.question.accepting_label
        found = item_choice.chosen_items(of, source, choice, accepting).select_related("project")
        # A translation keeps the split of what its question was made from (domain.md §9).
        items = list(found.annotate(source_split=F("candidate__material__split")).order_by("pk"))
        contents = content_queries.contents(items)
        rows = [row for item in items if (row := _material_of_item(item, contents[item.pk], item.source_split or ""))]
        taken = _merge_materials(target, ITEM, rows)
        taken.not_taken = item_choice.count_not_chosen(of, source, choice, accepting)
        if unfit := len(items) - len(rows):
            taken.not_taken[item_choice.NO_ANSWER] = unfit
        if not taken.nothing:
            Event.record(project, by, "materials_of_items", **taken.counts, **{"from": source.slug, "items": choice})
    return taken


def has_questions(source: Project) -> bool:
    """Whether a project's items are questions with an answer: on concepts, and not prompts on topics."""
    return content_queries.has_concepts(source) and "variations" not in source.kind_spec.features


def _material_of_item(item: Item, content: Mapping[str, Any], split: str) -> MaterialIn | None:
    """The item as a material, its answer what the votes settled on, else what it was written with; None without one."""
    given = content.get("options", ())
    keys = {each["key"] for each in given}
    answer = next((key for key in (item.gold, item.author_label) if key in keys), "")
    project = item.project

    def role(option: Mapping[str, Any]) -> Any:
        if answer and option["key"] == answer:
            return ANSWER
        return "" if answer and option.get("role") == ANSWER else option.get("role", "")

    try:
        data = ItemData(
            id=item.key,
            concept=content["concept"],
            category=content.get("category", ""),
            question=content["question"],
            options=[OptionData(key=each["key"], text=each["text"], role=role(each)) for each in given],
            language=project.language,
            project=project.slug,
        )
    except ValidationError:
        return None
    key = f"{project.slug}:{item.key}"
    if len(key) > LONGEST_KEY:
        key = f"{project.slug[:100]}:{text_hash(key)}"
    split = str((content.get("made") or {}).get("split", "")) or split
    return MaterialIn(key, data.category, data.model_dump(), split=split[:LONGEST_SPLIT], item_id=item.pk)


def _merge_materials(target: Target, sort: str, rows: Sequence[MaterialIn], *, whole: bool = False) -> MaterialsTaken:
    """Add what is new behind the rest, in drawn order; take what reads otherwise now anew; `whole`: remove the rest.

    What a run has begun with is held as it is.
    """
    begun = Exists(Candidate.objects.filter(material=OuterRef("pk")))
    stands = Material.objects.filter(target=target, sort=sort).annotate(begun=begun)
    there = {each.key: each for each in stands}
    taken, new, changed = MaterialsTaken(), dict[str, MaterialIn](), list[Material]()
    for row in rows:
        each = there.pop(row.key, None)
        if each is None:
            new[row.key] = row
        elif (each.data, each.group, each.split) == (row.data, row.group[:LONGEST_GROUP], row.split):
            taken.same += 1
        elif getattr(each, "begun"):  # noqa: B009 - an annotation, which no type knows
            taken.held += 1
        else:
            each.data, each.group, each.split = dict(row.data), row.group[:LONGEST_GROUP], row.split
            changed.append(each)
    taken.changed = Material.objects.bulk_update(changed, ["data", "group", "split"], batch_size=BATCH)
    taken.new = add_materials(target, sort, new)
    if whole:
        _drop_unused([each.pk for each in sorted(there.values(), key=lambda one: one.position)], taken)
    return taken


def add_materials(target: Target, sort: str, rows: Mapping[str, MaterialIn]) -> int:
    """Store materials behind those that stand, in drawn order; the caller has locked the project."""
    last = Material.objects.filter(target=target, sort=sort).aggregate(last=Max("position"))["last"] or 0
    drawn = enumerate(draws.order(target.project.seed, "materials", rows), start=last + 1)
    return bulk_insert(Material, MATERIAL_COLUMNS, (_material_values(target, sort, n, rows[key]) for n, key in drawn))


# --- finished questions from a file ---------------------------------------------------------------


def questions_take(*, project: Project, path: Path, name: str, split: str = "", by: User | None = None) -> Import:
    """Take finished questions from a file (CommonsenseQA's JSONL or the published form, a list, CSV; also gzip).

    `split` is that of rows that name none. Invalid for a file that cannot be read at all; its rows are refused one by
    one, and stand with number, field and reason at the Import. The same file again changes nothing. A row whose id
    stands with another text, in the file or in the project, is refused (ruling 15).
    """
    split = clean_typed(split, "split", LONGEST_SPLIT, wrong="split_wrong")
    try:
        with transaction.atomic():
            target = lock_ready_project(project, QUESTION)
            file = _QuestionFile(project, target, open_source(path, name), split)
            add_materials(target, QUESTION, file.new)
            taken = file.store(name, by)
            if file.new:
                counts = {"new": taken.accepted, "refused": taken.refused}
                Event.record(project, by, "questions_imported", **counts, file=taken.name)
    except FileRefused as refusal:
        words = gettext(refusal.message)
        words = words % refusal.params if refusal.params else words
        raise Invalid(words, field="file", code=refusal.code) from None
    return taken


class _QuestionFile:
    """A file's questions, compared with those of the project and with each other."""

    def __init__(self, project: Project, target: Target, source: Source, split: str) -> None:
        self.project, self.unchanged = project, 0
        self.new: dict[str, MaterialIn] = {}
        self.refused: list[tuple[int, Problem]] = []
        present = Material.objects.filter(target=target, sort=QUESTION).values_list("key", "data", "split")
        self._present = {key: (data, at) for key, data, at in present}
        reader = FinishedQuestions(
            source, project.kind_spec.question.label_keys, project.kind_spec.question.read_label, split
        )
        self._source = source
        for record in source.records():
            row = reader.read(record)
            problem = row if isinstance(row, Problem) else self._take(*row)
            if problem is not None:
                self.refused.append((record.n, problem))

    def _take(self, question: QuestionData, split: str) -> Problem | None:
        """Keep a question that is new; the problem of one whose id has another text, answer or split."""
        row, before = (question.model_dump(), split), self._present.get(question.id)
        if before is None:
            self._present[question.id] = row
            self.new[question.id] = MaterialIn(question.id, question.category, row[0], split=split)
            return None
        if before == row:
            self.unchanged += 1
            return None
        message = gettext_noop(
            "“%(key)s” is there already with another text, answer or split. There: “%(there)s” Here: “%(here)s” "
            "Give this row another id, or leave it out."
        )
        there, here = excerpt(str(before[0].get("question", ""))), excerpt(question.question)
        params = {"key": excerpt(question.id, 40), "there": there, "here": here}
        return Problem("id_taken", "item_id", message, params)

    def store(self, name: str, by: User | None) -> Import:
        """The outcome of the file, with its refused rows."""
        base = "".join(mark for mark in name.replace("\\", "/").rsplit("/", 1)[-1] if mark.isprintable())
        counts = {"accepted": len(self.new), "unchanged": self.unchanged, "refused": len(self.refused)}
        what, name = Import.What.MATERIALS, base[-LONGEST_NAME:] or "file"
        notes = [[note.message, dict(note.params)] for note in self._source.notes()]
        mapping = {"notes": notes} if notes else {}
        taken = Import.objects.create(project=self.project, by=by, name=name, what=what, mapping=mapping, **counts)
        ImportRow.objects.bulk_create(
            (ImportRow(source=taken, n=n, field=each.field, reason=each.reason) for n, each in self.refused),
            batch_size=BATCH,
        )
        return taken
