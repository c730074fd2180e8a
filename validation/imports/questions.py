"""Questions on their way in: checked, judged against what is there, stored with their flags and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from annotation.content.actions.items import family_of
from annotation.kinds import SlotIn, Source
from annotation.kinds.base import option_field
from annotation.text import checks
from annotation.text.checks import Finding
from validation.consensus.engine import GOLD, VoteIn, decide
from validation.imports.outcome import Outcome, taken
from validation.imports.prepare import is_sampled
from validation.imports.project_context import Frame
from validation.imports.question_store import (
    HeldQuestion,
    KnownQuestions,
    Place,
    parts_of,
    place_of,
    same_of,
    store_concepts,
    store_questions,
    twin_of,
)
from validation.imports.rules import Problem
from validation.imports.rules.people import Answer, Unread
from validation.imports.rules.problems import gettext_noop
from validation.imports.rules.questions import QuestionRow
from validation.imports.storage import ItemIn, store_items
from validation.review.actions.check_findings import told
from validation.review.rules.flags import DUPLICATE, FAILED_CHECK

_UNREAD = gettext_noop("A mark cannot be read and is kept as unknown: %(field)s %(name)s “%(value)s”")
VOTE = ("label", "unsure", "ambiguous", "comment", "answers")
MAJORITY_DIFFERS, MARKS_UNREAD = "majority_differs", "marks_unread"
# They look for the concept: silent where the file names none.
OF_CONCEPT = frozenset({"concept_missing", "concept_other_form"})
Ballot = tuple[str, str, bool]


@dataclass(slots=True)
class Question:
    """A question that is ready: `place` is its concept's, `same` and `twin` tell equal ones, `failed` are the checks
    that it fails, `label` is what its writer calls the answer."""

    row: QuestionRow
    label: str
    content: dict[str, Any]
    place: Place
    same: str
    twin: str
    words: int
    failed: tuple[str, ...]
    surplus: frozenset[int]


class QuestionPreparer:
    """All that can be said of one question before the database is asked."""

    def __init__(self, frame: Frame, mapping: Mapping[str, str]) -> None:
        self._frame = frame
        # Published files do not say which choice is meant to mislead.
        silent = set() if "distractor" in mapping else {"distractor_missing"}
        self._checks = [each for each in frame.block_checks if each not in silent]
        self._decided = lru_cache(maxsize=4096)(self._decide)

    def prepare(self, row: QuestionRow) -> Question:
        """The question's content as revisions keep it, and what stands against it."""
        kind, typed = self._frame.kind, self.typed(row)
        source = Source("", row.concept, row.category, row.parallel)
        content = kind.content(source, typed)
        # A file's texts are kept with the blanks around them, which forms take away.
        content["concept"] = row.concept or content["concept"]
        content |= self.beside(row)
        label = row.author_label
        made = {option["key"]: option for option in content["options"]}
        content["options"] = [made.get(key) or _beyond(key, text, label) for key, text in row.options]
        if self._frame.machine:
            content["made"] = {"model": self._frame.machine, "level": ""}
            label = kind.author_label(kind.slots(self._frame.rules)[0], typed)
        surplus, gold = self._decided(
            row.author_label, tuple([(*vote[:2], bool(vote.ambiguous)) for vote in row.votes])
        )
        failed = self._failed(row, typed)
        if row.majority and gold and row.majority != gold:
            failed = (*failed, MAJORITY_DIFFERS)
        if row.unread:
            failed = (*failed, MARKS_UNREAD)
        words = kind.words_in(content)
        place = self.place(row)
        return Question(
            row, label, content, place, same_of(content), twin_of(content), words, failed, surplus
        )

    def typed(self, row: QuestionRow) -> SlotIn:
        """The row as if its writer had typed it into the form."""
        more = {option_field(key): text for key, text in row.options}
        more |= {"answer": row.author_label, "distractor": row.distractor, "concept": row.concept}
        return SlotIn(row.question, True, more=more)

    def beside(self, row: QuestionRow) -> dict[str, Any]:
        """What is kept with the question beside its texts."""
        return {}

    def place(self, row: QuestionRow) -> Place:
        """Where the question's concept stands."""
        return place_of(row.category, row.concept)

    def _failed(self, row: QuestionRow, typed: SlotIn) -> tuple[str, ...]:
        frame = self._frame
        context = checks.SetContext(
            source=row.concept,
            slots=(checks.SlotText("q", row.author_label, typed.text, True, (), typed.more),),
            language=frame.language,
            settings=frame.settings,
            per_label=frame.per_label,
            labels=frame.kind.label_keys,
            often={},
        )
        run = self._checks if row.concept else [each for each in self._checks if each not in OF_CONCEPT]
        return tuple(dict.fromkeys(found.check for found in checks.run_checks(run, context)))

    def _decide(self, author_label: str, votes: tuple[Ballot, ...]) -> tuple[frozenset[int], str]:
        """Which votes stand beyond the decision (ruling 3), and the gold label that the others make."""
        frame = self._frame
        ballots = [
            VoteIn(label, name, frame.round_of(place), place, ambiguous=ambiguous)
            for place, (name, label, ambiguous) in enumerate(votes)
        ]
        found = decide(frame.protocol, author_label or None, ballots, frame.kind.label_keys)
        return frozenset(found.surplus), (found.label or "") if found.state == GOLD else ""


@dataclass(slots=True)
class Placed:
    """A question with the key that it gets and the flags that it starts with."""

    key: str
    question: Question
    flags: list[tuple[str, dict[str, Any]]]


@dataclass
class _Plan:
    """What a batch will store: new concepts by their place with their texts, and questions."""

    concepts: dict[Place, str] = field(default_factory=dict)
    questions: list[Placed] = field(default_factory=list)


class QuestionTaker:
    """Takes batches of questions; the caller owns the transaction and has locked the target."""

    # What an import calls the column of the key.
    id_field = "item_id"

    def __init__(self, frame: Frame, *, store: bool) -> None:
        self._frame, self._store, self._known = frame, store, KnownQuestions(frame)

    def take(self, rows: Sequence[tuple[int, Question | Problem]]) -> Outcome:
        """Judge a batch in file order, and store what is new."""
        frame, outcome, plan = self._frame, Outcome(), _Plan()
        known = self._known = KnownQuestions(frame) if self._store else self._known
        self._look(known, [each for _, each in rows if isinstance(each, Question)])
        for n, each in rows:
            found = each if isinstance(each, Problem) else self._place(known, each, plan)
            if isinstance(found, Problem):
                outcome.refuse(n, found)
            elif found is None:
                outcome.unchanged += 1
            else:
                outcome.accepted += 1
                outcome.flagged += bool(found.flags)
                outcome.unread.update(found.question.row.unread)
                plan.questions.append(found)
        if self._store and plan.questions:
            self._keep(known, plan)
        return outcome

    def _look(self, known: KnownQuestions, questions: Sequence[Question]) -> None:
        known.look_concepts({each.place for each in questions})
        known.look_items({each.row.key for each in questions})
        known.look_twins({each.row.question for each in questions})
        # The same id and texts with another answer have a key of their own.
        others = [each for each in questions if _other_answer(known.items.get(each.row.key), each)]
        if others:
            known.look_items({_other_key(each) for each in others})

    def _place(self, known: KnownQuestions, each: Question, plan: _Plan) -> Placed | Problem | None:
        """Where a question goes, why it cannot, or None where it is there already (ruling 15)."""
        key, held = each.row.key, known.items.get(each.row.key)
        if held is not None and not self._same(held, each):
            return taken(self.id_field, key, *self._differing(held, each))
        if _other_answer(held, each):
            key = _other_key(each)
            held = known.items.get(key)
        if held is not None:
            return None
        if each.place not in known.concepts:
            known.concepts[each.place] = None
            plan.concepts[each.place] = each.row.concept.strip()
        first = known.twins.setdefault(each.twin, key)
        known.items[key] = HeldQuestion({each.same}, {each.label}, parts_of(each.content))
        flags: list[tuple[str, dict[str, Any]]] = []
        if first != key:
            flags.append((DUPLICATE, {"of": first}))
        if each.failed:
            flags.append((FAILED_CHECK, {**_unread_found(each.row.unread), "checks": list(each.failed)}))
        return Placed(key, each, flags)

    def _same(self, held: HeldQuestion, each: Question) -> bool:
        """Whether the texts are those that the key stands for; another answer to them gets a key of its own."""
        return each.same in held.sames

    def _differing(self, held: HeldQuestion, each: Question) -> tuple[str, str]:
        """The first texts that differ, as they stand there and here."""
        here = parts_of(each.content)
        return next(
            ((there, new) for there, new in zip(held.parts, here, strict=False) if there != new), ("", "")
        )

    def _keep(self, known: KnownQuestions, plan: _Plan) -> None:
        frame = self._frame
        there = {place: pk for place, pk in known.concepts.items() if pk is not None}
        there |= store_concepts(frame, plan.concepts.items())
        items = [_item(frame, each, there[each.question.place]) for each in plan.questions]
        ids = store_items(frame, items, VOTE)
        rows = zip(ids, plan.questions, strict=True)
        store_questions(frame, [(pk, each.question.content, there[each.question.place]) for pk, each in rows])


def _item(frame: Frame, each: Placed, concept: int) -> ItemIn:
    question, row = each.question, each.question.row
    return ItemIn(
        key=each.key,
        author=row.author,
        author_label=question.label,
        family=family_of(frame.kind, frame.project_id, each.key, concept),
        sampled=bool(row.votes) or is_sampled(frame, each.key, question.place[1]),
        content=question.content,
        words=question.words,
        votes=[_ballot(vote) for vote in row.votes],
        surplus=question.surplus,
        flags=each.flags,
    )


def _unread_found(unread: Sequence[Unread]) -> dict[str, Any]:
    """What the flag says of marks that cannot be read, as findings of checks are kept."""
    if not unread:
        return {}
    return told([Finding(MARKS_UNREAD, "", checks.WARN, _UNREAD, each._asdict()) for each in unread], {})


def _ballot(vote: Answer) -> tuple[Any, ...]:
    return (vote.name, vote.label, vote.unsure, vote.ambiguous, vote.comment, dict(vote.answers))


def _other_answer(held: HeldQuestion | None, each: Question) -> bool:
    return held is not None and each.label not in held.labels


def _other_key(each: Question) -> str:
    return f"{each.row.key}~{each.label or 'none'}"


def _beyond(key: str, text: str, answer: str) -> dict[str, str]:
    """A choice beyond those that questions have here, as only a machine's can have it."""
    return {"key": key, "text": text, "role": "answer" if key == answer else ""}
