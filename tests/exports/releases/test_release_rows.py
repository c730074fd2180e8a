"""Rows, manifest, card and changes of a release, as pure functions."""

import hashlib
from collections import Counter
from typing import Any

import orjson
import pytest

from annotation.kinds import get
from annotation.text.normalise import text_hash
from exports.formats import writers
from exports.releases.rules import card as cards
from exports.releases.rules.changes import Changes, EarlierRow
from exports.releases.rules.manifest import Tally, database_manifest, manifest, split_counts
from exports.releases.rules.rows import (
    FrozenItem,
    FrozenVote,
    Judge,
    JudgedVotes,
    Names,
    VerdictDiffers,
    VoteLines,
    item_row,
    plain_json,
    with_sorted_keys,
)
from exports.releases.rules.splits import REASONS, Outcome, text_key
from validation.consensus.protocol import PRESETS, Protocol

LABELS = ("e", "n", "c")
PEOPLE = {1: "W01", 2: "W02", 3: "W03", 4: "W10", 5: "W05"}
DEV = Outcome("dev", "e", "gold", "")


def frozen(**values: Any) -> FrozenItem:
    plain: dict[str, Any] = dict.fromkeys(FrozenItem._fields)
    plain |= {"key": "k", "version": 3, "revision": 1, "epoch": 1, "stage": "voting", "round": 1, "gold": ""}
    plain |= {
        "gold_from": "",
        "author_label": "e",
        "author": 1,
        "target": 7,
        "origin": "written",
        "protocol": 1,
    }
    plain |= {"guideline": 5, "source": ("p1", "paragraph", None, None), "item": 1, "votes_n": 0}
    return FrozenItem(**{**plain, **values})


def vote(n: int, label: str, **values: Any) -> FrozenVote:
    plain = {
        "n": n,
        "epoch": 1,
        "round": 1,
        "annotator": n + 1,
        "label": label,
        "answers": "{}",
        "unsure": 0,
        "ambiguous": False,
        "comment": "",
        "revision": 1,
        "guideline": 6,
        "withdrawn_version": None,
        "withdrawn_why": "",
    }
    return FrozenVote(**{**plain, **values})


def judge(protocol: Protocol = PRESETS["incremental-3-5"], labels: tuple[str, ...] = LABELS) -> Judge:
    return Judge({1: protocol}, labels, PEOPLE)


def lines_of(item: FrozenItem, judged: JudgedVotes, outcome: Outcome, *, comments: bool) -> list[dict[str, Any]]:
    """The lines of an item's votes as they are read again; said twice, they are the same."""
    ballots = VoteLines(NAMES, get("nli").export.spell, "pair_id", comments=comments)
    lines = ballots.lines(item.key, judged, outcome)
    assert ballots.lines(item.key, judged, outcome) == lines
    return [orjson.loads(line) for line in lines]


NAMES = Names(PEOPLE, {5: 2, 6: 3}, {7: ("id", "ngoko")}, {"paragraph": "multiple"})


@pytest.mark.parametrize(
    ("votes", "state", "label", "whys"),
    [
        ([], "open", "", ()),
        ([vote(1, "e")], "open", "", ("",)),
        ([vote(1, "e"), vote(2, "e")], "gold", "e", ("", "")),
        ([vote(1, "e"), vote(2, "e"), vote(3, "n", round=2)], "gold", "e", ("", "", "extra")),
        ([vote(1, "n", round=2), vote(2, "e"), vote(3, "n")], "open", "", ("", "", "")),
        (
            [vote(1, "e", withdrawn_version=3, withdrawn_why="voided"), vote(2, "e"), vote(3, "e")],
            "gold",
            "e",
            ("voided", "", ""),
        ),
        ([vote(1, "e", withdrawn_version=4, withdrawn_why="voided"), vote(2, "e")], "gold", "e", ("", "")),
        ([vote(1, "e", epoch=0), vote(2, "e")], "open", "", ("new_meaning", "")),
        (
            [vote(n, label, round=r) for n, (label, r) in enumerate([("n", 1), ("c", 1), ("c", 2), ("n", 3)], 1)],
            "no_consensus",
            "",
            ("", "", "", ""),
        ),
    ],
)
def test_judged_from_what_stood_then(votes: list[FrozenVote], state: str, label: str, whys: tuple[str, ...]) -> None:
    found = judge().judge(frozen(), votes)
    assert (found.state, found.label) == (state, label)
    assert tuple(why for _, why in sorted(zip(found.votes, found.withdrawal_reasons, strict=True))) == whys


def test_votes_are_read_by_round_then_number() -> None:
    found = judge().judge(frozen(), [vote(1, "n", round=2), vote(2, "e"), vote(3, "c")])
    assert [v.n for v in found.votes] == [2, 3, 1]


def test_a_tie_goes_by_the_pseudonyms_that_voted() -> None:
    """Two items whose labels look alike are not alike where a tie rule looks at who voted."""
    by = judge(PRESETS["answers-5"])
    labels = ["e", "n", "e", "n", "c"]
    one = [vote(n, label, annotator=n) for n, label in enumerate(labels, 1)]
    others = zip(labels, (2, 1, 4, 3, 5), strict=True)
    other = [vote(n, label, annotator=who) for n, (label, who) in enumerate(others, 1)]
    assert by.judge(frozen(), one).label == "e"
    assert by.judge(frozen(), other).label == "n"


def test_ratings_are_decided_by_their_answers() -> None:
    by = judge(PRESETS["rating-3"], ("yes", "no"))
    answers = "{" + ",".join(f'"{name}":"yes"' for name in PRESETS["rating-3"].criteria) + "}"
    assert by.judge(frozen(), [vote(n, "", answers=answers) for n in (1, 2, 3)]).state == "gold"


@pytest.mark.parametrize(
    ("item", "votes", "computed"),
    [
        (frozen(stage="settled", gold="n", gold_from="votes"), [vote(1, "e"), vote(2, "e")], "e"),
        (frozen(stage="settled", gold="e", gold_from="votes"), [vote(1, "e")], "-"),
        (frozen(stage="settled", gold="e", gold_from="votes"), [], "-"),
        (frozen(stage="no_consensus"), [vote(1, "e"), vote(2, "e")], "e"),
        (frozen(stage="no_consensus"), [vote(1, "e")], "open"),
    ],
)
def test_a_stored_verdict_that_votes_do_not_give(item: FrozenItem, votes: list[FrozenVote], computed: str) -> None:
    with pytest.raises(VerdictDiffers) as raised:
        judge().judge(item, votes)
    assert (raised.value.key, raised.value.computed) == ("k", computed)


def test_a_lead_s_word_needs_no_votes() -> None:
    assert judge().judge(frozen(stage="adjudicated", gold="c", gold_from="lead"), []).state == "open"
    assert judge().judge(frozen(stage="settled", gold="c", gold_from="author"), []).state == "open"


def test_the_row_that_a_kind_is_handed() -> None:
    item = frozen(stage="settled", gold="e", gold_from="votes", votes_n=2)
    judged = judge().judge(item, [vote(1, "e"), vote(2, "e")])
    row = item_row(item, judged, DEV, ["unsure"], {"premise": "P", "hypothesis": "H"}, NAMES)
    assert row["source"] == {"key": "p1", "sentence_class": "multiple", "document": "", "extra": {}}
    assert (row["gold"], row["author"], row["counted_annotators"]) == ("e", "W01", ["W02", "W03"])
    assert (row["language"], row["register"], row["guideline"]) == ("id", "ngoko", 2)
    written = get("nli").export.build_row(row)
    assert written["annotator_labels"] == ["entailment"] * 3
    assert written["annotator_ids"] == ["W01", "W02", "W03"]


def test_an_item_without_author_or_source() -> None:
    item = frozen(author=None, author_label="", source=(None, None, None, None), guideline=None)
    judged = judge().judge(item, [vote(1, "e")])
    row = item_row(item, judged, DEV, [], {"premise": "P", "hypothesis": "H"}, NAMES)
    assert (row["source"]["key"], row["source"]["sentence_class"], row["guideline"]) == ("", "", None)
    written = get("nli").export.build_row(row)
    assert (written["author_label"], written["annotator_labels"]) == ("-", [None, "entailment"])
    assert written["annotator_ids"] == [None, "W02"]


def test_gold_is_the_votes_even_where_a_lead_decided() -> None:
    item = frozen(stage="adjudicated", gold="c", gold_from="lead")
    judged = judge().judge(item, [vote(1, "e"), vote(2, "e")])
    row = item_row(item, judged, Outcome("train", "c", "adjudicated", ""), [], {}, NAMES)
    assert (row["gold"], row["label"]) == ("e", "c")
    by_author = frozen(stage="settled", gold="n", gold_from="author")
    assert item_row(by_author, judge().judge(by_author, []), DEV, [], {}, NAMES)["gold"] == "n"


def test_rows_of_votes_stand_in_the_order_of_their_numbers() -> None:
    item = frozen()
    judged = judge().judge(item, [vote(1, "n", round=2, comment="Hm."), vote(2, "e", unsure=1), vote(3, "x")])
    out = Outcome("", "", "", "voting")
    found = lines_of(item, judged, out, comments=True)
    assert [(row["n"], row["label"], row["unsure"], row["comment"]) for row in found] == [
        (1, "neutral", False, "Hm."),
        (2, "entailment", True, ""),
        (3, "x", False, ""),
    ]
    assert {(row["split"], row["left_out"]) for row in found} == {(None, "voting")}
    assert "comment" not in lines_of(item, judged, out, comments=False)[0]


@pytest.mark.parametrize(
    ("raw", "keys"),
    [(None, []), ("", []), ("{}", []), ('{"b": 1, "a": 2}', ["a", "b"]), ('{"b": {"z": 1, "y": 2}}', ["b"])],
)
def test_stored_json_has_one_order(raw: str | None, keys: list[str]) -> None:
    assert list(plain_json(raw)) == keys


def test_one_order_at_every_depth() -> None:
    assert repr(with_sorted_keys({"b": [{"z": 1, "a": 2}], "a": 1})) == "{'a': 1, 'b': [{'a': 2, 'z': 1}]}"


@pytest.mark.parametrize("text", ["plain", "peuyeum e\u0301", "soft\u00adhyphen", " outer ", ""])
def test_premises_are_kept_together_as_the_tables_compare_them(text: str) -> None:
    assert text_key(text) == text_hash(text)


# --- manifest and card --------------------------------------------------------------------


def told() -> dict[str, Any]:
    tally = Tally()
    no_votes = JudgedVotes("open", "", (), ())
    two = judge().judge(frozen(), [vote(1, "e"), vote(2, "e", withdrawn_version=1, withdrawn_why="voided")])
    tally.add("a", DEV, 1, 1, two, "CC-BY")
    tally.add("b", Outcome("train", "n", "author", ""), 0, None, no_votes, "")
    tally.add("c", Outcome("", "", "", "excluded"), 2, 1, no_votes, "")
    tally.add("d", Outcome("", "", "", "other_reason"), 2, 1, no_votes, "")
    counts = tally.counts({"e": "entailment", "n": "neutral"}, ("train", "dev", "test"))
    return {"tally": tally, "counts": counts}


def test_counts() -> None:
    assert told()["counts"] == {
        "items": 4,
        "released": 2,
        "splits": {
            "train": {
                "rows": 1,
                "labels": {"neutral": 1},
                "label_sources": {"author": 1},
                "rounds": {"0": 1},
            },
            "dev": {
                "rows": 1,
                "labels": {"entailment": 1},
                "label_sources": {"gold": 1},
                "rounds": {"1": 1},
            },
            "test": {"rows": 0, "labels": {}, "label_sources": {}, "rounds": {}},
        },
        "left_out": {"excluded": 1, "other_reason": 1},
        "votes": {"given": 2, "counted": 1, "items": 1, "not_counted": {"voided": 1}},
        "people": {"authors": 1, "voters": 2},
        "source_licences": {"(not stated)": 1, "CC-BY": 1},
    }


def test_a_split_that_no_rule_names_has_no_file_unless_something_is_in_it() -> None:
    assert list(split_counts({}, {}, ("test",))["splits"]) == ["test"]
    assert list(split_counts(Counter({DEV: 1}), {}, ("test",))["splits"]) == ["dev", "test"]


CONTEXT = {
    "protocols": [
        {"n": 1, "rules": PRESETS["incremental-3-5"].to_dict()},
        {"n": 2, "rules": PRESETS["answers-5"].to_dict()},
    ],
    "guidelines": [],
    "unfinished": [],
}
PROJECT = {"slug": "own", "name": "A *bold*\n# name", "kind": "nli", "language": "id"}


def a_part(rules: dict[str, Any], counts: dict[str, Any], left_out: Any = (), suffix: str = "") -> Any:
    """What the build of one project tells manifest and card."""
    told = {"suffix": suffix, "rules": rules, "counts": counts, "left_out": dict(left_out)}
    return {"project": PROJECT, "context": CONTEXT, **told}


def test_manifest_lists_files_by_name_and_keys_left_out_by_reason() -> None:
    known = told()
    files = {name: {"rows": 1, "bytes": 2, "sha256": "x"} for name in ("votes.jsonl", "dev.jsonl")}
    found = manifest(
        parts=[a_part({"seed": "s"}, known["counts"], known["tally"].left_out)],
        files=files,
        software="1",
    )
    assert list(found["files"]) == ["dev.jsonl", "votes.jsonl"]
    assert found["left_out"] == {"excluded": ["c"], "other_reason": ["d"]}


def test_the_card_keeps_names_words() -> None:
    text = cards.card(
        parts=[a_part({"seed": "a`b", "strict": True}, told()["counts"])],
        files={"dev.jsonl": {"rows": 1, "bytes": 20, "sha256": "x"}},
        reasons=REASONS,
        software="1",
    )
    assert text.startswith("# A \\*bold\\* \\# name\n")
    assert "- `seed`: `a'b`" in text
    assert "- `strict`: `true`" in text
    assert "2, then 1, then 1 votes; 3 equal labels make gold (the author's label is one of them)." in text
    assert (
        "5 votes; the label with the most of them is gold, and of tied ones that of the lowest pseudonym; "
        "items that more than 3 people call ambiguous are left out." in text
    )
    assert "| excluded by a QC lead, or as ambiguous | 1 |" in text
    assert "| voided | 1 |" in text
    assert "- CC-BY: 1" in text


def test_the_card_of_nothing() -> None:
    counts = Tally().counts({}, ("test",))
    text = cards.card(parts=[a_part({}, counts)], files={}, reasons=REASONS, software="1")
    assert "## Left out" not in text
    assert "- none" in text


def test_several_projects_are_told_apart_in_card_and_manifest() -> None:
    known = told()
    parts = [a_part({"seed": n}, known["counts"], known["tally"].left_out, suffix=n) for n in ("lay", "expert")]
    text = cards.card(parts=parts, files={}, reasons=REASONS, software="1")
    assert text.startswith("# A \\*bold\\* \\# name, A \\*bold\\* \\# name\n\n2 projects, frozen at one moment")
    assert text.count("## `lay`: A \\*bold") == 1
    assert "`votes_expert.jsonl` holds 2 votes" in text
    assert text.count("\n### Left out") == 2
    assert "- CC-BY: 2" in text
    assert "build_release own=lay own=expert --out DIR" in text
    found = manifest(parts=parts, files={}, software="1")
    assert [(part["suffix"], part["rules"]) for part in found["parts"]] == [
        ("lay", {"seed": "lay"}),
        ("expert", {"seed": "expert"}),
    ]
    assert found["counts"] == {name: 2 * known["counts"][name] for name in ("items", "released")}
    assert found["parts"][0]["left_out"] == {"excluded": ["c"], "other_reason": ["d"]}
    assert all("left_out" not in part for part in database_manifest(found)["parts"])


# --- what changed, writers -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "before", "changed"),
    [
        (EarlierRow("dev", "e", 1, 2), None, {"added": 1, "new_votes": 2}),
        (EarlierRow("dev", "e", 1, 2), EarlierRow("", "", 1, 1), {"added": 1, "new_votes": 1}),
        (EarlierRow("", "", 1, 2), None, {"new_votes": 2}),
        (EarlierRow("", "", 1, 2), EarlierRow("dev", "e", 1, 2), {"removed": 1}),
        (EarlierRow("dev", "e", 1, 2), EarlierRow("test", "e", 1, 2), {"moved": 1}),
        (EarlierRow("dev", "e", 1, 2), EarlierRow("dev", "n", 1, 2), {"relabelled": 1}),
        (EarlierRow("dev", "e", 2, 2), EarlierRow("dev", "e", 1, 2), {"reworded": 1}),
        (EarlierRow("dev", "e", 2, 2), EarlierRow("dev", "e", 2, 2), {}),
    ],
)
def test_changes(now: EarlierRow, before: EarlierRow | None, changed: dict[str, int]) -> None:
    changes = Changes()
    changes.add("k", now, before)
    assert {name: n for name, n in changes.to_dict().items() if n} == changed


def test_a_sink_counts_and_hashes_what_it_writes(tmp_path) -> None:
    with writers.Sink(tmp_path / "a.jsonl") as sink:
        sink.write([{"b": "é\u2028", "a": 1}, {}])
        sink.write([])
    data = (tmp_path / "a.jsonl").read_bytes()
    assert data == '{"b":"é\u2028","a":1}\n{}\n'.encode()
    assert sink.facts() == {"rows": 2, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def test_a_sink_never_writes_over_a_file(tmp_path) -> None:
    (tmp_path / "a.jsonl").write_text("kept")
    with pytest.raises(FileExistsError):
        writers.Sink(tmp_path / "a.jsonl")


def test_a_failed_sink_closes_its_file(tmp_path) -> None:
    with pytest.raises(ZeroDivisionError), writers.Sink(tmp_path / "a") as sink:
        1 / 0  # noqa: B018
    assert sink._file.closed
