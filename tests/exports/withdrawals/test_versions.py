"""A version of a release without what was withdrawn: which rows and votes go, what stays, and that it verifies."""

from typing import Any

import pytest
from django.urls import reverse

from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Premise
from annotation.core.actions.members import annotator_add
from annotation.core.errors import Conflict, Invalid, Refusal
from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from exports.releases.models import Release, Withdrawal
from exports.releases.verify import verify
from exports.releases.withheld import Withdrawn
from exports.withdrawals.actions import consent_withdraw, release_replace
from exports.withdrawals.queries import Effect, effect_of, find_withdrawn, own_share
from tests import factory, translations
from tests.exports.aligned import world
from tests.exports.world import Staged, build, files, folder, freeze, manifest, released_pair_id, rows, staged
from tests.pay import browser_of
from tests.review import cast_votes
from tests.shared_worlds import SharedWorlds
from validation.voting.actions.steps import exclude
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
BECAUSE = "One of our annotators withdrew their consent."


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged, slug="own")


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


def voters_of(item: Item) -> list[Annotator]:
    return [vote.annotator for vote in Vote.objects.filter(item=item).select_related("annotator").order_by("n")]


def replaced(release: Release, boss: User, kind: str = "withdrawal", **names: Any) -> Release:
    named = find_withdrawn(release, **{"people": [], "items": [], "sources": [], **names})
    return build(release_replace(release=release, kind=kind, reason=BECAUSE, named=named, by=boss))


def by_id(release: Release) -> dict[str, dict[str, Any]]:
    return {row["pair_id"]: row for split in ("train", "dev", "test") for row in rows(release, split)}


def assert_verified(release: Release) -> None:
    report = verify(folder(release))
    assert report.rebuilt is not None
    faults = [fault for check in (*report.checks, report.rebuilt) for fault in check.faults]
    assert (faults, report.right) == ([], True)


def test_who_withdraws_is_in_no_later_version_and_no_vote_changes(made: Staged, boss: User) -> None:
    """The gold of e2 stood on its third vote: the row goes. n2 has no gold either way: it stays, without the vote. Rows
    that the person never saw are the same in their split, and what they voted on others' items is in no file."""
    release, item = build(freeze(made)), made.items["1-e2"]
    gone = voters_of(item)[2]
    before, stored = by_id(release), list(Vote.objects.order_by("pk").values())
    assert gone.user is not None
    consent_withdraw(annotator=gone, by=gone.user)
    assert effect_of(release, Withdrawn()) == Effect(rows=1, without_gold=1, votes=3, remaining=3)
    new = build(release_replace(release=release, kind="withdrawal", reason=BECAUSE, named=Withdrawn(), by=boss))
    assert list(Vote.objects.order_by("pk").values()) == stored
    after, public = by_id(new), released_pair_id(item)
    assert manifest(new)["left_out"]["gold_withdrawn"] == [public]
    assert before.keys() - after.keys() == {public}
    assert gone.pseudonym in b"".join(files(release).values()).decode()
    assert gone.pseudonym not in b"".join(files(new).values()).decode()
    touched = {name for name, row in before.items() if gone.pseudonym in row["annotator_ids"]}
    assert {name for name in after if after[name] != before[name]} == touched - {public} != set()
    for name, row in after.items():
        assert [row[key] for key in ("split", "label", "gold_label")] == [
            before[name][key] for key in ("split", "label", "gold_label")
        ]
    assert_verified(new)
    assert_verified(release)
    gone.refresh_from_db()
    assert gone.left_at is not None


def test_who_came_back_leaves_again_and_the_withdrawal_covers_what_came_since(made: Staged, boss: User) -> None:
    gone, item = made.at.validators[0], made.items["3-e1"]
    assert gone.user is not None
    first = consent_withdraw(annotator=gone, by=gone.user)
    lead = browser_of(made.at.lead)
    note = "Withdrew consent"
    assert note not in lead.get(reverse("people", args=["own"])).text
    annotator_add(project=made.project, user=gone.user, validator=True, by=boss)
    assert note in lead.get(reverse("people", args=["own"])).text
    Annotator.objects.filter(pk=gone.pk).update(region="Bandung")
    cast_votes(made.at, item, "ee")
    assert gone in voters_of(item)
    browser, address = browser_of(gone), reverse("my_withdrawal", args=["own"])
    assert 'name="sure"' in browser.get(address).text
    assert browser.post(address, {"sure": "yes"}).status_code == 302
    gone.refresh_from_db()
    assert (gone.left_at is not None, gone.region) == (True, "")
    assert Withdrawal.objects.get() == first
    later = build(freeze(made))
    assert gone.pseudonym not in b"".join(files(later).values()).decode()
    assert own_share(gone.user, gone).releases == []


def test_everything_that_a_writer_wrote_goes_with_the_votes_on_it(made: Staged, boss: User) -> None:
    """A text is somebody's where they made any revision of it; and so it is in releases that are frozen later."""
    release, other = build(freeze(made)), factory.member(made.project, "writer")
    item, edited = made.items["1-e1"], made.items["1-n2"]
    Item.objects.filter(pk=item.pk).update(author=other)
    Revision.objects.filter(item=edited).update(by=other)
    new = replaced(release, boss, people=[other.pseudonym])
    later = build(freeze(made))
    public = {released_pair_id(item), released_pair_id(edited)}
    for version in (new, later):
        assert set(manifest(version)["left_out"]["withdrawn"]) == public
        assert not public & {row["pair_id"] for row in [*by_id(version).values(), *rows(version, "votes")]}
        assert_verified(version)
    assert "replaces" not in manifest(later)


def test_a_takedown_names_items_and_sources(made: Staged, boss: User) -> None:
    release, item = build(freeze(made, forms="")), made.items["1-e1"]
    with pytest.raises(Invalid, match="nowhere"):
        find_withdrawn(release, people=[], items=["nowhere"], sources=[])
    source = find_withdrawn(release, people=[], items=[], sources=[Premise.objects.get(pk=item.family).key])
    assert effect_of(release, source).rows == len(by_id(release)) == 4
    # By its id in the files, as a holder of rights has it, or by its key.
    public = released_pair_id(item)
    for name in (public, item.key):
        assert find_withdrawn(release, people=[], items=[name], sources=[]).items == {item.pk}
    new = replaced(release, boss, "takedown", items=[public])
    assert by_id(release).keys() - by_id(new).keys() == {public}
    assert manifest(new)["left_out"]["taken_down"] == [public]
    told = manifest(new)["replaces"]
    assert told == {"manifest": release.manifest["manifest"]["sha256"], "kind": "takedown", "reason": BECAUSE}
    card, changes = (files(new)[name].decode() for name in ("README.md", "CHANGES.md"))
    assert BECAUSE in card
    assert told["manifest"] in changes
    assert f"- `{public}`" in changes
    assert_verified(new)


def test_rows_are_those_of_the_release_whatever_happened_since(made: Staged, boss: User) -> None:
    """An item that was decided since is not in the version, and one that was excluded since still is."""
    release = build(freeze(made))
    item = made.items["1-n2"]
    item.refresh_from_db()
    exclude(lead=made.at.lead, item_id=item.pk, version=item.version, words="Off topic.")
    cast_votes(made.at, made.items["3-e1"], "ee")
    new = replaced(release, boss, "takedown", items=[made.items["1-e1"].key])
    assert by_id(new).keys() == by_id(release).keys() - {released_pair_id(made.items["1-e1"])}
    assert_verified(new)


def test_what_cannot_be_replaced_says_why(made: Staged, boss: User) -> None:
    release = build(freeze(made))
    nothing = factory.member(made.project, "validator")
    for reason, names, code in (
        ("", {"items": [made.items["1-e1"].key]}, "replacement_reason_missing"),
        (BECAUSE, {"people": [nothing.pseudonym]}, "replacement_changes_nothing"),
    ):
        named = find_withdrawn(release, **{"people": [], "items": [], "sources": [], **names})
        with pytest.raises(Refusal) as refused:
            release_replace(release=release, kind="takedown", reason=reason, named=named, by=boss)
        assert refused.value.code == code
    # The one premise of all rows: nothing would be left, which is said before files are withdrawn.
    everything = find_withdrawn(
        release, people=[], items=[], sources=[Premise.objects.get(pk=made.items["1-e1"].family).key]
    )
    assert effect_of(release, everything).remaining == 0
    with pytest.raises(Conflict) as empty:
        release_replace(
            release=release, kind="takedown", reason=BECAUSE, named=everything, by=boss, withdraw_files=True
        )
    assert empty.value.code == "replacement_leaves_nothing"
    assert not Withdrawal.objects.exists()
    named = find_withdrawn(release, people=[], items=[made.items["1-e1"].key], sources=[])
    release_replace(release=release, kind="takedown", reason=BECAUSE, named=named, by=boss)
    with pytest.raises(Conflict) as again:
        release_replace(release=release, kind="takedown", reason=BECAUSE, named=named, by=boss)
    assert again.value.code == "replacement_there"


def test_translations_lack_what_was_withdrawn_and_sources_go_from_every_target(boss: User) -> None:
    """A translation whose approval is withdrawn is missing in its target; a source row taken down is in no file."""
    at = world.project_with_sets({"pair": translations.pair_rows(4)}, slug="own")
    items = world.approve_everything(at)
    release = build(freeze(at, "loraxbench"))
    before = [row["id"] for row in world.lines(release, "nli/su")]
    other = factory.member(at.project, "writer")
    mine = next(item for item in items if item.target.key == "su")
    Item.objects.filter(pk=mine.pk).update(author=other)
    new = replaced(release, boss, "takedown", people=[other.pseudonym], sources=["pair-0003"])
    ids = {target: [row["id"] for row in world.lines(new, f"nli/{target}")] for target in ("id", *world.KEYS)}
    assert "pair-0003" in before
    assert not any("pair-0003" in held for held in ids.values())
    assert ids["jv-ngoko"] == ids["id"]
    assert set(ids["su"]) < set(ids["id"])
    reasons = manifest(new)["left_out"]
    assert reasons["withdrawn"] == [mine.key]
    assert reasons["taken_down"]
    assert_verified(new)
    gone = find_withdrawn(new, people=[at.reviewer.pseudonym], items=[], sources=[])
    left = effect_of(new, gone)
    assert left.rows == left.without_gold > 0
