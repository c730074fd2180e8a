"""One person's view of an item: the basis of cards on pages and in the API."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from annotation import kinds
from annotation.answers import Question, ShownItem
from annotation.content.models.item import Revision
from annotation.core.models.project import Project, Target
from annotation.kinds import Kind
from validation.consensus import translation_review as reviewing
from validation.voting.actions.votes import error_types_of, parse_criteria, parse_settings
from validation.voting.check_findings import ShownFinding, findings_shown, flag_detail
from validation.voting.models.assignment import Assignment
from validation.voting.rules.option_order import Order, order_shown
from validation.voting.rules.shown_version import shown_version
from validation.voting.sql import HeldAssignment, Offer


@dataclass(frozen=True)
class ReviewerExtras:
    """What a reviewer's card has besides: languages by name and code, error types, what checks found in no one text."""

    source_language: str
    target: str
    errors: tuple[tuple[str, str], ...]
    check_findings: tuple[ShownFinding, ...]
    correct: str = reviewing.CORRECT
    sends_back: str = reviewing.RETURN


@dataclass(frozen=True)
class SeenItem:
    """One item as one person sees it, before it is drawn.

    `check_findings`: what checks found, where it is reviewed; `card_questions`: the questions, where more is asked
    than a label. `allows_corrections`: whether corrections can be proposed.
    """

    kind: Kind
    content: Mapping[str, Any]
    order: Order
    token: str
    language: str
    check_findings: Sequence[ShownFinding] = ()
    review: ReviewerExtras | None = None
    card_questions: Sequence[Question] = ()
    version: str = ""
    allows_corrections: bool = True

    @cached_property
    def card_view(self) -> ShownItem:
        """What answer types read of it."""
        return self.kind.card_view(self.content, self.order.keys)

    @property
    def leaf_questions(self) -> Iterator[Question]:
        """What is answered by itself."""
        return (leaf for question in self.card_questions for leaf in question.leaf_questions())


def seen_item_of(assignment: Assignment, project: Project) -> SeenItem:
    """What is seen of the item of an assignment; one statement."""
    kind = project.kind_spec
    reviewed = reviewing.FEATURE in kind.features
    rows = Revision.objects.filter(item=assignment.item_id, n=assignment.revision_n)
    if reviewed:
        rows = rows.annotate(flagged=flag_detail())
    also = ["flagged"] if reviewed else []
    content, item, rules, *flag = rows.values_list("content", "item__key", "item__protocol__rules", *also).get()
    found = findings_shown(kind, content, flag[0]) if reviewed else []
    target = assignment.target
    return SeenItem(
        kind,
        content,
        option_order_for(kind, content, project, item, assignment),
        assignment.token,
        target.language,
        found,
        _reviewer_extras(project.language, target.local_title, project.error_types, found) if reviewed else None,
        kind.question.card_questions(rules.get("criteria", ())),
        shown_version(assignment.token, assignment.revision_n, project.kind, rules.get("criteria", ())),
        reviewed or project.rules.corrections,
    )


def seen_item_of_offer(held: HeldAssignment, offer: Offer) -> SeenItem:
    """What is seen of an item that was just assigned after a vote (`held`); one statement where it is reviewed."""
    kind, content = kinds.get(held.project_kind), orjson.loads(offer.slot.content)
    order = order_shown(kind, content, drawn_with=offer.drawn_with, item=offer.slot.key, annotator=offer.annotator)
    posed = kind.question.card_questions(parse_criteria(offer.slot.protocol))
    if reviewing.FEATURE not in kind.features:
        corrects = parse_settings(held.project_settings).corrections
        version = offered_card_version(held, offer)
        return SeenItem(
            kind,
            content,
            order,
            offer.token,
            offer.language,
            card_questions=posed,
            version=version,
            allows_corrections=corrects,
        )
    shown = Revision.objects.filter(item=offer.slot.item, n=offer.slot.revision_n)
    found = findings_shown(kind, content, shown.values_list(flag_detail(), flat=True).get())
    target = Target(language=held.target_language, name=held.target_name, register=held.target_register)
    review = _reviewer_extras(held.project_language, target.local_title, error_types_of(held, kind), found)
    return SeenItem(
        kind,
        content,
        order,
        offer.token,
        offer.language,
        found,
        review,
        posed,
        offered_card_version(held, offer),
    )


def offered_card_version(held: HeldAssignment, offer: Offer) -> str:
    """Which text and questions the card of an item shows that was just assigned after a vote (`held`)."""
    return shown_version(offer.token, offer.slot.revision_n, held.project_kind, parse_criteria(offer.slot.protocol))


def _reviewer_extras(
    language: str, target: str, errors: tuple[tuple[str, str], ...], found: Sequence[ShownFinding]
) -> ReviewerExtras:
    """What a reviewer sees besides the texts, of these findings those that are in no one text."""
    return ReviewerExtras(language, target, errors, tuple(one for one in found if not one.field))


def option_order_for(
    kind: Kind, content: Mapping[str, Any], project: Project, item: str, assignment: Assignment
) -> Order:
    """The order on this person's screen; only a shuffled one asks who they are."""
    who = assignment.annotator.pseudonym if kind.presentation.is_shuffled else ""
    return order_shown(kind, content, drawn_with=assignment.drawn_with(project), item=item, annotator=who)
