"""The form on an item's page to check a machine-written item: verdicts, corrections, the decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.access import Membership
from annotation.core.errors import Refusal
from annotation.generation.models import Candidate
from annotation.kinds import text_at
from annotation.text.differences import Part as Difference
from annotation.text.differences import differences
from annotation.text.line_breaks import typed_text
from validation.consensus import stages
from validation.review.actions import assessments as assessing
from validation.review.actions.assessments import ItemCheck, PartVerdict
from validation.review.actions.rewording import extra_choices
from validation.review.models.assessment import Assessment
from validation.review.queries import assessments as assessed
from validation.review.queries import desk as fetch
from validation.review.queries.item_detail import ItemDetail
from validation.review.rules import assessments as rules
from validation.review.rules.assessments import NO_ERROR_NAME, NONE, OPTIONS, PARTS, QUESTION, Part
from validation.review.rules.filters import LISTS, Filters

VERDICT, NOTES, TEXT = "verdict-", "notes-", "text-"
# What is held beside a digit for each part's errors, and the key that opens its texts.
HELD_KEYS: Mapping[str, str] = {QUESTION: "", OPTIONS: "Shift+", rules.CONCEPT: "Alt+"}
OPENING_KEYS: Mapping[str, str] = {QUESTION: "q", OPTIONS: "o", rules.CONCEPT: "c"}


@dataclass(frozen=True)
class Field:
    """A text that can be corrected in place. `changes` is what was corrected of the machine's text so far."""

    key: str
    name: str
    letter: str
    text: str
    changes: Sequence[Difference]
    beyond: bool


@dataclass(frozen=True)
class ShownPart:
    """One part: its verdict, its texts, and what is wrong with what was sent of it."""

    part: Part
    choices: Sequence[Mapping[str, Any]]
    notes: str
    fields: Sequence[Field]
    key: str
    open: bool
    problem: str

    @property
    def changed(self) -> list[Field]:
        return [field for field in self.fields if field.changes]

    @property
    def options(self) -> bool:
        return self.part.key == OPTIONS


@dataclass(frozen=True)
class Form:
    """Everything that the form shows. `first` says that nobody has checked the item yet and it waits for that."""

    parts: Sequence[ShownPart]
    answer: str
    words: str
    meaning: str
    asks_meaning: bool
    excludes: bool
    first: bool
    model: str
    begun: Mapping[str, Any]


def read(post: QueryDict) -> ItemCheck:
    """What was sent; what is missing or wrong is the action's to say."""
    verdicts = {
        part: PartVerdict(post.get(VERDICT + part, ""), post.get(NOTES + part, ""))
        for part in PARTS
        if VERDICT + part in post or NOTES + part in post
    }
    texts = {name.removeprefix(TEXT): str(post.get(name, "")) for name in post if name.startswith(TEXT)}
    given = {name: post.get(name, "") for name in ("decision", "answer", "meaning", "words")}
    return ItemCheck(verdicts, texts=texts, **given)


def next_item_url(membership: Membership, filters: Filters, here: Item, slug: str) -> str:
    """The next item of a machine that waits for its check, in the list that one came from; behind the last the first.

    `here` is the item as it was before the check: where it stood in the list.
    """
    waiting = replace(filters, of=LISTS[0], check="1")
    rows = fetch.items_listed(membership, waiting).filter(origin=Item.Origin.MACHINE).exclude(pk=here.pk)
    found = rows.filter(fetch.stands_behind(here)).first() or rows.first()
    if found is None:
        return reverse("desk", args=[slug])
    return f"{reverse('item', args=[slug, found.pk])}?{waiting.trail}"


def form_of(found: ItemDetail, typed: Mapping[str, Any] | None = None, refusal: Refusal | None = None) -> Form | None:
    """The form of an item that a machine wrote, with what was typed where it could not be done; else None."""
    item = found.item
    parts = assessed.parts_of(item)
    if not parts or item.stage == stages.EXCLUDED:
        return None
    raw, now = assessed.texts_of(item)
    verdicts = assessed.verdicts_of(item)
    sent = typed or {}
    at = rules.part_of(refusal.field.removesuffix("-notes")) if refusal is not None and refusal.field else ""
    return Form(
        parts=[
            _shown_part(item, part, raw, now, verdicts.get(part.key), sent, _problem(part, at, refusal))
            for part in parts
        ],
        answer=str(sent.get("answer", "")) or rules.answer_of(now),
        words=str(sent.get("words", "")),
        meaning=str(sent.get("meaning", "")),
        asks_meaning=found.began,
        excludes=sent.get("decision") == assessing.EXCLUDE,
        first=item.stage == stages.SUBMITTED,
        model=assessed.model_of(item, raw),
        begun=_made_from(item),
    )


def _problem(part: Part, at: str, refusal: Refusal | None) -> str:
    asked = OPTIONS if at == "answer" else at
    return refusal.code if refusal is not None and asked == part.key else ""


def _shown_part(
    item: Item,
    part: Part,
    raw: Mapping[str, Any],
    now: Mapping[str, Any],
    before: Assessment | None,
    sent: Mapping[str, Any],
    problem: str,
) -> ShownPart:
    chosen = (before.error or NONE) if before is not None else ""
    chosen = str(sent.get(VERDICT + part.key, chosen))
    notes = str(sent.get(NOTES + part.key, before.notes if before is not None else ""))
    fields = _fields(item, part, raw, now, sent)
    errors = ((NONE, NO_ERROR_NAME), *part.errors)
    return ShownPart(
        part=part,
        choices=[
            {"code": code, "name": name, "key": f"{HELD_KEYS[part.key]}{n}", "chosen": code == chosen}
            for n, (code, name) in enumerate(errors, start=1)
        ],
        notes=notes,
        fields=fields,
        key=OPENING_KEYS[part.key],
        open=bool(problem or notes) or any(field.text != text_at(now, field.key) or field.beyond for field in fields),
        problem=problem,
    )


def _fields(
    item: Item, part: Part, raw: Mapping[str, Any], now: Mapping[str, Any], sent: Mapping[str, Any]
) -> list[Field]:
    kind = item.project.kind_spec
    extra = set(extra_choices(kind, now))
    texts = [each for each in kind.correctable_texts(now) if not each.derived and rules.part_of(each.key) == part.key]
    return [
        Field(
            key=each.key,
            name=each.name,
            letter=each.name if part.key == OPTIONS else "",
            text=typed_text(str(sent.get(TEXT + each.key, text_at(now, each.key))), text_at(now, each.key)),
            changes=_changes(text_at(raw, each.key), text_at(now, each.key)),
            beyond=each.name in extra,
        )
        for each in texts
    ]


def _changes(raw: str, now: str) -> Sequence[Difference]:
    return differences(raw, now) if raw != now else ()


def _made_from(item: Item) -> dict[str, Any]:
    """What a run made the item of: the concept or question, its choices, in which language; empty where unknown."""
    candidate = Candidate.objects.select_related("material").filter(item=item).first()
    return candidate.material.data if candidate else {}


def verdicts_of(item: Item) -> list[dict[str, Any]]:
    """Every verdict on an item, the newest first; the newest of its part counts."""
    newest: set[str] = set()
    found = []
    for row in assessed.history_of(item):
        part = PARTS[row.part]
        name = dict(part.errors).get(row.error, row.error) if row.error else NO_ERROR_NAME
        found.append(
            {
                "part": part.name,
                "error": name,
                "wrong": bool(row.error),
                "row": row,
                "counts": row.part not in newest,
            }
        )
        newest.add(row.part)
    return found
