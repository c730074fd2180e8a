"""Findings of checks in an item, for reviewers and leads, with the writer's reasons."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext

from annotation.core.messages import finding_words
from annotation.kinds import Kind
from annotation.text import checks
from annotation.text.checks import Finding
from validation.voting.models.review import Flag
from validation.voting.rules.flags import FAILED_CHECK


@dataclass(frozen=True)
class ShownFinding:
    """One thing that a check found: of which text (empty: of all of them), and the writer's word on it."""

    field: str
    words: str
    why: str


def flag_detail() -> Subquery:
    """The detail of the flag that checks raised, to be read with a revision; null where there is none."""
    open_ones = Flag.objects.filter(item=OuterRef("item"), code=FAILED_CHECK, closed_at=None)
    return Subquery(open_ones.values("detail")[:1])


def findings_shown(kind: Kind, content: Mapping[str, Any], detail: Mapping[str, Any] | None) -> list[ShownFinding]:
    """What checks found as people read it; what the writer said to checks that no flag names stands last."""
    texts = {text.key for text in kind.presentation.texts_in(content)}
    rows: list[ShownFinding] = []
    for row in (detail or {}).get("findings", ()):
        finding = Finding(row["check"], "", "warn", row["message"], row["params"])
        field = str(row.get("field", ""))
        words = finding_words(finding, kind, {})
        rows.append(ShownFinding(field if field in texts else "", words, str(row.get("why", ""))))
    check_ids = set((detail or {}).get("checks", ()))
    named = {row["check"] for row in (detail or {}).get("findings", ())}
    whys = {str(check): str(why) for check, why in content.get("whys", {}).items()}
    rows += [ShownFinding("", _title(check), whys.pop(check, "")) for check in sorted(check_ids - named)]
    return rows + [ShownFinding("", _title(check), why) for check, why in whys.items() if check not in named]


def _title(check: str) -> str:
    """What a check is called; one that is not there any more by its id."""
    known = checks.all_checks().get(check)
    return gettext(known.title) if known else check
