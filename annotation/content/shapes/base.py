"""What a shape is: the typed rows of an item's present content, beside the revision that holds it whole."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from django.db.models import Q, QuerySet

from annotation.content.models.item import Item
from annotation.content.models.source import Concept, Premise
from annotation.translation.models import SourceUnit

SourceRow = Premise | Concept | SourceUnit


class Shape(Protocol):
    """The storage that kinds share. `source` names the column of a Share that holds what the writer starts from.

    `group` is the way from an item to what statistics group it by (a category, a sentence class), `group_title` what
    that is called; `group_name` is how one of them is shown.
    """

    name: str
    source: str
    group: str
    group_title: str

    def group_name(self, group: str) -> str:
        """A group as people read it, in their language where it is a word of the system."""
        ...

    def store(
        self, items: Sequence[Item], sources: Sequence[SourceRow], contents: Sequence[Mapping[str, Any]]
    ) -> None:
        """Write the typed rows of new items, each from its source and its content."""
        ...

    def update(self, item: Item, content: Mapping[str, Any]) -> None:
        """Make the typed rows of an item say what this content says."""
        ...

    def present(self, items: Collection[int]) -> dict[int, dict[str, Any]]:
        """Items to their present content as the typed rows have it, in two statements at most."""
        ...

    def source_of(self, item: Item) -> SourceRow:
        """What the item was made from."""
        ...

    def of_source(self, source: SourceRow) -> QuerySet[Item]:
        """Every item made from a source."""
        ...

    def search(self, words: str) -> Q:
        """The items whose present texts hold these words."""
        ...

    def holds(self, pattern: str, role: str | None = None) -> Q:
        """The items of whose own texts (with one role, where one is given) one matches a regular expression."""
        ...
