"""Files of translations: the same bytes on both databases and by any page, side by side as a dump, at size."""

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.content.models.units import Translation
from annotation.translation.models import SourceEntry
from exports.releases.models import Release
from tests import translations
from tests.exports.aligned import world
from tests.exports.releases.test_faults import built_from, environment  # noqa: F401 - a fixture
from tests.exports.world import build, freeze
from tests.translations import sentence_rows

SAME_STATE = """
from annotation.models import Item, Target, SourceEntry, SourceSet
from tests.exports.aligned import world as aligned
at = aligned.project_with_all_shapes("same")
aligned.approve_everything(at, ("su", "jv-krama"))
data = {"z": [{"b": 1, "a": 2.5}], "aa": "é\\u2028", "label_source": "gold"}
SourceEntry.objects.filter(source_set__shape="pair").update(data=data)
SourceSet.objects.update(origin={"licence": "CC-BY", "from": "file"}, filter={"z": 1, "a": "b"})
Target.objects.filter(key="su").update(description="*Loma*, among\\nfriends")
Item.objects.filter(key__startswith="choices").update(stage="excluded")
"""


@pytest.mark.timeout(600)
@pytest.mark.django_db(transaction=True)
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
        built_from(env, SAME_STATE, f"same --out {out} --set beside=yes --no-licence")
        made.append({str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()})
    assert {name for name in made[0] if made[0][name] != made[1].get(name)} == set()
    row = json.loads(made[0]["nli/su.jsonl"].splitlines()[0])
    assert (list(row["data"]), row["label_source"]) == (["aa", "z"], "gold")
    assert made[0]["question/su.jsonl"] == b""


@pytest.mark.django_db
def test_one_row_a_page_or_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at = world.project_with_all_shapes()
    world.approve_everything(at, ("su",))
    whole = world.files_by_path(build(freeze(at, "loraxbench")))
    monkeypatch.setattr("exports.releases.sql.PAGE", 1)
    monkeypatch.setattr("exports.releases.layouts.aligned.PAGE", 1)
    assert world.files_by_path(build(freeze(at, "loraxbench"))) == whole


# --- side by side ----------------------------------------------------------------------------


def dumped(at: world.Sets, form: str, out: Path) -> bytes:
    call_command("export_items", at.project.slug, "--format", form, "--out", str(out), stdout=io.StringIO())
    return out.read_bytes()


@pytest.mark.django_db
def test_every_text_beside_its_source_and_every_target(tmp_path: Path) -> None:
    at = world.project_with_sets({"pair": translations.pair_rows(2)})
    unit = at.units("pair")[0]
    texts = {each["key"]: f"=krama {each['key']}" for each in unit.fields}
    translations.a_translation(unit, at.target("jv-krama"), at.translator, texts)
    world.approve_translation(at, unit, "su")
    rows = [json.loads(line) for line in dumped(at, "wide", tmp_path / "wide.jsonl").splitlines()]
    assert [row["field"] for row in rows] == ["premise", "hypothesis.1", "hypothesis.2"]
    assert rows[0] == {
        "id": unit.key,
        "task": "nli",
        "field": "premise",
        "source": unit.text,
        "targets": {"jv-krama": "=krama premise", "su": translations.reversed_words(unit.text)},
    }
    table = list(csv.DictReader(io.StringIO(dumped(at, "wide-csv", tmp_path / "wide.csv").decode(), newline="")))
    assert list(table[0]) == ["id", "task", "field", "source", "jv-krama", "su"]
    assert table[0]["jv-krama"] == "=krama premise"
    copy = dumped(at, "wide-spreadsheet", tmp_path / "wide.spreadsheet.csv").decode()
    assert copy.startswith("\ufeffid,task,field,source,jv-krama,su,mufakat_guarded\r\n")
    assert ",'=krama premise," in copy
    assert [row["su"] for row in table] == [row["targets"]["su"] for row in rows]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rules", "indonli-lay"), "preset: must be one of loraxbench"),
        (("--set", "targets=su jv-x"), "targets: has no target “jv-x”"),
        (("--set", "open_qa=../up"), "open_qa: must be letters"),
    ],
)
def test_rules_that_do_not_fit(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    at = world.project_with_sets({"sentence": sentence_rows(1)})
    with pytest.raises(CommandError, match=said) as raised:
        call_command("build_release", at.project.slug, "--out", str(tmp_path / "out"), *arguments)
    assert raised.value.returncode == 2
    assert not Release.objects.exists()


# --- at size ---------------------------------------------------------------------------------


def many(targets: int, rows: int) -> Any:
    """Approved sentences straight into the tables: so many rows in so many targets."""
    made = translations.a_translation_project(targets=tuple(("jv", f"r{n}") for n in range(targets)))
    source = translations.a_source_set(made, sentence_rows(rows), shape="sentence")
    at = world.Sets(made, translations.member(made, "writer"), translations.member(made, "validator"), {})
    units, made_targets = list(source.units.order_by("position")), list(made.targets.order_by("pk"))
    first = translations.a_translation(units[0], made_targets[0], at.translator)
    content, protocol = first.revisions.get().content, first.protocol
    for target in made_targets:
        mine = [unit for unit in units if (unit, target) != (units[0], first.target)]
        items = Item.objects.bulk_create(
            Item(
                project=made,
                target=target,
                protocol=protocol,
                author=at.translator,
                key=f"{unit.key}~{target.key}",
                shuffle=number,
                revision_n=1,
                stage="settled",
                gold="approve",
                gold_from="lead",
            )
            for number, unit in enumerate(mine)
        )
        revisions, stored = type(first.revisions.get()), []
        for item, unit in zip(items, mine, strict=True):
            fields = [{**each, "text": f"{target.key} {each['text']}"} for each in unit.fields]
            told = {**content, "unit": unit.key, "source": unit.fields, "fields": fields}
            stored.append((item, unit, fields, told))
        revisions.objects.bulk_create(
            revisions(
                project=made,
                item=item,
                n=1,
                version=1,
                epoch=1,
                event="submit",
                content=told,
                fields_n=len(fields),
                sentences_n=len(fields),
                by=at.translator,
            )
            for item, _, fields, told in stored
        )
        Translation.objects.bulk_create(
            Translation(item=item, project=made, target=target, unit=unit, source=unit.fields, fields=fields, text="x")
            for item, unit, fields, _ in stored
        )
    Item.objects.filter(pk=first.pk).update(stage="settled", gold="approve", gold_from="lead")
    return at


@pytest.mark.django_db
def test_twenty_two_targets_take_as_many_statements_as_two() -> None:
    reads, puts = {}, {}
    for targets in (2, 22):
        at = many(targets, 100)
        release = freeze(at, "loraxbench")
        with CaptureQueriesContext(connection) as found:
            build(release)
        said = [query["sql"] for query in found if "SAVEPOINT" not in query["sql"]]
        puts[targets] = sum(each.startswith("UPDATE exports_releaserow") for each in said)
        reads[targets] = len(said) - puts[targets]
        files = {name: data for name, data in world.files_by_path(release).items() if name.startswith("sentences/")}
        ids = {tuple(json.loads(line)["id"] for line in data.splitlines()) for data in files.values()}
        assert (len(files), len(ids), len(ids.pop())) == (targets + 1, 1, 100)
    # 2,200 frozen rows are a page more than 200: three statements.
    assert reads[22] <= reads[2] + 3
    # What came of them is put down by runs of neighbours. Where those end is a matter of ids, so of the tests before:
    # 200 rows lie in one or two of them, 2,200 in two or three.
    assert (puts[2] in (1, 2), puts[22] in (2, 3)) == (True, True)


@pytest.mark.django_db
def test_removed_rows_leave_every_target() -> None:
    at = many(3, 10)
    SourceEntry.objects.filter(key="s-0004").update(removed=True)
    release = build(freeze(at, "loraxbench"))
    for target in ("id", "jv-r0", "jv-r1", "jv-r2"):
        rows = world.lines(release, f"sentences/{target}")
        assert [row["id"] for row in rows] == [f"s-{n:04}" for n in range(10) if n != 4]
