"""Questions with their standing votes, straight into the tables: for statistics, where how they came matters not."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.test import Client

from annotation.content.models.item import Item, Option, QAPair
from annotation.content.models.source import Concept
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import questions
from validation.voting.models.vote import Vote


@dataclass(frozen=True)
class Row:
    """A question as it was answered: who wrote it, what they say, who answered what."""

    writer: str
    label: str
    answers: Mapping[str, str]
    category: str = "food"


def imported_people(project: Project, names: Iterable[str]) -> dict[str, Annotator]:
    """Imported people under their published names."""
    made = [Annotator(project=project, pseudonym=name, imported=True) for name in sorted(set(names))]
    return {place.pseudonym: place for place in Annotator.objects.bulk_create(made)}


def store_answers(project: Project, rows: Sequence[Row], *, options: bool = True) -> list[Item]:
    """Questions with their standing votes, straight into the tables."""
    known = {place.pseudonym: place for place in project.annotators.all()}
    named = {name for row in rows for name in (row.writer, *row.answers)} - {"", *known}
    known |= imported_people(project, named)
    target, protocol = project.targets.get(), project.protocols.get()
    start = Item.objects.filter(project=project).count()
    items = Item.objects.bulk_create(
        Item(
            project=project,
            target=target,
            protocol=protocol,
            key=f"q{start + n}",
            shuffle=n,
            author=known.get(row.writer),
            author_label=row.label,
            stage="settled",
            round=1,
            gold=row.label,
            gold_from="votes",
        )
        for n, row in enumerate(rows)
    )
    concepts = {
        name: questions.a_concept(project, category=name)
        for name in sorted({row.category for row in rows})
        if not Concept.objects.filter(project=project, category=name).exists()
    }
    concepts |= {concept.category: concept for concept in project.concepts.all()}
    QAPair.objects.bulk_create(
        QAPair(item=item, project=project, concept=concepts[row.category], question="Untuk apa?", wording="x")
        for item, row in zip(items, rows, strict=True)
    )
    if options:
        Option.objects.bulk_create(
            Option(item=item, key=key, position=place, text=f"pilihan {key}")
            for item in items
            for place, key in enumerate("ABCDE", start=1)
        )
    votes = [
        Vote(
            project=project,
            item=item,
            annotator=known[name],
            n=n,
            epoch=1,
            round=1,
            revision_n=1,
            label=label,
            imported=True,
        )
        for item, row in zip(items, rows, strict=True)
        for n, (name, label) in enumerate(row.answers.items(), start=1)
    ]
    Vote.objects.bulk_create(votes, batch_size=1000)
    return items


def browser_of(person: User | None) -> Client:
    """A browser in which this person is signed in."""
    browser = Client()
    assert person is not None
    browser.force_login(person)
    return browser


def token_in(answer: Any) -> str:
    """The token of the card that a vote was answered with."""
    return str(re.findall(r'<section id="card"[^>]* data-token="([^"]*)"', answer.content.decode())[0])
