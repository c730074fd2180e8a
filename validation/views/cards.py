"""What a validator sees of an item, and what they had typed about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.translation import get_language

from annotation.kinds import Label
from annotation.models import Project, Revision
from validation.actions import Ballot
from validation.models import Seat, Vote

# Single keys that the voting page itself takes; a label's own letter is a key only where it is none of them.
PAGE_KEYS = frozenset("um.,?")
PROPOSE = "propose_"


@dataclass(frozen=True)
class ShownText:
    """One text of the card, and what stands in the field for its correction."""

    key: str
    name: str
    text: str
    shared: bool
    proposal: str


@dataclass(frozen=True)
class Choice:
    """One label to choose; its place on the screen is its key, its own letter another."""

    id: str
    label: Label
    keys: str
    checked: bool


@dataclass(frozen=True)
class Card:
    """What a validator sees of an item: its texts and the labels to choose from, and nothing about anybody."""

    token: str
    texts: list[ShownText]
    choices: str
    question: str
    language: str
    typed: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Kept:
    """A ballot that could not be counted, shown once more beside the next card."""

    label: Label | None
    comment: str
    proposals: list[tuple[str, str]]
    language: str


@lru_cache(maxsize=256)
def _choices(labels: tuple[Label, ...], chosen: str, language: str) -> str:
    """The labels to choose from, as markup: the same on every card, so made once a choice and a reader's language."""
    choices = []
    for number, label in enumerate(labels, start=1):
        letter = label.letter.lower()
        keys = letter if len(letter) == 1 and letter not in PAGE_KEYS else ""
        choices.append(Choice(f"label-{number}", label, keys, label.key == chosen))
    return render_to_string("validation/partials/choices.html", {"choices": choices})


def card_of(seat: Seat, project: Project, typed: Mapping[str, Any] | None = None) -> Card:
    """The card of a seat; one statement."""
    content = Revision.objects.values_list("content", flat=True).get(item=seat.item_id, n=seat.revision_n)
    kind, said = project.kind_spec, dict(typed or {})
    chosen = str(said.get("label", ""))
    texts = []
    for text in kind.texts:
        shown = str(content.get(text.key, ""))
        proposal = str(said.get(PROPOSE + text.key) or shown)
        texts.append(ShownText(text.key, text.name, shown, text.shared, proposal))
    said["proposed"] = any(text.proposal != text.text for text in texts) or bool(said.get("text_error"))
    return Card(
        token=seat.token,
        texts=texts,
        choices=_choices(kind.labels, chosen if chosen in kind.label_keys else "", get_language() or ""),
        question=kind.question,
        language=seat.lane.language,
        typed=said,
    )


def typed_of(post: QueryDict) -> dict[str, Any]:
    """Everything that was typed into a card, to be shown in it again."""
    ticked = {name: name in post for name in ("unsure", "ambiguous", "text_error")}
    return {**{name: _lines(str(text)) for name, text in post.items()}, **ticked}


def typed_in(vote: Vote) -> dict[str, Any]:
    """A vote that was taken back, as it stood in its card."""
    return {
        "label": vote.label,
        "unsure": vote.unsure,
        "ambiguous": vote.ambiguous,
        "comment": vote.comment,
        "text_error": bool(vote.answers.get("text_error")),
        **{PROPOSE + name: text for name, text in vote.proposals.values_list("field", "text")},
    }


def earlier(seat: Seat) -> dict[str, Any]:
    """What this person said at this seat before they took it back; nothing where they had not voted."""
    vote = (
        Vote.objects.filter(
            item=seat.item_id,
            annotator=seat.annotator_id,
            epoch=seat.epoch,
            withdrawn_why=Vote.Withdrawn.TAKEN_BACK,
        )
        .order_by("-n")
        .first()
    )
    return typed_in(vote) if vote else {}


def ballot_of(post: QueryDict, token: str) -> Ballot:
    """The ballot of a posted card. A text counts as proposed only where it differs from every text shown so far."""
    proposals = {
        name.removeprefix(PROPOSE): _lines(str(text))
        for name, text in post.items()
        if name.startswith(PROPOSE) and str(text).strip()
    }
    if proposals:
        shown = list(Revision.objects.filter(item__seats__token=token).values_list("content", flat=True))
        proposals = {
            name: text
            for name, text in proposals.items()
            if all(text.strip() != _lines(str(content.get(name, ""))).strip() for content in shown)
        }
    return Ballot(
        label=post.get("label", ""),
        unsure="unsure" in post,
        ambiguous="ambiguous" in post,
        comment=_lines(post.get("comment", "")).strip(),
        answers={"text_error": "yes"} if "text_error" in post else {},
        proposals=proposals,
    )


def kept_of(post: QueryDict, project: Project, ballot: Ballot, language: str) -> Kept:
    """What somebody typed at an item that is no longer theirs."""
    kind = project.kind_spec
    names = {text.key: text.name for text in kind.texts}
    return Kept(
        label=kind.label(ballot.label),
        comment=ballot.comment,
        proposals=[(names.get(name, name), text) for name, text in ballot.proposals.items()],
        language=language,
    )


def _lines(text: str) -> str:
    """Line breaks as the text had them before a form sent it."""
    return text.replace("\r\n", "\n")
