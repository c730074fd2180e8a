"""The demo's fifth and sixth project: questions that a machine wrote, recorded, so that no endpoint is needed.

In the fifth, sets of three things become questions as in mCSQA §3: one run is through and two people judge what the
model could not answer, another waits to be replayed step by step. In the sixth, concepts of the second project become
questions as in id-csqa §4.3, and a lead says what is wrong with them. Sets, questions, answers and slips are our own.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management import call_command
from django.utils.text import slugify

from annotation.concepts.actions import ConceptIn, concepts_add
from annotation.content.models.item import Item, Option
from annotation.core.models.project import Project
from annotation.generation.actions.materials import concepts_as_materials
from annotation.generation.actions.runs import run_create
from annotation.generation.llm import calls as calls
from annotation.generation.llm import reading
from annotation.generation.models import Endpoint, GenerationBatch, GenerationRun
from annotation.generation.rules import batches as carrying
from annotation.generation.rules import recipes
from annotation.generation.rules.plans import Plan, PlannedStep
from annotation.generation.rules.recipes import get
from annotation.generation.rules.recipes.base import DROPPED, Ask, AskResult, Work
from annotation.generation.run_batch import messages_of
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.kinds.mcq import KEYS
from annotation.pay.models import Action, Unit
from exports.demo.story import Demo, act_as_lead, add_project, decide_all, rows, set_rates, vote
from validation.review.actions.assessments import APPROVE, ItemCheck, PartVerdict, item_assess
from validation.review.rules.assessments import OPTIONS, QUESTION
from validation.voting.actions.ballots import Ballot

SETS_SLUG, REVIEW_SLUG = "demo-mesin", "demo-tinjau"
SEED = "demo-mesin-2026"
JUDGES = range(4, 12)
# Sets of the run that is through; the others wait to be replayed.
SETS_COMPLETED = 6
LEFT_UNJUDGED = 1
# A concept that nobody asked about: what the model says of it is refused.
STRAY_CONCEPT = "sepak bola"
Answerer = Callable[[str, Ask], str]
RecordedLine = Mapping[str, Any]
# What the filters of the import drop: a letter, two names of one thing.
SYNONYMS = ("ayam", "manuk")
STRAY_SETS = (
    {
        "relation": "AtLocation",
        "direction": "backward",
        "source": "kandang",
        "targets": ("ayam", "manuk", "kambing"),
    },
    {"relation": "HasA", "direction": "backward", "source": "huruf", "targets": ("a", "b", "alif")},
)


def endpoint() -> Endpoint:
    """A model that nobody can ask: it answers what was recorded, at prices of our own."""
    return Endpoint.objects.create(
        name="Demo: recorded answers",
        what=Endpoint.What.CHAT,
        model="demo-recorded",
        price_in=Decimal("0.5"),
        price_out=Decimal("1.5"),
    )


def project(first: Demo, slug: str, name: str, preset: str, settings: dict[str, Any]) -> Demo:
    """The same people: eight of them judge, the lead checks."""
    demo = add_project(
        first,
        {"spacing": 0, **settings},
        lambda number: {"validator": True} if number in JUDGES else {},
        slug=slug,
        name=name,
        preset=preset,
        language="id",
        seed=SEED,
    )
    set_rates(demo, (Action.VOTE, Unit.VOTE, "300"), (Action.ASSESS, Unit.ITEM, "1200"))
    return demo


def finish(run: GenerationRun) -> None:
    """Carry a run as far as it goes by itself."""
    while waiting := list(Job.objects.filter(batch_of__run=run, pk__in=jobs.waiting_job_ids()).order_by("pk")):
        for job in waiting:
            jobs.run_here(job)


# --- from sets ------------------------------------------------------------------------------


def recorded_sets() -> list[RecordedLine]:
    return list(rows("machine_sets.jsonl"))


def assertions() -> Iterator[str]:
    """The sets as lines of ConceptNet's own file, and a few more that its filters drop."""
    for each in (*recorded_sets(), *STRAY_SETS):
        for target in each["targets"]:
            ends = (each["source"], target) if each["direction"] == "forward" else (target, each["source"])
            yield _assertion_line(each["relation"], *ends)
    yield _assertion_line("Synonym", *SYNONYMS)


def _assertion_line(relation: str, *ends: str) -> str:
    """ConceptNet files Indonesian under Malay."""
    nodes = [f"/c/ms/{end.replace(' ', '_')}" for end in ends]
    uri = f"/a/[/r/{relation}/,{nodes[0]}/,{nodes[1]}/]"
    return "\t".join((uri, f"/r/{relation}", *nodes, json.dumps({"weight": 1.0})))


def answer_about_sets(step: str, ask: Ask) -> str:
    """What the model says of a question of a set, as the file tells it: by the set's choices and the right one."""
    recorded = next(each for each in recorded_sets() if _is_about(each, ask))
    if step == "distractors":
        return json.dumps({"distractors": recorded["distractors"]}, ensure_ascii=False)
    if step == "answering":
        place = recorded["refined"].index(ask.values["question"])
        letters = {text: letter for letter, _, text in _read_lettered_choices(ask.values["choices"])}
        return json.dumps({"answer": letters[recorded["answers"][place]]})
    place = recorded["targets"].index(ask.values["answer"])
    answer = recorded["questions" if step == "question" else "refined"][place]
    return json.dumps({"question": answer}, ensure_ascii=False)


def _read_lettered_choices(choices: str) -> list[tuple[str, str, str]]:
    return [line.partition(". ") for line in choices.splitlines()]


def _is_about(line: RecordedLine, ask: Ask) -> bool:
    """Whether an ask is about this set: all of its choices stand in what is asked."""
    asked = "\n".join(ask.values.values())
    return all(target in asked for target in line["targets"])


def make_project_from_sets(first: Demo, model: Endpoint) -> Demo:
    """Two runs: one through, whose hard questions were judged but for a few, and one to be replayed."""
    demo = project(first, SETS_SLUG, "Demo: soal dari mesin", "mcsqa", {"set_count": len(recorded_sets())})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "assertions.csv"
        path.write_text("\n".join(assertions()) + "\n", encoding="utf-8")
        call_command("import_conceptnet", path, project=[SETS_SLUG], stdout=StringIO(), stderr=StringIO())
    materials = list(demo.project.materials.order_by("position").values_list("pk", flat=True))
    begin(demo, model, "Rekaman pertama", answer_about_sets, materials[:SETS_COMPLETED])
    judge(demo)
    begin(demo, model, "Putar ulang", answer_about_sets, materials[SETS_COMPLETED:], stepwise=True)
    return demo


def begin(
    demo: Demo,
    model: Endpoint,
    name: str,
    says: Answerer,
    materials: Sequence[int] | None = None,
    *,
    stepwise: bool = False,
) -> None:
    """A run whose calls are all recorded, carried as far as it goes by itself."""
    recipe = get(demo.project.rules.recipe)
    run = run_create(
        project=demo.project,
        by=demo.administrator,
        name=name,
        endpoints={step.slug: model for step in recipe.steps if step.asked},
        materials=materials,
        stepwise=stepwise,
    )
    record_answers(run, says)
    finish(run)


def judge(demo: Demo) -> None:
    """Two people say of each hard question whether its answer follows; some wait."""
    decide_all()
    target = demo.project.targets.get()
    waiting = Item.objects.filter(project=demo.project, stage="voting").count()
    for n in range(2 * (waiting - LEFT_UNJUDGED)):
        person = demo.annotators[n % len(demo.annotators)]
        vote(demo, target, person, judgement_ballot, least=6, spread=20)
    decide_all()


def judgement_ballot(item: Item, _key: str) -> Ballot:
    """Of some questions the file says that the answer does not follow."""
    given = Option.objects.get(item=item, role="answer").text
    doubted = any(given in recorded.get("doubted", ()) for recorded in recorded_sets())
    return Ballot("no" if doubted else "yes")


# --- from concepts --------------------------------------------------------------------------


def answer_about_concepts(step: str, ask: Ask) -> str:
    """The questions of all concepts that one call asks for, and one of a concept that it does not."""
    asked = "\n".join(ask.values.values())
    recorded = [each for each in rows("machine_concepts.jsonl") if each["concept"] in asked]
    written = [
        {
            "concept": each["concept"],
            "question": each["question"],
            "options": [{"key": key, "text": text} for key, text in zip(KEYS, each["choices"], strict=True)],
            "answer": each["answer"],
        }
        for each in recorded
    ]
    stray = {**written[0], "concept": STRAY_CONCEPT} if written else {}
    return json.dumps({"questions": [*written, *([stray] if stray else [])]}, ensure_ascii=False)


def make_project_from_concepts(first: Demo, model: Endpoint) -> Demo:
    """One run over the concepts of a short list; some of its questions were checked, the others wait for a lead."""
    demo = project(first, REVIEW_SLUG, "Demo: soal mesin yang diperiksa", "llm-gen", {})
    concepts_add(
        target=demo.project.targets.get(),
        rows=[
            ConceptIn(slugify(each["concept"]), each["category"], each["concept"])
            for each in rows("machine_concepts.jsonl")
        ],
        by=demo.administrator,
    )
    concepts_as_materials(project=demo.project, by=demo.administrator)
    begin(demo, model, "Rekaman", answer_about_concepts)
    check(demo)
    return demo


def check(demo: Demo) -> None:
    """The lead says of some questions what is wrong with them, corrects it, and approves them."""
    for recorded in rows("machine_concepts.jsonl"):
        item = Item.objects.filter(project=demo.project, qa__wording=recorded["concept"]).first()
        if item is None or "check" not in recorded:
            continue
        judged: RecordedLine = recorded["check"]
        verdicts = {
            QUESTION: PartVerdict(judged[QUESTION], judged.get("notes", "")),
            OPTIONS: PartVerdict(judged[OPTIONS]),
        }
        checked = ItemCheck(verdicts=verdicts, decision=APPROVE, texts=judged.get("texts", {}))
        act_as_lead(demo, item_assess, item, check=checked)


def make_both_projects(passed: Demo) -> list[Project]:
    """Both stories, to be told after that of the first project, whose people they take."""
    model = endpoint()
    return [make_project_from_sets(passed, model).project, make_project_from_concepts(passed, model).project]


# What stands in for a tokenizer: letters a token, as usual of English and Indonesian.
LETTERS_A_TOKEN = 4


def record_answers(run: GenerationRun, says: Answerer) -> None:
    """Keep an answer to all that the run will ask; `says` is told the step and what is asked."""
    recipe, plan = recipes.get(run.recipe), Plan.from_json(run.plan)
    frame = plan.frame(run.seed)
    for batch in run.batches.order_by("n"):
        works = _works(run, plan, batch)
        for planned in plan.steps:
            step = recipe.step(planned.slug)
            asks, sound, _ = carrying.asks_of(step, frame, works)
            answered = [_record_answer(run, planned, ask, says) for ask in asks]
            outcomes = carrying.outcomes_of(step, frame, sound, answered)
            works = [
                replace(work, content=outcomes[work.key].content)
                for work in sound
                if outcomes[work.key].state != DROPPED
            ]


def _works(run: GenerationRun, plan: Plan, batch: GenerationBatch) -> Sequence[Work]:
    recipe, frame = recipes.get(run.recipe), plan.frame(run.seed)
    materials = {row.material for row in batch.candidates.select_related("material").order_by("pk")}
    return [
        work
        for row in sorted(materials, key=lambda row: row.position)
        for work in recipe.build_works(frame, row.key, row.group, row.data)
    ]


def _record_answer(run: GenerationRun, planned: PlannedStep, ask: Ask, says: Answerer) -> AskResult:
    endpoint = Endpoint.objects.get(pk=planned.endpoint or 0)
    messages, text = messages_of(planned, ask), says(planned.slug, ask)
    digest = calls.digest_of(endpoint, planned.parameters, messages)
    if not calls.find_kept_calls(run.project_id, [digest]):
        asked = sum(len(message["content"]) for message in messages)
        calls.record_answer(
            run=run,
            step=planned.slug,
            endpoint=endpoint,
            parameters=planned.parameters,
            messages=messages,
            text=text,
            tokens=(asked // LETTERS_A_TOKEN, len(text) // LETTERS_A_TOKEN),
        )
    return AskResult(ask, reading.parse_answer(ask.answer, text))
