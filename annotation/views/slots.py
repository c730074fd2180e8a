"""What the writing page shows: the slots of a set in groups, each with its text and what the checks say of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, QueryDict

from annotation.actions.writing import SlotIn, set_findings
from annotation.kinds import Label, Slot
from annotation.messages import finding_words, slot_words
from annotation.models import Annotator, Draft, Hypothesis, Premise, Project, Share
from annotation.rules.checks import Finding
from annotation.rules.phenomena import PHENOMENA, Phenomenon
from annotation.vocabulary import often_in

TAGS = frozenset(phenomenon.code for phenomenon in PHENOMENA)
SEVERAL = "several_sentences"


@dataclass(frozen=True)
class Line:
    """One quiet line under a field: what a check says, and whether it blocks."""

    check: str
    level: str
    words: str


@dataclass(frozen=True)
class Field:
    """One slot on the page: what stands in it, its version, what the checks say, and a newer text from elsewhere."""

    key: str
    name: str
    content: SlotIn
    version: int
    lines: list[Line]
    other: SlotIn | None = None

    @property
    def asks_one(self) -> bool:
        """Whether to offer "this is one sentence": only where the check spoke, or the writer said so before."""
        return self.content.one_sentence or any(line.check == SEVERAL for line in self.lines)

    @property
    def blocked(self) -> bool:
        return any(line.level == "block" for line in self.lines)


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


def content_in(raw: Mapping[str, object]) -> SlotIn:
    """A stored draft as the slot it was typed into."""
    tags = raw.get("tags", [])
    return SlotIn(
        text=str(raw.get("text", "")),
        one_sentence=bool(raw.get("one_sentence")),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
    )


def posted_slot(post: QueryDict, key: str) -> SlotIn:
    """One slot as the form sends it."""
    return SlotIn(
        text=post.get(f"text_{key}", "").replace("\r\n", "\n"),
        one_sentence=f"one_{key}" in post,
        tags=tuple(dict.fromkeys(tag for tag in post.getlist(f"tags_{key}") if tag in TAGS)),
    )


def slots_of(project: Project) -> dict[str, Slot]:
    """The slots of the project's sets, in the kind's order."""
    return {slot.key: slot for slot in project.kind_spec.slots(project.rules)}


def findings_of(project: Project, premise: Premise, contents: Mapping[str, SlotIn]) -> list[Finding]:
    """What the checks say of a set, slips of the pen included."""
    return set_findings(project, premise, contents, often=often_in(project))


def lines_of(project: Project, findings: Sequence[Finding]) -> list[Line]:
    """Findings in words."""
    kind, slots = project.kind_spec, slots_of(project)
    return [Line(f.check, f.level, finding_words(f, kind, slots)) for f in findings]


def groups_of(
    project: Project,
    contents: Mapping[str, SlotIn],
    versions: Mapping[str, int],
    findings: Sequence[Finding],
    others: Mapping[str, SlotIn],
) -> list[Group]:
    """The fields of the page, by label."""
    kind, groups = project.kind_spec, dict[str, list[Field]]()
    for key, slot in slots_of(project).items():
        mine = [finding for finding in findings if finding.slot == key]
        made = Field(
            key=key,
            name=slot_words(kind, slot),
            content=contents.get(key, SlotIn()),
            version=versions.get(key, 0),
            lines=lines_of(project, mine),
            other=others.get(key),
        )
        groups.setdefault(slot.label, []).append(made)
    return [Group(kind.label(label), fields) for label, fields in groups.items()]


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
