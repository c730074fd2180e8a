"""A fresh release of every preset is what its own files say, whether people voted here or a file brought the votes."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from annotation import presets
from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.presets import Preset
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules.settings import default_rules, layout_of
from exports.releases.verify import verify
from tests import factory, review, translations
from tests.exports.aligned import world as aligned
from tests.exports.world import build, folder, manifest, rows
from tests.validation.imports_run import import_items
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.votes import vote_cast

pytestmark = pytest.mark.django_db
Row = dict[str, Any]
MACHINES = ("llm-adapt", "llm-gen", "mcsqa")
PEOPLE = [f"V{n}" for n in range(1, 6)]
UNKNOWN_WHEN = "imported; when they were given is not known"


def of_presets(*left_out: str) -> pytest.MarkDecorator:
    """Every preset but those that have a test of their own."""
    chosen = [preset for preset in presets.all_presets() if preset.slug not in left_out]
    return pytest.mark.parametrize("preset", chosen, ids=lambda preset: preset.slug)


@pytest.fixture(autouse=True)
def _without_redis(settings: Any) -> None:
    settings.REDIS_URL = ""


def pair(n: int, vote: str) -> Row:
    text = {"premise_id": f"p{n}", "premise": f"Ibu membeli {n} mangga.", "sentence_size": "single"}
    votes = [{"annotator": name, "label": vote} for name in PEOPLE[:4]]
    return {**text, "pair_id": f"x{n}", "hypothesis": f"Ada {n} buah.", "author_label": "e", "votes": votes}


def question(n: int, vote: str) -> Row:
    choices = {"label": list("ABCDE"), "text": [f"{name} {n}" for name in ("duduk", "tidur", "lari", "masak", "cuci")]}
    text = {"category": "culture", "question_concept": f"tikar {n}", "question": f"Untuk apa tikar {n}?"}
    return {"id": f"q{n}", **text, "choices": choices, "answer_creator": "A", "answers": dict.fromkeys(PEOPLE, vote)}


def prompt(n: int, vote: str) -> Row:
    return {
        "prompt_variation_id": f"{n:02}00000100",
        "category": "ethics",
        "topic": "kondangan",
        "prompt": f"Tetangga nomor {n} mengundang saya.\nApa yang saya bawa?",
        "best_answer": f"Amplop {n}",
        "relevant_answers": [f"Amplop {n}", f"Kado {n}", f"Doa {n}"],
        "irrelevant_answers": [f"Tidak {n}", f"Sisa makanan {n}", f"Tagihan {n}"],
        "answers": dict.fromkeys(PEOPLE[:3], vote),
    }


# Of each kind: a row that is an item with its votes, what the author says, and something else that people may say.
ITEMS = {
    "nli": (pair, "e", "c"),
    "mcq": (question, "A", "B"),
    "mcq-judged": (question, "yes", "no"),
    "cultural": (prompt, "R1", "I1"),
}


def project_with_items(preset: Preset, path: Path, *, votes: bool) -> Project:
    """A project of the preset with the items of a file, and with its votes if they are wanted."""
    project = factory.project("own", preset=preset.slug, settings={"spacing": 0, "check_first": False})
    make, same, other = ITEMS[project.kind]
    given = [make(n, other if n == 3 else same) for n in range(1, 7)]
    left = () if votes else ("votes", "answers")
    given = [{name: value for name, value in row.items() if name not in left} for row in given]
    source = path / "items.jsonl"
    source.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in given))
    code, report = import_items(project.slug, source, *(("--machine", "x") if preset.slug in MACHINES else ()))
    assert (code, report["refused"]) == (0, 0), report["rows"]
    review.decide()
    return project


def vote_on_everything(project: Project) -> None:
    """Most say what the author said, each fourth card something else, until nobody is asked any more."""
    _, same, other = ITEMS[project.kind]
    while Item.objects.filter(project=project, stage="voting").exists():
        voter, target, n = factory.member(project, "validator"), project.targets.get(), 0
        assert voter.user_id is not None
        while (claimed := assignment_claim(annotator=voter, target=target, spacing=0)) is not None:
            n += 1
            ballot = Ballot(other if n % 4 == 0 else same)
            vote_cast(user_id=voter.user_id, slug=project.slug, token=claimed.token, ballot=ballot)
        review.decide()


def released(project: Project) -> Release:
    """Frozen by the rules of its preset, with its files; every form of it."""
    rules = default_rules(layout_of(project.kind_spec.shape), project.rules.release)
    return build(release_freeze(project=project, rules=rules, by=None))


def sound(release: Release) -> dict[str, Any]:
    """The manifest of a release whose files say the same as the votes, and can be built again."""
    verified = verify(folder(release))
    assert verified.right, [fault for check in verified.checks for fault in check.faults]
    assert verified.rebuilt is not None
    return manifest(release)


def card_of(release: Release) -> str:
    return (folder(release) / "README.md").read_text()


@of_presets("loraxbench")
def test_a_fresh_release_with_votes_given_here(preset: Preset, tmp_path: Path) -> None:
    project = project_with_items(preset, tmp_path, votes=False)
    vote_on_everything(project)
    release = released(project)
    told = sound(release)
    first = told["counts"]["arose"].get("first_voter_agrees")
    # Rows of judged questions tell no answer of their author's; of the others of machines none is voted on.
    assert (first is None) == (preset.slug in MACHINES)
    assert [version["votes_before"] for version in told["protocols"]] == [0]
    assert "Protocol 1 was made before the first vote" in card_of(release)
    assert not any("imported" in vote for vote in rows(release, "votes"))


@of_presets("loraxbench", "mcsqa")  # no form of file has judgements of given answers
def test_a_fresh_release_with_votes_of_a_file(preset: Preset, tmp_path: Path) -> None:
    """Nobody knows when they were given: no figure and no sentence says that they came after something."""
    release = released(project_with_items(preset, tmp_path, votes=True))
    told, card = sound(release), card_of(release)
    assert told["counts"]["people"]["votes_imported"] == told["counts"]["votes"]["given"] > 0
    assert "first_voter_agrees" not in told["counts"]["arose"]
    assert [version["votes_before"] for version in told["protocols"]] == [None]
    assert UNKNOWN_WHEN in card
    assert not [words for words in ("first vote", "after votes", "No rule was changed") if words in card]
    assert {vote["imported"] for vote in rows(release, "votes")} == {True}


def test_a_fresh_release_of_translations() -> None:
    at = aligned.project_with_sets({"pair": translations.pair_rows(2)})
    aligned.approve_everything(at)
    assert sound(released(at.project))["counts"]["released"]


def test_votes_of_both_kinds_are_told_apart(tmp_path: Path) -> None:
    """Only pairs of author and a first vote that was given here are counted."""
    project = project_with_items(presets.get("indonli-expert"), tmp_path, votes=True)
    review.decide()
    writer = factory.member(project, "writer")
    factory.written_pairs(project, writer, 1)
    review.decide()
    vote_on_everything(project)
    release = released(project)
    told, card, cast = sound(release), card_of(release), rows(release, "votes")
    here = {vote["pair_id"]: vote["split"] for vote in cast if not vote["imported"]}
    first = told["counts"]["arose"]["first_voter_agrees"]
    assert (first["of"], first["left_out"]) == (len(here), list(here.values()).count(None))
    assert first["of"] > first["left_out"] > 0
    imported, given = told["counts"]["people"]["votes_imported"], told["counts"]["votes"]["given"]
    assert 0 < imported == sum(vote["imported"] for vote in cast) < given == len(cast)
    assert f"{imported} of the {given} votes: {UNKNOWN_WHEN}." in card
    assert "Protocol 1 was made before the first vote given here" in card
