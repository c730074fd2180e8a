"""What the writing page shows: the slots of a set in groups, each with its fields and what the checks say of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext_noop as _

from annotation.actions.writing import answers_of, set_findings
from annotation.kinds import OPTION, FieldGroup, FormField, Label, Slot, SlotIn, Source, option_field, text_at
from annotation.messages import finding_words, slot_words
from annotation.models import Annotator, Draft, Hypothesis, Item, Project, Share
from annotation.rules.checks import Finding
from annotation.rules.differences import Part as Change
from annotation.rules.differences import text_parts
from annotation.rules.phenomena import PHENOMENA, Phenomenon
from annotation.views.reading import Reading, fields_of, reading_of
from annotation.vocabulary import often_in

TAGS = frozenset(phenomenon.code for phenomenon in PHENOMENA)
SEVERAL = "several_sentences"
SECOND = "second"
CHOICES = FieldGroup("", _("Choices"))


@dataclass(frozen=True)
class Line:
    """One quiet line under a field: what a check says, and whether it blocks. No field means the main text."""

    check: str
    level: str
    words: str
    field: str = ""


@dataclass(frozen=True)
class Part:
    """A further field of a slot: how it is drawn and called, what stands in it, what the checks say of it."""

    asked: FormField
    slot: str
    value: str
    lines: list[Line]
    changes: list[Change] = field(default_factory=list)

    @property
    def key(self) -> str:
        return self.asked.key

    @property
    def input_name(self) -> str:
        """How the form calls it."""
        return f"more_{self.slot}_{self.asked.key}"

    @property
    def option(self) -> str:
        """The key of the option whose text this is, as picks name it."""
        return self.asked.key.removeprefix(option_field(""))

    @property
    def blocked(self) -> bool:
        return any(line.level == "block" for line in self.lines)


@dataclass(frozen=True)
class OptionList:
    """The options of one group, what is chosen among them, and what the checks say of them all together."""

    group: FieldGroup
    options: list[Part]
    picks: list[Part]
    lines: list[Line]

    @property
    def movable(self) -> bool:
        """Whether their order is the writer's: where groups have names, an option is only one of its group."""
        return bool(self.group.key)


@dataclass(frozen=True)
class Field:
    """One slot on the page: what stands in it, its version, what the checks say, and a newer text from elsewhere.

    `changes` is how the main text differs from that of the item which this is a variation of, `preview` the whole
    text that is made of the fields `joined`, where it is made of several.
    """

    key: str
    name: str
    content: SlotIn
    version: int
    lines: list[Line]
    other: Reading | None = None
    parts: list[Part] = field(default_factory=list)
    lists: list[OptionList] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    varied: bool = False
    counts_sentences: bool = True
    preview: str | None = None
    joined: tuple[str, ...] = ()

    @property
    def asks_one(self) -> bool:
        """Whether to offer "this is one sentence": only where the check spoke, or the writer said so before."""
        spoke = any(line.check == SEVERAL for line in self.lines)
        return self.counts_sentences and (self.content.one_sentence or spoke)

    @property
    def blocked(self) -> bool:
        return any(line.level == "block" for line in self.lines)

    @property
    def texts(self) -> list[Part]:
        """The fields that stand above the main text."""
        others = [part for part in self.parts if part.asked.widget not in ("option", "pick")]
        return [part for part in others if part.asked.group != SECOND]

    @property
    def second(self) -> list[Part]:
        """The translations into the project's second language."""
        return [part for part in self.parts if part.asked.group == SECOND]

    @property
    def has_second(self) -> bool:
        return any(part.value.strip() for part in self.second)


@dataclass(frozen=True)
class Group:
    """The slots of one label."""

    label: Label | None
    fields: list[Field]


@dataclass(frozen=True)
class Spread:
    """A phenomenon tag, and on how many of this writer's submitted texts it stands."""

    tag: Phenomenon
    count: int


def drafts_of(share: Share) -> dict[str, Draft]:
    """What is stored of a set, by slot."""
    return {draft.slot: draft for draft in Draft.objects.filter(share=share)}


def posted_slot(project: Project, post: QueryDict, key: str) -> SlotIn:
    """One slot as the form sends it: the fields that the kind declares, and nothing else."""
    fields = fields_of(project)
    return SlotIn(
        text=post.get(f"text_{key}", "").replace("\r\n", "\n"),
        one_sentence=f"one_{key}" in post,
        tags=tuple(dict.fromkeys(tag for tag in post.getlist(f"tags_{key}") if tag in TAGS)),
        more={asked.key: _posted(asked, fields, post.get(f"more_{key}_{asked.key}", "")) for asked in fields},
    )


def _posted(asked: FormField, fields: Sequence[FormField], value: str) -> str:
    """What was sent for a field; where it has to be one of several, nothing but one of them."""
    if asked.widget == "pick":
        named = {other.key for other in fields if other.widget == "option"}
        return value if option_field(value) in named else ""
    if asked.widget == "choice":
        return value if value in dict(asked.choices) else ""
    return value.replace("\r\n", "\n")


def revised(stored: SlotIn, posted: SlotIn) -> SlotIn:
    """What the form of a submitted item sends; a field that it does not show stays as it was."""
    return replace(posted, more={**stored.more, **posted.more})


def slots_of(project: Project) -> dict[str, Slot]:
    """The slots of the project's sets, in the kind's order."""
    return {slot.key: slot for slot in project.kind_spec.slots(project.rules)}


def findings_of(
    project: Project,
    source: Source,
    contents: Mapping[str, SlotIn],
    writer: Annotator,
    origin: Item | None = None,
) -> list[Finding]:
    """What the checks say of a set: slips of the pen, and where this writer's answers usually stand, included."""
    return set_findings(
        project, source, contents, often=often_in(project), answers=answers_of(writer), origin=origin
    )


def in_peace(project: Project, findings: Iterable[Finding], contents: Mapping[str, SlotIn]) -> list[Finding]:
    """The findings without those about fields that hold nothing yet: before anything was sent they say nothing."""
    known = places_of(project)

    def is_written(finding: Finding) -> bool:
        typed, place = contents.get(finding.slot, SlotIn()), place_of(finding, known)
        return bool((typed.more.get(place, "") if place else typed.text).strip())

    return [finding for finding in findings if not finding.slot or is_written(finding)]


def places_of(project: Project) -> set[str]:
    """What of a form a finding can be about: its further fields, and the groups of these."""
    fields = fields_of(project)
    return {asked.key for asked in fields} | {asked.group for asked in fields if asked.group}


def place_of(finding: Finding, known: Iterable[str]) -> str:
    """The further field or group that a finding is about; empty where that is the main text or nothing of the form."""
    named = str(finding.params.get("field", ""))
    option = option_field(str(finding.params.get("option", "")))
    return next((key for key in (named, option) if key in known), "")


def lines_of(project: Project, findings: Sequence[Finding]) -> list[Line]:
    """Findings in words."""
    kind, slots = project.kind_spec, slots_of(project)
    known = places_of(project)
    return [Line(f.check, f.level, finding_words(f, kind, slots), place_of(f, known)) for f in findings]


def lines_json(project: Project, findings: Sequence[Finding]) -> list[dict[str, str]]:
    """The lines as the pages' scripts draw them."""
    return [asdict(line) for line in lines_of(project, findings)]


def field_of(
    project: Project,
    slot: Slot,
    content: SlotIn,
    version: int,
    findings: Sequence[Finding],
    other: SlotIn | None = None,
    origin: SlotIn | None = None,
) -> Field:
    """One slot with all its fields, each with the lines that are about it."""
    lines = lines_of(project, [finding for finding in findings if finding.slot == slot.key])
    parts = [
        Part(
            asked,
            slot.key,
            content.more.get(asked.key, ""),
            [line for line in lines if line.field == asked.key],
            _changes(origin, asked.key, content.more.get(asked.key, "")),
        )
        for asked in fields_of(project)
    ]
    return Field(
        key=slot.key,
        name=slot_words(project.kind_spec, slot),
        content=content,
        version=version,
        lines=[line for line in lines if not line.field],
        other=None if other is None else reading_of(project, other),
        parts=parts,
        lists=_lists(project, parts, lines),
        changes=_changes(origin, "", content.text),
        varied=origin is not None,
        counts_sentences=SEVERAL in project.kind_spec.checks,
        preview=_preview(project, content),
        joined=project.kind_spec.joined,
    )


def _changes(origin: SlotIn | None, key: str, text: str) -> list[Change]:
    """How a text differs from the origin's of the same field; nothing where it is the same or there is no origin."""
    before = None if origin is None else (origin.more.get(key, "") if key else origin.text)
    return [] if before is None or before == text else text_parts(before, text)


def changes_json(project: Project, content: SlotIn, origin: SlotIn) -> dict[str, list[Change]]:
    """How each text of a slot differs from the origin's, as the page's script draws it; "" is the main text."""
    texts = {"": content.text, **{asked.key: content.more.get(asked.key, "") for asked in fields_of(project)}}
    return {key: _changes(origin, key, text) for key, text in texts.items()}


def _lists(project: Project, parts: Sequence[Part], lines: Sequence[Line]) -> list[OptionList]:
    """The options by group, in the kind's order of groups."""
    made = []
    for group in (*project.kind_spec.groups, CHOICES):
        mine = [part for part in parts if part.asked.group == group.key]
        options = [part for part in mine if part.asked.widget == "option"]
        if options:
            picks = [part for part in mine if part.asked.widget == "pick"]
            about = [line for line in lines if group.key and line.field == group.key]
            made.append(OptionList(group, options, picks, about))
    return made


def _preview(project: Project, content: SlotIn) -> str | None:
    """The item's text as it is made from the fields; None in a kind where what is typed is the text."""
    kind = project.kind_spec
    made = next((text for text in kind.texts if text.derived and text.shown), None)
    return text_at(kind.content(Source("", ""), content), made.key) if made and kind.joined else None


def moved(project: Project, content: SlotIn, asked: str) -> SlotIn:
    """The slot with an option one place up or down in its list, as `option-R2:up` says; what is picked goes along."""
    key, _, way = asked.partition(":")
    field = next((each for each in fields_of(project) if each.key == key and each.widget == "option"), None)
    if field is None or not field.group:
        return content
    row = [each.key for each in fields_of(project) if each.group == field.group and each.widget == "option"]
    place = row.index(key) + (1 if way == "down" else -1)
    if not 0 <= place < len(row):
        return content
    other, more = row[place], dict(content.more)
    more[key], more[other] = more.get(other, ""), more.get(key, "")
    swap = {key.removeprefix(OPTION): other, other.removeprefix(OPTION): key}
    for pick in fields_of(project):
        if pick.widget == "pick" and more.get(pick.key, "") in swap:
            more[pick.key] = swap[more[pick.key]].removeprefix(OPTION)
    return replace(content, more=more)


def groups_of(
    project: Project,
    contents: Mapping[str, SlotIn],
    versions: Mapping[str, int],
    findings: Sequence[Finding],
    others: Mapping[str, SlotIn],
    origin: SlotIn | None = None,
) -> list[Group]:
    """The fields of the page, by label."""
    kind, groups = project.kind_spec, dict[str, list[Field]]()
    for key, slot in slots_of(project).items():
        made = field_of(
            project,
            slot,
            contents.get(key, SlotIn()),
            versions.get(key, 0),
            findings,
            others.get(key),
            origin,
        )
        groups.setdefault(slot.label, []).append(made)
    return [Group(kind.label(label), fields) for label, fields in groups.items()]


def filled(project: Project, contents: Mapping[str, SlotIn]) -> int:
    """How many of the fields that have to be filled in hold something."""
    needed = [asked.key for asked in fields_of(project) if asked.required]
    return sum(
        bool(value.strip())
        for typed in contents.values()
        for value in (typed.text, *(typed.more.get(key, "") for key in needed))
    )


def to_fill(project: Project) -> int:
    """How many fields of a set have to be filled in."""
    return len(slots_of(project)) * (1 + sum(asked.required for asked in fields_of(project)))


def spread_of(writer: Annotator) -> list[Spread]:
    """The fifteen tags, with how often this writer has given each (domain.md §4)."""
    counts: Counter[str] = Counter()
    for tags in Hypothesis.objects.filter(item__author=writer).values_list("tags", flat=True):
        counts.update(tags)
    return [Spread(tag, counts[tag.code]) for tag in PHENOMENA]


def number(request: HttpRequest, name: str) -> int:
    """A version that the form carries; 0 where it carries none or nonsense, which then conflicts by itself."""
    raw = request.POST.get(name, "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else 0
