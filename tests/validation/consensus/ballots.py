"""Published votes as the columns that statistics take: Dawid and Skene's anaesthetists, and MACE's own example."""

import numpy as np

from validation.insights.rules.tallies import Ballots

# Dawid & Skene 1979, Table 1: 45 patients; the first of five anaesthetists saw every form three times.
PATIENTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343
1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222
1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343
2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""
OBSERVERS = (0, 0, 0, 1, 2, 3, 4)

# The sequence that documents MACE (Hovy et al. 2013): an annotator a column, nothing where they said nothing.
WORDS = (
    ("N", "", "", "N", "P"),
    ("V", "V", "", "V", ""),
    ("J", "", "J", "", "R"),
    ("", "V", "", "V", "R"),
    ("N", "", "", "N", "P"),
)


def vote_columns(votes: list[tuple[int, int, int]], items: int, people: int, labels: int) -> Ballots:
    """Votes (item, person, label) as columns."""
    columns = np.array(votes, np.int64).reshape(-1, 3)
    return Ballots(columns[:, 0], columns[:, 1], columns[:, 2], items, people, labels)


def anaesthetists() -> Ballots:
    """Forty-five patients, five observers, four classes."""
    votes = [
        (patient, who, int(mark) - 1)
        for patient, marks in enumerate(PATIENTS.split())
        for who, mark in zip(OBSERVERS, marks, strict=True)
    ]
    return vote_columns(votes, 45, 5, 4)


def words() -> Ballots:
    """Five words, five annotators, five tags."""
    tags = "NVJRP"
    votes = [(item, who, tags.index(tag)) for item, row in enumerate(WORDS) for who, tag in enumerate(row) if tag]
    return vote_columns(votes, 5, 5, 5)


def simulated(seed: int, *, items: int = 300, accuracy: tuple[float, ...] = (0.95, 0.85, 0.75, 0.35)) -> Ballots:
    """Everybody judges every item with three labels; whoever errs says any label. The truth is `item % 3`."""
    random, n = np.random.default_rng(seed), len(accuracy)
    item, person = np.repeat(np.arange(items), n), np.tile(np.arange(n), items)
    right = random.random(items * n) < np.array(accuracy)[person]
    label = np.where(right, item % 3, random.integers(0, 3, items * n))
    return Ballots(item, person, label, items, n, 3)
