"""The fetchers of blind comparisons: what somebody compares next, and what leads read of it.

Which run wrote what, in which order pairs were drawn and how many there are is told to nobody who compares.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, IntegerField, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.core import access
from annotation.core.access import Membership, Viewer
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator
from annotation.datasheet.queries import entered
from annotation.generation.models import Candidate, GenerationRun, InstructionVersion
from validation.review.models.assessment import Comparison, ComparisonPair, Preference
from validation.studies.rules import comparisons as rules


def compares(annotator: Annotator) -> bool:
    """Whether somebody may compare: a validator who never led the project and wrote none of its instructions."""
    user = annotator.user
    if not annotator.is_validator or annotator.has_led or user is None or user.is_administrator:
        return False
    return not InstructionVersion.objects.filter(project=annotator.project_id, by=user).exists()


def waits_for(membership: Membership) -> bool:
    """Whether somebody has two runs to compare: the room is open to them while a comparison is."""
    if not membership.project.rules.recipe or not membership.is_validator or membership.annotator is None:
        return False
    open_ones = Comparison.objects.filter(project=membership.project, ended_at=None)
    return not membership.annotator.has_led and open_ones.exists() and compares(membership.annotator)


def comparer(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as somebody who compares; NotFound where no machine writes, Forbidden for other members."""
    membership = access.membership(user, slug)
    if not membership.project.rules.recipe:
        raise NotFound
    if membership.annotator is None or not compares(membership.annotator):
        raise Forbidden
    return membership, entered(membership.annotator)


def overseer(user: Viewer, slug: str) -> Membership:
    """The viewer as lead or administrator; NotFound where no machine writes, Forbidden for other members."""
    membership = access.membership(user, slug)
    if not membership.project.rules.recipe:
        raise NotFound
    if not membership.sees_all:
        raise Forbidden
    return membership


# --- for those who compare ----------------------------------------------------------------


def next_pair(annotator: Annotator) -> ComparisonPair | None:
    """What somebody compares next; None where nothing waits for them."""
    mine = Preference.objects.filter(pair=OuterRef("pk"), annotator=annotator)
    rows = ComparisonPair.objects.filter(
        ~Exists(mine), comparison__project=annotator.project_id, comparison__ended_at=None
    )
    shown = rows.select_related("comparison", "first__material__target", "second")
    return shown.order_by("comparison", "position").first()


def pair_of(annotator: Annotator, token: str) -> ComparisonPair:
    """One pair of the person's project; NotFound for any other."""
    shown = ComparisonPair.objects.select_related("comparison", "first__material__target", "second")
    found = shown.filter(token=token, comparison__project=annotator.project_id).first()
    if found is None:
        raise NotFound
    return found


def waiting() -> Coalesce:
    """For rows of annotators: how many pairs wait for each as a validator; none for who wrote instructions."""
    mine = Preference.objects.filter(pair=OuterRef("pk"), annotator=OuterRef(OuterRef("pk")))
    wrote = InstructionVersion.objects.filter(
        project=OuterRef("comparison__project"), by=OuterRef(OuterRef("user"))
    )
    rows = ComparisonPair.objects.filter(
        ~Exists(mine), ~Exists(wrote), comparison__project=OuterRef("project"), comparison__ended_at=None
    )
    counted = rows.order_by().values("comparison__project").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


# --- for leads and administrators -----------------------------------------------------------


@dataclass(frozen=True)
class Progress:
    """How many pairs somebody compared, of how many."""

    who: str
    done: int
    total: int


@dataclass(frozen=True)
class Listed:
    """A comparison in the list: how many pairs it has, and how many preferences were given."""

    comparison: Comparison
    pairs: int
    given: int


def comparisons(membership: Membership) -> list[Listed]:
    """The project's comparisons, the newest first; three statements."""
    found = list(
        Comparison.objects.filter(project=membership.project).select_related("first", "second").order_by("-n")
    )
    pairs = _counts(ComparisonPair, "comparison", Q(comparison__in=found))
    given = _counts(Preference, "pair__comparison", Q(pair__comparison__in=found))
    return [Listed(each, pairs.get(each.pk, 0), given.get(each.pk, 0)) for each in found]


def _counts(of: type[Model], by: str, where: Q) -> dict[int, int]:
    rows = of._default_manager.filter(where).order_by().values(by).annotate(n=Count("pk"))
    return dict(rows.values_list(by, "n"))


def comparable(membership: Membership) -> QuerySet[GenerationRun]:
    """The runs of the project that are over, the newest first, with how many questions each kept as `kept`."""
    over = (GenerationRun.State.DONE, GenerationRun.State.CANCELLED)
    kept = Count("candidates", filter=Q(candidates__state=Candidate.State.KEPT))
    return (
        GenerationRun.objects.filter(project=membership.project, state__in=over)
        .annotate(kept=kept)
        .order_by("-n")
    )


def one(membership: Membership, n: int) -> Comparison:
    """One comparison of the project."""
    rows = Comparison.objects.select_related("first", "second")
    found = rows.filter(project=membership.project, n=n).first()
    if found is None or not membership.sees_all:
        raise NotFound
    return found


def names_shown(membership: Membership, comparison: Comparison) -> bool:
    """Whether the viewer may know which runs are compared: once it has ended, and before that who takes no part."""
    if comparison.ended_at is not None or membership.annotator is None:
        return True
    return not Preference.objects.filter(pair__comparison=comparison, annotator=membership.annotator).exists()


def progress(of: Comparison) -> list[Progress]:
    """How far each person is who compared anything; two statements."""
    total = of.pairs.count()
    rows = Preference.objects.filter(pair__comparison=of).values("annotator__pseudonym")
    counted = rows.annotate(n=Count("pk")).order_by("annotator__pseudonym")
    return [Progress(who, n, total) for who, n in counted.values_list("annotator__pseudonym", "n")]


def ended(of: Comparison) -> None:
    """Forbidden before a comparison has ended: whoever saw how it goes could end it at the right moment."""
    if of.ended_at is None:
        raise Forbidden


def given(of: Comparison) -> QuerySet[Preference]:
    """All that was said, in the order of pairs and people."""
    rows = Preference.objects.filter(pair__comparison=of).select_related("pair__first__material", "annotator")
    return rows.order_by("pair__position", "annotator__pseudonym")


def result(of: Comparison) -> rules.Tally:
    """What came of an ended comparison."""
    ended(of)
    return rules.tally(list(_choices(of)), _parts(of))


def _parts(of: Comparison) -> Sequence[str]:
    return [str(part) for part in of.parts]


def _choices(of: Comparison) -> Iterator[rules.Choice]:
    rows = Preference.objects.filter(pair__comparison=of)
    found = rows.values_list("pair_id", "pair__swapped", "annotator__pseudonym", "chosen")
    for pair, swapped, who, chosen in found.iterator(chunk_size=2000):
        meant = {part: rules.meant(str(chosen[part]), swapped) for part in _parts(of)}
        yield rules.Choice(str(pair), who, meant)
