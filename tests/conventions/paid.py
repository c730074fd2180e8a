"""What is paid in the small world: a rate, an entry of each writer, what one of them says against theirs."""

from dataclasses import replace

from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.pay import actions as pay
from annotation.pay.actions import dispute_answer, dispute_open
from annotation.pay.models import LedgerEntry
from annotation.pay.rules import WRITE, Counted
from tests.conventions.things import Things, mark
from tests.pay import a_rate


def with_pay(things: Things, by: User, own: Annotator, colleague: Annotator) -> Things:
    """The same with pay. Everything that is said is said of the colleague's entry: to them and to administrators."""
    project = own.project
    a_rate(project, "write", "6.50", by=by)
    mine, theirs = _entry(project, own, "-pk"), _entry(project, colleague, "pk")
    other = dispute_open(entry=theirs, words=mark("dispute-answered"))
    dispute_answer(dispute=other, by=by, answer=mark("answer"), outcome="again", units=2)
    dispute = dispute_open(entry=theirs, words=mark("dispute"))
    return replace(things, entry=str(mine.token), own_entry=str(mine.token), dispute=str(dispute.pk))


def _entry(project: Project, person: Annotator, order: str) -> LedgerEntry:
    """As if a set had been handed in since the rate was set."""
    allocation = Allocation.objects.filter(project=project, writer=person).order_by(order)[0]
    pay.post(
        project=project.pk,
        annotator=person.pk,
        target=project.targets.get().pk,
        action=WRITE,
        key=pay.set_key(allocation.pk),
        counted=Counted(set=1),
    )
    return LedgerEntry.objects.get(key=pay.set_key(allocation.pk))


def entry_of(person: Annotator) -> str:
    """What addresses name of a person's pay."""
    return str(LedgerEntry.objects.filter(annotator=person).order_by("pk")[0].token)
