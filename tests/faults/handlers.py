"""Kinds of job that only the fault tests have; a worker learns them by `--include tests.faults.handlers`.

Each effect is an Event row, so that a test can count how often each was made.
"""

import os
import signal
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.core.models.member import Event
from annotation.jobs.ending import EndedBySignal
from annotation.jobs.queue import Handle, PostponeJob, handles
from tests.wait import wait_until
from validation.imports import wikitext_reader
from validation.imports.rules.snippets import Document, Report, SnippetRules, sample_snippets

EFFECT = "fault_effect"


@handles("fault-steps")
def steps(handle: Handle) -> dict[str, Any]:
    """`steps` effects, one a transaction with its progress; stands still before `stop_at` until `gate` exists."""
    args = handle.job.args
    for n in range(handle.job.done, args["steps"]):
        if n == args.get("stop_at"):
            _wait_at_gate(args["gate"])
        with transaction.atomic():
            handle.lock_claim()
            Event.objects.create(verb=EFFECT, data={"job": handle.job.pk, "n": n})
            handle.progress(n + 1, args["steps"])
    return {"steps": args["steps"]}


@handles("fault-turns")
def turns(handle: Handle) -> dict[str, Any]:
    """Gives its worker back `turns` times before it is done."""
    if handle.job.done < handle.job.args["turns"]:
        handle.progress(handle.job.done + 1)
        raise PostponeJob(0)
    return {}


@handles("fault-poison")
def poison(handle: Handle) -> dict[str, Any]:
    """Kills the process that does it, as the kernel does where memory is out."""
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


@handles("fault-wikitext")
def wikitext(handle: Handle) -> dict[str, Any]:
    """Reads pages of a dump in a process that may have no children by multiprocessing."""
    wikitext_reader.CPU_SECONDS = 0.3
    report, pages = Report(), [Document(title, text, wikitext=True) for title, text in handle.job.args["pages"]]
    with wikitext_reader.WikitextReader() as reader:
        sample_snippets(pages, SnippetRules(), "id", (), report, plain_text=reader.plain_text)
    return {"skipped": report.documents_by_rule, "sentences": report.sentences}


@handles("fault-ended")
def told_to_end(handle: Handle) -> dict[str, Any]:
    """As where the process is told to end in the middle."""
    raise EndedBySignal(signal.SIGTERM)


def _wait_at_gate(gate: str) -> None:
    """Say that we are here, and wait until the gate is opened."""
    Path(gate + ".reached").touch()
    wait_until(Path(gate).exists, 60, "the gate")


def effects(job_id: int) -> list[int]:
    """Which effects a job had, in order; one that it had twice stands there twice."""
    made = Event.objects.filter(verb=EFFECT, data__job=job_id).order_by("pk")
    return sorted(int(event.data["n"]) for event in made)
