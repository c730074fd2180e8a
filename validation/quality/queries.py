"""What leads read of people's work, and releases in sums: votes, speed, gold questions, pauses, acts on votes."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext

from annotation.content.models.item import Item, Revision
from annotation.core import access
from annotation.core.access import Membership, Viewer
from annotation.core.days import start_of, today_in, zone_of
from annotation.core.errors import Forbidden, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.kinds.texts import text_at
from validation.quality.actions.set_aside import standing_votes_of
from validation.quality.models import GoldQuestion, GoldStanding, Pause, SetAside
from validation.quality.rules.accepted import Accepted, accepted_in_words, is_right
from validation.quality.rules.gold import Standing
from validation.quality.rules.intervals import interval
from validation.quality.rules.reopening import count_outcomes, outcome_of
from validation.quality.rules.signs import Signs, TimedAnswer, signs_of
from validation.voting.actions import dealing
from validation.voting.actions.dealing import source_met_again
from validation.voting.actions.verdicts import decision_of, standing_votes
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote, latest_votes_of
from validation.voting.rules.option_order import ORDER

# Signs are of so many of a person's last votes.
LATEST = 200
CHUNK = 500


def overseer(user: Viewer, slug: str) -> Membership:
    """The viewer as lead or administrator; Forbidden for a lead who votes: they would know the gold questions."""
    found = access.lead_membership(user, slug)
    if found.is_lead and found.is_validator:
        raise Forbidden
    return found


def open_to(membership: Membership) -> bool:
    """Whether the page of people's work is open to somebody."""
    return membership.sees_all and not membership.is_voting_lead


@dataclass(frozen=True)
class PersonFigures:
    """One voter: votes that count, their share of all in percent, cards of today, signs, gold questions.

    `repeat_agreement`: so many answered as before, of so many items that came to them again.
    """

    annotator: Annotator
    votes: int
    percent: float
    today: int
    signs: Signs
    standing: GoldStanding | None
    repeat_agreement: tuple[int, int] | None = None

    @property
    def accuracy(self) -> float | None:
        """Right answers to gold questions, in percent of the last twenty."""
        found = self.standing
        return 100 * found.right / found.answered if found and found.answered else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The exact 90 % interval of that, in percent."""
        found = self.standing and interval(self.standing.right, self.standing.answered)
        return (100 * found[0], 100 * found[1]) if found else None

    @property
    def needs_attention(self) -> bool:
        """Whether leads should look at this person first: below the limit of the note, and signs of haste."""
        row = self.standing
        noted = row and Standing(row.answered, row.right, row.all_answered, row.all_right).noted
        return bool(noted) and self.signs.hasty

    @property
    def paused(self) -> bool:
        return self.annotator.paused_at is not None


def voters(project: Project) -> QuerySet[Annotator]:
    """Who votes or voted here with an account, by pseudonym."""
    there = Annotator.objects.filter(project=project, user__isnull=False)
    # Looked up for each person: as a list of those who voted, or as EXISTS, every vote of the project would be read.
    there = there.alias(voted=Subquery(latest_votes_of(OuterRef("pk")).values("pk")[:1]))
    return there.filter(Q(is_validator=True, left_at=None) | Q(voted__isnull=False)).order_by("pseudonym")


def voter(membership: Membership, annotator_id: int) -> Annotator:
    """One of them; NotFound."""
    return first_or_not_found(voters(membership.project).select_related("project").filter(pk=annotator_id))


def figures(project: Project, people: Iterable[Annotator]) -> list[PersonFigures]:
    """The figures of these people: as many statements for one as for many."""
    people, zone = list(people), zone_of(project.rules)
    cast = Vote.objects.filter(project=project, withdrawn_at=None, imported=False).order_by()
    sums = {
        who: (n, today)
        for who, n, today in cast.values_list("annotator")
        .annotate(n=Count("pk"), today=Count("pk", filter=Q(cast_at__gte=start_of(today_in(zone), zone))))
        .values_list("annotator", "n", "today")
    }
    total = sum(n for n, _ in sums.values())
    standings = GoldStanding.objects.in_bulk([each.pk for each in people])
    again, signs_by = _repeats_answered_alike(people), _signs_by_person(project, people)
    found = []
    for each in people:
        n, today = sums.get(each.pk, (0, 0))
        share = 100 * n / total if total else 0.0
        signs, standing = signs_by[each.pk], standings.get(each.pk)
        found.append(PersonFigures(each, n, share, today, signs, standing, again.get(each.pk)))
    return found


def _repeats_answered_alike(people: Iterable[Annotator]) -> dict[int, tuple[int, int]]:
    """By person: how many of their repeated items they answered as before, of how many; one statement."""
    rows = Vote.objects.filter(annotator__in=[each.pk for each in people], withdrawn_at=None)
    found: dict[int, tuple[int, int]] = {}
    for who, now, before in rows.filter(item__repeat__isnull=False).values_list(
        "annotator", "label", "item__repeat__of_vote__label"
    ):
        same, n = found.get(who, (0, 0))
        found[who] = (same + (now == before), n + 1)
    return found


def _signs_by_person(project: Project, people: Iterable[Annotator]) -> dict[int, Signs]:
    """The signs of each person's latest votes, by the places of labels on their own screen: two statements.

    The first finds where the latest votes of each begin, each in the index; the second reads them.
    """
    votes = Vote.objects.filter(withdrawn_at=None, imported=False)
    latest = latest_votes_of(OuterRef("pk")).filter(withdrawn_at=None, imported=False)
    own = latest.values("pk")[LATEST - 1 : LATEST]
    begins = dict(Annotator.objects.filter(pk__in=[each.pk for each in people]).values_list("pk", Subquery(own)))
    answers: dict[int, list[TimedAnswer]] = {who: [] for who in begins}
    if begins:
        wanted = reduce(or_, (Q(annotator=who, pk__gte=first or 0) for who, first in begins.items()))
        columns = ("annotator", "label", "answers", "seconds", "item__words")
        for who, label, said, seconds, words in votes.filter(wanted).order_by("pk").values_list(*columns):
            answers[who].append(TimedAnswer(_screen_place(label, said), seconds, words))
    pace = {"base": project.rules.fast_base_seconds, "word": project.rules.fast_word_seconds}
    return {who: signs_of(given, **pace) for who, given in answers.items()}


def _screen_place(label: str, details: dict[str, Any]) -> str:
    shown = details.get(ORDER, "")
    return str(shown.index(label)) if label and label in shown else label


def pauses(annotator: Annotator) -> QuerySet[Pause]:
    """The pauses of somebody, latest first."""
    return Pause.objects.filter(annotator=annotator).select_related("by", "decided_by").order_by("-pk")


def acts(annotator: Annotator) -> QuerySet[SetAside]:
    """The acts on the votes of somebody, latest first."""
    return SetAside.objects.filter(annotator=annotator).select_related("by", "undone_by", "job").order_by("-pk")


def act(membership: Membership, act_id: int) -> SetAside:
    """One act of the project; NotFound."""
    there = SetAside.objects.select_related("annotator", "job", "project")
    return first_or_not_found(there.filter(project=membership.project, pk=act_id))


@dataclass(frozen=True)
class Preview:
    """What setting somebody's votes aside would do: so many votes, and what happens to how many items."""

    votes: int
    outcomes: list[tuple[str, int]]


def preview(annotator: Annotator, by: User) -> Preview:
    """What would become of the items, decided anew without the votes of this person."""
    rows = standing_votes_of(annotator, by).select_related("item__project", "item__protocol")
    items = [vote.item for vote in rows]
    outcomes = []
    for start in range(0, len(items), CHUNK):
        some = items[start : start + CHUNK]
        votes = standing_votes(some)
        for item in some:
            others = [vote for vote in votes[item.pk] if vote.annotator_id != annotator.pk]
            decision = decision_of(item, others)
            outcomes.append(outcome_of(item.stage, item.gold, decision.state, decision.label or ""))
    return Preview(len(items), count_outcomes(outcomes))


def gold_questions(project: Project) -> list[dict[str, Any]]:
    """The gold questions of a project, latest first: asked of how many, answered, missed, what is accepted, and what
    people said beside their answers, without who; five statements."""
    rows = list(
        GoldQuestion.objects.filter(project=project)
        .select_related("of_item__project", "of_item__protocol", "item")
        .order_by("-pk")
    )
    answers: dict[int, list[bool]] = {}
    said: dict[int, list[str]] = {}
    votes = Vote.objects.filter(item__gold_question__project=project, withdrawn_at=None).order_by("pk")
    columns = ("item", "item__gold_question__accepted", "label", "answers", "comment")
    for item, accepted, label, given, comment in votes.values_list(*columns):
        answers.setdefault(item, []).append(is_right(accepted, label, given))
        if comment:
            said.setdefault(item, []).append(comment)
    for item, text in Proposal.objects.filter(item__gold_question__project=project).values_list("item", "text"):
        said.setdefault(item, []).append(text)
    contents = contents_of([row.item for row in rows])
    met = source_met_again("of_item__")
    resting = set(GoldQuestion.objects.filter(~met, project=project, retired_at=None).values_list("pk", flat=True))
    return [
        {
            "id": row.pk,
            "item": row.of_item,
            "key": row.of_item.key,
            "right": right_words(row.of_item, row.accepted, contents[row.item_id]),
            "answered": len(answers.get(row.item_id, ())),
            "missed": answers.get(row.item_id, []).count(False),
            "said": said.get(row.item_id, []),
            "retired_why": row.retired_why,
            "rests": row.pk in resting,
        }
        for row in rows
    ]


def gold_share(project: Project) -> dict[str, int]:
    """How often gold questions can be asked still (`left`), and at every which of their places one comes (`every`):
    more than one where they are too few."""
    left, every = dealing.gold_share(project.pk)
    return {"left": left, "every": every}


def contents_of(items: Collection[Item]) -> dict[int, dict[str, Any]]:
    """The present content of each; one statement."""
    wanted = {item.pk: item.revision_n for item in items}
    rows = Revision.objects.filter(item__in=wanted).values_list("item", "n", "content")
    return {item: content for item, n, content in rows if wanted[item] == n}


def texts_shown(item: Item, content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The texts of an item as voters see them, by name."""
    texts = item.project.kind_spec.presentation.texts_in(content)
    return [(text.name, text_at(content, text.key)) for text in texts if text.shown]


def right_words(item: Item, accepted: Accepted, content: Mapping[str, Any]) -> list[str]:
    """What is accepted of an item, in lines for leads."""
    kind = item.project.kind_spec
    asked = kind.question.leaf_questions(tuple(item.protocol.rules.get("criteria", ())))
    if not asked:
        labels = {label.key: label for label in kind.question.item_labels(content)}
        given = [labels[key] for key in accepted if key in labels]
        return [", ".join(label.name if label.is_item_option else gettext(label.name) for label in given)]
    lines = []
    for text, must, may in accepted_in_words(
        accepted, asked, kind.card_view(content, kind.question.shuffled_keys(content))
    ):
        words = ", ".join(map(gettext, must)) or "–"
        if may:
            words = gettext("%(must)s; also %(may)s") % {"must": words, "may": ", ".join(map(gettext, may))}
        lines.append(f"{gettext(text)} {words}")
    return lines


def gold_sums(project: Project) -> dict[str, int]:
    """Gold questions in sums, for releases: people asked, answers, right ones, pauses; nobody is distinguished."""
    questions = GoldQuestion.objects.filter(project=project).count()
    if not questions:
        return dict.fromkeys(("questions", "people", "answers", "right", "pauses"), 0)
    standings = GoldStanding.objects.filter(annotator__project=project)
    rows = list(standings.values_list("all_answered", "all_right"))
    return {
        "questions": questions,
        "people": len(rows),
        "answers": sum(answered for answered, _ in rows),
        "right": sum(right for _, right in rows),
        "pauses": Pause.objects.filter(annotator__project=project, by=None).count(),
    }


def own_notes(places: Iterable[Membership]) -> list[tuple[str, GoldStanding]]:
    """A person's private notes, by project: totals below the limit (`rules.gold.NOTE_BELOW`)."""
    names = {place.annotator.pk: place.project.name for place in places if place.annotator is not None}
    rows = GoldStanding.objects.filter(annotator__in=names)
    found = []
    for row in rows:
        if Standing(row.answered, row.right, row.all_answered, row.all_right).noted:
            found.append((names[row.annotator_id], row))
    return found


def paused_counts(projects: Collection[int]) -> dict[int, int]:
    """By project: how many people wait for a decision on their pause; one statement, none without projects."""
    if not projects:
        return {}
    rows = Pause.objects.filter(annotator__project__in=projects, decision="").order_by()
    return dict(rows.values_list("annotator__project").annotate(n=Count("pk")))
