"""English questions that a machine adapts to another place (id-csqa §4.1, §5.1)."""

from annotation.presets.base import Preset
from annotation.text.gettext import gettext_noop

PRESET = Preset(
    slug="llm-adapt",
    name=gettext_noop("ID-CSQA, questions adapted by a machine"),
    description=gettext_noop(
        "A language model says which English questions do not fit the place, and adapts them; a QC lead says of each "
        "what is wrong with it, and corrects it (id-csqa §4.1, §5.1)."
    ),
    kind="mcq",
    language="id",
    protocol="answers-5",
    share=0.0,
    release="llm-adapt",
    writing_guideline="machine-review",
    validation_guideline="mcq-validation",
    settings={"recipe": "llm-adapt", "place": "Indonesia", "check_first": True},
)
