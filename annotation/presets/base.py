"""What a preset is: the settings that a new project starts from, as one paper used them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

GUIDELINES = Path(__file__).parent / "guidelines"

Part = Literal["writing", "validation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """The settings of a new project, with the paper and section that they come from.

    ``protocol`` and ``release`` name presets of the consensus engine and of the splits;
    ``share`` is the part of the units (``unit``: pair or premise) that is validated;
    ``writing_guideline`` and ``validation_guideline`` name files under ``guidelines/`` without
    language and suffix. ``share_size`` is how many premises one writer is given at a time.
    """

    slug: str
    name: str
    description: str
    kind: str
    language: str
    protocol: str
    share: float
    unit: Literal["pair", "premise"]
    per_label: int
    tags: Literal["off", "required"]
    max_words: int
    per_document: int
    share_size: int
    release: str
    writing_guideline: str
    validation_guideline: str


def guideline_text(preset: Preset, language: str, part: Part | None = None) -> str:
    """The preset's guidelines in Markdown: one part, or writing and then validation.

    A language without its own file (``en`` among them) gets the English text; ``id-ID`` reads as ``id``.
    Raises FileNotFoundError when the preset names a file that is not there.
    """
    names = {"writing": preset.writing_guideline, "validation": preset.validation_guideline}
    wanted = names.values() if part is None else (names[part],)
    return "\n".join(_read(name, language) for name in wanted)


def _read(name: str, language: str) -> str:
    """One guideline file in this language, or the English one."""
    base = language.replace("_", "-").split("-")[0].lower()
    translated = GUIDELINES / f"{name}.{base}.md"
    # isalpha: a language code comes from a form, and must not name a path.
    if base.isalpha() and translated.is_file():
        return translated.read_text(encoding="utf-8")
    return (GUIDELINES / f"{name}.md").read_text(encoding="utf-8")
