"""People who take back what they said, while the decider and the database are killed (make test-faults)."""

import contextlib
import http.client
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.faults import site
from tests.faults.test_long_crashes import Rig, print_figures
from tests.wait import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600)]
VOTERS, KILLS, BETWEEN = 8, 20, 60
TAKEN_BACK = "SELECT COUNT(*) FROM validation_vote WHERE withdrawn_why = 'taken_back'"
# Asked for, but offered to nobody and held by nobody, though nothing is left to decide.
STRANDED = """SELECT i.key FROM annotation_item i WHERE i.due_at IS NULL AND i.stage = 'voting' AND i.pending <>
  i.slots_free + (SELECT COUNT(*) FROM validation_assignment s WHERE s.item_id = i.id AND s.state = 'open')"""
EVER_SETTLED = "SELECT COUNT(DISTINCT item_id) FROM validation_verdict WHERE event = 'settle'"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


@dataclass
class Doubter(site.Voter):
    """Takes every third vote back, often twice, and then loads the page anew or votes from the card that came.

    `acked` are the ballots that stand for certain; what was taken back, or may have been, is not among them.
    """

    draw: random.Random = field(default_factory=random.Random)

    def step(self) -> bool:
        if not self.acked or self.draw.randrange(3):
            return super().step()
        # Whatever the answer, or none: the last ballot may not stand any more.
        self.acked.pop()
        try:
            status, body = self._ask("POST", f"/p/{self.slug}/vote/back/")
            if self.draw.randrange(2):
                self._ask("POST", f"/p/{self.slug}/vote/back/")
            self.token = self._read(body) if status < 500 and self.draw.randrange(2) else None
        except (OSError, http.client.HTTPException):
            self.broken += 1
            self.token = None
            if self.connection is not None:
                self.connection.close()
            self.connection = None
        return True

    def _vote(self) -> bool:
        label = self.draw.choice("eeen")
        status, body = self._ask("POST", f"/p/{self.slug}/vote/{self.token}/", f"label={label}")
        if status == 200:
            assert self.token is not None
            self.acked.append(self.token)
        if status < 500:
            self.token = self._read(body)
        return True


def more(crowd: site.Crowd, count: int) -> None:
    """Wait until so many more requests were answered: those who take back end with as few votes as before."""
    goal = crowd.statuses()[200] + count
    wait_until(lambda: crowd.statuses()[200] >= goal, 120, f"{count} more answers")


def test_taking_back_while_decider_and_database_are_killed(rig: Rig) -> None:
    """Issue 14, point 1: nothing is stranded, no acknowledged vote is lost."""
    world = site.seed(rig.env, people=VOTERS, pairs=400, votes=0, protocol="incremental-3-5")
    web, worker = rig.web(), rig.worker()
    rig.beat()
    voters = [
        Doubter(web.port, world["slug"], session, draw=random.Random(n)) for n, session in enumerate(world["sessions"])
    ]
    with site.Crowd(voters) as crowd:
        for kill in range(KILLS):
            more(crowd, BETWEEN)
            worker.kill()
            if kill % 2:
                rig.postgres.kill()
                with contextlib.suppress(AssertionError):
                    # With all in the middle of a request it may be back before anybody is told.
                    wait_until(lambda: crowd.statuses()[503] > 0, 5)
                rig.postgres.start()
            more(crowd, BETWEEN // 2)
            worker = rig.worker()
        more(crowd, BETWEEN)
    wait_until(rig.nothing_due, 120, "what is due to be decided")
    stranded = rig.rows(STRANDED)
    standing = {token for token, state, count in rig.rows(site.LEDGER) if state == "done" and count == 1}
    lost = [token for token in crowd.tokens() if token not in standing]
    rig.is_sound()
    print_figures(
        "taking back",
        kills_of_the_decider=KILLS,
        kills_of_postgresql=KILLS // 2,
        acknowledged=crowd.acked,
        taken_back=rig.count(TAKEN_BACK),
        settled=rig.count(EVER_SETTLED),
        stranded=len(stranded),
        lost=len(lost),
        statuses=dict(crowd.statuses()),
    )
    assert stranded == []
    assert lost == []
    assert rig.count(TAKEN_BACK) > KILLS
    assert set(crowd.statuses()) <= {200, 409, 503}
