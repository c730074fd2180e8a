"""Disputes of pay over the API: said, answered, and what becomes of the entry."""

import orjson
import pytest

from tests.api import assert_refused, script
from tests.pay import PaidProject, entries

pytestmark = pytest.mark.django_db


@pytest.fixture
def at() -> PaidProject:
    return PaidProject()


def here(at: PaidProject, what: str) -> str:
    return f"projects/{at.project.slug}/{what}"


def test_a_dispute_from_words_to_an_answer(at: PaidProject) -> None:
    ana, budi, boss = script(at.ana.user), script(at.budi.user), script(at.by)
    mine = entries(at.project, at.ana)[0]
    say = here(at, f"my-pay/{mine.token}:dispute")
    assert_refused(budi.post(say, {"words": "Mine."}), 404, "not_found")
    said = ana.post(say, {"words": "It was two sentences."})
    assert (said.status_code, said.json()["person"]) == (201, at.ana.pseudonym)
    assert_refused(ana.post(say, {"words": "Once more."}), 409, "dispute_open")
    [row] = boss.pages(here(at, "disputes"), answered="false")
    one = here(at, f"disputes/{row['id']}")
    assert boss.get(one).json()["entry"]["entry"] == str(mine.token)
    assert_refused(boss.post(f"{one}:answer", {"answer": "So.", "outcome": "again"}), 400, "units_wrong")
    sent = {"answer": "So it is.", "outcome": "again", "units": 2}
    done = boss.post(f"{one}:answer", sent).json()
    assert (done["units"], done["answered_at"] is not None) == (2, True)
    assert_refused(boss.post(f"{one}:answer", sent), 409, "dispute_answered")
    assert boss.pages(here(at, "disputes"), answered="false") == []
    assert sum(each.units for each in entries(at.project, at.ana) if each.key == mine.key) == 2


def test_an_entry_is_undone_once_and_read_in_the_ledger(at: PaidProject) -> None:
    boss, lead = script(at.by), script(at.lead.user)
    entry = entries(at.project, at.ana)[0]
    undo = here(at, f"pay/{entry.token}:reverse")
    assert_refused(lead.post(undo, {"reason": "Copied."}), 403, "forbidden")
    assert boss.post(undo, {"reason": "Copied."}).json() == {"entry": str(entry.token), "reason": "Copied."}
    assert boss.post(undo, {"reason": "Copied."}).status_code == 409
    answer = boss.get(here(at, "pay:export"), {"start": "2000-01-01", "end": "2090-01-01"})
    rows = [orjson.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert {row["person"] for row in rows} >= {at.ana.pseudonym, at.writer.pseudonym}
    assert "Copied." in {row["reason"] for row in rows}
    assert_refused(lead.get(here(at, "pay:export")), 403, "forbidden")
