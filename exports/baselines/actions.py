"""The only writers of human baselines: drawn from releases and sets, answered by a person once, ended by hand."""

import secrets
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models.functions import Now

from annotation.content.models.item import Revision
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules.draws import Head, draw
from annotation.jobs.bulk import any_of
from annotation.jobs.database import locked
from annotation.kinds import Kind
from annotation.kinds.base import text_at
from annotation.text.normalise import storable
from annotation.ui.response_timer import ResponseTimer
from exports.baselines import rules
from exports.baselines.eligibility import has_part
from exports.baselines.models import Baseline, BaselineAnswer, BaselineItem, BaselinePlace, BaselineSource
from exports.baselines.queries import Candidate, Pool, answered_kind, askable, card_facts, spare
from exports.releases.models import Release
from validation.studies.models import DiagnosticSet
from validation.studies.projects import next_number, open_project

MOST_PEOPLE, MOST_EXAMPLES, LONGEST_TASK, LARGEST = 9, 100, 4_000, 10_000
# So many are looked at to find examples that share no text with what is asked.
LOOKED_AT = 2_000


class SourceIn(NamedTuple):
    """So many items of a release's test rows, or of a diagnostic set."""

    of: Release | DiagnosticSet
    size: int


class Drawn(NamedTuple):
    """One item of the baseline, and of which source it is."""

    source: int
    of: Candidate

    @property
    def key(self) -> str:
        return f"{self.source}:{self.of.key}"


def baseline_create(
    *,
    project: Project,
    sources: Sequence[SourceIn],
    task: str,
    by: User,
    people: int = rules.USUAL_PEOPLE,
    examples: int = rules.USUAL_EXAMPLES,
) -> Baseline:
    """Draw what is asked and the examples. Raises Invalid naming the field, Conflict for what is not ready or closed.

    The draw depends on the project's seed, the baseline's number and what it is drawn from alone.
    """
    kind = answered_kind(project)
    if kind is None:
        raise Invalid(field="people", code="baseline_no_labels")
    _check(project, sources, people, examples, task)
    with transaction.atomic():
        fresh = open_project(project, "baseline_closed")
        n = next_number(Baseline.objects.filter(project=fresh))
        seed = f"{draw(fresh.seed, rules.PURPOSE, str(n)):016x}"
        made = Baseline.objects.create(project=fresh, n=n, people=people, task=task.strip(), seed=seed, by=by)
        asked = _fill(made, kind, [each for each in sources if each.size], examples)
        Event.record(fresh, by, "baseline_created", baseline=made.n, n=asked, people=people)
    return made


def _check(project: Project, sources: Sequence[SourceIn], people: int, examples: int, task: str) -> None:
    if not any(each.size for each in sources):
        raise Invalid(field="people", code="baseline_nothing")
    if any(not 0 <= each.size <= LARGEST for each in sources):
        raise Invalid(field="people", code="baseline_size")
    if not 1 <= people <= MOST_PEOPLE:
        raise Invalid(field="people", code="baseline_people")
    if not 0 <= examples <= MOST_EXAMPLES:
        raise Invalid(field="examples", code="baseline_examples")
    if not task.strip() or len(task) > LONGEST_TASK or storable(task):
        raise Invalid(field="task", code="baseline_task")
    ways = {(project.kind, project.language)}
    for each in sources:
        ways.add((each.of.project.kind, each.of.project.language))
        if isinstance(each.of, Release) and each.of.state != Release.State.READY:
            raise Conflict(field="people", code="baseline_not_ready")
    if len(ways) > 1:
        raise Invalid(field="people", code="baseline_unlike")


def _fill(made: Baseline, kind: Kind, sources: Sequence[SourceIn], examples: int) -> int:
    """Draw from each source in turn, then examples from what is left; how many items are asked."""
    asked: list[Drawn] = []
    stored: list[BaselineSource] = []
    for n, each in enumerate(sources, start=1):
        pool, taken = askable(each.of), {one.of.item for one in asked}
        counts = pool.counts()
        left = counts - pool.among(taken).counts() if taken else counts
        asked += [Drawn(n, row) for row in rules.sample(made.seed, n, left, pool.each(but=taken), each.size)]
        of = {"release" if isinstance(each.of, Release) else "diagnostic": each.of}
        frequent = rules.frequent(counts, kind.label_keys)
        stored.append(BaselineSource(baseline=made, n=n, frequent=frequent, **of))
    if not asked:
        raise Invalid(field="people", code="baseline_nothing")
    by_n = {source.n: source for source in BaselineSource.objects.bulk_create(stored)}
    shown = _examples(made.seed, kind, asked, sources, examples) if examples else []
    turn = {one.key: one for one in asked}
    ordered = [(turn[key], False) for key in rules.asked_in_turn(made.seed, turn)]
    BaselineItem.objects.bulk_create(
        [
            BaselineItem(
                baseline=made,
                source=by_n[one.source],
                item_id=one.of.item,
                revision_n=one.of.revision_n,
                gold=one.of.gold,
                example=example,
                position=place,
                token=secrets.token_urlsafe(18),
            )
            for place, (one, example) in enumerate([*((one, True) for one in shown), *ordered], start=1)
        ],
        batch_size=2000,
    )
    return len(asked)


def _examples(
    seed: str, kind: Kind, asked: Sequence[Drawn], sources: Sequence[SourceIn], size: int
) -> list[Drawn]:
    """Examples that are not asked, first of all such as share no premise or other text with what is."""
    looked = _looked(seed, {one.of.item for one in asked}, sources)
    by_key = {one.key: one for one in looked}
    shared = [text.key for text in kind.texts if text.shared]
    texts: dict[int, tuple[str, ...]] = {}
    if shared:
        # The texts that items share with others, as they were.
        wanted = {one.of.item: one.of.revision_n for one in (*asked, *looked)}
        rows = Revision.objects.filter(item__in=any_of(wanted)).values_list("item", "n", "content")
        texts = {
            item: tuple(text_at(content, key) for key in shared)
            for item, n, content in rows
            if wanted[item] == n
        }
    known = {text for one in asked for text in texts.get(one.of.item, ())}
    fresh = {one.key: one.of.gold for one in looked if not known.intersection(texts.get(one.of.item, ()))}
    others = {one.key: one.of.gold for one in looked}
    return [by_key[key] for key in rules.examples(seed, fresh, others, size)]


def _looked(seed: str, taken: Collection[int], sources: Sequence[SourceIn]) -> list[Drawn]:
    """Drawn from what no source asks, each item as the first source has it that does."""
    head: Head[Drawn] = Head(seed, f"{rules.PURPOSE}-look", LOOKED_AT)
    before: list[Pool] = []
    for n, each in enumerate(sources, start=1):
        for pool in spare(each.of):
            for row in pool.without(before).each(but=taken):
                one = Drawn(n, row)
                head.offer(one.key, one)
            before.append(pool)
    return head.rows()


# --- while it is answered -----------------------------------------------------------------


def _locked(project: Project, n: int) -> tuple[Baseline, Any]:
    """The baseline, locked, and the database's time."""
    result = locked(Baseline.objects.filter(project=project, n=n).annotate(moment=Now())).first()
    if result is None:
        raise NotFound
    return result, vars(result)["moment"]


def baseline_end(*, project: Project, n: int, by: User) -> Baseline:
    """End a baseline: nobody is asked any more. Ending twice is the same as once."""
    with transaction.atomic():
        result, moment = _locked(project, n)
        if result.ended_at is None:
            result.ended_at = moment
            result.save(update_fields=["ended_at"])
            Event.record(project, by, "baseline_ended", baseline=result.n)
    return result


def baseline_replace(*, project: Project, n: int, annotator_id: int, by: User) -> Baseline:
    """Let somebody else take a person's place: what they said stays stored, and is not counted any more."""
    with transaction.atomic():
        result, moment = _locked(project, n)
        place = BaselinePlace.objects.filter(baseline=result, annotator=annotator_id).first()
        if place is None:
            raise NotFound
        if result.ended_at is not None:
            raise Conflict(code="baseline_over")
        if place.replaced_at is None:
            BaselinePlace.objects.filter(pk=place.pk).update(replaced_at=moment)
            who = place.annotator.pseudonym
            Event.record(project, by, "baseline_replaced", baseline=result.n, annotator=who)
    return result


LOOK = ResponseTimer("baseline.shown")


class Given(NamedTuple):
    """A stored answer, and whether it had been stored before (a replay)."""

    answer: BaselineAnswer
    replayed: bool


def answer_give(*, annotator: Annotator, token: str, label: str, mark: str = "") -> Given:
    """Store what somebody answers to one item: `label` as their screen calls it.

    The same again answers as before, another answer then is a Conflict, as is one where nothing more is asked, or of
    somebody who has a part in what is. Raises NotFound for what is not asked here, Invalid for no answer of the item.
    """
    with transaction.atomic():
        asked = _asked(annotator, token)
        facts = card_facts(asked, annotator)
        key = facts.order.key(label)
        if not key:
            raise Invalid(field="label", code="baseline_label_missing")
        before = BaselineAnswer.objects.filter(asked=asked, annotator=annotator).first()
        if before is not None:
            if before.label != key:
                raise Conflict(code="baseline_differs")
            return Given(before, replayed=True)
        _take_place(asked.baseline, annotator)
        made = BaselineAnswer.objects.create(
            asked=asked,
            annotator=annotator,
            label=key,
            order=facts.order.recorded if facts.kind.shuffled else "",
            seconds=LOOK.seconds(annotator, token, mark),
        )
    return Given(made, replayed=False)


def _asked(annotator: Annotator, token: str) -> BaselineItem:
    """The item, its baseline locked: nobody takes a place that another takes at the same instant."""
    rows = BaselineItem.objects.select_related("item__target__project")
    asked = rows.filter(token=token, example=False, baseline__project=annotator.project_id).first()
    if asked is None or not annotator.is_baseline:
        raise NotFound
    asked.baseline = locked(Baseline.objects.filter(pk=asked.baseline_id)).get()
    return asked


def _take_place(baseline: Baseline, annotator: Annotator) -> None:
    """One of the places, or Conflict: they are taken, all is over, or this person has a part in what is asked."""
    project = Project.objects.get(pk=annotator.project_id)
    if baseline.ended_at is not None or project.closed_at is not None:
        raise Conflict(code="baseline_over")
    if annotator.user is None or has_part(annotator.user, project):
        raise Conflict(code="baseline_has_part")
    places = BaselinePlace.objects.filter(baseline=baseline)
    mine = places.filter(annotator=annotator).first()
    if mine is None and places.filter(replaced_at=None).count() < baseline.people:
        mine = BaselinePlace.objects.create(baseline=baseline, annotator=annotator)
    if mine is None or mine.replaced_at is not None:
        raise Conflict(code="baseline_over")
