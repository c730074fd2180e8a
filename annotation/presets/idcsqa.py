"""Commonsense questions written by people, as ID-CSQA's human-written half was made (id-csqa §4.2, Appendix B–E)."""

from annotation.presets.base import Preset
from annotation.text.gettext import gettext_noop

PRESET = Preset(
    slug="idcsqa",
    name=gettext_noop("ID-CSQA, questions written by people"),
    description=gettext_noop(
        "Two native speakers each write a question with five choices for every concept of a list in five categories; "
        "a QC lead checks it, then five others answer it and mark what is ambiguous (id-csqa §4.2)."
    ),
    kind="mcq",
    language="id",
    protocol="answers-5",
    share=1.0,
    release="idcsqa",
    writing_guideline="mcq-writing",
    validation_guideline="mcq-validation",
    settings={"check_first": True, "writers_each": 2, "per_category": 50, "category_target": 150},
)
