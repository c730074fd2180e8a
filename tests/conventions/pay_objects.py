"""What is paid in the small world: a rate, an entry of each writer, what one of them says against theirs."""

from dataclasses import replace

from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from annotation.pay.actions import dispute_answer, dispute_open
from annotation.pay.models import Rate
from tests.conventions.named_objects import Things, mark
from tests.pay import a_rate, entries


def with_pay(things: Things, by: User, own: Annotator, colleague: Annotator) -> Things:
    """The same with pay. Everything that is said is said of the colleague's entry: to them and to administrators."""
    rate = a_rate(own.project, "write", "6.50", by=by)
    # As if it had been there before the sets were handed in.
    Rate.objects.filter(pk=rate.pk).update(at="2001-01-01T00:00Z")
    mine, theirs = entries(own.project, own)[-1], entries(own.project, colleague)[0]
    other = dispute_open(entry=theirs, words=mark("dispute-answered"))
    dispute_answer(dispute=other, by=by, answer=mark("answer"), outcome="again", units=2)
    dispute = dispute_open(entry=theirs, words=mark("dispute"))
    return replace(things, entry=str(mine.token), own_entry=str(mine.token), dispute=str(dispute.pk))


def entry_of(person: Annotator) -> str:
    """What addresses name of a person's pay."""
    return str(entries(person.project, person)[0].token)
