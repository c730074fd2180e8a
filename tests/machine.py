"""Projects of machine-written questions for tests: materials, endpoints, runs, and a model that always has an answer.

`answering()` keeps an answer for whatever a run in this process asks, as a recorded run has it; then nothing is sent
anywhere. `finish(run)` does the run's jobs here, one after the other. `a_run(...)` does both.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any
from unittest import mock

from django.db.models import QuerySet

from annotation.core.models.project import Project
from annotation.core.rules.draws import draw
from annotation.generation.actions.batches import continue_stalled_runs
from annotation.generation.actions.runs import run_create
from annotation.generation.llm import calls
from annotation.generation.models import Call, Endpoint, GenerationRun, MachineLimit, Material
from annotation.generation.rules import recipes
from annotation.generation.rules.recipes import answers, forms
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory, questions

Answerer = Callable[[str, calls.Prompt], str]
_numbers = itertools.count(1)
# No two share a word, none has a word of the question that the model writes.
PLACES = ("dapur", "pasar", "sawah", "sungai", "hutan", "pantai", "gunung", "sekolah", "masjid", "bengkel")
_CONCEPT = re.compile(r"(?:tikar|payung|kelambu|gerobak|cobek|kendi|tampah|gayung|anglo|lesung|number) \d+")
_COUNT = re.compile(r"as this number says: (\d+)")
THINGS = ("tikar", "payung", "kelambu", "gerobak", "cobek", "kendi", "tampah", "gayung", "anglo", "lesung")


def a_machine_project(slug: str = "", *, recipe: str = "mcsqa", **fields: Any) -> Project:
    """A project whose questions a machine writes, as the preset of that name has it."""
    return factory.project(slug, preset=recipe, **fields)


def an_endpoint(what: str = "chat", **fields: Any) -> Endpoint:
    """An endpoint; without an address it answers only what was kept."""
    name = fields.pop("name", f"endpoint {next(_numbers)}")
    return Endpoint.objects.create(name=name, what=what, model=fields.pop("model", "model-of-tests"), **fields)


def a_server_endpoint(of: Project, address: str, **fields: Any) -> Endpoint:
    """An endpoint that is asked at this address, and what the project may spend on it."""
    MachineLimit.objects.get_or_create(project=of, defaults={"budget": 1000, "per_minute": 1_000_000})
    told = {"seconds": 5, "at_once": 8, "per_minute": 1_000_000, "price_in": 1, "price_out": 2, **fields}
    return an_endpoint(address=address, **told)


# --- materials --------------------------------------------------------------------------


def question_sets(of: Project, count: int, *, start: int = 1) -> list[Material]:
    """Question sets, as the import of ConceptNet makes them."""
    return _stored(of, forms.SET, count, start, _set)


def concepts(of: Project, count: int, *, start: int = 1, categories: int = 2) -> list[Material]:
    """Materials of approved concepts, spread over so many categories."""

    def made(number: int) -> dict[str, Any]:
        category = questions.CATEGORIES[number % categories]
        concept = questions.a_concept(of, f"{THINGS[number % 10]} {number}", category=category)
        data = {"concept": concept.text, "category": category}
        return {"key": concept.key, "group": category, "concept": concept, "data": data}

    return _stored(of, forms.CONCEPT, count, start, made)


def finished_questions(of: Project, count: int, *, start: int = 1, split: str = "train") -> list[Material]:
    """English questions that are to be adapted."""

    def made(number: int) -> dict[str, Any]:
        options = [
            {"key": key, "text": f"{word} {number}", "role": "answer" if key == "A" else ""}
            for key, word in zip("ABCDE", ("kitchen", "market", "river", "forest", "beach"), strict=True)
        ]
        question = f"Where would John put snow shovel number {number}?"
        concept = f"snow shovel number {number}"
        data = {"id": f"q{number}", "concept": concept, "category": "", "question": question}
        return {"key": f"q{number}", "split": split, "data": {**data, "options": options}}

    return _stored(of, forms.QUESTION, count, start, made)


def items_elsewhere(of: Project, count: int, *, start: int = 1) -> list[Material]:
    """Questions of another project that are to be translated; no item stands behind them."""

    def made(number: int) -> dict[str, Any]:
        whole = _whole_question(f"{THINGS[number % 10]} {number}", f"kota{number}")
        options = [{**each, "role": "answer" if each["key"] == "A" else ""} for each in whole["options"]]
        data = {
            "concept": whole["concept"],
            "question": whole["question"],
            "category": "",
            "options": options,
        }
        told = {"id": f"i{number}", "language": "id", "project": "elsewhere"}
        return {"key": f"i{number}", "split": "train", "data": data | told}

    return _stored(of, forms.ITEM, count, start, made)


def materials(of: Project, count: int, *, start: int = 1) -> list[Material]:
    """What the project's recipe starts from."""
    makers: dict[str, Callable[..., list[Material]]] = {
        forms.SET: question_sets,
        forms.CONCEPT: concepts,
        forms.QUESTION: finished_questions,
        forms.ITEM: items_elsewhere,
    }
    return makers[recipes.get(of.rules.recipe).sort](of, count, start=start)


def _set(number: int) -> dict[str, Any]:
    source = f"{THINGS[number % 10]} {number}"
    targets = [f"{PLACES[(number + n) % 10]} {number}" for n in range(3)]
    data = {
        "relation": "AtLocation",
        "direction": forms.FORWARD,
        "source": source,
        "targets": targets,
        "uris": [f"/c/id/{text.replace(' ', '_')}" for text in (source, *targets)],
    }
    return {"key": f"set-{number:05}", "group": "AtLocation", "data": data}


def _stored(of: Project, sort: str, count: int, start: int, made: Callable[[int], dict[str, Any]]) -> list[Material]:
    target = of.targets.get()
    rows = [
        Material(project=of, target=target, sort=sort, position=number, **made(number))
        for number in range(start, start + count)
    ]
    return Material.objects.bulk_create(rows, batch_size=1000)


# --- a model ----------------------------------------------------------------------------


def chat_answer(text: str) -> dict[str, Any]:
    """What the model says to a text, in every form at once: a question no filter drops, choices, a drawn letter."""
    n = draw("model", "chat", text)
    word = "".join(chr(ord("a") + (n >> (4 * place)) % 16) for place in range(8))
    about = list(dict.fromkeys(_CONCEPT.findall(text)))
    count = int((_COUNT.findall(text) or ["1"])[0])
    written = [_whole_question(concept, f"{word}{'abcdefgh'[nth]}") for concept in about for nth in range(count)]
    return {
        **(written[0] if written else {}),
        "question": f"Whither does somebody carry this to {word}?",
        "distractors": [f"stasiun {word}", f"bandara {word}"],
        "answer": "ABCDE"[n % 5],
        "text": f"text {word}",
        "vector": [1.0, 0.0],
        "questions": written,
        "persons": ["John"] if "John" in text else [],
        "places": [],
        "names": [{"name": "John", "becomes": "Budi"}],
    }


def _whole_question(concept: str, word: str) -> dict[str, Any]:
    """A whole question about a concept."""
    options = [{"key": key, "text": f"{place} {word}"} for key, place in zip("ABCDE", PLACES, strict=False)]
    question = f"Ke mana John membawa {concept} untuk {word}?"
    return {"concept": concept, "question": question, "options": options, "answer": "A", "distractor": "B"}


def model_answer(step: str, prompt: calls.Prompt) -> str:
    """The model's answer in the form that was asked for."""
    text = "\n".join(message["content"] for message in prompt.messages)
    said = chat_answer(text)
    if prompt.form is answers.Translated:
        # Nothing is lost on the way there and back.
        asked = prompt.messages[-1]["content"]
        line = json.loads(asked)["text"] if asked.startswith("{") else asked.split("\n\n")[1]
        return json.dumps({"text": line})
    if prompt.form is answers.Written:
        return json.dumps(said["questions"][0])
    if prompt.form is answers.Verdict:
        said["answer"] = "no"
    return json.dumps({name: said[name] for name in prompt.form.model_fields if name in said})


@contextmanager
def answering(says: Answerer = model_answer) -> Iterator[list[str]]:
    """Whatever runs ask in this process is answered by `says`, and kept as asked and answered; gives the steps asked.

    What was kept before is not asked again, as everywhere.
    """
    real, asked, one_at_a_time = calls.answers, [], Lock()

    def answering_first(*, prompts: Sequence[calls.Prompt], **told: Any) -> list[calls.CallResult]:
        where = {"endpoint": told["endpoint"], "parameters": told["parameters"]}
        for prompt in prompts:
            digest = calls.digest_of(messages=prompt.messages, **where)
            with one_at_a_time:
                if calls.find_kept_calls(told["run"].project_id, [digest]):
                    continue
                asked.append(told["step"])
                calls.record_answer(
                    run=told["run"],
                    step=told["step"],
                    messages=prompt.messages,
                    text=says(told["step"], prompt),
                    tokens=(100, 20),
                    **where,
                )
        return real(prompts=prompts, **told)

    with mock.patch("annotation.generation.llm.calls.answers", answering_first):
        yield asked


# --- runs -------------------------------------------------------------------------------


def begin_run(of: Project, *, endpoint: Endpoint | None = None, name: str = "", **more: Any) -> GenerationRun:
    """A run that was begun and did nothing yet: every step that has to asks one endpoint of its sort."""
    recipe = recipes.get(more.get("recipe") or of.rules.recipe)
    by_sort: dict[str, Endpoint] = {} if endpoint is None else {endpoint.what: endpoint}
    asked = {}
    for step in recipe.steps:
        if step.asked and (not step.optional or step.asked in by_sort):
            if step.asked not in by_sort:
                by_sort[step.asked] = an_endpoint(step.asked)
            asked[step.slug] = by_sort[step.asked]
    more.setdefault("by", None)
    return run_create(project=of, name=name or f"run {next(_numbers)}", **{"endpoints": asked, **more})


def finish(run: GenerationRun) -> GenerationRun:
    """Do the run's jobs here until none is left that could be done now."""
    while waiting := jobs_of(run):
        for job in waiting:
            jobs.run_here(job)
    run.refresh_from_db()
    return run


def drive(run: GenerationRun) -> GenerationRun:
    """Do the run's jobs here to its end or its pause, as if all that it is told to wait for had passed."""
    while finish(run).state == GenerationRun.State.RUNNING:
        expire_waits(run)
    return run


def expire_waits(run: GenerationRun) -> None:
    """Whatever waits for a moment does not wait any more: jobs, calls, endpoints that rest; and the sweep comes by."""
    update_one_by_one(Job.objects.filter(batch_of__run=run), not_before=None)
    update_one_by_one(Call.objects.filter(run=run, state=Call.State.ASKED), not_before=None, held_by=None)
    update_one_by_one(Endpoint.objects.all(), rests_until=None)
    continue_stalled_runs()


def update_one_by_one(rows: QuerySet[Any], **values: object) -> None:
    """Change each in a statement of its own: a worker that takes two calls, and one statement over both, may each have
    one and wait for the other."""
    for pk in rows.order_by("pk").values_list("pk", flat=True):
        rows.filter(pk=pk).update(**values)


def jobs_of(run: GenerationRun) -> list[Job]:
    """The jobs of a run that could be taken up now."""
    return list(Job.objects.filter(batch_of__run=run, pk__in=jobs.waiting_job_ids()).order_by("pk"))


def a_run(of: Project, count: int = 2, *, says: Answerer = model_answer, **more: Any) -> GenerationRun:
    """A run over `count` new materials, carried as far as it goes by itself, with its calls, steps and items."""
    start = of.materials.count() + 1
    rows = materials(of, count, start=start)
    with answering(says):
        return finish(begin_run(of, materials=[row.pk for row in rows], **more))
