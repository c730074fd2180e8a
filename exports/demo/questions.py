"""The demo's second project: commonsense questions from the proposed concept to the first release.

The people are those of the first project, so the same log-ins work. All by the ordinary actions; who writes what
and who answers what is drawn from the seed.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models.functions import Now
from django.utils.text import slugify

from annotation.concepts.actions import ConceptIn, concept_propose, concept_review, concepts_add
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.actions.members import annotator_add, region_change
from annotation.core.actions.projects import project_create
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules.draws import draw, fraction, order
from annotation.kinds import SlotIn
from annotation.kinds.mcq import ANSWER, DISTRACTOR, KEYS
from annotation.pay.actions import rate_set
from annotation.pay.models import Action, Unit
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import draft_save, set_submit
from exports.demo.story import Demo, decide_all, rows
from validation.consensus import stages
from validation.review.actions.decisions import approve as desk_approve
from validation.review.actions.decisions import return_
from validation.review.actions.writers import resubmit
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment

SLUG, SEED = "demo-soal", "demo-soal-2026"
WRITERS = 6
REGIONS = ("Jawa Barat", "Jawa Timur", "Sumatera Barat", "Sulawesi Selatan")
DRAFTS, UNCHECKED, LATE = 3, 6, 8
RETURNED, CORRECTED = 2, 1
CATEGORY_TARGET, PER_CATEGORY = 14, 5
Row = Mapping[str, Any]


def people(first: Demo) -> Demo:
    """The same people in a project of questions: six write, ten answer, four of them do both."""
    project = project_create(
        slug=SLUG,
        name="Demo: soal budaya Indonesia",
        preset="idcsqa",
        seed=SEED,
        by=first.administrator,
        settings={"offer_minutes": 0, "category_target": CATEGORY_TARGET, "per_category": PER_CATEGORY},
    )
    lead = annotator_add(project=project, user=_user(first.lead), lead=True, by=first.administrator)
    annotators = []
    for number, one in enumerate(first.annotators, start=1):
        place = annotator_add(
            project=project,
            user=_user(one),
            writer=number <= WRITERS,
            validator=number > 2,
            by=first.administrator,
        )
        region = REGIONS[number % len(REGIONS)]
        region_change(project=project, annotator_id=place.pk, region=region, by=_user(one))
        annotators.append(place)
    return Demo(project, first.administrator, lead, annotators)


def _user(place: Annotator) -> User:
    assert place.user is not None  # noqa: S101 - the demo's people all have accounts
    return place.user


def rates(demo: Demo) -> None:
    """What a question, its correction and an answer earn, in rupiah."""
    for action, unit, amount in (
        (Action.WRITE, Unit.ITEM, "6000"),
        (Action.CORRECT, Unit.ITEM, "1500"),
        (Action.VOTE, Unit.VOTE, "400"),
    ):
        rate_set(
            project=demo.project,
            action=action,
            unit=unit,
            amount=Decimal(amount),
            currency="IDR",
            by=demo.administrator,
        )


def concepts(demo: Demo) -> None:
    """Five categories; the lead has read most concepts, returned one with words, and some wait. Then they are dealt."""
    target = demo.project.targets.get()
    given = list(rows("concepts.jsonl"))
    concepts_add(
        target=target,
        rows=[
            ConceptIn(slugify(row["concept"]), row["category"], row["concept"])
            for row in given
            if "proposed_by" not in row
        ],
        by=demo.administrator,
    )
    for row in given:
        if "proposed_by" not in row:
            continue
        writer = demo.annotators[row["proposed_by"]]
        made = concept_propose(writer=writer, target=target, category=row["category"], text=row["concept"])
        if "words" in row:
            concept_review(
                project=demo.project,
                concept_id=made.pk,
                by=_user(demo.lead),
                version=made.version,
                approve=False,
                words=row["words"],
            )
    allocations_assign(target=target, writers=demo.annotators[:WRITERS])


def typed(question: Row) -> SlotIn:
    """A question as its writer fills in the form."""
    choices = {f"option-{key}": question["options"][key] for key in KEYS}
    picks = {ANSWER: question[ANSWER], DISTRACTOR: question[DISTRACTOR]}
    return SlotIn(question["question"], more={**choices, **picks})


def half(question: Row) -> SlotIn:
    """A question that somebody stopped writing after two choices."""
    choices = {f"option-{key}": question["options"][key] for key in KEYS[:2]}
    return SlotIn(question["question"], more=choices)


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
        allocation = min(waiting[row["concept"]], key=lambda each: _turn(each, written))
        waiting[row["concept"]].remove(allocation)
        written[allocation.writer.pseudonym] += 1
        if row["id"] in drafts:
            draft_save(
                writer=allocation.writer, token=allocation.token, slot="q", content=half(row), version=0
            )
        else:
            (item,) = set_submit(writer=allocation.writer, token=allocation.token, slots={"q": typed(row)})
            handed_in[item.key] = row
    return handed_in


def _turn(allocation: Allocation, written: Mapping[str, int]) -> tuple[int, str]:
    """Whose turn it is: of a concept's two writers the one who has written less."""
    return written.get(allocation.writer.pseudonym, 0), allocation.writer.pseudonym


def checking(demo: Demo, handed_in: Mapping[str, Row]) -> list[str]:
    """The lead checks before anybody answers. Some questions go back, one of them twice; the keys of what is approved
    later, and of what nobody has looked at yet, come back in this order."""
    faulty = [key for key, row in handed_in.items() if "faults" in row]
    # The writer whose log-in is shown should find something that came back.
    faulty.sort(key=lambda key: (not key.endswith(f"-{demo.annotators[0].pseudonym}-q"), key))
    for place, key in enumerate(faulty):
        returned(demo, key, handed_in[key]["faults"], left=_left(place, handed_in[key]["faults"]))
    sound = order(SEED, "checked", [key for key in handed_in if "faults" not in handed_in[key]])
    doubtful = [key for key in sound if "doubt" in handed_in[key]]
    others = [key for key in sound if key not in doubtful]
    later = others[: LATE + UNCHECKED]
    for key in doubtful + others[LATE + UNCHECKED :]:
        approve(demo, key)
    return later


def _left(place: int, faults: Sequence[Row]) -> str:
    """Where a faulty question is left: with its writer, with the lead after a correction, or approved."""
    if place < RETURNED or len(faults) > 1:
        return stages.RETURNED
    return stages.CORRECTED if place < RETURNED + CORRECTED else ""


def returned(demo: Demo, key: str, faults: Sequence[Row], *, left: str) -> None:
    """A question goes back with an error type and words, as often as it has faults, and is corrected in between."""
    for n, fault in enumerate(faults, start=1):
        item = Item.objects.get(project=demo.project, key=key)
        return_(
            lead=demo.lead,
            item_id=item.pk,
            version=item.version,
            error_type=fault["error_type"],
            words=fault["feedback"],
        )
        if n == len(faults) and left == stages.RETURNED:
            return
        item.refresh_from_db()
        resubmit(
            writer=Annotator.objects.get(items=item),
            item_id=item.pk,
            version=item.version,
            content=typed(fault["corrected"]),
        )
    if left != stages.CORRECTED:
        approve(demo, key)


def approve(demo: Demo, key: str) -> None:
    item = Item.objects.get(project=demo.project, key=key)
    desk_approve(lead=demo.lead, item_id=item.pk, version=item.version)


def answering(demo: Demo, handed_in: Mapping[str, Row], later: Sequence[str]) -> None:
    """First all that was approved is answered; then the lead approves a few more, of which some answers are in."""
    decide_all()
    answerers = [person for person in demo.annotators if person.is_validator]
    while sum([answer_some(demo, person, 3, handed_in) for person in answerers]):
        decide_all()
    for key in later[:LATE]:
        approve(demo, key)
    decide_all()
    for place, person in enumerate(answerers):
        answer_some(demo, person, place % 4, handed_in)
    decide_all()


def answer_some(demo: Demo, person: Annotator, many: int, handed_in: Mapping[str, Row]) -> int:
    """One person's sitting, through the same queue as on the page; how many they answered."""
    target = demo.project.targets.get()
    for done in range(many):
        assignment = assignment_claim(annotator=person, target=target, spacing=demo.project.rules.spacing)
        if assignment is None:
            return done
        item = Item.objects.get(pk=assignment.item_id)
        seconds = 9 + 25 * fraction(SEED, "seconds", f"{item.key}/{person.pseudonym}")
        Assignment.objects.filter(pk=assignment.pk).update(opened_at=Now() - timedelta(seconds=seconds))
        vote_cast(
            user_id=_user(person).pk,
            slug=SLUG,
            token=assignment.token,
            ballot=ballot(item, person, handed_in),
        )
    return many


def ballot(item: Item, person: Annotator, handed_in: Mapping[str, Row]) -> Ballot:
    """Mostly the writer's answer, else mostly the distractor; what is doubtful divides people or is marked."""
    row = handed_in[item.key]
    row = row["faults"][-1]["corrected"] | {"doubt": ""} if "faults" in row else row
    key, doubt = f"{item.key}/{person.pseudonym}", row.get("doubt", "")
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


def tell(passed: Demo) -> Project:
    """The whole story, to be told after that of the first project, whose people it takes."""
    demo = people(passed)
    rates(demo)
    concepts(demo)
    handed_in = writing(demo)
    later = checking(demo, handed_in)
    answering(demo, handed_in, later)
    return demo.project
