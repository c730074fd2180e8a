"""Sources: premises taken in, shares of them given to writers, and taken back when left."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from annotation.db import locked
from annotation.models import Annotator, Lane, Premise, Project, Share
from annotation.rules.assignment import spread
from annotation.rules.normalise import key_form


@dataclass(frozen=True)
class PremiseIn:
    """A premise as it comes in; `extra` holds genre, source, topics, licence as the file names them."""

    key: str
    text: str
    sentence_class: str
    document: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


def text_hash(text: str) -> str:
    """What makes two texts the same: NFC without default-ignorables (reliability F34); never stored as text."""
    return hashlib.sha256(key_form(text).encode("utf-8", "surrogatepass")).hexdigest()


def premises_add(*, lane: Lane, rows: Sequence[PremiseIn]) -> list[Premise]:
    """Store new premises in one statement; the caller has refused what cannot be stored."""
    return Premise.objects.bulk_create(
        [
            Premise(
                project_id=lane.project_id,
                lane=lane,
                key=row.key,
                text=row.text,
                text_hash=text_hash(row.text),
                sentence_class=row.sentence_class,
                document=row.document,
                extra=dict(row.extra),
            )
            for row in rows
        ],
        batch_size=2000,
    )


def shares_assign(*, lane: Lane, writers: Sequence[Annotator], size: int | None = None) -> int:
    """Give each writer a share of the premises that nobody has, all sentence classes spread evenly (drawn).

    A premise that somebody skipped goes to one other writer; nobody gets back what they skipped or let lapse.
    """
    with transaction.atomic():
        project = locked(Project.objects.filter(pk=lane.project_id)).get()
        free = list(Premise.objects.filter(lane=lane).free().only("pk", "key", "sentence_class", "document"))
        by_key = {premise.key: premise for premise in free}
        had = set(
            Share.objects.filter(premise__in=free, writer__in=writers).values_list(
                "premise__key", "writer__pseudonym"
            )
        )
        by_name = {writer.pseudonym: writer for writer in writers}
        dealt = spread(
            [(premise.key, premise.sentence_class, premise.document) for premise in free],
            sorted(by_name),
            size or project.rules.share_size,
            project.seed,
        )
        shares = []
        for name, keys in dealt.items():
            writer = by_name[name]
            last = writer.shares.aggregate(n=Max("position"))["n"] or 0
            for key in keys:
                if (key, name) not in had:
                    last += 1
                    shares.append(
                        Share(
                            project=project,
                            premise=by_key[key],
                            writer=writer,
                            token=secrets.token_urlsafe(18),
                            position=last,
                        )
                    )
        Share.objects.bulk_create(shares, batch_size=2000)
    return len(shares)


def shares_lapse_all() -> int:
    """The same for every open project; run by the sweep."""
    return sum(shares_lapse(project=project) for project in Project.objects.filter(closed_at=None))


def shares_lapse(*, project: Project) -> int:
    """Premises idle for the project's days go back to the pool; the draft stays with its writer (ruling 12)."""
    idle = timedelta(days=project.rules.idle_days)
    return Share.objects.filter(
        project=project, state=Share.State.OPEN, touched_at__lt=Now() - idle, drafts__isnull=False
    ).update(state=Share.State.LAPSED)
