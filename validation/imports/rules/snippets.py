"""Which snippets of which documents are taken: drawn by a seed, in shares of their classes (IndoNLI §3.1).

Documents come in drawn order, sha256("seed:document:key"): one snippet of each, and only then a second. Of each the
class that is furthest below its share is taken first, and of a class the candidates in drawn order,
sha256("seed:snippet:key:place"). Memory is bounded: of the documents those that stand first in drawn order are kept,
and of each a few candidates.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from annotation.core.rules.draws import draw
from annotation.text.gettext import gettext_noop
from annotation.text.near_texts import NearTexts
from annotation.text.normalise import storage_problem
from annotation.text.sentences import CLASSES, DOUBLE, PARAGRAPH, SINGLE
from annotation.text.snippets import RULES, Snippet, broken_rule, class_quotas, snippets
from validation.imports.rules.problems import FileRefused

MOST_SNIPPETS, MOST_PER_DOCUMENT, MOST_WORDS, LONGEST_SEED = 100_000, 50, 1000, 100
# Of the documents so many are kept for each snippet that is asked for, and so many characters of all of them.
DOCUMENTS_A_SNIPPET, LEAST_DOCUMENTS, MOST_CHARACTERS = 4, 1000, 200_000_000
# Of a document so many candidates of a class are kept for each snippet that it may give.
CANDIDATES_A_SNIPPET = 4
EXAMPLES, NAMES_SHOWN, LONGEST_NAME = 3, 20, 120

# Why documents and candidates are not taken, beside the rules of annotation.text.snippets.
DOCUMENT_RULE_NAMES: Mapping[str, str] = {
    "unreadable": gettext_noop("Cannot be read"),
    "empty": gettext_noop("Without text"),
    "too_long": gettext_noop("Longer than a document may be"),
    "too_slow": gettext_noop("Takes too long to read"),
    "too_large": gettext_noop("Needs too much memory to read"),
    "no_article": gettext_noop("No article: a talk page, a template, a redirect, a list of meanings"),
    "twice": gettext_noop("There twice"),
    "not_needed": gettext_noop("Not needed: what was asked for was full, or they stand too far behind in the draw"),
}
CANDIDATE_RULE_NAMES: Mapping[str, str] = {
    **RULES,
    "overlap": gettext_noop("Shares a sentence with a snippet that was taken"),
    "near": gettext_noop("Nearly the same as a snippet that was taken, or as a premise of the project"),
    "not_drawn": gettext_noop("Not drawn: its document, or its class, had enough"),
}


class Document(NamedTuple):
    """A document as a file gives it; where its text is `wikitext` it is made plain when its turn comes."""

    key: str
    text: str
    source: str = ""
    topic: str = ""
    licence: str = ""
    wikitext: bool = False


class DocumentSkipped(Exception):
    """A document whose text cannot be made plain; `rule` is one of DOCUMENT_RULE_NAMES."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


@dataclass(frozen=True)
class SnippetRules:
    """How many snippets, in which shares, and what each has to be. Raises FileRefused for what cannot be."""

    n: int = 100
    single: int = 60
    double: int = 25
    paragraph: int = 15
    per_document: int = 5
    least_words: int = 5
    most_words: int = 200
    seed: str = ""

    def __post_init__(self) -> None:
        counts = (
            0 < self.n <= MOST_SNIPPETS
            and 0 < self.per_document <= MOST_PER_DOCUMENT
            and 0 < self.least_words <= self.most_words <= MOST_WORDS
            and all(0 <= share <= 100 for share in self.shares.values())
            and sum(self.shares.values()) > 0
        )
        if not counts or len(self.seed) > LONGEST_SEED or storage_problem(self.seed):
            message = gettext_noop(
                "These rules cannot be followed: ask for 1 to %(most)s snippets, shares from 0 to 100 of which one is "
                "more than 0, 1 to %(documents)s a document, and at least as many words as the fewest."
            )
            raise FileRefused("snippet_rules", message, most=MOST_SNIPPETS, documents=MOST_PER_DOCUMENT)

    @property
    def shares(self) -> dict[str, int]:
        return {SINGLE: self.single, DOUBLE: self.double, PARAGRAPH: self.paragraph}

    def to_dict(self) -> dict[str, Any]:
        """The rules without the seed, for releases."""
        told = asdict(self)
        del told["seed"]
        return {**{name: told[name] for name in told if name not in self.shares}, "shares": self.shares}


class TakenSnippet(NamedTuple):
    """A snippet that is taken, and its document."""

    document: Document
    snippet: Snippet


@dataclass
class Report:
    """What came of a look through documents, for the page that asks before anything is stored."""

    documents: int = 0
    sentences: int = 0
    candidates: int = 0
    of_documents: Counter[str] = field(default_factory=Counter)
    of_candidates: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    documents_by_rule: dict[str, list[str]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    taken: list[TakenSnippet] = field(default_factory=list)

    def count_document(self, rule: str, key: str = "") -> None:
        """Count a document that is left out; the first of each rule are named."""
        self.of_documents[rule] += 1
        names = self.documents_by_rule.setdefault(rule, [])
        if key and len(names) < NAMES_SHOWN:
            names.append(key[:LONGEST_NAME])

    def count_left_out(self, rule: str, text: str = "") -> None:
        """Count a candidate that is not taken; the first few of each rule are shown."""
        self.of_candidates[rule] += 1
        shown = self.examples.setdefault(rule, [])
        if text and len(shown) < EXAMPLES:
            shown.append(text[:200])

    def counts(self) -> dict[str, Any]:
        """The figures as a job stores them and a release publishes them."""
        classes = Counter(each.snippet.sentence_class for each in self.taken)
        return {
            "documents": self.documents,
            "documents_used": len({each.document.key for each in self.taken}),
            "documents_left": dict(self.of_documents),
            "sentences": self.sentences,
            "candidates": self.candidates,
            "candidates_left": dict(self.of_candidates),
            "asked": self.asked,
            "taken": {name: classes[name] for name in CLASSES},
        }


class FirstDocuments:
    """The documents that stand first in drawn order, so many and so many characters of them."""

    def __init__(self, seed: str, most: int, report: Report) -> None:
        self._seed, self._most, self._report = seed, most, report
        self._heap: list[tuple[int, str, Document]] = []
        self._keys: set[str] = set()
        self._characters = 0

    def offer(self, document: Document) -> None:
        """Keep a document where it stands among the first."""
        self._report.documents += 1
        if document.key in self._keys:
            self._report.count_document("twice", document.key)
            return
        self._keys.add(document.key)
        heapq.heappush(self._heap, (-draw(self._seed, "document", document.key), document.key, document))
        self._characters += len(document.text)
        while len(self._heap) > self._most or (self._characters > MOST_CHARACTERS and len(self._heap) > 1):
            _, _, last = heapq.heappop(self._heap)
            self._characters -= len(last.text)
            self._report.count_document("not_needed")

    def drawn(self) -> Iterator[Document]:
        """Those that are kept, in drawn order."""
        for _, _, document in sorted(self._heap, key=lambda each: (-each[0], each[1])):
            yield document


def sample_snippets(
    documents: Iterable[Document],
    rules: SnippetRules,
    language: str,
    there: Iterable[str],
    report: Report,
    *,
    plain_text: Callable[[str, str], str],
    passed: Callable[[int], None] = lambda n: None,
) -> Report:
    """Take snippets of documents; `there` are texts that none of them may be near to.

    `plain_text` makes the text of wikitext, by a document's key, or raises DocumentSkipped; `passed` hears, before
    each document that is cut, how many were read.
    """
    most = max(LEAST_DOCUMENTS, rules.n * DOCUMENTS_A_SNIPPET)
    kept = FirstDocuments(rules.seed, most, report)
    for document in documents:
        kept.offer(document)
    report.asked = class_quotas(rules.n, rules.shares)
    sampling = _Sampling(rules, report)
    for text in there:
        sampling.near.add(text)
    cut = []
    for document in kept.drawn():
        if sampling.is_full:
            report.count_document("not_needed")
            continue
        passed(report.documents)
        try:
            text = plain_text(document.key, document.text) if document.wikitext else document.text
        except DocumentSkipped as skipped:
            report.count_document(skipped.rule, document.key)
            continue
        candidates = _cut_document(document, text, rules, language, report)
        sampling.take_one(candidates)
        cut.append(candidates)
    for _ in range(1, rules.per_document):
        for candidates in cut:
            sampling.take_one(candidates)
    if rest := sum(candidates.left for candidates in cut):
        report.of_candidates["not_drawn"] += rest
    return report


@dataclass
class _Candidates:
    """What may be taken of a document, by class, the first in drawn order last; and what was taken of it."""

    document: Document
    by_class: dict[str, list[Snippet]]
    taken: list[Snippet] = field(default_factory=list)

    @property
    def left(self) -> int:
        return sum(map(len, self.by_class.values()))


class _Sampling:
    """The snippets that are taken so far, and what their classes still lack."""

    def __init__(self, rules: SnippetRules, report: Report) -> None:
        self.rules, self.report = rules, report
        self.lacking, self.near = dict(report.asked), NearTexts()

    @property
    def is_full(self) -> bool:
        return not any(self.lacking.values())

    def take_one(self, candidates: _Candidates) -> None:
        """Take the next snippet of a document, where one is left that is unlike all others."""
        by_class, asked = candidates.by_class, self.report.asked
        while names := [name for name in CLASSES if self.lacking[name] and by_class[name]]:
            name = max(names, key=lambda name: (self.lacking[name] / asked[name], -CLASSES.index(name)))
            snippet = by_class[name].pop()
            if any(snippet.overlaps(other) for other in candidates.taken):
                self.report.count_left_out("overlap", snippet.text)
            elif any(True for _ in self.near.near(snippet.text, equal=True)):
                self.report.count_left_out("near", snippet.text)
            else:
                candidates.taken.append(snippet)
                self.near.add(snippet.text)
                self.lacking[name] -= 1
                self.report.taken.append(TakenSnippet(candidates.document, snippet))
                return


def _cut_document(document: Document, text: str, rules: SnippetRules, language: str, report: Report) -> _Candidates:
    """The candidates of a document that keep the rules. Without its text: there may be very many documents."""
    good: dict[str, list[Snippet]] = {name: [] for name in CLASSES}
    for snippet in snippets(text, language):
        report.candidates += 1
        report.sentences += snippet.sentence_class == SINGLE
        if wrong := broken_rule(snippet.text, rules.least_words, rules.most_words):
            report.count_left_out(wrong, snippet.text)
        else:
            good[snippet.sentence_class].append(snippet)
    most = CANDIDATES_A_SNIPPET * rules.per_document
    for name, candidates in good.items():
        candidates.sort(key=lambda snippet: draw(rules.seed, "snippet", f"{document.key}:{snippet.place}"))
        if len(candidates) > most:
            report.of_candidates["not_drawn"] += len(candidates) - most
        good[name] = candidates[:most][::-1]
    return _Candidates(document._replace(text=""), good)
