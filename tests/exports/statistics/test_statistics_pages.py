"""The page of a release's tables: asked for, computed by the job, shown, and kept as files; people once and for all."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.user import User
from annotation.datasheet.actions import demographics_save
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory, review
from tests.exports.releases.test_pages import client
from tests.exports.releases.test_statement import asked, says
from tests.exports.statistics.computed import computed
from tests.exports.world import Staged, build, freeze, rows, staged
from tests.shared_worlds import SharedWorlds
from validation.quality.actions.set_aside import set_aside_begin
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged)


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


def test_tables_are_asked_for_and_kept_as_files(made: Staged, tmp_path: Path) -> None:
    release = build(freeze(made, dev_percent="0"))
    lead = client(made.at.lead.user)
    at = reverse("statistics", args=[made.project.slug, release.n])
    assert "Nothing was computed yet" in lead.get(at).content.decode()
    assert lead.post(at).status_code == lead.post(at).status_code == 302
    (job,) = Job.objects.filter(kind="release_statistics")
    assert "hx-get" in lead.get(at).content.decode()
    assert not jobs.run_here(job).error
    page = lead.get(at).content.decode()
    assert "hx-get" not in page
    assert "IndoNLI, §3.3 and Table 5" in page
    names = {"project": made.project.slug, "n": release.n}
    drawn = lead.get(f"{at}sizes.csv")
    assert drawn["Content-Disposition"] == 'attachment; filename="{project}-{n}-sizes.csv"'.format(**names)
    lines = drawn.content.decode("utf-8-sig").splitlines()
    assert lines[0].startswith("split,items,label:e,label:n,label:c,class:")
    there = {split: len(rows(release, split)) for split in ("train", "test")}
    assert [line.split(",")[:2] for line in lines[1:]] == [
        *([split, str(n)] for split, n in there.items()),
        ["all", str(sum(there.values()))],
    ]
    paper = lead.get(f"{at}sizes.tex")
    assert paper["Content-Type"] == "application/x-tex; charset=utf-8"
    assert "\\caption{Rows by split, label and class. " in paper.content.decode()
    assert lead.get(f"{at}crossed.csv").status_code == 404
    out = StringIO()
    call_command("release_statistics", made.project.slug, "1", "--out", str(tmp_path / "t"), stdout=out)
    assert (tmp_path / "t" / "sizes.tex").read_text() == paper.content.decode()
    assert out.getvalue().splitlines()[0].startswith("sizes  3 rows")
    # Guarded as the page's files are: a concept can begin like a formula.
    for name in ("sizes", "quality"):
        kept = (tmp_path / "t" / f"{name}.csv").read_bytes().decode()
        assert kept == lead.get(f"{at}{name}.csv").content.decode("utf-8-sig")


def test_of_a_hidden_test_no_words_are_told(made: Staged) -> None:
    found = computed(build(freeze(made, hidden_test="yes", dev_percent="0"))).tables
    assert {row["split"] for row in found["sizes"]["rows"]} == {"train", "test", "all"}
    for table in ("words", "overlap"):
        assert {row["split"] for row in found[table]["rows"]} == {"train", "all"}
    alone = [{**row, "split": "train"} for row in found["words"]["rows"] if row["split"] == "all"]
    assert alone == [row for row in found["words"]["rows"] if row["split"] == "train"]
    labels = {row["split"]: row["label:e"] for row in found["sizes"]["rows"]}
    assert labels["test"] is labels["all"] is None
    assert labels["train"] is not None
    shown = computed(build(freeze(made, dev_percent="0"))).tables
    for table in ("rounds", "quality"):
        assert found[table] == shown[table], table


def test_a_release_that_is_not_ready_has_none(made: Staged) -> None:
    release = freeze(made)
    lead, at = client(made.at.lead.user), reverse("statistics", args=[made.project.slug, release.n])
    assert lead.post(at).status_code == 409
    with pytest.raises(CommandError, match="not ready"):
        call_command("release_statistics", made.project.slug, "1", "--out", "x", stdout=StringIO())


def test_votes_that_come_or_go_after_the_freeze_change_no_figure(made: Staged) -> None:
    release = build(freeze(made))
    first = computed(release).tables["people"]
    voted = Vote.objects.filter(item__project=made.project).values("annotator")
    fresh = [place for place in made.at.validators if not voted.filter(annotator=place).exists()]
    assert fresh
    assert made.at.lead.user
    set_aside_begin(annotator=made.at.validators[0], by=made.at.lead.user, reason="odd")
    review.decide()
    assert computed(release).tables["people"] == first
    there = release.rows.filter(left_out="").values("item")
    item = Item.objects.filter(pk__in=there, stage="voting", slots_free__gt=0)[0]
    review.cast_vote(review.assign(item, fresh[0]), "e")
    assert computed(release).tables["people"] == first


def test_people_are_told_above_the_threshold_and_by_no_two_tables(made: Staged, boss: User) -> None:
    """One more person alone changes nothing; with another one they are two, as many as the threshold."""
    asked(made, boss, threshold=2)
    people = [made.at.writer, *made.at.validators[:3]]
    words = {"ethnicity": "Sunda", "domicile": "Bogor", "gender": "perempuan"}
    for place in people[:2]:
        says(place, "Sunda", least=2)
        demographics_save(annotator=place, answers=words, least=2)
    release = build(freeze(made))
    first = computed(release)
    told = {"ethnicity": "Sunda", "domicile": "Bogor", "n": 2}
    assert first.tables["crossed"]["rows"] == [told]
    (row,) = first.tables["people"]["rows"]
    assert (row["is:perempuan"], row["people"] >= 4) == (2, True)
    says(people[2], "Sunda", least=2)
    demographics_save(annotator=people[2], answers=words, least=2)
    assert computed(release).tables["crossed"]["rows"] == [told]
    says(people[3], "Bali", least=2)
    demographics_save(annotator=people[3], answers={**words, "ethnicity": "Bali"}, least=2)
    # Four: three alike, and one that would follow from the sum.
    assert "crossed" not in computed(release).tables
