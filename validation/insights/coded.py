"""A project's votes as columns of codes, which the statistics of agreement and of annotators count (no insight)."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from validation.insights.reading import Reading
from validation.rules.conflicts import NOBODY, is_placeholder, natural

if TYPE_CHECKING:
    import pandas as pd

    from validation.rules.tallies import Ballots, Codes


@dataclass(frozen=True)
class Coded:
    """The standing votes that have a label. `names` are the labels by code, those of the kind first.

    A label outside the kind's is a rating like any other: whoever gave it agreed with nobody who gave a real one.
    `people` are pseudonyms by code; a place-holder of an import is nobody's (-1; domain.md §10, ruling 3). `frame` has
    the columns of the same votes.
    """

    reading: Reading
    names: list[str]
    people: list[str]
    ballots: "Ballots"
    frame: "pd.DataFrame"

    @property
    def round(self) -> "Codes":
        """The round of each vote."""
        found: Codes = self.frame["round"].to_numpy()
        return found

    @property
    def of_kind(self) -> int:
        """How many of the labels are the kind's own."""
        return len(self.reading.kind.label_keys)

    @cached_property
    def author(self) -> "Codes":
        """The author's label of each item by its place, -1 where there is none."""
        return self._labels("author_label")

    @cached_property
    def gold(self) -> "Codes":
        """The gold label that votes made of each item, -1 where they made none. A lead's word is not among them."""
        import numpy as np

        by_votes = (self.reading.items["gold_from"].astype(object) == "votes").to_numpy()
        return np.where(by_votes, self._labels("gold"), -1)

    def _labels(self, column: str) -> "Codes":
        return codes_of(self.reading.items[column], self.names)

    @cached_property
    def groups(self) -> "tuple[list[str], Codes]":
        """The categories of items by code, and each item's by its place."""
        import pandas as pd

        found = self.reading.groups
        named = pd.Categorical([found.get(pk) or NOBODY for pk in self.reading.items.index.tolist()])
        return [str(value) for value in named.categories], named.codes

    @cached_property
    def regions(self) -> "tuple[list[str], Codes]":
        """The regions of those who voted by code, and each vote's: that of whoever gave it (-1: a place-holder)."""
        import numpy as np

        places = self.reading.people
        named = {
            pk: who.region or NOBODY for pk, who in places.items() if not nobody(who.pseudonym, who.imported)
        }
        values = sorted(set(named.values()))
        known = {pk: values.index(region) for pk, region in named.items()}
        ids, place = np.unique(self.frame["annotator"].to_numpy(), return_inverse=True)
        return values, np.array([known.get(int(pk), -1) for pk in ids], np.int64)[place]


def nobody(pseudonym: str, imported: bool) -> bool:
    """Whether the name stands for somebody whom an import did not name."""
    return imported and is_placeholder(pseudonym)


def codes_of(column: "object", names: list[str]) -> "Codes":
    """A column of texts that repeat as places in a list, -1 where they are not in it."""
    import numpy as np
    import pandas as pd

    texts = pd.Categorical(column)
    known = {name: place for place, name in enumerate(names)}
    places = np.array([*(known.get(str(name), -1) for name in texts.categories), -1], np.int64)
    return np.asarray(places[texts.codes])


def coded(reading: Reading) -> Coded:
    """Read a project's votes as codes; a vote without a label (a rating by criteria) is none of them."""
    import numpy as np

    from validation.rules.tallies import Ballots

    votes, items = reading.votes, reading.items
    given = sorted(set(map(str, votes["label"].unique())) | set(map(str, items["author_label"].unique())))
    kind = reading.kind.label_keys
    names = [*kind, *(label for label in given if label and label not in kind)]
    label = codes_of(votes["label"], names)
    inside = label >= 0
    frame = votes[inside]
    ids, place = np.unique(frame["annotator"].to_numpy().astype(np.int64), return_inverse=True)
    known = {pk: reading.people[pk] for pk in ids.tolist()}
    people = [each.pseudonym for each in known.values() if not nobody(each.pseudonym, each.imported)]
    people.sort(key=natural)
    codes = {name: n for n, name in enumerate(people)}
    person = np.array([codes.get(each.pseudonym, -1) for each in known.values()], np.int64)[place]
    item = np.searchsorted(items.index.to_numpy(), frame["item"].to_numpy())
    ballots = Ballots(item, person, label[inside], len(items), len(people), len(names))
    return Coded(reading, names, people, ballots, frame)
