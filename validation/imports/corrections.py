"""A cleaned file and the items that it was made from: each difference is a lead's correction (id-csqa §5.1).

Rows are matched by id. What stands as the row has it is left alone, so that taking a file twice changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from annotation.content.models.item import Item, Revision
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.public_pages import ClosesPages
from annotation.jobs.bulk import any_of
from annotation.kinds import option_field
from annotation.text.gettext import gettext_noop
from validation.imports.outcome import RefusedRow
from validation.imports.pipeline import Intake
from validation.imports.rules import FileRefused, Problem
from validation.imports.rules.problems import excerpt
from validation.imports.rules.questions import QuestionRow
from validation.review.actions.assessments import corrections_take
from validation.review.actions.rewording import content_with, extra_choices
from validation.review.rules.assessments import Corrections, compare_contents

AT_ONCE = 500
CORRECTION_REASON = "As in the file %(name)s."


@dataclass
class CorrectionsOutcome:
    """The outcome of a file: rows equal to their items, rows that changed them (by part), refused rows, and the keys of
    machine-written items that no row names."""

    rows: int = 0
    unchanged: int = 0
    changed: Corrections = field(default_factory=Corrections)
    refused: list[RefusedRow] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class _Held(NamedTuple):
    """An item that a row names: what it is now."""

    pk: int
    version: int
    content: Mapping[str, Any]


def apply_corrections(
    *,
    project: Project,
    path: Path,
    name: str,
    mapping: Mapping[str, str] | None,
    lead: Annotator,
    meaning: str = "",
    store: bool = True,
    separator: str = "",
) -> CorrectionsOutcome:
    """Make the items of a project what a file says they are; each row is stored by itself, none where not `store`.

    `meaning` says of items that people voted on whether they mean the same still. Raises FileRefused.
    """
    # Read as a machine's file is: a row may have other choices than the kind has, and names no writer.
    intake = Intake.open(project, path, name, mapping, machine=lead.pseudonym, separator=separator)
    if not intake.holds_items:
        message = gettext_noop("The file holds no questions, so there is nothing to compare.")
        raise FileRefused("corrections_no_items", message)
    work = _CorrectionsRun(intake, lead, meaning, CORRECTION_REASON % {"name": name}, store)
    rows = ((record.n, intake.reader.read(record)) for record in intake.source.records())
    while some := list(islice(rows, AT_ONCE)):
        work.take(some)
    keys = Item.objects.filter(project=project, origin=Item.Origin.MACHINE).order_by("pk")
    work.done.missing = [key for key in keys.values_list("key", flat=True) if key not in work.seen]
    return work.done


class _CorrectionsRun:
    """A file on its way: what it changed so far, and which ids it named."""

    def __init__(self, intake: Intake, lead: Annotator, meaning: str, why: str, store: bool) -> None:
        self.intake, self.lead, self.meaning, self.why, self.store = intake, lead, meaning, why, store
        self.kind = intake.frame.kind
        self.done, self.seen = CorrectionsOutcome(), set[str]()

    def take(self, rows: Sequence[tuple[int, Any]]) -> None:
        """Compare a batch of rows with their items, in the file's order."""
        held = self._held({row.key for _, row in rows if isinstance(row, QuestionRow)})
        for n, row in rows:
            self.done.rows += 1
            found = row if isinstance(row, Problem) else self._one(row, held.get(row.key))
            if isinstance(found, Problem):
                self.done.refused.append(RefusedRow(n, found.field, found.reason))

    def _held(self, keys: set[str]) -> dict[str, _Held]:
        found = Item.objects.filter(project=self.intake.frame.project_id, key__in=any_of(keys))
        items = {row[0]: row for row in found.values_list("pk", "key", "version", "revision_n")}
        now = Revision.objects.filter(item__in=any_of(items)).values_list("item_id", "n", "content")
        return {items[pk][1]: _Held(pk, items[pk][2], content) for pk, n, content in now if items[pk][3] == n}

    def _one(self, row: QuestionRow, held: _Held | None) -> Problem | None:
        if held is None:
            return _problem("id_unknown", self._column("item_id"), _UNKNOWN, key=excerpt(row.key, 40))
        if row.key in self.seen:
            return _problem("id_twice", self._column("item_id"), _TWICE, key=excerpt(row.key, 40))
        self.seen.add(row.key)
        if "category" in self.intake.mapping and row.category != held.content.get("category", ""):
            return _problem("category_unlike", "category", _CATEGORY, there=held.content.get("category", ""))
        texts = self._texts(row, held.content)
        if isinstance(texts, Problem):
            return texts
        return self._corrected(row, held, texts)

    def _column(self, name: str) -> str:
        return name if name in self.intake.mapping else ""

    def _texts(self, row: QuestionRow, content: Mapping[str, Any]) -> dict[str, str] | Problem:
        """The texts by field; a choice that only a machine can have written is taken away where the row has none."""
        choices = dict(row.options)
        there = [str(each["key"]) for each in content["options"]]
        gone = set(extra_choices(self.kind, content)) - set(choices)
        if set(there) - gone != set(choices):
            return _problem("choices_unlike", "choices", _CHOICES, there=", ".join(there))
        texts = {"question": row.question} | {option_field(key): choices.get(key, "") for key in there}
        return texts | ({"concept": row.concept} if "concept" in self.intake.mapping else {})

    def _corrected(self, row: QuestionRow, held: _Held, texts: Mapping[str, str]) -> Problem | None:
        try:
            new = content_with(self.kind, held.content, texts, row.author_label)
            if new == held.content:
                self.done.unchanged += 1
                return None
            if self.store:
                corrections_take(
                    lead=self.lead,
                    item_id=held.pk,
                    version=held.version,
                    texts=texts,
                    answer=row.author_label,
                    meaning=self.meaning,
                    words=self.why,
                )
        except ClosesPages as refused:
            return _problem(refused.code, "id", _CLOSES, pages=", ".join(refused.details["pages"]))
        except (Invalid, Conflict) as refused:
            return Problem(refused.code, refused.field, problem_words(refused.code))
        self.done.changed = self.done.changed.plus(compare_contents(held.content, new))
        return None


def _problem(code: str, at: str, message: str, **params: object) -> Problem:
    return Problem(code, at, message, params)


_UNKNOWN = gettext_noop("The project has no item “%(key)s”. Look at the id, or take the raw file in first.")
_TWICE = gettext_noop("An earlier row of the file has “%(key)s”; keep one of the rows.")
_CATEGORY = gettext_noop("The item's category is “%(there)s”, and a correction cannot change it.")
_CLOSES = gettext_noop("This closes the public pages %(pages)s. Name them with --close-pages, then run it again.")
_CHOICES = gettext_noop("The item's choices are %(there)s: give each of them a text, and no other.")
