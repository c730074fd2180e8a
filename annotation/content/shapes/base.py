"""Shapes: the typed rows of an item's present content, beside the revision that contains all of it."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.expressions import Combinable

from annotation.content.models.item import Item
from annotation.content.models.source import Concept, Premise
from annotation.content.models.units import SourceUnit
from annotation.core.models.project import Project

SourceRow = Premise | Concept | SourceUnit


class Shape(ABC):
    """The storage that kinds share. `source_column` names the column of an Allocation that holds what the writer
    starts from.

    `source_path` is the way from an item to its source, whose rows are of `model`; `text_paths` are those to its
    texts, its own first; `same_text_path` to what is equal where two projects have the same text (empty: nothing
    is). `group_path` is the way to what statistics group it by (a category, a sentence class), `group_title` what that
    is called; `group_name` is how one of them is shown.

    For releases: `document_path` is the way to a source's document or category, `text_class_path` to its class (empty:
    it has none), `published_columns` to what published files tell of it, by column. `source_join` and `source_columns`
    are SQL from a frozen row `r` to its source: key, class, document or category, extra. `split_text` is the text that
    splits keep together, or its hash where `is_split_text_hashed`; None where releases have no splits.
    """

    source_column: str
    source_path: str
    model: type[SourceRow]
    text_paths: tuple[str, ...]
    same_text_path: str = ""
    group_path: str
    group_title: str
    document_path: str
    text_class_path: str = ""
    published_columns: Mapping[str, str] = {}
    source_join: str
    source_columns: str
    split_text: Combinable | None = None
    is_split_text_hashed: bool = False

    def group_name(self, group: str) -> str:
        """A group as people read it, in their language where it is a word of the system."""
        return group

    @abstractmethod
    def store(self, items: Sequence[Item], sources: Sequence[SourceRow], contents: Sequence[Mapping[str, Any]]) -> None:
        """Write the typed rows of new items, each from its source and its content."""

    @abstractmethod
    def update(self, item: Item, content: Mapping[str, Any]) -> None:
        """Make the typed rows of an item say what this content says."""

    @abstractmethod
    def current_contents(self, items: Collection[int]) -> dict[int, dict[str, Any]]:
        """Items to their present content as the typed rows have it, in two statements at most."""

    @abstractmethod
    def source_of(self, item: Item) -> SourceRow:
        """What the item was made from."""

    @abstractmethod
    def open_sources(self, project: Project) -> QuerySet[Any]:
        """What writers of a project can start from."""

    def items_of_source(self, source: SourceRow) -> QuerySet[Item]:
        """Every item made from a source."""
        return Item.objects.filter(**{self.source_path: source.pk})

    def items_with_text(self, items: QuerySet[Item], words: str) -> list[QuerySet[Item]]:
        """Those of the items whose present texts hold these words, a query a text."""
        return [items.filter(**{f"{text}__icontains": words}) for text in self.text_paths]

    def text_matches(self, pattern: str, role: str | None = None) -> Q:
        """The items of whose own texts (with one role, where one is given) one matches a regular expression."""
        return Q(**{f"{self.text_paths[0]}__iregex": pattern})
