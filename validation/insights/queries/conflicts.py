"""What the conflict page shows, counted in the database: a fixed number of statements, never a row a vote.

Every standing vote of an item's present epoch counts, the outcome of the item since does not matter; imported votes
beyond the decision too (domain.md §3: surplus is for agreement). Labels outside the kind's are no ratings.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from django.db.models import Case, Count, F, Q, QuerySet, Value, When

from annotation.content import queries as content_queries
from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.core import database as db
from annotation.core.access import Membership
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.datasheet.rules import spellings
from validation.insights.rules import conflicts as rules
from validation.insights.rules.agreement import Figure, cohen_kappa, mean_kappa
from validation.insights.rules.conflicts import NOBODY, AnswerGroup, Cell, ConflictFilters, Conflicts, Tallies
from validation.voting.models.vote import Vote

# A table that is wider than this is read by nobody; the file has everybody.
MOST_PEOPLE = 40


@dataclass(frozen=True)
class Person:
    """Whoever wrote or answered, as statistics know them."""

    pseudonym: str
    region: str
    counts: bool


def people(project: Project) -> dict[int, Person]:
    """Everybody who ever had a place in the project; place-holders of imports do not count."""
    everybody = Annotator.objects.filter(project=project)
    rows = list(everybody.values_list("pk", "pseudonym", "region", "imported"))
    spelt = spellings(region for _, _, region, _ in rows)
    return {
        pk: Person(pseudonym, spelt[region], not (imported and rules.is_placeholder(pseudonym)))
        for pk, pseudonym, region, imported in rows
    }


def regions(project: Project) -> dict[str, str]:
    """The regions of the project as people typed them, each with the spelling that stands for it."""
    pairs = Annotator.objects.filter(project=project).exclude(region="").values_list("region", flat=True)
    return spellings(pairs)


def filtered_votes(membership: Membership, by: ConflictFilters) -> QuerySet[Vote]:
    """The votes that the filters leave, and the viewer may read; each has an author label to differ from."""
    project = membership.project
    votes = Vote.objects.filter(project=project, withdrawn_at=None, epoch=F("item__epoch"))
    votes = content_queries.without_asked(votes, membership)
    votes = votes.exclude(item__author_label="")
    named = {
        f"item__{shapes.get(project.kind_spec.shape).group_path}": by.category,
        "annotator__region": by.region,
        "item__author__region": by.writer_region,
    }
    for path, value in named.items():
        if value == NOBODY and path.endswith("region"):
            votes = votes.filter(Q(**{path: ""}) | Q(**{f"{path}__isnull": True}))
        elif value and path.endswith("region"):
            spelt = regions(project)
            alike = [typed for typed, shown in spelt.items() if shown == spelt.get(value, value)]
            # A region that nobody typed matches nothing; an empty list would be no statement at all.
            votes = votes.filter(**{f"{path}__in": alike or [value]})
        elif value:
            votes = votes.filter(**{path: value})
    if by.round is not None:
        votes = votes.filter(round=by.round)
    return votes.order_by()


def votes_of_cell(membership: Membership, by: ConflictFilters) -> QuerySet[Vote]:
    """The votes behind one cell: of these two people, and only the conflicting ones unless all are wanted."""
    votes = filtered_votes(membership, by)
    if by.writer == NOBODY:
        votes = votes.filter(item__author=None)
    elif by.writer:
        votes = votes.filter(item__author__pseudonym=by.writer)
    if by.answerer:
        votes = votes.filter(annotator__pseudonym=by.answerer)
    return votes if by.all else votes.exclude(label=F("item__author_label"))


def items_of_cell(membership: Membership, by: ConflictFilters) -> QuerySet[Item]:
    """The items behind a cell that the viewer may look at: not their own (domain.md §2)."""
    votes = votes_of_cell(membership, by).values("item")
    return content_queries.reviewable(membership).filter(pk__in=votes).order_by("pk")


def answers_of(membership: Membership, by: ConflictFilters, items: Collection[int]) -> dict[int, list[tuple[str, str]]]:
    """Who answered what behind a cell, by item, in the order of the votes."""
    rows = votes_of_cell(membership, by).filter(item__in=items).order_by("item", "n")
    found: dict[int, list[tuple[str, str]]] = {item: [] for item in items}
    for item, who, label in rows.values_list("item", "annotator__pseudonym", "label"):
        found[item].append((who, label))
    return found


def choices(membership: Membership) -> tuple[list[str], list[str], list[int]]:
    """The categories, regions and rounds to choose from: three statements."""
    project = membership.project
    group = shapes.get(project.kind_spec.shape).group_path
    items = content_queries.project_items(membership)
    groups = items.exclude(**{group: None}).values_list(group, flat=True).distinct().order_by()
    rounds = items.filter(round__gt=0).values_list("round", flat=True).distinct().order_by("round")
    return list(groups), sorted(set(regions(project).values())), list(rounds)


def table(membership: Membership, by: ConflictFilters, known: Mapping[int, Person]) -> Conflicts:
    """Answers and conflicts by writer, answerer and category: one statement."""
    group = F(f"item__{shapes.get(membership.project.kind_spec.shape).group_path}")
    rows = (
        filtered_votes(membership, by)
        .values_list("item__author", "annotator", group)
        .annotate(answers=Count("pk"), conflicts=Count("pk", filter=~Q(label=F("item__author_label"))))
    )
    nobody = Person(NOBODY, "", True)
    return rules.tabulate(
        AnswerGroup(
            known.get(author, nobody).pseudonym,
            known[annotator].pseudonym,
            category or "",
            known.get(author, nobody).region,
            known[annotator].region,
            answers,
            conflicts,
        )
        for author, annotator, category, answers, conflicts in rows
        if known[annotator].counts
    )


def tallies(membership: Membership, by: ConflictFilters, group: str) -> dict[str, Tallies]:
    """How many items got just these labels, in each group of items or of votes: one statement.

    The inner query counts each item's labels, the outer one the items with equal counts: as many rows come back as
    there are different outcomes, not as there are items.
    """
    project, labels = membership.project, membership.project.kind_spec.question.label_keys
    names = [f"n{place}" for place in range(len(labels))]
    counts = {name: Count("pk", filter=Q(label=label)) for name, label in zip(names, labels, strict=True)}
    inner = (
        filtered_votes(membership, by)
        .annotate(part=_grouping(project, group), author_label=F("item__author_label"))
        .values("item_id", "part", "author_label")
        .annotate(**counts)
    )
    found: dict[str, Counter[tuple[str, tuple[str, ...]]]] = defaultdict(Counter)
    for part, author, *ns, items in _count_groups(inner, ["part", "author_label", *names]):
        given = tuple(label for label, n in zip(labels, ns, strict=True) for _ in range(n))
        found[part or ""][author, given] += items
    return dict(found)


def _grouping(project: Project, group: str) -> F | Case:
    """What votes are grouped by; people's regions under the spelling that stands for theirs."""
    if not group.endswith("region"):
        return F(group)
    other = {typed: shown for typed, shown in regions(project).items() if typed != shown}
    return Case(*(When(**{group: typed}, then=Value(shown)) for typed, shown in other.items()), default=F(group))


def _count_groups(inner: QuerySet[Any, Any], columns: Collection[str]) -> list[tuple[Any, ...]]:
    """Count the rows of a query by these of its columns: the ORM cannot group what it has grouped."""
    sql, params = inner.query.sql_with_params()
    listed = ", ".join(columns)
    statement = f"SELECT {listed}, COUNT(*) FROM ({sql}) items GROUP BY {listed}"  # noqa: S608 - our own names
    return db.fetch_rows(statement, params)


def kappas(
    membership: Membership, by: ConflictFilters, known: Mapping[int, Person], among: Collection[str]
) -> dict[tuple[str, str], Figure]:
    """Cohen's kappa of each two of these people over the items that both answered: one statement."""
    ids = [pk for pk, person in known.items() if person.counts and person.pseudonym in among]
    if not ids:
        return {}
    votes = (
        filtered_votes(membership, by)
        .filter(annotator__in=ids, label__in=membership.project.kind_spec.question.label_keys)
        .values("item_id", "annotator_id", "label")
    )
    sql, params = votes.query.sql_with_params()
    statement = (
        f"WITH v AS ({sql}) "  # noqa: S608 - the ORM's own statement
        "SELECT a.annotator_id, b.annotator_id, a.label, b.label, COUNT(*) FROM v a JOIN v b "
        "ON a.item_id = b.item_id AND a.annotator_id < b.annotator_id "
        "GROUP BY a.annotator_id, b.annotator_id, a.label, b.label"
    )
    pairs: dict[tuple[str, str], Counter[tuple[str | None, str | None]]] = defaultdict(Counter)
    for one, other, label, other_label, n in db.fetch_rows(statement, params):
        pairs[known[one].pseudonym, known[other].pseudonym][label, other_label] += n
    return {pair: cohen_kappa(pairs[pair]) for pair in sorted(pairs)}


def agreement_by_person(found: Conflicts, pairs: Mapping[tuple[str, str], Figure]) -> list[SimpleNamespace]:
    """Each person's agreement with writers (a Cell), and the mean of their kappas with the others."""
    rows = []
    for name in people_shown(found.answerers):
        kappa = mean_kappa(kappa for pair, kappa in pairs.items() if name in pair)
        rows.append(SimpleNamespace(pseudonym=name, cell=found.answerers[name], kappa=kappa))
    return rows


def people_shown(people: Mapping[str, Cell]) -> list[str]:
    """Those whom a page shows, in their order: all, or where they are too many those with most answers."""
    if len(people) <= MOST_PEOPLE:
        return list(people)
    most = sorted(people, key=lambda name: -people[name].answers)[:MOST_PEOPLE]
    return [name for name in people if name in most]
