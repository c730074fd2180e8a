"""How the texts of a release were typed: frozen with it as far as the project says, in sums and, if so, in each row."""

from collections.abc import Mapping
from typing import Any

from annotation.core.models.project import Project
from annotation.writing.actions.typing import OFF, ROWS
from annotation.writing.models import TypingRecord
from annotation.writing.rules.typing import TypedText
from annotation.writing.typing_queries import as_typed_text

UNMEASURED: TypedText = None, 0, None


def freeze_typing(project: Project) -> dict[str, Any] | None:
    """Which records a release holds, up to which moment, and whether each row tells; None where nobody asked."""
    if project.rules.typing == OFF:
        return None
    last = TypingRecord.objects.filter(project=project).order_by("-at").values_list("at", flat=True).first()
    return {"until": last.isoformat() if last else None, "rows": project.rules.typing == ROWS}


def read_typing(project: Project, context: Mapping[str, Any]) -> dict[int, TypedText] | None:
    """The records of a release, by item; None where it has none. A record is never changed."""
    settings = context.get("typing")
    if settings is None:
        return None
    rows = TypingRecord.objects.filter(project=project, at__lte=settings["until"]) if settings["until"] else ()
    return {record.item_id: as_typed_text(record) for record in rows}


def typing_columns(record: TypedText) -> dict[str, Any]:
    """What a row says of the writing of its text; null is unknown."""
    typing, length, attested = record
    counts = typing.to_dict() if typing else None
    return {"length": length or None, "attested": attested, "counts": counts}
