"""IndoNLI with lay annotators: students write, three in ten pairs are validated (§3.2)."""

from annotation.presets.base import Preset
from annotation.text.gettext import gettext_noop

PRESET = Preset(
    slug="indonli-lay",
    name=gettext_noop("IndoNLI, lay annotators"),
    description=gettext_noop(
        "Native speakers write six hypotheses for each premise, two for each label; the pairs of 30 % of the "
        "premises are validated in up to three rounds, the rest goes to train with the author label (IndoNLI §3.2)."
    ),
    kind="nli",
    language="id",
    protocol="incremental-3-5",
    share=0.30,
    release="indonli-lay",
    writing_guideline="nli-writing",
    validation_guideline="nli-validation",
    settings={
        "per_label": 2,
        "tags": "off",
        "max_words": 200,
        "per_document": 5,
        "allocation_size": 110,
        "sample_unit": "premise",
    },
)
