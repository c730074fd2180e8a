"""The parts of a project beside its items, imports and releases: one class each."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mufakat_client.rows import Row, Rows
from mufakat_client.transport import Transport


class Resource:
    """A part of the API, by its path."""

    def __init__(self, transport: Transport, path: str) -> None:
        self.transport, self.path = transport, path

    def list(self, **filters: Any) -> Rows:
        """Every row, fetched page by page while one reads. `fields="a,b"` leaves out the others."""
        return Rows(self.transport.pages(self.path, **filters))

    def _at(self, *parts: object) -> str:
        return "/".join([self.path, *(quote(str(part), safe="") for part in parts)])

    def _do(self, address: str, body: Mapping[str, Any] | None = None) -> Row:
        return dict(self.transport.post(address, dict(body or {})))


class OwnItems(Resource):
    """What one wrote (writers)."""

    def returned(self) -> Rows:
        """What came back to be corrected."""
        return self.list(returned=True)

    def read(self, key: str) -> Row:
        """One of them: what was typed, why it came back, what can be done (`can`) and at which `version`."""
        return dict(self.transport.get(self._at(key)))

    def revise(self, key: str, content: Mapping[str, Any], *, version: int) -> Row:
        """Change it, until somebody is asked about it. What `content` leaves out stays."""
        return self._do(f"{self._at(key)}:revise", {"version": version, "content": dict(content)})

    def resubmit(
        self,
        key: str,
        content: Mapping[str, Any] | None = None,
        *,
        version: int,
        words: str = "",
        as_it_is: bool = False,
    ) -> Row:
        """Submit a returned item again: corrected, or as it is with words that say why."""
        body = {"version": version, "content": dict(content or {}), "words": words, "as_it_is": as_it_is}
        return self._do(f"{self._at(key)}:resubmit", body)

    def accept(self, key: str, *, revision: int) -> Row:
        """Say that a reviewer's correction is right."""
        return self._do(f"{self._at(key)}:accept", {"revision": revision})

    def dispute(self, key: str, words: str, *, revision: int) -> Row:
        """Say why a reviewer's correction is not right."""
        return self._do(f"{self._at(key)}:dispute", {"revision": revision, "words": words})


class Acts(Resource):
    """One act on many items (leads): `approve`, `exclude` with `words`, `close` a `flag`."""

    def preview(self, act: str, *, keys: Iterable[str] | None = None, **more: Any) -> Row:
        """Which items it would take, at which versions, and which it would leave out: of these `keys`, or of all that
        fit `stage`, `flagged`, `round`, `target`. Nothing is done."""
        body = {"act": act, "keys": None if keys is None else list(keys), **more}
        return self._do(f"{self.path}:preview", body)

    def do(self, act: str, items: Iterable[Mapping[str, Any]], *, flag: str = "", words: str = "") -> Row:
        """Do it to these items, as the preview answers them (`key` and `version`)."""
        body = {"act": act, "items": [dict(item) for item in items], "flag": flag, "words": words}
        return self._do(self.path, body)

    def read(self, act_id: int) -> Row:
        """How far an act is, and what it left out."""
        return dict(self.transport.get(self._at(act_id)))

    def undo(self, act_id: int) -> Row:
        """Take it back where nothing happened since."""
        return self._do(f"{self._at(act_id)}:undo")


class Questions(Resource):
    """Questions to the leads."""

    def read(self, question_id: int) -> Row:
        """One with its thread."""
        return dict(self.transport.get(self._at(question_id)))

    def ask(self, text: str, **about: Any) -> Row:
        """Ask about an `assignment` (token), an own `item` (key), a `role`'s guidelines with `section`, or the
        project."""
        return self._do(self.path, {"text": text, **about})

    def reply(self, question_id: int, text: str) -> Row:
        """One more message."""
        return self._do(f"{self._at(question_id)}:reply", {"text": text})

    def publish(self, question_id: int, *, question: str, answer: str, roles: Iterable[str]) -> Row:
        """Put an answer into the guidelines of `writing`, `validation` or both (leads)."""
        body = {"question": question, "answer": answer, "roles": list(roles)}
        return self._do(f"{self._at(question_id)}:publish", body)

    def answered(self) -> Rows:
        """Questions with their answers for everybody."""
        return Rows(self.transport.pages(f"{self.path}:answered"))


class Members(Resource):
    """Who is in a project (leads)."""

    def roles(self, member_id: int, roles: Iterable[str]) -> Row:
        """All roles that a member has from now on."""
        return self._do(f"{self._at(member_id)}:roles", {"roles": list(roles)})

    def targets(self, member_id: int, targets: Iterable[str]) -> Row:
        """All targets that a member works for from now on, by key."""
        return self._do(f"{self._at(member_id)}:targets", {"targets": list(targets)})

    def hand_over(self, member_id: int, heir: int) -> Row:
        """Give what a writer has open to another one."""
        return self._do(f"{self._at(member_id)}:hand-over", {"heir": heir})

    def end(self, member_id: int, *, heir: int | None = None, void_votes: bool = False) -> Row:
        """Take a member out."""
        return self._do(f"{self._at(member_id)}:end", {"heir": heir, "void_votes": void_votes})


class Targets(Resource):
    """Languages and registers."""

    def create(self, language: str, register: str = "", **more: Any) -> Row:
        """A further target (leads)."""
        return self._do(self.path, {"language": language, "register": register, **more})

    def change(self, key: str, *, version: int, **changes: Any) -> Row:
        """Change `name`, `register`, `description` or `words`: raises Stale for a version that is behind."""
        return self._do(f"{self._at(key)}:change", {"version": version, **changes})

    def end(self, key: str, ended: bool = True) -> Row:
        """End a target, or open it again."""
        return self._do(f"{self._at(key)}:end", {"ended": ended})


class Studies(Resource):
    """Studies: drawn from a project and answered in one of their own."""

    def draw(self, kind: str, slug: str, *, members: Iterable[int] = (), name: str = "", **options: Any) -> Row:
        """A study; `options` are what its page asks besides. A file is given as its text in JSON Lines."""
        body = {"kind": kind, "slug": slug, "name": name, "members": list(members), "options": options}
        return self._do(self.path, body)

    def read(self, kind: str, n: int) -> Row:
        """How far it is, who answers, and the files of its report."""
        return dict(self.transport.get(self._at(kind, n)))

    def close(self, kind: str, n: int, closed: bool = True) -> Row:
        """Close it, or open it again."""
        return self._do(f"{self._at(kind, n)}:close", {"closed": closed})

    def file(self, kind: str, n: int, name: str) -> str:
        """A file of the report, as CSV."""
        return self.transport.request("GET", self._at(kind, n, "files", name)).text


class Pay:
    """What a project pays, and what one earned there. Amounts are texts, so that none of them is rounded."""

    def __init__(self, transport: Transport, path: str) -> None:
        self.transport, self.path = transport, path

    def totals(self, start: str = "", end: str = "", by: str = "person") -> Row:
        """Units, and for administrators amounts, of some days by `person`, `target` or `action` (leads)."""
        return dict(self.transport.get(f"{self.path}/pay", start=start, end=end, by=by))

    def mine(self, start: str = "", end: str = "") -> Row:
        """One's own sums of some days."""
        return dict(self.transport.get(f"{self.path}/my-pay", start=start, end=end))

    def my_entries(self, start: str = "", end: str = "") -> Rows:
        """Each entry of one's own pay as one stream."""
        return Rows(self.transport.lines(f"{self.path}/my-pay:export", start=start, end=end))

    def rates(self) -> Rows:
        """Every rate that there ever was (administrators)."""
        return Rows(self.transport.pages(f"{self.path}/rates"))

    def set_rate(self, action: str, unit: str, amount: str, currency: str, target: str | None = None) -> Row:
        """A rate from now on (administrators)."""
        body = {"action": action, "unit": unit, "amount": amount, "currency": currency, "target": target}
        return dict(self.transport.post(f"{self.path}/rates", body))

    def entries(self, start: str = "", end: str = "") -> Rows:
        """Each entry of the ledger as one stream (administrators)."""
        return Rows(self.transport.lines(f"{self.path}/pay:export", start=start, end=end))

    def dispute(self, entry: str, words: str) -> Row:
        """Say what is wrong with an entry of one's own pay."""
        return dict(self.transport.post(f"{self.path}/my-pay/{entry}:dispute", {"words": words}))

    def disputes(self, **filters: Any) -> Rows:
        """What people say against entries (administrators); `answered=False`: those that wait."""
        return Rows(self.transport.pages(f"{self.path}/disputes", **filters))

    def answer(self, dispute_id: int, answer: str, outcome: str = "keep", units: int | None = None) -> Row:
        """Answer one, and `keep` its entry, `reverse` it, or count it `again` with so many units (administrators)."""
        body = {"answer": answer, "outcome": outcome, "units": units}
        return dict(self.transport.post(f"{self.path}/disputes/{dispute_id}:answer", body))

    def approve(self, end: str, people: Iterable[str] | None = None) -> Row:
        """Approve what these people (pseudonyms), or all, earned up to a day (administrators)."""
        body = {"end": end, "people": None if people is None else list(people)}
        return dict(self.transport.post(f"{self.path}/pay:approve", body))


class Media(Resource):
    """Images and sounds that rows of items name."""

    def send(self, file: Path | str) -> Row:
        """Send one (administrators); the same file under the same name changes nothing."""
        file = Path(file)
        files = {"file": (file.name, file.read_bytes(), "application/octet-stream")}
        return dict(self.transport.request("POST", self.path, files=files).json())


class About(Resource):
    """What releases tell of a project (administrators)."""

    def read(self) -> Row:
        """Licence, citation, ethics approval, data statement, and the `version` that a change names."""
        return dict(self.transport.get(self.path))

    def change(self, *, version: int, **changes: Any) -> Row:
        """Say it anew; what is left out stays."""
        return self._do(self.path, {"version": version, **changes})


class Invitations(Resource):
    """Who is invited."""

    def create(self, email: str, roles: Iterable[str], **more: Any) -> Row:
        """Invite somebody; the answer has the link, this once."""
        return dict(self.transport.post(self.path, {"email": email, "roles": list(roles), **more}))


class Task:
    """The task of a project whose kind is a team's own."""

    def __init__(self, transport: Transport, path: str) -> None:
        self.transport, self.path = transport, path

    def read(self) -> Row:
        """The description as it stands, as an object and in YAML, and its `version`."""
        return dict(self.transport.get(f"{self.path}/task"))

    def publish(self, task: Mapping[str, Any] | str, *, version: int) -> Row:
        """A new version of the description (an object, or a text in YAML): raises Stale for a version that is
        behind."""
        sent = task if isinstance(task, str) else dict(task)
        return dict(self.transport.post(f"{self.path}/task", {"version": version, "task": sent}))

    def versions(self) -> Rows:
        """Every version of the description."""
        return Rows(self.transport.pages(f"{self.path}/task-versions"))


class Webhooks(Resource):
    """Addresses that are told of events (administrators)."""

    def create(self, url: str, types: Iterable[str]) -> Row:
        """Tell an address; the answer has its secret, this once."""
        return dict(self.transport.post(self.path, {"url": url, "types": list(types)}))

    def act(self, webhook_id: int, act: str) -> Row:
        """`try`, `stop`, `start`, `rotate` or `end`."""
        return dict(self.transport.post(f"{self._at(webhook_id)}:{act}"))

    def deliveries(self, webhook_id: int) -> Rows:
        """What was sent to it."""
        return Rows(self.transport.pages(self._at(webhook_id, "deliveries")))

    def replay(self, webhook_id: int, delivery_id: int) -> Row:
        """Send one once more."""
        return dict(self.transport.post(f"{self._at(webhook_id, 'deliveries', delivery_id)}:replay"))


class Work:
    """The work of an annotator, for front ends of one's own: each answer holds the next card, or null."""

    def __init__(self, transport: Transport, path: str) -> None:
        self.transport, self.path = transport, path

    def next(self) -> Row:
        """The next item to judge, or the one that one holds."""
        return dict(self.transport.post(f"{self.path}/work:next"))

    def vote(self, token: str, **vote: Any) -> Row:
        """Send a vote; the same one again is stored once."""
        return dict(self.transport.post(f"{self.path}/assignments/{token}/vote", vote))

    def skip(self, token: str, reason: str, words: str = "") -> Row:
        """Pass an item; it never comes back to oneself."""
        return dict(self.transport.post(f"{self.path}/assignments/{token}:skip", {"reason": reason, "words": words}))

    def undo(self) -> Row:
        """Take the last vote back."""
        return dict(self.transport.post(f"{self.path}/work:undo"))

    def allocations(self) -> Rows:
        """What one has to write from, with drafts."""
        return Rows(self.transport.pages(f"{self.path}/allocations"))

    def submit(self, token: str, slots: Mapping[str, Mapping[str, Any]]) -> Row:
        """Submit a whole set: each slot by its name."""
        return dict(self.transport.post(f"{self.path}/allocations/{token}/sets:submit", {"slots": dict(slots)}))
