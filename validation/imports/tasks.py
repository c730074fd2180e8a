"""Import of items of teams' own tasks, or of their sources: checked, compared, stored."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.answers import type_of
from annotation.content.models.item import Hypothesis
from annotation.content.shapes.task import columns_of as stored_as
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of, bulk_insert
from annotation.kinds import Kind
from annotation.kinds.rendered_texts import MEDIA_WIDGETS
from annotation.kinds.texts import text_at
from annotation.media.queries import media_by_name, media_missing, media_unused
from annotation.media.rules.files import references
from annotation.tasks.queries import task_of
from annotation.tasks.rules.kind import GROUP, SOURCE_FIELDS
from annotation.tasks.rules.task import Task
from annotation.text import checks
from annotation.text.gettext import gettext_noop
from validation.imports.outcome import Outcome, id_taken
from validation.imports.pairs import PremiseTaker
from validation.imports.pipeline import ImportFormat
from validation.imports.preview import PreviewRow, facts_of
from validation.imports.project_context import ProjectContext
from validation.imports.rules import Columns, PremiseRow, Problem
from validation.imports.rules.people import Answer
from validation.imports.rules.problems import excerpt
from validation.imports.rules.task_votes import votes_of
from validation.imports.rules.tasks import TaskReader, TaskRow, columns_of, sameness_key
from validation.imports.storage import ItemIn, store_items
from validation.imports.taker import HeldItem

MEDIA_REMOVED = Problem(
    "media_removed",
    "",
    gettext_noop("Its image or sound was removed meanwhile: send that again, then this row."),
)
SLOT = "item"
VOTE_COLUMNS = ("label", "unsure", "ambiguous", "comment", "answers")
HYPOTHESIS_COLUMNS = ("item_id", "project_id", "premise_id", "text", "tags", "more")


def _task(kind: Kind) -> Task:
    found = task_of(kind.slug)
    assert found is not None  # noqa: S101 - the kind was composed of it
    return found


def columns_for(project: Project) -> Columns:
    """The fields that files can have for this project."""
    return columns_of(_task(project.kind_spec))


class TaskPreparer:
    """All that can be said of one item before the database is asked: its words, and the checks that it fails."""

    def __init__(self, frame: ProjectContext, mapping: Mapping[str, str]) -> None:
        self._frame, authoring = frame, _task(frame.kind).authoring
        self._written = authoring.writes if authoring else ""
        self._checks = [checks.get(each) for each in frame.block_checks] if authoring else []

    def prepare(self, row: TaskRow) -> TaskRow:
        """The row with what is said of it."""
        row.words = self._frame.kind.count_shown_words(row.content)
        if row.votes:
            row.surplus = self._frame.surplus_votes(row.author_label, row.votes)
        if self._checks:
            text = checks.SlotText(SLOT, row.author_label, row.content.get(self._written, ""), False, ())
            context = self._frame.check_context(row.premise.text, text)
            failed = [check.id for check in self._checks for _ in check.find(context)]
            row.failed = tuple(dict.fromkeys(failed))
        return row


class TaskSourceTaker(PremiseTaker):
    """Takes batches of what writers start from."""

    def take(self, rows: Sequence[tuple[int, Any]]) -> Outcome:
        """Judge a batch; a row whose image or sound was removed since the file was opened is refused."""
        if self.store and _shows_media(_task(self.frame.kind)):
            shown = {n: _media_of(row) for n, row in rows if not isinstance(row, Problem)}
            gone = media_missing(self.frame.project_id, set().union(*shown.values()))
            rows = [(n, row if gone.isdisjoint(shown.get(n, ())) else MEDIA_REMOVED) for n, row in rows]
        return super().take(rows)

    def load_existing(self, rows: Sequence[PremiseRow]) -> None:
        """The sources of these ids and texts."""
        self.load_existing_premises({row.key for row in rows}, {row.hash for row in rows})

    def resolve(self, row: PremiseRow) -> PremiseRow | Problem | None:
        """The source where it is new; the same text is there already where the row gives no id."""
        held = self.premises.get(row.key)
        if (row.made and row.hash in self.first) or (held is not None and held.hash == row.hash):
            return None
        if held is not None:
            return id_taken("id", row.key, held.text, row.text)
        self.note(row)
        return row


class TaskTaker(TaskSourceTaker):
    """Takes batches of items, with those of their sources that are new (`fresh`)."""

    def reset_lookups(self) -> None:
        """Begin a batch with nothing looked up."""
        super().reset_lookups()
        self.fresh: list[PremiseRow] = []

    def equality_key(self, content: Mapping[str, Any]) -> str:
        """All texts."""
        return sameness_key(content)

    def report_texts(self, content: Mapping[str, Any]) -> str:
        """All texts, cut short."""
        return excerpt(stored_as(content)["text"].replace("\n", " / "))

    def load_existing(self, rows: Sequence[Any]) -> None:
        """The items and sources of these ids and texts."""
        hashes = {row.premise.hash for row in rows}
        self.load_existing_premises({row.premise.key for row in rows}, hashes)
        self.load_existing_items({row.key for row in rows})
        there = [digest for digest in hashes if digest in self.first]
        if there:
            alike = Hypothesis.objects.filter(
                project=self.frame.project_id, premise__text_hash__in=any_of(there)
            ).order_by("-pk")
            for content, key in alike.values_list("more", "item__key"):
                self.twins[sameness_key(content or {})] = key

    def resolve(self, row: Any) -> Any:
        """Where an item goes, why it cannot, or None where it is there already (ruling 15)."""
        held = self.items.get(row.key)
        if held is not None and row.same not in held.equality_keys:
            return id_taken("id", row.key, held.texts, self.report_texts(row.content))
        if held is not None:
            return None
        source = self._source_of(row.premise)
        self.items[row.key] = HeldItem({row.same}, {row.author_label}, self.report_texts(row.content))
        labelled = bool(row.author_label)
        failed = {"checks": list(row.failed)} if row.failed else {}
        return ItemIn(
            key=row.key,
            author=row.author,
            author_label=row.author_label,
            source=source,
            # An item without its author's label gets one from votes alone, so it is always asked for.
            sampled=bool(row.votes) or not labelled or self.frame.is_sampled(row.key, source),
            content=row.content,
            words=row.words,
            votes=votes_of(row.votes),
            surplus=row.surplus,
            split=row.split,
            flags=self.initial_flags(row.same, row.key, row.content, failed),
            slot=SLOT,
        )

    def _source_of(self, row: PremiseRow) -> str:
        """The key of the source that the item belongs to; a new one is stored with it."""
        if row.hash in self.first:
            there = self.first[row.hash]
            self.premises.setdefault(there.key, there)
            return there.key
        self.note(row)
        self.fresh.append(row)
        return row.key

    def store_new(self, new: Sequence[Any]) -> None:
        """Insert the new sources, then the items with their texts."""
        ids = self.store_premises(self.fresh) if self.fresh else {}
        ids |= {held.key: held.id for held in self.premises.values() if held.id is not None}
        for each in new:
            each.family = ids[each.source]
        project, pks = self.frame.project_id, store_items(self.frame, new, VOTE_COLUMNS)
        made = list[tuple[Any, ...]]()
        for pk, each in zip(pks, new, strict=True):
            columns = stored_as(each.content)
            made.append((pk, project, each.family, columns["text"], [], columns["more"]))
        bulk_insert(Hypothesis, HYPOTHESIS_COLUMNS, made)


def _vote_line(frame: ProjectContext, vote: Answer) -> str:
    """What a vote says in one line: its label, or its answers."""
    answers = [
        f"{question.text}: {type_of(question).display_text(question, vote.answers[question.key])}"
        for question in frame.kind.question.leaf_questions()
        if question.key in vote.answers
    ]
    return "; ".join(answers) if answers else vote.label


def _preview_rows(frame: ProjectContext, n: int, row: TaskRow | PremiseRow) -> list[PreviewRow]:
    task = _task(frame.kind)
    if isinstance(row, PremiseRow):
        texts: Mapping[str, Any] = row.extra.get(SOURCE_FIELDS) or {}  # type: ignore[assignment]
        given = tuple(text_at(texts, name) for name in task.columns if name in texts)
        return [PreviewRow(n, None, row.key, facts_of((GROUP, row.document)), given)]
    return [
        PreviewRow(
            n,
            None,
            row.key,
            facts_of((GROUP, row.premise.document)),
            tuple(text_at(row.content, name) for name in task.columns if name in row.content),
            label=frame.kind.question.label(row.author_label),
            author=row.author,
            votes=tuple(
                (vote.name, _vote_line(frame, vote), bool(vote.unsure or vote.ambiguous), vote.comment)
                for vote in row.votes
            ),
            failed=row.failed,
        )
    ]


def _reader(frame: ProjectContext, mapping: Mapping[str, str], records: Any) -> tuple[TaskReader, None]:
    task = _task(frame.kind)
    media = media_by_name(frame.project_id) if _shows_media(task) else {}
    return TaskReader(mapping, task, frame.kind.question.aliases, media), None


def _media_of(row: TaskRow | PremiseRow) -> set[str]:
    texts: Any = row.extra.get(SOURCE_FIELDS) if isinstance(row, PremiseRow) else row.content
    return references(texts or {})


def _shows_media(task: Task) -> bool:
    return any(field.type in MEDIA_WIDGETS for field in task.source)


def _unused_media(project: Project, reader: TaskReader) -> list[str]:
    """Files that were sent and that no item shows, nor a row of this file."""
    return media_unused(project, reader.shown) if _shows_media(reader.task) else []


FORMAT = ImportFormat(
    make_reader=_reader,
    make_preparer=TaskPreparer,
    item_taker=TaskTaker,
    source_taker=TaskSourceTaker,
    columns=columns_for,
    preview_row=_preview_rows,
    unused_media=_unused_media,
)
