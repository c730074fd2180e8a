"""Labels that are given to the same items: from the number of votes of each item for each label.

Rows of the matrix are items, columns labels. NumPy, so that a million votes take milliseconds.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.int64]


def count_votes_by_label(items: "Matrix", labels: "Matrix", sizes: tuple[int, int]) -> "Matrix":
    """How many votes each item has for each label, from the places of both of every vote; `sizes` of the matrix."""
    import numpy as np

    rows, columns = sizes
    flat = np.bincount(items * columns + labels, minlength=rows * columns)
    return flat.reshape(rows, columns).astype(np.int64, copy=False)


def label_cooccurrence(matrix: "Matrix") -> "Matrix":
    """How often a vote for the one label meets one for the other on the same item.

    Two different labels are counted at both places, two votes for the same one once: what lies in the diagonal
    agrees, and the upper half with it is all pairs of votes.
    """
    import numpy as np

    crossed: Matrix = matrix.T @ matrix
    same = np.diag(crossed) - matrix.sum(axis=0)
    np.fill_diagonal(crossed, same // 2)
    return crossed


def patterns(matrix: "Matrix") -> dict[tuple[int, ...], int]:
    """How often votes fell so: (4, 1) is four for one label and one for another; the most frequent first."""
    import numpy as np

    if not matrix.size:
        return {}
    ordered = -np.sort(-matrix, axis=1)
    found, times = np.unique(ordered[ordered[:, 0] > 0], axis=0, return_counts=True)
    listed = [(tuple(int(n) for n in row if n), int(count)) for row, count in zip(found, times, strict=True)]
    return dict(sorted(listed, key=lambda each: (-each[1], tuple(-n for n in each[0]))))
