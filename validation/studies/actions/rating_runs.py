"""Runs of rating: prepared with their criteria, opened to fixed groups of raters, closed (Kalahi Appendix I)."""

import secrets
from collections.abc import Mapping, Sequence

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs.database import is_duplicate, locked
from annotation.text.normalise import key_form, storable
from validation.consensus import stages
from validation.studies.models import Generation, Rating, RatingRun
from validation.studies.projects import first_of, open_project
from validation.studies.queries.ratings import raters as may_rate
from validation.studies.rules import ratings as rules
from validation.studies.rules.criteria import DEFAULT, CriteriaFault, Criterion, read_criteria

LONGEST_NAME, LONGEST_CRITERIA, LARGEST_SAMPLE = 120, 12_000, 1_000


def run_prepare(
    *, project: Project, name: str, by: User, sample: int = rules.SAMPLE, criteria: str | None = None
) -> RatingRun:
    """Begin a rating: its prompts will be drawn by the project's seed. Raises Invalid, naming the field.

    `criteria`: one a line; the project's own where nothing is said, and where it has none the seven that are built in.
    """
    title = _name(name)
    listed = _criteria(project.rules.rating_criteria if criteria is None else criteria)
    try:
        with transaction.atomic():
            fresh = open_project(project, "rating_project_closed")
            run = RatingRun.objects.create(
                project=fresh, name=title, seed=fresh.seed, sample=_sample(sample), criteria=listed
            )
            _log(run, by, "rating_prepared")
    except IntegrityError as error:
        if not is_duplicate(error):
            raise
        raise Invalid(field="name", code="rating_name_taken") from error
    return run


def run_change(
    *, project: Project, run_id: int, version: int, sample: int, criteria: str, by: User
) -> RatingRun:
    """Another sample or other criteria, as long as nobody rates; a page that is behind raises Conflict."""
    listed, size = _criteria(criteria), _sample(sample)
    with transaction.atomic():
        run = run_prepared(project=project, run_id=run_id)
        if run.version != version:
            raise Conflict(code="rating_stale")
        run.criteria, run.sample, run.version = listed, size, run.version + 1
        run.save(update_fields=["criteria", "sample", "version"])
        _log(run, by, "rating_changed")
    return run


def run_prepared(*, project: Project, run_id: int) -> RatingRun:
    """Lock a run of this project that was not opened yet; NotFound, or Conflict where it was."""
    run = _locked(project, run_id)
    if run.state != RatingRun.State.PREPARED:
        raise Conflict(code="rating_opened")
    return run


def run_open(*, project: Project, run_id: int, raters: Sequence[int], by: User) -> RatingRun:
    """Draw the prompts, deal every model's outputs for them to groups of three, and let these people rate.

    Raises Conflict where it was opened before,
    Invalid where prompts lack outputs, or where the raters (ids of annotators) do not make groups.
    """
    with transaction.atomic():
        fresh = open_project(project, "rating_project_closed")
        run = run_prepared(project=fresh, run_id=run_id)
        people = _raters(fresh, raters)
        outputs = _outputs(run)
        try:
            drawn = rules.sample(outputs, run.seed, run.sample)
            groups = rules.deal(drawn.outputs, list(people), run.seed)
        except rules.RatingFault as fault:
            raise Invalid(gettext(fault.message) % fault.params, field="raters", code=fault.code) from fault
        for number, group in enumerate(groups, start=1):
            _deal(run, number, group, people, {output.key: pk for output, pk in outputs.items()})
        run.state, run.version = RatingRun.State.OPEN, run.version + 1
        run.save(update_fields=["state", "version"])
        _log(run, by, "rating_opened")
    return run


def run_close(*, project: Project, run_id: int, by: User) -> RatingRun:
    """End a rating: nobody rates any more, and its results are shown. Closing twice is the same as once."""
    with transaction.atomic():
        run = _locked(project, run_id)
        if run.state == RatingRun.State.PREPARED:
            raise Conflict(code="rating_not_open")
        if run.state == RatingRun.State.OPEN:
            run.state, run.version = RatingRun.State.CLOSED, run.version + 1
            run.save(update_fields=["state", "version"])
            _log(run, by, "rating_closed")
    return run


def _locked(project: Project, run_id: int) -> RatingRun:
    return first_of(locked(RatingRun.objects.filter(pk=run_id, project=project)))


def _name(name: str) -> str:
    title = key_form(" ".join(name.split()))
    if not title or storable(title) or len(title) > LONGEST_NAME:
        raise Invalid(field="name", code="rating_name_wrong")
    return title


def _sample(size: int) -> int:
    if not 0 < size <= LARGEST_SAMPLE:
        raise Invalid(field="sample", code="rating_sample_wrong")
    return size


def _criteria(text: str) -> list[dict[str, str]]:
    """The criteria as a run keeps them; an empty text means the seven that are built in."""
    if storable(text) or len(text) > LONGEST_CRITERIA:
        raise Invalid(field="criteria", code="text_not_storable")
    try:
        read: Sequence[Criterion] = read_criteria(text) if text.strip() else DEFAULT
    except CriteriaFault as fault:
        raise Invalid(gettext(fault.message) % fault.params, field="criteria", code=fault.code) from fault
    return [each._asdict() for each in read]


def _raters(project: Project, ids: Sequence[int]) -> Mapping[str, Annotator]:
    """The people by pseudonym; Invalid where somebody may not rate, or there are too few."""
    there = may_rate(project).filter(pk__in=set(ids)).order_by("pk")
    found = {annotator.pseudonym: annotator for annotator in there}
    if len(found) < len(set(ids)):
        raise Invalid(field="raters", code="rater_wrong")
    if len(found) < rules.GROUP:
        raise Invalid(field="raters", code="raters_few")
    return found


def _outputs(run: RatingRun) -> dict[rules.Output, int]:
    """Every output of prompts that were not excluded meanwhile, with its id."""
    rows = Generation.objects.filter(run=run).exclude(item__stage=stages.EXCLUDED).order_by("pk")
    return {
        rules.Output(f"{key}\t{model}", key, model): pk
        for pk, key, model in rows.values_list("pk", "item__key", "model")
    }


def _deal(
    run: RatingRun, number: int, group: rules.Group, people: Mapping[str, Annotator], ids: Mapping[str, int]
) -> None:
    """One group's outputs, to each of its raters in an order of their own."""
    chosen = Generation.objects.filter(pk__in=[ids[key] for key in group.outputs])
    chosen.update(sampled=True, group=number)
    Rating.objects.bulk_create(
        Rating(
            run=run,
            generation_id=ids[key],
            annotator=people[rater],
            token=secrets.token_urlsafe(18),
            position=position,
        )
        for rater in group.raters
        for position, key in enumerate(rules.queue(group, rater, run.seed), start=1)
    )


def _log(run: RatingRun, by: User, verb: str) -> None:
    Event.objects.create(
        project_id=run.project_id, actor=by, verb=verb, data={"run": run.pk, "name": run.name}
    )
