"""The job that computes the tables of a release."""

from typing import Any

from django.db import transaction

from annotation.jobs.queue import Handle, handles
from exports.releases.models import Release
from exports.statistics.actions import JOB_KIND, statistics_store
from exports.statistics.drawing import TableContent
from exports.statistics.facts import facts_of
from exports.statistics.tables import STATISTICS
from validation.insights.reports.reading import once_a_second


@handles(JOB_KIND)
def compute(handle: Handle) -> dict[str, Any]:
    """Compute every table; done again it comes to the same, but for what people say about themselves since."""
    release = Release.objects.select_related("project").get(pk=handle.job.args["release"])
    facts, people = facts_of(release, once_a_second(lambda: handle.progress(handle.job.done)))
    drawn = {each.key: each.draw(facts) for each in STATISTICS}
    tables = {key: _table_as_json(each) for key, each in drawn.items() if each.rows}
    with transaction.atomic():
        handle.lock_claim()
        statistics_store(release=release, tables=tables, people=people.kept)
    return {"tables": list(tables)}


def _table_as_json(drawn: TableContent) -> dict[str, Any]:
    """As it is stored: what a column is, and the rows."""
    columns = [[each.key, each.name, each.kind, each.help, each.digits] for each in drawn.columns]
    return {"columns": columns, "rows": list(drawn.rows)}
