"""The slots of the writing page: those of a set in groups, each with its fields and the findings of checks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.content.common_words import count_common_words
from annotation.content.models.item import Hypothesis, Item
from annotation.core.messages import finding_words, slot_words
from annotation.core.models.member import Annotator
from annotation.kinds import (
    WHY_PREFIX,
    FieldGroup,
    FormField,
    Label,
    Slot,
    SlotIn,
    Source,
    option_field,
    text_at,
)
from annotation.text import checks, hints
from annotation.text.checks import Finding
from annotation.text.differences import Part as Change
from annotation.text.differences import text_parts
from annotation.text.numbers import NUMERAL
from annotation.text.phenomena import PHENOMENA, Phenomenon
from annotation.text.tokens import word_count
from annotation.writing.actions.writing import answers_of, set_findings
from annotation.writing.views.form import Form
from annotation.writing.views.source_text import SlotReading, field_words, reading_of

SEVERAL_SENTENCES = "several_sentences"
SECOND_LANGUAGE = "second"
CHOICES = FieldGroup("", _("Choices"))


@dataclass(frozen=True)
class CheckLine:
    """One quiet line under a field: what a check says, and whether it blocks. No field means the main text.

    `why` asks the writer why the text is right all the same; empty where nobody would read the answer.
    """

    check: str
    level: str
    words: str
    field: str = ""
    why: str = ""


@dataclass(frozen=True)
class CheckAnswer:
    """What a writer says to a check that warned, under the first field in which it did."""

    check: str
    prompt: str
    value: str


@dataclass(frozen=True)
class TranslationSource:
    """The source of a field that is translated, cut where the word list explains something, and its sizes."""

    parts: list[hints.Part]
    words: int
    characters: int
    figures: list[str]


@dataclass(frozen=True)
class SlotPart:
    """A further field of a slot: how it is drawn and called, what stands in it, what the checks say of it."""

    form_field: FormField
    slot: str
    value: str
    lines: list[CheckLine]
    changes: list[Change] = field(default_factory=list)
    whys: list[CheckAnswer] = field(default_factory=list)
    source_view: TranslationSource | None = None

    @property
    def name(self) -> str:
        return field_words(self.form_field)

    @property
    def key(self) -> str:
        return self.form_field.key

    @property
    def input_name(self) -> str:
        """How the form calls it."""
        return f"more_{self.slot}_{self.form_field.key}"

    @property
    def is_area(self) -> bool:
        """Whether it is drawn as an area: a browser takes the breaks out of what stands in a line."""
        return self.form_field.widget == "area" or "\n" in self.value or "\r" in self.value

    @property
    def option(self) -> str:
        """The key of the option whose text this is, as picks name it."""
        return self.form_field.key.removeprefix(option_field(""))

    @property
    def blocked(self) -> bool:
        return any(line.level == "block" for line in self.lines)


@dataclass(frozen=True)
class OptionList:
    """The options of one group, what is chosen among them, and what the checks say of them all together."""

    group: FieldGroup
    options: list[SlotPart]
    picks: list[SlotPart]
    lines: list[CheckLine]

    @property
    def movable(self) -> bool:
        """Whether their order is the writer's: where groups have names, an option is only one of its group."""
        return bool(self.group.key)


@dataclass(frozen=True)
class SlotView:
    """One slot on the page: what stands in it, its version, what the checks say, and a newer text from elsewhere.

    `changes` is how the main text differs from that of the item which this is a variation of, `preview` the whole
    text that is made of the fields `joined_fields`, where it is made of several.
    """

    key: str
    name: str
    content: SlotIn
    version: int
    lines: list[CheckLine]
    newer_text: SlotReading | None = None
    parts: list[SlotPart] = field(default_factory=list)
    option_lists: list[OptionList] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    is_variation: bool = False
    counts_sentences: bool = True
    preview: str | None = None
    joined_fields: tuple[str, ...] = ()
    whys: list[CheckAnswer] = field(default_factory=list)

    @property
    def translated_parts(self) -> list[SlotPart]:
        """The fields that stand beside their sources; then there is no main text."""
        return [part for part in self.parts if part.source_view is not None]

    @property
    def asks_one_sentence(self) -> bool:
        """Whether to offer "this is one sentence": only where the check spoke, or the writer said so before."""
        spoke = any(line.check == SEVERAL_SENTENCES for line in self.lines)
        return self.counts_sentences and (self.content.one_sentence or spoke)

    @property
    def blocked(self) -> bool:
        return any(line.level == "block" for line in self.lines)

    @property
    def texts(self) -> list[SlotPart]:
        """The fields that stand above the main text."""
        others = [part for part in self.parts if part.form_field.widget not in ("option", "pick")]
        return [part for part in others if part.form_field.group != SECOND_LANGUAGE]

    @property
    def second_language_parts(self) -> list[SlotPart]:
        """The translations into the project's second language."""
        return [part for part in self.parts if part.form_field.group == SECOND_LANGUAGE]

    @property
    def has_second(self) -> bool:
        return any(part.value.strip() for part in self.second_language_parts)


@dataclass(frozen=True)
class SlotGroup:
    """The slots of one label."""

    label: Label | None
    fields: list[SlotView]


@dataclass(frozen=True)
class TagCount:
    """A phenomenon tag, and on how many of this writer's submitted texts it stands."""

    tag: Phenomenon
    count: int


def findings_of(
    form: Form, contents: Mapping[str, SlotIn], writer: Annotator, origin: Item | None = None
) -> list[Finding]:
    """What the checks say of a set: slips of the pen, and where this writer's answers usually stand, included."""
    project = form.project
    often, answers = count_common_words(project), answers_of(writer) if form.kind.question.own_options else {}
    return set_findings(
        project, form.source, contents, often=often, answers=answers, origin=origin, resources=form.resources
    )


def findings_on_filled_fields(form: Form, findings: Iterable[Finding], contents: Mapping[str, SlotIn]) -> list[Finding]:
    """The findings without those about fields that hold nothing yet: before anything was sent they say nothing."""

    def is_written(finding: Finding) -> bool:
        typed, place = contents.get(finding.slot, SlotIn()), form.place_of(finding)
        return bool((typed.more.get(place, "") if place else typed.text).strip())

    return [finding for finding in findings if not finding.slot or is_written(finding)]


def lines_of(form: Form, findings: Sequence[Finding]) -> list[CheckLine]:
    """Findings in words."""
    return [
        CheckLine(
            f.check,
            f.level,
            finding_words(f, form.kind, form.slots),
            form.place_of(f),
            _check_answer_prompt(form, f),
        )
        for f in findings
    ]


def _check_answer_prompt(form: Form, finding: Finding) -> str:
    """How the writer is asked for a word to a check; empty where it blocks, or nobody reads the answer."""
    if finding.level != checks.WARN or not form.asks_why:
        return ""
    return gettext("%(check)s: right all the same, because") % {"check": gettext(checks.get(finding.check).title)}


def lines_json(form: Form, findings: Sequence[Finding]) -> list[dict[str, str]]:
    """The lines as the pages' scripts draw them."""
    return [asdict(line) for line in lines_of(form, findings)]


def field_of(
    form: Form,
    slot: Slot,
    content: SlotIn,
    version: int,
    findings: Sequence[Finding],
    other: SlotIn | None = None,
    origin: SlotIn | None = None,
) -> SlotView:
    """One slot with all its fields, each with the lines that are about it."""
    lines = lines_of(form, [finding for finding in findings if finding.slot == slot.key])
    asked = {line.check: line for line in reversed(lines) if line.why}
    asked = {line.check: asked[line.check] for line in lines if line.why}
    whys = [CheckAnswer(line.check, line.why, content.more.get(WHY_PREFIX + line.check, "")) for line in asked.values()]
    parts = [
        SlotPart(
            each,
            slot.key,
            content.more.get(each.key, ""),
            [line for line in lines if line.field == each.key],
            _changes(origin, each.key, content.more.get(each.key, "")),
            [why for why in whys if asked[why.check].field == each.key],
            _translation_source(form, each),
        )
        for each in form.fields
    ]
    return SlotView(
        key=slot.key,
        name=slot_words(form.kind, slot),
        content=content,
        version=version,
        lines=[line for line in lines if not line.field],
        newer_text=None if other is None else reading_of(form, other),
        parts=parts,
        option_lists=_lists(form, parts, lines),
        changes=_changes(origin, "", content.text),
        is_variation=origin is not None,
        counts_sentences=SEVERAL_SENTENCES in form.kind.authoring.checks,
        preview=_preview(form, content),
        joined_fields=form.kind.authoring.joined_fields,
        whys=[why for why in whys if not asked[why.check].field],
    )


def _translation_source(form: Form, asked: FormField) -> TranslationSource | None:
    """The source of a field that is translated."""
    text = asked.source
    if form.has_text and not text:
        return None
    words = [(word, meaning) for word, meaning in form.target.words] if form.target else []
    return TranslationSource(hints.explained_parts(text, words), word_count(text), len(text), NUMERAL.findall(text))


def _changes(origin: SlotIn | None, key: str, text: str) -> list[Change]:
    """How a text differs from the origin's of the same field; nothing where it is the same or there is no origin."""
    before = None if origin is None else (origin.more.get(key, "") if key else origin.text)
    return [] if before is None or before == text else text_parts(before, text)


def changes_json(form: Form, content: SlotIn, origin: SlotIn) -> dict[str, list[Change]]:
    """How each text of a slot differs from the origin's, as the page's script draws it; "" is the main text."""
    texts = {"": content.text, **{asked.key: content.more.get(asked.key, "") for asked in form.fields}}
    return {key: _changes(origin, key, text) for key, text in texts.items()}


def _lists(form: Form, parts: Sequence[SlotPart], lines: Sequence[CheckLine]) -> list[OptionList]:
    """The options by group, in the kind's order of groups."""
    made = []
    for group in (*form.kind.authoring.groups, CHOICES):
        mine = [part for part in parts if part.form_field.group == group.key]
        options = [part for part in mine if part.form_field.widget == "option"]
        if options:
            picks = [part for part in mine if part.form_field.widget == "pick"]
            about = [line for line in lines if group.key and line.field == group.key]
            made.append(OptionList(group, options, picks, about))
    return made


def _preview(form: Form, content: SlotIn) -> str | None:
    """The item's text as it is made from the fields; None in a kind where what is typed is the text."""
    kind = form.kind
    made = next((text for text in kind.presentation.texts if text.derived and text.shown), None)
    return (
        text_at(kind.authoring.content_from_slot(Source("", ""), content), made.key)
        if made and kind.authoring.joined_fields
        else None
    )


def groups_of(
    form: Form,
    contents: Mapping[str, SlotIn],
    versions: Mapping[str, int],
    findings: Sequence[Finding],
    others: Mapping[str, SlotIn],
    origin: SlotIn | None = None,
) -> list[SlotGroup]:
    """The fields of the page, by label."""
    groups = dict[str, list[SlotView]]()
    for key, slot in form.slots.items():
        content, version = contents.get(key, SlotIn()), versions.get(key, 0)
        made = field_of(form, slot, content, version, findings, others.get(key), origin)
        groups.setdefault(slot.label, []).append(made)
    return [SlotGroup(form.kind.question.label(label), fields) for label, fields in groups.items()]


def tag_counts(writer: Annotator) -> list[TagCount]:
    """The fifteen tags, with how often this writer has given each (domain.md §4)."""
    counts: Counter[str] = Counter()
    for tags in Hypothesis.objects.filter(item__author=writer).values_list("tags", flat=True):
        counts.update(tags)
    return [TagCount(tag, counts[tag.code]) for tag in PHENOMENA]
