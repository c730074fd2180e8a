"""Question sets from ConceptNet: lines, entities, relations, threes and filters (mCSQA §3.1; domain.md §5).

Nothing here reads assertions or a database: whoever streams them brings lines and synonyms.
"""

import re
import unicodedata
from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from annotation.core.rules import draws
from annotation.text.normalise import key_form

SYNONYM = "Synonym"
FORWARD, BACKWARD = "forward", "backward"
DIRECTIONS = (FORWARD, BACKWARD)
SET_SIZE = 3
# In this order: a set that several filters would drop is counted under the first.
FILTERS = ("words", "letter", "part", "synonym")
MOST_WORDS = 4
LONGEST_TERM, LONGEST_KEY = 250, 200

# --- relations -----------------------------------------------------------------------------------


def parse_relations(text: str) -> tuple[str, ...]:
    """The relations of a list, one a line, `/r/` or not, `#` begins a remark; an empty list means the 22 of the file.

    Ordered by name and each once, so that the same list gives the same sets however it was typed.
    """
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    named = {line.removeprefix("/r/").strip("/") for line in lines}
    return tuple(sorted(named - {""})) or RELATIONS


# The file says where they come from.
RELATIONS: tuple[str, ...] = ()
RELATIONS = parse_relations(Path(__file__).with_name("conceptnet_relations.txt").read_text(encoding="utf-8"))

# --- lines: five columns behind tabs (uri, relation, start, end, JSON), nodes as URIs -------------
# Worked on as bytes and without reading the JSON: of 34 million lines nearly all are of no use.

_RELATION_PREFIX, _NODE_PREFIX = b"/r/", b"/c/"
_PREFIX_LENGTH = len(_NODE_PREFIX)

# ConceptNet has one code for what it takes for one language (conceptnet5/languages.py, 5.7): Indonesian stands under
# Malay, Croatian under Serbo-Croatian. BCP 47's primary subtag on the left.
_CODES = {
    "ms": "id zsm",
    "zh": "cmn yue",
    "no": "nb nn",
    "sh": "bs hr sr hbs",
    "ar": "arb arz ary",
    "ku": "ckb",
    "fil": "tl",
    "et": "vro",
    "lt": "sgs",
}
_TAGS = {tag: code for code, tags in _CODES.items() for tag in tags.split()}
# What a line asserts: its relation without `/r/`, the nodes as they stand, the language of each; what is no node of
# ConceptNet's (a link to elsewhere) has the language b"". A plain tuple: 34 million of them are made.
Assertion = tuple[bytes, bytes, bytes, bytes, bytes]


def language_tag(language: str) -> str:
    """ConceptNet's code for a project's language (BCP 47): `id` → `ms`, `pt-BR` → `pt`, `zh-Hant` → `zh`."""
    primary = language.replace("_", "-").split("-")[0].lower()
    return _TAGS.get(primary, primary)


def read_assertion(line: bytes) -> Assertion | None:
    """What a line asserts; None where it is malformed: not five columns, no relation, an end without a name."""
    try:
        _, relation, start, end, _ = line.split(b"\t", 4)
    except ValueError:
        return None
    if relation[:_PREFIX_LENGTH] != _RELATION_PREFIX or len(relation) == _PREFIX_LENGTH or not start or not end:
        return None
    start_language = end_language = b""
    if start[:_PREFIX_LENGTH] == _NODE_PREFIX:
        start_language = start[_PREFIX_LENGTH : start.find(b"/", _PREFIX_LENGTH)]
    if end[:_PREFIX_LENGTH] == _NODE_PREFIX:
        end_language = end[_PREFIX_LENGTH : end.find(b"/", _PREFIX_LENGTH)]
    return relation[_PREFIX_LENGTH:], start, end, start_language, end_language


def node_term(uri: bytes) -> str | None:
    """The term of a node, its part of speech and senses dropped: /c/en/test/n/wn/act → test.

    The underscores stay: `count_words` and `term_name` read them. None where there is nothing to read, or far too much.
    """
    try:
        term = uri.split(b"/", 4)[3].decode("utf-8")
    except (IndexError, UnicodeDecodeError):
        return None
    readable = len(term) <= LONGEST_TERM and "\0" not in term and key_form(term_name(term))
    return term if readable else None


def term_name(term: str) -> str:
    """A term as people read it, with blanks."""
    return " ".join(term.replace("_", " ").split())


def node_uri(language: str, term: str) -> str:
    """The node of a term without its senses."""
    return f"/c/{language}/{term}"


# --- how long an entity is: in words, and whether it is one character (mCSQA §3.1, filter 2) --------
#
# ConceptNet joins the words of a term with underscores. Scripts that are written without blanks are not joined so, and
# the paper does not say how their words were counted; a segmenter would make the result depend on its version. Here a
# run of such letters counts by its length, in about what a word takes there: two letters of Han or Hiragana, four of
# Thai, Lao, Khmer or Burmese, and a run of Katakana is one word however long (it is nearly always one). So Japanese and
# Chinese entities are dropped from nine letters in a row on, and what stands between blanks counts as everywhere.

_KATAKANA = "\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_TWO_LETTER_SCRIPTS = (
    "\u2e80-\u2fdf\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_FOUR_LETTER_SCRIPTS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f"
_SCRIPT_RUNS = re.compile(
    f"(?P<katakana>[{_KATAKANA}]+)|(?P<pairs>[{_TWO_LETTER_SCRIPTS}]+)|(?P<fours>[{_FOUR_LETTER_SCRIPTS}]+)"
    f"|(?P<other>(?:(?![{_KATAKANA}{_TWO_LETTER_SCRIPTS}{_FOUR_LETTER_SCRIPTS}])[^\\W_])+)"
)
_LETTERS_A_WORD = {"pairs": 2, "fours": 4}


def count_words(term: str) -> int:
    """How many words a term has."""
    if term.isascii():
        return sum(map(bool, term.split("_")))
    return sum(map(_count_words_in_part, filter(None, term.replace(" ", "_").split("_"))))


def _count_words_in_part(part: str) -> int:
    """The words of what stands between blanks: one, unless it is written without them."""
    runs = [(run.lastgroup or "", run.group()) for run in _SCRIPT_RUNS.finditer(part)]
    if all(sort == "other" for sort, _ in runs):
        # `d'été` and `e-mail` are one word each.
        return 1
    return sum(-(-_count_characters(text) // _LETTERS_A_WORD.get(sort, len(text))) for sort, text in runs)


def _count_characters(text: str) -> int:
    """Characters as a reader counts them: a letter with its marks is one."""
    return sum(not unicodedata.category(mark).startswith("M") for mark in unicodedata.normalize("NFC", text))


def is_letter(term: str) -> bool:
    """Whether a term is one character."""
    return _count_characters(term.replace("_", "")) <= 1


# --- sets: three targets of one source and relation ------------------------------------------------
#
# All targets of a source (each once, in any order of lines) are put in seeded order and cut into disjoint threes; a set
# is then kept or dropped as a whole. So a long entity costs the set that it fell into, as the paper says, and is not
# taken out of its source beforehand.

Related = Callable[[str, str], bool]


class QuestionSet(NamedTuple):
    """Three targets (terms with underscores) of one source, in seeded order."""

    language: str
    relation: str
    direction: str
    source: str
    targets: tuple[str, ...]


def draw_sets(
    seed: str, language: str, relation: str, direction: str, source: str, targets: Collection[str]
) -> list[QuestionSet]:
    """The disjoint sets of a source; up to two targets are left over behind the last."""
    if len(targets) < SET_SIZE:
        return []
    drawn = draws.order(seed, f"targets:{language}:{relation}:{direction}:{source}", set(targets))
    whole = len(drawn) - len(drawn) % SET_SIZE
    return [
        QuestionSet(language, relation, direction, source, tuple(drawn[start : start + SET_SIZE]))
        for start in range(0, whole, SET_SIZE)
    ]


def dropping_filter(one: QuestionSet, synonyms: Related) -> str:
    """The filter that drops a set, or empty. `synonyms` says whether two terms are Synonyms in either direction."""
    entities = (one.source, *one.targets)
    if any(count_words(entity) > MOST_WORDS for entity in entities):
        return "words"
    if any(is_letter(entity) for entity in entities):
        return "letter"
    folded = [key_form(target, casefold=True) for target in one.targets]
    pairs = [(0, 1), (0, 2), (1, 2)]
    if any(folded[a] in folded[b] or folded[b] in folded[a] for a, b in pairs):
        return "part"
    if any(synonyms(one.targets[a], one.targets[b]) for a, b in pairs):
        return "synonym"
    return ""


def set_key(one: QuestionSet) -> str:
    """What a set is called for good: the same three of the same source have the same key in every import."""
    digest = sha256("\n".join(sorted(one.targets)).encode()).hexdigest()[:12]
    head = f"{one.language}:{one.relation}:{one.direction}"
    key = f"{head}:{one.source}:{digest}"
    if len(key) <= LONGEST_KEY:
        return key
    return f"{head[:100]}:{sha256(key.encode()).hexdigest()[:32]}"


def drawn_place(seed: str, key: str) -> int:
    """The set's place in the drawn order: the lowest are taken, as many as the project wants."""
    return draws.draw(seed, "sets", key)
