"""Questions that a machine writes for the concepts of people (id-csqa §4.3, §5.1)."""

from annotation.presets.base import Preset
from annotation.text.gettext import gettext_noop

PRESET = Preset(
    slug="llm-gen",
    name=gettext_noop("ID-CSQA, questions written by a machine"),
    description=gettext_noop(
        "A language model writes a question with five choices for each concept of the list; a QC lead says of each "
        "what is wrong with it, and corrects it (id-csqa §4.3, §5.1)."
    ),
    kind="mcq",
    language="id",
    protocol="answers-5",
    share=0.0,
    release="llm-gen",
    writing_guideline="machine-review",
    validation_guideline="mcq-validation",
    settings={"recipe": "llm-gen", "place": "Indonesia", "check_first": True},
)
