"""check_integrity on releases: a file that is gone or changed, a frozen row that is lost (I10)."""

import pytest

from exports.releases.models import ReleaseRow
from tests.exports.world import build, folder, freeze, staged
from validation import integrity

pytestmark = pytest.mark.django_db


def test_releases_are_whole_or_said_not_to_be() -> None:
    made = staged()
    release = build(freeze(made))
    project = release.project
    assert list(integrity.run(project=project)) == []
    (folder(release) / "train.jsonl").write_bytes(b"{}\n")
    (folder(release) / "votes.jsonl").unlink()
    ReleaseRow.objects.filter(pk=release.rows.order_by("pk")[0].pk).delete()
    found = list(integrity.run(project=project, repair=True))
    assert {(breach.invariant, breach.what) for breach in found} == {
        ("I10", "train.jsonl"),
        ("I10", "votes.jsonl"),
        ("I10", "frozen rows"),
    }
    assert not any(breach.repaired for breach in found)
    assert {breach.found for breach in found if breach.what == "votes.jsonl"} == {"not there"}
