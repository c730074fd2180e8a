"""What people made of machine-written items: asked about, kept, dropped."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform

from annotation.content.models.item import Item
from annotation.generation.rules.recipes.base import DROPPED, HARD, KEPT
from validation.consensus import stages

DECIDED_STAGES = (stages.SETTLED, stages.ADJUDICATED)
# Where a person still has to look before a question counts.
WAITING_STAGES = (stages.SUBMITTED, stages.RETURNED, stages.CORRECTED)

# easy, hard or neither, as the step in which the model answers said of an item's question.
LEVEL = KeyTextTransform("level", KeyTransform("made", "candidate__content"))


@dataclass(frozen=True)
class PeopleOutcome:
    """The items made, as people judged them: how many are asked about, and how they ended.

    Of a judged recipe those are the hard ones (mCSQA §3.3), of a reviewed one all. `unasked` were kept as the model
    answered them rightly.
    """

    asked: int = 0
    kept: int = 0
    dropped: int = 0
    unasked: int = 0

    @property
    def waiting(self) -> int:
        return self.asked - self.kept - self.dropped

    @property
    def in_all(self) -> int:
        """Every question that counts in the end, as far as it is known."""
        return self.kept + self.unasked


def people_outcomes(items: QuerySet[Item], reviewed: Mapping[int, bool]) -> dict[int, PeopleOutcome]:
    """The outcomes of machine-written items, by project: one statement; `reviewed` says whose are all checked."""
    counts: dict[int, Counter[str]] = {project: Counter() for project in reviewed}
    columns = ("project", "level", "stage", "gold", "author_label")
    rows = items.order_by().annotate(level=LEVEL).values_list(*columns)
    for project, level, stage, gold, label, n in rows.annotate(n=Count("pk")):
        fate = _outcome_of(stage, gold, label, reviewed=reviewed[project])
        if reviewed[project] or level == HARD:
            counts[project]["asked"] += n
            counts[project][fate] += n
        elif fate != DROPPED:
            counts[project]["unasked"] += n
    return {
        project: PeopleOutcome(each["asked"], each[KEPT], each[DROPPED], each["unasked"])
        for project, each in counts.items()
    }


def _outcome_of(stage: str, gold: str, label: str, *, reviewed: bool) -> str:
    """Kept, dropped, or empty while nothing is decided.

    Of a judged recipe: kept where people agreed with what the model meant, dropped where they did not.
    """
    if stage == stages.EXCLUDED:
        return DROPPED
    if reviewed:
        return "" if stage in WAITING_STAGES else KEPT
    if stage == stages.NO_CONSENSUS:
        return DROPPED
    if stage in DECIDED_STAGES:
        return KEPT if gold == label else DROPPED
    return ""


def counts_as_kept(stage: str, gold: str, label: str, level: str, *, reviewed: bool) -> bool:
    """Whether a machine-written item counts among those that are kept, as far as it is known."""
    fate = _outcome_of(stage, gold, label, reviewed=reviewed)
    return fate == KEPT if reviewed or level == HARD else fate != DROPPED
