"""Random walks over one project: people vote, take back, pass, let assignments end; leads act and jobs decide.

After every step the invariants of reliability are asked of every item (I2–I5 and I11 by `rules.invariants`), and every
acknowledged vote is looked for (I1). At the end of a walk all assignments run out, `check_integrity` looks at the
whole project, and every item that is voted on must be offered to somebody.
`python -m tests.walk FIRST COUNT` walks on the database of the environment and prints what was done as JSON.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import django

from tests.walk_checks import PAST, WalkedProject

STEPS = 20


def make_worlds() -> list[Any]:
    """One project for each protocol: two pairs that wait for votes; the other four are left out."""
    from annotation.content.models.item import Item
    from tests.review import world
    from validation.consensus.protocol import PRESETS, Protocol
    from validation.voting.actions.steps import exclude

    protocols = (
        PRESETS["incremental-3-5"],
        Protocol("walk-one-by-one", rounds=(1, 1, 1), quorum=2, author="none"),
        Protocol("walk-hopeless", rounds=(2, 1, 1), quorum=3, stop_hopeless=True),
        # Where the first vote goes, the others may be more than are needed: surplus.
        # Two that agree stop, are audited, or are on the panel; taking back and voiding take the step again.
        Protocol("walk-audits", rounds=(1, 1, 1, 1), quorum=3, alpha=0.005, planned=1000, panel=0.2),
        Protocol("walk-surplus", rounds=(1, 3), quorum=2),
        Protocol(
            "walk-ambiguous",
            rounds=(3,),
            quorum=1,
            author="none",
            plurality=True,
            tie="lowest-pseudonym",
            most_ambiguous=1,
        ),
    )
    made = [world(protocol=protocol, settings={"spacing": 0}) for protocol in protocols]
    for at in made:
        for item in Item.objects.filter(project=at.project).order_by("pk")[2:]:
            exclude(lead=at.lead, item_id=item.pk, version=item.version, words="Not in this walk.")
    return made


@dataclass
class Walk(WalkedProject):
    """One walk, the same for the same number; `told` are its steps so far."""

    done: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.draw = random.Random(self.number)
        self.people = list(self.at.validators[:4])
        self.leads = [self.at.lead, self.at.other_lead]
        self.target = self.at.project.targets.get()

    def run(self) -> None:
        """Take the steps, checking after each; the caller rolls back."""
        ways: Sequence[tuple[int, Callable[[], str]]] = (
            (30, self.vote),
            (16, self.take_back),
            (12, self.decide),
            (8, self.look),
            (6, self.assignment_runs_out),
            (4, self.sweep),
            (4, self.passes),
            (3, self.votes_late),
            (3, self.votes_again),
            (4, self.lead_acts),
            (3, self.writer_answers),
            (2, self.void),
            (2, self.time_passes),
            (1, self.opens_or_closes),
            (1, self.role_changes),
        )
        weights, calls = [weight for weight, _ in ways], [call for _, call in ways]
        for _ in range(STEPS):
            self.step(self.draw.choices(calls, weights)[0])
        self.end()

    def step(self, call: Callable[[], str]) -> None:
        from annotation.core.errors import Refusal

        name = call.__name__
        try:
            outcome = call()
        except Refusal as refusal:
            outcome = f"refused: {refusal.code}"
        self.told.append(f"{name} {outcome}")
        self.done[name if not outcome.startswith("refused") else f"{name} refused"] += 1
        self.check()

    # --- what people do -------------------------------------------------------------

    def person(self) -> Any:
        return self.draw.choice(self.people)

    def claim(self, person: Any) -> Any:
        """As the page does: nothing is offered in a closed project, or to who votes no longer."""
        from validation.voting.actions.assignments import assignment_claim

        person.refresh_from_db()
        person.project.refresh_from_db()
        if person.project.closed_at is not None or not person.is_validator:
            return None
        return assignment_claim(annotator=person, target=self.target, spacing=0)

    def cast(self, person: Any, token: str, label: str, **more: Any) -> Any:
        from validation.voting.actions.ballots import Ballot
        from validation.voting.actions.votes import vote_cast

        ballot = Ballot(label=label, **more)
        slug = person.project.slug
        # Every second vote brings the next assignment along, as on the voting page.
        go_on = len(self.acked) % 2 == 1
        vote = vote_cast(user_id=person.user_id, slug=slug, token=token, ballot=ballot, go_on=go_on).vote
        self.acked[vote.pk] = (vote.item_id, vote.annotator_id, vote.label)
        return vote

    def ballot(self) -> dict[str, Any]:
        marks = {"unsure": self.draw.random() < 0.1, "ambiguous": self.draw.random() < 0.3}
        return {"label": self.draw.choice("eeeenncc"[: 4 + self.number % 5]), **marks}

    def look(self) -> str:
        assignment = self.claim(self.person())
        return f"{assignment.item.key}" if assignment else "nothing"

    def vote(self) -> str:
        person = self.person()
        assignment = self.claim(person)
        if assignment is None:
            return f"{person.pseudonym} nothing"
        ballot = self.ballot()
        vote = self.cast(person, assignment.token, **ballot)
        return f"{person.pseudonym} {assignment.item.key} {vote.label}"

    def take_back(self) -> str:
        """Once or twice, and then as the answer leads: the page is loaded anew."""
        from annotation.core.errors import Conflict
        from validation.voting.actions.votes import vote_take_back
        from validation.voting.models.vote import Vote

        # Whoever has voted last is asked more often: most others have nothing to take back.
        last = Vote.objects.filter(project=self.at.project, withdrawn_at=None).order_by("-pk").first()
        recent = [last.annotator] if last and last.annotator in self.people else []
        person = self.draw.choice([*self.people, *recent * 6])
        assignment = vote_take_back(annotator=person)
        told = f"{person.pseudonym} {assignment.item.key if assignment else 'not asked again'}"
        for _ in range(self.draw.randrange(2)):
            try:
                vote_take_back(annotator=person)
                told += " again"
            except Conflict:
                told += " again refused"
        if self.draw.random() < 0.5:
            found = self.claim(person)
            assert assignment is None or (found is not None and found.pk == assignment.pk), "the assignment is lost"
        return told

    def passes(self) -> str:
        from validation.voting.actions.assignments import assignment_pass
        from validation.voting.models.assignment import Assignment

        person = self.person()
        assignments = Assignment.objects.filter(annotator=person, state__in=["open", "expired"]).order_by("pk")
        if not assignments:
            return "nothing"
        assignment_pass(annotator=person, token=self.draw.choice(list(assignments)).token, reason="other")
        return str(person.pseudonym)

    def votes_late(self) -> str:
        from validation.voting.models.assignment import Assignment

        person = self.person()
        assignments = list(Assignment.objects.filter(annotator=person, state="expired").order_by("pk"))
        if not assignments:
            return "nothing"
        return f"{person.pseudonym} {self.cast(person, self.draw.choice(assignments).token, **self.ballot()).label}"

    def votes_again(self) -> str:
        """The same ballot sent once more stores nothing."""
        from validation.voting.models.assignment import Assignment
        from validation.voting.models.vote import Vote

        last = Vote.objects.filter(annotator=self.person()).order_by("-pk").first()
        if last is None:
            return "nothing"
        before = Vote.objects.count()
        token = Assignment.objects.get(item=last.item_id, annotator=last.annotator_id).token
        marks = {"unsure": last.unsure, "ambiguous": last.ambiguous}
        assignment = Assignment.objects.get(token=token)
        self.cast(last.annotator, token, last.label, **marks)
        assert assignment.state != "done" or Vote.objects.count() == before, "a replay was stored"
        return str(last.annotator.pseudonym)

    def assignment_runs_out(self) -> str:
        from validation.voting.models.assignment import Assignment

        assignments = list(Assignment.objects.filter(project=self.at.project, state="open").order_by("pk"))
        if not assignments:
            return "nothing"
        Assignment.objects.filter(pk=self.draw.choice(assignments).pk).update(until=PAST)
        return "one"

    def sweep(self) -> str:
        from validation.voting.actions.assignments import assignments_expire

        return str(assignments_expire())

    def decide(self) -> str:
        from validation.voting.actions.decide import decide_due

        return str(decide_due())

    # --- what leads and writers do ----------------------------------------------------

    def item(self) -> Any:
        from annotation.content.models.item import Item

        return Item.objects.filter(project=self.at.project).order_by("pk")[self.draw.randrange(2)]

    def lead_acts(self) -> str:
        from annotation.content.queries import current_content
        from validation.review.actions.corrections import correct
        from validation.review.actions.decisions import adjudicate, approve, reopen, return_item
        from validation.voting.actions.steps import exclude

        item, lead = self.item(), self.draw.choice(self.leads)
        held = {"lead": lead, "item_id": item.pk, "version": item.version}
        event = self.draw.choice(["return", "approve", "correct", "adjudicate", "exclude", "reopen", "reopen"])
        meaning = self.draw.choice(["same", "new"])
        if event == "return":
            return_item(**held, error_type="language", words="The verb.")
        elif event == "approve":
            approve(**held, meaning=meaning)
        elif event == "correct":
            field = self.draw.choice(["hypothesis", "premise"])
            text = current_content(item)[field] + " Ya."
            correct(**held, field=field, text=text, meaning=meaning)
        elif event == "adjudicate":
            adjudicate(**held, label=self.draw.choice("enc"), words="So it is.")
        elif event == "exclude":
            exclude(**held, words="Off topic.")
        else:
            reopen(**held)
        return f"{event} {meaning} {item.key}"

    def writer_answers(self) -> str:
        """What was returned comes back, and a lead says what it means now."""
        from annotation.kinds import SlotIn
        from validation.review.actions.decisions import approve
        from validation.review.actions.writers import resubmit

        item = self.item()
        if item.stage == "returned":
            text = f"Mangga dijual di pasar pada pagi hari nomor {item.version}."
            resubmit(writer=self.at.writer, item_id=item.pk, version=item.version, content=SlotIn(text))
            return f"{item.key} resubmitted"
        if item.stage == "corrected":
            meaning = self.draw.choice(["same", "new"])
            approve(lead=self.at.lead, item_id=item.pk, version=item.version, meaning=meaning)
            return f"{item.key} approved {meaning}"
        return "nothing"

    def void(self) -> str:
        from validation.voting.actions.votes import vote_void
        from validation.voting.models.vote import Vote

        item = self.item()
        there = list(Vote.objects.filter(item=item, withdrawn_at=None).order_by("n"))
        if not there:
            return "nothing"
        vote = self.draw.choice(there)
        vote_void(lead=self.at.lead, item_id=item.pk, vote_n=vote.n, version=item.version, reason="No.")
        return f"{item.key} #{vote.n}"

    def time_passes(self) -> str:
        """A vote becomes too old to be taken back."""
        from validation.voting.models.vote import Vote

        person = self.person()
        return f"{person.pseudonym} {Vote.objects.filter(annotator=person).update(cast_at=PAST)}"

    def opens_or_closes(self) -> str:
        from annotation.projects.actions.projects import project_close

        self.at.project.refresh_from_db()
        closed = self.at.project.closed_at is None
        project_close(project=self.at.project, by=None, closed=closed)
        if closed:
            # Some steps in a closed project, then it goes on.
            for call in (self.vote, self.take_back, self.passes, self.decide):
                before = self.counts()
                self.step(call)
                assert call == self.decide or self.counts() == before, "a closed project changed"
            project_close(project=self.at.project, by=None, closed=False)
        return "closed and opened"

    def role_changes(self) -> str:
        """A validator becomes a writer, and the ballot on their screen is refused; another person takes their place."""
        from annotation.core.actions.members import Roles
        from annotation.core.errors import NotFound
        from validation.people.actions import member_roles_change
        from validation.voting.models.assignment import Assignment

        if len(self.people) < 3:
            return "nothing"
        person = self.people.pop(self.draw.randrange(len(self.people)))
        held = Assignment.objects.filter(annotator=person, state="open").first()
        member_roles_change(
            project=self.at.project, annotator_id=person.pk, roles=Roles(writer=True), by=self.at.lead.user
        )
        if held is not None:
            try:
                self.cast(person, held.token, "e")
            except NotFound:
                pass
            else:
                raise AssertionError("somebody voted who is no validator")
        return str(person.pseudonym)


def walk(made: Sequence[Any], first: int, count: int) -> Counter[str]:
    """Walk so many times, each as if there had been none before; what was done how often."""
    import copy

    from django.db import transaction

    done: Counter[str] = Counter()
    for number in range(first, first + count):
        with transaction.atomic():
            one = Walk(copy.deepcopy(made[number % len(made)]), number)
            one.run()
            transaction.set_rollback(True)
        done += one.done
    return done


def main(first: int, count: int) -> None:
    """Make the projects and walk."""
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    made = make_worlds()
    print(json.dumps({"walks": count, "steps": walk(made, first, count)}))


if __name__ == "__main__":
    django.setup()
    main(int(sys.argv[1]), int(sys.argv[2]))
