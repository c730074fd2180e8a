"""The rules of a release: a frozen value that says which items go where, chosen from a preset and changed at will."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from annotation.text.gettext import gettext_noop

TRAIN, DEV, TEST = "train", "dev", "test"
SPLITS = (TRAIN, DEV, TEST)
LEAVE_OUT, TAKE = "leave_out", "take"
# Where an item goes that is shared out like gold, and by what gold is: between dev and test, a tenth of each level to
# each of them, or by the split of what an item was made from.
DEALT = "dealt"
BY_SHARE, TENTHS, SOURCE = "share", "tenths", "source"
# What items of a release are kept together by, and drawn by.
WITH_SOURCE, DOCUMENT, WRITER, TEXT_KIND, NONE = "source", "document", "writer", "kind", "none"
# What `forms` says where none is wanted.
NO_FORMS = "none"
LONGEST_SEED = 80
MOST_ITEMS = 100_000_000
LONGEST_TARGETS = 2000
_TASK = re.compile(r"[A-Za-z0-9-]{0,40}\Z")
# How the files of a release are laid out: one a split, or one a task and target with the same rows in each.
BY_SPLIT, ALIGNED = "splits", "aligned"


_BY_AUTHOR = {
    TRAIN: gettext_noop("Train, with the author label"),
    LEAVE_OUT: gettext_noop("Left out"),
    TEST: gettext_noop("Test, with the author label"),
    DEALT: gettext_noop("Shared out like gold, with the author label"),
}
CHOICES: Mapping[str, Mapping[str, str]] = {
    "not_sampled": _BY_AUTHOR,
    "no_gold": _BY_AUTHOR,
    "adjudicated": {
        TRAIN: gettext_noop("Train"),
        DEV: gettext_noop("Dev"),
        TEST: gettext_noop("Test"),
        DEALT: gettext_noop("Shared out like gold"),
    },
    "unchecked": {
        LEAVE_OUT: gettext_noop("Left out"),
        TAKE: gettext_noop("Like items that were not drawn"),
    },
    "deal": {
        BY_SHARE: gettext_noop("Between dev and test, by share"),
        TENTHS: gettext_noop("A tenth of each level to dev, a tenth to test, the rest to train"),
        SOURCE: gettext_noop("By the split of what each was made from"),
    },
    "together": {
        WITH_SOURCE: gettext_noop("Their premise or concept"),
        DOCUMENT: gettext_noop("Their document or category"),
        WRITER: gettext_noop("Their writer"),
    },
    "stratify": {
        NONE: gettext_noop("By number only"),
        "label": gettext_noop("Each gold label in proportion"),
        TEXT_KIND: gettext_noop("Each kind of text (genre, class, category) in proportion"),
        WRITER: gettext_noop("Each writer in proportion"),
    },
    "unreviewed": {
        TAKE: gettext_noop("In the release"),
        LEAVE_OUT: gettext_noop("Left out"),
    },
}
RULE_NAMES: Mapping[str, str] = {
    "seed": gettext_noop("Seed"),
    "not_sampled": gettext_noop("Items not drawn for validation"),
    "no_gold": gettext_noop("Items validated without a gold label"),
    "adjudicated": gettext_noop("Items that a QC lead settled"),
    "dev_percent": gettext_noop("Share of gold for dev, in %"),
    "train_percent": gettext_noop("Share of gold for train, in %"),
    "dev_size": gettext_noop("Number of items for dev"),
    "test_size": gettext_noop("Number of items for test"),
    "together": gettext_noop("Items stay in one split by"),
    "strict": gettext_noop("Leave train items out that would have to stay with dev or test"),
    "stratify": gettext_noop("Dev and test are drawn"),
    "comments": gettext_noop("Include validators’ comments"),
    "forms": gettext_noop("Further forms"),
    "hidden_test": gettext_noop("Hide the answers of test"),
    "unchecked": gettext_noop("Items that wait for a lead’s check"),
    "deal": gettext_noop("Gold is shared out"),
    "keep_sets": gettext_noop("Keep the questions of a set together"),
    "unreviewed": gettext_noop("Translations not drawn for review"),
    "complete_only": gettext_noop("Only rows that every target has"),
    "targets": gettext_noop("Targets"),
    "open_qa": gettext_noop("Name of the derived task: open-domain question answering"),
    "sentences": gettext_noop("Name of the derived task: translation"),
    "beside": gettext_noop("Write the source’s texts into every row"),
}
RULE_HELP: Mapping[str, str] = {
    "seed": gettext_noop("What dev and test are drawn with. Empty: the project's seed."),
    "not_sampled": gettext_noop(
        "Nobody voted on them; their label is the writer's, or the model's that wrote them."
    ),
    "no_gold": gettext_noop("Their votes ended without agreement; their label is the writer's."),
    "adjudicated": gettext_noop("They never count as gold by votes, wherever they go."),
    "dev_percent": gettext_noop("Test gets the rest. Items of one premise or concept stay together."),
    "train_percent": gettext_noop("Test gets what dev and train leave."),
    "dev_size": gettext_noop(
        "Instead of shares: never more than this, as near as whole groups allow. 0 for dev and test: by share."
    ),
    "test_size": gettext_noop("What dev and test leave of gold goes to train."),
    "together": gettext_noop(
        "Always by their premise or concept; and no document, or no writer, is then in two of dev, test and the gold "
        "of train."
    ),
    "strict": gettext_noop("They are counted as left out with that reason, never moved."),
    "stratify": gettext_noop("Proportional quotas by gold label, as far as what is kept together allows."),
    "comments": gettext_noop("Free text may name people: read it before you publish it."),
    "forms": gettext_noop("Written beside the JSON Lines, which are always there."),
    "hidden_test": gettext_noop(
        "Its rows then tell no label and no vote. Whole rows and votes are in files that only administrators can take."
    ),
    "unchecked": gettext_noop("Nobody looked at them yet: their answer keys are called silver."),
    "deal": gettext_noop(
        "Levels say whether the model could answer its own question: easy or hard. Tenths are rounded down, and drawn "
        "with the seed."
    ),
    "keep_sets": gettext_noop(
        "Three questions about one set are in one split. Dev and test are then as near a tenth of each level as whole "
        "sets allow, and never above it."
    ),
    "unreviewed": gettext_noop("They are handed in, and no check found anything that a person has to see."),
    "complete_only": gettext_noop("A row that one target lacks is then in no target’s file."),
    "targets": gettext_noop("Their short names, with blanks between them. Empty: every target."),
    "open_qa": gettext_noop(
        "Made of reading comprehension without its passages, less what cannot be answered without them. "
        "Empty: not made."
    ),
    "sentences": gettext_noop(
        "Made of premises, each once, from the target into the source. Empty: not made."
    ),
    "beside": gettext_noop(
        "As they were when the row was translated. Ids are the same in every file anyway."
    ),
}
# The rules that mean something for a layout, in the order in which pages, cards and manifests give them.
RULES_OF: Mapping[str, tuple[str, ...]] = {
    BY_SPLIT: (
        "seed",
        "not_sampled",
        "no_gold",
        "adjudicated",
        "dev_percent",
        "train_percent",
        "dev_size",
        "test_size",
        "together",
        "strict",
        "stratify",
        "comments",
        "forms",
        "hidden_test",
    ),
    ALIGNED: (
        "unreviewed",
        "complete_only",
        "targets",
        "open_qa",
        "sentences",
        "beside",
        "comments",
        "forms",
    ),
}
# Those that mean something only where a machine may have written items: the setting of kinds that says so.
MACHINE_RULES, BY_MACHINE = ("unchecked", "deal", "keep_sets"), "recipe"


def layout_of(shape: str) -> str:
    """How releases of kinds of this shape are laid out."""
    return ALIGNED if shape == "units" else BY_SPLIT


def rule_names(shape: str, settings: Collection[str] = ()) -> tuple[str, ...]:
    """The rules that mean something for kinds of this shape, with these settings."""
    return RULES_OF[layout_of(shape)] + (MACHINE_RULES if BY_MACHINE in settings else ())


class RulesError(ValueError):
    """Rules that cannot be: the field at fault, the reason (English, translatable) and its parameters."""

    def __init__(self, field: str, reason: str, **params: object) -> None:
        self.field, self.reason, self.params = field, reason, params
        super().__init__(f"{field}: {reason % params}")


@dataclass(frozen=True, slots=True)
class SplitRules:
    """Which items go where; the fields' words stand in `RULE_HELP`. Raises `RulesError`."""

    preset: str = "indonli-lay"
    seed: str = ""
    not_sampled: str = TRAIN
    no_gold: str = TRAIN
    adjudicated: str = TRAIN
    dev_percent: int = 50
    strict: bool = False
    stratify: str = "none"
    comments: bool = False
    unreviewed: str = TAKE
    complete_only: bool = False
    targets: str = ""
    open_qa: str = "open-qa"
    sentences: str = "translation"
    beside: bool = False
    unchecked: str = LEAVE_OUT
    deal: str = BY_SHARE
    keep_sets: bool = False
    forms: str = ""
    train_percent: int = 0
    dev_size: int = 0
    test_size: int = 0
    together: str = WITH_SOURCE
    hidden_test: bool = False

    def __post_init__(self) -> None:
        for name, default in _DEFAULTS.items():
            value = getattr(self, name)
            if type(value) is not type(default):
                raise RulesError(name, gettext_noop("must be %(type)s"), type=_TYPE_NAMES[type(default)])
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise RulesError(
                    name,
                    gettext_noop("is “%(value)s”, and must be one of %(choices)s"),
                    value=getattr(self, name),
                    choices=", ".join(choices),
                )
        for name in ("no_gold", "not_sampled"):
            if getattr(self, name) == TEST and self.adjudicated == DEV:
                # The same text would have to be in both.
                reason = gettext_noop("cannot go to test where items that a lead settled go to dev")
                raise RulesError(name, reason)
        for name in ("strict", "stratify", "train_percent", "dev_size", "test_size", "together"):
            if self.deal != BY_SHARE and getattr(self, name) != _DEFAULTS[name]:
                reason = gettext_noop("has a meaning only where dev and test share gold")
                raise RulesError(name, reason)
        self._check_sizes()
        if len(self.seed) > LONGEST_SEED or "\0" in self.seed:
            raise RulesError("seed", gettext_noop("must have at most %(most)d characters"), most=LONGEST_SEED)
        for name in ("open_qa", "sentences"):
            if not _TASK.match(getattr(self, name)):
                raise RulesError(name, gettext_noop("must be letters, digits and hyphens, at most 40"))
        for name in ("targets", "forms"):
            if len(getattr(self, name)) > LONGEST_TARGETS or "\0" in getattr(self, name):
                raise RulesError(
                    name, gettext_noop("must have at most %(most)d characters"), most=LONGEST_TARGETS
                )

    def _check_sizes(self) -> None:
        for name in ("dev_percent", "train_percent"):
            if not 0 <= getattr(self, name) <= 100:
                raise RulesError(name, gettext_noop("must be from 0 to 100"))
        if self.dev_percent + self.train_percent > 100:
            raise RulesError("train_percent", gettext_noop("leaves, with dev, less than nothing for test"))
        for name in ("dev_size", "test_size"):
            if not 0 <= getattr(self, name) <= MOST_ITEMS:
                raise RulesError(name, gettext_noop("must be from 0 to %(most)d"), most=MOST_ITEMS)
        if self.train_percent and (self.dev_size or self.test_size):
            raise RulesError("train_percent", gettext_noop("means nothing where dev and test have numbers"))

    def to_dict(self) -> dict[str, Any]:
        """Give the rules as plain JSON values, every field."""
        return asdict(self)

    def told(self, names: Collection[str]) -> dict[str, Any]:
        """The preset and those rules that mean something here (`rule_names`), as card and manifest give them."""
        return {name: getattr(self, name) for name in ("preset", *names)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "SplitRules":
        """Read what `to_dict` gave; a field left out has its default. Raises `RulesError`."""
        for name in plain:
            if name not in _DEFAULTS:
                raise RulesError(str(name), gettext_noop("is no rule of a release"))
        return cls(**plain)

    @classmethod
    def stored(cls, plain: Mapping[str, Any]) -> "SplitRules":
        """Read the rules of a release that was frozen: one from before there were further forms has none of them."""
        return cls.from_dict({"forms": NO_FORMS, **plain})

    def changed(self, texts: Mapping[str, str]) -> "SplitRules":
        """The rules with some fields read from texts, as a form or `--set` gives them. Raises `RulesError`."""
        values: dict[str, Any] = {}
        for name, text in texts.items():
            if name not in _DEFAULTS or name == "preset":
                raise RulesError(name, gettext_noop("is no rule of a release"))
            values[name] = _READERS[type(_DEFAULTS[name])](name, text.strip())
        return replace(self, **values)


def _text(name: str, text: str) -> str:
    return text


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise RulesError(name, gettext_noop("must be a whole number"))
    return int(text)


def _yes(name: str, text: str) -> bool:
    answers = {"true": True, "yes": True, "on": True, "1": True}
    answers |= {"false": False, "no": False, "off": False, "0": False, "": False}
    if text.lower() not in answers:
        raise RulesError(name, gettext_noop("must be true or false"))
    return answers[text.lower()]


_READERS: Mapping[type, Callable[[str, str], Any]] = {str: _text, int: _number, bool: _yes}
_TYPE_NAMES: Mapping[type, str] = {str: "a text", int: "a whole number", bool: "true or false"}
_DEFAULTS: Mapping[str, Any] = {rule.name: rule.default for rule in fields(SplitRules)}

PRESETS: Mapping[str, SplitRules] = {
    # IndoNLI §3.3, lay: what was not validated, or not agreed on, to train; gold halved into dev and test. A train pair
    # whose premise is in dev or test is left out (domain.md §10, ruling 23).
    "indonli-lay": SplitRules(strict=True),
    # IndoNLI §3.3, expert: a test set only.
    "indonli-expert": SplitRules(
        preset="indonli-expert", not_sampled=LEAVE_OUT, no_gold=LEAVE_OUT, dev_percent=0
    ),
    # id-csqa §4.2: a test set of all that was kept, with everybody's reasons.
    "idcsqa": SplitRules(
        preset="idcsqa", not_sampled=LEAVE_OUT, no_gold=TEST, adjudicated=TEST, dev_percent=0, comments=True
    ),
    # LoraxBench §3.3–3.5: one aligned set, with the splits of its sources, and two tasks derived from others.
    "loraxbench": SplitRules(preset="loraxbench"),
    # Kalahi §3.2: a test set of all that was kept; a prompt below two of three stays, with its share.
    "kalahi": SplitRules(
        preset="kalahi", not_sampled=LEAVE_OUT, no_gold=TEST, adjudicated=TEST, dev_percent=0
    ),
    # mCSQA §3.4: what the model could answer, and what people kept of the rest, 8:1:1 level by level.
    "mcsqa": SplitRules(preset="mcsqa", not_sampled=DEALT, no_gold=LEAVE_OUT, adjudicated=DEALT, deal=TENTHS),
    # id-csqa §4.3: a test set of all that was kept, checked or not.
    "llm-gen": SplitRules(
        preset="llm-gen", not_sampled=TEST, no_gold=TEST, adjudicated=TEST, dev_percent=0, unchecked=TAKE
    ),
    # id-csqa §4.1: the splits of the questions that were adapted.
    "llm-adapt": SplitRules(
        preset="llm-adapt", not_sampled=DEALT, no_gold=DEALT, adjudicated=DEALT, unchecked=TAKE, deal=SOURCE
    ),
}

_ALIGNED_PRESETS = ("loraxbench",)


def preset(name: str) -> SplitRules:
    """The rules of that name. Raises `RulesError`."""
    if name not in PRESETS:
        raise RulesError(
            "preset",
            gettext_noop("is “%(value)s”, and must be one of %(choices)s"),
            value=name,
            choices=", ".join(PRESETS),
        )
    return PRESETS[name]


def fitting(layout: str) -> tuple[str, ...]:
    """The presets for releases of this layout; the first is taken where a project names none of them."""
    return tuple(name for name in PRESETS if (name in _ALIGNED_PRESETS) is (layout == ALIGNED))


def usual(layout: str, named: str) -> SplitRules:
    """The rules that a project begins with: those that it names, or the first of its layout."""
    fits = fitting(layout)
    return PRESETS[named if named in fits else fits[0]]
