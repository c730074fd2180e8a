"""What a kind is: one frozen object that forms, pages, jobs and exports read; none of them names a kind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from annotation.answers import Question, Shown, type_of
from annotation.answers.base import Label as Label
from annotation.core.rules.settings import ProjectSettings
from annotation.kinds.columns import PublicColumns, nothing
from annotation.kinds.columns import only as only
from annotation.kinds.columns import provenance as provenance
from annotation.kinds.partial_input import PartialInput
from annotation.kinds.texts import FIELD as FIELD
from annotation.kinds.texts import OPTION as OPTION
from annotation.kinds.texts import WHY as WHY
from annotation.kinds.texts import field_name as field_name
from annotation.kinds.texts import option_field as option_field
from annotation.kinds.texts import text_at as text_at
from annotation.kinds.texts import with_text as with_text
from annotation.text.tokens import word_count


@dataclass(frozen=True)
class Slot:
    """A place for one item in the set that a writer submits whole; `label` is empty where the writer chooses it."""

    key: str
    label: str
    name: str


@dataclass(frozen=True)
class Source:
    """What a writer starts from, as kinds read it: a premise, or a concept in its category (`group`).

    `parallel` is the wording of the same concept in another language's project.
    """

    key: str
    text: str
    group: str = ""
    parallel: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SlotIn:
    """What a writer put into one slot: the main text, and the other fields of the kind's form by name, as typed."""

    text: str = ""
    one_sentence: bool = False
    tags: Sequence[str] = field(default=())
    more: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As drafts keep it; `more` only where the kind has further fields."""
        plain: dict[str, Any] = {
            "text": self.text,
            "one_sentence": self.one_sentence,
            "tags": list(self.tags),
        }
        return plain | ({"more": dict(self.more)} if self.more else {})

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "SlotIn":
        """Read what `to_dict` gave; anything else in it is left aside."""
        tags, more = raw.get("tags", ()), raw.get("more", {})
        return cls(
            text=str(raw.get("text", "")),
            one_sentence=bool(raw.get("one_sentence")),
            tags=tuple(str(tag) for tag in tags) if isinstance(tags, (list, tuple)) else (),
            more={str(k): str(v) for k, v in more.items()} if isinstance(more, Mapping) else {},
        )

    @property
    def is_blank(self) -> bool:
        return not self.text.strip() and not any(value.strip() for value in self.more.values())


@dataclass(frozen=True)
class FormField:
    """A further field of a writer's form, beside the main text.

    `widget`: `line` and `area` are texts, `option` is a text that can be chosen (drawn in one list with the picks),
    `pick` names one of the options (its value is the option's key), `choice` is one of `choices`. Options of one
    `group` are drawn as one list; a pick of a group is among its options. Fields of the group `second` are the
    translations into the project's second language, drawn apart. `source` is the text that a field says in another
    language, drawn beside it; `within` is the field whose text this one has to be a part of.
    """

    key: str
    name: str
    widget: str = "line"
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    required: bool = True
    group: str = ""
    source: str = ""
    within: str = ""


@dataclass(frozen=True)
class FieldGroup:
    """A group of a form's fields: what people call it, and what belongs into it, shown beside its fields."""

    key: str
    name: str
    help: str = ""


@dataclass(frozen=True)
class TextField:
    """A text of an item: its name in the content, and what people call it.

    A `shared` one belongs to the source and to every item made from it. One that is not `shown` is for leads only,
    one that is `derived` is made from the others and corrected by them. One `of_family` belongs to every item of its
    family that has it (the context of prompts): it is corrected for all of them (ruling 7).
    """

    key: str
    name: str
    shared: bool = False
    shown: bool = True
    derived: bool = False
    of_family: bool = False


def _no_fields(settings: ProjectSettings) -> tuple[FormField, ...]:
    return ()


def _as_it_is(content: Mapping[str, Any]) -> dict[str, Any]:
    return dict(content)


def _of_slot(slot: Slot, written: SlotIn) -> str:
    return slot.label


def _no_family(key: str) -> str:
    return ""


def _no_text(content: Mapping[str, Any], key: str) -> str:
    return ""


def _any_content(key: str, content: Mapping[str, Any]) -> bool:
    return True


class KeyRefused(ValueError):
    """An item can be given no key: `code` is the rule's reason."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


Keyed = tuple[str, Mapping[str, Any]]


def _own(labels: Sequence[Label], content: Mapping[str, Any]) -> tuple[Label, ...]:
    texts = {str(option["key"]): str(option["text"]) for option in content.get("options", ())}
    return tuple(replace(label, name=texts[label.key], own=True) for label in labels if label.key in texts)


@dataclass(frozen=True)
class Kind:
    """The sort of item: what its writers fill in, its voters are asked and its releases hold (domain.md §1).

    `shape` is how content is stored (annotation/content/shapes). `slots` are a writer's set, `fields` what a slot asks
    beside the main text (`own_fields`: where that differs by source), `joined` those that make the derived text.
    `content` is what revisions keep, `written` the form's fields of it, `derive` makes derived texts anew. `labels` are
    all labels; `own_options`: an item brings options of its own, of which those of `voted_roles` are shown, `shuffled`;
    where one is judged, that of `judged_role`, `choices` are the options' labels. `marks` can be marked ambiguous.
    `numbered` makes a key from a content, all keys that are taken and the item it varies, or raises KeyRefused; None:
    keys come from the source. `family` reads from a key what items share, `agrees` whether a content fits a key.
    `beside` is the source text that a text is judged by. `translated` and `from_source` turn items into rows of source
    sets and back; `judges` is the shape of rows whose labels are the kind's. `export_row` turns a frozen row into the
    field's columns, of which `public_columns` hide the answer; `accepts` is the label that keeps an item, `answered`
    the kind as which an evaluation has it answered. `opaque_ids`: keys tell labels, so releases give other ids.
    `questions` are what voters are asked; none: `question`, with one of the labels as answer. `widgets` says how texts
    are drawn that are no plain ones, by key: image, audio, table, texts (two side by side), dialogue. `title` is what
    files call the kind where its slug says nothing; `media` are the origins that its images and sounds are loaded
    from, by directive of the content security policy. `unflagged`: what cannot be ticked beside an answer;
    `records`: columns of rows whose objects all have the same fields.
    """

    slug: str
    name: str
    shape: str
    source_name: str
    source_plural: str
    item_name: str
    item_plural: str
    labels: tuple[Label, ...]
    aliases: Mapping[str, str]
    texts: tuple[TextField, ...]
    slots: Callable[[ProjectSettings], tuple[Slot, ...]]
    content: Callable[[Source, SlotIn], dict[str, Any]]
    written: Callable[[Mapping[str, Any]], SlotIn]
    checks: tuple[str, ...]
    question: str
    export_row: Callable[[Mapping[str, Any]], dict[str, Any]]
    public_columns: PublicColumns = nothing
    fields: Callable[[ProjectSettings], tuple[FormField, ...]] = _no_fields
    groups: tuple[FieldGroup, ...] = ()
    joined: tuple[str, ...] = ()
    author_label: Callable[[Slot, SlotIn], str] = _of_slot
    error_types: tuple[tuple[str, str], ...] = field(default=())
    spellings: Mapping[str, str] = field(default_factory=dict)
    own_options: bool = False
    shuffled: bool = False
    marks: tuple[str, ...] = ()
    id_column: str = "id"
    columns_told: str = ""
    voted_roles: tuple[str, ...] = ()
    choices: tuple[Label, ...] = ()
    judged_role: str = ""
    accepts: str = ""
    answered: str = ""
    features: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    derive: Callable[[Mapping[str, Any]], dict[str, Any]] = _as_it_is
    numbered: Callable[[Mapping[str, Any], Iterable[Keyed], Keyed | None], str] | None = None
    family: Callable[[str], str] = _no_family
    agrees: Callable[[str, Mapping[str, Any]], bool] = _any_content
    files: str = ""
    rooms: Mapping[str, str] = field(default_factory=dict)
    own_fields: Callable[[Source], tuple[FormField, ...]] | None = None
    own_texts: Callable[[Mapping[str, Any]], tuple[TextField, ...]] | None = None
    beside: Callable[[Mapping[str, Any], str], str] = _no_text
    translated: tuple[str, Callable[[Mapping[str, Any]], tuple[tuple[str, str], ...]]] | None = None
    from_source: Callable[[Mapping[str, str]], tuple[str, SlotIn]] | None = None
    judges: str = ""
    partial_input: PartialInput | None = None
    opaque_ids: bool = False
    questions: tuple[Question, ...] = ()
    widgets: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    media: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unflagged: tuple[str, ...] = ()
    records: frozenset[str] = frozenset()

    @property
    def label_keys(self) -> tuple[str, ...]:
        return tuple(label.key for label in self.labels)

    @property
    def file_form(self) -> str:
        """How files hold its items: the columns that imports read, the forms that dumps are written in."""
        return self.files or self.shape

    @property
    def judged_apart(self) -> bool:
        """Whether nobody votes on an item who took part in making or reviewing one of its family."""
        return "group_review" in self.features

    def label(self, key: str) -> Label | None:
        return next((label for label in self.labels if label.key == key), None)

    def labels_of(self, content: Mapping[str, Any]) -> tuple[Label, ...]:
        """The labels of one item; where it brings its own options, each named by the option's text."""
        return _own(self.labels, content) if self.own_options else self.labels

    def listed(self, content: Mapping[str, Any]) -> tuple[Label, ...]:
        """The options of one item, whether people choose among them or judge one of them."""
        return _own(self.labels if self.own_options else self.choices, content)

    def given(self, content: Mapping[str, Any]) -> str:
        """The key of the option that is judged; empty where people choose among labels."""
        judged = (str(o["key"]) for o in content.get("options", ()) if o.get("role") == self.judged_role)
        return next(judged, "") if self.judged_role else ""

    @property
    def row_labels(self) -> tuple[Label, ...]:
        """The labels that rows of a release carry: what to train or score on."""
        return self.choices or self.labels

    def ballot(self, content: Mapping[str, Any]) -> tuple[Label, ...]:
        """The labels of one item that a validator chooses among."""
        if not self.voted_roles:
            return self.labels_of(content)
        voted = {str(o["key"]) for o in content.get("options", ()) if o.get("role") in self.voted_roles}
        return tuple(label for label in self.labels_of(content) if label.key in voted)

    def posed(self, criteria: Sequence[str] = ()) -> tuple[Question, ...]:
        """What a card asks: the kind's questions, or a protocol's criteria; empty: a label and no more."""
        if self.questions or not criteria:
            return self.questions
        parts = (Question(name, name, labels=self.labels, own_options=self.own_options) for name in criteria)
        return (Question("criteria", self.question, "criteria", parts=tuple(parts)),)

    def asked(self, criteria: Sequence[str] = ()) -> tuple[Question, ...]:
        """What voters answer, each decided by itself."""
        return tuple(leaf for question in self.posed(criteria) for leaf in question.leaves())

    def on_card(self, content: Mapping[str, Any], order: Sequence[str] = ()) -> Shown:
        """What answer types read of one item; `order`: the keys of what is shuffled, as they are shown."""
        names = {text.key: text.name for text in self.texts_in(content)}
        own = {label.key: label for label in self.ballot(content)} if self.own_options else {}
        keys = [key for key in order if key in own] or list(own)
        options = tuple(
            replace(own[key], letter=place.letter) for key, place in zip(keys, self.labels, strict=False)
        )
        swapped = self.compared if order and tuple(order) == self.places[::-1] else ()
        return Shown({key: text_at(content, key) for key in names}, options, tuple(order), names, swapped)

    def in_order(self, content: Mapping[str, Any]) -> tuple[str, ...]:
        """The keys of what a card shows in an order of its own: an item's options, the sides of a preference."""
        keys = tuple(label.key for label in self.ballot(content))
        return (keys if self.own_options else self.places) if self.questions else keys

    @cached_property
    def answers_freely(self) -> bool:
        """Whether gold answers are of any sort: spans, words, sets of labels, or several at once."""
        deciding = [question for question in self.asked() if question.decides]
        return bool(deciding) and (len(deciding) > 1 or not type_of(deciding[0]).keyed)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """What the answer types of its questions shuffle."""
        return next((type_of(each).places for each in self.asked() if type_of(each).places), ())

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The keys of the texts that stand in an order of each person's own."""
        return next((each.texts for each in self.asked() if type_of(each).places), ())

    def label_in(self, content: Mapping[str, Any], key: str) -> Label | None:
        """A label as it stands in one item."""
        return next((label for label in self.labels_of(content) if label.key == key), None)

    def form_fields(self, settings: ProjectSettings, source: Source) -> tuple[FormField, ...]:
        """What a slot's form asks beside the main text, for one source."""
        return self.fields(settings) if self.own_fields is None else self.own_fields(source)

    def texts_in(self, content: Mapping[str, Any]) -> tuple[TextField, ...]:
        """The named texts of one item, without its options."""
        return self.texts if self.own_texts is None else self.own_texts(content)

    def texts_of(self, content: Mapping[str, Any]) -> tuple[TextField, ...]:
        """Every text of one item that can be corrected: the kind's, and the item's own options."""
        if not self.own_options:
            return self.texts_in(content)
        options = tuple(
            TextField(option_field(str(option["key"])), str(option["key"]))
            for option in content.get("options", ())
        )
        return (*self.texts, *options)

    def headline(self, content: Mapping[str, Any]) -> tuple[str, str]:
        """What a list shows of an item: its own text, and beside it what it was made from."""
        texts = self.texts_in(content)
        own = next((text.key for text in texts if text.shown and not text.shared), "")
        beside = next((text.key for text in texts if text.shared or not text.shown), "")
        return text_at(content, own), text_at(content, beside) or self.beside(content, own)

    def words_in(self, content: Mapping[str, Any]) -> int:
        """How many words a validator is shown (ruling 18)."""
        texts = [text_at(content, text.key) for text in self.texts_in(content) if text.shown]
        texts += [self.beside(content, text.key) for text in self.texts_in(content) if text.shown]
        options = [label.name for label in self.ballot(content)] if self.own_options else []
        return sum(map(word_count, (*texts, *options)))

    def spell(self, label: str) -> str:
        """A label as published files write it; `-` where there is none."""
        return self.spellings.get(label, label) or "-"

    def read_label(self, text: str) -> str | None:
        """A published spelling (`entailment`, `E`) to the key, or None where it is no label of this kind."""
        return self.aliases.get(text.strip().casefold())
