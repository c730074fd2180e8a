"""What is known about one person, for themselves: votes, returned items, agreement, time, and all of it as a file."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery, Sum

from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Draft, Premise, concepts_lacking_writers
from annotation.content.queries import has_concepts, without_asked
from annotation.core.access import Membership, only_target, project_for_leads
from annotation.core.actions.members import Roles
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.datasheet.queries import demographics_of
from annotation.datasheet.rules import FIELDS
from annotation.kinds import Kind, Label
from annotation.kinds.texts import text_at
from annotation.pay.earnings import EXACT
from annotation.pay.queries import own_ledger
from annotation.text.differences import text_parts
from annotation.translation.queries.targets import units_free
from validation.consensus import stages
from validation.notices.queries import notice_data_of as notices_of
from validation.people.own_gold import agreement_with_others
from validation.qualification.queries import attempt_data_of
from validation.questions.queries import question_data_of as questions_of
from validation.review.models.comment import Comment
from validation.review.queries.answers import answers_in_words
from validation.voting.models.review import Proposal, Review
from validation.voting.models.vote import Vote, latest_votes_of
from validation.voting.rules.option_order import (
    MARKED,
    OPTIONS,
    ORDER,
    PERSONAL,
    QUESTION,
    label_shown,
    labels_shown,
    order_recorded,
)

RETURNED_SHOWN = 20


@dataclass(frozen=True)
class OwnVote:
    """One vote as its owner sees it: the texts that they saw, and in a closed project the outcome of the item.
    `options`, labels and the comment's letters are as they were shown to this person; `answers` are those to questions.
    """

    project: Project
    texts: list[tuple[str, str]]
    options: list[SimpleNamespace]
    label: Label | None
    at: datetime
    unsure: bool | None
    ambiguous: bool | None
    question_marked: bool
    comment: str
    standing: bool
    closed: bool
    gold: Label | None
    personal: Label | None
    answers: list[tuple[str, str]]
    gold_answers: list[tuple[str, str]]

    @property
    def ambiguous_whole(self) -> bool:
        """Whether it was marked as ambiguous without saying what of it is."""
        return bool(self.ambiguous) and not self.question_marked and not any(one.marked for one in self.options)


def last_active(membership: Membership) -> dict[int, datetime]:
    """Annotators of a project to when they last voted, wrote or decided something; three statements.

    A lead who votes is not told when others voted.
    """
    project, found = membership.project, dict[int, datetime]()
    # The last vote of each by the index of a person's votes: those of the project are not read.
    votes = latest_votes_of(OuterRef("pk")).values("cast_at")[:1]
    voters = Annotator.objects.filter(project=project)
    for rows in (
        (voters.none() if membership.is_voting_lead else voters).values_list("pk", Subquery(votes)),
        _last_of(without_asked(Revision.objects.filter(project=project, by__isnull=False), membership)),
        _last_of(without_asked(Review.objects.filter(item__project=project), membership)),
    ):
        for annotator, last in rows.order_by():
            if annotator is not None and last is not None:
                found[annotator] = max(last, found.get(annotator, last))
    return found


def _last_of(rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Who did something, and when the last time."""
    found: QuerySet[Any, Any] = rows.values_list("by").annotate(last=Max("at"))
    return found


def votes_of(user: User) -> QuerySet[Vote]:
    """One's own votes, latest first."""
    return (
        Vote.objects.filter(annotator__user=user)
        .select_related("item__gold_question__of_item", "annotator__project", "item__target")
        .order_by("-id")
    )


def votes_as_seen(votes: Iterable[Vote]) -> list[OwnVote]:
    """Votes with the texts of the revision that was voted on; one statement for all of them."""
    votes = list(votes)
    contents = _contents(votes)
    return [_own_vote(vote, contents.get((vote.item_id, vote.revision_n), {})) for vote in votes]


def _contents(votes: Iterable[Vote]) -> dict[tuple[int, int], dict[str, Any]]:
    """The content that each vote was on, by item and revision."""
    numbers = {(vote.item_id, vote.revision_n) for vote in votes}
    rows = Revision.objects.filter(item__in=[item for item, _ in numbers])
    return {(row.item_id, row.n): row.content for row in rows if (row.item_id, row.n) in numbers}


def _own_vote(vote: Vote, content: Mapping[str, Any]) -> OwnVote:
    project = vote.annotator.project
    kind, closed = project.kind_spec, project.closed_at is not None
    order = order_recorded(kind, content, vote.answers.get(ORDER, ""))
    options = [label for label in labels_shown(kind, content, order) if label.is_item_option]
    marked = {order.letter(key) for key in vote.answers.get(OPTIONS, "")}
    shown = [text for text in kind.presentation.texts_in(content) if text.shown]
    return OwnVote(
        project=project,
        texts=[(text.name, text_at(content, text.key)) for text in shown],
        options=[
            SimpleNamespace(label=label, chosen=label.key == order.letter(vote.label), marked=label.key in marked)
            for label in options
        ],
        label=label_shown(kind, content, order, vote.label),
        at=vote.cast_at,
        unsure=vote.unsure,
        ambiguous=vote.ambiguous,
        question_marked=vote.answers.get(QUESTION) == MARKED,
        comment=order.with_shown_letters(vote.comment),
        standing=vote.withdrawn_at is None,
        closed=closed,
        gold=label_shown(kind, content, order, _original_item(vote.item).gold) if closed else None,
        personal=label_shown(kind, content, order, vote.answers.get(PERSONAL, "-")),
        answers=answers_in_words(kind, vote.answers),
        gold_answers=answers_in_words(kind, _original_item(vote.item).gold_answers if closed else None),
    )


def _original_item(item: Item) -> Item:
    """The item itself; of a gold question, which is a copy, the one that it was copied from."""
    question = getattr(item, "gold_question", None)
    return question.of_item if question is not None else item


def items_returned_to(user: User) -> list[SimpleNamespace]:
    """What leads did with one's own items, latest first, each with the change that belongs to the step."""
    reviews = list(
        Review.objects.filter(item__author__user=user)
        .exclude(by__user=user)
        .exclude(event__in=[stages.APPROVE, stages.APPROVE_WRITTEN, stages.ADJUDICATE])
        .select_related("item", "project")
        .order_by("-id")[:RETURNED_SHOWN]
    )
    revisions: dict[int, list[Revision]] = {}
    for row in Revision.objects.filter(item__in=[review.item_id for review in reviews]).order_by("n"):
        revisions.setdefault(row.item_id, []).append(row)
    return [_returned(review, revisions.get(review.item_id, [])) for review in reviews]


def _returned(review: Review, revisions: list[Revision]) -> SimpleNamespace:
    """What was said about one of one's own items, and what was changed in it; `text` stands now."""
    parts = []
    made = [row for row in revisions if row.version == review.version and row.n > 1]
    if made:
        old = next(row for row in revisions if row.n == made[0].n - 1)
        for text in review.project.kind_spec.correctable_texts(made[0].content):
            before, after = (text_at(row.content, text.key) for row in (old, made[0]))
            if before != after:
                parts.append((text.name, text_parts(before, after)))
    project = review.project
    names = dict(project.kind_spec.authoring.error_types) | dict(project.error_types)
    return SimpleNamespace(
        project=project,
        text=project.kind_spec.presentation.headline(revisions[-1].content)[0] if revisions else "",
        event=review.event,
        done=stages.EVENT_NAMES.get(review.event, review.event),
        error_type=names.get(review.error_type, review.error_type),
        words=review.words,
        at=review.at,
        parts=parts,
    )


def figures(places: Iterable[Membership]) -> list[SimpleNamespace]:
    """Votes, time and agreement in each project; the number of statements grows with projects, not with votes."""
    return [_figures(place, place.annotator) for place in places if place.annotator is not None]


def _figures(membership: Membership, annotator: Annotator) -> SimpleNamespace:
    own = Vote.objects.filter(annotator=annotator, imported=False)
    sums = own.aggregate(n=Count("pk", filter=Q(withdrawn_at=None)), seconds=Sum("seconds"))
    start = membership.project.rules.agreement_from
    return SimpleNamespace(
        membership=membership,
        votes=sums["n"],
        seconds=sums["seconds"] or 0.0,
        agreement=agreement_with_others(annotator, start),
        agreement_from=start,
    )


def personal_data_of(user: User) -> dict[str, Any]:
    """One's own data as plain values: the account, places, votes, items with their revisions, words, drafts."""
    places = Annotator.objects.filter(user=user).select_related("project").order_by("project__slug")
    pay = _pay_data(user)
    return {
        "account": {
            "email": user.email,
            "name": user.name,
            "created_at": user.created_at,
            "single_keys": user.single_keys,
            "tap_sends": user.tap_sends,
            "theme": user.theme,
            "language": user.language,
            "notices": notices_of(user),
            "institutions": [
                {
                    "provider": each.provider,
                    "subject": each.uid,
                    "connected_at": each.date_joined,
                    "last_used_at": each.last_login,
                }
                for each in SocialAccount.objects.filter(user=user).order_by("pk")
            ],
            "second_factors": [
                {"type": each.type, "added_at": each.created_at, "last_used_at": each.last_used_at}
                for each in Authenticator.objects.filter(user=user).order_by("pk")
            ],
        },
        "projects": [{**_project_data(place), "pay": pay[place.pk]} for place in places],
    }


def _pay_data(user: User) -> dict[int, list[dict[str, Any]]]:
    """What somebody earned by place, with what was said of it; amounts are texts, so that none is rounded."""
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for entry in own_ledger(user):
        adjustments = entry.said if entry.n == 1 else []
        found[entry.annotator_id].append(
            {
                "at": entry.at,
                "action": entry.rate.action,
                "unit": entry.rate.unit,
                "units": entry.units,
                "amount": str(entry.amount.quantize(EXACT)),
                "currency": entry.rate.currency,
                "approved_until": entry.approval.end if entry.approval_id else None,
                "disputes": [{"words": each.words, "at": each.at, "answer": each.answer} for each in adjustments],
            }
        )
    return found


def _about_me(place: Annotator) -> dict[str, Any]:
    """What somebody said about themselves, and what they agreed to before, each with its text."""
    demographics = demographics_of(place)
    fields = [name for name in FIELDS if name != "region"]
    return {
        "said": {name: getattr(demographics, name) for name in fields if getattr(demographics, name)},
        "smallest_group": demographics.least,
        "agreements": [
            {"n": each.version.n, "text": each.version.text, "at": each.at, "ended_at": each.ended_at}
            for each in place.consents.select_related("version").order_by("id")
        ],
    }


def _project_data(place: Annotator) -> dict[str, Any]:
    items = Item.objects.filter(author=place).order_by("key")
    return {
        "project": place.project.slug,
        "pseudonym": place.pseudonym,
        "roles": Roles.of(place).to_dict(),
        "region": place.region,
        "about_me": _about_me(place),
        "entry_confirmed": place.entry,
        "questions": questions_of(place),
        "joined_at": place.joined_at,
        "left_at": place.left_at,
        "guidelines_read": place.read_guidelines,
        "quizzes": attempt_data_of(place),
        "votes": _votes_data(place),
        "items": list(items.values("key", "slot", "author_label", "at")),
        "revisions": list(
            Revision.objects.filter(by=place).order_by("id").values("item__key", "n", "event", "content", "why", "at")
        ),
        "proposals": _proposals_data(place),
        "comments": list(Comment.objects.filter(by=place).order_by("id").values("text", "at")),
        "reviews": list(
            Review.objects.filter(by=place).order_by("id").values("event", "error_type", "words", "label", "at")
        ),
        "drafts": list(
            Draft.objects.filter(allocation__writer=place).order_by("id").values("slot", "content", "updated_at")
        ),
    }


def votes_of_place(place: Annotator) -> QuerySet[Vote]:
    """The votes of one place, in the order in which they were cast."""
    return Vote.objects.filter(annotator=place).order_by("id")


def _votes_data(place: Annotator) -> list[dict[str, Any]]:
    """One's own votes as one saw them: options by the letters and with the texts on one's own screen."""
    votes, kind = list(votes_of_place(place)), place.project.kind_spec
    contents = _contents(votes) if kind.question.own_options else {}
    return [_vote_data(vote, kind, contents.get((vote.item_id, vote.revision_n), {})) for vote in votes]


def _vote_data(vote: Vote, kind: Kind, content: Mapping[str, Any]) -> dict[str, Any]:
    order = order_recorded(kind, content, vote.answers.get(ORDER, ""))
    answers = {name: answer for name, answer in vote.answers.items() if name != ORDER}
    if OPTIONS in answers:
        answers[OPTIONS] = "".join(sorted(order.letter(key) for key in answers[OPTIONS]))
    if PERSONAL in answers:
        answers[PERSONAL] = order.letter(answers[PERSONAL])
    shown = {label.key: label.name for label in labels_shown(kind, content, order) if label.is_item_option}
    return {
        "label": order.letter(vote.label),
        **({"options": shown} if shown else {}),
        "unsure": vote.unsure,
        "ambiguous": vote.ambiguous,
        "answers": answers,
        "comment": order.with_shown_letters(vote.comment),
        "seconds": vote.seconds,
        "cast_at": vote.cast_at,
        "withdrawn_at": vote.withdrawn_at,
    }


def _proposals_data(place: Annotator) -> list[dict[str, Any]]:
    """One's own proposals; options are named by the letters on one's own screen: keys may reveal what they are."""
    rows = list(Proposal.objects.filter(by=place).select_related("vote").order_by("id"))
    kind = place.project.kind_spec
    contents = _contents([row.vote for row in rows if row.vote]) if kind.question.own_options else {}
    return [{"field": _field_shown(row, kind, contents), "text": row.text, "at": row.at} for row in rows]


def _field_shown(row: Proposal, kind: Kind, contents: Mapping[tuple[int, int], Mapping[str, Any]]) -> str:
    if row.vote is None or not kind.question.own_options:
        return row.field
    content = contents.get((row.vote.item_id, row.vote.revision_n), {})
    return order_recorded(kind, content, row.vote.answers.get(ORDER, "")).shown_field_name(row.field)


def count_free_sources(membership: Membership, target: Target | None = None) -> int:
    """How many premises (or units of a target) are in nobody's hands, or how many concepts still lack a writer."""
    project = project_for_leads(membership)
    if target is not None:
        return units_free(target).count()
    if has_concepts(project):
        return len(concepts_lacking_writers(only_target(project), project.rules.writers_each))
    return Premise.objects.filter(project=project).free().count()
