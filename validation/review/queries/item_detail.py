"""One item with all that happened to it, as the review desk shows it: read in a fixed number of statements."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext_noop

from annotation.content.models.item import Item, Revision
from annotation.core.access import Membership
from annotation.elicitation.queries import has_topics
from annotation.kinds import OPTION_PREFIX, Kind, Label, option_field, text_at
from annotation.text.differences import Part, differences
from validation.consensus import stages
from validation.review.actions.corrections import AffectedCounts, count_affected
from validation.review.actions.decisions import gold_labels
from validation.review.models.comment import Comment
from validation.review.queries.answers import AnsweredQuestion, answered_questions
from validation.review.queries.item_view import (
    COUNTED,
    ROLE_NAMES,
    SURPLUS,
    WITHDRAWN_NAMES,
    Change,
    Entry,
    ShownText,
    ShownVote,
)
from validation.voting.actions.verdicts import decision_of, questions_of
from validation.voting.carried_votes import carry_votes
from validation.voting.check_findings import findings_shown
from validation.voting.models.review import Flag, Proposal, Review
from validation.voting.models.vote import Verdict, Vote
from validation.voting.rules.flags import FAILED_CHECK, FLAG_NAMES


@dataclass(frozen=True)
class ItemDetail:
    """All that the item page shows. `target_votes`: of how many counted votes how many chose the target, where there
    is one.

    `answered`: the questions that voters answer, with the answers that count. `topic` is what a prompt is called by,
    whose key says nothing to people; empty in other kinds.
    """

    item: Item
    topic: str
    stage: str
    author_label: Label | None
    gold: Label | None
    texts: list[ShownText]
    options: list[dict[str, Any]]
    labels: list[Label]
    bar: list[Any]
    votes: list[ShownVote]
    flags: list[dict[str, Any]]
    proposals: list[dict[str, Any]]
    comments: list[Comment]
    changes: list[Change]
    history: list[Entry]
    began: bool
    correction_reach: AffectedCounts
    standing: int
    seconds: float
    target_votes: tuple[int, int] | None
    answered: list[AnsweredQuestion]

    @property
    def answer(self) -> dict[str, Any] | None:
        """What a writer sent back, for a lead to judge: the texts that changed, and their words."""
        if self.item.stage != stages.CORRECTED:
            return None
        last = next(entry for entry in self.history if entry.event == stages.RESUBMIT)
        change = next((one for one in self.changes if one.revision.version == last.version), None)
        return {"texts": change.texts if change else [], "words": last.words}

    @property
    def decided_by_votes(self) -> bool:
        """Whether it is excluded because too many voters called it ambiguous."""
        return self.item.stage == stages.EXCLUDED and stages.is_excluded_by_votes(self._events)

    @property
    def unchecked(self) -> bool:
        """Whether it waits for its first approval still."""
        return stages.awaits_first_approval(self._events)

    @property
    def _events(self) -> list[str]:
        return [entry.event for entry in reversed(self.history)]

    def entries_since(self, version: int) -> list[Entry]:
        """What happened after a form was made."""
        return [entry for entry in self.history if entry.version > version]

    def changes_since(self, version: int) -> list[Change]:
        return [change for change in self.changes if change.revision.version > version]


def detail_of(item: Item, membership: Membership) -> ItemDetail:
    """Everything that the viewer reads of an item, which came with project, protocol, author and content."""
    kind = item.project.kind_spec
    errors = dict(kind.authoring.error_types) | dict(item.project.error_types)
    revisions = list(Revision.objects.filter(item=item).select_related("by").order_by("n"))
    reviews = list(Review.objects.filter(item=item).select_related("by").order_by("version"))
    verdicts = list(Verdict.objects.filter(item=item).order_by("version"))
    votes = list(Vote.objects.filter(item=item).select_related("annotator").order_by("n"))
    content = revisions[-1].content
    labels = {label.key: label for label in kind.question.item_labels(content)}
    standing = [vote for vote in votes if vote.withdrawn_at is None and vote.epoch == item.epoch]
    carry_votes({item.pk: item}, standing, questions_of)
    decision, asked = decision_of(item, standing), questions_of(item)
    shown = _votes(labels, votes, {standing[place].pk for place in decision.counted})
    texts = _texts(kind, content)
    # The author label is the first in the bar where it counts as a vote.
    who = item.author.pseudonym if item.author else "–"
    author = {"label": labels.get(item.author_label), "who": who, "author": True, "unsure": False}
    counts = item.protocol.rules.get("author", "vote") == "vote" and item.author_label
    return ItemDetail(
        item=item,
        topic=text_at(content, "concept") if has_topics(item.project) else "",
        stage=stages.STAGE_NAMES[item.stage],
        author_label=labels.get(item.author_label),
        gold=labels.get(item.gold),
        texts=[text for text in texts if not text.key.startswith(OPTION_PREFIX)],
        options=_options(kind, content),
        labels=[labels[key] for key in gold_labels(item) if key in labels],
        bar=[*([author] if counts else []), *(vote for vote in shown if vote.counts == COUNTED)],
        votes=shown,
        flags=_flags(item, content),
        proposals=_proposals(item, texts),
        comments=list(Comment.objects.filter(item=item).select_related("by").order_by("pk")),
        changes=_changes(kind, revisions),
        history=_history(labels, errors, revisions, reviews, verdicts, votes),
        began=any(verdict.event == stages.OPEN for verdict in verdicts),
        correction_reach=count_affected(item=item, membership=membership),
        standing=len(standing),
        seconds=sum(vote.seconds or 0 for vote in votes),
        answered=answered_questions(item, asked, [standing[place] for place in decision.counted]),
        target_votes=None if decision.hits is None else (decision.hits, len(decision.counted)),
    )


SHORTCUTS = ("c", "Shift+C")


def _texts(kind: Kind, content: Mapping[str, Any]) -> list[ShownText]:
    """The texts in the kind's order; the item's own first text has the first shortcut."""
    ranked = sorted(
        (text for text in kind.presentation.texts_in(content) if not text.derived),
        key=lambda text: text.shared,
    )
    keys = {text.key: key for text, key in zip(ranked, SHORTCUTS, strict=False)}
    return [
        ShownText(
            text.key,
            text.name,
            text_at(content, text.key),
            text.shared or text.is_shared_in_family,
            keys.get(text.key, ""),
            text.derived,
            is_hidden_from_voters=not text.shown,
            source_text=kind.presentation.source_text(content, text.key),
            widget=kind.presentation.widgets.get(text.key, ""),
            alt=text_at(content, f"{text.key}_alt"),
            is_list=isinstance(content.get(text.key), list),
        )
        for text in kind.correctable_texts(content)
    ]


def _options(kind: Kind, content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The item's own choices in the writer's order: their labels, texts to correct, and what they are meant to be."""
    listed = kind.question.option_labels(content)
    if not listed:
        return []
    roles = {option["key"]: option.get("role", "") for option in content["options"]}
    return [
        {
            "label": label,
            "text": ShownText(option_field(label.key), label.key, label.name, shared=False),
            "role": ROLE_NAMES.get(roles[label.key], ""),
        }
        for label in listed
    ]


def _votes(labels: Mapping[str, Label], votes: Sequence[Vote], counted: Collection[int]) -> list[ShownVote]:
    counts = {vote.pk: COUNTED if vote.pk in counted else SURPLUS for vote in votes}
    return [ShownVote(vote, labels.get(vote.label), vote.withdrawn_why or counts[vote.pk]) for vote in votes]


def _flags(item: Item, content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Flags with their names, whose votes raised them, what checks found, and what the writer said."""
    order, kind = list(FLAG_NAMES), item.project.kind_spec
    shown = []
    for flag in Flag.objects.filter(item=item).order_by("pk"):
        by = flag.detail.get("by", [])
        shown.append(
            {
                "flag": flag,
                "name": FLAG_NAMES.get(flag.code, flag.code),
                "by": [str(who) for who in by] if isinstance(by, list) else [],
                "found": findings_shown(kind, content, flag.detail) if flag.code == FAILED_CHECK else [],
                "words": str(flag.detail.get("words", "")),
                "place": order.index(flag.code) if flag.code in order else len(order),
            }
        )
    return sorted(shown, key=lambda one: one["place"])


def _proposals(item: Item, texts: Sequence[ShownText]) -> list[dict[str, Any]]:
    """Proposed corrections, each against the text that stands now."""
    present = {text.key: text for text in texts}
    rows = Proposal.objects.filter(item=item).select_related("by", "decided_by").order_by("pk")
    return [
        {
            "proposal": row,
            "name": present[row.field].name,
            "shared": present[row.field].shared,
            "parts": differences(present[row.field].text, row.text),
            "is_open": row.state == Proposal.State.OPEN,
        }
        for row in rows
        if row.field in present
    ]


def _changes(kind: Kind, revisions: Sequence[Revision]) -> list[Change]:
    """Revisions from the second on, newest first, each against the one before."""
    changes = []
    for before, after in pairwise(revisions):
        texts = [
            (
                text.name,
                differences(text_at(before.content, text.key), text_at(after.content, text.key)),
            )
            for text in kind.correctable_texts(after.content)
            if text_at(before.content, text.key) != text_at(after.content, text.key)
        ]
        texts += _answer_changes(kind, before, after)
        changes.append(Change(after, stages.EVENT_NAMES.get(after.event, after.event), texts))
    return changes[::-1]


def _answer_changes(kind: Kind, before: Revision, after: Revision) -> list[tuple[str, list[Part]]]:
    """Another option named as the answer is a change of the item too."""
    if not kind.question.own_options or before.author_label == after.author_label:
        return []
    return [(gettext_noop("Answer"), differences(before.author_label, after.author_label))]


def changes_of(kind: Kind, item: Item) -> list[Change]:
    """What was changed about an item, newest first; nothing about votes."""
    return _changes(kind, list(Revision.objects.filter(item=item).select_related("by").order_by("n")))


def _history(
    labels: Mapping[str, Label],
    errors: Mapping[str, str],
    revisions: Sequence[Revision],
    reviews: Sequence[Review],
    verdicts: Sequence[Verdict],
    votes: Sequence[Vote],
) -> list[Entry]:
    """Every step in the order of versions, newest first; a vote set aside by a new meaning came with that step."""
    names = stages.EVENT_NAMES
    steps = [
        Entry(r.version, r.at, r.event, names.get(r.event, r.event), r.by.pseudonym if r.by else "", r.why)
        for r in revisions
    ]
    steps += [
        Entry(
            r.version,
            r.at,
            r.event,
            names.get(r.event, r.event),
            r.by.pseudonym,
            r.words,
            labels.get(r.label),
            errors.get(r.error_type, r.error_type),
        )
        for r in reviews
    ]
    steps += [
        Entry(v.version, v.at, v.event, names.get(v.event, v.event), "", label=labels.get(v.label)) for v in verdicts
    ]
    steps += [
        Entry(
            vote.withdrawn_version or 0,
            vote.withdrawn_at,
            vote.withdrawn_why,
            WITHDRAWN_NAMES.get(vote.withdrawn_why, vote.withdrawn_why),
            vote.annotator.pseudonym,
            vote.withdrawn_reason,
            labels.get(vote.label),
        )
        for vote in votes
        if vote.withdrawn_at is not None and vote.withdrawn_why != Vote.Withdrawn.NEW_MEANING
    ]
    return sorted(steps, key=lambda entry: entry.version, reverse=True)
