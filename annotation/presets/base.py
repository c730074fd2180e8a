"""What a preset is: the settings that a new project starts from, as one paper used them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from annotation.core.rules.languages import READING_LANGUAGES
from annotation.core.rules.settings import ProjectSettings

GUIDELINES = Path(__file__).parent / "guidelines"

Part = Literal["writing", "validation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """What a new project starts from, with the paper and section that it comes from.

    ``protocol`` and ``release`` name presets of the consensus engine and of the splits; ``share`` is the part of the
    units that is validated; ``settings`` are those of annotation.core.rules.settings in which the paper differs from
    their defaults; ``writing_guideline`` and ``validation_guideline`` name files under ``guidelines/`` without
    language and suffix. ``targets`` are those of the paper, as annotation.translation.rules.target_lines reads them:
    proposed where a project has none yet.
    """

    slug: str
    name: str
    description: str
    kind: str
    language: str
    protocol: str
    share: float
    release: str
    writing_guideline: str
    validation_guideline: str
    settings: Mapping[str, Any]
    targets: str = ""

    @property
    def rules(self) -> ProjectSettings:
        """The settings of a new project."""
        return ProjectSettings.from_stored({**self.settings, "release": self.release})


def guideline_text(preset: Preset, language: str, part: Part | None = None) -> str:
    """The preset's guidelines in Markdown: one part, or writing and then validation.

    A language without its own file gets that of a language that its speakers read (`READING_LANGUAGES`), else the
    English text; ``id-ID`` reads as ``id``. Raises FileNotFoundError when the preset names a file that is not there.
    """
    names = {"writing": preset.writing_guideline, "validation": preset.validation_guideline}
    wanted = names.values() if part is None else (names[part],)
    return "\n".join(_read(name, language) for name in wanted)


def _read(name: str, language: str) -> str:
    """One guideline file in this language, in one that its speakers read, or in English."""
    base = language.replace("_", "-").split("-")[0].lower()
    for wanted in (base, READING_LANGUAGES.get(base, "")):
        translated = GUIDELINES / f"{name}.{wanted}.md"
        # isalpha: a language code comes from a form, and must not name a path.
        if wanted.isalpha() and translated.is_file():
            return translated.read_text(encoding="utf-8")
    return (GUIDELINES / f"{name}.md").read_text(encoding="utf-8")
