"""What rows need to know of the project that they go into, read once for a whole file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from annotation.content.rules.queue_order import priority
from annotation.core.models.project import Project
from annotation.core.rules.settings import ProjectSettings
from annotation.kinds import Kind
from annotation.text import checks
from annotation.writing.rules.sampling import sampled
from validation.consensus import stages
from validation.consensus.advance import ItemStanding, SystemEvent, advance
from validation.consensus.engine import GOLD, VoteIn, decide
from validation.consensus.protocol import Protocol
from validation.imports.rules.people import Answer

if TYPE_CHECKING:
    from validation.imports.source_index import SourceIndex

# They compare the texts of a set; a file gives pairs one by one, and the same text twice is flagged as duplicate.
SET_CHECKS = frozenset({"per_label", "copy_of_other"})


@dataclass(frozen=True)
class ProjectContext:
    """A project as an import sees it. `target_id` is its target, in kinds with targets the first one.

    `machine` is the model that wrote the items; empty where people did.
    """

    project_id: int
    target_id: int
    protocol_id: int
    seed: str
    secret: str
    language: str
    share: float
    rules: ProjectSettings
    protocol: Protocol
    kind: Kind
    machine: str = ""

    @classmethod
    def for_project(cls, project: Project, machine: str = "") -> "ProjectContext":
        version = project.protocols.order_by("-n")[0]
        return cls(
            project_id=project.pk,
            target_id=project.targets.order_by("pk").values_list("pk", flat=True).first() or 0,
            protocol_id=version.pk,
            seed=project.seed,
            secret=project.secret,
            language=project.language,
            share=float(project.sample_share),
            rules=project.rules,
            protocol=Protocol.from_stored(version.rules),
            kind=project.kind_spec,
            machine=machine,
        )

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """The project's settings as checks read them."""
        return self.rules.to_dict()

    @cached_property
    def rounds(self) -> Sequence[int]:
        """The round of each vote by its position; votes beyond stand in the last one."""
        sizes = self.protocol.rounds
        return [number for number, size in enumerate(sizes, start=1) for _ in range(size)]

    @cached_property
    def source_index(self) -> "SourceIndex":
        """The targets and source units, in a kind that has them: read before the first row, in the caller's thread."""
        from validation.imports.source_index import SourceIndex  # only kinds with targets have one

        return SourceIndex.for_project(self.project_id)

    @cached_property
    def opening_event(self) -> tuple[SystemEvent, tuple[int, int, int, int, int]] | None:
        """What opens an item without votes, and its version, round, pending, free slots and priority then.

        None where the jobs open it, since more is to be done then than to ask for its votes.
        """
        if not self.kind.shape.opens_on_import or self.kind.excludes_family_contributors:
            return None
        step = advance(ItemStanding(stages.WRITTEN, 0, "", 0), decide(self.protocol, None, (), ()))
        if step is None or len(step.events) != 1 or step.stage != stages.VOTING:
            return None
        return step.events[0], (2, step.round, step.pending, step.slots_free, priority(1, False))

    def is_sampled(self, key: str, source_key: str) -> bool:
        """Whether an item without votes is validated: the same draw as at a writer's submission (ruling 16)."""
        return self.share >= 1 or sampled(
            self.seed, source_key if self.rules.sample_unit == "premise" else key, self.share
        )

    def round_of(self, place: int) -> int:
        return self.rounds[place] if place < len(self.rounds) else len(self.protocol.rounds)

    @cached_property
    def decide_votes(self) -> Callable[[str, tuple[Any, ...]], tuple[frozenset[int], str]]:
        """Which votes stand beyond the decision (ruling 3), and the gold label that the others make; remembered.

        Votes are a name and a label, and whether they call the item ambiguous where that is known.
        """
        return lru_cache(maxsize=4096)(self._decide)

    def _decide(self, author_label: str, votes: tuple[Any, ...]) -> tuple[frozenset[int], str]:
        ballots = [
            VoteIn(label, name, self.round_of(place), place, ambiguous=any(ambiguous))
            for place, (name, label, *ambiguous) in enumerate(votes)
        ]
        found = decide(self.protocol, author_label or None, ballots, self.kind.question.label_keys)
        return frozenset(found.surplus), (found.label or "") if found.state == GOLD else ""

    def surplus_votes(self, author_label: str, votes: Sequence[Answer]) -> frozenset[int]:
        """Which votes with answers stand beyond the decision (ruling 3)."""
        ballots = [
            VoteIn(vote.label, vote.name, self.round_of(place), place, vote.answers, bool(vote.ambiguous))
            for place, vote in enumerate(votes)
        ]
        asked = self.kind.question.leaf_questions(self.protocol.criteria)
        found = decide(self.protocol, author_label or None, ballots, self.kind.question.label_keys, asked)
        return frozenset(found.surplus)

    def check_context(self, source: str, slot: checks.SlotText) -> checks.SetContext:
        """One text of a file as checks read it."""
        return checks.SetContext(
            source=source,
            slots=(slot,),
            language=self.language,
            settings=self.settings,
            per_label=self.rules.per_label,
            labels=self.kind.question.label_keys,
            word_counts={},
        )

    @cached_property
    def block_checks(self) -> tuple[str, ...]:
        """The checks that stop a writer and look at one text: what fails one is stored and flagged."""
        return tuple(
            each
            for each in self.kind.authoring.checks
            if each not in SET_CHECKS and checks.get(each).level == checks.BLOCK
        )
