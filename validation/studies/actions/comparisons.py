"""A blind comparison of two runs: the pairs are drawn once, each person says of each pair which side is better.

Nobody compares who led the project or wrote its instructions, and nothing that a person is shown tells which run wrote
which question (id-csqa Appendix A.2).
"""

import secrets
from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db import transaction
from django.db.models.functions import Now

from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.models import Candidate, GenerationRun
from annotation.jobs.database import locked
from annotation.pay import actions as pay
from annotation.pay.rules import COMPARE, Counted
from annotation.ui.response_timer import ResponseTimer
from validation.review.models.assessment import Comparison, ComparisonPair, Preference
from validation.studies.actions.ratings import check_answers
from validation.studies.projects import first_of, next_number, open_project
from validation.studies.queries.comparisons import compares
from validation.studies.rules import comparisons as rules

LARGEST = 1_000
LOOK = ResponseTimer("comparison.shown")
ENDED = (GenerationRun.State.DONE, GenerationRun.State.CANCELLED)


class Cast(NamedTuple):
    """A stored preference, and whether it had been stored before (a replay)."""

    preference: Preference
    replayed: bool


def comparison_create(
    *, project: Project, first: int, second: int, parts: Collection[str], size: int, by: User
) -> Comparison:
    """Draw so many pairs of what two ended runs kept from the same material, and let validators begin.

    A pair are two kept questions of the same material and place in it. Raises Invalid, naming the field, and Conflict
    where the project is closed.
    """
    chosen = [part for part in rules.PARTS if part in parts]
    if not chosen or len(chosen) < len(set(parts)):
        raise Invalid(field="parts", code="comparison_parts_wrong")
    if not 0 < size <= LARGEST:
        raise Invalid(field="size", code="comparison_size_wrong")
    with transaction.atomic():
        fresh = open_project(project, "comparison_project_closed")
        runs = _runs(fresh, first, second)
        n = next_number(Comparison.objects.filter(project=fresh))
        made = Comparison.objects.create(
            project=fresh, n=n, first=runs[0], second=runs[1], parts=chosen, seed=fresh.seed, by=by
        )
        _draw(made, size)
        data = {"comparison": made.n, "first": runs[0].n, "second": runs[1].n, "parts": chosen}
        Event.objects.create(project=fresh, actor=by, verb="comparison_created", data=data)
    return made


def _runs(project: Project, first: int, second: int) -> list[GenerationRun]:
    """Two different runs of the project that are over."""
    if first == second:
        raise Invalid(field="second", code="comparison_of_one")
    there = GenerationRun.objects.filter(project=project, pk__in=[first, second]).in_bulk()
    if len(there) < 2:
        raise Invalid(field="second" if first in there else "first", code="comparison_run_unknown")
    if any(run.state not in ENDED for run in there.values()):
        raise Invalid(field="first", code="comparison_run_unfinished")
    return [there[first], there[second]]


def _kept(run: GenerationRun) -> dict[str, int]:
    """What a run kept: the material's key with the question's own, and its id."""
    rows = Candidate.objects.filter(run=run, state=Candidate.State.KEPT)
    return {f"{material} {key}": pk for material, key, pk in rows.values_list("material__key", "key", "pk")}


def _draw(made: Comparison, size: int) -> None:
    first, second = _kept(made.first), _kept(made.second)
    pairs = rules.drawn(f"{made.seed}:{made.n}", first.keys() & second.keys(), size)
    if not pairs:
        raise Invalid(field="second", code="comparison_nothing")
    ComparisonPair.objects.bulk_create(
        ComparisonPair(
            comparison=made,
            first_id=first[pair.key],
            second_id=second[pair.key],
            token=secrets.token_urlsafe(18),
            swapped=pair.swapped,
            position=place,
        )
        for place, pair in enumerate(pairs, start=1)
    )


def comparison_end(*, project: Project, n: int, by: User) -> Comparison:
    """End a comparison: nobody compares any more, and its result is shown. Ending twice is the same as once."""
    with transaction.atomic():
        found = first_of(locked(Comparison.objects.filter(project=project, n=n).annotate(moment=Now())))
        if found.ended_at is None:
            found.ended_at = vars(found)["moment"]
            found.save(update_fields=["ended_at"])
            Event.objects.create(
                project=project, actor=by, verb="comparison_ended", data={"comparison": found.n}
            )
    return found


# --- what one person says -----------------------------------------------------------------


def preference_cast(
    *, annotator: Annotator, token: str, chosen: Mapping[str, str], comment: str = "", mark: str = ""
) -> Cast:
    """Store which side of a pair somebody finds better, part by part; once, and paid once.

    The same again answers as before, anything else then is a Conflict. Raises NotFound for a pair that is not of
    this person's project or not theirs to compare, Conflict where the comparison or the project has ended, Invalid
    where a part has no answer (`missing` names them).
    """
    with transaction.atomic():
        pair = _pair(annotator, token)
        given = {part: chosen.get(part, "") for part in pair.comparison.parts}
        words = comment.strip()
        before = Preference.objects.filter(pair=pair, annotator=annotator).first()
        if before is not None:
            if (before.chosen, before.comment) != (given, words):
                raise Conflict(code="preference_differs")
            return Cast(before, replayed=True)
        if pair.comparison.project.closed_at is not None:
            raise Conflict(code="project_closed")
        if pair.comparison.ended_at is not None:
            raise Conflict(code="comparison_over")
        check_answers(given, words, rules.SIDES, "sides_missing")
        made = Preference.objects.create(
            pair=pair,
            annotator=annotator,
            chosen=given,
            comment=words,
            seconds=LOOK.seconds(annotator, token, mark),
        )
        _pay(made, pair)
    return Cast(made, replayed=False)


def _pair(annotator: Annotator, token: str) -> ComparisonPair:
    """The pair, its comparison locked: nothing is stored once it has ended, nor twice at the same instant."""
    rows = ComparisonPair.objects.select_related("first__material")
    pair = rows.filter(token=token, comparison__project=annotator.project_id).first()
    if pair is None or not compares(annotator):
        raise NotFound
    pair.comparison = locked(Comparison.objects.filter(pk=pair.comparison_id)).get()
    pair.comparison.project = Project.objects.get(pk=annotator.project_id)
    return pair


def _pay(made: Preference, pair: ComparisonPair) -> None:
    """What one compared pair earned: it counts as one item."""
    project = pair.comparison.project
    if project.pays:
        pay.post(
            project=project.pk,
            annotator=made.annotator_id,
            target=pair.first.material.target_id,
            action=COMPARE,
            key=pay.compare_key(made.pk),
            counted=Counted(item=1),
        )
