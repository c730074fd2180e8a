"""Text checks: their input, their findings, and how findings are shown (domain.md §4, screens.md)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, Generic, Literal, TypeVar

from annotation.kinds.texts import OPTION_PREFIX
from annotation.text.languages import Language, get
from annotation.text.normalise import key_form
from annotation.text.sentences import sentences
from annotation.text.tokens import WORD, words
from annotation.translation.rules.target_resources import TargetResources

Level = Literal["block", "warn"]
BLOCK: Level = "block"
WARN: Level = "warn"
WHOLE_SET = ""

_OUTER_MARKS = " \t\r\n.,;:!?…\"'“”‘’„«»()[]{}-–—*_~`。！？、，؟۔।"


Made = TypeVar("Made")


class cached_once(Generic[Made]):  # noqa: N801 - a decorator
    """`functools.cached_property` without its lock, which an import of many rows would wait on at each text."""

    def __init__(self, make: Callable[[Any], Made]) -> None:
        self._make, self._name, self.__doc__ = make, make.__name__, make.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Made:
        made = instance.__dict__[self._name] = self._make(instance)
        return made


@dataclass(frozen=True)
class Finding:
    """What a check found: in which slot (`WHOLE_SET` where it is about all of them), and how to say it.

    `message` is an English source string for gettext, to be filled with `params` after translation. Among them,
    `option` is the key of the choice that it is about, `field` the name of another field of the form.
    """

    check: str
    slot: str
    level: Level
    message: str
    params: Mapping[str, object]


def same_form(text: str) -> str:
    """Give the form under which two texts are copies: no case, outer marks, or differences in blanks."""
    return " ".join(key_form(text, casefold=True).strip(_OUTER_MARKS).split())


@dataclass
class SlotText:
    """One written text of a set; `one_sentence` is the writer's word that it is one.

    `more` are the further fields of the kind's form by name (`option-A`, `answer`, …), as typed.
    """

    key: str
    label: str
    text: str
    one_sentence: bool = False
    tags: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict)

    @cached_once
    def words(self) -> list[str]:
        """The text's words in lower case; none where there is nothing to read."""
        return words(self.text)

    @cached_once
    def comparison_form(self) -> str:
        """The form under which this text is compared with others."""
        return same_form(self.text)

    @property
    def options(self) -> Sequence[tuple[str, str]]:
        """The choices that stand in the form, as key and text; none in a kind without."""
        return [
            (name.removeprefix(OPTION_PREFIX), text)
            for name, text in self.more.items()
            if name.startswith(OPTION_PREFIX)
        ]

    @property
    def texts(self) -> Iterator[tuple[str, dict[str, object]]]:
        """The text and its choices, each with the params that say which of them it is."""
        yield self.text, {}
        for option, text in self.options:
            yield text, {"option": option}

    def choices(self, keys: Iterable[str]) -> list[tuple[str, str]]:
        """The choices that there have to be, as key and text; empty where nothing was typed."""
        return [(key, self.more.get(OPTION_PREFIX + key, "")) for key in keys]


@dataclass(frozen=True)
class FieldPair:
    """A field of a translation beside its source. `key` is its name in the form (`field-premise`).

    `contained_in` is the translated text that it has to be a span of; None where it has to be of none.
    """

    key: str
    role: str
    source: str
    text: str
    contained_in: str | None = None


@dataclass
class Source:
    """What checks ask of a source again and again: the form it is compared in, its words, those with content."""

    text: str
    language: str

    @cached_once
    def comparison_form(self) -> str:
        """The form under which this source is compared with texts."""
        return same_form(self.text)

    @cached_once
    def words(self) -> frozenset[str]:
        """Its words in lower case."""
        return frozenset(words(self.text))

    @cached_once
    def content_words(self) -> frozenset[str]:
        """Its words that are no stopwords."""
        return self.words - get(self.language).stopwords

    @cached_once
    def sentences(self) -> frozenset[str]:
        """The forms that its sentences are compared in: made only when a text is found inside the source."""
        return frozenset(same_form(each) for each in sentences(self.text, self.language))


@lru_cache(maxsize=256)
def read_source(text: str, language: str) -> Source:
    """Read a source once for all the texts that are written from it."""
    return Source(text, language)


@dataclass
class SetContext:
    """A set as it stands: its source, its slots, and what the project says about them.

    `word_counts` counts the project's words in lower case (an `Often`, where many sets are checked); `settings` are
    the project's (`ProjectSettings.to_dict()`); `answers` counts the labels of what this writer submitted before,
    empty where that is not known; `origin_fields` holds the fields of the item that this is a variation of, by name.
    `field_pairs` are the fields of a translation beside their sources, and `resources` is what is known of its target.
    """

    source: str
    slots: tuple[SlotText, ...]
    language: str
    settings: Mapping[str, object]
    per_label: int
    labels: tuple[str, ...]
    word_counts: Mapping[str, int]
    answers: Mapping[str, int] = field(default_factory=dict)
    origin_fields: Mapping[str, str] = field(default_factory=dict)
    field_pairs: tuple[FieldPair, ...] = ()
    resources: TargetResources | None = None

    @cached_once
    def filled_slots(self) -> list[SlotText]:
        """The slots that hold something to read."""
        return [slot for slot in self.slots if WORD.search(slot.text)]

    @property
    def slot(self) -> str:
        """The slot that a translation stands in; `WHOLE_SET` where there is none."""
        return self.slots[0].key if self.slots else WHOLE_SET

    @cached_once
    def filled_pairs(self) -> list[FieldPair]:
        """The translated fields that hold something to compare with their source."""
        return [pair for pair in self.field_pairs if key_form(pair.text)]

    @property
    def source_language(self) -> str:
        """The language that a translation starts from; empty where that is not known."""
        return self.resources.source_language if self.resources else ""

    @cached_once
    def parsed_source(self) -> Source:
        """The source as checks read it."""
        return read_source(self.source, self.language)

    @cached_once
    def word_lists(self) -> Language:
        """The word lists of the set's language."""
        return get(self.language)


FindingHit = tuple[str, str, Mapping[str, object]]
FieldHit = tuple[str, Mapping[str, object]]
Finder = Callable[[SetContext], Iterable[FindingHit]]


@dataclass(frozen=True)
class Check:
    """A rule for texts that people write. `find` yields slot, message and params for each place it objects to."""

    id: str
    level: Level
    title: str
    catches: str
    find: Finder = field(repr=False)

    def run(self, context: SetContext) -> list[Finding]:
        """Look through a set; never raises, whatever the texts hold."""
        return [Finding(self.id, slot, self.level, message, params) for slot, message, params in self.find(context)]


def check(level: Level, title: str) -> Callable[[Finder], Check]:
    """Make the function below a check: it is called by the function's name, and its docstring says what it catches."""
    return lambda find: Check(find.__name__, level, title, " ".join((find.__doc__ or "").split()), find)


def each_field(find: Callable[[SetContext, FieldPair], Iterable[FieldHit]]) -> Finder:
    """Look at each translated field that holds something, beside its source; its hits name the field."""

    @wraps(find)
    def whole(context: SetContext) -> Iterator[FindingHit]:
        for pair in context.filled_pairs:
            for message, params in find(context, pair):
                yield context.slot, message, {"field": pair.key, **params}

    return whole
