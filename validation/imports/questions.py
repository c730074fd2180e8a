"""Import of questions: checked, compared with stored ones, stored with their choices, flags and answers."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar

import orjson

from annotation.concepts.actions import concept_key
from annotation.content import shapes
from annotation.content.actions.items import family_of
from annotation.content.models.item import Option, QAPair
from annotation.content.models.source import Concept
from annotation.content.shapes.qa import COLUMNS, options_of
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of, bulk_insert, reserve_ids
from annotation.kinds import SlotIn, Source
from annotation.kinds.texts import option_field
from annotation.text import checks
from annotation.text.checks import Finding
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form
from validation.imports.concepts import ConceptTaker
from validation.imports.outcome import id_taken
from validation.imports.pipeline import ColumnMapping, ImportFormat, Records
from validation.imports.preview import PreviewRow, facts_of
from validation.imports.project_context import ProjectContext
from validation.imports.rules import Problem
from validation.imports.rules.cells import same_hash
from validation.imports.rules.people import Answer, Team, UnreadMark
from validation.imports.rules.problems import excerpt
from validation.imports.rules.questions import (
    LEFT_OUT,
    LETTERS,
    QUESTIONS,
    ConceptRow,
    QuestionReader,
    QuestionRow,
    read_letter,
)
from validation.imports.storage import ItemIn, store_items
from validation.imports.taker import HeldItem, Taker
from validation.voting.actions.check_findings import findings_detail

_UNREAD = gettext_noop("A mark cannot be read and is kept as unknown: %(field)s %(name)s “%(value)s”")
CONCEPT_COLUMNS = (
    "id",
    "project_id",
    "target_id",
    "key",
    "category",
    "text",
    "text_hash",
    "state",
    "words",
    "parallel",
)
QUESTION_COLUMNS = ("item_id", "project_id", "concept_id", "wording", "question", "more")
OPTION_COLUMNS = ("item_id", "key", "position", "text", "role")
VOTE_COLUMNS = ("label", "unsure", "ambiguous", "comment", "answers")
MAJORITY_DIFFERS, MARKS_UNREAD = "majority_differs", "marks_unread"
# They look for the concept: silent where the file names none.
CONCEPT_CHECKS = frozenset({"concept_missing", "concept_other_form"})
NO_CONCEPT = "–"
_STAND_IN_REASON = gettext_noop("Stands for the concept of questions that were imported without one.")

ConceptPlace = tuple[str, str]
"""A concept by its category and the hash of its text: unique in a target (id-csqa §4.2)."""


def concept_place(category: str, concept: str) -> ConceptPlace:
    """Where the concept of a question stands; one without a concept gets a stand-in of its category."""
    return category.strip(), same_hash(concept or NO_CONCEPT)


def sameness_key(content: Mapping[str, Any]) -> str:
    """What makes two questions the same: every text, and which choice is called what."""
    options = [[option["key"], key_form(option["text"])] for option in content["options"]]
    texts = [key_form(str(content.get(name, ""))) for name in ("question", "concept", "category")]
    return sha256(orjson.dumps([texts, options])).hexdigest()


def duplicate_key(content: Mapping[str, Any]) -> str:
    """What makes a question a duplicate: the question and its choices, in any order."""
    options = sorted(key_form(option["text"]) for option in content["options"])
    return sha256(orjson.dumps([content["question"], options])).hexdigest()


class QuestionPreparer:
    """All that can be said of one question before the database is asked."""

    def __init__(self, frame: ProjectContext, mapping: Mapping[str, str]) -> None:
        self._frame = frame
        # Published files do not say which choice is meant to mislead.
        silent = set() if "distractor" in mapping else {"distractor_missing"}
        self._checks = [each for each in frame.block_checks if each not in silent]

    def prepare(self, row: QuestionRow) -> QuestionRow:
        """The question with its content as revisions keep it, and what stands against it."""
        kind, typed = self._frame.kind, self.slot_input(row)
        content = kind.authoring.content_from_slot(Source("", row.concept, row.category, row.parallel), typed)
        # A file's texts are kept with the blanks around them, which forms take away.
        content["concept"] = row.concept or content["concept"]
        content |= self.source_text(row)
        label = row.author_label
        made = {option["key"]: option for option in content["options"]}
        content["options"] = [made.get(key) or _extra_option(key, text, label) for key, text in row.options]
        if self._frame.machine:
            content["made"] = {"model": self._frame.machine, "level": ""}
            label = kind.authoring.author_label(kind.authoring.slots(self._frame.rules)[0], typed)
        row.content, row.label, row.place, row.same = content, label, self.place(row), sameness_key(content)
        ballots = tuple([(*vote[:2], bool(vote.ambiguous)) for vote in row.votes])
        row.surplus, gold = self._frame.decide_votes(row.author_label, ballots)
        row.words, row.failed = kind.count_shown_words(content), self._failed(row, typed)
        if row.majority and gold and row.majority != gold:
            row.failed += (MAJORITY_DIFFERS,)
        if row.unread:
            row.failed += (MARKS_UNREAD,)
        return row

    def slot_input(self, row: QuestionRow) -> SlotIn:
        """The row as if its writer had typed it into the form."""
        more = {option_field(key): text for key, text in row.options}
        more |= {"answer": row.author_label, "distractor": row.distractor, "concept": row.concept}
        return SlotIn(row.question, True, more=more)

    def source_text(self, row: QuestionRow) -> dict[str, Any]:
        """What is kept with the question beside its texts."""
        return {}

    def place(self, row: QuestionRow) -> ConceptPlace:
        """Where the question's concept stands."""
        return concept_place(row.category, row.concept)

    def _failed(self, row: QuestionRow, typed: SlotIn) -> tuple[str, ...]:
        text = checks.SlotText("q", row.author_label, typed.text, True, (), typed.more)
        context = self._frame.check_context(row.concept, text)
        run = self._checks if row.concept else [each for each in self._checks if each not in CONCEPT_CHECKS]
        return tuple(dict.fromkeys(found.check for found in checks.run_checks(run, context)))


class QuestionTaker(Taker):
    """Takes batches of questions. `concepts` are the target's by their place; `fresh` the new ones' texts."""

    # What an import calls the column of the key.
    id_field: ClassVar[str] = "item_id"

    def reset_lookups(self) -> None:
        """Begin a batch with nothing looked up."""
        super().reset_lookups()
        self.concepts: dict[ConceptPlace, int | None] = {}
        self.fresh: dict[ConceptPlace, str] = {}

    def equality_key(self, content: Mapping[str, Any]) -> str:
        """Every text, and which choice is called what."""
        return sameness_key(content)

    def report_texts(self, content: Mapping[str, Any]) -> tuple[str, ...]:
        """The texts of a question, cut short."""
        options = [f"{option['key']}: {option['text']}" for option in content["options"]]
        named = [content.get(name, "") for name in ("question", "concept", "category")]
        return tuple(excerpt(str(text)) for text in (*named, " / ".join(options), *options))

    def load_existing(self, rows: Sequence[QuestionRow]) -> None:
        """The concepts, ids and texts of these questions."""
        hashes = {each.place[1] for each in rows}
        found = Concept.objects.filter(target=self.frame.target_id, text_hash__in=any_of(hashes))
        for pk, category, digest in found.values_list("pk", "category", "text_hash"):
            self.concepts[category, digest] = pk
        self.load_existing_items({each.key for each in rows})
        alike = QAPair.objects.filter(
            project=self.frame.project_id, question__in=any_of({each.question for each in rows})
        )
        keys = dict(alike.values_list("pk", "item__key"))
        present = shapes.get(self.frame.kind.shape).current_contents(list(keys)) if keys else {}
        for pk in sorted(keys, reverse=True):
            self.twins[duplicate_key(present[pk])] = keys[pk]
        # The same id and texts with another answer have a key of their own.
        self.load_existing_items({_other_key(each) for each in rows if self._other_answer(each)})

    def _other_answer(self, each: QuestionRow) -> bool:
        held = self.items.get(each.key)
        return held is not None and each.label not in held.labels

    def resolve(self, row: QuestionRow) -> ItemIn | Problem | None:
        """Where a question goes, why it cannot, or None where it is there already (ruling 15)."""
        key, held = row.key, self.items.get(row.key)
        if held is not None and not self.is_same(held, row):
            return id_taken(self.id_field, key, *self.difference(held, row))
        if self._other_answer(row):
            key = _other_key(row)
            held = self.items.get(key)
        if held is not None:
            return None
        if row.place not in self.concepts:
            self.concepts[row.place] = None
            self.fresh[row.place] = row.concept.strip()
        self.items[key] = HeldItem({row.same}, {row.label}, self.report_texts(row.content))
        failed = {**_unread_findings(row.unread), "checks": list(row.failed)} if row.failed else {}
        return ItemIn(
            key=key,
            author=row.author,
            author_label=row.label,
            source=row.place,
            sampled=bool(row.votes) or self.frame.is_sampled(key, row.place[1]),
            content=row.content,
            words=row.words,
            votes=[_vote_columns(vote) for vote in row.votes],
            surplus=row.surplus,
            split=row.split,
            flags=self.initial_flags(duplicate_key(row.content), key, row.content, failed),
            unread=row.unread,
        )

    def is_same(self, held: HeldItem, each: QuestionRow) -> bool:
        """Whether the texts are those that the key stands for; another answer to them gets a key of its own."""
        return each.same in held.equality_keys

    def difference(self, held: HeldItem, each: QuestionRow) -> tuple[str, str]:
        """The first texts that differ, as they stand there and here."""
        both = zip(held.texts, self.report_texts(each.content), strict=False)
        return next(((there, new) for there, new in both if there != new), ("", ""))

    def store_new(self, new: Sequence[ItemIn]) -> None:
        """Insert the new concepts, then the questions with their choices."""
        frame = self.frame
        there = {place: pk for place, pk in self.concepts.items() if pk is not None}
        there |= store_concepts(frame, self.fresh.items())
        for each in new:
            each.family = family_of(frame.kind, frame.project_id, each.key, there[each.source])
        rows = list(zip(store_items(frame, new, VOTE_COLUMNS), new, strict=True))
        questions = (_question(frame, pk, each.content, there[each.source]) for pk, each in rows)
        bulk_insert(QAPair, QUESTION_COLUMNS, questions)
        options = (
            (pk, option["key"], option["position"], option["text"], option["role"])
            for pk, each in rows
            for option in options_of(each.content)
        )
        bulk_insert(Option, OPTION_COLUMNS, options)


def _question(frame: ProjectContext, pk: int, content: Mapping[str, Any], concept: int) -> tuple[Any, ...]:
    more = {name: value for name, value in content.items() if name not in COLUMNS}
    return (pk, frame.project_id, concept, content.get("concept", ""), content["question"], more)


def store_concepts(frame: ProjectContext, rows: Iterable[tuple[ConceptPlace, str]]) -> dict[ConceptPlace, int]:
    """Insert new concepts, given by their place and text; their primary keys."""
    listed = list(rows)
    ids = reserve_ids(Concept, len(listed)) if listed else []
    made = []
    for pk, ((category, digest), text) in zip(ids, listed, strict=True):
        # Nobody writes for what only stands in: it is not approved.
        state, words = (Concept.State.APPROVED, "") if text else (Concept.State.RETURNED, _STAND_IN_REASON)
        shown = text or NO_CONCEPT
        key = concept_key(category, shown)
        made.append((pk, frame.project_id, frame.target_id, key, category, shown, digest, state.value, words, ""))
    bulk_insert(Concept, CONCEPT_COLUMNS, made)
    return {place: pk for pk, (place, _) in zip(ids, listed, strict=True)}


def _unread_findings(unread: Sequence[UnreadMark]) -> dict[str, Any]:
    """What the flag says of marks that cannot be read, as findings of checks are kept."""
    if not unread:
        return {}
    return findings_detail([Finding(MARKS_UNREAD, "", checks.WARN, _UNREAD, each._asdict()) for each in unread], {})


def _vote_columns(vote: Answer) -> tuple[Any, ...]:
    return (vote.name, vote.label, vote.unsure, vote.ambiguous, vote.comment, dict(vote.answers))


def _other_key(each: QuestionRow) -> str:
    return f"{each.key}~{each.label or 'none'}"


def _extra_option(key: str, text: str, answer: str) -> dict[str, str]:
    """A choice beyond those that questions have here, as only a machine's can have it."""
    return {"key": key, "text": text, "role": "answer" if key == answer else ""}


def _reader(frame: ProjectContext, mapping: ColumnMapping, records: Records) -> tuple[QuestionReader, Problem | None]:
    """If no column names creators, the whole file shows who answers and who does not."""
    kind, team = frame.kind, Team()
    if frame.machine:
        # A machine can have written more choices than a question has here, or fewer: review corrects them.
        return QuestionReader(mapping, LETTERS, read_letter, by_machine=True), None
    if mapping.get(LEFT_OUT) == mapping.get("answers", "") and "creator" not in mapping:
        for record in records():
            team.add((record.data or {}).get(mapping["answers"]))
    everyone = team.everyone if team.tells_creators else ()
    return QuestionReader(mapping, kind.question.label_keys, kind.question.read_label, everyone), team.problem()


def preview_rows(frame: ProjectContext, n: int, row: QuestionRow | ConceptRow) -> list[PreviewRow]:
    """A question or a concept as the page shows it before it is taken in."""
    if isinstance(row, ConceptRow):
        named = (("", row.category), ("shared_key", row.shared_key), ("parallel", row.parallel))
        return [PreviewRow(n, None, row.key, facts_of(*named), (row.text,))]
    return [
        PreviewRow(
            n,
            None,
            row.key,
            facts_of(("", row.category), ("", row.concept), ("parallel", row.parallel)),
            (row.question,),
            options=frame.kind.question.item_labels(row.content),
            label=frame.kind.question.item_label(row.content, row.author_label),
            author=row.author,
            votes=tuple(
                (vote.name, vote.label, bool(vote.unsure or vote.ambiguous), vote.comment) for vote in row.votes
            ),
            failed=row.failed,
        )
    ]


def _value_words(project: Project, field: str) -> Sequence[str]:
    """The words of a mark, or the letters of answers."""
    if field == "uncertainty":
        return ("certain", "uncertain")
    if field in ("question_ambiguity", "option_ambiguity"):
        return ("clear", "ambiguous")
    return project.kind_spec.question.label_keys if field in ("answers", "answer") else ()


FORMAT = ImportFormat(
    make_reader=_reader,
    make_preparer=QuestionPreparer,
    item_taker=QuestionTaker,
    source_taker=ConceptTaker,
    preview_row=preview_rows,
    columns=lambda project: QUESTIONS,
    allows_machine_items=True,
    cell_values=_value_words,
)
