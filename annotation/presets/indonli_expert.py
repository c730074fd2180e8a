"""IndoNLI with expert annotators: every pair is tagged and validated (§3.2, Appendix F)."""

from annotation.presets.base import Preset
from annotation.text.gettext import gettext_noop

PRESET = Preset(
    slug="indonli-expert",
    name=gettext_noop("IndoNLI, expert annotators"),
    description=gettext_noop(
        "Language experts write six hypotheses for each premise and tag each with the phenomena that it "
        "turns on; every pair is validated in up to three rounds and gold pairs form a test set "
        "(IndoNLI §3.2 and Appendix F)."
    ),
    kind="nli",
    language="id",
    protocol="incremental-3-5",
    share=1.0,
    release="indonli-expert",
    writing_guideline="nli-writing",
    validation_guideline="nli-validation",
    settings={
        "per_label": 2,
        "tags": "required",
        "max_words": 200,
        "per_document": 5,
        "allocation_size": 110,
        "sample_unit": "item",
    },
)
