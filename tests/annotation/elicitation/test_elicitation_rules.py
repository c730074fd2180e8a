"""Elicitation questions: every kind of the paper is asked, in both languages, each once."""

from annotation.presets import all_presets
from annotation.presets.elicitation import KINDS, QUESTIONS


def test_every_kind_is_asked_in_their_order():
    asked = [question.kind for question in QUESTIONS]
    assert list(dict.fromkeys(asked)) == list(KINDS)
    assert asked == sorted(asked, key=list(KINDS).index)
    assert 10 <= len(QUESTIONS) <= 15


def test_keys_and_words_are_one_each():
    assert len({question.key for question in QUESTIONS}) == len(QUESTIONS)
    for language in ("en", "id"):
        words = [question.words[language] for question in QUESTIONS]
        assert len(set(words)) == len(words)
        assert all(text == text.strip() and text.endswith(("?", ".")) for text in words)


def test_a_question_is_asked_in_the_projects_language_or_in_english():
    question = QUESTIONS[0]
    assert question.text("id") == question.text("id-ID") == question.words["id"] != question.words["en"]
    assert question.text("jv") == question.text("") == question.words["en"]


def test_the_file_is_no_preset():
    assert "elicitation" not in [preset.slug for preset in all_presets()]
