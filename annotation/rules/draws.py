"""Every draw of the house: a sample, a split, a queue's order, shuffled options.

A draw depends on nothing but the seed, its purpose and the key, so that a stranger gets the same one
on any machine, database and version.
"""

from collections.abc import Iterable
from hashlib import sha256

_FLOAT_BITS = 53
_DRAW_BITS = 63


def draw(seed: str, purpose: str, key: str) -> int:
    """Draw a whole number of 63 bits (it fits a bigint): the head of sha256("seed:purpose:key")."""
    digest = sha256(f"{seed}:{purpose}:{key}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def fraction(seed: str, purpose: str, key: str) -> float:
    """Draw a fraction in [0, 1), from the upper 53 bits so that rounding never gives 1."""
    return (draw(seed, purpose, key) >> (_DRAW_BITS - _FLOAT_BITS)) / (1 << _FLOAT_BITS)


def order(seed: str, purpose: str, keys: Iterable[str]) -> list[str]:
    """Put keys in drawn order; equal draws, should they ever happen, go by key."""
    return sorted(keys, key=lambda key: (draw(seed, purpose, key), key))
