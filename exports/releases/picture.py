"""The card of one released item as voters saw it, without anything that says what is right: a file of the release.

What it is drawn from is in the manifest, so that it can be drawn again.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from annotation import kinds
from annotation.core.models.project import Target
from annotation.core.rules.languages import only_language
from annotation.kinds import Kind
from exports.releases.models import Release
from exports.releases.rules import datasheet
from exports.releases.rules.picture import picture_document
from exports.releases.rules.rows import FrozenItem
from validation.consensus import translation_review as reviewing
from validation.consensus.protocol import Protocol
from validation.voting.queries import ReviewerExtras, SeenItem
from validation.voting.rules.option_order import order_shown
from validation.voting.views.cards import build_card

_NAME = "picture"
_SHEETS = ("tokens", "app", "parts", "data", "vote")


class _ReadContent(dict[str, Any]):
    """A content that notes which of its values are read: nothing else of it is on the card."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        super().__init__(content)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self.read.add(str(name))
        return super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        self.read.update(super().__iter__())
        return super().__iter__()

    def items(self) -> Any:
        self.read.update(super().__iter__())
        return super().items()


def picture_of(release: Release, kind: Kind, item: FrozenItem, protocol: Protocol) -> dict[str, Any]:
    """What the picture of an item is drawn from, as plain values, by what was frozen with the release."""
    content: Mapping[str, Any] = item.content or {}
    project, frozen = release.project, release.context[datasheet.CONTEXT]["card"]
    key = project.targets.values_list("key", flat=True).get(pk=item.target)
    described = {each["key"]: each for each in release.context.get("targets", ())}.get(key, {})
    texts = described.get("language", project.language)
    facts: dict[str, Any] = {
        "language": only_language([texts]) or only_language([project.language]) or "en",
        "texts": texts,
        "criteria": list(protocol.criteria),
        "corrections": frozen["corrections"],
    }
    if reviewing.FEATURE in kind.features:
        with translation.override(facts["language"]):
            target = Target(language=texts, name=described.get("name", ""), register=described.get("register", ""))
            title = target.local_title
        facts["review"] = {"source_language": project.language, "target": title, "errors": frozen["errors"]}
    noted = _ReadContent(content)
    draw_picture(kind.slug, {**facts, "content": noted})
    return {**facts, "content": {name: content[name] for name in sorted(noted.read & content.keys())}}


def draw_picture(slug: str, facts: Mapping[str, Any]) -> bytes:
    """The document, for the kind of this slug; the same facts give the same bytes."""
    content, review = facts["content"], facts.get("review")
    extras = review and ReviewerExtras(
        review["source_language"], review["target"], tuple((code, name) for code, name in review["errors"]), ()
    )
    with translation.override(facts["language"]):
        # A team's own task has its names in the language that is asked for.
        kind = kinds.get(slug)
        seen = SeenItem(
            kind,
            content,
            order_shown(kind, content, drawn_with=_NAME, item="", annotator=""),
            _NAME,
            facts["texts"],
            review=extras,
            card_questions=kind.question.card_questions(facts["criteria"]),
            allows_corrections=facts["corrections"],
        )
        card = build_card(seen, {})
        context = {"card": card, "project": {"slug": _NAME}, "send_url": "", "csrf_token": _NAME}
        markup = render_to_string("validation/voting/partials/card.html", context)
    folder = Path(settings.BASE_DIR) / "static" / "css"
    sheets = "\n".join((folder / f"{name}.css").read_text(encoding="utf-8") for name in _SHEETS)
    return picture_document(markup, sheets, title=kind.export.title or kind.slug, language=facts["language"]).encode()
