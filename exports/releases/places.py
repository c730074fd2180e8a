"""Places that people marked in a text, as a release has them: of the text that is released.

Every passage is compared with the text: a release whose text does not say at a place what was marked there is refused.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from annotation.answers import PlaceLost, Question, carried_answers, label_of, marks_places
from annotation.content.models.item import Revision
from annotation.kinds import Kind
from exports.releases.rules.rows import FrozenItem, FrozenVote, VerdictDiffers, why_not_standing
from validation.voting.carried_votes import contents_of


class ReleasedPlaces:
    """Reads votes and gold answers of a kind whose voters mark places, in the text that is released."""

    def __init__(self, kind: Kind, asked: Mapping[int, Sequence[Question]]) -> None:
        self.kind, self.asked = kind, asked
        self.any = any(map(marks_places, asked.values()))

    def votes(self, item: FrozenItem, votes: Sequence[FrozenVote]) -> Sequence[FrozenVote]:
        """The votes of an item; those that stand say what they mark in the text that is released."""
        standing = [vote for vote in votes if not why_not_standing(item, vote)]
        texts = contents_of({(item.item, vote.revision) for vote in standing if vote.revision != item.revision})
        return [self._vote(item, vote, texts) if vote in standing else vote for vote in votes]

    def _vote(self, item: FrozenItem, vote: FrozenVote, texts: Mapping[tuple[int, int], Any]) -> FrozenVote:
        before = texts.get((item.item, vote.revision), item.content)
        stored = orjson.loads(vote.answers)
        answers = self.answers(item, stored, before)
        if answers == stored:
            return vote
        return vote._replace(answers=orjson.dumps(answers).decode(), label=label_of(self.asked[item.protocol], answers))

    def lead_answers(self, item: FrozenItem, version: int, answers: Mapping[str, Any]) -> dict[str, Any]:
        """The answers by which a lead settled an item at this version of it."""
        seen = Revision.objects.filter(item=item.item, version__lte=version).order_by("n").last()
        return self.answers(item, answers, seen.content if seen else None)

    def answers(self, item: FrozenItem, answers: Mapping[str, Any], before: Any = None) -> dict[str, Any]:
        """Answers to another text of the item, or to the released one. Raises VerdictDiffers where words are lost."""
        now = item.content or {}
        shown = [self.kind.card_view(now if content is None else content) for content in (before, now)]
        try:
            return carried_answers(self.asked[item.protocol], answers, *shown)
        except PlaceLost as lost:
            raise VerdictDiffers(item.key, f"“{lost}”", "other words at that place") from lost
