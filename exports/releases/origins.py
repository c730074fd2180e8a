"""How the gold of one project's release arose, counted while the release is written."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from functools import cache
from typing import Any

from annotation.kinds import Kind
from exports.releases.audits import Audits
from exports.releases.rules.agreement import Agreement, DesignedVote, has_alpha
from exports.releases.rules.gold_origins import GoldOrigins, author_and_first, author_answer_of
from exports.releases.rules.rows import EXTRA, FrozenItem, JudgedVotes

# How a row's gold arose: labels, why nobody else was asked, round, what the row says that the author answered, the
# label of the first vote that counts, whether that was imported.
_GoldOrigin = tuple[int, str, int, str | None, str, bool]


class OriginCounts:
    """Counts over everything that was frozen; `imported` are the annotators whose votes came with files."""

    def __init__(
        self,
        kind: Kind,
        protocols: Iterable[Mapping[str, Any]],
        names: Mapping[int, str],
        audits: Audits | None,
        imported: Container[int],
    ) -> None:
        self.kind, self.names, self.audits, self.imported = kind, names, audits, imported
        self.author_answer = author_answer_of(kind)
        self._spell = cache(kind.export.spell)
        self._arising, self._arose = GoldOrigins(), Counter[_GoldOrigin]()
        # Of items in no split: the author's label, that of the first vote, whether that was imported.
        self._left_out = Counter[tuple[str, str, bool]]()
        self._agreement = Agreement(protocols) if has_alpha(kind) else None

    def add_votes(self, item: FrozenItem, judged: JudgedVotes) -> None:
        """Take in the votes on an item that stand, in a split or in none."""
        if self._agreement is None:
            return
        names, spell, imported = self.names, self._spell, self.imported
        votes = [
            DesignedVote(names[vote.annotator], spell(vote.label), vote.round, vote.annotator in imported)
            for vote, why in zip(judged.votes, judged.withdrawal_reasons, strict=True)
            if not why or why == EXTRA
        ]
        if self.audits is None:
            self._agreement.add(votes)
        else:
            self._agreement.add(votes, self.audits.routes.get(item.item, ""), self.audits.chances.get(item.item))

    def add_left_out(self, item: FrozenItem, judged: JudgedVotes) -> None:
        """Take in the first vote on an item that is in no split."""
        if judged.counted and self.author_answer is not None:
            vote = judged.counted[0]
            author = self._spell(item.author_label) if item.author_label else ""
            self._left_out[author, self._spell(vote.label), vote.annotator in self.imported] += 1

    def add_released(
        self,
        item: FrozenItem,
        judged: JudgedVotes,
        row: Mapping[str, Any],
        distribution: Mapping[str, int] | None,
    ) -> None:
        """Take in how the gold of a released row arose."""
        author, label, imported = None, "", False
        if judged.counted and self.author_answer is not None:
            vote = judged.counted[0]
            author, label, imported = self.author_answer(row), vote.label, vote.annotator in self.imported
        how = judged.n_labels, judged.stop, item.round, author, label, imported
        if distribution is None:
            self._arose[how] += 1
        else:
            self._arisen(how, 1, distribution)

    def _arisen(self, how: _GoldOrigin, rows: int, distribution: Mapping[str, int] | None = None) -> None:
        n_labels, stop, rnd, told, label, imported = how
        author, first = author_and_first(self.kind, told, self._spell(label) if label else "", imported=imported)
        self._arising.add(
            n_labels=n_labels,
            stop=stop,
            rnd=rnd,
            author=author,
            first=first,
            distribution=distribution,
            rows=rows,
        )

    def summary(self) -> dict[str, Any]:
        """Everything in sums: they name no item and no label, so that releases of hidden tests have them too."""
        for how, rows in self._arose.items():
            self._arisen(how, rows)
        for (author, label, imported), n in self._left_out.items():
            self._arising.add_pairs(*author_and_first(self.kind, author, label, imported=imported), n, left_out=True)
        told = self._arising.summary() | ({"audits": self.audits.accounts} if self.audits else {})
        figures = self._agreement.summary() if self._agreement else None
        return told | ({"agreement": figures} if figures else {})
