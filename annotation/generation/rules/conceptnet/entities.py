"""How long an entity is: in words, and whether it is one character (mCSQA §3.1, filter 2).

ConceptNet joins the words of a term with underscores. Scripts that are written without blanks are not joined so, and
the paper does not say how their words were counted; a segmenter would make the result depend on its version. Here a
run of such letters counts by its length, in about what a word takes there: two letters of Han or Hiragana, four of
Thai, Lao, Khmer or Burmese, and a run of Katakana is one word however long (it is nearly always one). So Japanese and
Chinese entities are dropped from nine letters in a row on, and what stands between blanks counts as everywhere.
"""

import re
import unicodedata

MOST_WORDS = 4
_KATAKANA = "\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_PAIRS = "\u2e80-\u2fdf\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_FOURS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f"
_RUNS = re.compile(
    f"(?P<katakana>[{_KATAKANA}]+)|(?P<pairs>[{_PAIRS}]+)|(?P<fours>[{_FOURS}]+)"
    f"|(?P<other>(?:(?![{_KATAKANA}{_PAIRS}{_FOURS}])[^\\W_])+)"
)
_LETTERS_A_WORD = {"pairs": 2, "fours": 4}


def words(term: str) -> int:
    """How many words a term has."""
    if term.isascii():
        return sum(map(bool, term.split("_")))
    return sum(map(_words_of, filter(None, term.replace(" ", "_").split("_"))))


def _words_of(part: str) -> int:
    """The words of what stands between blanks: one, unless it is written without them."""
    runs = [(run.lastgroup or "", run.group()) for run in _RUNS.finditer(part)]
    if all(sort == "other" for sort, _ in runs):
        # `d'été` and `e-mail` are one word each.
        return 1
    return sum(-(-_characters(text) // _LETTERS_A_WORD.get(sort, len(text))) for sort, text in runs)


def _characters(text: str) -> int:
    """Characters as a reader counts them: a letter with its marks is one."""
    return sum(not unicodedata.category(mark).startswith("M") for mark in unicodedata.normalize("NFC", text))


def is_letter(term: str) -> bool:
    """Whether a term is one character."""
    return _characters(term.replace("_", "")) <= 1
