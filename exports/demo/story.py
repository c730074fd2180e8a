"""The demo's history: people write, vote, doubt and correct, so that every screen shows something real.

All by the ordinary actions, in the order in which a team does them; who votes what is drawn from the seed, so the
demo is the same on every machine. Only the clock is helped along: assignments are opened some seconds earlier than now.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models.functions import Now

from annotation.content.models.item import Hypothesis, Item
from annotation.content.models.source import Allocation
from annotation.core.actions.members import annotator_add
from annotation.core.actions.projects import project_create, project_settings_change
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules.draws import draw, fraction
from annotation.kinds import SlotIn
from annotation.writing.actions.allocation import PremiseIn, allocations_assign, premises_add
from annotation.writing.actions.writing import draft_save, set_submit, source_skip
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment

FOLDER = Path(__file__).parent
SLUG, SEED = "demo-nli", "demo-2026"
WRITERS, ANNOTATORS = 8, 12
DRAFTS = 3
NAMES = (
    "Ayu Lestari",
    "Bagas Wiratama",
    "Citra Mahardika",
    "Dewi Anggraini",
    "Eko Prasetya",
    "Fitri Handayani",
    "Galih Nugraha",
    "Hana Puspita",
    "Indra Saputra",
    "Joko Santika",
    "Kartika Dewanti",
    "Lutfi Ramadan",
)


@dataclass
class Demo:
    """The people of the demo, and its project."""

    project: Project
    administrator: User
    lead: Annotator
    annotators: list[Annotator]


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The demo's own texts, one object a line."""
    with (FOLDER / name).open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def account(email: str, name: str, password: str | None, *, administrator: bool = False) -> User:
    user = User.objects.create_user(email, password, name=name, is_administrator=administrator)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def people(passwords: Callable[[str], str | None]) -> Demo:
    """The project, an administrator, a lead, and twelve annotators: two only vote, two only write.

    Who has no password cannot log in: hashing one for each would slow the loading down.
    """
    administrator = account(
        "admin@demo.example", "Admin", passwords("admin@demo.example"), administrator=True
    )
    project = project_create(
        slug=SLUG,
        name="Demo: inferensi bahasa Indonesia",
        preset="indonli-lay",
        seed=SEED,
        by=administrator,
        settings={"offer_minutes": 0},
    )
    project_settings_change(project=project, by=administrator, changes={"sample_share": "0.9"})
    project.refresh_from_db()
    lead = annotator_add(
        project=project,
        user=account("lead@demo.example", "Sri Rahayu", passwords("lead@demo.example")),
        lead=True,
        by=administrator,
    )
    annotators = []
    for number, name in enumerate(NAMES, start=1):
        email = {1: "writer@demo.example", ANNOTATORS: "validator@demo.example"}.get(
            number, f"annotator{number:02d}@demo.example"
        )
        annotators.append(
            annotator_add(
                project=project,
                user=account(email, name, passwords(email)),
                writer=number <= WRITERS,
                validator=number > 2,
                by=administrator,
            )
        )
    return Demo(project, administrator, lead, annotators)


def sources(demo: Demo) -> None:
    """Seventy-two premises, nine to each writer."""
    premises = [
        PremiseIn(
            key=row["premise_id"],
            text=row["text"],
            sentence_class=row["sentence_size"],
            document=row["document"],
            extra={
                "genre": row["genre"],
                "source": row["source"],
                "topics": row["topic"],
                "licence": row["licence"],
                "gloss": row["gloss"],
            },
        )
        for row in rows("premises.jsonl")
    ]
    target = demo.project.targets.get()
    premises_add(target=target, rows=premises)
    writers = demo.annotators[:WRITERS]
    allocations_assign(target=target, writers=writers, size=-(-len(premises) // WRITERS))


def writing(demo: Demo) -> None:
    """Most sets are submitted; a few stand half written, the rest waits for whoever tries the demo."""
    sets = {row["premise_id"]: row["hypotheses"] for row in rows("sets.jsonl")}
    allocations = list(
        Allocation.objects.select_related("premise", "writer").filter(project=demo.project).order_by("pk")
    )
    ready = [allocation for allocation in allocations if allocation.source.key in sets]
    for place, allocation in enumerate(ready):
        slots = {text["slot"]: SlotIn(text["text"]) for text in sets[allocation.source.key]}
        if place >= len(ready) - DRAFTS:
            for slot in ("e1", "e2", "n1"):
                draft_save(
                    writer=allocation.writer,
                    token=allocation.token,
                    slot=slot,
                    content=slots[slot],
                    version=0,
                )
        else:
            set_submit(writer=allocation.writer, token=allocation.token, slots=slots)
    unread = next(allocation for allocation in allocations if allocation.source.key not in sets)
    source_skip(writer=unread.writer, token=unread.token, reason="Saya penulis teks ini.")


def decide_all() -> None:
    while decide_due():
        pass


def voting(demo: Demo) -> None:
    """Votes in three sittings, so that some items are settled and some wait in each round."""
    marked = {
        (row["premise_id"], text["slot"]): text for row in rows("sets.jsonl") for text in row["hypotheses"]
    }
    decide_all()
    for sitting, each in enumerate((25, 12, 8)):
        for person in demo.annotators:
            if person.is_validator:
                vote_some(demo, person, each + draw(SEED, f"sitting{sitting}", person.pseudonym) % 7, marked)
        decide_all()


def vote_some(
    demo: Demo, person: Annotator, many: int, marked: dict[tuple[str, str], dict[str, Any]]
) -> None:
    """One person's sitting, through the same queue as on the page."""
    target = demo.project.targets.get()
    for _ in range(many):
        assignment = assignment_claim(annotator=person, target=target, spacing=demo.project.rules.spacing)
        if assignment is None:
            return
        item = Item.objects.get(pk=assignment.item_id)
        key = f"{item.key}/{person.pseudonym}"
        text = marked[item.key[: -len(item.slot) - 1], item.slot]
        seconds = 0.7 if fraction(SEED, "hasty", key) < 0.006 else 6 + 25 * fraction(SEED, "seconds", key)
        Assignment.objects.filter(pk=assignment.pk).update(opened_at=Now() - timedelta(seconds=seconds))
        assert person.user_id is not None  # noqa: S101 - the demo's people all have accounts
        vote_cast(user_id=person.user_id, slug=SLUG, token=assignment.token, ballot=ballot(item, key, text))


def ballot(item: Item, key: str, text: dict[str, Any]) -> Ballot:
    """Mostly the author's label; doubtful texts divide people, typing errors get a proposed correction."""
    doubtful = bool(text.get("doubtful"))
    hard = doubtful or fraction(SEED, "hard", item.key) < 0.08
    agrees = fraction(SEED, "agrees", key) < (0.35 if hard else 0.88)
    others = [label for label in ("e", "n", "c") if label != item.author_label]
    label = item.author_label if agrees else others[draw(SEED, "other", key) % 2]
    proposals = {}
    if text.get("typo") and fraction(SEED, "sees", key) < 0.7:
        proposals["hypothesis"] = text["typo"]
    return Ballot(
        label=label,
        unsure=fraction(SEED, "unsure", key) < (0.4 if hard else 0.02),
        ambiguous=fraction(SEED, "ambiguous", key) < (0.45 if doubtful else 0.008),
        comment="Bisa dibaca dua arah." if doubtful and not agrees else "",
        proposals=proposals,
    )


def corrections(demo: Demo) -> Iterator[tuple[Item, dict[str, Any]]]:
    """The items that the lead has something to say about, with the words."""
    for row in rows("corrections.jsonl"):
        item = Item.objects.filter(project=demo.project, key=f"{row['premise_id']}-{row['slot']}").first()
        if item is not None:
            yield item, row


def present_text(item: Item) -> str:
    return Hypothesis.objects.values_list("text", flat=True).get(item=item)
