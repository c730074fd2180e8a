"""What comes before items are voted on: concepts, group work, source sets, and machine runs."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mufakat_client.resources import Resource
from mufakat_client.rows import Row, Rows
from mufakat_client.transport import Transport


class Concepts(Resource):
    """What questions are about. A nearly equal one is refused (`concept_near`) unless one is `sure`."""

    def read(self, concept_id: int) -> Row:
        """One concept."""
        return dict(self.transport.get(self._at(concept_id)))

    def propose(self, category: str, text: str, *, source: str = "", sure: bool = False) -> Row:
        """Propose one (writers)."""
        body = {"category": category, "text": text, "source": source, "sure": sure}
        return self._do(f"{self.path}:propose", body)

    def add(self, category: str, texts: Iterable[str], *, source: str = "", sure: bool = False) -> Row:
        """Add approved ones (leads); how many are new."""
        body = {"category": category, "texts": list(texts), "source": source, "sure": sure}
        return self._do(f"{self.path}:add", body)

    def take_over(self, project: str) -> Row:
        """Take over another project's approved ones (leads of both)."""
        return self._do(f"{self.path}:take-over", {"project": project})

    def change(self, concept_id: int, *, version: int, **changes: Any) -> Row:
        """Change it: raises Stale for a version that is behind."""
        return self._do(f"{self._at(concept_id)}:change", {"version": version, **changes})

    def approve(self, concept_id: int, *, version: int) -> Row:
        """Let writers have it (leads)."""
        return self._do(f"{self._at(concept_id)}:approve", {"version": version})

    def give_back(self, concept_id: int, words: str, *, version: int) -> Row:
        """Return it to whoever proposed it (leads)."""
        return self._do(f"{self._at(concept_id)}:return", {"version": version, "words": words})


class GroupQuestions(Resource):
    """What groups answer before anybody writes."""

    def seed(self) -> int:
        """Take over the questions that come with the platform (leads); how many are new."""
        return int(self._do(f"{self.path}:seed")["added"])

    def add(self, kind: str, text: str) -> Row:
        """A further question (leads)."""
        return self._do(self.path, {"kind": kind, "text": text})

    def change(self, question_id: int, *, version: int, kind: str, text: str) -> Row:
        """Change one (leads)."""
        body = {"version": version, "kind": kind, "text": text}
        return self._do(f"{self._at(question_id)}:change", body)

    def retire(self, question_id: int, *, version: int, retired: bool = True) -> Row:
        """Take one out, or ask it again (leads)."""
        return self._do(f"{self._at(question_id)}:retire", {"version": version, "retired": retired})

    def answer(self, question_id: int, text: str, *, topic: str = "", session: int | None = None) -> Row:
        """Answer one, for oneself or for the group of a session."""
        body = {"text": text, "topic": topic, "session": session}
        return self._do(f"{self._at(question_id)}:answer", body)


class Sessions(Resource):
    """Meetings of groups."""

    def create(self, purpose: str, name: str, held_on: str, participants: str = "") -> Row:
        """A session of `elicitation` or `review` (leads)."""
        body = {"purpose": purpose, "name": name, "held_on": held_on, "participants": participants}
        return self._do(self.path, body)

    def prompts(self, session_id: int) -> Rows:
        """What a group reviews."""
        return Rows(self.transport.pages(self._at(session_id, "prompts")))

    def suggestions(self, session_id: int) -> Rows:
        """What a group proposed."""
        return Rows(self.transport.pages(self._at(session_id, "suggestions")))

    def suggest(self, session_id: int, item: str, form: str, texts: Mapping[str, str], **more: Any) -> Row:
        """Propose something about a prompt: `reword`, `rephrase`, `combine`, `split` or `variation`."""
        body = {"item": item, "form": form, "texts": dict(texts), **more}
        return self._do(self._at(session_id, "suggestions"), body)

    def act(self, session_id: int, suggestion_id: int, act: str, **given: Any) -> Row:
        """`remark`, `take-back`, `accept` or `decline`."""
        return self._do(f"{self._at(session_id, 'suggestions', suggestion_id)}:{act}", given)


class SourceSets(Resource):
    """What is translated (leads)."""

    def __init__(self, transport: Transport, project: str) -> None:
        super().__init__(transport, f"{project}/source-sets")
        self.project = project

    def read(self, key: str) -> Row:
        """One set with the counts of its clean-up."""
        return dict(self.transport.get(self._at(key)))

    def send(self, file: Path | str, key: str, shape: str, **more: Any) -> Row:
        """Send a file of rows; nothing is stored before it is started."""
        file = Path(file)
        files = {"file": (file.name, file.read_bytes(), "application/octet-stream")}
        params = {"key": key, "shape": shape, **more}
        answer = self.transport.request("POST", f"{self.path}:from-file", files=files, params=params)
        return dict(answer.json())

    def start(self, import_id: int, **how: Any) -> Row:
        """Make the set of a file that was sent, or try it out (`dry_run`)."""
        return self._do(f"{self.project}/source-imports/{import_id}:start", how)

    def take(self, key: str, project: str, **chosen: Any) -> Row:
        """Make a set of another project's items, or of a `release` of it."""
        return self._do(f"{self.path}:from-project", {"key": key, "project": project, **chosen})

    def taken(self, import_id: int) -> Row:
        """How far a set is that is being made."""
        return dict(self.transport.get(f"{self.project}/source-imports/{import_id}"))

    def units(self, key: str, **filters: Any) -> Rows:
        """Its units with texts and rows."""
        return Rows(self.transport.pages(self._at(key, "units"), **filters))

    def clean(self, unit_id: int, what: str, row: int, *, revision: int, **given: Any) -> Row:
        """One step of clean-up: `removed`, `typo`, `distractor` or `unanswerable`."""
        body = {"what": what, "row": row, "revision": revision, **given}
        return self._do(f"{self.project}/source-units/{unit_id}:clean", body)

    def undo(self, unit_id: int, step: int, *, revision: int) -> Row:
        """Take a step back."""
        body = {"step": step, "revision": revision}
        return self._do(f"{self.project}/source-units/{unit_id}:undo", body)

    def freeze(self, key: str) -> Row:
        """Let translation begin."""
        return self._do(f"{self._at(key)}:freeze")


class Runs(Resource):
    """Machine-written questions: budget, runs and what came of them (administrators; leads read)."""

    def __init__(self, transport: Transport, project: str) -> None:
        super().__init__(transport, f"{project}/runs")
        self.project = project

    def machine(self) -> Row:
        """Recipe, budget, cost, and what all runs made."""
        return dict(self.transport.get(f"{self.project}/machine"))

    def limit(self, budget: str, currency: str, per_minute: int, *, seen: str | None = None) -> Row:
        """Set the budget; `seen` is `budget_set_at` of the one that it replaces."""
        body = {"budget": budget, "currency": currency, "per_minute": per_minute, "seen": seen}
        return self._do(f"{self.project}/machine:limit", body)

    def estimate(self, endpoints: Mapping[str, int], count: int) -> Row:
        """What a run would cost, about."""
        return self._do(f"{self.path}:estimate", {"endpoints": dict(endpoints), "count": count})

    def begin(self, name: str, endpoints: Mapping[str, int], count: int, **more: Any) -> Row:
        """Begin a run; each step that asks has the number of its endpoint."""
        return self._do(self.path, {"name": name, "endpoints": dict(endpoints), "count": count, **more})

    def read(self, n: int) -> Row:
        """How far a run is, what each step made, and what that cost."""
        return dict(self.transport.get(self._at(n)))

    def candidates(self, n: int, **filters: Any) -> Rows:
        """Its questions, those that were dropped too."""
        return Rows(self.transport.pages(self._at(n, "candidates"), **filters))

    def act(self, n: int, act: str, **given: Any) -> Row:
        """`go-on` with a `step`, `pause`, `resume` or `cancel`."""
        return self._do(f"{self._at(n)}:{act}", given)
