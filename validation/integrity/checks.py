"""The checks of this app, in the order in which `manage.py check_integrity` runs them."""

from validation.integrity.audits import check_audits
from validation.integrity.base import Check, register
from validation.integrity.items import check_items
from validation.integrity.media import check_media
from validation.integrity.pay import check_pay
from validation.integrity.questions import check_questions
from validation.integrity.work import check_consents, check_imports, check_jobs, check_runs

register(Check("items", "I2, I3, I4, I5, I11, I13: every item, its votes, its stage, its numbers", check_items))
register(
    Check(
        "audits",
        "A1, A2: protocols are as they were sealed, and audits as their steps give them",
        check_audits,
    )
)
register(Check("jobs", "I6: every job ends, or can be taken up", check_jobs))
register(Check("imports", "I9: every row of an import is accounted for", check_imports))
register(Check("runs", "G1: every machine-written question is accounted for, step by step", check_runs))
register(Check("consents", "C1: what people said about themselves is kept only while they agree", check_consents))
register(Check("questions", "Q1: every question is about what belongs to its project", check_questions))
register(Check("pay", "P1, P2: what was approved adds up", check_pay))
register(Check("media", "M1, M2, M3: every image and sound has its row and its file, byte for byte", check_media))
