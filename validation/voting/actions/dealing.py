"""What somebody can be given next where a project limits its cards: counted from their assignments, then kept.

The vote path reads what is kept here in its own statements; whoever it gives nothing comes here, and is counted again.
"""

from dataclasses import dataclass, replace
from datetime import datetime

import orjson
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.database import seconds_from_now
from annotation.core.days import start_of, today_in, zone_of
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.core.rules.settings import ProjectSettings
from validation.voting import sql
from validation.voting.models.assignment import Assignment, Cursor, Dealing
from validation.voting.rules.dealing import (
    UNLIMITED_DEAL,
    Deal,
    Dealt,
    Limits,
    blocks_before,
    common_level,
    gold_every,
    most_cards_of_round,
    next_deal,
    repeats_target_key,
)

# Who was given nothing for so long is not present any more.
PRESENT_SECONDS = 900
# No gold question is looked for before so many cards.
NEVER = 2**31
HELD_STATES = (Assignment.State.OPEN, Assignment.State.DONE)


@dataclass(frozen=True)
class Turn:
    """What somebody can be given now, and what they were given before; `dealt` is None where nothing is counted."""

    deal: Deal
    dealt: Dealt | None = None
    day: str = ""


UNLIMITED = Turn(UNLIMITED_DEAL)


def turn_from_vote(held: sql.HeldAssignment, rules: ProjectSettings) -> Turn | None:
    """The turn after a vote from what the vote's own statement read; None where it has to be counted first."""
    if held.limits is None or held.dealt is None:
        return None
    dealt = Dealt(**orjson.loads(held.dealt))
    limits = Limits(**orjson.loads(held.limits))
    day = datetime.fromtimestamp(float(held.moment), zone_of(rules)).date().isoformat()
    if day != dealt.day:
        return None  # a new day, or that of a time zone set meanwhile: counted by the truth
    deal = next_deal(limits, dealt, day=day, secret=held.secret, person=held.annotator_pseudonym)
    return Turn(deal, dealt, day) if deal else None


def turn_of(annotator: Annotator, target: Target, cursor: Cursor | None) -> Turn | None:
    """The turn of somebody who holds nothing; None where they are at a limit, or paused."""
    rules = target.project.rules
    if annotator.paused_at is not None or (rules.quiz_questions and annotator.qualified_at is None):
        return None
    if not rules.deals:
        return UNLIMITED
    zone = zone_of(rules)
    today = today_in(zone)
    day = today.isoformat()
    dealt = _count_cards(annotator, target, cursor, day, since=start_of(today, zone))
    limits = _refresh_limits(annotator, target, dealt)
    deal = next_deal(limits, dealt, day=day, secret=target.project.secret, person=annotator.pseudonym)
    return Turn(deal, dealt, day) if deal else None


def _count_cards(annotator: Annotator, target: Target, cursor: Cursor | None, day: str, since: datetime) -> Dealt:
    """The cards of one person from their assignments, which are the truth; what was passed or ended is none."""
    rows = (
        Assignment.objects.filter(annotator=annotator, target=target, state__in=HELD_STATES)
        .values("round", gold=~Q(project=target.project_id))
        .annotate(n=Count("pk"), today=Count("pk", filter=Q(opened_at__gte=since)))
        .order_by()
    )
    found = list(rows)
    rounds: dict[str, int] = {}
    for row in found:
        if not row["gold"]:
            rounds[str(row["round"])] = rounds.get(str(row["round"]), 0) + row["n"]
    kept = (cursor.dealt if cursor else None) or {}
    cards, gold = sum(row["n"] for row in found), sum(row["n"] for row in found if row["gold"])
    return Dealt(
        cards=cards,
        day=day,
        today=sum(row["today"] for row in found),
        rounds=rounds,
        gold=gold,
        # Places that went by before gold questions were asked are made up for by none.
        passed=max(kept.get("passed", 0), blocks_before(cards) - gold),
        # Whoever sees what is settled would know a gold question by that.
        wait=NEVER if annotator.has_led else kept.get("wait", 0),
        own=_repeats_target_id(annotator, target),
    )


def _repeats_target_id(annotator: Annotator, target: Target) -> int:
    """The target that keeps what this person is asked again; 0 where answers are no matter of taste."""
    project = target.project
    if not (project.kind_spec.excludes_family_contributors and project.rules.gold_questions):
        return 0
    kept = Target.objects.filter(project__kept_for=project, key=repeats_target_key(annotator.pk))
    return kept.values_list("pk", flat=True).first() or 0


def _refresh_limits(annotator: Annotator, target: Target, dealt: Dealt) -> Limits:
    """The limits of the target as they are now, kept for the votes that follow."""
    rules = target.project.rules
    items = Item.objects.filter(project=target.project_id, target=target)
    most: dict[str, int] = {}
    if rules.round_percent:
        asked = items.filter(sampled=True, round__gt=0).order_by().values_list("round")
        counts = dict(asked.annotate(n=Count("pk")))
        for n in counts:
            here = sum(count for reached, count in counts.items() if reached >= n)
            most[str(n)] = most_cards_of_round(here, rules.round_percent)
    level = None
    waiting = _free_slots(items) if rules.fair_dealing or rules.gold_questions else 0
    if rules.fair_dealing:
        level = common_level(waiting, [dealt.cards - dealt.gold, *_cards_of_others(annotator, target)])
    limits = Limits(rules.cards_per_day, most, level)
    if rules.gold_questions:
        keeper = Target.objects.filter(project__kept_for=target.project_id, key="main")
        gold = keeper.values_list("pk", flat=True).first() or 0
        left = gold_left(target.project_id) if gold else 0
        limits = replace(limits, gold=gold, gold_every=gold_every(waiting, left))
    Dealing.objects.update_or_create(target=target, defaults={"limits": limits.to_dict(), "at": Now()})
    return limits


def source_met_again(path: str = "") -> Q:
    """The items (at the end of `path`: those that they are copies of) whose source has items that wait for votes, or no
    other item: gold questions of others are not asked (`validation.voting.sql`)."""
    there = Item.objects.filter(family=OuterRef(f"{path}family"), target=OuterRef(f"{path}target"))
    return Q(Exists(there.filter(slots_free__gt=0)) | ~Exists(there.exclude(pk=OuterRef(f"{path}pk"))))


def gold_left(project: int) -> int:
    """How often gold questions of the project can be asked still, of all people together."""
    kept = Item.objects.filter(target__project__kept_for=project, gold_question__retired_at=None)
    return _free_slots(kept.filter(source_met_again("gold_question__of_item__"), gold_question__isnull=False))


def gold_share(project: int) -> tuple[int, int]:
    """How often gold questions can be asked still, and at every which of their places one comes, as things stand."""
    left = gold_left(project)
    return left, gold_every(_free_slots(Item.objects.filter(project=project)), left)


def _free_slots(items: QuerySet[Item]) -> int:
    return items.filter(slots_free__gt=0).aggregate(n=Sum("slots_free"))["n"] or 0


def _cards_of_others(annotator: Annotator, target: Target) -> list[int]:
    """The cards, gold questions apart, of everybody else who is present and may be given some."""
    present = Cursor.objects.filter(
        target=target,
        dealt_at__gte=seconds_from_now(-PRESENT_SECONDS),
        annotator__left_at=None,
        annotator__is_validator=True,
        annotator__paused_at=None,
    ).exclude(annotator=annotator)
    kept = [Dealt(**dealt) for dealt in present.values_list("dealt", flat=True) if dealt]
    return [each.cards - each.gold for each in kept]


def dealt_after(turn: Turn, slot: sql.Slot, *, gold: bool) -> Dealt | None:
    """What the person was given with this slot; None where nothing is counted."""
    if turn.dealt is None:
        return None
    before = turn.dealt.without_gold() if turn.deal.due and not gold else turn.dealt
    return before.after(day=turn.day, round=slot.round, gold=gold, gold_every=turn.deal.gold_every)
