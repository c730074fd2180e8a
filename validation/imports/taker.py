"""Batches of rows compared with the project's content: new ones are stored, the rest is unchanged or refused.

One way for all forms: a form says what makes two of its rows the same, where a new one goes, and what is stored.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.jobs.bulk import any_of, look_up
from annotation.text.checks import WARN, Finding
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import meant_text
from validation.imports.outcome import Outcome
from validation.imports.project_context import ProjectContext
from validation.imports.rules import Problem
from validation.imports.rules.garbled import texts_in
from validation.imports.rules.problems import excerpt
from validation.voting.actions.check_findings import findings_detail
from validation.voting.rules.flags import DUPLICATE, FAILED_CHECK

Flags = list[tuple[str, dict[str, Any]]]
MOJIBAKE = "mojibake"
_MOJIBAKE = gettext_noop("“%(text)s” looks as if it had been read in a wrong encoding; it is probably “%(meant)s”.")


def garbled_findings(content: Mapping[str, Any]) -> dict[str, Any]:
    """The texts of an item that look as if they had been read in a wrong encoding, as findings of checks are kept."""
    pairs = ((text, meant_text(text)) for text in texts_in(content) if not text.isascii())
    told = [{"text": excerpt(text), "meant": excerpt(meant)} for text, meant in pairs if meant]
    return findings_detail([Finding(MOJIBAKE, "", WARN, _MOJIBAKE, each) for each in told], {}) if told else {}


@dataclass(slots=True)
class HeldItem:
    """An item that is there: what makes it the same and its labels, now and as they first came; its texts now."""

    equality_keys: set[Any]
    labels: set[str]
    texts: Any


class Taker:
    """Takes batches of rows; the caller owns the transaction and has locked the target.

    What is there is looked up once a batch; in a dry run what would be stored by then is remembered beside it. `items`
    are the project's items by key, `twins` the first key of the same texts under whatever id.
    """

    def __init__(self, frame: ProjectContext, *, store: bool) -> None:
        self.frame, self.store = frame, store
        self.reset_lookups()

    def reset_lookups(self) -> None:
        """Begin a batch with nothing looked up."""
        self.items: dict[str, HeldItem] = {}
        self.twins: dict[Any, str] = {}

    def take(self, rows: Sequence[tuple[int, Any]]) -> Outcome:
        """Judge a batch in file order, and store what is new."""
        outcome, new = Outcome(), list[Any]()
        if self.store:
            self.reset_lookups()
        self.load_existing([row for _, row in rows if not isinstance(row, Problem)])
        for n, row in rows:
            found = row if isinstance(row, Problem) else self.resolve(row)
            if isinstance(found, Problem):
                outcome.refuse(n, found)
            elif found is None:
                outcome.unchanged += 1
                outcome.unchanged_rows.append(n)
            else:
                outcome.accepted += 1
                outcome.flagged += bool(found.flags)
                if found.unread:
                    outcome.unread.update(found.unread)
                new.append(found)
        if self.store and new:
            self.store_new(new)
        return outcome

    def load_existing(self, rows: Sequence[Any]) -> None:
        """Look up what is there of a batch."""
        raise NotImplementedError

    def resolve(self, row: Any) -> Any:
        """What is stored of a row, the Problem why it cannot be, or None where it is there already (ruling 15)."""
        raise NotImplementedError

    def store_new(self, new: Sequence[Any]) -> None:
        """Store what `resolve` gave."""
        raise NotImplementedError

    # --- items that are there ---------------------------------------------------------------

    def equality_key(self, content: Mapping[str, Any]) -> Any:
        """What makes two items the same texts."""
        raise NotImplementedError

    def report_texts(self, content: Mapping[str, Any]) -> Any:
        """The texts of an item, cut short for reports."""
        raise NotImplementedError

    def load_existing_items(self, keys: Collection[str]) -> None:
        """Items of these keys, as they first came and as they are now (a lead may have corrected one)."""
        if not keys:
            return
        within, columns = ("project_id", self.frame.project_id), ("id", "key", "author_label")
        by_pk = {pk: (key, label) for pk, key, label in look_up(Item, within, "key", keys, columns)}
        if not by_pk:
            return
        there: Any = any_of(by_pk)
        first = Revision.objects.filter(item__in=there, n=1).values_list("item_id", "content", "author_label")
        now = shapes.get(self.frame.kind.shape).current_contents(there)
        for pk, content, label in (*first, *((pk, content, by_pk[pk][1]) for pk, content in now.items())):
            held = self.items.setdefault(by_pk[pk][0], HeldItem(set(), set(), ()))
            held.equality_keys.add(self.equality_key(content))
            held.labels.add(label)
            held.texts = self.report_texts(content)

    def initial_flags(self, twin: Any, key: str, content: Mapping[str, Any], failed: Mapping[str, Any]) -> Flags:
        """The flags that a new item starts with: that it repeats another one, the checks that it fails, and texts that
        look as if they had been read in a wrong encoding."""
        if not orjson.dumps(content).isascii():
            for name, found in garbled_findings(content).items():
                failed = {**failed, name: [*failed.get(name, ()), *found]}
        first = self.twins.setdefault(twin, key)
        flags: Flags = [] if first == key else [(DUPLICATE, {"of": first})]
        if failed:
            flags.append((FAILED_CHECK, dict(failed)))
        return flags
