"""Whom the rules of gold questions pause, over 200 seeded teams of each sort: the figures of docs/qc-leads.md."""

import pytest

from tests.conventions import sources
from tests.validation.quality.simulation import outcome


@pytest.mark.parametrize(
    ("team", "least", "most", "shown"),
    [
        ("careful", 0.0, 0.0099, (0.0, 0.0099)),
        ("hasty", 0.25, 1.0, (0.99, 1.0)),
        ("random", 0.99, 1.0, (0.99, 1.0)),
        ("one label", 0.99, 1.0, (0.99, 1.0)),
        ("colluding", 0.99, 1.0, (0.99, 1.0)),
    ],
)
def test_who_is_paused(team: str, least: float, most: float, shown: tuple[float, float]) -> None:
    found = outcome(team)
    assert found.people == 600
    assert least <= found.paused <= most
    assert shown[0] <= found.shown <= shown[1]
    said = f"| {team} | {100 * found.paused:.1f} % |"
    after = f" {found.median_votes:.0f} | {found.most_votes} |" if found.median_votes else " – | – |"
    after += f" {100 * found.shown:.1f} % |"
    assert said + after in (sources.ROOT / "docs/qc-leads.md").read_text()
