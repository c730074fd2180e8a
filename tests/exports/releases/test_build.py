"""What a release holds: rows, votes, manifest and card of a project with items in every stage."""

import hashlib
from pathlib import Path

import pytest

from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Premise
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.releases.models import Release, ReleaseRow
from tests import factory, review
from tests.exports.world import Staged, build, files, folder, freeze, manifest, released_pair_id, rows, staged
from tests.shared_worlds import SharedWorlds
from validation.people.actions import account_delete
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import adjudicate
from validation.voting.actions.steps import exclude
from validation.voting.actions.votes import vote_take_back, vote_void
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged)


def by_key(release: Release, made: Staged) -> dict[str, tuple[str, str, str, str]]:
    names = {item.key: name for name, item in made.items.items()}
    found = release.rows.values_list("key", "split", "label", "label_source", "left_out")
    return {names[key]: tuple(rest) for key, *rest in found}  # type: ignore[misc]


def test_each_stage_finds_its_place(made: Staged) -> None:
    release = build(freeze(made))
    places = by_key(release, made)
    assert {places["1-e1"][:3], places["1-e2"][:3]} == {("dev", "e", "gold"), ("dev", "n", "gold")}
    expected = {
        "1-n1": ("train", "n", "adjudicated", ""),
        "1-n2": ("train", "n", "author", ""),
        "1-c1": ("", "", "", "voting"),
        "1-c2": ("", "", "", "excluded"),
        "2-e1": ("", "", "", "returned"),
        "2-e2": ("", "", "", "corrected"),
        "3-e1": ("", "", "", "voting"),
    }
    assert {name: places[name] for name in expected} == expected


def test_rows_of_the_expert_release(made: Staged) -> None:
    release = build(freeze(made, "indonli-expert"))
    assert sorted(path.name for path in folder(release).iterdir()) == [
        "README.md",
        "guidelines",
        "manifest.json",
        "picture.html",
        "test.jsonl",
        "train.jsonl",
        "votes.jsonl",
    ]
    item = made.items["1-e2"]
    row = next(row for row in rows(release, "test") if row["pair_id"] == released_pair_id(item))
    voters = list(Vote.objects.filter(item=item).order_by("n").values_list("annotator__pseudonym", flat=True))
    premise = Premise.objects.get(pk=item.family)
    assert row == {
        "pair_id": released_pair_id(item),
        "premise_id": premise.key,
        "premise": premise.text,
        "hypothesis": factory.SET["e2"],
        "label": "neutral",
        "label_source": "gold",
        "gold_label": "neutral",
        "author_label": "entailment",
        "annotator_labels": ["entailment", "neutral", "neutral", "neutral"],
        "annotator_ids": [made.at.writer.pseudonym, *voters],
        "annotation_round": 2,
        "sentence_size": "single",
        "inference_phenomena": [],
        "genre": "",
        "source": "",
        "topics": "",
        "document": premise.document,
        "n_labels": 4,
        "stop_reason": "quorum",
        "flags": [],
        "split": "test",
        "language": "id",
        "register": "",
        "origin": "written",
        "revision": 1,
        "guideline": 1,
    }
    assert [row["pair_id"] for row in rows(release, "train")] == [released_pair_id(made.items["1-n1"])]


def test_gold_is_what_votes_made_and_label_what_to_train_on(made: Staged) -> None:
    release = build(freeze(made))
    train = {row["pair_id"]: row for row in rows(release, "train")}
    adjudicated, author = (
        train[released_pair_id(made.items["1-n1"])],
        train[released_pair_id(made.items["1-n2"])],
    )
    assert (adjudicated["label"], adjudicated["gold_label"], adjudicated["label_source"]) == (
        "neutral",
        "-",
        "adjudicated",
    )
    assert (author["label"], author["gold_label"], author["label_source"]) == ("neutral", "-", "author")
    assert author["annotation_round"] == 3


def test_votes_say_whether_they_count_and_why_not(made: Staged) -> None:
    item = made.items["1-e1"]
    vote_void(
        lead=made.at.lead,
        item_id=item.pk,
        vote_n=1,
        version=Item.objects.get(pk=item.pk).version,
        reason="Slip.",
    )
    review.decide()
    release = build(freeze(made))
    votes = [row for row in rows(release, "votes") if row["pair_id"] == released_pair_id(item)]
    assert [(row["n"], row["counted"], row["not_counted_because"], row["left_out"]) for row in votes] == [
        (1, False, "voided", "voting"),
        (2, True, None, "voting"),
    ]
    assert "comment" not in votes[0]
    assert release.counts["votes"]["given"] == Vote.objects.count()
    assert release.counts["votes"]["not_counted"] == {"voided": 1}


def test_votes_for_an_earlier_meaning_are_kept_and_do_not_count(made: Staged) -> None:
    item = Item.objects.get(pk=made.items["1-e1"].pk)
    correct(
        lead=made.at.lead,
        item_id=item.pk,
        version=item.version,
        field="hypothesis",
        text="Mangga tidak dijual di pasar.",
        meaning="new",
        words="Other meaning.",
    )
    review.decide()
    item = review.cast_votes(made.at, item, "e")
    release = build(freeze(made))
    votes = [row for row in rows(release, "votes") if row["pair_id"] == released_pair_id(item)]
    assert [(row["epoch"], row["revision"], row["not_counted_because"]) for row in votes] == [
        (1, 1, "new_meaning"),
        (1, 1, "new_meaning"),
        (2, 2, None),
    ]


def test_comments_only_where_the_rules_say_so(made: Staged) -> None:
    assert {row["comment"] for row in rows(build(freeze(made, comments="yes")), "votes")} == {"Ragu.", ""}


@pytest.mark.parametrize(("published", "left"), [("yes", True), ("no", False)])
def test_a_deleted_account_leaves_the_comments_that_a_release_holds(made: Staged, published: str, left: bool) -> None:
    """They are published, and the release is built again as it was; without such a release they are gone."""
    release = freeze(made, comments=published)
    before = rows(build(release), "votes")
    person = Vote.objects.filter(comment="Ragu.").order_by("pk")[0].annotator
    assert person.user is not None
    account_delete(user=person.user, password=factory.PASSWORD)
    assert Vote.objects.filter(annotator=person, comment="Ragu.").exists() == left
    assert rows(build(release), "votes") == before


def test_flags_that_stood_then(made: Staged) -> None:
    item = Item.objects.get(pk=made.items["1-e1"].pk)
    Flag.objects.create(project=made.project, item=item, code="ambiguous", version=item.version)
    Flag.objects.create(project=made.project, item=item, code="later", version=item.version + 1)
    release = freeze(made)
    Flag.objects.create(project=made.project, item=item, code="no_step", version=item.version)
    Flag.objects.filter(item=item, code="ambiguous").update(
        closed_at="2030-01-01T00:00Z", closed_version=item.version + 1
    )
    build(release)
    split = release.rows.get(item=item).split
    row = next(row for row in rows(release, split) if row["pair_id"] == released_pair_id(item))
    # Votes of tests are too fast: that is said of people, and not released.
    assert Flag.objects.filter(item=item, code="too_fast", closed_at=None).exists()
    assert row["flags"] == ["ambiguous"]
    assert not [name for name, data in files(release).items() if b"too_fast" in data]


def test_manifest_tells_all_and_sums_up(made: Staged) -> None:
    release = build(freeze(made))
    told = manifest(release)
    assert told["rules"]["seed"] == "s1"
    assert told["protocols"][0]["rules"]["name"] == "author + 2, +1, +1; three equal"
    for name, facts in told["files"].items():
        data = (folder(release) / name).read_bytes()
        assert facts["sha256"] == hashlib.sha256(data).hexdigest()
        assert facts["bytes"] == len(data)
        if name.endswith(".jsonl"):
            assert facts["rows"] == data.count(b"\n")
    there = {path.relative_to(folder(release)).as_posix() for path in folder(release).rglob("*") if path.is_file()}
    assert set(told["files"]) == there - {"manifest.json"}
    counts, left_out = told["counts"], told["left_out"]
    assert counts["items"] == len(made.items) == counts["released"] + sum(counts["left_out"].values())
    assert {reason: len(keys) for reason, keys in left_out.items()} == counts["left_out"]
    assert left_out["excluded"] == [released_pair_id(made.items["1-c2"])]
    for split, facts in counts["splits"].items():
        assert facts["rows"] == told["files"][f"{split}.jsonl"]["rows"] == sum(facts["labels"].values())
    assert counts["votes"]["given"] == told["files"]["votes.jsonl"]["rows"]


def test_card_reads_as_the_manifest(made: Staged) -> None:
    release = build(freeze(made))
    card = (folder(release) / "README.md").read_text()
    assert f"{release.counts['released']} items" in card
    assert "| excluded by a QC lead, or as ambiguous | 1 |" in card
    assert "2, then 1, then 1 votes" in card


def test_unfinished_sets_are_listed(made: Staged) -> None:
    from annotation.content.models.source import Allocation
    from annotation.kinds import SlotIn
    from annotation.writing.actions.allocation import allocations_assign
    from annotation.writing.actions.writing import draft_save

    factory.premises(made.project, 1, start=90)
    allocations_assign(target=made.project.targets.get(), writers=[made.at.writer], size=1)
    allocation = Allocation.objects.get(state="open")
    draft_save(writer=made.at.writer, token=allocation.token, slot="e1", content=SlotIn("Ada mangga."), version=0)
    told = manifest(build(freeze(made)))
    assert told["unfinished_sets"] == [{"premise": "p90", "writer": made.at.writer.pseudonym, "written": 1}]


# --- the same bytes ---------------------------------------------------------------------


def test_same_state_and_rules_give_the_same_bytes(made: Staged) -> None:
    assert files(build(freeze(made))) == files(build(freeze(made)))


def test_another_seed_gives_another_deal(made: Staged) -> None:
    review.cast_votes(made.at, made.items["3-e1"], "ee")
    texts = {files(build(freeze(made, seed=str(n))))["dev.jsonl"] for n in range(8)}
    assert len(texts) == 2  # two premises: one is in dev, or the other


def test_what_happens_after_the_freeze_changes_nothing(made: Staged) -> None:
    before = files(build(freeze(made)))
    release = freeze(made)
    at, items = made.at, {name: Item.objects.get(pk=item.pk) for name, item in made.items.items()}
    vote_void(lead=at.lead, item_id=items["1-e1"].pk, vote_n=2, version=items["1-e1"].version, reason="Slip.")
    correct(
        lead=at.lead,
        item_id=items["1-e2"].pk,
        version=items["1-e2"].version,
        field="hypothesis",
        text="Pisang dijual pagi-pagi.",
        meaning="new",
        words="Clearer.",
    )
    correct(
        lead=at.lead,
        item_id=items["1-n2"].pk,
        version=items["1-n2"].version,
        field="premise",
        text="Pedagang lain menjual mangga.",
        meaning="same",
        words="Clearer.",
    )
    exclude(lead=at.lead, item_id=items["1-n1"].pk, version=items["1-n1"].version + 1, words="No.")
    review.cast_votes(at, items["3-e1"], "ee", ambiguous=True)
    review.decide()
    assert files(build(release)) == before


def test_a_vote_that_a_release_holds_cannot_be_taken_back(made: Staged) -> None:
    person = Annotator.objects.get(pk=Vote.objects.order_by("-pk").values_list("annotator")[:1])
    freeze(made)
    with pytest.raises(Conflict):
        vote_take_back(annotator=person)
    late = review.cast_votes(made.at, made.items["3-n1"], "n")
    voter = Annotator.objects.get(votes__item=late)
    vote_take_back(annotator=voter)
    assert Vote.objects.get(item=late).withdrawn_why == "taken_back"


def test_texts_stand_as_they_were_written(made: Staged) -> None:
    """U+2028, a right-to-left mark and a combining accent: not escaped, not normalised."""
    text = "Ada\u2028mangga \u200fe\u0301 “di pasar” \\ \U0001f96d."
    item = made.items["1-e1"]
    Revision.objects.filter(item=item).update(content={"premise": "P", "hypothesis": text})
    release = build(freeze(made))
    data = b"".join(files(release)[f"{split}.jsonl"] for split in ("dev", "test"))
    assert text.replace("\\", "\\\\").encode() in data
    assert data.decode().count("\n") == 2


# --- refusals -----------------------------------------------------------------------------


def test_a_verdict_that_votes_do_not_give_is_not_released(made: Staged, data_dir: Path) -> None:
    Item.objects.filter(pk=made.items["1-e1"].pk).update(gold="c")
    release = freeze(made)
    assert release.job is not None
    job = jobs.run_here(release.job)
    release.refresh_from_db()
    assert (job.state, release.state) == (Job.State.FAILED, Release.State.FAILED)
    assert "its votes give e, but c is stored" in job.error
    assert f"check_integrity {made.project.slug}" in job.error
    assert not (data_dir / "releases").exists()


def test_no_consensus_that_votes_do_not_give_is_not_released(made: Staged) -> None:
    Vote.objects.filter(item=made.items["1-n2"]).update(label="n")
    release = freeze(made)
    assert release.job is not None
    assert "its votes give n, but no_consensus is stored" in jobs.run_here(release.job).error


def test_nothing_there_is_refused_and_leaves_nothing() -> None:
    with pytest.raises(Conflict, match="nothing to release"):
        freeze(review.World(factory.project(), None, None, None, [], []))  # type: ignore[arg-type]
    assert not Release.objects.exists()


def test_numbers_go_on_and_rows_are_one_an_item(made: Staged) -> None:
    assert [freeze(made).n for _ in range(3)] == [1, 2, 3]
    assert ReleaseRow.objects.count() == 3 * len(made.items)


def test_what_changed_since_the_last_one(made: Staged) -> None:
    build(freeze(made))
    at = made.at
    review.cast_votes(at, made.items["3-e1"], "ee")
    left = Item.objects.get(pk=made.items["1-n2"].pk)
    exclude(lead=at.lead, item_id=left.pk, version=left.version, words="No.")
    lead = Item.objects.get(pk=made.items["1-n1"].pk)
    adjudicate(lead=at.lead, item_id=lead.pk, version=lead.version, label="c", words="After all.")
    release = build(freeze(made))
    assert release.counts["since"] == {
        "n": 1,
        "added": 1,
        "removed": 1,
        "moved": 0,
        "relabelled": 1,
        "reworded": 0,
        "new_votes": 2,
    }


def test_the_job_done_twice_changes_nothing(made: Staged) -> None:
    release = build(freeze(made))
    before = files(release)
    Job.objects.filter(release_of=release).update(state=Job.State.QUEUED)
    assert release.job is not None
    assert jobs.run_here(release.job).result == {"path": release.path}
    assert files(release) == before
