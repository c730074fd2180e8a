"""Files of machine-written questions: the same bytes on both databases, and by any page."""

import json
import shutil
from pathlib import Path

import pytest

from tests.exports import machine as world
from tests.exports.releases.test_faults import built_from, environment  # noqa: F401 - a fixture
from tests.exports.releases.test_machine_releases import freeze
from tests.exports.world import build

SAME_STATE = """
from annotation.models import Item
from tests import factory
from tests.exports import machine
from validation.models import Vote
from validation.review.actions.corrections import correct
project = machine.questions_project(16, "same")
machine.judge_questions(project)
lead = factory.member(project, "lead")
for item in Item.objects.filter(project=project, stage="settled").order_by("key")[:3]:
    correct(lead=lead, item_id=item.pk, version=item.version, field="option-B", text="é\\u2028 " + item.key,
                   meaning="same", words="Ejaan.")
Vote.objects.update(seconds=3)  # measured: it differs from run to run
"""


@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(600)  # it may be the first to ask for both databases
def test_sqlite_and_postgresql_give_the_same_bytes(
    environment: dict[str, str],  # noqa: F811 - the fixture
    tmp_path: Path,
    migrated_sqlite: Path,
) -> None:
    sqlite = {
        **environment,
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'same.sqlite3'}",
        "SECRET_KEY": "only-for-this-test",
        "DATA_DIR": str(tmp_path / "embedded"),
    }
    shutil.copy(migrated_sqlite, tmp_path / "same.sqlite3")
    made = []
    for name, env in (("sqlite", sqlite), ("postgresql", environment)):
        out = tmp_path / name
        built_from(env, SAME_STATE, f"same --out {out} --set keep_sets=yes --no-licence --allow-shared")
        made.append({str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()})
    assert {name for name in {*made[0], *made[1]} if made[0].get(name) != made[1].get(name)} == set()
    rows = [json.loads(line) for line in made[0]["train.jsonl"].splitlines()]
    assert 1 <= sum(bool(row["raw"]) for row in rows) <= 3
    assert made[0]["raw/train.jsonl"].count(b"\n") == len(rows)


@pytest.mark.django_db
def test_one_row_a_page_or_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    project = world.questions_project(6)
    world.judge_questions(project)
    whole = world.files(build(freeze(project, "mcsqa")))
    monkeypatch.setattr("exports.releases.sql.PAGE", 1)
    assert world.files(build(freeze(project, "mcsqa"))) == whole
