"""Cultural prompts with best, relevant and irrelevant responses, as Kalahi was made (Kalahi §3, Appendix A–D)."""

from annotation.presets.base import Preset
from annotation.text.gettext import gettext_noop

PRESET = Preset(
    slug="kalahi",
    name=gettext_noop("Kalahi, cultural prompts"),
    description=gettext_noop(
        "Native speakers write prompts of a context and an instruction with relevant and irrelevant responses, a group "
        "reviews them, a QC lead approves them, and three others who took no part choose what most people of the "
        "culture would do (Kalahi §3)."
    ),
    kind="cultural",
    language="id",
    protocol="best-of-3",
    share=1.0,
    release="kalahi",
    writing_guideline="cultural-writing",
    validation_guideline="cultural-validation",
    settings={"check_first": True, "least_responses": 3},
)
