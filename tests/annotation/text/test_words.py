"""One tokeniser: a word is its letters with their marks, in lengths, spans, F1 and everything that looks for words."""

import re

import pytest
import regex  # type: ignore[import-untyped]  # it has no stubs
from hypothesis import given
from hypothesis import strategies as st

from annotation import answers
from annotation.answers import Question
from annotation.answers.spans import tokens as marked_tokens
from annotation.generation.rules.recipes.answers import Rename
from annotation.generation.rules.recipes.names import is_name_in, rename_in_text
from annotation.text.affixes import Presence, presence
from annotation.text.differences import differences
from annotation.text.hints import Part, explained_parts
from annotation.text.letter_trigrams import trigrams_of
from annotation.text.tokens import WORD, tokens, word_count, word_pattern, words
from exports.lm_eval.rules import task_docs

# Javanese, Devanagari, decomposed letters, a joiner, Arabic with vowels, a variation selector, marks beyond 16 bits.
WHOLE = ["ꦱꦸꦒꦼꦁ", "हिन्दी", "cafe\u0301", "di\u0301a", "می\u200cخواهم", "كِتَاب", "葛\U000e0100城", "\U00011103\U00011127a"]
# A word, and a longer one that begins with its letters.
LONGER = {"cafe": "cafe\u0301", "हिन्द": "हिन्दी", "ꦱꦸꦒ": "ꦱꦸꦒꦼꦁ"}
CHARACTERS = st.text(st.sampled_from("ab1_² .,-'é\u0301\u093f\u200c\u0915ꦱꦸ\U000e0100😀"))


@pytest.mark.parametrize("word", WHOLE)
def test_a_word_is_its_letters_with_their_marks(word: str) -> None:
    text = f"{word} a{word}: {word}"
    assert words(text) == [word, f"a{word}", word]
    assert word_count(text) == 3
    assert tokens(f"{word}-{word}.") == [f"{word}-{word}", "."]
    assert presence(word, text, "jv") == Presence.STANDS
    assert differences(f"b {word}", f"b {word}\u0301") == [
        ("equal", "b"),
        ("delete", f" {word}"),
        ("insert", f" {word}\u0301"),
    ]
    assert [three for three in trigrams_of(word) if three[1] == " "] == []


@pytest.mark.parametrize("word", WHOLE)
def test_answers_are_compared_word_by_word(word: str) -> None:
    text = f"{word} {word}"
    span = {"of": "text", "start": 2, "end": 2 + len(text), "text": text, "label": ""}
    middle = 2 + len(word)
    assert list(marked_tokens([span])) == [("text", "", 2, middle), ("text", "", middle + 1, 2 + len(text))]
    question = Question("q", "", "free_text")
    assert answers.get("free_text").distance(question, f"{word} b", f"b, {word}!") == 0
    assert answers.get("free_text").distance(question, "?", "!") == 1
    assert task_docs.words({"answer": text}, [f"{word}!"])["f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("word", LONGER)
def test_a_part_of_a_word_is_no_word(word: str) -> None:
    longer = LONGER[word]
    found = [bool(re.search(word_pattern(word), text)) for text in (f"a {longer} b", f"a {word} b", f"a-{word} b")]
    assert found == [False, True, False]
    assert not is_name_in(word, f"a {longer} b")
    assert rename_in_text(f"{longer} {word}", [Rename(name=word, becomes="x")]) == f"{longer} x"
    assert explained_parts(f"a {longer} b", [(word, "x")]) == [Part(f"a {longer} b")]


@given(CHARACTERS)
def test_words_are_those_of_unicode(text: str) -> None:
    assert WORD.findall(text) == regex.findall(r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_\u200c\u200d]*", text)
    plain = regex.sub(r"(?<![\p{L}\p{M}\p{N}_\u200c\u200d])[\p{M}\u200c\u200d]+", "", text)
    assert task_docs._words(plain) == words(plain)
