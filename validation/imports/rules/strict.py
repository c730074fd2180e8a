"""JSON read slowly and strictly, where the fast reader cannot tell whether a key stands twice."""

import json
from collections import Counter
from typing import Any

from validation.imports.rules.problems import Problem, excerpt, gettext_noop


class _Twice(Exception):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _Twice(next(key for key, _ in pairs if times[key] > 1))
    return found


def strict_object(line: bytes, found: dict[str, Any]) -> dict[str, Any] | Problem:
    """Give back what the fast reader found, unless a key stands twice in one object."""
    try:
        json.loads(line, object_pairs_hook=_once)
    except _Twice as twice:
        message = gettext_noop("The key “%(key)s” stands twice; keep one.")
        return Problem("key_twice", "", message, {"key": excerpt(str(twice), 40)})
    except (ValueError, RecursionError):
        return Problem(
            "not_json", "", gettext_noop("The JSON is nested too deeply, or a number is too long.")
        )
    return found
