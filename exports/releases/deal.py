"""What deals read of a release, or of a project as it stands: standing, text, and what else has a say."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.db.models import F, Value
from django.db.models.functions import Coalesce

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from exports.releases.lookups import read_names
from exports.releases.rules.rows import Names
from exports.releases.rules.splits import Facts

# What a source says of its text, in the words of published sets.
_GENRE = "genre"


def facts_of(names: Names, author: int | None, source: Sequence[Any]) -> Facts:
    """An item's facts from the columns of its source, as exports.releases.sql.SOURCES gives them."""
    _, text_class, document, extra = source[:4]
    told = _told(extra)
    text_class = names.classes.get(text_class, text_class or "")
    return Facts(names.annotators.get(author or 0, ""), text_class, document or "", told)


def _told(extra: Any) -> str:
    stored = orjson.loads(extra) if isinstance(extra, (str, bytes)) and extra else extra
    return str(stored.get(_GENRE, "")) if isinstance(stored, Mapping) else ""


# Where an item of a shape has the class, the document or category, and the further facts of its source.
_PLACES: Mapping[str, tuple[str, str, str]] = {
    "pair": (
        "hypothesis__premise__sentence_class",
        "hypothesis__premise__document",
        "hypothesis__premise__extra",
    ),
    "qa": ("", "qa__concept__category", "qa__concept__extra"),
}


def facts_now(project: Project, shape: str) -> dict[str, Facts]:
    """The facts of every item of a project as it stands, by key: for the preview."""
    text_class, document, extra = _PLACES[shape]
    columns = (Coalesce(F(text_class), Value("")) if text_class else Value(""), F(document), F(extra))
    found = Item.objects.filter(project=project).order_by()
    listed = found.values_list("key", "author__pseudonym", *columns)
    classes = read_names(project).classes
    return {
        key: Facts(author or "", classes.get(kind, kind or ""), group or "", _told(more))
        for key, author, kind, group, more in listed.iterator(chunk_size=5000)
    }
