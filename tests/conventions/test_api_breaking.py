"""Scripts that were written for the last release go on working: its schema beside the present one."""

import shutil
import subprocess
from copy import deepcopy
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from annotation.api import pages
from tests.conventions.api_breaking import breaking_changes

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = "docs/openapi.yaml"


def document() -> dict[str, Any]:
    """Two addresses; rows have an owner, which has an owner."""
    owner = {"type": "object", "properties": {"name": {"type": "string"}, "of": {"$ref": "#/c/Owner"}}}
    row = {
        "type": "object",
        "required": ["key"],
        "properties": {
            "key": {"type": "string"},
            "n": {"type": "integer"},
            "old": {"type": "string", "deprecated": True},
            "owner": {"oneOf": [{"$ref": "#/c/Owner"}, {"type": "null"}]},
        },
    }
    page = {"type": "object", "properties": {"results": {"type": "array", "items": {"$ref": "#/c/Row"}}}}
    sent = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"type": "string"},
            "b": {"type": ["integer", "null"]},
            "how": {"enum": ["x", "y"], "type": "string"},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}}},
        },
    }
    answer = {"200": {"content": {"application/json": {"schema": page}}}}
    return {
        "c": {"Owner": owner, "Row": row},
        "paths": {
            "/rows": {
                "get": {
                    "x-scopes": ["read", "manage"],
                    "parameters": [{"in": "query", "name": "limit"}],
                    "responses": answer,
                },
                "post": {
                    "requestBody": {"content": {"application/json": {"schema": sent}}, "required": True},
                    "responses": deepcopy(answer),
                },
            },
            "/me": {"get": {"responses": answer}},
            "/old": {"get": {"responses": answer, "deprecated": True}},
        },
    }


ALL = ("GET /me", "GET /rows", "POST /rows")
BODY = "paths /rows post requestBody content application/json schema"
# Where the document is changed, to what (None: it goes), and what that breaks.
CHANGES: list[tuple[str, Any, list[str]]] = [
    ("paths /me", None, ["GET /me is gone"]),
    ("paths /rows post", None, ["POST /rows is gone"]),
    ("paths /old", None, []),
    ("paths /new", {"get": {"responses": {}}}, []),
    ("paths /rows get x-scopes", ["manage"], ["GET /rows: the scope read is not enough"]),
    ("paths /rows get parameters", [], ["GET /rows: the parameter limit is gone"]),
    (
        "paths /rows get parameters",
        [{"in": "query", "name": "limit", "required": True}, {"in": "query", "name": "more"}],
        ["GET /rows: the parameter limit is required"],
    ),
    (
        "paths /rows post responses",
        {"202": {}},
        ["POST /rows: the answer 200 is gone"],
    ),
    (
        "paths /rows post responses 200 content",
        {"text/csv": {}},
        ["POST /rows: 200 is not application/json"],
    ),
    (
        "c Row properties n",
        None,
        [f"{name}: 200.results[].n is gone" for name in ALL],
    ),
    ("c Row properties old", None, []),
    ("c Row properties more", {"type": "string"}, []),
    (
        "c Owner properties name",
        None,
        [f"{name}: 200.results[].owner.name is gone" for name in ALL],
    ),
    (
        "c Row properties n type",
        ["integer", "null"],
        [f"{name}: 200.results[].n is of another type" for name in ALL],
    ),
    (
        "c Row required",
        [],
        [f"{name}: 200.results[].key may be missing" for name in ALL],
    ),
    (f"{BODY} required", ["a", "b"], ["POST /rows: body.b is required"]),
    (f"{BODY} required", [], []),
    (f"{BODY} properties b", None, ["POST /rows: body.b is gone"]),
    (f"{BODY} properties b type", "integer", ["POST /rows: body.b takes less"]),
    (f"{BODY} properties how enum", ["x"], ["POST /rows: body.how takes less"]),
    (f"{BODY} properties how enum", ["x", "y", "z"], []),
    (f"{BODY} properties how enum", None, []),
    (f"{BODY} properties a enum", ["x"], ["POST /rows: body.a takes less"]),
    (f"{BODY} properties rows items required", ["k"], ["POST /rows: body.rows[].k is required"]),
    (f"{BODY} properties rows items properties k type", ["string", "null"], []),
    (f"{BODY} properties a", {}, []),
    ("c Row properties n", {}, [f"{name}: 200.results[].n is of another type" for name in ALL]),
    (f"{BODY} properties c", {"type": "object", "required": ["d"], "properties": {"d": {}}}, []),
    (f"{BODY} properties rows items properties l", {"type": "string"}, []),
    ("paths /rows post requestBody content", {"text/csv": {}}, ["POST /rows: application/json is not taken"]),
    ("paths /rows get requestBody", {"required": True}, ["GET /rows: a body is required"]),
]


@pytest.mark.parametrize(("where", "to", "broken"), CHANGES)
def test_what_breaks_scripts(where: str, to: Any, broken: list[str]) -> None:
    old = document()
    new = deepcopy(old)
    *way, last = where.split()
    at: Any = new
    for part in way:
        at = at[part]
    if to is None:
        del at[last]
    else:
        at[last] = to
    assert breaking_changes(old, new) == broken


def test_a_new_field_of_a_body_that_is_required_breaks_scripts() -> None:
    old = document()
    new = deepcopy(old)
    sent = new["paths"]["/rows"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    sent["properties"]["c"] = {"type": "string"}
    sent["required"].append("c")
    assert breaking_changes(old, new) == ["POST /rows: body.c is required"]


def test_of_our_own_schema_each_object_is_seen() -> None:
    told = orjson.loads(pages.SCHEMA_FILE.read_bytes())
    assert breaking_changes(told, told) == []
    schemas = told["components"]["schemas"]
    for name, shape in schemas.items():
        _, *rest = shape.get("properties", {}).items() or [None]
        less = {**schemas, name: {**shape, "properties": dict(rest)}}
        broken = breaking_changes(told, {**told, "components": {"schemas": less}})
        assert broken or not shape.get("properties"), name


def git(root: Path, *words: str) -> str | None:
    """What git says; None where it refuses."""
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def tagged(root: Path) -> tuple[str, Any] | None:
    """The last tag before the present commit whose tree has the schema, and that schema."""
    newest = ("--sort=-version:refname", "--sort=-creatordate")  # by date, of one second by number
    for tag in (git(root, "tag", "--merged", "HEAD", *newest) or "").split():
        if text := git(root, "show", f"{tag}:{SCHEMA}"):
            return tag, yaml.safe_load(text)
    return None


def test_the_schema_breaks_no_script_of_the_last_tag() -> None:
    if shutil.which("git") is None or git(ROOT, "rev-parse", "--git-dir") is None:
        pytest.skip("skipped for want of git: the schema of the last tag cannot be read")
    last = tagged(ROOT)
    if last is None:
        pytest.skip(f"no version was released yet: no git tag before this commit has {SCHEMA}")
    tag, old = last
    assert breaking_changes(old, orjson.loads(pages.SCHEMA_FILE.read_bytes())) == [], f"scripts written for {tag} break"


def test_the_schema_of_the_last_tag_is_found(tmp_path: Path) -> None:
    """A repository with two versions, of which the later one took an address away."""
    assert shutil.which("git"), "the suite runs where git is"
    own = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    assert git(tmp_path, "init", "-q") is not None
    assert tagged(tmp_path) is None
    (tmp_path / "docs").mkdir()
    later = document()
    del later["paths"]["/me"]
    for version, shape in (("v1", document()), ("v2", later)):
        (tmp_path / SCHEMA).write_text(yaml.safe_dump(shape))
        for words in (["add", "."], ["commit", "-q", "-m", version], ["tag", version]):
            assert git(tmp_path, *own, *words) is not None
        if version == "v1":
            last = tagged(tmp_path)
            assert last is not None
            assert breaking_changes(last[1], later) == ["GET /me is gone"]
    last = tagged(tmp_path)
    assert last is not None
    assert (last[0], breaking_changes(last[1], later)) == ("v2", [])
