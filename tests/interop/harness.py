"""Runs every task of release folders in lm-evaluation-harness, with a model that knows the answers.

As a program: `python -m tests.interop.harness FOLDER…` prints, by task, its figures, how many documents it asked, and
what it asked first. A process of its own, since the harness is not made for warnings that are errors.
"""

import json
import sys
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager


class PerfectModel(LM):  # type: ignore[misc]
    """Whatever is right is certain, and whatever has to be written is written."""

    def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
        return [self._told(request) for request in requests]

    def _told(self, request: Any) -> tuple[float, bool]:
        document, said = request.doc, request.args[1].strip()
        among = next(document[name] for name in ("choices", "letters", "texts") if said in document.get(name, ()))
        relevant = document.get("relevant", 0)
        right = among[: max(relevant, 1)] if relevant else [among[document["answer"]]]
        # The longer a text, the less likely; of equally sure ones the best is surest.
        sure = 0.5 if said == right[0] else 1.0
        return (-sure * len(said.encode()), True) if said in right else (-900.0 * len(said.encode()), False)

    def generate_until(self, requests: list[Any]) -> list[str]:
        return [f" {request.doc.get('key') or request.doc['answer']}" for request in requests]

    def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
        raise NotImplementedError


def run(folder: Path) -> dict[str, Any]:
    """Every task of a release."""
    manager = TaskManager(include_path=str(folder / "lm_eval"), include_defaults=False)
    names = sorted(path.stem for path in (folder / "lm_eval").glob("*.yaml"))
    told = simple_evaluate(model=PerfectModel(), tasks=names, task_manager=manager, bootstrap_iters=0, log_samples=True)
    return {
        name: {
            "asked": told["n-samples"][name]["effective"],
            "first": told["samples"][name][0]["arguments"][0][0],
            "figures": {
                key.partition(",")[0]: value
                for key, value in told["results"][name].items()
                if key.endswith(",none") and "stderr" not in key
            },
        }
        for name in names
    }


if __name__ == "__main__":
    found = {path: run(Path(path)) for path in sys.argv[1:]}
    print(json.dumps(found))
