"""Parallel sets in many languages and registers, as LoraxBench was made (LoraxBench §3.2–3.5, Appendix C)."""

from annotation.presets.base import Preset
from annotation.text.gettext import gettext_noop

# Table 1 and §3.2: 19 languages, three of them in a casual and a formal register.
TARGETS = """\
ace
abs
ban
bjn
bbc
bew
bug
gor
iba
jax
jv, ngoko
jv, krama
abl
mad, enja'iya
mad, engghi-ethen
mak
min
mui
nij
sas
su, loma
su, lemes
"""

PRESET = Preset(
    slug="loraxbench",
    name=gettext_noop("LoraxBench, translations"),
    description=gettext_noop(
        "Source sets are cleaned and frozen, native speakers translate them into any number of languages and "
        "registers, checks speak while they type, and another native speaker approves, corrects or sends back each "
        "translation "
        "(LoraxBench §3.4)."
    ),
    kind="translation",
    language="id",
    protocol="review-1",
    share=1.0,
    release="loraxbench",
    writing_guideline="translation-writing",
    validation_guideline="translation-review",
    settings={"offer_minutes": 0},
    targets=TARGETS,
)
