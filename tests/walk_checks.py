"""What must hold after every step of a random walk (tests.walk), and at its end."""

from dataclasses import dataclass, field
from typing import Any

PAST = "2020-01-01T00:00:00Z"


class StrandedItem(AssertionError):
    """An item that is voted on, and that nobody is offered."""


@dataclass
class WalkedProject:
    """A project on which somebody walks, the votes that were acknowledged, and what is asked of both."""

    at: Any
    number: int
    told: list[str] = field(default_factory=list)
    acked: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    seen: Any = None

    def counts(self) -> tuple[int, int, int]:
        from validation.voting.models.assignment import Assignment
        from validation.voting.models.vote import Vote

        standing = Vote.objects.filter(project=self.at.project, withdrawn_at=None).count()
        skipped = Assignment.objects.filter(project=self.at.project, state="skipped").count()
        return Vote.objects.filter(project=self.at.project).count(), standing, skipped

    def present(self) -> list[Any]:
        """Items, assignments and votes as they stand: what did not move need not be looked at again."""
        from annotation.content.models.item import Item
        from validation.voting.models.assignment import Assignment
        from validation.voting.models.vote import Vote

        own = {"project": self.at.project}
        return [
            list(Item.objects.filter(**own).order_by("pk").values_list()[:2]),
            list(Assignment.objects.filter(**own).order_by("pk").values_list("pk", "state", "epoch", "token")),
            list(Vote.objects.filter(**own).order_by("pk").values_list("pk", "withdrawn_why", "surplus")),
        ]

    def check(self) -> None:
        from annotation.content.models.item import Item
        from validation.integrity.items import facts_of
        from validation.integrity.rules import broken_invariants
        from validation.voting.models.vote import Vote

        rows = Item.objects.select_related("project", "protocol").filter(project=self.at.project)
        present = self.present()
        if present == self.seen:
            return
        self.seen = present
        items = list(rows.order_by("pk")[:2])
        facts = facts_of(items)
        for item in items:
            found = broken_invariants(facts[item.pk])
            assert not found, self.words(f"{item.key}: {found}")
            assert 0 <= item.slots_free <= item.pending, self.words(f"{item.key}: slots")
        stored = Vote.objects.filter(pk__in=self.acked).values_list("pk", "item_id", "annotator_id", "label")
        there = {pk: (item_id, annotator, label) for pk, item_id, annotator, label in stored}
        assert there == self.acked, self.words("I1: an acknowledged vote is lost or another")

    def end(self) -> None:
        """All get up, what is due is decided: whatever is voted on is offered, and the whole project is sound."""
        from annotation.content.models.item import Item
        from tests.review import decide
        from validation import integrity
        from validation.voting.actions.assignments import assignments_expire
        from validation.voting.models.assignment import Assignment

        decide()
        Assignment.objects.filter(project=self.at.project, state="open").update(until=PAST)
        assignments_expire()
        decide()
        self.told.append("all get up")
        self.check()
        for item in Item.objects.filter(project=self.at.project, stage="voting").order_by("pk"):
            if not 0 < item.pending == item.slots_free:
                raise StrandedItem(self.words(f"{item.key}: {item.pending} pending, {item.slots_free} free"))
        found = list(integrity.run(project=self.at.project))
        assert not found, self.words(str(found))

    def words(self, what: str) -> str:
        return "\n".join([f"walk {self.number}: {what}", *self.told])
