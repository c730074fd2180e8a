"""The demo's second project: commonsense questions from the proposed concept to the first release.

The people are those of the first project, so the same log-ins work. All by the ordinary actions; who writes what
and who answers what is drawn from the seed.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.text import slugify

from annotation.concepts.actions import ConceptIn, concept_propose, concept_review, concepts_add
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules.draws import draw, fraction, order
from annotation.datasheet.actions import region_change
from annotation.kinds import SlotIn
from annotation.kinds.mcq import ANSWER, DISTRACTOR, KEYS
from annotation.pay.models import Action, Unit
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import draft_save, set_submit
from exports.demo.story import Demo, act_as_lead, add_project, decide_all, rows, set_rates, user_of, vote
from validation.consensus import stages
from validation.review.actions.decisions import approve as desk_approve
from validation.review.actions.decisions import return_item
from validation.review.actions.writers import resubmit
from validation.voting.actions.ballots import Ballot

SLUG, SEED = "demo-soal", "demo-soal-2026"
WRITERS = 6
REGIONS = ("Jawa Barat", "Jawa Timur", "Sumatera Barat", "Sulawesi Selatan")
DRAFTS, LEFT_UNCHECKED, APPROVED_LATE = 3, 6, 8
RETURNED, CORRECTED = 2, 1
CATEGORY_TARGET, PER_CATEGORY = 14, 5
Row = Mapping[str, Any]


def people(first: Demo) -> Demo:
    """The same people in a project of questions: six write, ten answer, four of them do both."""
    demo = add_project(
        first,
        {"category_target": CATEGORY_TARGET, "per_category": PER_CATEGORY},
        lambda number: {"writer": number < WRITERS, "validator": number > 1},
        slug=SLUG,
        name="Demo: soal budaya Indonesia",
        preset="idcsqa",
        seed=SEED,
    )
    for number, one in enumerate(demo.annotators, start=1):
        region = REGIONS[number % len(REGIONS)]
        region_change(project=demo.project, annotator_id=one.pk, region=region, by=user_of(one))
    return demo


def concepts(demo: Demo) -> None:
    """Five categories; the lead has read most concepts, returned one with words, and some wait. Then they are dealt."""
    target = demo.project.targets.get()
    given = list(rows("concepts.jsonl"))
    known = [row for row in given if "proposed_by" not in row]
    there = [ConceptIn(slugify(row["concept"]), row["category"], row["concept"]) for row in known]
    concepts_add(target=target, rows=there, by=demo.administrator)
    for row in (row for row in given if "proposed_by" in row):
        writer = demo.annotators[row["proposed_by"]]
        made = concept_propose(writer=writer, target=target, category=row["category"], text=row["concept"])
        if "words" in row:
            concept_review(
                project=demo.project,
                concept_id=made.pk,
                by=user_of(demo.lead),
                version=made.version,
                approve=False,
                words=row["words"],
            )
    allocations_assign(target=target, writers=demo.annotators[:WRITERS])


def slot_values(question: Row) -> SlotIn:
    """A question as its writer fills in the form."""
    choices = {f"option-{key}": question["options"][key] for key in KEYS}
    picks = {ANSWER: question[ANSWER], DISTRACTOR: question[DISTRACTOR]}
    return SlotIn(question["question"], more={**choices, **picks})


def writing(demo: Demo) -> dict[str, Row]:
    """Writers hand in most questions, three stay half written; gives what was handed in, by the item's key."""
    waiting: dict[str, list[Allocation]] = defaultdict(list)
    for allocation in Allocation.objects.select_related("concept", "writer").filter(project=demo.project):
        waiting[allocation.source.text].append(allocation)
    written: Counter[str] = Counter()
    questions = list(rows("questions.jsonl"))
    sound = [row["id"] for row in questions if not {"doubt", "faults"}.intersection(row)]
    drafts = set(order(SEED, "drafts", sound)[:DRAFTS])
    handed_in: dict[str, Row] = {}
    for row in questions:
        # Of a concept's two writers the one who has written less.
        there = waiting[row["concept"]]
        allocation = min(there, key=lambda one: (written[one.writer.pseudonym], one.writer.pseudonym))
        there.remove(allocation)
        writer, token = allocation.writer, allocation.token
        written[writer.pseudonym] += 1
        if row["id"] in drafts:
            choices = {f"option-{key}": row["options"][key] for key in KEYS[:2]}
            half = SlotIn(row["question"], more=choices)
            draft_save(writer=writer, token=token, slot="q", content=half, version=0)
        else:
            (item,) = set_submit(writer=writer, token=token, slots={"q": slot_values(row)})
            handed_in[item.key] = row
    return handed_in


def checking(demo: Demo, handed_in: Mapping[str, Row]) -> list[str]:
    """The lead checks before anybody answers. Some questions go back, one of them twice; the keys of what is approved
    later, and of what nobody has looked at yet, come back in this order."""
    faulty = [key for key, row in handed_in.items() if "faults" in row]
    # The writer whose log-in is shown should find something that came back.
    faulty.sort(key=lambda key: (not key.endswith(f"-{demo.annotators[0].pseudonym}-q"), key))
    for place, key in enumerate(faulty):
        faults = handed_in[key]["faults"]
        # Left with its writer, with the lead after a correction, or approved.
        left = stages.CORRECTED if place < RETURNED + CORRECTED else ""
        if place < RETURNED or len(faults) > 1:
            left = stages.RETURNED
        return_question(demo, key, faults, left=left)
    sound = order(SEED, "checked", [key for key in handed_in if "faults" not in handed_in[key]])
    doubtful = [key for key in sound if "doubt" in handed_in[key]]
    others = [key for key in sound if key not in doubtful]
    later = others[: APPROVED_LATE + LEFT_UNCHECKED]
    for key in doubtful + others[APPROVED_LATE + LEFT_UNCHECKED :]:
        approve(demo, key)
    return later


def return_question(demo: Demo, key: str, faults: Sequence[Row], *, left: str) -> None:
    """A question goes back with an error type and words, as often as it has faults, and is corrected in between."""
    for n, fault in enumerate(faults, start=1):
        item = Item.objects.get(project=demo.project, key=key)
        act_as_lead(demo, return_item, item, error_type=fault["error_type"], words=fault["feedback"])
        if n == len(faults) and left == stages.RETURNED:
            return
        item.refresh_from_db()
        writer, content = Annotator.objects.get(items=item), slot_values(fault["corrected"])
        resubmit(writer=writer, item_id=item.pk, version=item.version, content=content)
    if left != stages.CORRECTED:
        approve(demo, key)


def approve(demo: Demo, key: str) -> None:
    act_as_lead(demo, desk_approve, Item.objects.get(project=demo.project, key=key))


def answering(demo: Demo, handed_in: Mapping[str, Row], later: Sequence[str]) -> None:
    """First all that was approved is answered; then the lead approves a few more, of which some answers are in."""
    decide_all()
    answerers = [person for person in demo.annotators if person.is_validator]
    target = demo.project.targets.get()

    def answer(person: Annotator, many: int) -> int:
        def said(item: Item, key: str) -> Ballot:
            return ballot(handed_in[item.key], key)

        return vote(demo, target, person, said, many=many, least=9, spread=25)

    while sum([answer(person, 3) for person in answerers]):
        decide_all()
    for key in later[:APPROVED_LATE]:
        approve(demo, key)
    decide_all()
    for place, person in enumerate(answerers):
        answer(person, place % 4)
    decide_all()


def ballot(row: Row, key: str) -> Ballot:
    """Mostly the writer's answer, else mostly the distractor; what is doubtful divides people or is marked."""
    row = row["faults"][-1]["corrected"] | {"doubt": ""} if "faults" in row else row
    doubt = row.get("doubt", "")
    right = fraction(SEED, "right", key) < (0.45 if doubt else 0.93)
    others = [each for each in KEYS if each not in (row[ANSWER], row[DISTRACTOR])]
    tempted = fraction(SEED, "tempted", key) < 0.75
    wrong = row[DISTRACTOR] if tempted else others[draw(SEED, "wrong", key) % len(others)]
    marks: dict[str, str] = {}
    if doubt and fraction(SEED, doubt, key) < (0.95 if doubt == "ambiguous" else 0.2):
        which = fraction(SEED, "which", key) < 0.6
        marks = {"question": "ambiguous"} if which else {"options": row[ANSWER] + row[DISTRACTOR]}
    return Ballot(
        label=row[ANSWER] if right else wrong,
        unsure=fraction(SEED, "unsure", key) < (0.3 if doubt or not right else 0.02),
        ambiguous=bool(marks),
        comment=row["why"] if marks else "",
        answers=marks,
    )


def make_project(passed: Demo) -> Project:
    """The whole story, to be told after that of the first project, whose people it takes."""
    demo = people(passed)
    set_rates(
        demo,
        (Action.WRITE, Unit.ITEM, "6000"),
        (Action.CORRECT, Unit.ITEM, "1500"),
        (Action.VOTE, Unit.VOTE, "400"),
    )
    concepts(demo)
    handed_in = writing(demo)
    later = checking(demo, handed_in)
    answering(demo, handed_in, later)
    return demo.project
