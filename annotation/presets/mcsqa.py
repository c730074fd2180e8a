"""Questions that a machine writes from ConceptNet, and that people judge where it fails (mCSQA §3)."""

from annotation.presets.base import Preset
from annotation.text.gettext import gettext_noop

PRESET = Preset(
    slug="mcsqa",
    name=gettext_noop("mCSQA, questions from ConceptNet"),
    description=gettext_noop(
        "A language model writes questions from sets of three ConceptNet entities, betters them, adds two distractors, "
        "and answers them; two people judge what it could not answer (mCSQA §3)."
    ),
    kind="mcq-judged",
    language="en",
    protocol="unanimous-2",
    share=1.0,
    release="mcsqa",
    writing_guideline="machine-writing",
    validation_guideline="judged-validation",
    # The paper deals single questions: those of one set may stand in several splits (§3.4).
    settings={"recipe": "mcsqa", "set_count": 6000, "shared_percent": 100},
)
