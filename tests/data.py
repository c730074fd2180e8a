"""The published annotations that the engine is measured against; beside the checkout, never in it."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

# Small inputs that failed once, with what is right in their README.
CASES = DATA / "cases"

needs_data = pytest.mark.skipif(
    not (DATA / "MANIFEST.sha256").is_file(),
    reason="needs the published annotations in ../shared/data (not shipped, for their licences)",
)
needs_cases = pytest.mark.skipif(
    not (CASES / "README.md").is_file(), reason="needs the small inputs in ../shared/data/cases (not shipped)"
)
