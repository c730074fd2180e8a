"""The fetchers of blind comparisons: what somebody compares next, and what leads read of it.

Which run wrote what, in which order pairs were drawn and how many there are is told to nobody who compares.
"""

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.core.access import Membership, Viewer
from annotation.core.errors import Forbidden, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.datasheet.queries import entered
from annotation.generation.models import Candidate, GenerationRun, InstructionVersion
from validation.review.models.assessment import Comparison, ComparisonPair, Preference
from validation.studies.projects import counts_by, membership_with, overseer_with
from validation.studies.rules import comparisons as rules

CARD_WITH = ("comparison", "first__material__target", "second")


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


def generated(project: Project) -> bool:
    """Whether a machine writes the questions of the project: only then there are runs to compare."""
    return bool(project.rules.recipe)


def comparer(user: Viewer, slug: str) -> tuple[Membership, Annotator]:
    """The viewer as somebody who compares; NotFound where no machine writes, Forbidden for other members."""
    membership = membership_with(user, slug, generated)
    if membership.annotator is None or not compares(membership.annotator):
        raise Forbidden
    return membership, entered(membership.annotator)


def overseer(user: Viewer, slug: str) -> Membership:
    return overseer_with(user, slug, generated)


# --- for those who compare ----------------------------------------------------------------


def next_pair(annotator: Annotator) -> ComparisonPair | None:
    """What somebody compares next; None where nothing waits for them."""
    mine = Preference.objects.filter(pair=OuterRef("pk"), annotator=annotator)
    rows = ComparisonPair.objects.filter(
        ~Exists(mine), comparison__project=annotator.project_id, comparison__ended_at=None
    )
    return rows.select_related(*CARD_WITH).order_by("comparison", "position").first()


def pair_of(annotator: Annotator, token: str) -> ComparisonPair:
    """One pair of the person's project; NotFound for any other."""
    found = (
        ComparisonPair.objects.select_related(*CARD_WITH)
        .filter(token=token, comparison__project=annotator.project_id)
        .first()
    )
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


def comparisons(membership: Membership) -> list[tuple[Comparison, int, int]]:
    """The project's comparisons, the newest first, with how many pairs and preferences each has; three statements."""
    of_project = Comparison.objects.filter(project=membership.project)
    found = list(of_project.select_related("first", "second").order_by("-n"))
    pairs = counts_by(ComparisonPair.objects.filter(comparison__in=found), "comparison")
    given = counts_by(Preference.objects.filter(pair__comparison__in=found), "pair__comparison")
    return [(each, pairs.get(each.pk, 0), given.get(each.pk, 0)) for each in found]


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


def progress(of: Comparison) -> list[tuple[str, int, int]]:
    """Each person who compared anything with how many pairs, of how many; two statements."""
    total = of.pairs.count()
    given = counts_by(Preference.objects.filter(pair__comparison=of), "annotator__pseudonym")
    return [(who, n, total) for who, n in sorted(given.items())]


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
    rows = Preference.objects.filter(pair__comparison=of)
    columns = rows.values_list("pair_id", "pair__swapped", "annotator__pseudonym", "chosen")
    choices = [
        rules.Choice(str(pair), who, {part: rules.meant(str(chosen[part]), swapped) for part in of.parts})
        for pair, swapped, who, chosen in columns.iterator(chunk_size=2000)
    ]
    return rules.tally(choices, [str(part) for part in of.parts])
