"""Gold questions: chosen by a lead, copied into a separate project, retired; and people's answers."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from annotation.answers import Label, Question, ShownItem
from annotation.content.models.item import Item, Revision
from annotation.core import declared
from annotation.core.database import locked, now
from annotation.core.errors import Conflict, Invalid, first_or_not_found
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.core.rules.draws import draw
from validation.consensus import stages
from validation.consensus.protocol import Protocol
from validation.quality.models import GoldQuestion, GoldStanding, Pause
from validation.quality.rules import accepted as known
from validation.quality.rules import gold as rules
from validation.voting.actions.dealing import source_met_again
from validation.voting.actions.exclusions import bar_people
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

ASKABLE = (stages.SETTLED, stages.NO_CONSENSUS, stages.ADJUDICATED)
Why = GoldQuestion.Why


@dataclass(frozen=True)
class AnswerableItem:
    """What can be accepted of one item: the questions that voters answer, or (without any) its labels; its card."""

    questions: tuple[Question, ...]
    labels: tuple[Label, ...]
    shown: ShownItem
    content: Mapping[str, Any]


def answerable_item(item: Item) -> AnswerableItem:
    """What can be accepted of an item, as it stands now; two statements."""
    kind = item.project.kind_spec
    content = Revision.objects.values_list("content", flat=True).get(item=item, n=item.revision_n)
    asked = kind.question.leaf_questions(tuple(item.protocol.rules.get("criteria", ())))
    shown = kind.card_view(content, kind.question.shuffled_keys(content))
    return AnswerableItem(asked, () if asked else kind.question.votable_labels(content), shown, content)


def checked_accepted(item: Item, accepted: Any) -> known.Accepted:
    """What is accepted, as it is stored. Raises Invalid for what the item does not have, and for nothing."""
    of_item = answerable_item(item)
    labels = [label.key for label in of_item.labels]
    found = known.clean_accepted(accepted, of_item.questions, labels, of_item.shown)
    if found is None:
        raise Invalid(field="accepted", code="gold_labels_wrong")
    return found


def gold_add(*, project: Project, item_id: int, accepted: Any, by: User) -> GoldQuestion:
    """Ask this item as a gold question with these accepted answers (`rules/accepted.py`).

    Raises Invalid for answers that it does not have, Conflict where it is still voted on, was asked before, was shown
    to as many people as any text is, or stands in files that everybody may have.
    """
    if not project.kind_spec.can_ask_gold:
        raise Conflict(code="gold_not_here")
    with transaction.atomic():
        fresh = Project.lock(project.pk, closed="project_closed")
        item = first_or_not_found(
            locked(Item.objects.filter(pk=item_id, project=fresh)).select_related("project", "protocol")
        )
        right = checked_accepted(item, accepted)
        if GoldQuestion.objects.filter(of_item=item).exists():
            raise Conflict(code="gold_already")
        if Item.objects.filter(pk=item.pk, asked_in_quiz__isnull=False).exists():
            raise Conflict(code="gold_is_quiz")
        refuse_unaskable(item)
        places = Assignment.objects.filter(item=item).values_list("annotator", "state")
        known = {who for who, _ in places}
        people = {who for who, state in places if state != Assignment.State.BARRED}
        most = rules.most_asked(
            team=_team_size(fresh),
            votes_at_most=sum(Protocol.from_stored(item.protocol.rules).rounds),
            seen=len(people),
        )
        if not most:
            raise Conflict(code="gold_shown_enough")
        made = GoldQuestion.objects.create(
            project=fresh,
            item=copy_item(item, keeper_of(fresh).targets.get(key="main"), most=most),
            of_item=item,
            epoch=item.epoch,
            accepted=right,
            most=most,
            by=by,
        )
        wrote = Revision.objects.filter(item=item, by__isnull=False).values_list("by", flat=True)
        bar_people((made.item, who) for who in known | set(wrote))
        Event.record(fresh, by, "gold_added", item=item.key)
    return made


def refuse_unaskable(item: Item) -> None:
    """Raise Conflict for what is voted on, or will be, and for what everybody may have read with its answer."""
    if not (item.stage in ASKABLE or (item.stage == stages.WRITTEN and not item.sampled)):
        raise Conflict(field="key", code="gold_voted_on")
    if given_out([item.pk]):
        raise Conflict(field="key", code="gold_given_out")


def given_out(items: Collection[int]) -> set[int]:
    """Those of the items whose source everybody may have read: what apps above this one publish."""
    return {pk for path in declared.entries("given_out").values() for pk in import_string(path)(items)}


def _team_size(project: Project) -> int:
    return Annotator.objects.filter(project=project, is_validator=True, left_at=None).count()


def keeper_of(project: Project) -> Project:
    """The project that keeps the copies: without members, closed, and listed nowhere."""
    found = Project.objects.filter(kept_for=project).first()
    if found is not None:
        return found
    made = Project.objects.create(
        slug=f"kept-for-{project.pk}",
        name=f"kept-for-{project.pk}",
        kind=project.kind,
        language=project.language,
        seed=project.seed,
        settings=project.settings,
        closed_at=now(),
        kept_for=project,
    )
    Target.objects.create(project=made, language=project.language)
    return made


def copy_item(item: Item, target: Target, *, most: int) -> Item:
    """The item as it is shown now, under its key, protocol and family; the last vote that it waits for never comes.

    It stands behind those that are there: whoever has come further in the queue is given it as well.
    """
    revision = Revision.objects.get(item=item, n=item.revision_n)
    last = Item.objects.filter(target=target).aggregate(n=Max("shuffle"))["n"]
    copy = Item.objects.create(
        project_id=target.project_id,
        target=target,
        author_id=item.author_id,
        slot=item.slot,
        key=item.key if target.key == "main" else f"{item.key} {target.key}",
        origin=item.origin,
        protocol_id=item.protocol_id,
        family=item.family,
        sampled=True,
        stage=stages.VOTING,
        round=1,
        slots_free=most,
        pending=most + 1,
        shuffle=0 if last is None else last + 1,
        words=item.words,
    )
    Revision.objects.create(
        project_id=target.project_id,
        item=copy,
        n=1,
        version=1,
        epoch=1,
        event=revision.event,
        meaning="first",
        content=revision.content,
        fields_n=revision.fields_n,
        sentences_n=revision.sentences_n,
    )
    return copy


def gold_add_unanimous(*, project: Project, count: int, by: User) -> int:
    """Ask up to so many items as gold questions on which at least three people agree whole, in drawn order; only
    where the source is met again."""
    added = 0
    for item_id, accepted in _by_source(project, unanimous_items(project)):
        if added >= count:
            break
        try:
            gold_add(project=project, item_id=item_id, accepted=accepted, by=by)
        except Conflict:
            continue
        added += 1
    return added


def _by_source(project: Project, items: Sequence[tuple[int, known.Accepted]]) -> list[tuple[int, known.Accepted]]:
    """Those whose source is met again: of each source one, then of each a second, as nobody gets two of one source;
    first where most items of it wait for votes, else in the order given."""
    waiting = Item.objects.filter(family=OuterRef("family"), target=OuterRef("target"), slots_free__gt=0).order_by()
    often = Subquery(waiting.values("family").annotate(n=Count("pk")).values("n"))
    met = Item.objects.filter(source_met_again(), project=project, stage=stages.SETTLED).annotate(often=often)
    sources = {pk: (family, n or 0) for pk, family, n in met.values_list("pk", "family", "often")}
    taken: Counter[int] = Counter()
    ranked: list[tuple[int, int, int, tuple[int, known.Accepted]]] = []
    for pk, accepted in items:
        if pk in sources:
            family, times = sources[pk]
            ranked.append((taken[family], -times, len(ranked), (pk, accepted)))
            taken[family] += 1
    return [row for *_, row in sorted(ranked, key=lambda place: place[:3])]


def unanimous_items(project: Project) -> list[tuple[int, known.Accepted]]:
    """Settled items to which at least three people gave the same answer and nobody another, in drawn order, each with
    what counts as right.

    The author's label counts where the protocol counts it. Of several questions those on which nobody differs. Without
    what everybody may have read.
    """
    items = Item.objects.filter(
        project=project, stage=stages.SETTLED, gold_from="votes", asked_as_gold=None, asked_in_quiz=None
    ).select_related("protocol")
    by_item: dict[int, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    rows = Vote.objects.filter(item__in=items, withdrawn_at=None)
    for item, epoch, present, *said in rows.values_list("item", "epoch", "item__epoch", "label", "answers"):
        if epoch == present:
            by_item[item].append((said[0], said[1]))
    found, known = [], given_out([each.pk for each in items])
    for each in items:
        accepted = _agreed_answer(project, each, by_item[each.pk])
        if accepted is not None and each.pk not in known:
            found.append((draw(project.secret, "gold-choice", each.key), each.pk, accepted))
    return [(pk, accepted) for _, pk, accepted in sorted(found, key=lambda row: row[:2])]


def _agreed_answer(project: Project, item: Item, said: Sequence[tuple[str, dict[str, Any]]]) -> known.Accepted | None:
    asked = project.kind_spec.question.leaf_questions(tuple(item.protocol.rules.get("criteria", ())))
    if asked:
        return known.agreed_answers(asked, [answers for _, answers in said])
    counts = item.author_label and Protocol.from_stored(item.protocol.rules).author_counts
    labels = [*([item.author_label] if counts else []), *(label for label, _ in said)]
    return [item.gold] if rules.is_unanimous(labels) else None


def gold_retire(*, question: GoldQuestion, by: User | None, why: str = Why.LEAD) -> None:
    """Ask it of nobody any more; who holds it at this moment may still answer."""
    with transaction.atomic():
        locked(Item.objects.filter(pk=question.item_id)).get()
        fresh = GoldQuestion.objects.filter(pk=question.pk, retired_at=None)
        if not fresh.update(retired_at=Now(), retired_why=why):
            return
        Item.objects.filter(pk=question.item_id).update(slots_free=0)
        if why == Why.CHANGED:
            seen = Assignment.objects.filter(item=question.item_id).exclude(state=Assignment.State.BARRED)
            source = Item.objects.get(pk=question.of_item_id)
            bar_people((source, who) for who in seen.values_list("annotator", flat=True))
        Event.record(question.project_id, by, "gold_retired", item=question.of_item.key, why=why)


def gold_watch() -> None:
    """Take questions out that are worn or doubtful, and look at what people answered; run by the sweep."""
    for project in Project.objects.filter(closed_at=None, gold_questions__isnull=False).distinct():
        if project.rules.gold_questions:
            questions_watch(project)
            standings_watch(project)


def questions_watch(project: Project) -> None:
    """Take out what a third of the team has seen, what too many miss, what is voted on anew or means another, and what
    everybody may have read."""
    team = _team_size(project)
    answers: dict[int, list[bool]] = defaultdict(list)
    rows = _gold_votes(project).values_list("item", "item__gold_question__accepted", "label", "answers")
    for item, accepted, label, said in rows:
        answers[item].append(known.is_right(accepted, label, said))
    questions = list(GoldQuestion.objects.filter(project=project, retired_at=None).select_related("of_item"))
    public = given_out([each.of_item_id for each in questions])
    for each in questions:
        given = answers[each.item_id]
        if each.of_item.epoch != each.epoch or each.of_item.stage == stages.VOTING:
            gold_retire(question=each, by=None, why=Why.CHANGED)
        elif each.of_item_id in public:
            gold_retire(question=each, by=None, why=Why.PUBLIC)
        elif rules.is_missed(len(given), given.count(False)):
            gold_retire(question=each, by=None, why=Why.MISSED)
        elif len(given) >= min(each.most, rules.most_asked(team=team, votes_at_most=each.most, seen=0)):
            gold_retire(question=each, by=None, why=Why.TEAM)


def _gold_votes(project: Project) -> QuerySet[Vote]:
    return Vote.objects.filter(item__gold_question__project=project, withdrawn_at=None).order_by("pk")


def standings_watch(project: Project) -> None:
    """Compute what each person's answers come to, and pause those who need a lead's decision."""
    rows = _gold_votes(project).exclude(item__gold_question__retired_why__in=[Why.MISSED, Why.CHANGED])
    given: dict[int, list[tuple[datetime, bool]]] = defaultdict(list)
    columns = ("annotator", "cast_at", "item__gold_question__accepted", "label", "answers")
    for who, at, accepted, label, said in rows.values_list(*columns):
        given[who].append((at, known.is_right(accepted, label, said)))
    over = Pause.objects.filter(annotator__in=given, decision=Pause.Decision.GO_ON).order_by("decided_at")
    ends = {who: at for who, at in over.values_list("annotator", "decided_at") if at is not None}
    for who, answers in given.items():
        since = sum(1 for at, _ in answers if who in ends and at <= ends[who])
        standing = rules.standing_of([right for _, right in answers], since=since)
        if standing is not None:
            _store_standing(who, standing)


def _store_standing(annotator_id: int, standing: rules.Standing) -> None:
    values = {name: getattr(standing, name) for name in ("answered", "right", "all_answered", "all_right")}
    with transaction.atomic():
        GoldStanding.objects.update_or_create(annotator_id=annotator_id, defaults={**values, "at": Now()})
        if standing.must_pause:
            pause_begin(annotator_id=annotator_id, by=None, answered=standing.tested, right=standing.tested_right)


def pause_begin(*, annotator_id: int, by: User | None, answered: int = 0, right: int = 0, reason: str = "") -> bool:
    """Give somebody nothing new to judge until a lead decides; False where they are paused already.

    The card that they hold can still be sent, and is stored and paid like every other.
    """
    with transaction.atomic():
        person = locked(Annotator.objects.filter(pk=annotator_id)).get()
        if person.paused_at is not None or person.left_at is not None:
            return False
        Pause.objects.create(annotator=person, by=by, answered=answered, right=right, reason=reason)
        Annotator.objects.filter(pk=person.pk).update(paused_at=Now())
        Event.record(person.project_id, by, "paused", annotator=person.pseudonym)
    return True


def pause_decide(*, annotator: Annotator, decision: str, words: str, by: User) -> None:
    """A lead's decision on a pause, with its words: they go on, or stay paused. Conflict where they are not paused."""
    if decision not in Pause.Decision.values:
        raise Invalid(field="decision", code="choice_unknown")
    if not words.strip():
        raise Invalid(field="words", code="reason_missing")
    with transaction.atomic():
        locked(Annotator.objects.filter(pk=annotator.pk)).get()
        open_ = Pause.objects.filter(annotator=annotator).exclude(decision=Pause.Decision.GO_ON)
        if not open_.update(decision=decision, words=words.strip(), decided_at=Now(), decided_by=by):
            raise Conflict(code="pause_none")
        if decision == Pause.Decision.GO_ON:
            Annotator.objects.filter(pk=annotator.pk).update(paused_at=None)
        Event.record(annotator.project_id, by, "pause_decided", annotator=annotator.pseudonym, decision=decision)
