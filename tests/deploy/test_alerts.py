"""Each alert fires: the processes of a site are ended one after the other, and what its figures say then is given to
Prometheus' own rules (promtool), as if it stayed so. Nothing else fires. Run by `make test-deploy`."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import binaries, services
from tests.deploy.site import Figures, Site
from tests.wait import wait_until

pytestmark = pytest.mark.deploy
RULES = services.ROOT / "deploy" / "prometheus-alerts.yml"
# Minutes: what it was before, what it is afterwards, and when it is looked at: behind the longest `for`.
BEFORE, AFTER, LOOK = 10, 50, 60
FIRING = 'count by (alertname, part, command, kind) (ALERTS{alertstate="firing"})'
# The disks are those of whoever runs this.
ROOM = {"mufakat_storage_free_bytes": 5e11, "mufakat_storage_bytes": 1e12}
ROOM |= {"mufakat_database_disk_free_bytes": 5e11, "mufakat_database_disk_bytes": 1e12}


@pytest.fixture(scope="module")
def promtool() -> Path:
    try:
        return binaries.promtool()
    except binaries.ServiceMissingError as missing:
        if os.environ.get("MUFAKAT_CI"):
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site at work, each of its parts a process, and its nightly commands done."""
    started = Site(tmp_path_factory.mktemp("site"))
    try:
        started.start()
        yield started
    finally:
        started.end()


Assert = Callable[..., None]


@pytest.fixture
def assert_firing(promtool: Path, tmp_path: Path) -> Assert:
    """Exactly these alerts fire, each by its name and its label, where figures changed from the first to the second
    and stayed so. `series`: further ones, in promtool's words."""

    def check(
        *alerts: str,
        before: Figures,
        after: Figures | Callable[[], Figures],
        series: dict[str, str] | None = None,
    ) -> None:
        def do_they_fire() -> bool:
            file.write_text(json.dumps(_case(alerts, before, after() if callable(after) else after, series or {})))
            done = subprocess.run([promtool, "test", "rules", file], capture_output=True, text=True, check=False)
            said.append(done.stdout + done.stderr)
            return done.returncode == 0

        file, said = tmp_path / "case.yml", [""]
        if callable(after):
            # A process that was ended is gone at once; one beside it may take a moment to answer on a busy machine.
            try:
                wait_until(do_they_fire, what="exactly these alerts to fire")
            except AssertionError as late:
                raise AssertionError(said[-1]) from late
        else:
            assert do_they_fire(), said[-1]

    return check


def _case(alerts: tuple[str, ...], before: Figures, after: Figures, series: dict[str, str]) -> dict[str, Any]:
    """A test for promtool."""
    rows = {
        name: f"{_constant(before.get(name), BEFORE)} {_constant(after.get(name), AFTER)}" for name in before | after
    }
    rows |= {named(name): f"{number}x{LOOK}" for name, number in ROOM.items() if named(name) in after}
    rows |= {named(name): values for name, values in series.items()}
    case = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in rows.items()],
        "promql_expr_test": [{"expr": FIRING, "eval_time": f"{LOOK}m", "exp_samples": [*map(expected, alerts)]}],
    }
    return {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [case]}


def _constant(value: float | None, minutes: int) -> str:
    """So many samples of a figure; of one that is not served the word that says so, and blanks."""
    return f"stale _x{minutes - 2}" if value is None else f"{value!r}x{minutes - 1}"


def named(name: str) -> str:
    """A series as it is scraped."""
    return f'{name[:-1]},job="mufakat"}}' if name.endswith("}") else f'{name}{{job="mufakat"}}'


def expected(alert: str) -> dict[str, Any]:
    name, _, label = alert.partition(" ")
    return {"labels": f'{{alertname="{name}"{", " + label if label else ""}}}', "value": 1}


def test_nothing_fires_while_all_is_well(running: Site, assert_firing: Assert) -> None:
    well = running.well()
    assert_firing(before=well, after=well)


def test_what_was_never_done_or_never_seen(running: Site, assert_firing: Assert) -> None:
    """As a site is that nobody gave its nightly commands, or its background work."""
    well = running.well()
    never = {name: value for name, value in well.items() if "_done_seconds" not in name and "_part_seen" not in name}
    parts = ('MufakatPartAway part="decider"', 'MufakatPartAway part="worker"')
    commands = [f'MufakatNightlyLate command="{name}"' for name in ("backup", "check_backup", "check_integrity")]
    assert_firing(*commands, *parts, before=never, after=never)
    assert_firing("MufakatMetricsAway", before={}, after={})


@pytest.mark.parametrize("command", ["backup", "check_backup", "check_integrity"])
def test_a_nightly_command_that_ended_ill_since(running: Site, assert_firing: Assert, command: str) -> None:
    well = running.well()
    with running.sql() as connection:
        aged = "UPDATE annotation_heartbeat SET at = at - interval '37 hours' WHERE name = %s"
        assert connection.execute(aged, [command]).rowcount == 1
        assert_firing(f'MufakatNightlyLate command="{command}"', before=well, after=running.figures)
        connection.execute(aged.replace("-", "+"), [command])


def test_redis_ends(running: Site, assert_firing: Assert) -> None:
    well = running.well()
    running.redis.kill()
    try:
        assert_firing("MufakatRedisAway", before=well, after=running.figures)
    finally:
        running.redis.start()


def test_the_web_ends(running: Site, assert_firing: Assert) -> None:
    well = running.well()
    running.web.kill()
    try:
        assert_firing("MufakatWebAway", before=well, after=running.figures)
    finally:
        running.web.start()


def test_a_job_fails(running: Site, assert_firing: Assert) -> None:
    """One that nobody knows how to do, by the real worker; what refuses its input is no fault of the site."""
    well = running.well()
    running.manage("shell", "-c", ENQUEUE)
    assert_firing('MufakatJobsFailed kind="nobody-knows"', before=well, after=running.figures)
    with running.sql() as connection:
        connection.execute("UPDATE annotation_job SET refused = true")
    assert_firing(before=well, after=running.figures)


ENQUEUE = "from annotation.jobs import queue; queue.enqueue(kind='nobody-knows', project=None, by=None, args={})"


def test_the_certificate_ends_and_then_the_proxy(running: Site, assert_firing: Assert) -> None:
    well = running.well()
    running.speak_tls(days=5)
    assert_firing("MufakatCertificateEnds", before=well, after=running.figures)
    running.speak_tls(days=-1)
    assert_firing("MufakatCertificateEnds", before=well, after=running.figures)
    running.stop_tls()
    assert_firing("MufakatTlsAway", before=well, after=running.figures)
    running.speak_tls(days=90)


def test_a_replica_ends(running: Site, assert_firing: Assert) -> None:
    well = running.well()
    away = {named("mufakat_replica_up"): 0.0}
    assert_firing("MufakatReplicaPassedOver", before=well, after=well | away)


# The figures that no process's end makes, with what they are then.
REACHED = {
    "MufakatErrors": {
        'mufakat_requests_total{area="pages",status="200"}': "0+98x60",
        'mufakat_requests_total{area="pages",status="500"}': "0+2x60",
    },
    "MufakatVotesSlow": {
        'mufakat_request_seconds_bucket{area="vote",le="1.0"}': "0+50x60",
        'mufakat_request_seconds_bucket{area="vote",le="2.5"}': "0+100x60",
        'mufakat_request_seconds_bucket{area="vote",le="+Inf"}': "0+100x60",
    },
    "MufakatDecisionsLate": {"mufakat_due_seconds": "61x60"},
    "MufakatJobsWait": {"mufakat_job_wait_seconds": "901x60"},
    "MufakatConnectionsFew": {'mufakat_database_connections{state="idle"}': "900x60"},
    "MufakatDiskFull": {"mufakat_storage_free_bytes": "9e8x60"},
    "MufakatDatabaseDiskFull": {"mufakat_database_disk_free_bytes": "1.9e9x60"},
    "MufakatMessagesWait": {"mufakat_webhook_messages": "1001x60"},
}


@pytest.mark.parametrize("alert", REACHED)
def test_a_figure_reaches_what_it_must_not(running: Site, assert_firing: Assert, alert: str) -> None:
    well = running.well()
    assert_firing(alert, before=well, after=well, series=REACHED[alert])


@pytest.mark.parametrize("part", ["worker", "decider"])
def test_a_part_of_the_background_work_ends(running: Site, assert_firing: Assert, part: str) -> None:
    """It is not seen any more: ten minutes later, which are taken off here, it fires; one at work shows itself anew."""
    well = running.well()
    aged = partial(running.age_part, part)
    aged()
    wait_until(lambda: running.figures()[named(f'mufakat_part_seen_seconds{{part="{part}"}}')] < 60, what="its beat")
    running.parts[part].kill()
    try:
        aged()
        alerts = (f'MufakatPartAway part="{part}"', "MufakatNotReady")
        assert_firing(*alerts, before=well, after=running.figures)
    finally:
        running.start_part(part)


def test_the_database_ends_and_then_what_serves_the_figures(running: Site, assert_firing: Assert) -> None:
    well = running.well()
    running.database.kill()
    assert_firing("MufakatDatabaseAway", "MufakatNotReady", before=well, after=running.figures)
    running.metrics.kill()
    assert_firing("MufakatMetricsAway", before=well, after=running.figures)


def test_no_alert_is_left_out() -> None:
    text = Path(__file__).read_text()
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        assert [rule["alert"] for rule in group["rules"] if rule["alert"] not in text] == []
