"""How tasks read the rows of a release and score what a model answers, for lm-evaluation-harness.

Every release holds this file as `lm_eval/utils.py`, beside the tasks that name its functions: whoever has the folder
can run them from anywhere. So it needs nothing but Python, and `datasets` where the harness loads. A row becomes a
flat document, or none where the row does not say what the right answer is (the hidden labels of a test, for example).
"""

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NLI = ("entailment", "neutral", "contradiction")
_IN_WORDS = "_\u200c\u200d"


def load(files: Mapping[str, str], sort: str, asked: Mapping[str, Any] | None = None, **said: Any) -> dict[str, Any]:
    """Give the documents of each split as the harness takes them; `files` are paths in the release, by split.

    `asked` is what a team's own task asks, where it is one. `said` is whatever else the harness was told on its command
    line: nothing of it is for this file.
    """
    import datasets

    root = Path(__file__).resolve().parent.parent
    return {
        split: datasets.Dataset.from_list(list(documents(sort, rows(root / path), asked)))
        for split, path in files.items()
    }


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON Lines file; nothing but a line feed ends one."""
    with path.open("rb") as lines:
        for line in lines:
            yield json.loads(line)


def documents(
    sort: str, given: Iterator[dict[str, Any]], asked: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """The documents of rows with a known answer."""
    for row in given:
        document = DOCUMENTS[sort](row) if asked is None else OF_TASKS[sort](row, asked)
        if document is not None:
            yield document


Document = dict[str, Any]


def nli(row: Mapping[str, Any]) -> Document | None:
    """A premise and a hypothesis, and which of the three labels is right."""
    if row.get("label") not in NLI:
        return None
    return {
        "premise": row["premise"],
        "hypothesis": row["hypothesis"],
        "choices": [label.capitalize() for label in NLI],
        "answer": NLI.index(row["label"]),
    }


def choices(row: Mapping[str, Any]) -> Document | None:
    """A question with its choices by letter; `listing` is a line for each."""
    letters, texts = row["choices"]["label"], row["choices"]["text"]
    key = row.get("label") or row.get("answer")
    if key not in letters:
        return None
    concept = row.get("question_concept") or (row.get("data") or {}).get("question_concept")
    return {
        "concept": str(concept or ""),
        "question": row["question"],
        "listing": "\n".join(f"{letter}. {text}" for letter, text in zip(letters, texts, strict=True)),
        "letters": letters,
        "texts": texts,
        "key": key,
        "answer": letters.index(key),
    }


def responses(row: Mapping[str, Any]) -> Document | None:
    """A prompt with its responses: the best first, then what else is relevant, then what is not."""
    best, bad = row.get("best_answer"), row.get("irrelevant_answers") or []
    if not best or not bad:
        return None
    good = [text for text in row.get("relevant_answers") or [] if text != best]
    return {"prompt": row["prompt"], "texts": [best, *good, *bad], "relevant": 1 + len(good), "answer": 0}


def best(row: Mapping[str, Any]) -> Document | None:
    """A prompt with its responses, of which one is said to be the best."""
    given = row["responses"]
    if row.get("answer") not in given["label"]:
        return None
    return {"prompt": row["prompt"], "texts": given["text"], "answer": given["label"].index(row["answer"])}


def continuation(row: Mapping[str, Any]) -> Document | None:
    """A context and how it may go on, each with a letter."""
    given = row["continuations"]
    if row.get("answer") not in given["label"]:
        return None
    return {
        "context": row["context"],
        **_lettered(given["text"]),
        "answer": given["label"].index(row["answer"]),
    }


def causal(row: Mapping[str, Any]) -> Document | None:
    """A premise and two alternatives for its cause or its effect (`asked`)."""
    if row.get("label") not in (0, 1):
        return None
    both = _lettered([row["choice1"], row["choice2"]])
    return {"premise": row["premise"], "asked": row["question"], **both, "answer": row["label"]}


def _lettered(texts: Sequence[str]) -> Document:
    letters = list(LETTERS[: len(texts)])
    said = letters[0] if len(letters) == 1 else f"{', '.join(letters[:-1])} or {letters[-1]}"
    listing = "\n".join(f"Choice {letter}: {text}" for letter, text in zip(letters, texts, strict=True))
    return {"listing": listing, "either": said, "letters": letters, "texts": list(texts)}


def extraction(row: Mapping[str, Any]) -> Document | None:
    """A passage and a question whose answer stands in it."""
    if not row.get("answer"):
        return None
    return {"passage": row["passage"], "question": row["question"], "answer": row["answer"]}


def open_question(row: Mapping[str, Any]) -> Document | None:
    """A question by itself."""
    return {"question": row["question"], "answer": row["answer"]} if row.get("answer") else None


def translation(row: Mapping[str, Any]) -> Document | None:
    """A text and its translation."""
    return {"text": row["text"], "answer": row["translation"]} if row.get("translation") else None


def _given(row: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """What people saw of an item: each text below its name; lists of pairs as lines."""
    told = []
    for column, name in asked["texts"].items():
        value = row.get(column)
        if isinstance(value, list):
            value = "\n".join(": ".join("" if part is None else str(part) for part in pair.values()) for pair in value)
        if value:
            told.append(f"{name}:\n{value}")
    return "\n\n".join(told)


def task_choice(row: Mapping[str, Any], asked: Mapping[str, Any]) -> Document | None:
    """An item with the first question of its task, and which of the answers is right."""
    keys = list(asked["labels"])
    if row.get("label") not in keys:
        return None
    names = list(asked["labels"].values())
    return {
        "given": _given(row, asked),
        "question": asked["question"],
        "listing": "\n".join(f"- {name}" for name in names),
        "choices": names,
        "answer": keys.index(row["label"]),
    }


def task_words(row: Mapping[str, Any], asked: Mapping[str, Any]) -> Document | None:
    """An item with the first question of its task, answered by a passage or a text."""
    told = row.get(asked["key"])
    if isinstance(told, list):
        told = told[0]["text"] if len(told) == 1 else None
    if not told:
        return None
    return {"given": _given(row, asked), "question": asked["question"], "answer": told}


OF_TASKS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Document | None]] = {
    "task-choice": task_choice,
    "task-words": task_words,
}
DOCUMENTS: Mapping[str, Callable[[Mapping[str, Any]], Document | None]] = {
    "nli": nli,
    "choices": choices,
    "responses": responses,
    "best": best,
    "continuation": continuation,
    "causal": causal,
    "extraction": extraction,
    "open": open_question,
    "translation": translation,
}


def score(best: float, relevant: Sequence[float], irrelevant: Sequence[float]) -> tuple[int, float]:
    """Give MC1 and MC2 from log-probabilities divided by bytes; `relevant` has the best among them (Kalahi §4.2).

    All are shifted by the highest before exp: the quotient stays the same, and never becomes 0 / 0.
    """
    highest = max(*relevant, *irrelevant)
    good = math.fsum(math.exp(each - highest) for each in relevant)
    bad = math.fsum(math.exp(each - highest) for each in irrelevant)
    return int(best > max(irrelevant)), good / (good + bad)


def mc(document: Document, results: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """MC1 and MC2 of one prompt: one result a response, its log-probability first."""
    pairs = zip(results, document["texts"], strict=True)
    per_byte = [result[0] / len(text.encode()) for result, text in pairs]
    relevant, irrelevant = per_byte[: document["relevant"]], per_byte[document["relevant"] :]
    mc1, mc2 = score(per_byte[0], relevant, irrelevant)
    return {"mc1": mc1, "mc2": mc2}


def letter(document: Document, results: Sequence[str]) -> dict[str, float]:
    """Whether the letter in what a model wrote is the right one (id-csqa §6: found by rules, not by probability)."""
    return {"acc": float(letter_in(results[0], document["letters"]) == document["key"])}


def letter_in(text: str, letters: Sequence[str]) -> str:
    """The letter that a text begins with, or names as the answer, or the only one that stands in it by itself."""
    one = f"({'|'.join(map(re.escape, letters))})"
    for pattern in (rf"\W*{one}(?=[\s.):,\]*]|$)", rf".*?(?i:answer|jawaban)\W+(?i:is\W+|adalah\W+)?{one}\b"):
        found = re.match(pattern, text, re.DOTALL)
        if found is not None:
            return found[1]
    alone = set(re.findall(rf"\b{one}\b", text))
    return alone.pop() if len(alone) == 1 else ""


def words(document: Document, results: Sequence[str]) -> dict[str, float]:
    """Whether an answer is the right one letter for letter, or holds it, and how much their words overlap (F1)."""
    said, right = (" ".join(_words(text)) for text in (results[0], document["answer"]))
    return {
        "exact": float(said == right),
        "holds": float(bool(right) and f" {right} " in f" {said} "),
        "f1": _overlap(said.split(), right.split()),
    }


def _words(text: str) -> list[str]:
    """The words of a text in lower case: letters, digits and `_` with their marks and the joiners of their scripts."""
    kept = (each if each in _IN_WORDS or unicodedata.category(each)[0] in "LMN" else " " for each in text.casefold())
    return "".join(kept).split()


def _overlap(said: Sequence[str], right: Sequence[str]) -> float:
    shared = (Counter(said) & Counter(right)).total()
    return 2 * shared / (len(said) + len(right)) if shared else 0.0
