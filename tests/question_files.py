"""Finished questions as files have them, and materials that a run has begun with."""

import json
from typing import Any

from annotation.generation.models import Candidate, GenerationBatch, GenerationRun, Material


def begin_run_with(material: Material) -> None:
    """As if a run had begun with it."""
    run, _ = GenerationRun.objects.get_or_create(
        project=material.project, n=1, defaults={"name": "first", "recipe": "x", "plan": {}, "seed": "seed"}
    )
    batch, _ = GenerationBatch.objects.get_or_create(run=run, n=1)
    Candidate.objects.create(project=material.project, run=run, batch=batch, material=material, key=f"of-{material.pk}")


def a_row(n: int = 1, **fields: Any) -> dict[str, Any]:
    """A line of CommonsenseQA's own JSONL."""
    texts = [f"choice {letter} {n}" for letter in "ABCDE"]
    return {
        "id": f"id{n}",
        "question": {
            "stem": f"Where would one put number {n}?",
            "question_concept": "snow shovel",
            "choices": [{"label": label, "text": text} for label, text in zip("ABCDE", texts, strict=True)],
        },
        "answerKey": "B",
        **fields,
    }


def jsonl(*rows: Any) -> bytes:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()
