"""What people see of the quiz and the training round, what leads see of attempts, and sums for releases."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.content.models.item import Revision
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.kinds import Label
from annotation.kinds.texts import text_at
from validation.qualification.models import QuizAttempt, QuizItem
from validation.quality.queries import voters
from validation.quality.rules.intervals import interval
from validation.voting.rules.option_order import Order, labels_shown, order_shown


@dataclass(frozen=True)
class Asked:
    """One item as a person sees it: its texts by name, the labels to choose from, and what they chose.

    `right` and `accepted` are told once they answered; None and empty before.
    """

    id: int
    language: str
    texts: list[tuple[str, str]]
    labels: tuple[Label, ...]
    chosen: str = ""
    right: bool | None = None
    accepted: tuple[Label, ...] = ()
    explanation: str = ""
    problem: bool = False

    @property
    def field(self) -> str:
        """The name of its field."""
        return f"answer-{self.id}"


def _order(annotator: Annotator, row: QuizItem, content: Mapping[str, Any]) -> Order:
    project = annotator.project
    return order_shown(
        project.kind_spec,
        content,
        drawn_with=project.secret,
        item=row.item.key,
        annotator=annotator.pseudonym,
    )


def asked(
    attempt: QuizAttempt,
    *,
    with_key: Collection[int] = (),
    typed: Mapping[int, str] | None = None,
    only: Collection[int] | None = None,
    problem: str = "",
) -> list[Asked]:
    """The items of an attempt as its person sees them, `only` some; `told`: those whose answer is told; two statements.

    `typed`: what was chosen on the page, by the letters shown.
    """
    annotator, kind = attempt.annotator, attempt.annotator.project.kind_spec
    wanted = [pk for pk in attempt.items if only is None or pk in only]
    rows = QuizItem.objects.select_related("item__target").in_bulk(wanted)
    contents = {
        (item, n): content
        for item, n, content in Revision.objects.filter(
            item__in=[row.item_id for row in rows.values()]
        ).values_list("item", "n", "content")
    }
    found = []
    for pk in wanted:
        row = rows[pk]
        content = contents[row.item_id, row.item.revision_n]
        order = _order(annotator, row, content)
        labels = labels_shown(kind, content, order)
        answer = attempt.answers.get(str(pk), "")
        here = pk in with_key
        shown = {label.key: label for label in labels}
        accepted = (
            [order.letter(key) or key for key in row.accepted] if kind.question.own_options else row.accepted
        )
        found.append(
            Asked(
                id=pk,
                language=row.item.target.language,
                texts=[
                    (text.name, text_at(content, text.key))
                    for text in kind.presentation.texts_in(content)
                    if text.shown
                ],
                labels=labels,
                chosen=(typed or {}).get(pk, "")
                or (order.letter(answer) if kind.question.own_options else answer),
                right=answer in row.accepted if here else None,
                accepted=tuple(shown[key] for key in accepted if key in shown) if here else (),
                explanation=row.explanation if here else "",
                problem=problem == f"answer-{pk}",
            )
        )
    return found


def stored(attempt: QuizAttempt, typed: Mapping[int, str]) -> dict[int, str]:
    """What was chosen on the page as it is stored: options by their keys, not by the letters shown."""
    kind = attempt.annotator.project.kind_spec
    if not kind.question.own_options:
        return dict(typed)
    rows = QuizItem.objects.select_related("item").in_bulk(attempt.items)
    found = {}
    for pk, letter in typed.items():
        if pk in rows:
            row = rows[pk]
            content = Revision.objects.get(item=row.item_id, n=row.item.revision_n).content
            found[pk] = _order(attempt.annotator, row, content).key(letter)
    return found


@dataclass(frozen=True)
class PersonResult:
    """One voter's attempts at the quiz that are handed in, in their order, and their training round."""

    annotator: Annotator
    attempts: list[QuizAttempt]
    training: QuizAttempt | None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The exact 90 % interval of the share of right answers over all attempts, in percent."""
        n = sum(each.asked for each in self.attempts)
        found = interval(sum(each.right for each in self.attempts), n)
        return (100 * found[0], 100 * found[1]) if found else None


def results(project: Project, people: Iterable[Annotator] | None = None) -> list[PersonResult]:
    """What came of the quiz, by person; two statements."""
    people = list(voters(project) if people is None else people)
    made: dict[int, list[QuizAttempt]] = {}
    rows = QuizAttempt.objects.filter(annotator__in=[each.pk for each in people]).order_by("n")
    for row in rows:
        made.setdefault(row.annotator_id, []).append(row)
    return [
        PersonResult(
            each,
            [row for row in made.get(each.pk, ()) if not row.training and row.done_at],
            next((row for row in made.get(each.pk, ()) if row.training), None),
        )
        for each in people
    ]


def qualification_sums(project: Project) -> dict[str, int]:
    """The quiz in sums, for releases: attempts handed in, people who passed, people let in without; nobody by name."""
    rows = list(QuizAttempt.objects.filter(annotator__project=project, training=False).exclude(done_at=None))
    return {
        "attempts": len(rows),
        "people": len({row.annotator_id for row in rows}),
        "passed": len({row.annotator_id for row in rows if row.passed}),
        "asked": sum(row.asked for row in rows),
        "right": sum(row.right for row in rows),
        "waived": Event.objects.filter(project=project, verb="quiz_waived").count(),
    }
