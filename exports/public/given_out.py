"""Which items stand in files that everybody may have: on a page that was opened once, under a DOI, or on a hub.

What left the installation does not come back, so a page that was closed again counts as well. Whoever has such a file
knows the items that were settled then, with their gold labels: none of their sources may be asked as a gold question
or in a quiz. A source is given out where one of its items is, in this project or another: in a study of it, in a set
for translators that was taken from it, or in a project with the same text.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of
from annotation.translation.models import SourceEntry
from exports.releases.models import Release, ReleaseRow, ReleaseSource
from exports.releases.rules.settings import SplitRules
from validation.qualification.models import QuizItem
from validation.quality.models import GoldQuestion
from validation.studies.models import StudyRow


class SourcePlace(NamedTuple):
    """A source of a project, as `Item.family` numbers it."""

    project: int
    family: int


class OpenQuestions(NamedTuple):
    """Gold questions and quiz items that are still asked."""

    gold: list[GoldQuestion]
    quiz: list[QuizItem]

    def __bool__(self) -> bool:
        return bool(self.gold or self.quiz)


def given_out(items: Collection[int]) -> set[int]:
    """Those of the items whose source stands in files that left the installation."""
    return _items_in(Release.objects.filter(published_at__isnull=False), items)


def questions_in(release: Release) -> OpenQuestions:
    """The gold questions and quiz items of all projects that the public files of a release would give away."""
    gold = list(GoldQuestion.objects.filter(retired_at=None).select_related("of_item"))
    quiz = list(QuizItem.objects.filter(retired_at=None))
    parts = Release.objects.filter(Q(pk=release.pk) | Q(whole=release.pk))
    known = _items_in(parts, {row.of_item_id for row in gold} | {row.item_id for row in quiz})
    return OpenQuestions(
        [row for row in gold if row.of_item_id in known], [row for row in quiz if row.item_id in known]
    )


def _items_in(releases: QuerySet[Release], items: Collection[int]) -> set[int]:
    parts = list(releases.filter(state=Release.State.READY))
    if not items or not parts:
        return set()
    own = {pk: SourcePlace(*place) for pk, *place in _items(items).values_list("pk", "project", "family")}
    projects = {part.project_id for part in parts}
    kin = _kin_of(set(own.values()), projects)
    known = _places_in(parts, {place for group in kin.values() for place in group})
    return {pk for pk, place in own.items() if not known.isdisjoint(kin[place])}


def _items(items: Collection[int]) -> QuerySet[Item]:
    return Item.objects.filter(pk__in=any_of(items))


def _of_places(places: Collection[SourcePlace], path: str = "") -> Q:
    """The rows whose item at the end of `path` is of these sources, or of others with the same number."""
    families, projects = {place.family for place in places}, {place.project for place in places}
    return Q(**{f"{path}family__in": any_of(families), f"{path}project__in": any_of(projects)})


def _kin_of(places: set[SourcePlace], projects: Collection[int]) -> dict[SourcePlace, set[SourcePlace]]:
    """Each source with all that hold the same: each step leads from a source to those next to it."""
    near: dict[SourcePlace, set[SourcePlace]] = defaultdict(set)
    known, new = set(places), set(places)
    while new:
        for one, other in _pairs(new, projects):
            near[one].add(other)
            near[other].add(one)
        new = {place for place in near if place not in known}
        known |= new
    return {place: _reached(place, near) for place in places}


def _reached(place: SourcePlace, near: dict[SourcePlace, set[SourcePlace]]) -> set[SourcePlace]:
    reached, new = {place}, {place}
    while new:
        new = {other for one in new for other in near[one]} - reached
        reached |= new
    return reached


def _pairs(places: set[SourcePlace], projects: Collection[int]) -> Iterator[tuple[SourcePlace, SourcePlace]]:
    """Sources of which one was made from the other, or which have the same text: studies, source sets, projects."""
    study = ("item__project", "item__family", "of_item__project", "of_item__family")
    rows = StudyRow.objects.filter(of_item__isnull=False).filter(
        _of_places(places, "item__") | _of_places(places, "of_item__")
    )
    yield from _as_pairs(rows.values_list(*study))
    path = "unit__translations__item__"
    sets = SourceEntry.objects.filter(upstream__isnull=False, unit__translations__isnull=False).filter(
        _of_places(places, "upstream__") | _of_places(places, path)
    )
    yield from _as_pairs(sets.values_list("upstream__project", "upstream__family", f"{path}project", f"{path}family"))
    for project in Project.objects.filter(pk__in={place.project for place in places}):
        yield from _with_same_text(project, {place for place in places if place.project == project.pk}, projects)


def _as_pairs(rows: Iterable[tuple[int, int, int, int]]) -> Iterator[tuple[SourcePlace, SourcePlace]]:
    for project, family, other_project, other_family in rows:
        yield SourcePlace(project, family), SourcePlace(other_project, other_family)


def _with_same_text(
    project: Project, places: set[SourcePlace], projects: Collection[int]
) -> Iterator[tuple[SourcePlace, SourcePlace]]:
    """Sources of other projects with a release whose text, or that of an item, is that of one of these."""
    path = shapes.get(project.kind_spec.shape).same_text_path
    others = set(projects) - {project.pk}
    if not path or not others:
        return
    texts = Item.objects.filter(_of_places(places)).values_list(path, "family").distinct()
    by_text: dict[str, set[int]] = defaultdict(set)
    for text, family in texts:
        if text:
            by_text[text].add(family)
    alike = Item.objects.filter(project__in=others, **{f"{path}__in": any_of(by_text)})
    for text, other, other_family in alike.values_list(path, "project", "family").distinct():
        for family in by_text[text]:
            yield SourcePlace(project.pk, family), SourcePlace(other, other_family)


def _places_in(parts: Collection[Release], places: set[SourcePlace]) -> set[SourcePlace]:
    """Those of the sources of which the public files of these releases hold an item, or the text."""
    hiding = [part.pk for part in parts if SplitRules.from_stored(part.rules).hidden_test]
    others = [part.pk for part in parts if part.pk not in hiding]
    # Where answers are hidden, what is in no split is in no public file; elsewhere the votes on it are.
    public = Q(release__in=hiding) & ~Q(split="") | Q(release__in=others) & (~Q(split="") | Q(votes_n__gt=0))
    rows = ReleaseRow.objects.filter(public).filter(_of_places(places, "item__"))
    listed = ReleaseSource.objects.filter(
        release__in=parts,
        release__project=OuterRef("source_set__project"),
        source_set=OuterRef("source_set__key"),
        key=OuterRef("key"),
    )
    sets = SourceEntry.objects.filter(_of_places(places, "upstream__")).filter(Exists(listed))
    public_places = [*rows.values_list("item__project", "item__family").distinct()]
    public_places += sets.values_list("upstream__project", "upstream__family")
    return {SourcePlace(*place) for place in public_places} & places
