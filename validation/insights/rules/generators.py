"""Random numbers that a seed and a purpose decide, for what has to be drawn in NumPy."""

import hashlib

import numpy as np


def generator(seed: str, purpose: str) -> np.random.Generator:
    """Random numbers that the seed and the purpose decide."""
    digest = hashlib.sha256(f"{seed}:bootstrap:{purpose}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:8], "big")))
