"""What addresses name in the small world: by field, so that a table of routes can ask for it."""

from collections.abc import Mapping
from dataclasses import dataclass

ROLES = ("anon", "writer", "validator", "lead", "administrator", "other", "removed", "deactivated")
XSS = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"
# A slug and a token of the right shape that nothing has.
NOWHERE = {
    "slug": "nowhere",
    "missing": "q" * 24,
    "number": "987654321",
    "entry": "0" * 8 + "-0000-4000-8000-" + "0" * 12,
}


# The fields that name projects.
PROJECTS = (
    "slug",
    "questions",
    "prompts",
    "translated",
    "generated",
    "answered",
)


def mark(what: str) -> str:
    """A word that is nowhere else, with markup behind it."""
    return f"canary-{what} {XSS}"


@dataclass(frozen=True)
class Things:
    """What an address names, in one project. `allocation` and `assignment` are the writer's and the validator's own."""

    slug: str = NOWHERE["slug"]
    allocation: str = NOWHERE["missing"]
    assignment: str = NOWHERE["missing"]
    slot: str = "e1"
    label: str = "e"
    role: str = "validation"
    task: str = "nli"
    task_prompt: str = NOWHERE["missing"]
    annotator: str = NOWHERE["number"]
    invitation: str = NOWHERE["missing"]
    invitation_id: str = NOWHERE["number"]
    item: str = NOWHERE["number"]
    own_item: str = NOWHERE["number"]
    imported: str = NOWHERE["number"]
    documents: str = NOWHERE["number"]
    media: str = NOWHERE["missing"]
    many: str = NOWHERE["number"]
    release: str = NOWHERE["number"]
    predictions: str = NOWHERE["number"]
    file: str = "votes.jsonl"
    citation: str = "citation.bib"
    n: str = "1"
    act: str = "approve"
    questions: str = NOWHERE["slug"]
    concept: str = NOWHERE["number"]
    prompts: str = NOWHERE["slug"]
    topic: str = NOWHERE["number"]
    prompt: str = NOWHERE["number"]
    look: str = NOWHERE["number"]
    prompt_key: str = NOWHERE["missing"]
    look_key: str = NOWHERE["missing"]
    asked: str = NOWHERE["number"]
    answer: str = NOWHERE["number"]
    meeting: str = NOWHERE["number"]
    review: str = NOWHERE["number"]
    suggestion: str = NOWHERE["number"]
    say: str = "remark"
    translated: str = NOWHERE["slug"]
    target: str = NOWHERE["slug"]
    translator: str = NOWHERE["number"]
    source_set: str = NOWHERE["slug"]
    loose_set: str = NOWHERE["slug"]
    row: str = NOWHERE["number"]
    step: str = NOWHERE["number"]
    source_import: str = NOWHERE["number"]
    unit: str = NOWHERE["number"]
    unit_share: str = NOWHERE["missing"]
    others_unit_share: str = NOWHERE["missing"]
    translation: str = NOWHERE["number"]
    review_assignment: str = NOWHERE["missing"]
    corrected: str = NOWHERE["number"]
    entry: str = NOWHERE["entry"]
    own_entry: str = NOWHERE["entry"]
    dispute: str = NOWHERE["number"]
    ledger: str = "ledger"
    answered: str = NOWHERE["slug"]
    answered_release: str = NOWHERE["number"]
    study: str = NOWHERE["number"]
    study_kind: str = "evaluation"
    study_rows: str = "rows"
    generated: str = NOWHERE["slug"]
    done_run: str = NOWHERE["number"]
    waiting_run: str = NOWHERE["number"]
    made: str = NOWHERE["number"]
    run_endpoint: str = NOWHERE["number"]
    question_file: str = NOWHERE["number"]
    instruction: str = "mcsqa-answering"
    way: str = "pause"
    costs: str = "steps"
    insight: str = "balance"
    insight_table: str = "labels"
    statistic: str = "sizes"
    api_token: str = NOWHERE["number"]
    item_key: str = NOWHERE["missing"]
    own_item_key: str = NOWHERE["missing"]
    corrected_key: str = NOWHERE["missing"]
    job: str = NOWHERE["number"]
    webhook: str = NOWHERE["number"]
    webhook_act: str = "stop"
    delivery: str = NOWHERE["number"]
    off: str = NOWHERE["missing"]
    thread: str = NOWHERE["number"]
    voter: str = NOWHERE["number"]
    gold: str = NOWHERE["number"]
    quiz_row: str = NOWHERE["number"]
    set_aside: str = NOWHERE["number"]

    def of_route(self, names: Mapping[str, str]) -> dict[str, str]:
        """The arguments of a route: argument to the name of a field here."""
        return {argument: str(getattr(self, name)) for argument, name in names.items()}
