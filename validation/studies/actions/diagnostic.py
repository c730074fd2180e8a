"""The only writers of diagnostic sets: drawn from gold, dealt to experts, who confirm or change the tags (IndoNLI §5).

Whoever goes through tags sees the gold label, so they are never asked to vote on these items again.
"""

import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules.draws import draw
from annotation.jobs.bulk import any_of
from annotation.jobs.database import locked
from annotation.text.phenomena import canonical
from annotation.ui.response_timer import ResponseTimer
from validation.consensus.stages import SETTLED
from validation.studies.models import DiagnosticAnswer, DiagnosticRow, DiagnosticSet
from validation.studies.projects import counts_by, first_of, next_number, open_project
from validation.studies.queries.diagnostic import people as may_tag
from validation.studies.rules import diagnostic as rules
from validation.voting.actions.exclusions import bar, stand_up
from validation.voting.models.assignment import Assignment

LOOK = ResponseTimer("diagnostic.shown")
AT_ONCE = 5000
OVER = (Assignment.State.DONE, Assignment.State.EXPIRED)


class Candidate(NamedTuple):
    """An item that can be drawn: its key, gold label, id and revision as they are now."""

    key: str
    gold: str
    pk: int
    revision_n: int


def diagnostic_create(*, project: Project, size: int, experts: Collection[int], by: User) -> DiagnosticSet:
    """Draw so many items of the project's gold, by label, and give each to an expert who did not write it.

    `experts` are ids of people of the project. Raises Invalid naming the field, Conflict where the project is closed.
    """
    if not 0 < size <= rules.LARGEST:
        raise Invalid(field="size", code="diagnostic_size")
    with transaction.atomic():
        fresh = open_project(project, "diagnostic_closed")
        people = _experts(fresh, experts)
        n = next_number(DiagnosticSet.objects.filter(project=fresh))
        seed = f"{draw(fresh.seed, rules.PURPOSE, str(n)):016x}"
        drawn = _drawn(fresh, seed, size)
        if not drawn:
            raise Invalid(field="size", code="diagnostic_nothing")
        made = DiagnosticSet.objects.create(project=fresh, n=n, seed=seed, by=by)
        DiagnosticRow.objects.bulk_create(
            [
                DiagnosticRow(
                    diagnostic=made,
                    item_id=each.pk,
                    position=place,
                    revision_n=each.revision_n,
                    gold=each.gold,
                    token=secrets.token_urlsafe(18),
                )
                for place, each in enumerate(drawn, start=1)
            ],
            batch_size=2000,
        )
        _deal(made, people)
        data = {"set": made.n, "n": len(drawn), "experts": sorted(people)}
        Event.objects.create(project=fresh, actor=by, verb="diagnostic_created", data=data)
    return made


def diagnostic_deal(*, project: Project, n: int, experts: Collection[int], by: User) -> int:
    """Give what no expert went through yet to these experts, evenly; how many items still are nobody's.

    What was done stays with who did it, and an item that is not settled any more where it is.
    """
    with transaction.atomic():
        fresh = open_project(project, "diagnostic_closed")
        made = first_of(locked(DiagnosticSet.objects.filter(project=fresh, n=n)))
        people = _experts(fresh, experts)
        left = _deal(made, people)
        data = {"set": made.n, "experts": sorted(people)}
        Event.objects.create(project=fresh, actor=by, verb="diagnostic_dealt", data=data)
    return left


def _experts(project: Project, chosen: Collection[int]) -> dict[str, int]:
    """The chosen people by their pseudonyms; Invalid where somebody is not there, or answers a baseline."""
    found = dict(may_tag(project).filter(pk__in=list(chosen)).values_list("pseudonym", "pk"))
    if not chosen:
        raise Invalid(field="experts", code="diagnostic_experts")
    if len(found) < len(set(chosen)):
        raise Invalid(field="experts", code="diagnostic_expert_unknown")
    return found


def _drawn(project: Project, seed: str, size: int) -> list[Candidate]:
    """So many of the project's gold. Labels are counted first, so that no more rows are held than are drawn."""
    gold = Item.objects.filter(project=project, stage=SETTLED).exclude(gold="").order_by()
    counts = dict(gold.values_list("gold").annotate(items=Count("pk")))
    rows = gold.values_list("key", "gold", "pk", "revision_n").iterator(chunk_size=AT_ONCE)
    return rules.drawn(seed, counts, (Candidate(*row) for row in rows), size)


def _deal(made: DiagnosticSet, people: dict[str, int]) -> int:
    """Deal the rows that nobody went through; how many are left that none of these experts may have."""
    rows = DiagnosticRow.objects.filter(diagnostic=made)
    done = Exists(DiagnosticAnswer.objects.filter(row=OuterRef("pk"), standing=True))
    open_rows = _settled(rows.filter(~done))
    authors = {key: row.item.author.pseudonym if row.item.author else "" for key, row in open_rows.items()}
    held = counts_by(rows.filter(done, expert__in=people.values()), "expert__pseudonym")
    given = rules.dealt(made.seed, authors, people, held)
    for key, row in open_rows.items():
        row.expert_id = people.get(given[key])
    DiagnosticRow.objects.bulk_update(open_rows.values(), ["expert"], batch_size=500)
    _bar([row for row in open_rows.values() if row.expert_id], people)
    return sum(row.expert_id is None for row in open_rows.values())


def _settled(rows: QuerySet[DiagnosticRow]) -> Mapping[str, DiagnosticRow]:
    """These rows by their items' keys, in turn: those whose items are settled, and stay so until this is stored."""
    asked = Item.objects.filter(pk__in=rows.values("item"), stage=SETTLED)
    there = list(locked(asked.order_by("pk")).values_list("pk", flat=True))
    if not there:
        return {}
    found = rows.filter(item__in=any_of(there)).select_related("item__author")
    return {row.item.key: row for row in found.order_by("position")}


def _bar(rows: Sequence[DiagnosticRow], people: dict[str, int]) -> None:
    """They see gold labels: should an item be opened again, they are not asked. Their items are locked."""
    for who in people.values():
        theirs = [row for row in rows if row.expert_id == who]
        if not theirs:
            continue
        held = Assignment.objects.filter(annotator=who, item__in=any_of([row.item_id for row in theirs]))
        for assignment in held.filter(state=Assignment.State.OPEN):
            stand_up(assignment)
        held.filter(state__in=OVER).update(state=Assignment.State.BARRED)
        bar((row.item, who) for row in theirs)


# --- what one expert says -----------------------------------------------------------------


def diagnostic_confirm(
    *, expert: Annotator, token: str, tags: Collection[str], mark: str = ""
) -> DiagnosticAnswer:
    """Store an item's tags as this expert has them; again with others, and the new ones count.

    Raises NotFound for what is not of this person's project, Conflict where it is another expert's now or the project
    is closed, Invalid where there is no tag or an unknown one.
    """
    with transaction.atomic():
        row = locked(DiagnosticRow.objects.filter(token=token, diagnostic__project=expert.project_id)).first()
        if row is None or expert.is_baseline:
            raise NotFound
        if row.expert_id != expert.pk:
            raise Conflict(code="diagnostic_not_yours")
        if expert.project.closed_at is not None:
            raise Conflict(code="diagnostic_closed")
        if not tags:
            raise Invalid(field="tags", code="diagnostic_tags_missing")
        try:
            given = list(canonical(tags))
        except KeyError as error:
            raise Invalid(field="tags", code="diagnostic_tags_unknown") from error
        standing = DiagnosticAnswer.objects.filter(row=row, standing=True)
        before = standing.first()
        if before is not None and before.tags == given:
            return before
        standing.update(standing=False)
        return DiagnosticAnswer.objects.create(
            row=row, expert=expert, tags=given, seconds=LOOK.seconds(expert, token, mark)
        )
