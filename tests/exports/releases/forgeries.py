"""Forgeries by name, of a release of which kind each is, and what notices it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow
from pyarrow import parquet

from tests.exports.releases.forger import Forged

Row = dict[str, Any]
REWRITTEN, RECOUNTED, CAST, AGAINST = "written again", "counted again", "were cast under", "against their"
FOLLOWS = "does not follow from"


@dataclass(frozen=True)
class Forgery:
    """What is changed in a release of which kind, and words of what notices it."""

    name: str
    of: str
    change: Callable[[Forged], Any]
    noticed: str = ""


def cell(name: str, column: str, value: Any) -> Callable[[Forged], Any]:
    """Another value in the first row of a Parquet file."""

    def change(of: Forged) -> None:
        table = parquet.read_table(of.at / name)
        values = [value, *table[column].to_pylist()[1:]]
        at = table.schema.get_field_index(column)
        changed = table.set_column(at, table.schema.field(at), pyarrow.array(values, table.schema.field(at).type))
        parquet.write_table(changed, of.at / name, compression="zstd", store_schema=False)

    return change


def to(**columns: Any) -> Callable[[Row], Any]:
    """Give a row other values."""
    return lambda row: row.update(columns)


def words(name: str, old: str, new: str) -> Callable[[Forged], Any]:
    return lambda of: of.replace(name, old, new)


def value(name: str, **columns: Any) -> Callable[[Forged], Any]:
    """Other values in the first row of a file of rows."""
    return lambda of: of.change(name, to(**columns))


def told(*path: str | int, to: Any) -> Callable[[Forged], Any]:
    """Another value in the manifest."""

    def change(manifest: Row) -> None:
        held: Any = manifest
        for name in path[:-1]:
            held = held[name]
        assert held[path[-1]] != to
        held[path[-1]] = to

    return lambda of: of.tell(change)


def added(name: str, data: bytes) -> Callable[[Forged], Any]:
    def change(of: Forged) -> None:
        (of.at / name).parent.mkdir(exist_ok=True)
        (of.at / name).write_bytes(data)

    return change


def gone(name: str) -> Callable[[Forged], Any]:
    def change(of: Forged) -> None:
        (of.at / name).unlink()

    return change


def of_open_row(of: Forged) -> None:
    """The id of another item behind an open row of train."""
    shown = {row["pair_id"] for row in of.rows("train.jsonl")}
    of.change("hidden/ids.jsonl", to(pair_id="9-e9"), lambda row: row["open_id"] in shown)


COPY, TASK_FILE = "csv/test.spreadsheet.csv", "lm_eval/own_id_nli.yaml"
COUNTED = "distributions/test.jsonl"
# Forgeries of what follows from rows and votes: every hash is made again, nothing else.
OF_COPIES = [
    Forgery("a label in CSV", "pairs", words("csv/test.csv", ",neutral,gold", ",entailment,gold")),
    Forgery("a text in CSV", "questions", words("csv/test.csv", "Untuk apa", "Buat apa")),
    Forgery("a vote in CSV", "pairs", words("csv/votes.csv", ",W04,", ",W05,")),
    Forgery("a label in the copy for spreadsheets", "pairs", words(COPY, "neutral", "x")),
    Forgery("a formula in the copy for spreadsheets", "pairs", words(COPY, "Pedagang", "=1+1")),
    Forgery("a label in Parquet", "pairs", cell("parquet/test.parquet", "label", "contradiction")),
    Forgery("a text in Parquet", "questions", cell("parquet/test.parquet", "question", "Apa?")),
    Forgery("a voter in Parquet", "pairs", cell("parquet/votes.parquet", "annotator", "W99")),
    Forgery("a translation in Parquet", "translations", cell("parquet/nli/su.parquet", "premise", "Lain.")),
    Forgery("counts of a distribution", "pairs", words(COUNTED, '"neutral":3', '"neutral":4')),
    Forgery("entropy of labels", "questions", words(COUNTED, '"entropy":0.0', '"entropy":0.5')),
    Forgery("rows that splits share", "pairs", words("leakage.json", '": 3', '": 0')),
    Forgery("a type in Croissant", "pairs", words("croissant.json", "sc:Integer", "sc:Text")),
    Forgery("the licence in Croissant", "pairs", words("croissant.json", '"isLive', '"license": "MIT", "isLive')),
    Forgery("code of the harness", "pairs", words("lm_eval/utils.py", "import ", "import os, ")),
    Forgery("a prompt of a paper", "pairs", words(TASK_FILE, "doc_to_text: ", "doc_to_text: # ")),
    Forgery("the split of a task", "pairs", words(TASK_FILE, "test.jsonl", "train.jsonl")),
    Forgery("a task in the folder's README", "pairs", words("lm_eval/README.md", "own_id_nli", "own_id")),
    Forgery("the number of items on the card", "pairs", words("README.md", "4 items", "400 items")),
    Forgery("the seed on the card", "pairs", words("README.md", "`seed`: `s1`", "`seed`: `s2`")),
    Forgery("a row of the card's splits", "pairs", words("README.md", "| test | 3 |", "| test | 30 |")),
    Forgery("the first voter on the card", "pairs", words("README.md", "author's label in ", "author's label in 9")),
    Forgery("what splits share, on the card", "pairs", words("README.md", "row shares an equal item", "row shares a")),
    Forgery(
        "the votes at the head of the card", "pairs", words("README.md", '"config_name":"votes"', '"config_name":"v"')
    ),
    Forgery("a soft label in Parquet", "pairs", cell("parquet/distributions/test.parquet", "votes", 9)),
    Forgery("alpha on the card", "pairs", words("README.md", "alpha (nominal) is ", "alpha (nominal) is 1")),
    Forgery("the number of voters on the card", "pairs", words("README.md", "4 voted", "40 voted")),
    Forgery("the audits on the card", "audits", words("README.md", "agreements were audited", "items were audited")),
    Forgery("a feature at the head of the card", "pairs", words("README.md", '"class_label"', '"class-label"')),
    Forgery("a figure of a card of translations", "translations", words("README.md", "9 items", "90 items")),
    Forgery("a file that nothing gives", "pairs", added("csv/more.csv", b"a\r\n"), "nothing in the release gives it"),
    Forgery("rows that no rule gives", "pairs-plain", added("more.jsonl", b"{}\n"), "no rule of the release gives"),
    Forgery("the item behind an open id", "hidden", of_open_row, "README.md: written again"),
    Forgery("a comment in a hidden vote", "hidden", value("hidden/votes.jsonl", comment="Lain."), "README.md: written"),
    Forgery("a comment without copies", "pairs-plain", value("votes.jsonl", comment="Lain."), "README.md: written"),
    Forgery("a source without copies", "pairs-plain", value("test.jsonl", premise_id="x"), "README.md: written"),
    Forgery("a form that is missing", "pairs", gone("csv/votes.csv"), "is missing"),
]
# Forgeries of the manifest alone.
OF_MANIFEST = [
    Forgery("items in the manifest", "pairs", told("counts", "items", to=19), RECOUNTED),
    Forgery("left-out items in the manifest", "pairs", told("counts", "left_out", "excluded", to=2), RECOUNTED),
    Forgery("rounds in the manifest", "pairs", told("counts", "splits", "test", "rounds", "1", to=2), RECOUNTED),
    Forgery("voters in the manifest", "pairs", told("counts", "people", "voters", to=40)),
    Forgery("votes in the manifest", "pairs", told("counts", "votes", "given", to=200)),
    Forgery("first voters", "pairs", told("counts", "arose", "first_voter_agrees", "n", to=4), "counted again"),
    Forgery("alpha", "pairs", told("counts", "arose", "agreement", "alpha", to=0.99), "counted again"),
    Forgery("rows of a target", "translations", told("counts", "targets", 0, "rows", to=11)),
    Forgery("the quorum of a sealed protocol", "pairs", told("protocols", 0, "rules", "quorum", to=2), "sealed"),
    Forgery("a sealed protocol's hash", "pairs", told("protocols", 0, "digest", to="0" * 64), "sealed"),
    Forgery("a protocol without a hash", "pairs", told("protocols", 0, "digest", to=None)),
    Forgery("votes before a protocol", "pairs", told("protocols", 0, "votes_before", to=7)),
    Forgery("the seed of the splits", "pairs", told("rules", "seed", to="s2")),
    Forgery("the licence", "pairs", told("about", "licence", to="MIT")),
    Forgery("the version that made it", "pairs", told("software", "version", to="0.1.0"), "is not of Mufakat"),
    Forgery("the project's name", "questions", told("project", "name", to="other")),
    Forgery("a field that no build writes", "pairs", lambda of: of.tell(lambda m: m.update(more=1))),
    Forgery("rows of a file", "pairs", told("files", "test.jsonl", "rows", to=9), "numbers of rows"),
]


def vote(change: Callable[[Row], Any], which: Callable[[Row], Any] = lambda row: row["split"]) -> Any:
    """Change one vote."""
    return lambda of: of.change("votes.jsonl", change, which)


def more(change: Callable[[Row], Row], which: Callable[[Row], Any] = lambda row: row["split"]) -> Any:
    """Put one more vote behind one that is there."""

    def forge(of: Forged) -> None:
        rows = of.rows("votes.jsonl")
        at = max(n for n, row in enumerate(rows) if which(row))
        of.put("votes.jsonl", [*rows[: at + 1], {**rows[at], **change(rows[at])}, *rows[at + 1 :]])

    return forge


def fewer(name: str, which: Callable[[Row], Any] = lambda row: True) -> Any:
    """Take one row away."""

    def forge(of: Forged) -> None:
        rows = of.rows(name)
        gone_row = next(row for row in rows if which(row))
        of.put(name, [row for row in rows if row is not gone_row])

    return forge


def _by_w04(row: Row) -> bool:
    return bool(row["annotator"] == "W04" and row["split"])


def by_author(of: Forged) -> None:
    """The author votes, in the row too."""
    of.change("votes.jsonl", to(annotator="W01"), _by_w04)
    key = next(row["pair_id"] for row in of.rows("votes.jsonl") if row["annotator"] == "W01")
    for name in ("train.jsonl", "test.jsonl"):
        rows = of.rows(name)
        for row in rows:
            if row["pair_id"] == key:
                row["annotator_ids"][row["annotator_ids"].index("W04")] = "W01"
        of.put(name, rows)


def swap(name: str, column: str) -> Any:
    """Two rows have each other's values."""

    def forge(of: Forged) -> None:
        rows = of.rows(name)
        rows[0][column], rows[1][column] = rows[1][column], rows[0][column]
        of.put(name, rows)

    return forge


def nested(column: str, change: Callable[[Any], Any], name: str = "test.jsonl") -> Any:
    """Change what a column of the first row holds."""
    return lambda of: of.change(name, lambda row: change(row[column]))


def first(change: Callable[[Row], Any], which: Callable[[Row], Any]) -> Any:
    """Change the first row of test that is as asked."""
    return lambda of: of.change("test.jsonl", change, which)


def another_result(of: Forged) -> None:
    """An audit that changed the gold did not, or the other way."""
    turn = lambda row: row.update(changed=not row["changed"])  # noqa: E731
    of.change("audits.jsonl", turn, lambda row: row["changed"] is not None)


def row_twice(of: Forged) -> None:
    """A row stands there twice."""
    rows = of.rows("test.jsonl")
    of.put("test.jsonl", [rows[0], *rows])


def two_sizes(of: Forged) -> None:
    """Two rows with sizes that no project has."""
    rows = of.rows("test.jsonl")
    rows[0]["sentence_size"], rows[1]["sentence_size"] = "huge", "tiny"
    of.put("test.jsonl", rows)


def left_out_twice(of: Forged) -> None:
    """An id stands in place of another one that is left out."""
    of.tell(lambda manifest: manifest["left_out"]["voting"].__setitem__(0, manifest["left_out"]["voting"][1]))


def left(row: Row) -> bool:
    return bool(row["left_out"])


NLI, READING, DERIVED = "nli/su.jsonl", "reading/test/su.jsonl", "open-qa/test/su.jsonl"
# Forgeries of rows and votes in releases without copies; our own writers make all that follows from them.
OF_ROWS = [
    Forgery("a vote's label", "pairs", vote(to(label="contradiction")), AGAINST),
    Forgery("a vote's label outside the scheme", "pairs", vote(to(label="maybe")), CAST),
    Forgery("one person twice", "pairs", vote(to(annotator="W04"), lambda row: row["n"] == 2), CAST),
    Forgery("an author who votes", "pairs", by_author, "wrote it and voted on it"),
    Forgery("a vote that does not count, counted", "pairs", vote(to(counted=False)), CAST),
    Forgery("a vote left aside for no reason", "pairs", vote(to(not_counted_because="late")), CAST),
    Forgery("a vote taken away", "pairs", fewer("votes.jsonl", lambda row: row["n"] == 2 and row["split"])),
    Forgery("a vote more", "pairs", more(lambda row: {"n": row["n"] + 1, "annotator": "W77"}), AGAINST),
    Forgery("a vote of a question, gone", "questions", fewer("votes.jsonl"), AGAINST),
    Forgery("a vote of another split", "pairs", vote(to(split="train"))),
    Forgery("a vote of an item that is left out", "pairs", vote(to(split="test", left_out=None), left)),
    Forgery("a vote left out for another reason", "pairs", vote(to(left_out="no_gold"), left), CAST),
    Forgery("votes for an item of no release", "pairs", vote(to(pair_id="0" * 20), left), CAST),
    Forgery("a vote's number", "pairs", vote(to(n=9)), CAST),
    Forgery("a round that no protocol has", "pairs", vote(to(round=9)), CAST),
    Forgery("votes on two meanings", "pairs", vote(to(epoch=2)), CAST),
    Forgery("a vote on a later revision", "pairs", vote(to(revision=5)), AGAINST),
    Forgery("a vote under guidelines that are not", "pairs", vote(to(guideline=8)), CAST),
    Forgery("a mark of a vote, unknown", "pairs", vote(to(unsure=None)), CAST),
    Forgery("a doubt of a vote", "questions", vote(to(unsure=True)), AGAINST),
    Forgery("an imported vote given here", "imported", vote(to(imported=False)), CAST),
    Forgery("a voter who is another", "prompts", vote(to(annotator="W99")), AGAINST),
    Forgery(
        "an answer in a question's row", "questions", nested("answers", lambda held: held.update(W01="E")), AGAINST
    ),
    Forgery("a voter of a question, gone", "questions", nested("answers", lambda held: held.pop("W01")), AGAINST),
    Forgery("a label that the votes do not give", "task", value("test.jsonl", label="negative"), "labels from gold"),
    Forgery(
        "gold that the votes do not give", "prompts", value("test.jsonl", gold_label="R2"), "gold labels from votes"
    ),
    Forgery("labels of annotators", "pairs", nested("annotator_labels", lambda held: held.reverse()), AGAINST),
    Forgery("annotators", "audits", nested("annotator_ids", lambda held: held.append("W50"))),
    Forgery("a label's source", "pairs", value("test.jsonl", label_source="author")),
    Forgery(
        "a label of an author",
        "pairs",
        lambda of: of.change("test.jsonl", to(label="contradiction"), lambda row: row["label_source"] == "author"),
        AGAINST,
    ),
    Forgery("a reason to stop", "questions", value("test.jsonl", stop_reason="quorum"), "why nobody else was asked"),
    Forgery("a number of labels", "pairs", value("test.jsonl", n_labels=9), "why nobody else was asked"),
    Forgery("a round that made gold", "task", value("test.jsonl", annotation_round=3), RECOUNTED),
    Forgery("the split of a row", "pairs", value("test.jsonl", split="train"), AGAINST),
    Forgery("a row taken away", "pairs", fewer("test.jsonl"), RECOUNTED),
    Forgery(
        "a row that stands twice",
        "questions",
        row_twice,
        AGAINST,
    ),
    Forgery("where a row is from", "questions", value("test.jsonl", origin="written"), RECOUNTED),
    Forgery("a concept that splits share", "pairs", value("test.jsonl", premise="Lain."), RECOUNTED),
    Forgery(
        "a chance of an audit",
        "audits",
        first(to(q=0.9), lambda row: row["q"]),
        "audits, step by step",
    ),
    Forgery(
        "an audit's result",
        "audits",
        another_result,
        "audits",
    ),
    Forgery("a step of an audit", "audits", value("audits.jsonl", route="panel"), "audits, step by step"),
    Forgery("the author's label", "audits", value("test.jsonl", author_label="contradiction"), AGAINST),
    Forgery("a translation's reviewer", "translations", value(NLI, reviewers=["W09"]), AGAINST),
    Forgery("a translator who reviews", "translations", vote(to(annotator="W01")), AGAINST),
    Forgery("a review that sends back", "translations", vote(to(label="revise")), AGAINST),
    Forgery("a translation approved by nobody", "translations", fewer("votes.jsonl"), AGAINST),
    Forgery("whose word approves", "translations", value(NLI, approval="lead")),
    Forgery("a translator", "translations", value(NLI, translator="W05")),
    Forgery("a target's label", "translations", value(NLI, label="contradiction"), "its label is not the source's"),
    Forgery("a target's language", "translations", value(NLI, language="jv"), "its target is another one"),
    Forgery(
        "a source's label",
        "translations",
        value("nli/id.jsonl", label="contradiction"),
        "its label is not the source's",
    ),
    Forgery("a translated row, gone", "translations", fewer(NLI)),
    Forgery("rows in another order", "translations", swap(NLI, "id"), "in order"),
    Forgery("where an answer stands", "translations", value(READING, answer_start=0), "stands elsewhere"),
    Forgery(
        "a question of a derived task", "translations", value(DERIVED, question="Apa?"), "is not what reading says"
    ),
    Forgery(
        "a derived translation", "translations", value("translation/su.jsonl", text="Lain."), "is not what nli says"
    ),
    Forgery(
        "a derived translation's source",
        "translations",
        value("translation/su.jsonl", translation="Lain."),
        "is not what nli says",
    ),
    Forgery("what an answer settled on", "questions", value("test.jsonl", answer_majority="E"), FOLLOWS),
    Forgery(
        "who found a question ambiguous",
        "questions",
        nested("question_ambiguity", lambda held: held.update(W01="ambiguous")),
        FOLLOWS,
    ),
    Forgery(
        "who found a choice ambiguous",
        "questions",
        nested("option_ambiguity", lambda held: held["W01"].__setitem__(0, None)),
        FOLLOWS,
    ),
    Forgery("a letter of a choice", "questions", nested("choices", lambda held: held["label"].reverse())),
    Forgery(
        "choices in an order that nobody was shown",
        "questions",
        vote(lambda row: row["answers"].update(order="ABCDX")),
        "its choices are",
    ),
    Forgery("the given answer", "judged", value("train.jsonl", answerKey="X"), FOLLOWS),
    Forgery("a judgement", "judged", nested("judgements", lambda held: held.update(W01="no"), "train.jsonl"), FOLLOWS),
    Forgery("the share of votes for the best", "prompts", value("test.jsonl", best_share=0.5), FOLLOWS),
    Forgery("the best response", "prompts", value("test.jsonl", best_answer="Kado"), FOLLOWS),
    Forgery("a relevant response", "prompts", nested("relevant_answers", lambda held: held.pop()), FOLLOWS),
    Forgery("the role of a response", "prompts", nested("responses", lambda held: held[0].update(role="irrelevant"))),
    Forgery("a part of a prompt", "prompts", nested("parts", lambda held: held.update(context="Lain.")), FOLLOWS),
    Forgery("the number of a prompt", "prompts", value("test.jsonl", prompt_id="99000001"), FOLLOWS),
    Forgery("a flag that is none", "pairs", value("test.jsonl", flags=["nice"]), "there is no flag"),
    Forgery("the language of a row", "pairs", value("test.jsonl", language="jv"), "its language is jv"),
    Forgery("a size of sentences", "pairs", two_sizes, "sentence sizes: huge, tiny"),
    Forgery(
        "a distribution of labels",
        "audits",
        first(to(label_distribution={"neutral": 6}), lambda row: row["label_distribution"]),
    ),
    Forgery("the number of a step", "audits", value("audits.jsonl", n=7), "it is written down as step 7"),
    Forgery("what a step was", "audits", value("audits.jsonl", event="outcome"), "it is written down as step 1"),
    Forgery("the answer to the one question", "task", value("test.jsonl", sentiment="negative"), FOLLOWS),
    Forgery("a machine's row that was judged", "judged", value("raw/train.jsonl", gold_label="A"), "machine's row"),
    Forgery("a model of a machine's row", "judged", value("raw/train.jsonl", model="y"), "machine's row"),
    Forgery("a text of a machine's row", "judged", value("raw/train.jsonl", question="Apa?"), "machine's row"),
    Forgery("a machine's row, gone", "judged", fewer("raw/train.jsonl"), "not there as it was written"),
    Forgery(
        "a source that was judged", "translations", value("nli/id.jsonl", annotation_round=1), "made or judged here"
    ),
    Forgery("where a source is from", "translations", value("nli/id.jsonl", origin="written"), "made or judged here"),
    Forgery("guidelines that are skipped", "pairs", told("guidelines", 0, "n", to=2), "numbered 2"),
    Forgery("guidelines for nobody", "pairs", told("guidelines", 1, "role", to="lead"), "nobody has the role"),
    Forgery("smaller groups of people", "pairs", told("about", "people", "threshold", to=1), "groups of people"),
    Forgery("an id that is left out twice", "pairs", left_out_twice, "left out twice"),
    Forgery("the register of a target", "translations", told("targets", 0, "register", to="ngoko"), "its counts name"),
    Forgery("a file that was imported", "questions", told("imports", 0, "sha256", to="x"), "is no SHA-256"),
    Forgery("a text where a number stands", "pairs", vote(to(n="one"))),
    Forgery("a column that is gone", "pairs", vote(lambda row: row.pop("annotator"))),
]
