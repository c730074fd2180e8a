"""The rules of a release: a frozen value that says which items go where, chosen from a preset and changed at will."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from annotation.core.rules.fields import FieldError, Rule, Rules, rule
from annotation.kinds import Kind, Shape
from annotation.text.gettext import gettext_noop as _

TRAIN, DEV, TEST = "train", "dev", "test"
SPLITS = (TRAIN, DEV, TEST)
LEAVE_OUT, TAKE = "leave_out", "take"
# Where an item goes that is shared out like gold, and by what gold is: between dev and test, a tenth of each level to
# each of them, by the split of what an item was made from, or by the one that it was published in.
DEALT = "dealt"
BY_SHARE, TENTHS, SOURCE, PUBLISHED = "share", "tenths", "source", "published"
# What items of a release are kept together by, and drawn by.
WITH_SOURCE, DOCUMENT, WRITER, TEXT_KIND, NONE = "source", "document", "writer", "kind", "none"
# What `forms` says where none is wanted.
NO_FORMS = "none"
MOST_ITEMS = 100_000_000
LONGEST_TARGETS = 2000
_TASK = re.compile(r"[A-Za-z0-9-]{0,40}\Z")
# How the files of a release are laid out: one a split, or one a task and target with the same rows in each.
BY_SPLIT, ALIGNED = "splits", "aligned"


_BY_AUTHOR = {
    TRAIN: _("Train, with the author label"),
    LEAVE_OUT: _("Left out"),
    TEST: _("Test, with the author label"),
    DEALT: _("Shared out like gold, with the author label"),
}
# The same of kinds whose items have no label of their writer.
_WITHOUT_LABEL = {
    TRAIN: _("Train, without a label"),
    LEAVE_OUT: _("Left out"),
    TEST: _("Test, without a label"),
    DEALT: _("Shared out like gold, without a label"),
}
ITEMS = _("Which items are in it")
DRAW = _("How splits are drawn")
FILES = _("What the files hold")
TASKS = _("Derived tasks")


def _check_task_name(name: str) -> None:
    if not _TASK.match(name):
        raise FieldError("", _("must be letters, digits and hyphens, at most 40"))


# The rules that mean something for a layout, in the order in which pages, cards and manifests give them.
RULES_BY_LAYOUT: Mapping[str, tuple[str, ...]] = {
    BY_SPLIT: (
        *("seed", "not_sampled", "no_gold", "adjudicated", "deal", "dev_percent", "train_percent", "dev_size"),
        *("test_size", "together", "strict", "stratify", "comments", "forms", "hidden_test"),
    ),
    ALIGNED: (*("unreviewed", "complete_only", "targets", "open_qa", "sentences", "beside", "comments", "forms"),),
}
# Those that mean something only where a machine may have written items: the setting of kinds that says so.
MACHINE_RULES, RECIPE_SETTING = ("unchecked", "keep_sets"), "recipe"
# Ways to share gold out that only items of machines have what is needed for; rules without a meaning where gold goes
# another way than by share; and those that say where an item goes.
MACHINE_DEALS = (TENTHS, SOURCE)
_SHARE_RULES = ("strict", "stratify", "train_percent", "dev_size", "test_size", "together")
_GOES_RULES = ("not_sampled", "no_gold", "adjudicated")


def layout_of(shape: Shape) -> str:
    """How releases of kinds of this shape are laid out."""
    return ALIGNED if shape.is_aligned else BY_SPLIT


def rule_names(shape: Shape, settings: Collection[str] = ()) -> tuple[str, ...]:
    """The rules that mean something for kinds of this shape, with these settings."""
    return RULES_BY_LAYOUT[layout_of(shape)] + (MACHINE_RULES if RECIPE_SETTING in settings else ())


@dataclass(frozen=True, slots=True)
class SplitRules(Rules):
    """Which items go where; rules without a group are shown first. Raises `FieldError` where two "
    "contradict."""

    preset: str = "indonli-lay"
    # fmt: off
    seed: str = rule("", _("Seed"), _("What dev and test are drawn with. Empty: the project's seed."), DRAW,
        empty=_("that of the project"))
    not_sampled: str = rule(TRAIN, _("Items not drawn for validation"),
        _("Nobody voted on them; their label is the writer's, or the model's that wrote them."), ITEMS,
        choices=_BY_AUTHOR)
    no_gold: str = rule(TRAIN, _("Items validated without a gold label"),
        _("Their votes ended without agreement; their label is the writer's."), ITEMS, choices=_BY_AUTHOR)
    adjudicated: str = rule(TRAIN, _("Items that a QC lead settled"),
        _("They never count as gold by votes, wherever they go."), ITEMS,
        choices={TRAIN: _("Train"), DEV: _("Dev"), TEST: _("Test"), DEALT: _("Shared out like gold")})
    dev_percent: int = rule(50, _("Share of gold for dev, in %"),
        _("Test gets the rest. Items that were made from one source stay together."), le=100)
    strict: bool = rule(False, _("Leave train items out that would have to stay with dev or test"),
        _("They are counted as left out with that reason, never moved."))
    stratify: str = rule(NONE, _("Dev and test are drawn"),
        _("Proportional quotas by gold label, as far as what is kept together allows."), DRAW,
        choices={NONE: _("By number only"), "label": _("Each gold label in proportion"),
            TEXT_KIND: _("Each kind of text (genre, class, category) in proportion"),
            WRITER: _("Each writer in proportion")})
    comments: bool = rule(False, _("Include validators’ comments"),
        _("Free text may name people: read it before you publish it."), FILES)
    unreviewed: str = rule(TAKE, _("Translations not drawn for review"),
        _("They are handed in, and no check found anything that a person has to see."),
        choices={TAKE: _("In the release"), LEAVE_OUT: _("Left out")})
    complete_only: bool = rule(False, _("Only rows that every target has"),
        _("A row that one target lacks is then in no target’s file."))
    targets: str = rule("", _("Targets"), _("Their short names, with blanks between them. Empty: every target."),
        max_length=LONGEST_TARGETS, empty=_("every target"))
    open_qa: str = rule("open-qa", _("Name of the derived task: open-domain question answering"),
        _("Made of reading comprehension without its passages, less what cannot be answered without them. Empty: not "
          "made."), TASKS, reads=_check_task_name, empty=_("not made"))
    sentences: str = rule("translation", _("Name of the derived task: translation"),
        _("Made of premises, each once, from the target into the source. Empty: not made."), TASKS,
        reads=_check_task_name, empty=_("not made"))
    beside: bool = rule(False, _("Write the source’s texts into every row"),
        _("As they were when the row was translated. Ids are the same in every file anyway."), FILES)
    unchecked: str = rule(LEAVE_OUT, _("Items that wait for a lead’s check"),
        _("Nobody looked at them yet: their answer keys are called silver."), ITEMS,
        choices={LEAVE_OUT: _("Left out"), TAKE: _("Like items that were not drawn")})
    deal: str = rule(BY_SHARE, _("Gold is shared out"),
        _("Levels say whether the model could answer its own question: easy or hard. Tenths are rounded down, and "
          "drawn with the seed."), DRAW,
        choices={BY_SHARE: _("Between dev and test, by share"),
            TENTHS: _("A tenth of each level to dev, a tenth to test, the rest to train"),
            SOURCE: _("By the split of what each was made from"),
            PUBLISHED: _("By the split that its file names (data_split)")})
    keep_sets: bool = rule(False, _("Keep the questions of a set together"),
        _("Three questions about one set are in one split. Dev and test are then as near a tenth of each level as "
          "whole sets allow, and never above it."), DRAW)
    forms: str = rule("", _("Further forms"), _("Written beside the JSON Lines, which are always there."), FILES,
        max_length=LONGEST_TARGETS, empty=_("all of them"))
    train_percent: int = rule(0, _("Share of gold for train, in %"), _("Test gets what dev and train leave."), le=100)
    dev_size: int = rule(0, _("Number of items for dev"),
        _("Instead of shares: never more than this, as near as whole groups allow. 0 for dev and test: by share."),
        DRAW, le=MOST_ITEMS)
    test_size: int = rule(0, _("Number of items for test"), _("What dev and test leave of gold goes to train."), DRAW,
        le=MOST_ITEMS)
    together: str = rule(WITH_SOURCE, _("Items stay in one split by"),
        _("Always by what they were made from; with more, that is then in no two of dev, test and the gold of "
          "train."), DRAW,
        choices={WITH_SOURCE: _("What they were made from"), DOCUMENT: _("Their document or category"),
            WRITER: _("Their writer")})
    hidden_test: bool = rule(False, _("Hide the answers of test"),
        _("Its rows then tell no label and no vote. Whole rows and votes are in files that only administrators can "
          "take."))
    # fmt: on

    def __post_init__(self) -> None:
        for name in ("no_gold", "not_sampled"):
            if getattr(self, name) == TEST and self.adjudicated == DEV:
                # The same text would have to be in both.
                raise FieldError(name, _("cannot go to test where items that a lead settled go to dev"))
        if self.deal != BY_SHARE:
            usual = {each.name: each.default for each in fields(self)}
            for name in _SHARE_RULES:
                if getattr(self, name) != usual[name]:
                    raise FieldError(name, _("has a meaning only where dev and test share gold"))
        if self.dev_percent + self.train_percent > 100:
            raise FieldError("train_percent", _("leaves, with dev, less than nothing for test"))
        if self.train_percent and (self.dev_size or self.test_size):
            raise FieldError("train_percent", _("means nothing where dev and test have numbers"))

    def changed(self, values: Mapping[str, Any]) -> "SplitRules":
        """The rules with some changed, and with what these imply for the others. Raises FieldError."""
        return Rules.changed(self, {**implied_rules(self, values), **values})

    def chosen(self, names: Collection[str]) -> dict[str, Any]:
        """The preset and those rules that mean something here (`rule_names`), as card and manifest give them."""
        return {name: getattr(self, name) for name in ("preset", *names)}


PRESETS: Mapping[str, SplitRules] = {
    # IndoNLI §3.3, lay: what was not validated, or not agreed on, to train; gold halved into dev and test. A train pair
    # whose premise is in dev or test is left out (domain.md §10, ruling 23).
    "indonli-lay": SplitRules(strict=True),
    # IndoNLI §3.3, expert: a test set only.
    "indonli-expert": SplitRules(preset="indonli-expert", not_sampled=LEAVE_OUT, no_gold=LEAVE_OUT, dev_percent=0),
    # A team's own task: a test set where its items come ready; where people write them, the rest for training.
    "task": SplitRules(preset="task", not_sampled=LEAVE_OUT, no_gold=LEAVE_OUT, dev_percent=0),
    "task-written": SplitRules(preset="task-written", strict=True),
    # id-csqa §4.2: a test set of all that was kept, with everybody's reasons.
    "idcsqa": SplitRules(
        preset="idcsqa", not_sampled=LEAVE_OUT, no_gold=TEST, adjudicated=TEST, dev_percent=0, comments=True
    ),
    # LoraxBench §3.3–3.5: one aligned set, with the splits of its sources, and two tasks derived from others.
    "loraxbench": SplitRules(preset="loraxbench"),
    # Kalahi §3.2: a test set of all that was kept; a prompt below two of three stays, with its share.
    "kalahi": SplitRules(preset="kalahi", not_sampled=LEAVE_OUT, no_gold=TEST, adjudicated=TEST, dev_percent=0),
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
    # Whatever was published in splits keeps them.
    "published": SplitRules(preset="published", not_sampled=DEALT, no_gold=DEALT, adjudicated=DEALT, deal=PUBLISHED),
}

_ALIGNED_PRESETS = ("loraxbench",)
OWN_TASKS = ("task", "task-written")


def implied_rules(rules: SplitRules, changes: Mapping[str, Any]) -> dict[str, Any]:
    """What another way to share gold out means for rules that `changes` do not name: those without a meaning then are
    as usual, and by published splits whatever is kept goes the same way."""
    deal = str(changes.get("deal", rules.deal)).strip()
    if deal == rules.deal or deal == BY_SHARE:
        return {}
    usual = {each.name: each.default for each in fields(rules)}
    implied = {name: usual[name] for name in (*_SHARE_RULES, "dev_percent")}
    if deal == PUBLISHED:
        implied |= {name: DEALT for name in _GOES_RULES if getattr(rules, name) != LEAVE_OUT}
    return {name: value for name, value in implied.items() if name not in changes}


def check_rules_apply(rules: SplitRules, shape: Shape, settings: Collection[str]) -> None:
    """Refuse every rule that would be dropped for kinds of this shape with these settings. Raises FieldError."""
    usual, known = SplitRules(), rule_names(shape, settings)
    for name in SplitRules.declared():
        if name not in known and getattr(rules, name) != getattr(usual, name):
            raise FieldError(name, _("has no meaning for this task type: leave it out"))
    if rules.deal in MACHINE_DEALS and RECIPE_SETTING not in settings:
        reason = _("cannot be “%(deal)s” for this task type: choose share or published")
        raise FieldError("deal", reason, deal=rules.deal)
    if rules.keep_sets and rules.deal != TENTHS:
        raise FieldError("keep_sets", _("has a meaning only with deal=tenths"))
    if rules.deal != BY_SHARE and rules.dev_percent != usual.dev_percent:
        raise FieldError("dev_percent", _("has a meaning only where dev and test share gold"))
    if rules.deal in (SOURCE, PUBLISHED) and rules.seed:
        raise FieldError("seed", _("has a meaning only where splits are drawn"))
    for name in _GOES_RULES if rules.deal == PUBLISHED else ():
        if getattr(rules, name) not in (LEAVE_OUT, DEALT):
            raise FieldError(name, _("must be “dealt” (shared out like gold) or “leave_out” with published splits"))


def preset(name: str) -> SplitRules:
    """The rules of that name. Raises `FieldError`."""
    if name not in PRESETS:
        raise FieldError("preset", _("must be one of %(choices)s"), choices=", ".join(PRESETS))
    return PRESETS[name]


def presets_for_layout(layout: str) -> tuple[str, ...]:
    """The presets for releases of this layout; the first is taken where a project names none of them."""
    return tuple(name for name in PRESETS if (name in _ALIGNED_PRESETS) is (layout == ALIGNED))


def presets_for_kind(shape: Shape, settings: Collection[str]) -> tuple[str, ...]:
    """The presets for releases of kinds of this shape with these settings: those whose rules all apply."""

    def applies(name: str) -> bool:
        try:
            check_rules_apply(PRESETS[name], shape, settings)
        except FieldError:
            return False
        return True

    return tuple(filter(applies, presets_for_layout(layout_of(shape))))


def rule_of(name: str, declared: Rule, kind: Kind) -> Rule:
    """A rule as a form of this kind's project has it: what its items lack is not spoken of."""
    if name in ("not_sampled", "no_gold") and not kind.has_author_labels:
        why = _("Nobody voted on them.") if name == "not_sampled" else _("Their votes ended without agreement.")
        return replace(declared, help=why, choices=_WITHOUT_LABEL)
    if name in ("stratify", "together") and not kind.has_writers:
        return replace(declared, choices={key: words for key, words in declared.choices.items() if key != WRITER})
    return declared


def presets_of_project(own: str, kind: Kind) -> tuple[str, ...]:
    """The presets that apply to a project of this preset: those of papers, or those of own tasks where it is one."""
    found = presets_for_kind(kind.shape, kind.settings)
    return tuple(name for name in found if name == PUBLISHED or (name in OWN_TASKS) is (own == "task"))


def default_rules(layout: str, named: str) -> SplitRules:
    """The rules that a project begins with: those that it names, or the first of its layout."""
    fits = presets_for_layout(layout)
    return PRESETS[named if named in fits else fits[0]]
