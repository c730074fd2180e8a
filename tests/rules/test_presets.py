"""The presets: found by walking their folder, complete, and true to IndoNLI §3.2."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from annotation import presets
from annotation.presets import GUIDELINES, Preset, guideline_text

LABEL_WORDS = ("entailment", "neutral", "contradiction")


def test_both_indonli_presets_are_found_in_order():
    assert [preset.slug for preset in presets.all_presets()] == ["indonli-expert", "indonli-lay"]


def test_the_fields_are_those_that_projects_read():
    names = "slug name description kind language protocol share unit per_label tags max_words per_document "
    names += "share_size release writing_guideline validation_guideline"
    assert " ".join(field.name for field in fields(Preset)) == names


@pytest.mark.parametrize(
    ("slug", "share", "tags"), [("indonli-lay", 0.30, "off"), ("indonli-expert", 1.0, "required")]
)
def test_the_figures_of_the_paper(slug, share, tags):
    preset = presets.get(slug)
    assert (preset.share, preset.tags, preset.release) == (share, tags, slug)
    assert (preset.protocol, preset.kind, preset.unit, preset.per_label) == (
        "incremental-3-5",
        "nli",
        "pair",
        2,
    )
    assert (preset.max_words, preset.per_document, preset.language) == (200, 5, "id")
    assert 100 <= preset.share_size <= 120
    assert "§3.2" in preset.description


def test_an_unknown_slug_names_those_that_exist():
    with pytest.raises(KeyError, match="indonli-expert, indonli-lay"):
        presets.get("snli")


def test_a_preset_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        presets.get("indonli-lay").share = 1.0  # type: ignore[misc]


@pytest.mark.parametrize("preset", presets.all_presets(), ids=lambda preset: preset.slug)
@pytest.mark.parametrize("language", ["en", "id"])
@pytest.mark.parametrize("part", ["writing", "validation"])
def test_guidelines_name_every_label_in_every_language(preset, language, part):
    text = guideline_text(preset, language, part)
    assert text.startswith("# ")
    assert text.endswith("\n")
    assert all(word in text.lower() for word in LABEL_WORDS)
    # Plain Markdown: what the sanitiser would drop has no place here.
    assert "<" not in text


def test_languages_fall_back_to_english_and_regions_to_their_language():
    preset = presets.get("indonli-lay")
    english = guideline_text(preset, "en", "writing")
    assert guideline_text(preset, "jv", "writing") == english
    assert guideline_text(preset, "../id", "writing") == english
    assert guideline_text(preset, "id-ID", "writing") == guideline_text(preset, "id", "writing") != english


def test_without_a_part_writing_comes_before_validation():
    preset = presets.get("indonli-expert")
    both = guideline_text(preset, "id")
    assert both == "\n".join(guideline_text(preset, "id", part) for part in ("writing", "validation"))


def test_a_missing_guideline_is_an_error_and_not_an_empty_page():
    with pytest.raises(FileNotFoundError):
        guideline_text(replace(presets.get("indonli-lay"), writing_guideline="absent"), "id")


def test_every_guideline_file_belongs_to_a_preset():
    named = {name for p in presets.all_presets() for name in (p.writing_guideline, p.validation_guideline)}
    assert {path.name.split(".")[0] for path in GUIDELINES.glob("*.md")} == named


def test_two_presets_of_one_slug_are_refused(monkeypatch):
    from annotation.presets import indonli_expert

    monkeypatch.setattr(indonli_expert, "PRESET", replace(indonli_expert.PRESET, slug="indonli-lay"))
    with pytest.raises(ValueError, match="two presets are called indonli-lay"):
        presets._registry.__wrapped__()


def test_presets_load_without_django():
    code = "import sys, annotation.presets as p; p.all_presets(); sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
