"""What the pages of group review read: prompts with their open proposals, one prompt with all that was said of it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import SimpleNamespace
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.content import queries as content_queries
from annotation.content.models.item import Item, Revision
from annotation.content.queries import items_sharing_text
from annotation.core import access
from annotation.core.access import Membership, Viewer, require_entry
from annotation.core.actions.members import ensure_lead_place
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.models import Lineage, Remark, Session, Suggestion
from annotation.elicitation.rules.prompts import CONTEXT
from annotation.elicitation.rules.sessions import FEATURES, REVIEW
from annotation.kinds import Kind, text_at
from annotation.text.differences import differences
from validation.consensus import stages
from validation.group_review import rules as suggestions
from validation.group_review.actions import has_validation_begun, shares_context
from validation.voting.models.vote import Vote

OPEN = Suggestion.State.OPEN


def has_group_review(project: Project) -> bool:
    """Whether groups review the items of this project."""
    return FEATURES[REVIEW] in project.kind_spec.features


def group_membership(user: Viewer, slug: str) -> Membership:
    """The viewer as reviewer, lead or administrator of a project that has group reviews."""
    found = access.membership(user, slug)
    if not has_group_review(found.project):
        raise NotFound
    if not (found.is_reviewer or found.sees_all):
        raise Forbidden
    return found


def participant(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as somebody who proposes: lead, administrator or reviewer."""
    found = group_membership(user, slug)
    if found.sees_all:
        return ensure_lead_place(user, slug)
    if found.annotator is None:
        raise Forbidden
    return found, require_entry(found.annotator)


def session_in(membership: Membership, session_id: int) -> Session:
    """One session of group review."""
    purpose = Session.Purpose.REVIEW
    found = Session.objects.filter(pk=session_id, project=membership.project, purpose=purpose).first()
    if found is None:
        raise NotFound
    return found


def prompts(membership: Membership, *, waiting: bool = False) -> QuerySet[Item]:
    """What a group looks at: every prompt that is not left out, or that a proposal is open about, by id.

    `waiting`: those with an open proposal only.
    """
    there = content_queries.without_asked(Item.objects.filter(project=membership.project), membership, "pk").order_by(
        "key"
    )
    waits = Exists(Suggestion.objects.filter(item=OuterRef("pk"), state=OPEN))
    return there.filter(waits) if waiting else there.filter(~Q(stage=stages.EXCLUDED) | waits)


def prompt(membership: Membership, item_id: int) -> Item:
    """One prompt of the project."""
    rows = Item.objects.select_related("project", "author").filter(pk=item_id, project=membership.project)
    found = content_queries.without_asked(rows, membership, "pk").first()
    if found is None:
        raise NotFound
    return found


# --- the list -----------------------------------------------------------------------------


def with_open_counts(items: QuerySet[Item]) -> QuerySet[Item]:
    """The same with `waits`, how many proposals are open about each."""
    waits = Count("suggestions", filter=Q(suggestions__state=OPEN))
    return items.select_related("project").annotate(waits=waits)


def group_by_family(items: Sequence[Item]) -> list[SimpleNamespace]:
    """Prompts in their order, each family under its context; how many proposals are open about each."""
    texts = content_queries.contents(items)
    made = []
    for (_, context), group in groupby(items, lambda item: (item.family, text_at(texts[item.pk], CONTEXT))):
        rows = []
        for item in group:
            others = [text_at(texts[item.pk], part) for part in suggestions.PARTS if part != CONTEXT]
            lines, waits = [text for text in others if text], getattr(item, "waits", 0)
            rows.append(SimpleNamespace(item=item, lines=lines, waits=waits))
        topic = str(texts[rows[0].item.pk].get("concept", ""))
        made.append(SimpleNamespace(context=context, topic=topic, rows=rows))
    return made


# --- one prompt -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ShownSuggestion:
    """A proposal as a page shows it.

    `made` are the parts of the prompt that a split makes, `later` the responses that a variation changes, `since`
    what changed in the prompt after it was proposed; `reach` how many prompts and votes accepting it touches.
    """

    suggestion: Suggestion
    name: str
    texts: list[SimpleNamespace]
    made: list[tuple[str, str]]
    other: str
    later: list[str]
    remarks: list[Remark]
    since: list[SimpleNamespace] = field(default_factory=list)
    prompts: int = 1
    votes: int = 0
    asks_meaning: bool = False

    @property
    def is_open(self) -> bool:
        return self.suggestion.state == OPEN


def suggestions_of(item: Item, *, lead: Membership | None = None) -> list[ShownSuggestion]:
    """The proposals about a prompt, open ones first, in a fixed number of statements."""
    rows = list(Suggestion.objects.filter(item=item).select_related("by", "decided_by", "session").order_by("pk"))
    rows.sort(key=lambda row: row.state != OPEN)
    contents = dict(Revision.objects.filter(item=item).values_list("n", "content"))
    remarks: dict[int, list[Remark]] = defaultdict(list)
    for one in Remark.objects.filter(suggestion__item=item).select_related("by").order_by("pk"):
        remarks[one.suggestion_id].append(one)
    reach = _affected_counts(item, lead) if lead and any(row.state == OPEN for row in rows) else {}
    return [_shown_suggestion(item, row, contents, remarks[row.pk], reach) for row in rows]


def _shown_suggestion(
    item: Item,
    row: Suggestion,
    contents: Mapping[int, Mapping[str, Any]],
    remarks: list[Remark],
    reach: Mapping[bool, tuple[int, int, bool]],
) -> ShownSuggestion:
    kind = item.project.kind_spec
    now = contents[item.revision_n]
    # What was decided is shown against the text that it was about.
    against = now if row.state == OPEN else contents[row.revision_n]
    names = text_names_of(kind, against)
    texts = [
        SimpleNamespace(name=names.get(name, name), parts=differences(old, new))
        for name, old, new in suggestions.shown_changes(row.form, row.data, against)
    ]
    since = _changes_since(kind, contents[row.revision_n], now) if row.state == OPEN else []
    prompts, votes, asks = reach.get(shares_context(row), (1, 0, False))
    return ShownSuggestion(
        suggestion=row,
        name=suggestions.FORMS[row.form],
        texts=texts,
        made=[(names[part], text) for part, text in suggestions.second_prompt_parts(row.data)],
        other=str(row.data.get("other", "")),
        later=[str(key) for key in row.data.get("responses", ())],
        remarks=remarks,
        since=since,
        prompts=prompts,
        votes=votes,
        asks_meaning=asks and row.form != suggestions.VARIATION,
    )


def text_names_of(kind: Kind, content: Mapping[str, Any]) -> dict[str, str]:
    """What people call each text of a prompt; responses by their keys."""
    return {text.key: text.name for text in kind.correctable_texts(content)}


def _changes_since(kind: Kind, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[SimpleNamespace]:
    """What changed in a prompt since a proposal about it was made."""
    return [
        SimpleNamespace(name=text.name, parts=differences(text_at(before, text.key), text_at(now, text.key)))
        for text in kind.correctable_texts(now)
        if not text.derived and text_at(before, text.key) != text_at(now, text.key)
    ]


def _affected_counts(item: Item, membership: Membership) -> dict[bool, tuple[int, int, bool]]:
    """Prompts, standing votes, and whether validation began: of the prompt alone, and of all with its context."""
    family = list(Item.objects.filter(project=item.project_id, family=item.family).select_related("project"))
    found = {}
    for shared, items in ((False, [item]), (True, items_sharing_text(item, family, CONTEXT))):
        found[shared] = (len(items), _count_standing_votes(items, membership), has_validation_begun(items))
    return found


def _count_standing_votes(items: Sequence[Item], membership: Membership) -> int:
    votes = Vote.objects.filter(item__in=[item.pk for item in items], withdrawn_at=None)
    votes = content_queries.without_asked(votes, membership)
    epochs = {item.pk: item.epoch for item in items}
    return sum(epochs[pk] == epoch for pk, epoch in votes.values_list("item", "epoch"))


def responses(content: Mapping[str, Any], roles: Sequence[str]) -> list[Mapping[str, Any]]:
    """The responses of these roles (key, text, role), in the order of roles, then in the prompt's."""
    there = content.get("options", ())
    return [option for role in roles for option in there if option["role"] == role]


# --- where a prompt comes from ------------------------------------------------------------


def lineage_of(item: Item) -> dict[str, list[Any]] | None:
    """What a prompt came from, its outcome, and what groups proposed about it; None where there is nothing."""
    if not has_group_review(item.project):
        return None
    rows = Lineage.objects.order_by("pk")
    found: dict[str, list[Any]] = {
        "origins": list(rows.filter(item=item).select_related("origin")),
        "offspring": list(rows.filter(origin=item).select_related("item")),
        "suggestions": suggestions_of(item),
    }
    return found if any(found.values()) else None


# --- what waits ---------------------------------------------------------------------------


def count_proposals_to_decide(led: Collection[int], mine: Collection[int]) -> dict[int, int]:
    """By project: open proposals that wait for a lead who neither proposed them nor wrote the prompt."""
    rows = Suggestion.objects.filter(project__in=led, state=OPEN)
    rows = rows.exclude(by__in=mine).exclude(item__author__in=mine)
    return dict(rows.values("project").annotate(n=Count("pk")).values_list("project", "n").order_by())


def count_prompts_to_review(projects: Collection[int]) -> dict[int, int]:
    """By project: prompts that are not left out, where a session of group review is there."""
    held = Session.objects.filter(project=OuterRef("project"), purpose=Session.Purpose.REVIEW)
    rows = Item.objects.filter(Exists(held), project__in=projects).exclude(stage=stages.EXCLUDED)
    return dict(rows.values("project").annotate(n=Count("pk")).values_list("project", "n").order_by())


def latest_review_sessions(projects: Collection[int]) -> dict[int, int]:
    """By project: the newest of its sessions of group review; nothing is asked of the database for none."""
    if not projects:
        return {}
    held = Session.objects.filter(project__in=projects, purpose=Session.Purpose.REVIEW)
    return dict(held.order_by("held_on", "pk").values_list("project", "pk"))
