"""The only writer of evaluations: a drawn part of a release becomes a project in which people answer it (mCSQA §4.1).

Like label checks: nobody's label, level or split goes with the items, and who had a part in them answers none.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction

from annotation import kinds, presets
from annotation.concepts.actions import ConceptIn, concepts_add
from annotation.content.actions.items import items_retell
from annotation.content.models.item import Revision
from annotation.core.actions.contributors import keep_apart
from annotation.core.actions.projects import project_create
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs.bulk import any_of
from annotation.kinds import Kind
from exports.evaluation import rules
from exports.evaluation.models import Evaluation, EvaluationRow
from exports.releases.models import Release, ReleaseRow
from exports.releases.rules.machine import level_of
from exports.releases.rules.settings import DEV, TEST
from validation.consensus.protocol import NEVER, Protocol
from validation.voting import wake

MOST_PEOPLE = 9


class Candidate(NamedTuple):
    """A row of the release that can be drawn: its item, its revision then, its split and answer."""

    item: int
    revision_n: int
    key: str
    split: str
    answer: str


def answers(people: int, *, exclude_ambiguous: bool = False) -> Protocol:
    """So many people answer each item at once; marks of ambiguity exclude nothing, unless that is asked for."""
    if not 1 <= people <= MOST_PEOPLE:
        raise Invalid(field="people", code="evaluation_people")
    return Protocol(
        rules.PURPOSE,
        rounds=(people,),
        quorum=1,
        author="none",
        plurality=True,
        stop_hopeless=False,
        most_ambiguous=people // 2 if exclude_ambiguous else NEVER,
    )


def answered_kind(project: Project) -> Kind | None:
    """The kind as which the items of the project's releases are answered; None where they have no choices."""
    slug = project.kind_spec.answered
    return kinds.get(slug) if slug else None


def evaluation_create(
    *,
    release: Release,
    slug: str,
    by: User,
    dev: int = 100,
    test: int = 100,
    people: int = 5,
    exclude_ambiguous: bool = False,
    name: str = "",
) -> Evaluation:
    """Draw items of dev and test, and make the project in which they are answered. Raises Invalid for what cannot be.

    The draw depends on the project's seed, the project's new name and the release alone.
    """
    project, protocol = release.project, answers(people, exclude_ambiguous=exclude_ambiguous)
    kind = answered_kind(project)
    if kind is None:
        raise Invalid(field="slug", code="evaluation_no_choices")
    if release.state != Release.State.READY:
        raise Conflict(field="slug", code="evaluation_not_ready")
    if dev < 0 or test < 0:
        raise Invalid(field="test" if test < 0 else "dev", code="evaluation_size")
    seed = rules.seed_of(project.seed, slug)
    with transaction.atomic():
        result = _drawn(release, seed, {DEV: dev, TEST: test})
        if not result:
            raise Invalid(field="test", code="evaluation_nothing")
        preset = next(each for each in presets.all_presets() if each.kind == kind.slug and each.share == 1)
        answered = project_create(
            slug=slug,
            name=name or f"{project.name}: {release.n}",
            preset=preset.slug,
            language=project.language,
            seed=seed,
            by=by,
            protocol=protocol,
            settings={"offer_minutes": 0, "check_first": False},
        )
        made = Evaluation.objects.create(release=release, project=answered, seed=seed, by=by)
        _fill(made, kind, result)
        data = {"release": release.n, "project": slug, "n": len(result)}
        Event.objects.create(project_id=project.pk, actor=by, verb="evaluation_created", data=data)
        transaction.on_commit(wake.wake_worker)
    return made


def _drawn(release: Release, seed: str, sizes: Mapping[str, int]) -> list[Candidate]:
    rows = ReleaseRow.objects.filter(release=release, split__in=rules.SPLITS)
    columns = rows.values_list("item_id", "revision_n", "key", "split", "label")
    there = {row[2]: Candidate(*row) for row in columns}
    by_split = {split: [each.key for each in there.values() if each.split == split] for split in rules.SPLITS}
    keys = rules.drawn(seed, by_split, sizes)
    return [there[key] for key in sorted(key for drawn in keys.values() for key in drawn)]


def _fill(made: Evaluation, kind: Kind, drawn: Sequence[Candidate]) -> None:
    """Items with the texts that the release holds, under stand-in concepts: nothing tells what is right."""
    wanted, keys = {each.item: each.revision_n for each in drawn}, [each.key for each in drawn]
    kept = Revision.objects.filter(item__in=any_of(wanted)).values_list("item_id", "n", "content")
    before = {item: content for item, n, content in kept if wanted[item] == n}
    # What it is about is no more to be read than the key is.
    concepts = [ConceptIn(key, rules.PURPOSE, key) for key in keys]
    sources = list(concepts_add(target=made.project.targets.get(), rows=concepts))
    contents = [
        _retold(kind, source.as_source, before[each.item])
        for source, each in zip(sources, drawn, strict=True)
    ]
    items = items_retell(project=made.project, sources=sources, keys=keys, contents=contents)
    EvaluationRow.objects.bulk_create(
        [
            EvaluationRow(
                evaluation=made,
                item=item,
                of_id=each.item,
                split=each.split,
                level=level_of(before[each.item]),
                answer=each.answer,
            )
            for each, item in zip(drawn, items, strict=True)
        ],
        batch_size=2000,
    )


def _retold(kind: Kind, source: kinds.Source, content: Mapping[str, Any]) -> dict[str, Any]:
    assert kind.translated is not None  # noqa: S101 - kinds that are answered tell their texts
    assert kind.from_source is not None  # noqa: S101 - and read them
    _, typed = kind.from_source(dict(kind.translated[1](content)))
    made = kind.content(source, typed)
    return {**made, "options": [option for option in made["options"] if option["text"]]}


# --- who answers --------------------------------------------------------------------------


def refuse_maker(project: Project, user: User) -> None:
    """Raise Conflict where the project evaluates a release of a project that this person belongs, or belonged, to."""
    of = Evaluation.objects.filter(project=project).values("release__project")
    if Annotator.objects.filter(project__in=of, user=user).exists():
        raise Conflict(field="roles", code="made_what_is_answered")


def refuse_judge(project: Project, user: User) -> None:
    """Raise Conflict where this person answers, or answered, what was drawn from a release of the project."""
    places = Annotator.objects.filter(user=user, project__evaluation_of__release__project=project)
    if any(place.is_validator or place.votes.exists() for place in places):
        raise Conflict(field="roles", code="answers_what_is_made")


keep_apart(maker=refuse_maker, judge=refuse_judge)
