"""A project's votes as columns of codes, which the statistics of agreement and of annotators count (no insight)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from annotation.datasheet.rules import spellings
from validation.insights.reports.reading import Reading
from validation.insights.rules.conflicts import NOBODY, is_placeholder, natural_key

if TYPE_CHECKING:
    import pandas as pd

    from validation.insights.rules.tallies import Ballots, Codes

# Labels outside the kind's that have a code of their own, and codes for all others, however many there are.
MOST_OTHER_LABELS, MOST_RARE = 30, 10


@dataclass(frozen=True)
class CodedVotes:
    """The standing votes that have a label. `names` are the labels by code, those of the kind first.

    A label outside the kind's is a rating like any other: whoever gave it agreed with nobody who gave a real one. The
    thirty most frequent of them have a code each; the rest are distinguished on their own item, by their order there
    (from the tenth on they count as one), so that different ones still disagree and memory stays bounded, while chance
    is taken to agree on them a little more often.
    `author` and `gold` are by an item's place: the author's label, and the gold one that votes made (a lead's word is
    not among them); -1 where there is none. `people` are pseudonyms by code; a place-holder of an import is nobody's
    (-1; domain.md §10, ruling 3). `frame` has the columns of the same votes.
    """

    reading: Reading
    names: list[str]
    people: list[str]
    ballots: "Ballots"
    author: "Codes"
    gold: "Codes"
    frame: "pd.DataFrame"

    @property
    def round(self) -> "Codes":
        """The round of each vote."""
        found: Codes = self.frame["round"].to_numpy()
        return found

    @property
    def of_kind(self) -> int:
        """How many of the labels are the kind's own."""
        return len(self.reading.kind.question.label_keys)

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
        spelt = spellings(who.region for who in places.values())
        named = {
            pk: spelt[who.region] or NOBODY
            for pk, who in places.items()
            if not is_unnamed_import(who.pseudonym, who.imported)
        }
        values = sorted(set(named.values()))
        known = {pk: values.index(region) for pk, region in named.items()}
        ids, place = np.unique(self.frame["annotator"].to_numpy(), return_inverse=True)
        return values, np.array([known.get(int(pk), -1) for pk in ids], np.int64)[place]


def is_unnamed_import(pseudonym: str, imported: bool) -> bool:
    """Whether the name stands for somebody whom an import did not name."""
    return imported and is_placeholder(pseudonym)


def codes_of(column: "pd.Series[Any]", names: Sequence[str]) -> "Codes":
    """A column of texts that repeat as places in a list, -1 where they are not in it."""
    import numpy as np
    import pandas as pd

    texts = pd.Categorical(column)
    known = {name: place for place, name in enumerate(names)}
    places = np.array([*(known.get(str(name), -1) for name in texts.categories), -1], np.int64)
    return np.asarray(places[texts.codes])


def _other_labels(reading: Reading) -> tuple[list[str], list[str]]:
    """The labels outside the kind's: the most frequent ones in the order of their names, and all others."""
    counts: Counter[str] = Counter()
    for column in (reading.votes["label"], reading.items["author_label"], reading.items["gold"]):
        counts.update({str(name): n for name, n in column.value_counts().items()})
    kind = set(reading.kind.question.label_keys)
    found = [name for name, n in counts.items() if n and name and name not in kind]
    found.sort(key=lambda name: (-counts[name], name))
    return sorted(found[:MOST_OTHER_LABELS]), found[MOST_OTHER_LABELS:]


def _rank_rare_labels(item: "Codes", label: "Codes", known: int) -> "Codes":
    """The labels, those from `known` on by their order among such labels of the same item."""
    import numpy as np

    from validation.insights.rules.tallies import number_distinct_rows

    rare = np.flatnonzero(label >= known)
    first, pair = number_distinct_rows(item[rare], label[rare])
    of = item[rare][first]
    # Pairs stand in the order of items: the place behind the first one of the item.
    rank = np.arange(len(of)) - np.searchsorted(of, of)
    found = label.copy()
    found[rare] = known + np.minimum(rank, MOST_RARE - 1)[pair]
    return found


def _labels(reading: Reading, item: "Codes") -> "tuple[list[str], Codes, Codes, Codes]":
    """The names of labels; the code of each vote's, each author's and each gold one that votes made."""
    import numpy as np

    votes, items = reading.votes, reading.items
    own, rare = _other_labels(reading)
    names = [*reading.kind.question.label_keys, *own]
    every, place = [*names, *rare], np.arange(len(items))
    by_votes = (items["gold_from"].astype(object) == "votes").to_numpy()
    columns = (
        codes_of(votes["label"], every),
        codes_of(items["author_label"], every),
        np.where(by_votes, codes_of(items["gold"], every), -1),
    )
    codes = _rank_rare_labels(np.r_[item, place, place], np.concatenate(columns), len(names))
    # No label of a file or a form is called so.
    names += [f"\0{n}" for n in range(codes.max(initial=-1) + 1 - len(names))]
    label, author, gold = np.split(codes, np.cumsum([len(column) for column in columns[:-1]]))
    return names, label, author, gold


def code_votes(reading: Reading) -> CodedVotes:
    """Read a project's votes as codes; a vote without a label (a rating by criteria) is none of them."""
    import numpy as np

    from validation.insights.rules.tallies import Ballots

    votes, items = reading.votes, reading.items
    item = np.searchsorted(items.index.to_numpy(), votes["item"].to_numpy())
    names, label, author, gold = _labels(reading, item)
    inside = label >= 0
    frame = votes[inside]
    ids, place = np.unique(frame["annotator"].to_numpy().astype(np.int64), return_inverse=True)
    known = {pk: reading.people[pk] for pk in ids.tolist()}
    people = [each.pseudonym for each in known.values() if not is_unnamed_import(each.pseudonym, each.imported)]
    people.sort(key=natural_key)
    codes = {name: n for n, name in enumerate(people)}
    person = np.array([codes.get(each.pseudonym, -1) for each in known.values()], np.int64)[place]
    ballots = Ballots(item[inside], person, label[inside], len(items), len(people), len(names))
    return CodedVotes(reading, names, people, ballots, author, gold, frame)


def writer_votes(votes: CodedVotes, judged: "Codes", protocols: Sequence[int]) -> "tuple[Codes, Codes, Codes, int]":
    """Items, people and labels of the writers' labels on judged items of these protocols; how many people then.

    Writers who never voted have codes behind the voters'.
    """
    import numpy as np

    reading = votes.reading
    items, label = reading.items.iloc[judged], votes.author[judged]
    writers = items["author"].to_numpy()
    named = {
        pk: who.pseudonym for pk, who in reading.people.items() if not is_unnamed_import(who.pseudonym, who.imported)
    }
    wanted = (label >= 0) & (label < votes.of_kind) & np.isin(writers, list(named))
    wanted &= items["protocol"].isin(protocols).to_numpy()
    codes = {name: code for code, name in enumerate(votes.people)}
    for pk in np.unique(writers[wanted]).tolist():
        codes.setdefault(named[pk], len(codes))
    person = np.array([codes[named[pk]] for pk in writers[wanted].tolist()], np.int64)
    return judged[wanted], person, label[wanted], len(codes)
