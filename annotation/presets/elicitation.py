"""Questions that a group answers before it writes prompts (Kalahi Appendix A has the kinds; the questions are ours).

They are asked in the project's language where it is one of these, else in English; a project edits its own copy.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from annotation.text.gettext import gettext_noop

EXPERIENCE, ELSEWHERE, LIKES, SIGNS, MEANING, DEBATE, SITUATION = (
    "experience",
    "elsewhere",
    "likes",
    "signs",
    "meaning",
    "debate",
    "situation",
)
KINDS: Mapping[str, str] = {
    EXPERIENCE: gettext_noop("What you have lived through as one of your people"),
    ELSEWHERE: gettext_noop("What is different among your neighbours"),
    LIKES: gettext_noop("What you like and dislike about being one of them"),
    SIGNS: gettext_noop("By what you know each other: thoughts, feelings, habits"),
    MEANING: gettext_noop("What it means to you to belong"),
    DEBATE: gettext_noop("What people among you would argue about"),
    SITUATION: gettext_noop("What you would do in a situation"),
}


class Question(NamedTuple):
    """An elicitation question: its stable key, its kind (one of `KINDS`), and its words by language."""

    key: str
    kind: str
    words: Mapping[str, str]

    def text(self, language: str) -> str:
        """Give the question in a language, or in English; `id-ID` reads as `id`."""
        return self.words.get(language.replace("_", "-").split("-")[0].lower(), self.words["en"])


def _read() -> tuple[Question, ...]:
    rows = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return tuple(Question(row.pop("key"), row.pop("kind"), row) for row in rows)


QUESTIONS = _read()
