"""Imported files of a project for its releases: how cells were read, and which rows were drawn."""

from typing import Any

from annotation.core.models.project import Project
from annotation.jobs.models import Import, Job

# The parts of an import's mapping that define how its rows were read.
_KEPT_FIELDS = ("machine", "documents", "separator")


def import_records(project: Project, *, seeds: bool) -> list[dict[str, Any]]:
    """Every file of which something was stored, in the order in which they came; `seeds` where draws may be told."""
    done = Import.objects.filter(project=project, what=Import.What.ITEMS, job__state=Job.State.DONE, accepted__gt=0)
    files = done.exclude(job__args__dry_run=True).select_related("job").order_by("pk")
    return [_import_record(each, seeds) for each in files]


def _import_record(taken: Import, seeds: bool) -> dict[str, Any]:
    mapping, result = taken.mapping, taken.job.result if taken.job else {}
    told: dict[str, Any] = {
        "name": taken.name,
        "sha256": mapping.get("sha256"),
        "columns": dict(sorted(mapping.get("fields", {}).items())),
        "rows": {"accepted": taken.accepted, "unchanged": taken.unchanged, "refused": taken.refused},
        "columns_left": list(result.get("left", ())),
        "values": [list(each) for each in result.get("values", ())],
        "unknown": [list(each) for each in result.get("unread", ())],
        **{name: mapping[name] for name in _KEPT_FIELDS if mapping.get(name)},
    }
    if result.get("sample"):
        told["sample"] = result["sample"]
    if not seeds:
        for name in ("sample", "documents"):
            if name in told:
                told[name] = {key: value for key, value in told[name].items() if key != "seed"}
    return told
