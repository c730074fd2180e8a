"""The convention tests' project of two runs that are compared: one comparison goes on, one has ended."""

from collections.abc import Mapping
from dataclasses import replace

from annotation.core.models.member import Annotator
from tests import factory, machine
from tests.comparing import Compared, a_done_run, cast
from tests.conventions.things import Things, mark
from validation.studies.actions.comparisons import comparison_end


def with_comparisons(things: Things, crowd: Mapping[str, Annotator]) -> Things:
    """The same people in the same roles; a colleague has said of every pair which is better, with words of theirs."""
    project = machine.a_machine_project(f"{things.slug}-compared", recipe="mcsqa")
    places = {
        name: factory.member(project, name.rpartition("-")[2], account=crowd[name].user)
        for name in ("writer", "validator", "lead", "third-validator")
        if name in crowd
    }
    colleague = places.get("third-validator") or factory.member(project, "validator")
    materials = machine.sets(project, 3)
    runs = [
        a_done_run(project, materials, name=mark(f"run-{n}"), model=mark(f"model-{n}"))
        for n in ("one", "two")
    ]
    at = Compared(project, runs, places["lead"], [colleague])
    # What a number names here is not there in the other project.
    before = 0 if "third-validator" in places else 2
    for _ in range(before):
        at.begin(1)
    for ended in (True, False):
        made = at.begin()
        for pair in at.pairs():
            cast(colleague, pair.token, mark("compared"), question="left")
        if ended:
            comparison_end(project=project, n=made.n, by=at.by)
    return replace(
        things,
        compared=project.slug,
        pair=at.pairs()[0].token,
        ended_comparison=str(before + 1),
        open_comparison=str(before + 2),
        first_run=str(runs[0].pk),
        second_run=str(runs[1].pk),
    )
