"""Whether a project is as it must be: a registry of checks that `manage.py check_integrity` runs.

Apps above register their own (`register`), so that nothing here knows of them.
"""

from collections.abc import Iterator

from annotation.core.models.project import Project
from validation.integrity.base import Breach, Check, register, registered
from validation.integrity.items import check_items
from validation.integrity.pay import check_pay
from validation.integrity.work import check_consents, check_imports, check_jobs, check_runs

__all__ = ["Breach", "Check", "register", "registered", "run"]

register(Check("items", "I2, I3, I4, I5, I11: every item, its votes, its stage, its numbers", check_items))
register(Check("jobs", "I6: every job ends, or can be taken up", check_jobs))
register(Check("imports", "I9: every row of an import is accounted for", check_imports))
register(Check("runs", "G1: every machine-written question is accounted for, step by step", check_runs))
register(
    Check("consents", "C1: what people said about themselves is kept only while they agree", check_consents)
)
register(Check("pay", "P1, P2: every finished action is paid once, and the ledger adds up", check_pay))


def run(*, project: Project | None = None, repair: bool = False) -> Iterator[Breach]:
    """Every breach of one project or of all, as it is found; with `repair`, what came of mending it."""
    for check in registered():
        yield from check.run(project, repair)
