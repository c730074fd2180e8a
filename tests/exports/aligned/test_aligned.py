"""The aligned release of a project of translations: the same ids in every target, beside the source."""

from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.content.models.units import SourceSet, SourceUnit, Translation
from annotation.core.models.project import Target
from annotation.core.rules.fields import FieldError
from annotation.translation.models import SourceEntry
from exports.releases import queries as access
from exports.releases.models import ReleaseSource
from exports.releases.preview import preview
from exports.releases.rules.settings import preset
from tests import review, translations
from tests.exports.aligned import world
from tests.exports.statistics.computed import computed
from tests.exports.world import build, freeze, manifest
from validation.review.actions.answers import correction_accept
from validation.voting.actions.steps import exclude

pytestmark = pytest.mark.django_db
TASKS = ("causal", "nli", "question", "open-qa/test", "open-qa/train", "reading/test", "reading/train")


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def test_every_target_has_the_same_ids_in_the_same_order_as_the_source() -> None:
    at = world.project_with_all_shapes()
    world.approve_everything(at)
    release = build(freeze(at, "loraxbench"))
    files = sorted(world.files_by_path(release))
    expected = [f"{task}/{target}.jsonl" for task in TASKS for target in ("id", *world.KEYS)]
    expected += [f"translation/{target}.jsonl" for target in world.KEYS]
    expected += [f"guidelines/{role}-1.md" for role in ("validation", "writing")]
    assert files == sorted([*expected, "README.md", "manifest.json", "picture.html", "votes.jsonl"])
    for task in TASKS:
        rows = [world.lines(release, f"{task}/{target}") for target in ("id", *world.KEYS)]
        assert all(ids(each) == ids(rows[0]) for each in rows)
        assert all(set(row) == set(rows[0][0]) for each in rows for row in each)
    assert ids(world.lines(release, "nli/su")) == [f"pair-000{n}" for n in range(4)]
    assert manifest(release)["left_out"] == {}
    # LoraxBench's Table 3: three targets and the source; translations go into the source alone.
    *tasks, total = computed(release).tables["tasks"]["rows"]
    told = {row["task"]: (row["rows"], row["languages"], row["total"]) for row in tasks}
    assert told == {
        **{"nli": (4, 4, 16), "reading": (2, 4, 8), "causal": (1, 4, 4), "question": (1, 4, 4)},
        **{"open-qa": (2, 4, 8), "translation": (2, 3, 6)},
    }
    assert (total["task"], total["total"]) == ("all", 46)


def test_a_row_says_what_the_field_calls_it_and_whose_it_is() -> None:
    at = world.project_with_all_shapes()
    world.approve_everything(at, ("jv-krama",))
    release = build(freeze(at, "loraxbench", targets="jv-krama", beside="yes"))
    row = world.lines(release, "nli/jv-krama")[1]
    unit = at.units("pair")[0]
    texts = {each["key"]: each["text"] for each in unit.fields}
    assert row == {
        "id": "pair-0001",
        "premise": translations.reversed_words(texts["premise"]),
        "hypothesis": translations.reversed_words(texts["hypothesis.2"]),
        "label": "neutral",
        "label_source": "source",
        "source": {"premise": texts["premise"], "hypothesis": texts["hypothesis.2"]},
        "split": "test",
        "language": "jv",
        "register": "krama",
        "target": "jv-krama",
        "source_set": "pair",
        "source_revision": 1,
        "data": {},
        "item": Item.objects.get(translation__unit=unit).key,
        "translator": at.translator.pseudonym,
        "corrected_by": "",
        "reviewers": [at.reviewer.pseudonym],
        "annotation_round": 1,
        "approval": "review",
        "flags": [],
        "origin": "written",
        "revision": 1,
        "guideline": 1,
    }
    passage = world.lines(release, "reading/test/jv-krama")[0]
    start = passage["answer_start"]
    assert passage["passage"][start : start + len(passage["answer"])] == passage["answer"] == "1950"
    assert "label_source" not in passage
    cause = world.lines(release, "causal/jv-krama")[0]
    assert (cause["question"], cause["label"], cause["data"]) == ("cause", 0, {"idx": 7})
    assert cause["choice1"] == translations.reversed_words("Arisannya menang.")
    question = world.lines(release, "question/id")[0]
    assert question["choices"] == {"label": ["A", "B"], "text": ["Gula jawa.", "Kacang."]}
    assert (question["answer"], question["origin"], question["translator"]) == ("A", "source", "")


def test_derived_tasks_are_made_of_what_was_translated_once() -> None:
    at = world.project_with_all_shapes()
    world.approve_everything(at, ("su",))
    SourceEntry.objects.filter(key="q-2").update(unanswerable=True)
    release = build(freeze(at, "loraxbench", targets="su"))
    assert ids(world.lines(release, "reading/train/su")) == ["q-2"]
    assert not any("open-qa/train" in name for name in world.files_by_path(release))
    open_row = world.lines(release, "open-qa/su")[0]
    assert {"id", "question", "answer"} <= set(open_row)
    assert "passage" not in open_row
    rows = world.lines(release, "translation/su")
    units = at.units("pair")
    assert ids(rows) == [unit.key for unit in units]
    assert [row["translation"] for row in rows] == [unit.text for unit in units]
    assert rows[0]["text"] == translations.reversed_words(units[0].text)
    assert (rows[0]["language"], rows[0]["into"]) == ("su", "id")
    renamed = build(freeze(at, "loraxbench", open_qa="", sentences="mt"))
    folders = {name.split("/")[0] for name in world.files_by_path(renamed) if "/" in name}
    assert folders == {"causal", "guidelines", "nli", "question", "reading", "mt"}


def test_only_what_was_approved_is_in_it_and_the_rest_says_why() -> None:
    at = world.project_with_sets({"pair": translations.pair_rows(12)})
    units, target = at.units("pair"), at.target("su")
    for unit in units[:2]:
        world.approve_translation(at, unit, "su")
    waits = translations.a_translation(units[2], target, at.translator)
    lead = translations.member(at.project, "lead")
    out = world.approve_translation(at, units[3], "su")
    exclude(lead=lead, item_id=out.pk, version=out.version, words="Off.")
    settled = world.approve_translation(at, units[4], "su")
    world.remove_row(at, "pair-0002")
    for key in ("pair-0008", "pair-0009"):
        world.remove_row(at, key)
    review.decide()
    release = build(freeze(at, "loraxbench"))
    assert ids(world.lines(release, "nli/su")) == ["pair-0000", "pair-0001", "pair-0003"]
    assert ids(world.lines(release, "nli/id")) == [f"pair-{n:04}" for n in (0, 1, 3, 4, 5, 6, 7, 10, 11)]
    assert world.lines(release, "nli/jv-ngoko") == []
    assert manifest(release)["left_out"] == {
        "excluded": [out.key],
        "voting": [waits.key],
        "source_removed": [settled.key],
    }
    (nli, translation) = release.counts["tasks"]
    told = {each["target"]: each for each in nli["targets"]}
    assert told["su"] == {
        "target": "su",
        "released": 3,
        "rows": 3,
        "missing": 2,
        "in_work": 2,
        "incomplete": 0,
        "excluded": 2,
    }
    assert told["jv-krama"]["missing"] == nli["source_rows"] == 9
    assert (nli["complete"], translation["source_rows"]) == (0, 5)


def test_complete_rows_only() -> None:
    at = world.project_with_sets({"pair": translations.pair_rows(6)})
    units = at.units("pair")
    for target in world.KEYS:
        world.approve_translation(at, units[1], target)
    alone = world.approve_translation(at, units[0], "su")
    release = build(freeze(at, "loraxbench", complete_only="yes"))
    for target in ("id", *world.KEYS):
        assert ids(world.lines(release, f"nli/{target}")) == ["pair-0002", "pair-0003"]
    assert manifest(release)["left_out"] == {"incomplete": [alone.key]}
    two = build(freeze(at, "loraxbench", complete_only="yes", targets="su"))
    assert ids(world.lines(two, "nli/su")) == [f"pair-000{n}" for n in range(4)]
    assert sorted(manifest(two)["left_out"]) == ["other_target"]


def test_a_field_that_is_empty_makes_its_row_incomplete() -> None:
    at = world.project_with_sets({"pair": translations.pair_rows(2)})
    item = world.approve_translation(at, at.units("pair")[0], "su")
    _emptied(item, "hypothesis.2")
    found = preview(at.project, preset("loraxbench"))
    release = build(freeze(at, "loraxbench"))
    assert ids(world.lines(release, "nli/su")) == ["pair-0000"]
    assert ids(world.lines(release, "translation/su")) == ["pair:pair-0000"]
    su = next(each for each in release.counts["tasks"][0]["targets"] if each["target"] == "su")
    assert (su["rows"], su["incomplete"]) == (1, 1)
    assert found["tasks"] == release.counts["tasks"]


def _emptied(item: Item, key: str) -> None:
    """A translation without one of its texts, as an import may leave it."""
    revision = item.revisions.get(n=item.revision_n)
    fields = [{**each, "text": " " if each["key"] == key else each["text"]} for each in revision.content["fields"]]
    item.revisions.filter(pk=revision.pk).update(content={**revision.content, "fields": fields})
    type(item.translation).objects.filter(pk=item.pk).update(fields=fields)


def test_what_was_frozen_stays_whatever_happens_at_the_source() -> None:
    at = world.project_with_all_shapes()
    world.approve_everything(at)
    first, second = freeze(at, "loraxbench"), freeze(at, "loraxbench")
    before = world.files_by_path(build(first))
    SourceUnit.objects.update(fields=[], revision=9)
    SourceEntry.objects.update(label="x", removed=True, split="dev", data={})
    SourceSet.objects.update(task="other")
    Target.objects.update(name="Other", register="other", language="xx")
    Translation.objects.update(fields=[], text="")
    assert world.files_by_path(build(second)) == before
    assert ReleaseSource.objects.filter(release=first).count() == 8


def test_the_same_state_gives_the_same_bytes() -> None:
    at = world.project_with_all_shapes()
    world.approve_everything(at, ("su", "jv-ngoko"))
    one, two = build(freeze(at, "loraxbench")), build(freeze(at, "loraxbench"))
    assert world.files_by_path(one) == world.files_by_path(two)


@pytest.mark.parametrize("changes", [{}, {"complete_only": "yes"}, {"targets": "su jv-krama"}], ids=str)
def test_the_preview_is_what_the_release_holds(changes: dict[str, str]) -> None:
    at = world.project_with_all_shapes()
    world.approve_everything(at, ("su", "jv-ngoko"))
    world.approve_translation(at, at.units("pair")[0], "jv-krama")
    translations.a_translation(at.units("pair")[1], at.target("jv-krama"), at.translator)
    review.decide()
    rules = preset("loraxbench").changed(changes)
    found = preview(at.project, rules)
    counts = build(freeze(at, "loraxbench", **changes)).counts
    assert found == {name: counts[name] for name in found}


def test_not_reviewed_and_by_a_lead() -> None:
    at = world.project_with_sets({"sentence": translations.sentence_rows(3)}, share=0)
    units = at.units("sentence")
    items = [translations.a_translation(unit, at.target("su"), at.translator) for unit in units]
    Item.objects.filter(pk=items[1].pk).update(stage="adjudicated", gold="approve", gold_from="lead")
    Item.objects.filter(pk=items[2].pk).update(stage="adjudicated", gold="return", gold_from="lead")
    Item.objects.filter(pk=items[0].pk).update(sampled=False, stage="written")
    release = build(freeze(at, "loraxbench", targets="su"))
    rows = world.lines(release, "sentences/su")
    assert [(row["id"], row["approval"]) for row in rows] == [("s-0000", "none"), ("s-0001", "lead")]
    assert manifest(release)["left_out"] == {"not_approved": [items[2].key]}
    strict = build(freeze(at, "loraxbench", targets="su", unreviewed="leave_out"))
    assert ids(world.lines(strict, "sentences/su")) == ["s-0001"]
    assert strict.counts["approvals"] == {"review": 0, "translator": 0, "lead": 1, "none": 0}


def test_names_of_tasks_and_targets_never_leave_the_folder() -> None:
    at = world.project_with_sets({"sentence": translations.sentence_rows(1)})
    world.approve_translation(at, at.units("sentence")[0], "jv-ngoko")
    SourceSet.objects.update(task="../../etc/ pass\u202ewd")
    Target.objects.filter(key="su").update(key="../id")
    Target.objects.filter(key="jv-krama").update(key="CON")
    Target.objects.filter(key="jv-ngoko").update(description="*among*\n# friends")
    release = build(freeze(at, "loraxbench"))
    card = world.files_by_path(release)["README.md"].decode()
    assert "- `jv-ngoko`: \\*among\\* \\# friends" in card
    assert "Of the released translations 1 were approved by reviewers" in card
    assert [name for name in world.files_by_path(release) if "/" in name] == [
        "etc-pass-wd/id-2.jsonl",
        "etc-pass-wd/id.jsonl",
        "etc-pass-wd/jv-ngoko.jsonl",
        "etc-pass-wd/x-CON.jsonl",
        "guidelines/validation-1.md",
        "guidelines/writing-1.md",
    ]


def test_what_a_reviewer_corrected_says_who() -> None:
    at = world.project_with_sets({"sentence": translations.sentence_rows(2)})
    items = []
    for unit in at.units("sentence"):
        item = translations.a_translation(unit, at.target("su"), at.translator)
        review.decide()
        item.refresh_from_db()
        better = {"field-text": f"Hujan leres {item.pk}."}
        review.cast_vote(review.assign(item, at.reviewer), "correct", proposals=better)
        review.decide()
        item.refresh_from_db()
        items.append(item)
    correction_accept(writer=at.translator, item_id=items[0].pk, revision=items[0].revision_n)
    other = translations.member(at.project, "validator")
    review.cast_vote(review.assign(items[1], other), "approve")
    review.decide()
    release = build(freeze(at, "loraxbench", targets="su"))
    rows = world.lines(release, "sentences/su")
    told = [(row["text"], row["approval"], row["corrected_by"], row["reviewers"]) for row in rows]
    assert told == [
        (f"Hujan leres {items[0].pk}.", "translator", at.reviewer.pseudonym, []),
        (f"Hujan leres {items[1].pk}.", "review", at.reviewer.pseudonym, [other.pseudonym]),
    ]
    assert release.counts["approvals"] == {"review": 1, "translator": 1, "lead": 0, "none": 0}
    assert release.counts["votes"]["not_counted"] == {"new_meaning": 2}


def test_answers_cannot_be_hidden() -> None:
    """It is said before anything is frozen, not by a build that fails."""
    project = world.project_with_sets({"pair": translations.pair_rows(1)}).project
    with pytest.raises(FieldError) as refused:
        access.checked_rules(project, preset("loraxbench").changed({"hidden_test": "yes"}))
    assert refused.value.field == "hidden_test"
