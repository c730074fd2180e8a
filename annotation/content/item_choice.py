"""Which items of a project are taken into another one, and why the others are not: one choice for every such way."""

from collections.abc import Mapping
from typing import TypeVar

from django.db.models import Case, CharField, Count, F, Model, Q, QuerySet, Value, When
from django.utils.translation import gettext

from annotation.content.models.item import Item
from annotation.content.queries import ACCEPTED_STAGES
from annotation.core import declared
from annotation.core.models.project import Project
from annotation.text.gettext import gettext_noop as _
from validation.consensus import stages

Row = TypeVar("Row", bound=Model)
SETTLED, CHECKED, ALL = "settled", "checked", "all"
CHOICES: Mapping[str, str] = {
    SETTLED: _("only those with gold, settled or adjudicated"),
    CHECKED: _("all that wait for no check and no correction, with the author's label where there is no gold"),
    ALL: _("all that are not excluded, with the author's label where there is no gold"),
}
REJECTED, NO_ANSWER, WITHDRAWN = "rejected", "no_answer", "withdrawn"
REASONS: Mapping[str, str] = {
    **stages.STAGE_NAMES,
    REJECTED: _("judged, and not kept"),
    NO_ANSWER: _("without an answer"),
    WITHDRAWN: _("withdrawn by their writer, or taken down"),
}
_STAGES: Mapping[str, tuple[str, ...]] = {
    SETTLED: ACCEPTED_STAGES,
    CHECKED: (stages.WRITTEN, stages.VOTING, stages.NO_CONSENSUS, *ACCEPTED_STAGES),
    ALL: tuple(stage for stage in stages.STAGES if stage != stages.EXCLUDED),
}


def chosen_items(rows: QuerySet[Row], project: Project, choice: str, accepting: str = "") -> QuerySet[Row]:
    """Those of `rows` that are chosen: items of the project or rows of its releases, with a stage and a gold label.

    `accepting` is the one label by which people keep an item, where there is one; what they did not keep is taken
    only where all are. What no release holds any more, because it was withdrawn, is never taken.
    """
    return rows.filter(_condition(choice, accepting)).exclude(_withdrawn(rows, project))


def _condition(choice: str, accepting: str) -> Q:
    condition = Q(stage__in=_STAGES[choice])
    if choice == SETTLED:
        condition &= ~Q(gold="")
    if accepting and choice != ALL:
        condition &= Q(gold__in=("", accepting))
    return condition


def _withdrawn(rows: QuerySet[Row], project: Project) -> Q:
    items: QuerySet[Item] = declared.attribute("withdrawn", "items")(project)
    return Q(**{"pk__in" if rows.model is Item else "item__in": items})


def count_not_chosen(rows: QuerySet[Row], project: Project, choice: str, accepting: str = "") -> dict[str, int]:
    """How many of `rows` are not chosen, by reason."""
    withdrawn = _withdrawn(rows, project)
    decided = Case(
        When(withdrawn, then=Value(WITHDRAWN)),
        When(stage__in=ACCEPTED_STAGES, then=Value(REJECTED)),
        default=F("stage"),
        output_field=CharField(),
    )
    others = rows.exclude(_condition(choice, accepting) & ~withdrawn).order_by().annotate(why=decided)
    counts = dict(others.values_list("why").annotate(n=Count("pk")))
    return {reason: counts[reason] for reason in REASONS if reason in counts}


def reasons_in_words(counts: Mapping[str, int]) -> str:
    """The reasons with their counts, as pages and errors give them."""
    return ", ".join(f"{gettext(REASONS[reason])} ({n})" for reason, n in counts.items())
