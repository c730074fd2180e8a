"""The convention tests' project of machine-written questions: a run done, one that waits, a changed instruction."""

from collections.abc import Mapping
from dataclasses import replace

from annotation.core.models.member import Annotator
from annotation.generation.actions.instructions import instruction_save
from annotation.generation.models import Call, GenerationRun, StepResult
from tests import factory, machine
from tests.conventions.named_objects import Things, mark

TEXT = "Ask about $concept."


def with_generation(things: Things, crowd: Mapping[str, Annotator], *, first: int = 1) -> Things:
    """The same people in the same roles; runs are numbered from `first`, so that no two projects have one alike."""
    project = machine.a_machine_project(f"{things.slug}-generated")
    for name in ("writer", "validator", "lead"):
        if name in crowd:
            factory.member(project, name, account=crowd[name].user)
    endpoint = machine.an_endpoint(name=f"{mark('endpoint')[:40]}{things.slug}"[:80])
    instruction_save(
        project=project,
        by=None,
        name="mcsqa-answering",
        text=f"{mark('told')} $question $choices",
        note=mark("why"),
    )
    done = machine.a_run(project, 1, endpoint=endpoint, name=mark("run-done"))
    waits = machine.a_run(project, 1, endpoint=endpoint, name=mark("run-waits"), stepwise=True)
    GenerationRun.objects.filter(pk=waits.pk).update(n=first + 1)
    GenerationRun.objects.filter(pk=done.pk).update(n=first)
    Call.objects.filter(run=done).update(answer=mark("model-answer"), model=mark("model"))
    one = done.candidates.filter(item__isnull=False).order_by("pk")[0]
    StepResult.objects.filter(candidate=one).update(content={**one.content, "question": f"{mark('machine-question')}?"})
    return replace(
        things,
        generated=project.slug,
        done_run=str(first),
        waiting_run=str(first + 1),
        made=str(one.pk),
        run_endpoint=str(endpoint.pk),
    )
