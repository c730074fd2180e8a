"""The counts that a release would have if it were frozen now, and the points that have to be confirmed first."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial, reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform

from annotation.content import shapes
from annotation.content.models.item import Item, Option, Revision
from annotation.core.access import Membership
from annotation.core.models.project import Project
from annotation.kinds import Kind
from exports.aligned import queries as board
from exports.releases.actions import PartIn
from exports.releases.lookups import current_facts
from exports.releases.rules.groups import SharedCounts, dealing_key, shares_at_most
from exports.releases.rules.machine import (
    ORIGIN,
    generation_record,
    level_of,
    set_of,
    source_split,
    was_checked,
)
from exports.releases.rules.manifest import spellings, split_counts
from exports.releases.rules.settings import (
    ALIGNED,
    BY_SHARE,
    PUBLISHED,
    TENTHS,
    SplitRules,
    layout_of,
)
from exports.releases.rules.splits import (
    DealFacts,
    GoldGroups,
    ItemPlace,
    ItemStanding,
    Outcome,
    affects_deal,
    draw_group,
    draw_tie,
    named_split,
    named_splits,
    needs_deal,
    needs_facts,
    needs_group,
    place_item,
    stratum_of,
    text_key,
)
from exports.releases.rules.unanswered import Unanswered, required_keys
from validation.consensus import stages
from validation.review.models.assessment import Assessment
from validation.voting.audit_steps import waiting_audits, waits_for_draw

CHUNK_SIZE = 5000


class CountedItems(NamedTuple):
    """So many items that stand alike: what they are dealt by, their place, their facts if asked, their source's key."""

    dealt: str
    place: ItemPlace
    n: int
    facts: DealFacts | None
    source: str


def item_by_item(
    project: Project, rules: SplitRules, text: Combinable, key_of: Callable[[str], str]
) -> Iterator[CountedItems]:
    """Every item: one statement, the same pure rules as a build; its facts by a second one, where the rules ask."""
    accepts = project.kind_spec.question.accepting_label
    places: dict[ItemStanding, ItemPlace] = {}
    known = current_facts(project) if needs_facts(rules) else {}
    for key, text_of, more, *facts in _item_rows(project, text).iterator(chunk_size=CHUNK_SIZE):
        content = more or {}
        standing = _standing_of_row(rules, content, *facts)
        where = places.get(standing)
        if where is None:
            where = places[standing] = place_item(rules, standing, accepts)
        source = key_of(text_of or "")
        dealt = dealing_key(rules, key, set_of(content)) if rules.deal == TENTHS else source
        yield CountedItems(dealt, where, 1, known.get(key), source)


def _standing_of_row(
    rules: SplitRules,
    content: Mapping[str, Any],
    stage: str,
    sampled: bool,
    gold: str,
    author_label: str,
    given: str | None,
    origin: str,
    began: str | None,
    looked: bool,
    split: str | None,
    published: str | None,
) -> ItemStanding:
    plain = (stage, sampled, gold, author_label, given or "")
    by_file = named_split(published or "") if rules.deal == PUBLISHED else ""
    if origin != ORIGIN:
        return ItemStanding(*plain, split=by_file)
    checked = was_checked(stage, began or "", looked)
    made_from = source_split(str(generation_record(content).get("split", "")) or split or "")
    split = by_file if rules.deal == PUBLISHED else made_from
    return ItemStanding(*plain, True, checked, level_of(content), split)


def _item_rows(project: Project, text: Combinable) -> QuerySet[Item, tuple[Any, ...]]:
    """Key, what is shared, what tells of its making, and what `_standing_of_row` takes, in its order."""
    first = Revision.objects.filter(item=OuterRef("pk"), n=1).values("event")
    looked = Assessment.objects.filter(item=OuterRef("pk"), part="options")
    role = project.kind_spec.question.judged_role
    given = Option.objects.filter(item=OuterRef("pk"), role=role or None).values("key")
    return (
        Item.objects.filter(project=project)
        .annotate(
            together=text,
            given=Subquery(given[:1]),
            began=Subquery(first),
            looked=Exists(looked),
        )
        .order_by()
        .values_list(
            "key",
            "together",
            "qa__more",
            "stage",
            "sampled",
            "gold",
            "author_label",
            "given",
            "origin",
            "began",
            "looked",
            F("candidate__material__split"),
            F("published_split__split"),
        )
    )


def preview(project: Project, rules: SplitRules) -> dict[str, Any]:
    """The counts that a release frozen now would have: few queries, then the same pure rules."""
    return _count_items(project, rules) | ({} if rules.hidden_test else _count_unanswered(project))


def _count_unanswered(project: Project) -> dict[str, Any]:
    """Of the items with a gold label those without a gold answer to a required question: one statement."""
    required = required_keys(project.kind_spec)
    if not required:
        return {}
    answers = {f"answer_{n}": KeyTextTransform(key, "gold_answers") for n, key in enumerate(required)}
    items = Item.objects.filter(project=project, stage__in=(stages.SETTLED, stages.ADJUDICATED)).exclude(gold="")
    lacks = {key: Q(**{f"{name}__isnull": True}) for key, name in zip(required, answers, strict=True)}
    counted = {f"n_{n}": Count("pk", filter=lacking) for n, lacking in enumerate(lacks.values())}
    row = items.alias(**answers).aggregate(
        of=Count("pk"), rows=Count("pk", filter=reduce(or_, lacks.values())), **counted
    )
    questions = Counter({key: row[name] for key, name in zip(required, counted, strict=True)})
    return Unanswered(required, row["of"], row["rows"], questions).counts()


def _count_items(project: Project, rules: SplitRules) -> dict[str, Any]:
    kind = project.kind_spec
    if layout_of(kind.shape) == ALIGNED:
        return board.preview(project, rules)
    rules = replace(rules, seed=rules.seed or project.seed)
    shape = shapes.get(kind.shape)
    text, key_of = shape.split_text, str if shape.is_split_text_hashed else text_key
    assert text is not None  # noqa: S101 - a shape whose releases have splits
    if kind.question.choices or rules.deal != BY_SHARE or needs_facts(rules):
        return _deal_and_count(kind, rules, item_by_item(project, rules, text, key_of))
    alike = list(_group_items(project, rules, F("origin"), str))
    if any(each.source == ORIGIN for each in alike):
        return _deal_and_count(kind, rules, item_by_item(project, rules, text, key_of))
    if not needs_deal(rules) and len({each.place.pool for each in alike if not each.place.left_out}) < 2:
        return _deal_and_count(kind, rules, alike)  # one split shares its sources with no other
    return _deal_and_count(kind, rules, _group_items(project, rules, text, key_of))


def preview_shown_to(membership: Membership, rules: SplitRules) -> dict[str, Any]:
    """The same as the viewer reads it: for a lead who votes, what was returned is among what is still in validation."""
    counts = preview(membership.project, rules)
    if membership.is_voting_lead and stages.RETURNED in counts["left_out"]:
        left_out = Counter(counts["left_out"])
        left_out[stages.VOTING] += left_out.pop(stages.RETURNED)
        counts = {**counts, "left_out": dict(left_out)}
    return counts


def _group_items(
    project: Project, rules: SplitRules, text: Combinable, key_of: Callable[[str], str]
) -> Iterator[CountedItems]:
    """The items of a project that share their text and stand alike, each as one."""
    grouped = Item.objects.filter(project=project).annotate(together=text).order_by()
    rows = grouped.values_list("together", "stage", "sampled", "gold", "author_label").annotate(n=Count("pk"))
    where = cache(lambda *standing: place_item(rules, ItemStanding(*standing)))
    for text_of, *standing, n in rows.iterator(chunk_size=5000):
        source = key_of(text_of or "")
        yield CountedItems(source, where(*standing), n, None, source)


def _deal_and_count(kind: Kind, rules: SplitRules, found: Iterable[CountedItems]) -> dict[str, Any]:
    """Deal these items as a build does, and count them."""
    found, groups, shared = list(found), GoldGroups(rules, kind.shape.grouping_texts[0]), SharedCounts()
    shapes, needs = cache(partial(affects_deal, rules)), cache(partial(needs_group, rules))
    group = cache(partial(draw_group, rules.seed))
    for dealt, where, n, label, _ in found:
        if shapes(where):
            stratum = label and stratum_of(rules, where.label, label)
            groups.add(group(dealt), where, n, stratum=stratum, tie=label and draw_tie(rules, label))
    deal, outcomes = groups.deal(), Counter[Outcome]()
    plain = cache(partial(deal.outcome, group=None))
    for dealt, where, n, label, source in found:
        tie = label and draw_tie(rules, label)
        outcome = deal.outcome(where, group(dealt), tie) if needs(where) else plain(where)
        outcomes[outcome] += n
        if outcome.split:
            shared.add(outcome.split, source, n)
    return split_counts(outcomes, spellings(kind), named_splits(rules)) | {"shared": shared.counts()}


@dataclass(frozen=True)
class ExcessSharing:
    """A project of which a release shares more than it allows: so many of so many rows."""

    project: Project
    rows: int
    total_rows: int


@dataclass(frozen=True)
class OpenAudits:
    """A project that is released only if confirmed while so many of its audits wait for votes, and agreements for their
    draw."""

    project: Project
    n: int
    held: int


@dataclass
class Confirmations:
    """What is asked of a release: which projects share too much, which state no licence, which have open audits, each
    of which may still find another gold; `rows` it would hold.

    `withdrawals`: how often something was withdrawn. It is left out when the release is built, and still counted here.
    """

    items: int = 0
    rows: int = 0
    sharing: list[ExcessSharing] = field(default_factory=list)
    unlicensed: list[Project] = field(default_factory=list)
    open_audits: list[OpenAudits] = field(default_factory=list)
    withdrawals: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there are items, and none of them would be in it."""
        return bool(self.items and not self.rows)

    def needs_confirmation(self, *, shared: bool, licence: bool, audits: bool) -> bool:
        """Whether something is left to confirm, with these confirmed or not."""
        asked = ((self.sharing, shared), (self.unlicensed, licence), (self.open_audits, audits))
        return any(projects and not confirmed for projects, confirmed in asked)


def needed_confirmations(parts: Sequence[PartIn]) -> Confirmations:
    """What a release of these projects, frozen now, would have to be asked."""
    return confirmations_of([(part.project, preview(part.project, part.rules)) for part in parts])


def _licence_audits_withdrawals(project: Project) -> tuple[str | None, int, int, int]:
    """The licence that the project states, how many of its audits wait for votes, how many agreements for their draw,
    how often something was withdrawn."""
    steps = waiting_audits(OuterRef("pk")).order_by().values("protocol__project")
    waiting = Subquery(steps.annotate(n=Count("pk")).values("n"))
    undrawn = Item.objects.filter(waits_for_draw(), project=OuterRef("pk")).order_by().values("project")
    held = Subquery(undrawn.annotate(n=Count("pk")).values("n"))
    told = Project.objects.filter(pk=project.pk).values_list("about__licence", waiting, held, Count("withdrawals"))
    licence, n, n_held, withdrawals = told.get()
    return licence, n or 0, n_held or 0, withdrawals


def confirmations_of(counted: Sequence[tuple[Project, Mapping[str, Any]]]) -> Confirmations:
    """The same of projects whose previews are there."""
    found = Confirmations()
    for project, counts in counted:
        found.items += counts["items"]
        found.rows += counts["released"]
        if not shares_at_most(counts, project.rules.shared_percent):
            found.sharing.append(ExcessSharing(project, counts["shared"]["rows"], counts["shared"]["of"]))
        licence, audits, held, withdrawals = _licence_audits_withdrawals(project)
        found.withdrawals += withdrawals
        if not (licence or "").strip():
            found.unlicensed.append(project)
        if audits or held:
            found.open_audits.append(OpenAudits(project, audits, held))
    return found
