"""The presets: found by walking their folder, complete, and true to their papers."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace

import pytest
from django.utils.translation import gettext, override

from annotation import kinds, presets
from annotation.presets import GUIDELINES, Preset, base, guideline_text
from exports.releases.rules.settings import PRESETS as RELEASES
from validation.consensus.protocol import PRESETS as PROTOCOLS

# Words that a guideline of this kind and part cannot do without, in each language.
WORDS = {
    ("nli", "writing", "en"): ("entailment", "neutral", "contradiction"),
    ("nli", "writing", "id"): ("entailment", "neutral", "contradiction"),
    ("nli", "validation", "en"): ("entailment", "neutral", "contradiction"),
    ("nli", "validation", "id"): ("entailment", "neutral", "contradiction"),
    ("mcq", "writing", "en"): (
        "concept",
        "five choices",
        "wrong answer that looks right",
        "too general",
        "harmful",
        "prejudice",
    ),
    ("mcq", "writing", "id"): (
        "konsep",
        "lima pilihan",
        "jawaban salah yang tampak benar",
        "terlalu umum",
        "stereotip",
        "prasangka",
    ),
    ("mcq", "validation", "en"): ("unsure", "can be read in two ways", "five people", "more than three"),
    ("mcq", "validation", "id"): ("ragu", "bisa dibaca dengan dua cara", "lima orang", "lebih dari tiga"),
    ("cultural", "writing", "en"): (
        "context",
        "personal situation",
        "three to five",
        "irrelevant",
        "best",
        "variation",
        "harm",
    ),
    ("cultural", "writing", "id"): (
        "konteks",
        "keadaan pribadi",
        "tiga sampai lima",
        "tidak relevan",
        "terbaik",
        "variasi",
        "merugikan",
    ),
    ("translation", "writing", "en"): (
        "word by word",
        "brackets",
        "stroke",
        "figures stay figures",
        "register",
        "letter for letter",
        "ask",
        "skip",
    ),
    ("translation", "writing", "id"): (
        "kata demi kata",
        "tanda kurung",
        "garis miring",
        "tetap angka",
        "tingkat tutur",
        "huruf demi huruf",
        "tanyakan",
        "lewati",
    ),
    ("translation", "validation", "en"): (
        "approve",
        "correct",
        "return to translator",
        "register",
        "not sure",
        "letter for letter",
    ),
    ("translation", "validation", "id"): (
        "setuju",
        "betulkan",
        "kembalikan",
        "tingkat tutur",
        "ragu",
        "huruf demi huruf",
    ),
    ("cultural", "validation", "en"): (
        "average member",
        "took no part",
        "three people",
        "two of three",
        "unsure",
    ),
    ("cultural", "validation", "id"): (
        "orang kebanyakan",
        "tidak ikut serta",
        "tiga orang",
        "dua dari tiga",
        "ragu",
    ),
    ("nli", "writing", "su"): ("premis", "dua kalimah", "hiji kalimah", "teu tiasa dipastikeun"),
    ("nli", "validation", "su"): ("entailment", "neutral", "contradiction", "tilu sora"),
    ("mcq", "writing", "su"): ("konsép", "lima pilihan", "umum teuing", "stéréotip", "prasangka"),
    ("mcq", "validation", "su"): ("asa-asa", "tiasa dibaca dua cara", "lima jalmi", "langkung ti tilu"),
    ("cultural", "writing", "su"): ("kontéks", "kaayaan pribadi", "tilu dugi ka lima", "teu rélevan", "pangsaéna"),
    ("cultural", "validation", "su"): ("lolobana jalmi", "teu ngiring", "tilu jalmi", "dua ti tilu", "asa-asa"),
    ("translation", "writing", "su"): ("kecap per kecap", "tanda kurung", "garis condong", "undak-usuk", "liwat"),
    ("translation", "validation", "su"): ("satujuan", "benerkeun", "balikkeun", "undak-usuk", "asa-asa"),
}
# The same of those that speak of what machines write, by their names.
OF_MACHINES = {
    ("machine-review", "en"): (
        "no error",
        "one main error type",
        "notes",
        "correct it",
        "invalid choices",
        "harms",
    ),
    ("machine-review", "id"): (
        "tanpa kesalahan",
        "satu jenis kesalahan utama",
        "catatan",
        "perbaiki",
        "pilihan tidak sah",
        "stereotip",
    ),
    ("machine-writing", "en"): ("only one", "one sentence", "question mark", "easy", "two people"),
    ("machine-writing", "id"): ("hanya satu", "satu kalimat", "tanda tanya", "mudah", "dua orang"),
    ("machine-review", "su"): ("tanpa kasalahan", "hiji jinis kasalahan utama", "catetan", "benerkeun", "stéréotip"),
    ("machine-writing", "su"): ("ngan hiji", "hiji kalimah", "tanda tanya", "gampil", "dua jalmi"),
    ("judged-validation", "su"): ("jawaban nu dipasihkeun", "muhun", "henteu", "asa-asa", "ulah milarian"),
    ("judged-validation", "en"): ("the given answer", "yes", "no", "unsure", "do not look anything up"),
    ("judged-validation", "id"): ("jawaban yang diberikan", "ya", "tidak", "ragu", "jangan mencari"),
}


def test_the_presets_are_found_in_order():
    assert [preset.slug for preset in presets.all_presets()] == [
        "idcsqa",
        "indonli-expert",
        "indonli-lay",
        "kalahi",
        "llm-adapt",
        "llm-gen",
        "loraxbench",
        "mcsqa",
    ]


def test_the_fields_are_those_that_projects_read():
    names = "slug name description kind language protocol share release writing_guideline validation_guideline"
    assert " ".join(field.name for field in fields(Preset)) == f"{names} settings targets"


@pytest.mark.parametrize("preset", presets.all_presets(), ids=lambda preset: preset.slug)
def test_what_a_preset_names_exists(preset):
    assert preset.protocol in PROTOCOLS
    assert preset.release in RELEASES
    assert preset.kind in {kind.slug for kind in kinds.all_kinds()}
    assert preset.rules.release == preset.release


@pytest.mark.parametrize(
    ("slug", "share", "tags", "unit"),
    [("indonli-lay", 0.30, "off", "premise"), ("indonli-expert", 1.0, "required", "item")],
)
def test_the_figures_of_the_paper(slug, share, tags, unit):
    preset = presets.get(slug)
    rules = preset.rules
    assert (preset.share, rules.tags, preset.release) == (share, tags, slug)
    assert (preset.protocol, preset.kind, rules.sample_unit, rules.per_label) == (
        "incremental-3-5",
        "nli",
        unit,
        2,
    )
    assert (rules.max_words, rules.per_document, preset.language) == (200, 5, "id")
    assert 100 <= rules.allocation_size <= 120
    assert not rules.check_first
    assert "§3.2" in preset.description


def test_the_figures_of_id_csqa():
    """§4.2: two writers a concept, 50 a category and writer, 150 a category; checked, then answered by five."""
    preset = presets.get("idcsqa")
    rules = preset.rules
    assert (rules.writers_each, rules.per_category, rules.category_target) == (2, 50, 150)
    assert (preset.kind, preset.protocol, preset.share, preset.language) == ("mcq", "answers-5", 1.0, "id")
    assert rules.check_first
    assert PROTOCOLS[preset.protocol].most_ambiguous == 3
    assert "§4.2" in preset.description


def test_the_figures_of_kalahi():
    """§3.1: three to five responses a side; §3.2: three choose, two make gold, the rest stay in the test set."""
    preset = presets.get("kalahi")
    rules, protocol, release = preset.rules, PROTOCOLS[preset.protocol], RELEASES[preset.release]
    assert (preset.kind, preset.share, rules.least_responses) == ("cultural", 1.0, 3)
    assert (protocol.rounds, protocol.quorum, protocol.author) == ((3,), 2, "key")
    assert (release.no_gold, release.adjudicated, release.dev_percent) == ("test", "test", 0)
    assert rules.check_first, "the group reviews before anybody votes"
    assert "§3" in preset.description


def test_an_unknown_slug_names_those_that_exist():
    with pytest.raises(KeyError, match="indonli-expert, indonli-lay"):
        presets.get("snli")


def test_a_preset_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        presets.get("indonli-lay").share = 1.0  # type: ignore[misc]


@pytest.mark.parametrize("preset", presets.all_presets(), ids=lambda preset: preset.slug)
@pytest.mark.parametrize("language", ["en", "id", "su"])
@pytest.mark.parametrize("part", ["writing", "validation"])
def test_guidelines_say_what_people_need_in_every_language(preset, language, part):
    text = guideline_text(preset, language, part)
    assert text.startswith("# ")
    assert text.endswith("\n")
    name = preset.writing_guideline if part == "writing" else preset.validation_guideline
    words = OF_MACHINES.get((name, language)) or WORDS[preset.kind, part, language]
    assert [word for word in words if word not in text.lower()] == []
    # Plain Markdown: what the sanitiser would drop has no place here.
    assert "<" not in text


def test_languages_fall_back_to_what_is_read_there_and_then_to_english():
    preset = presets.get("indonli-lay")
    english = guideline_text(preset, "en", "writing")
    assert guideline_text(preset, "jv", "writing") == guideline_text(preset, "id", "writing")
    for language in ("su-Latn", "SU"):
        assert guideline_text(preset, language, "writing") == guideline_text(preset, "su", "writing")
    assert guideline_text(preset, "fil", "writing") == english
    assert guideline_text(preset, "../id", "writing") == english
    assert guideline_text(preset, "id-ID", "writing") == guideline_text(preset, "id", "writing") != english


def test_without_a_part_writing_comes_before_validation():
    preset = presets.get("indonli-expert")
    both = guideline_text(preset, "id")
    assert both == "\n".join(guideline_text(preset, "id", part) for part in ("writing", "validation"))


def test_a_missing_guideline_is_an_error_and_not_an_empty_page():
    with pytest.raises(FileNotFoundError):
        guideline_text(replace(presets.get("indonli-lay"), writing_guideline="absent"), "id")


# Names of the interface that guidelines quote, by file: what a card, a form or a page calls them.
QUOTED = {
    "cultural-writing": ("User", "Context", "Personal situation", "Instruction", "Second look"),
    "mcq-validation": ("could also be right", "The question can be read in two ways"),
    "mcq-writing": ("Wrong answer that looks right", "Concepts"),
    "nli-validation": ("It can be read in two ways",),
    "nli-writing": ("Entailment", "Neutral", "Contradiction"),
    "translation-review": ("Approve", "Fix the text", "Return to translator"),
    "translation-writing": ("Take the words I marked",),
}


@pytest.mark.parametrize("language", ["en", "id", "su"])
@pytest.mark.parametrize("name", QUOTED)
def test_guidelines_name_things_as_the_pages_do(name, language):
    text = base._read(name, language).lower().replace("*", "")
    with override(language):
        assert [quoted for quoted in map(gettext, QUOTED[name]) if quoted.lower() not in text] == []


def test_every_guideline_file_belongs_to_a_preset():
    named = {name for p in presets.all_presets() for name in (p.writing_guideline, p.validation_guideline)}
    named |= {
        "task-writing",
        "task-validation",
    }  # of tasks of a team's own, annotation/tasks/rules/guidelines.py
    assert {path.name.split(".")[0] for path in GUIDELINES.glob("*.md")} == named


def test_two_presets_of_one_slug_are_refused(monkeypatch):
    from annotation.presets import indonli_expert

    monkeypatch.setattr(indonli_expert, "PRESET", replace(indonli_expert.PRESET, slug="indonli-lay"))
    with pytest.raises(ValueError, match="two presets are called indonli-lay"):
        presets._registry.__wrapped__()


def test_presets_load_without_django():
    code = "import sys, annotation.presets as p; p.all_presets(); sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
