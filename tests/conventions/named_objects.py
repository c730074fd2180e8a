"""What addresses name in the small world: by field, so that a table of routes can ask for it."""

from collections.abc import Mapping
from dataclasses import dataclass

ROLES = ("anon", "writer", "validator", "lead", "administrator", "other", "removed", "deactivated")
XSS = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"
# A slug and a token of the right shape that nothing has.
NONEXISTENT = {
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

    slug: str = NONEXISTENT["slug"]
    allocation: str = NONEXISTENT["missing"]
    assignment: str = NONEXISTENT["missing"]
    slot: str = "e1"
    label: str = "e"
    role: str = "validation"
    task: str = "nli"
    task_prompt: str = NONEXISTENT["missing"]
    annotator: str = NONEXISTENT["number"]
    invitation: str = NONEXISTENT["missing"]
    invitation_id: str = NONEXISTENT["number"]
    item: str = NONEXISTENT["number"]
    own_item: str = NONEXISTENT["number"]
    imported: str = NONEXISTENT["number"]
    documents: str = NONEXISTENT["number"]
    media: str = NONEXISTENT["missing"]
    media_file: str = NONEXISTENT["number"]
    many: str = NONEXISTENT["number"]
    release: str = NONEXISTENT["number"]
    predictions: str = NONEXISTENT["number"]
    file: str = "votes.jsonl"
    citation: str = "citation.bib"
    n: str = "1"
    act: str = "approve"
    questions: str = NONEXISTENT["slug"]
    concept: str = NONEXISTENT["number"]
    prompts: str = NONEXISTENT["slug"]
    topic: str = NONEXISTENT["number"]
    prompt: str = NONEXISTENT["number"]
    look: str = NONEXISTENT["number"]
    prompt_key: str = NONEXISTENT["missing"]
    look_key: str = NONEXISTENT["missing"]
    asked: str = NONEXISTENT["number"]
    answer: str = NONEXISTENT["number"]
    meeting: str = NONEXISTENT["number"]
    review: str = NONEXISTENT["number"]
    suggestion: str = NONEXISTENT["number"]
    say: str = "remark"
    translated: str = NONEXISTENT["slug"]
    target: str = NONEXISTENT["slug"]
    translator: str = NONEXISTENT["number"]
    source_set: str = NONEXISTENT["slug"]
    loose_set: str = NONEXISTENT["slug"]
    row: str = NONEXISTENT["number"]
    step: str = NONEXISTENT["number"]
    source_import: str = NONEXISTENT["number"]
    unit: str = NONEXISTENT["number"]
    unit_share: str = NONEXISTENT["missing"]
    others_unit_share: str = NONEXISTENT["missing"]
    translation: str = NONEXISTENT["number"]
    review_assignment: str = NONEXISTENT["missing"]
    corrected: str = NONEXISTENT["number"]
    entry: str = NONEXISTENT["entry"]
    own_entry: str = NONEXISTENT["entry"]
    dispute: str = NONEXISTENT["number"]
    ledger: str = "ledger"
    answered: str = NONEXISTENT["slug"]
    answered_release: str = NONEXISTENT["number"]
    study: str = NONEXISTENT["number"]
    study_kind: str = "evaluation"
    study_rows: str = "rows"
    generated: str = NONEXISTENT["slug"]
    done_run: str = NONEXISTENT["number"]
    waiting_run: str = NONEXISTENT["number"]
    made: str = NONEXISTENT["number"]
    run_endpoint: str = NONEXISTENT["number"]
    question_file: str = NONEXISTENT["number"]
    instruction: str = "mcsqa-answering"
    way: str = "pause"
    costs: str = "steps"
    insight: str = "balance"
    insight_table: str = "labels"
    statistic: str = "sizes"
    api_token: str = NONEXISTENT["number"]
    item_key: str = NONEXISTENT["missing"]
    own_item_key: str = NONEXISTENT["missing"]
    corrected_key: str = NONEXISTENT["missing"]
    job: str = NONEXISTENT["number"]
    webhook: str = NONEXISTENT["number"]
    webhook_act: str = "stop"
    delivery: str = NONEXISTENT["number"]
    off: str = NONEXISTENT["missing"]
    thread: str = NONEXISTENT["number"]
    voter: str = NONEXISTENT["number"]
    gold: str = NONEXISTENT["number"]
    quiz_row: str = NONEXISTENT["number"]
    set_aside: str = NONEXISTENT["number"]

    def of_route(self, names: Mapping[str, str]) -> dict[str, str]:
        """The arguments of a route: argument to the name of a field here."""
        return {argument: str(getattr(self, name)) for argument, name in names.items()}
