"""What a writer's form asks from one source: the slots and fields of its kind, and what was sent for them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from django.http import QueryDict

from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.access import has_targets
from annotation.core.models.project import Project, Target
from annotation.kinds import OPTION_PREFIX, WHY_PREFIX, FormField, Kind, Slot, SlotIn, Source, option_field
from annotation.text.checks import WARN, Finding
from annotation.text.line_breaks import plain_breaks, typed_text
from annotation.text.phenomena import PHENOMENA
from annotation.translation.queries.targets import resources_of
from annotation.translation.rules.target_resources import TargetResources

TAGS = frozenset(phenomenon.code for phenomenon in PHENOMENA)


@dataclass(frozen=True)
class Form:
    """The form of one source: its kind's slots, and the fields that each asks; `target` where it is for a target."""

    project: Project
    source: Source
    target: Target | None = None

    @cached_property
    def kind(self) -> Kind:
        return self.project.kind_spec

    @cached_property
    def fields(self) -> tuple[FormField, ...]:
        """What a slot asks beside the main text."""
        return self.kind.authoring.form_fields(self.project.rules, self.source)

    @cached_property
    def slots(self) -> Mapping[str, Slot]:
        """The slots of the set, in the kind's order."""
        return {slot.key: slot for slot in self.kind.authoring.slots(self.project.rules)}

    @cached_property
    def resources(self) -> TargetResources | None:
        """What is known of the target; None in kinds without targets."""
        return resources_of(self.target)

    @property
    def has_text(self) -> bool:
        """Whether a slot has a main text: where the fields differ from source to source, they are all there is."""
        return self.kind.authoring.fields_by_source is None

    @property
    def language(self) -> str:
        """The language of what is typed."""
        return self.target.language if self.target else self.project.language

    @property
    def asks_why(self) -> bool:
        """Whether a writer may say why a text is right that a check objects to: where somebody reads it."""
        return "flags_reviewed" in self.kind.features

    @cached_property
    def places(self) -> frozenset[str]:
        """What of the form a finding can be about: its further fields, and the groups of these."""
        keys = {asked.key for asked in self.fields}
        return frozenset(keys | {asked.group for asked in self.fields if asked.group})

    def place_of(self, finding: Finding) -> str:
        """The field or group that a finding is about; empty where that is the main text or nothing of the form."""
        named = str(finding.params.get("field", ""))
        option = option_field(str(finding.params.get("option", "")))
        return next((key for key in (named, option) if key in self.places), "")

    def posted(self, post: QueryDict, key: str) -> SlotIn:
        """One slot as the form sends it: the fields that the kind declares, and nothing else."""
        more = {each.key: self._posted(each, post.get(f"more_{key}_{each.key}", "")) for each in self.fields}
        return SlotIn(
            text=plain_breaks(post.get(f"text_{key}", "")) if self.has_text else "",
            one_sentence=f"one_{key}" in post,
            tags=tuple(dict.fromkeys(tag for tag in post.getlist(f"tags_{key}") if tag in TAGS)),
            more=more | self._whys(post, key),
        )

    def _posted(self, asked: FormField, value: str) -> str:
        """What was sent for a field; where it has to be one of several, nothing but one of them."""
        if asked.widget == "pick":
            named = {other.key for other in self.fields if other.widget == "option"}
            return value if option_field(value) in named else ""
        if asked.widget == "choice":
            return value if value in dict(asked.choices) else ""
        return plain_breaks(value)

    def _whys(self, post: QueryDict, key: str) -> dict[str, str]:
        """What the writer says to checks that warned, where they said anything."""
        if not self.asks_why:
            return {}
        whys = {
            WHY_PREFIX + check: post.get(f"more_{key}_{WHY_PREFIX}{check}", "").strip()
            for check in self.kind.authoring.checks
        }
        return {name: plain_breaks(words) for name, words in whys.items() if words}

    def filled(self, contents: Mapping[str, SlotIn]) -> int:
        """How many of the fields that have to be filled in hold something."""
        needed = [asked.key for asked in self.fields if asked.required]
        return sum(
            bool(value.strip())
            for typed in contents.values()
            for value in (typed.text, *(typed.more.get(key, "") for key in needed))
        )

    @property
    def to_fill(self) -> int:
        """How many fields of a set have to be filled in."""
        return len(self.slots) * (self.has_text + sum(asked.required for asked in self.fields))

    def moved(self, content: SlotIn, asked: str) -> SlotIn:
        """The slot with an option one place up or down in its list, as `option-R2:up` says; picks go along."""
        key, _, way = asked.partition(":")
        field = next((each for each in self.fields if each.key == key and each.widget == "option"), None)
        if field is None or not field.group:
            return content
        row = [each.key for each in self.fields if each.group == field.group and each.widget == "option"]
        place = row.index(key) + (1 if way == "down" else -1)
        if not 0 <= place < len(row):
            return content
        other, more = row[place], dict(content.more)
        more[key], more[other] = more.get(other, ""), more.get(key, "")
        swap = {key.removeprefix(OPTION_PREFIX): other, other.removeprefix(OPTION_PREFIX): key}
        for pick in self.fields:
            if pick.widget == "pick" and more.get(pick.key, "") in swap:
                more[pick.key] = swap[more[pick.key]].removeprefix(OPTION_PREFIX)
        return replace(content, more=more)


def form_of_allocation(allocation: Allocation) -> Form:
    """The form of what is in a writer's hands."""
    return Form(allocation.project, allocation.source.as_source, allocation.target)


def form_of_item(item: Item) -> Form:
    """The form in which an item is written again."""
    source = shapes.get(item.project.kind_spec.shape).source_of(item)
    return Form(item.project, source.as_source, item.target if has_targets(item.project) else None)


def revised_content(stored: SlotIn, posted: SlotIn) -> SlotIn:
    """What the form of a submitted item sends; a field that it does not show stays as it was."""
    kept = {key: value for key, value in stored.more.items() if not key.startswith(WHY_PREFIX)}
    return with_stored_breaks(stored, replace(posted, more={**kept, **posted.more}))


def with_stored_breaks(stored: SlotIn, posted: SlotIn) -> SlotIn:
    """What was sent, where texts that nobody changed are the stored ones byte for byte."""
    more = {key: typed_text(value, stored.more.get(key, "")) for key, value in posted.more.items()}
    return replace(posted, text=typed_text(posted.text, stored.text), more=more)


def without_stale_answers(content: SlotIn, findings: Iterable[Finding]) -> SlotIn:
    """The slot without words to checks that do not warn any more."""
    speak = {WHY_PREFIX + finding.check for finding in findings if finding.level == WARN}
    if not any(key.startswith(WHY_PREFIX) for key in content.more):
        return content
    kept = {key: value for key, value in content.more.items() if not key.startswith(WHY_PREFIX) or key in speak}
    return replace(content, more=kept)
