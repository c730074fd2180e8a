"""The tables of a release of published data, to the digits of what a correct implementation gives."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_create
from annotation.text.formulas import spreadsheet_name
from annotation.text.rounding import half_up
from exports.formats.rules.kalahi_csv import read
from exports.releases.models import Release
from tests import review
from tests.data import DATA, needs_data
from tests.kalahi import simulate, store_choices
from tests.validation.imports_run import import_items

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.data, needs_data]
Row = dict[str, str]


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


def expected(name: str) -> Any:
    return json.loads((DATA / "expected" / f"{name}.json").read_text())


def tables(preset: str, file: str, out: Path, *changes: str, share: int = 1) -> dict[str, list[Row]]:
    """The CSV files of a release that was made of a file; of pairs without votes this share is validated."""
    project = project_create(slug=preset, name=preset, preset=preset, seed="s")
    Project.objects.filter(pk=project.pk).update(sample_share=share)
    import_items(project.slug, DATA / file)
    review.decide()
    return write_tables(preset, out, *changes)


def write_tables(project: str, out: Path, *changes: str) -> dict[str, list[Row]]:
    """The CSV files of a release of a project, named as its preset."""
    options = [option for change in changes for option in ("--set", change)]
    call_command("build_release", project, "--out", str(out / "release"), "--no-licence", *options, stdout=StringIO())
    n = Release.objects.get(project__slug=project).n
    call_command("release_statistics", project, str(n), "--out", str(out / "tables"), stdout=StringIO())
    found = {}
    copies = {spreadsheet_name(path.with_suffix(".csv").name) for path in (out / "tables").glob("*.tex")}
    for path in (out / "tables").glob("*.csv"):
        if path.name in copies:
            continue
        with path.open(encoding="utf-8", newline="") as lines:
            found[path.stem] = list(csv.DictReader(lines))
        drawn = path.with_suffix(".tex").read_text(encoding="utf-8")
        rows = [line for line in drawn.splitlines() if line.endswith(" \\\\")]
        spec = drawn.split("\\begin{tabular}{")[1].split("}")[0]
        assert len(rows) == len(found[path.stem]) + 1
        assert {row.replace("\\&", "").count(" & ") for row in rows} == {len(spec) - 1}
    return found


def told(row: Row, digits: int, *names: str) -> list[float]:
    return [float(half_up(float(row[name]), digits)) for name in names]


def test_the_experts_half_of_indonli(tmp_path: Path) -> None:
    """Tables 2, 3, 4, 5 and 9."""
    found = tables("indonli-expert", "indonli/expert_replay.jsonl", tmp_path)
    sums, lexical = expected("indonli_expert_replay"), expected("indonli_expert_replay_lexical")
    with_authors, without = found["rounds"]
    assert int(with_authors["used"]) == sums["labels_incl_authoring"]
    assert int(with_authors["five"]) == sums["labels_mnli_5N"]
    assert told(with_authors, 2, "percent") == [sums["saving_pct_2_digits"]]
    assert int(without["used"]) == sums["validation_labels_only"]
    assert told(without, 1, "percent") == [sums["validation_saving_pct"]]
    figures = {row["measure"]: row for row in found["quality"]}
    assert int(figures["Individual label is the gold label"]["n"]) == sums["individual_equals_gold"]
    assert told(figures["Individual label is the gold label"], 1, "percent") == [sums["individual_equals_gold_pct"]]
    assert int(figures["Gold label is the author's label"]["n"]) == sums["gold_equals_author"]
    assert int(figures["Gold label is not the author's label"]["n"]) == sums["gold_differs_from_author"]
    (size,) = found["sizes"]
    assert {key: int(size[f"label:{key}"]) for key in "ecn"} == sums["gold_label_counts"]
    classes = {"single": "single", "double": "double", "multiple": "paragraph"}
    assert {name: int(size[f"class:{key}"]) for name, key in classes.items()} == sums["sentence_size"]
    # Counted by letters and digits, hypotheses would have 9.4 (4.2) words (Table 4 of the whole set: 9.3, not 9.4).
    for text, figures in lexical["length_in_whitespace_words_mean_sd"].items():
        assert told(size, 1, f"mean:{text.title()}", f"sd:{text.title()}") == figures
    medians = lexical["overlap"]["medians"]
    for row in found["overlap"]:
        wanted = medians[row["label"]]
        assert told(row, 1, "jaccard", "lcs", "new") == [wanted[name] for name in ("jaccard", "lcs", "new_types")]
        assert int(row["n"]) == wanted["n"]
        assert float(row["jaccard_ends_low"]) <= float(row["jaccard"]) <= float(row["jaccard_ends_high"])
    assert len(found["overlap"]) == 3
    for key, top in lexical["pmi"]["top5"].items():
        mine = [row for row in found["words"] if row["label"] == key]
        assert [(row["word"], int(row["n"]), int(row["of"])) for row in mine] == [
            (word, n, of) for word, _, n, of in top[:3]
        ]
        assert [told(row, 4, "pmi") for row in mine] == [[pmi] for _, pmi, _, _ in top[:3]]
    assert set(found) == {"rounds", "quality", "sizes", "overlap", "words"}


def test_the_lay_sample_by_split(tmp_path: Path) -> None:
    """Nobody validated it: all rows are train's, or shared out; sums over splits are those of the file."""
    changes = "not_sampled=dealt", "train_percent=60", "dev_percent=20"
    found = tables("indonli-lay", "indonli/lay_sample.jsonl", tmp_path, *changes, share=0)
    lexical = expected("indonli_lay_sample_lexical")
    sizes = {row["split"]: row for row in found["sizes"]}
    assert list(sizes) == ["train", "dev", "test", "all"]
    for name in ("items", "label:e", "label:c", "label:n", "class:single"):
        assert sum(int(sizes[split][name]) for split in ("train", "dev", "test")) == int(sizes["all"][name])
    whole = [row for row in found["overlap"] if row["split"] == "all"]
    assert len(found["overlap"]) == 12
    for row in whole:
        wanted = lexical["overlap"]["medians"][row["label"]]
        assert told(row, 1, "jaccard", "lcs", "new") == [wanted[name] for name in ("jaccard", "lcs", "new_types")]
    words = {(row["split"], row["label"]): row["word"] for row in reversed(found["words"])}
    assert [words["all", key] for key in "ecn"] == [lexical["pmi"]["top5"][key][0][0] for key in "ecn"]


def test_kalahi(tmp_path: Path) -> None:
    """Table 3 with all eleven topics, and the sizes of both categories (§3.1)."""
    wanted = expected("kalahi_filipino")
    project = project_create(slug="kalahi", name="kalahi", preset="kalahi", seed="s")
    prompts = read((DATA / "kalahi/filipino.csv").read_bytes())
    store_choices(project, prompts, simulate(prompts, "s"))
    found = write_tables("kalahi", tmp_path)
    assert {row["concept"]: int(row["n"]) for row in found["concepts"]} == wanted["topic_as_published"]
    (size,) = found["sizes"]
    assert {name: int(size[f"class:{name}"]) for name in wanted["category"]} == wanted["category"]
