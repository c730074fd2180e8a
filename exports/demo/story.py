"""The demo's history: people write, vote, doubt and correct, so that every screen shows something real.

All by the ordinary actions, in the order in which a team does them; who votes what is drawn from the seed, so the
demo is the same on every machine. Only the clock is helped along: assignments are opened some seconds earlier than now.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models.functions import Now

from annotation.content.models.item import Hypothesis, Item
from annotation.content.models.source import Allocation
from annotation.core.actions.members import annotator_add
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.core.rules.draws import draw, fraction, order
from annotation.datasheet.actions import about_change, consent_give, consent_publish, demographics_save
from annotation.kinds import SlotIn
from annotation.pay.actions import rate_set
from annotation.pay.models import Action, Unit
from annotation.projects.actions.projects import project_create, project_settings_change
from annotation.writing.actions.allocation import PremiseIn, allocations_assign, premises_add
from annotation.writing.actions.writing import draft_save, set_submit, source_skip
from validation.review.actions.corrections import proposal_accept
from validation.review.actions.decisions import adjudicate, approve, return_item
from validation.review.actions.writers import resubmit
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.steps import exclude
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Proposal

FOLDER = Path(__file__).parent
SLUG, SEED = "demo-nli", "demo-2026"
WRITERS, ANNOTATORS = 8, 12
DRAFTS = 3
EXTRA_COLUMNS = ("genre", "source", "topic", "licence", "gloss")
# The twelfth says nothing of themselves: that is for whoever tries the demo.
DESCRIBED_PEOPLE = 11


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


def texts(name: str) -> dict[str, Any]:
    """One file of the demo's own texts, whole."""
    result: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return result


def account(email: str, name: str, password: str | None, *, administrator: bool = False) -> User:
    user = User.objects.create_user(email, password, name=name, is_administrator=administrator)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def user_of(member: Annotator) -> User:
    assert member.user is not None  # noqa: S101 - the demo's people all have accounts
    return member.user


def people(passwords: Callable[[str], str | None]) -> Demo:
    """The project, an administrator, a lead, and twelve annotators: two only vote, two only write.

    Who has no password cannot log in: hashing one for each would slow the loading down.
    """
    email = "admin@demo.example"
    by = account(email, "Admin", passwords(email), administrator=True)
    name, settings = "Demo: inferensi bahasa Indonesia", {"offer_minutes": 0}
    project = project_create(slug=SLUG, name=name, preset="indonli-lay", seed=SEED, by=by, settings=settings)
    project_settings_change(project=project, by=by, changes={"sample_share": "0.9"})
    project.refresh_from_db()
    email = "lead@demo.example"
    user = account(email, "Sri Rahayu", passwords(email))
    lead = annotator_add(project=project, user=user, lead=True, by=by)
    shown = {1: "writer@demo.example", ANNOTATORS: "validator@demo.example"}
    annotators = []
    for number, name in enumerate(texts("texts.json")["names"], start=1):
        email = shown.get(number, f"annotator{number:02d}@demo.example")
        user = account(email, name, passwords(email))
        roles = {"writer": number <= WRITERS, "validator": number > 2}
        annotators.append(annotator_add(project=project, user=user, by=by, **roles))
    return Demo(project, by, lead, annotators)


def add_project(first: Demo, settings: dict[str, Any], roles: Callable[[int], dict[str, bool]], **project: Any) -> Demo:
    """A further project with the people of the first one; `roles` says what each is there, by number from 0."""
    by = first.administrator
    settings = {"offer_minutes": 0, **settings}
    made = project_create(by=by, settings=settings, **project)
    lead = annotator_add(project=made, user=user_of(first.lead), lead=True, by=by)
    annotators = [
        annotator_add(project=made, user=user_of(person), by=by, **given)
        for number, person in enumerate(first.annotators)
        if (given := roles(number))
    ]
    return Demo(made, by, lead, annotators)


def set_rates(demo: Demo, *amounts: tuple[Action, Unit, str]) -> None:
    """What is paid in the project, in rupiah."""
    for action, unit, amount in amounts:
        rate_set(
            project=demo.project,
            action=action,
            unit=unit,
            amount=Decimal(amount),
            currency="IDR",
            by=demo.administrator,
        )


def describe_project(demo: Demo) -> None:
    """Licence, statement and consent; eleven people, who are made up, agree and say something of themselves."""
    written = texts("texts.json")
    changes = {
        "licence": "CC0-1.0",
        "citation": "Mufakat: demo texts for natural language inference in Indonesian. 2026.",
        "statement": written["statement"],
    }
    about_change(project=demo.project, by=demo.administrator, changes=changes, version=0)
    text = consent_publish(project=demo.project, text=written["consent"], asks_again=True, by=demo.administrator)
    for person in demo.annotators[:DESCRIBED_PEOPLE]:
        consent_give(annotator=person, n=text.n)
        statement = {
            name: words[draw(SEED, f"about-{name}", person.pseudonym) % len(words)]
            for name, words in written["answers"].items()
        }
        demographics_save(annotator=person, answers=statement)


def sources(demo: Demo) -> None:
    """Seventy-two premises, nine to each writer."""
    premises = [
        PremiseIn(
            key=row["premise_id"],
            text=row["text"],
            sentence_class=row["sentence_size"],
            document=row["document"],
            extra={"topics" if name == "topic" else name: row[name] for name in EXTRA_COLUMNS},
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
            writer, token = allocation.writer, allocation.token
            for slot in ("e1", "e2", "n1"):
                draft_save(writer=writer, token=token, slot=slot, content=slots[slot], version=0)
        else:
            set_submit(writer=allocation.writer, token=allocation.token, slots=slots)
    unread = next(allocation for allocation in allocations if allocation.source.key not in sets)
    source_skip(writer=unread.writer, token=unread.token, reason="Saya penulis teks ini.")


def decide_all() -> None:
    while decide_due():
        pass


def voting(demo: Demo) -> None:
    """Votes in three sittings, so that some items are settled and some wait in each round."""
    marked = {(row["premise_id"], text["slot"]): text for row in rows("sets.jsonl") for text in row["hypotheses"]}

    def said(item: Item, key: str) -> Ballot:
        return ballot(item, key, marked[item.key[: -len(item.slot) - 1], item.slot])

    decide_all()
    target = demo.project.targets.get()
    for sitting, each in enumerate((25, 12, 8)):
        for person in (one for one in demo.annotators if one.is_validator):
            many = each + draw(SEED, f"sitting{sitting}", person.pseudonym) % 7
            vote(demo, target, person, said, many=many, least=6, spread=25, hasty=0.006)
        decide_all()


def vote(
    demo: Demo,
    target: Target,
    person: Annotator,
    ballot: Callable[[Item, str], Ballot],
    *,
    many: int = 1,
    least: float,
    spread: float,
    hasty: float = 0,
) -> int:
    """One person's sitting, through the same queue as on the page; how many they answered before nothing waited.

    Each takes `least` seconds and a drawn part of `spread` more; a share of `hasty` far less.
    """
    seed, spacing = demo.project.seed, demo.project.rules.spacing
    for done in range(many):
        assignment = assignment_claim(annotator=person, target=target, spacing=spacing)
        if assignment is None:
            return done
        item = Item.objects.get(pk=assignment.item_id)
        key = f"{item.key}/{person.pseudonym}"
        seconds = least + spread * fraction(seed, "seconds", key)
        if hasty and fraction(seed, "hasty", key) < hasty:
            seconds = 0.7
        Assignment.objects.filter(pk=assignment.pk).update(opened_at=Now() - timedelta(seconds=seconds))
        slug, given = demo.project.slug, ballot(item, key)
        vote_cast(user_id=user_of(person).pk, slug=slug, token=assignment.token, ballot=given)
    return many


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


def items_to_correct(demo: Demo) -> Iterator[tuple[Item, dict[str, Any]]]:
    """The items that the lead has something to say about, with the words."""
    for row in rows("corrections.jsonl"):
        item = Item.objects.filter(project=demo.project, key=f"{row['premise_id']}-{row['slot']}").first()
        if item is not None:
            yield item, row


# --- the review loop ---------------------------------------------------------------------


def act_as_lead(demo: Demo, action: Callable[..., object], item: Item, **given: Any) -> None:
    """What the lead does with an item as it stands now."""
    item.refresh_from_db()
    action(lead=demo.lead, item_id=item.pk, version=item.version, **given)


def review(demo: Demo) -> None:
    """What a lead does in an afternoon; some of it is left for whoever tries the demo.

    One proposed correction is accepted with the same meaning, and further ones stay open. Of the items without
    consensus one is settled and one left out; the rest wait on the desk.
    """
    there = Proposal.objects.filter(project=demo.project, state=Proposal.State.OPEN)
    proposal = there.order_by("item__key", "pk").first()
    if proposal is not None:
        words = "Terima kasih, salah ketiknya sudah diperbaiki."
        chosen = {"proposal_id": proposal.pk, "meaning": "same", "words": words}
        act_as_lead(demo, proposal_accept, proposal.item, **chosen)
    return_items(demo)
    tied = {item.key: item for item in Item.objects.filter(project=demo.project, stage="no_consensus")}
    keys = order(SEED, "desk", tied)
    for key in keys[:1]:
        words = "Premis memang menyatakannya; dua suara membaca terlalu jauh."
        act_as_lead(demo, adjudicate, tied[key], label=tied[key].author_label, words=words)
    for key in keys[1:2]:
        act_as_lead(demo, exclude, tied[key], words="Kalimatnya sungguh bermakna ganda.")
    decide_all()


def return_items(demo: Demo) -> None:
    """Items go back with words. One stays with its writer, one waits for the lead's second look, one is approved."""
    answers = 0
    for item, row in items_to_correct(demo):
        present = Hypothesis.objects.get(item=item)
        if not item.author_id or (row["meaning"] == "same" and present.text == row["corrected"]):
            continue
        if item.stage not in ("voting", "settled", "no_consensus"):
            continue
        act_as_lead(demo, return_item, item, error_type=row["error_type"], words=row["feedback"])
        answers += 1
        if answers > 1:
            item.refresh_from_db()
            content, writer = SlotIn(row["corrected"], tags=present.tags), Annotator.objects.get(items=item)
            resubmit(writer=writer, item_id=item.pk, version=item.version, content=content, words="")
        if answers > 2:
            act_as_lead(demo, approve, item, meaning=row["meaning"])
