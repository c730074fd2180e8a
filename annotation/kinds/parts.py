"""The parts that a kind is composed of: source, authoring, question, presentation, export.

Each knows itself alone; what needs two of them is a method of the kind (annotation/kinds/base.py).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from annotation.answers import Label, Question, type_of
from annotation.core.rules.settings import ProjectSettings
from annotation.kinds.columns import PublicColumns, no_columns
from annotation.kinds.forms import FieldGroup, FormField, Keyed, Slot, SlotIn, Source, TextField
from annotation.kinds.texts import text_at
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import match_label


def _one_slot(settings: ProjectSettings) -> tuple[Slot, ...]:
    return (Slot("item", "", gettext_noop("Item")),)


def _no_fields(settings: ProjectSettings) -> tuple[FormField, ...]:
    return ()


def _as_it_is(content: Mapping[str, Any]) -> dict[str, Any]:
    return dict(content)


def _label_of_slot(slot: Slot, written: SlotIn) -> str:
    return slot.label


def _no_family(key: str) -> str:
    return ""


def _no_text(content: Mapping[str, Any], key: str) -> str:
    return ""


def _any_content(key: str, content: Mapping[str, Any]) -> bool:
    return True


def _own_labels(labels: Sequence[Label], content: Mapping[str, Any]) -> tuple[Label, ...]:
    texts = {str(option["key"]): str(option["text"]) for option in content.get("options", ())}
    return tuple(replace(label, name=texts[label.key], is_item_option=True) for label in labels if label.key in texts)


@dataclass(frozen=True)
class SourcePart:
    """What writers start from, and which rows of source sets the kind judges.

    `name`, `plural`: what people call it. `judged_row_shape`: the shape of rows
    (annotation/translation/rules/source_units.py) whose labels are the kind's; `read_source_row` reads the texts of
    such a row as a source's text and what stands in a slot. `skip_reasons`: reasons to skip one that read otherwise
    than elsewhere, by code (annotation/core/messages.py).
    """

    name: str
    plural: str
    skip_reasons: Mapping[str, str] = field(default_factory=dict)
    judged_row_shape: str = ""
    read_source_row: Callable[[Mapping[str, str]], tuple[str, SlotIn]] | None = None


@dataclass(frozen=True)
class Authoring:
    """What writers hand in.

    `content_from_slot` is what revisions keep of what stands in a slot, `slot_from_content` the form's fields of a
    content: each gives back what the other took. `slots` are a writer's set; `fields` what a slot asks beside the main
    text (`fields_by_source`: where that differs by source), `groups` what fields are listed under, `joined_fields` the
    fields that make the derived text, in its order ("": the main text). `derive` makes derived texts anew. `checks`
    run over what was written (annotation/text/checks), `error_types` are what a lead returns an item for. `make_key`
    makes a key from a content, all keys that are taken and the item it varies, or raises KeyRefused; None: keys come
    from the source. `family_of_key` reads from a key what items share, `key_fits_content` whether a content fits a key.
    """

    content_from_slot: Callable[[Source, SlotIn], dict[str, Any]]
    slot_from_content: Callable[[Mapping[str, Any]], SlotIn]
    slots: Callable[[ProjectSettings], tuple[Slot, ...]] = _one_slot
    fields: Callable[[ProjectSettings], tuple[FormField, ...]] = _no_fields
    fields_by_source: Callable[[Source], tuple[FormField, ...]] | None = None
    groups: tuple[FieldGroup, ...] = ()
    joined_fields: tuple[str, ...] = ()
    derive: Callable[[Mapping[str, Any]], dict[str, Any]] = _as_it_is
    author_label: Callable[[Slot, SlotIn], str] = _label_of_slot
    checks: tuple[str, ...] = ()
    error_types: tuple[tuple[str, str], ...] = ()
    make_key: Callable[[Mapping[str, Any], Iterable[Keyed], Keyed | None], str] | None = None
    family_of_key: Callable[[str], str] = _no_family
    key_fits_content: Callable[[str, Mapping[str, Any]], bool] = _any_content

    def form_fields(self, settings: ProjectSettings, source: Source) -> tuple[FormField, ...]:
        """What a slot's form asks beside the main text, for one source."""
        return self.fields(settings) if self.fields_by_source is None else self.fields_by_source(source)


@dataclass(frozen=True)
class QuestionPart:
    """What voters are asked.

    `text` with one of `labels` as answer, or `questions` of answer types (annotation/answers). `aliases` are the
    spellings of labels that files may have. `own_options`: an item brings options of its own, of which those of
    `voted_roles` are shown; where one option is judged, that of `judged_role`, `choices` are the options' labels.
    `ambiguity_marks` can be marked ambiguous, `hidden_marks` cannot be ticked beside an answer. `accepting_label` is
    the label that keeps an item, `evaluation_kind` the kind as which an evaluation has it answered.
    """

    text: str
    labels: tuple[Label, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    own_options: bool = False
    voted_roles: tuple[str, ...] = ()
    choices: tuple[Label, ...] = ()
    judged_role: str = ""
    ambiguity_marks: tuple[str, ...] = ()
    hidden_marks: tuple[str, ...] = ()
    accepting_label: str = ""
    evaluation_kind: str = ""

    @property
    def key_tells_role(self) -> bool:
        """Whether an option's key says what role it has, and so which is best: keys are then no baseline."""
        return bool(self.voted_roles)

    @cached_property
    def label_keys(self) -> tuple[str, ...]:
        return tuple(label.key for label in self.labels)

    def label(self, key: str) -> Label | None:
        return next((label for label in self.labels if label.key == key), None)

    def item_label(self, content: Mapping[str, Any], key: str) -> Label | None:
        """A label as it stands in one item."""
        return next((label for label in self.item_labels(content) if label.key == key), None)

    def item_labels(self, content: Mapping[str, Any]) -> tuple[Label, ...]:
        """The labels of one item; where it brings its own options, each named by the option's text."""
        return _own_labels(self.labels, content) if self.own_options else self.labels

    def option_labels(self, content: Mapping[str, Any]) -> tuple[Label, ...]:
        """The options of one item, whether people choose among them or judge one of them."""
        return _own_labels(self.labels if self.own_options else self.choices, content)

    def judged_option(self, content: Mapping[str, Any]) -> str:
        """The key of the option that is judged; empty where people choose among labels."""
        judged = (str(o["key"]) for o in content.get("options", ()) if o.get("role") == self.judged_role)
        return next(judged, "") if self.judged_role else ""

    @property
    def release_labels(self) -> tuple[Label, ...]:
        """The labels that rows of a release carry: what to train or score on; none where answers are of any sort."""
        return () if self.has_free_answers else self.choices or self.labels

    def votable_labels(self, content: Mapping[str, Any]) -> tuple[Label, ...]:
        """The labels of one item that a validator chooses among."""
        if not self.voted_roles:
            return self.item_labels(content)
        voted = {str(o["key"]) for o in content.get("options", ()) if o.get("role") in self.voted_roles}
        return tuple(label for label in self.item_labels(content) if label.key in voted)

    def card_questions(self, criteria: Sequence[str] = ()) -> tuple[Question, ...]:
        """What a card asks: the kind's questions, or a protocol's criteria; empty: a label and no more."""
        if self.questions or not criteria:
            return self.questions
        parts = (Question(name, name, labels=self.labels, own_options=self.own_options) for name in criteria)
        return (Question("criteria", self.text, "criteria", parts=tuple(parts)),)

    def leaf_questions(self, criteria: Sequence[str] = ()) -> tuple[Question, ...]:
        """What voters answer, each decided by itself."""
        return tuple(leaf for question in self.card_questions(criteria) for leaf in question.leaf_questions())

    def shuffled_keys(self, content: Mapping[str, Any]) -> tuple[str, ...]:
        """The keys of what a card shows in an order of its own: an item's options, the sides of a preference."""
        keys = tuple(label.key for label in self.votable_labels(content))
        return (keys if self.own_options else self.shuffled_sides) if self.questions else keys

    @cached_property
    def has_free_answers(self) -> bool:
        """Whether gold answers are of any sort: spans, words, sets of labels, or several at once."""
        deciding = [question for question in self.leaf_questions() if question.needs_gold]
        return bool(deciding) and (len(deciding) > 1 or not type_of(deciding[0]).is_single_key)

    @cached_property
    def shuffled_sides(self) -> tuple[str, ...]:
        """What the answer types of its questions shuffle."""
        return next(
            (type_of(each).shuffled_sides for each in self.leaf_questions() if type_of(each).shuffled_sides),
            (),
        )

    @cached_property
    def compared_texts(self) -> tuple[tuple[str, ...], ...]:
        """The keys of the texts that stand in an order of each person's own, pair by pair; all pairs in the same."""
        return tuple(dict.fromkeys(each.texts for each in self.leaf_questions() if type_of(each).shuffled_sides))

    def read_label(self, text: str) -> str | None:
        """A published spelling (`entailment`, `E`) to the key, or None where it is no label of this kind."""
        # Most labels of a file are written in a form that is known.
        return self.aliases.get(text) or match_label(text, self.aliases)


@dataclass(frozen=True)
class Presentation:
    """What is shown of an item.

    `texts` are its named texts (`item_texts`: where they differ from item to item), `source_text` the source text that
    one of them is judged by. `is_shuffled`: each person sees the options, or the sides of a preference, in another
    order. `item_name`, `item_plural`: what people call an item; `activity_names`: what they call writing and voting.
    `widgets` says how texts are drawn that are no plain ones, by key: image, audio, table, texts (two side by side),
    dialogue; `media_origins` are the origins that images and sounds are loaded from, by directive of the content
    security policy.
    """

    texts: tuple[TextField, ...] = ()
    item_texts: Callable[[Mapping[str, Any]], tuple[TextField, ...]] | None = None
    source_text: Callable[[Mapping[str, Any], str], str] = _no_text
    is_shuffled: bool = False
    item_name: str = gettext_noop("item")
    item_plural: str = gettext_noop("items")
    activity_names: Mapping[str, str] = field(default_factory=dict)
    widgets: Mapping[str, str] = field(default_factory=dict)
    media_origins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def texts_in(self, content: Mapping[str, Any]) -> tuple[TextField, ...]:
        """The named texts of one item, without its options."""
        return self.texts if self.item_texts is None else self.item_texts(content)

    def headline(self, content: Mapping[str, Any]) -> tuple[str, str]:
        """What a list shows of an item: its own text, and beside it what it was made from."""
        texts = self.texts_in(content)
        own = next((text.key for text in texts if text.shown and not text.shared), "")
        beside = next((text.key for text in texts if text.shared or not text.shown), "")
        return text_at(content, own), text_at(content, beside) or self.source_text(content, own)


@dataclass(frozen=True)
class Export:
    """What files hold of an item.

    `build_row` turns a frozen row into the field's own columns, of which `public_columns` hide the answer and
    `id_column` holds the key; `author_answer` reads from them what the author answered, as votes are spelled (None:
    rows do not tell it; `-`: nobody answered); `column_help` explains them on the card, `records` are those whose
    objects all have the same fields. `spellings`: labels as published files write them. `opaque_ids`: keys tell
    labels, so releases give other ids. `title` is what files call the kind where its slug says nothing. `file_format`
    is how imports and dumps hold items, where that is not the shape's; `task` the task that models are evaluated with
    (exports/lm_eval/rules/tasks.py). `source_row` is the shape of the rows of source sets that items can become, with
    their texts by role.
    """

    build_row: Callable[[Mapping[str, Any]], dict[str, Any]]
    public_columns: PublicColumns = no_columns
    id_column: str = "id"
    author_answer: Callable[[Mapping[str, Any]], str | None] | None = None
    column_help: str = ""
    records: frozenset[str] = frozenset()
    spellings: Mapping[str, str] = field(default_factory=dict)
    opaque_ids: bool = False
    title: str = ""
    file_format: str = ""
    task: str = ""
    source_row: tuple[str, Callable[[Mapping[str, Any]], tuple[tuple[str, str], ...]]] | None = None

    def spell(self, label: str) -> str:
        """A label as published files write it; `-` where there is none."""
        return self.spellings.get(label, label) or "-"
