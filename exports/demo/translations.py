"""The demo's fourth project: a small English set of our own in two registers of Indonesian.

English and Indonesian are the languages that its writers are sure of; nothing in it depends on them. The people are
those of the first project. All by the ordinary actions, in the order of LoraxBench §3.4: a source set of each of three
shapes, cleaned and frozen, translated, reviewed by others. Some texts wait for a translator, some for a reviewer, one
was sent back, one corrected, and what is done is paid.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from annotation import presets
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.content.models.units import SourceSet
from annotation.core.models.project import Project, Target
from annotation.core.rules.draws import draw
from annotation.kinds import SlotIn, field_name
from annotation.pay.models import Action, Unit
from annotation.presets import guideline_text
from annotation.translation.actions.clean_up import (
    StepIn,
    row_remove,
    row_unanswerable,
    texts_change,
)
from annotation.translation.actions.source_sets import SetIn, source_set_create, source_set_freeze
from annotation.translation.actions.targets import target_create, target_members_set
from annotation.translation.models import SourceEntry
from annotation.translation.rules.source_units import Row
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import draft_save, set_submit
from exports.demo.story import Demo, add_project, decide_all, rows, set_rates, texts, user_of, vote
from validation.voting.actions.ballots import Ballot

SLUG, SEED = "demo-terjemah", "demo-terjemah-2026"
TRANSLATORS, REVIEWERS = range(4), range(4, 12)
SETS = (
    ("nli", "Premises and hypotheses", "pair"),
    ("causal", "Causes and effects", "alternatives"),
    ("reading", "Short passages", "passage"),
)
# What stays to be done by whoever tries the demo, of each register.
LAST_UNIT = "reading:tree-1"
LEFT_UNTRANSLATED, LEFT_HALF_WRITTEN, LEFT_UNREVIEWED = 3, 1, 3
RecordedLine = Mapping[str, Any]


def people(first: Demo) -> Demo:
    """The same people: four translate, two into each register; eight review both."""
    demo = add_project(
        first,
        {"spacing": 0, "take_size": 5},
        lambda number: {"writer": number in TRANSLATORS, "validator": number in REVIEWERS},
        slug=SLUG,
        name="Demo: dua ragam bahasa Indonesia",
        preset="loraxbench",
        language="en",
        seed=SEED,
        # Its translators and reviewers speak the languages of the targets.
        guidelines={
            "writing": guideline_text(presets.get("loraxbench"), "id", "writing"),
            "validation": guideline_text(presets.get("loraxbench"), "id", "validation"),
        },
    )
    by = demo.administrator
    targets = {
        register: target_create(project=demo.project, language="id", register=register, by=by, **described)
        for register, described in texts("texts.json")["registers"].items()
    }
    for number, person in enumerate(demo.annotators):
        # The log-in that is shown translates into the casual register.
        own = [targets["santai" if number % 2 == 0 else "resmi"]]
        mine = own if number in TRANSLATORS else list(targets.values())
        target_members_set(annotator=person, targets=mine, by=by)
    return demo


def sources(demo: Demo) -> None:
    """Three source sets, cleaned by the lead, then frozen."""
    units = list(rows("translations.jsonl"))
    for key, name, shape in SETS:
        mine = [row for unit in units if unit["set"] == key for row in unit["rows"]]
        made = source_set_create(
            project=demo.project,
            given=SetIn(key, name, shape, key, {"from": "file", "file": "translations.jsonl"}),
            rows=[Row(row["id"], row["texts"], row["label"], row["split"], row.get("data", {})) for row in mine],
            by=demo.administrator,
        )
        for unit in units:
            if unit["set"] == key and "clean" in unit:
                clean(demo, made.source_set, unit)
        source_set_freeze(source_set=made.source_set, by=user_of(demo.lead))


def clean(demo: Demo, source_set: SourceSet, line: RecordedLine) -> None:
    """One step of the clean-up, as the file tells it."""
    step: RecordedLine = line["clean"]
    entry = SourceEntry.objects.select_related("unit").get(
        source_set=source_set, key=line["rows"][step.get("row", 0)]["id"]
    )
    given = StepIn(entry.pk, entry.unit.revision, user_of(demo.lead), step.get("reason", ""), step.get("words", ""))
    if step["what"] == "removed":
        row_remove(project=demo.project, unit_id=entry.unit_id, given=given)
    elif step["what"] == "unanswerable":
        row_unanswerable(project=demo.project, unit_id=entry.unit_id, given=given)
    else:
        texts = {step["field"]: step["text"]}
        texts_change(project=demo.project, unit_id=entry.unit_id, what=step["what"], texts=texts, given=given)


def translating(demo: Demo) -> None:
    """Most texts are handed in; of each register a few wait, one of them half written."""
    by_unit = {f"{unit['set']}:{unit['unit']}": unit for unit in rows("translations.jsonl")}
    for target in targets_by_name(demo):
        writers = [demo.annotators[n] for n in TRANSLATORS if n % 2 == (target.register == "resmi")]
        allocations_assign(target=target, writers=writers)
        allocations = Allocation.objects.select_related("unit", "writer").filter(target=target)
        # In drawn order, a passage with its questions last.
        ready = sorted(
            allocations, key=lambda each: (each.source.key == LAST_UNIT, draw(SEED, "turn", each.source.key))
        )
        for place, allocation in enumerate(ready):
            typed = translated_slots(by_unit[allocation.source.key], target.register)
            if place >= len(ready) - LEFT_HALF_WRITTEN:
                # Somebody stopped after the first field.
                half = SlotIn("", more=dict(list(typed.more.items())[:1]))
                writer, token = allocation.writer, allocation.token
                draft_save(writer=writer, token=token, slot="t", content=half, version=0)
            elif place < len(ready) - LEFT_UNTRANSLATED:
                set_submit(writer=allocation.writer, token=allocation.token, slots={"t": typed})


def targets_by_name(demo: Demo) -> list[Target]:
    """The two registers by name."""
    return sorted(demo.project.targets.select_related("project"), key=lambda target: target.register)


def translated_slots(line: RecordedLine, register: str) -> SlotIn:
    """A translation as its writer fills in the form; where a check speaks, some say why they are right."""
    more = {field_name(key): text for key, text in line[register].items()}
    return SlotIn("", more=more | dict(line.get("whys", {}).get(register, {})))


def reviewing(demo: Demo) -> None:
    """Reviewers go through what was handed in, but for the last of each register; slips are corrected or sent back."""
    decide_all()
    by_unit = {f"{unit['set']}:{unit['unit']}": unit for unit in rows("translations.jsonl")}

    def said(item: Item, _key: str, *, register: str) -> Ballot:
        unit = by_unit[item.translation.unit.key]
        return ballot(unit.get("review", {}).get(register))

    for target in targets_by_name(demo):
        waiting = Item.objects.filter(target=target, stage="voting").count()
        for n in range(waiting - LEFT_UNREVIEWED):
            person = demo.annotators[REVIEWERS[n % len(REVIEWERS)]]
            vote(demo, target, person, partial(said, register=target.register), least=12, spread=30)
        decide_all()


def ballot(row: RecordedLine | None) -> Ballot:
    """Approved, or what the file says of it: corrected in one field, or sent back with an error type and words."""
    if row is None:
        return Ballot("approve")
    if row["label"] == "correct":
        return Ballot("correct", proposals={field_name(row["field"]): row["text"]}, comment=row.get("words", ""))
    return Ballot("return", answers={"error": row["error"]}, comment=row["words"])


def make_project(passed: Demo) -> Project:
    """The whole story, to be told after that of the first project, whose people it takes."""
    demo = people(passed)
    # By source sentence, as in LoraxBench's Appendix C.
    set_rates(demo, (Action.WRITE, Unit.SENTENCE, "12000"), (Action.VOTE, Unit.SENTENCE, "4500"))
    sources(demo)
    translating(demo)
    reviewing(demo)
    return demo.project
