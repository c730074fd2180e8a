"""A project of machine-written questions, judged as its table says, and released."""

from collections.abc import Sequence

from annotation.content.actions.items import items_make_by_machine
from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.generation.models import Candidate, GenerationBatch, GenerationRun
from exports.releases.models import Release
from tests import factory, questions
from tests import machine as factories
from tests.exports.world import folder
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast

SEED = "s1"


def files(release: Release) -> dict[str, bytes]:
    """Every file of a release as bytes, by its path in it."""
    at = folder(release)
    found = sorted(path for path in at.rglob("*") if path.is_file())
    return {path.relative_to(at).as_posix(): path.read_bytes() for path in found}


def questions_project(sets: int = 12, slug: str = "mesin") -> Project:
    """Questions from so many sets; about one in five is easy, as the model's answers are drawn."""
    project = factories.a_machine_project(slug, seed=SEED)
    factories.a_run(project, sets, seed=SEED)
    decide_due()
    return project


def make_questions(project: Project, count: int, **told: str) -> list[Item]:
    """So many questions as a run makes them; `told` is what their contents tell of their making."""
    start = Item.objects.filter(project=project).count() + 1
    sources = [questions.a_concept(project) for _ in range(count)]
    contents = [
        {
            "concept": source.text,
            "category": source.category,
            "question": f"Untuk apa {source.text} dipakai?",
            "options": [
                {"key": key, "text": f"{text} {n}", "role": "answer" if key == "A" else ""}
                for key, text in questions.CHOICES.items()
            ],
            "made": {"level": ""} | told,
        }
        for n, source in enumerate(sources, start)
    ]
    keys = [f"m{n}" for n in range(start, start + count)]
    return list(items_make_by_machine(project=project, sources=sources, keys=keys, contents=contents).values())


def set_material(item: Item, *, split: str) -> None:
    """Say from which material an item was made."""
    project, (material,) = item.project, factories.finished_questions(item.project, 1, split=split)
    run = GenerationRun.objects.create(project=project, n=1, name="r", recipe="llm-adapt", plan={}, seed="s")
    batch = GenerationBatch.objects.create(run=run, n=1)
    Candidate.objects.create(
        project=project, run=run, batch=batch, material=material, key=item.key, state="kept", item=item
    )


def answer_in_turn(voter: Annotator, words: Sequence[str]) -> int:
    """Say these in turn of whatever is offered, until nothing is; how many there were."""
    target, done = voter.project.targets.get(), 0
    while (assignment := assignment_claim(annotator=voter, target=target, spacing=0)) is not None:
        assert voter.user_id is not None
        label = words[done % len(words)]
        vote_cast(user_id=voter.user_id, slug=voter.project.slug, token=assignment.token, ballot=Ballot(label))
        done += 1
    return done


def judge_questions(project: Project) -> list[Annotator]:
    """Two people judge: the first keeps all, the second three of four."""
    people = [factory.member(project, "validator") for _ in range(2)]
    answer_in_turn(people[0], ["yes"])
    answer_in_turn(people[1], ["yes", "yes", "yes", "no"])
    decide_due()
    assert not Item.objects.filter(project=project, stage="voting").exists()
    return people
