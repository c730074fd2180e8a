"""Reads the audit log, for administrators of the site."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from django.db.models import QuerySet

from annotation.core.models.member import Event
from annotation.core.models.user import User
from annotation.core.rules.audit import verbs_of

A_PAGE = 50
A_CHUNK = 1000


@dataclass(frozen=True)
class Act:
    """One act: who did it (empty: the system, or somebody at the machine), whom it concerns, and what more it says."""

    event: Event
    by: str
    concerns: str
    about: dict[str, Any]

    @property
    def details(self) -> list[tuple[str, str]]:
        """What more it says, by the names under which it is kept, as people read it."""
        changed = self.event.verb == "settings"
        return [(name, _value_in_words(value, changed=changed)) for name, value in sorted(self.about.items())]


def events(area: str, slug: str, before: int | None = None) -> QuerySet[Event]:
    """Administrative acts, latest first: of an area, of a project (all where it is empty), before one of them."""
    rows = Event.objects.filter(verb__in=verbs_of(area)).select_related("project", "actor").order_by("-id")
    if slug:
        rows = rows.filter(project__slug=slug)
    return rows if before is None else rows.filter(pk__lt=before)


def acts(rows: Iterable[Event]) -> list[Act]:
    """Events as they are shown, with the accounts that they name by key."""
    found = list(rows)
    keys = {event.data["user"] for event in found if isinstance(event.data.get("user"), int)}
    accounts = dict(User.objects.filter(pk__in=keys).values_list("pk", "email"))
    return [_act(event, accounts) for event in found]


def _act(event: Event, accounts: dict[int, str]) -> Act:
    about: dict[str, Any] = dict(event.data)
    account = accounts.get(about.pop("user", None) or 0, "")
    concerns = account or str(about.pop("annotator", "") or "")
    return Act(event, event.actor.email if event.actor else "", concerns, about)


def _value_in_words(value: Any, *, changed: bool) -> str:
    """Roles and the like by the names of those that hold; of a setting what it was and what it is."""
    if isinstance(value, dict):
        return ", ".join(sorted(name for name, holds in value.items() if holds)) or "–"
    if isinstance(value, list):
        return (" → " if changed else ", ").join(_value_in_words(each, changed=False) for each in value) or "–"
    return "–" if value in (None, "") else str(value)


def file_rows(area: str, slug: str) -> Iterator[tuple[object, ...]]:
    """All of them as rows of a file, below their headings."""
    yield ("n", "at", "by", "act", "project", "concerns", "details")
    before: int | None = None
    while chunk := acts(events(area, slug, before)[:A_CHUNK]):
        for act in chunk:
            event = act.event
            project = event.project.slug if event.project else ""
            details = orjson.dumps(act.about, option=orjson.OPT_SORT_KEYS).decode() if act.about else ""
            yield (event.pk, event.at.isoformat(), act.by, event.verb, project, act.concerns, details)
        before = chunk[-1].event.pk
