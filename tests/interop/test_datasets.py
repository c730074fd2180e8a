"""A release of each kind in Hugging Face's `datasets`: by the names on its card, with the features that it says."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.interop,
    # The libraries' own: what they import is older than what they import it with.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]
LABELS = {
    "nli": ["entailment", "neutral", "contradiction"],
    "mcq": ["A", "B", "C", "D", "E"],
    "cultural": ["R1", "R2", "R3", "R4", "R5", "I1", "I2", "I3", "I4", "I5"],
}
SPAN = {"of": "string", "start": "int64", "end": "int64", "text": "string", "label": "string"}
CHOICES = {"label": ["string"], "text": ["string"]}
# Some columns of each release's first config, by their type.
FEATURES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "nli": ("id", {"annotator_labels": ["string"], "annotation_round": "int64", "premise": "string"}),
    "mcq": ("id", {"choices": CHOICES, "answers": "string", "flags": ["string"], "guideline": "int64"}),
    "mcq-judged": ("id", {"choices": CHOICES, "judgements": "string", "silver": "bool", "run": "int64"}),
    "by-machine": ("id", {"choices": CHOICES, "raw": "string", "silver": "bool"}),
    "cultural": (
        "id",
        {
            "responses": [{"key": "string", "text": "string", "role": "string"}],
            "relevant_answers": ["string"],
            "best_share": "float64",
        },
    ),
    "translation": ("causal-en", {"choice1": "string", "reviewers": ["string"], "source_revision": "int64"}),
    "several": ("id-pasangan", {"hypothesis": "string"}),
    "extractive-qa": (
        "id",
        {"answer": [SPAN], "annotator_answer": [[SPAN]], "annotator_ids": ["string"], "passage": "string"},
    ),
    "preference": (
        "id",
        {"better": "string", "criteria_correct": "string", "annotator_better": ["string"]},
    ),
    "toxicity": (
        "id",
        {"toxicity": "int64", "annotator_toxicity": ["int64"], "reasons": ["string"], "why": "string"},
    ),
    "hidden": ("id", {"hypothesis": "string"}),
}


@pytest.fixture
def loaded(releases: dict[str, Path], tmp_path: Path) -> Any:
    """Loads a config of a release by its name."""
    import datasets

    def load(release: str, name: str) -> Any:
        return datasets.load_dataset(str(releases[release]), name, cache_dir=str(tmp_path))

    return load


def plain(feature: Any) -> Any:
    """A feature in few words: its type, in a list where it is a list of them."""
    if isinstance(feature, Mapping):
        return {name: plain(each) for name, each in feature.items()}
    return [plain(feature.feature)] if hasattr(feature, "feature") else feature.dtype


def lines(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_bytes().splitlines())


def names_of(release: Path) -> list[str]:
    import datasets

    found: list[str] = datasets.get_dataset_config_names(str(release))
    return found


@pytest.mark.parametrize("release", FEATURES)
def test_features_are_right(release: str, loaded: Any) -> None:
    name, wanted = FEATURES[release]
    for split in loaded(release, name).values():
        assert {column: plain(split.features[column]) for column in wanted} == wanted


@pytest.mark.parametrize(
    ("release", "name", "labels"),
    [
        ("nli", "id", LABELS["nli"]),
        ("hidden", "id", LABELS["nli"]),
        ("several", "id-pasangan", LABELS["nli"]),
        ("several", "id-soal", LABELS["mcq"]),
        ("mcq", "id", LABELS["mcq"]),
        ("mcq-judged", "id", LABELS["mcq"]),
        ("mcq-judged", "id-raw", LABELS["mcq"]),
        ("cultural", "id", LABELS["cultural"]),
        ("translation", "nli-id-resmi", LABELS["nli"]),
        ("preference", "id", ["A", "B", "tie"]),
        ("toxicity", "id", ["1", "2", "3", "4", "5"]),
        ("translation", "causal-id-santai", ["choice1", "choice2"]),
    ],
)
def test_labels_are_classes(release: str, name: str, labels: list[str], loaded: Any) -> None:
    for split in loaded(release, name).values():
        assert split.features["label"].names == labels


@pytest.mark.parametrize("release", [name for name in FEATURES if name != "several"])
def test_every_config_loads_and_holds_the_rows_of_its_files(
    release: str, releases: dict[str, Path], loaded: Any
) -> None:
    folder, seen = releases[release], 0
    for name in names_of(folder):
        for split in loaded(release, name).values():
            seen += split.num_rows
    files = [path for path in folder.rglob("*.jsonl") if path.stem != "diagnostic"]
    ours = [path for path in files if path.relative_to(folder).parts[0] != "hidden"]
    assert seen == sum(len(path.read_bytes().splitlines()) for path in ours)


def test_texts_and_labels_are_those_of_the_lines(releases: dict[str, Path], loaded: Any) -> None:
    for split, file in (("train", "train"), ("validation", "dev"), ("test", "test")):
        rows = loaded("nli", "id")[split]
        label = rows.features["label"]
        for found, line in zip(rows, lines(releases["nli"] / f"{file}.jsonl"), strict=True):
            assert found | {"label": label.int2str(found["label"])} == line


def test_spans_and_preferences_are_those_that_people_gave(loaded: Any) -> None:
    spans = {row["id"]: row for row in loaded("extractive-qa", "id")["test"]}
    assert spans["q1"]["answer"] == [{"of": "passage", "start": 68, "end": 72, "text": "2000", "label": ""}]
    assert (spans["q2"]["answer"], spans["q2"]["gold_label"]) == ([], "~")
    assert spans["q1"]["annotator_answer"] == [spans["q1"]["answer"]] * 3
    better = {row["id"]: row for row in loaded("preference", "id")["test"]}
    assert {key: (row["better"], row["criteria_correct"]) for key, row in better.items()} == {
        "p1": ("A", "yes"),
        "p2": ("tie", "yes"),
    }
    assert better["p2"]["annotator_better"] == ["tie"] * 3


def test_a_hidden_test_has_texts_and_no_labels(loaded: Any) -> None:
    rows = loaded("hidden", "id")
    assert set(rows["test"]["label"]) == {None}
    assert None not in [*rows["train"]["label"], *rows["validation"]["label"]]
    assert all(rows["test"]["hypothesis"])


def test_a_release_of_several_projects_has_the_configs_of_each(releases: dict[str, Path]) -> None:
    further = [f"{name}-{suffix}" for suffix in ("pasangan", "soal") for name in ("votes", "soft-labels")]
    assert names_of(releases["several"]) == ["id-pasangan", "id-soal", *further]


def test_votes_and_soft_labels_are_configs(releases: dict[str, Path], loaded: Any) -> None:
    votes = loaded("nli", "votes")["votes"]
    stored = list(lines(releases["nli"] / "votes.jsonl"))
    assert [{**vote, "answers": json.loads(vote["answers"])} for vote in votes] == stored
    for split, file in (("validation", "dev"), ("test", "test")):
        counted = list(lines(releases["nli"] / "distributions" / f"{file}.jsonl"))
        found = list(loaded("nli", "soft-labels")[split])
        assert found == counted


def test_a_split_without_rows_does_not_keep_the_others_from_loading(releases: dict[str, Path], loaded: Any) -> None:
    """`datasets` refuses one that a config names."""
    train = releases["no-train"] / "train.jsonl"
    assert not train.exists() or train.read_bytes() == b""
    assert set(loaded("no-train", "id")) == {"validation", "test"}


def test_an_aligned_release_has_a_config_for_each_task_and_target(releases: dict[str, Path]) -> None:
    targets = ("en", "id-resmi", "id-santai")
    tasks = ("causal", "nli", "reading", "open-qa")
    wanted = {f"{task}-{target}" for task in tasks for target in targets}
    wanted |= {f"translation-{target}" for target in targets[1:]} | {"votes"}
    assert set(names_of(releases["translation"])) == wanted
