"""Codes have words: what stands in the database is not what people read."""

import ast
from pathlib import Path

from django.utils import translation

from annotation.core.messages import EVENTS
from annotation.core.rules.audit import VERB_OF_NOTICE
from annotation.templatetags.words import translated
from tests.conventions.sources import python_files, syntax_tree

# Where verbs have their words, and where the audit log gathers them.
NAMED_IN = ("annotation/core/messages.py", "annotation/core/rules/audit.py")


def _verbs(path: Path) -> set[str]:
    calls = (node for node in ast.walk(syntax_tree(path)) if isinstance(node, ast.Call))
    events = (call for call in calls if ast.unparse(call.func) == "Event.objects.create")
    words = (word for call in events for word in call.keywords if word.arg == "verb")
    plain = {str(word.value.value) for word in words if isinstance(word.value, ast.Constant)}
    return plain | _logged(path)


def _logged(path: Path) -> set[str]:
    """Verbs of `Event.record`, and of a module's own `_log`: the words among its arguments that read like one."""
    calls = [node for node in ast.walk(syntax_tree(path)) if isinstance(node, ast.Call)]
    records = (call.args[2] for call in calls if ast.unparse(call.func) == "Event.record")
    verbs = (node for verb in records for node in ast.walk(verb) if isinstance(node, ast.Constant))
    named = (
        call
        for call in calls
        if ast.unparse(call.func) in ("_log", "_keep", "_told", "_stored", "_record", "record", "_set")
    )
    said = (node for call in named for arg in call.args for node in ast.walk(arg))
    logged = {str(node.value) for node in said if isinstance(node, ast.Constant) and "_" in str(node.value)}
    return logged | {str(node.value) for node in verbs}


def test_every_event_has_words() -> None:
    """And none has words that is not recorded: each verb stands in the code that records it."""
    files = [path for path in python_files("annotation", "validation", "exports") if not str(path).endswith(NAMED_IN)]
    assert set().union(*map(_verbs, files)) - set(EVENTS) == set()
    words = {
        node.value
        for path in files
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(EVENTS) - words - set(VERB_OF_NOTICE.values()) == set()


def test_a_name_with_a_number_is_translated_without_it() -> None:
    with translation.override("id"):
        assert translated("Question 2") == f"{translated('Question')} 2" != "Question 2"
        assert translated("2") == "2"


def test_a_text_that_ends_in_a_number_is_translated_whole() -> None:
    with translation.override("id"):
        assert "how far" not in translated("how far predictions count, from 0 (useless) to 1")
