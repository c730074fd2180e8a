"""A task's description in YAML or JSON: read, refused with sentences that name the field, written, and its schema."""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import yaml
from pydantic import ValidationError

from annotation.core.rules.fields import REASONS, validation_problems
from annotation.tasks.rules.task import Task

LONGEST_FILE = 100_000
# A slug of kinds: fits into Project.kind, and says which description is meant.
SLUG_PREFIX = "task-"
_HASH_DIGITS = 32
_DEEPEST, _MOST_PROBLEMS, _MOST_DIGITS = 12, 50, 30
# What is said otherwise than of fields of forms: what to write in YAML.
_REASONS = {
    **REASONS,
    "missing": "is missing; add it",
    "string_type": "must be a text; put it in quotation marks",
    "tuple_type": "must be a list; begin each entry with a hyphen",
    "string_pattern_mismatch": "must begin with a small letter and hold small letters, digits and underscores only, at "
    "most 30",
}


class _Loader(yaml.SafeLoader):
    """YAML in which words and numbers of labels stay what they are: `no` is a word, `007` is not seven.

    Nodes are refused while they are read: a few lines with aliases can stand for gigabytes, and of what is nested
    thousands of levels deep the reading itself takes minutes.
    """

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """One node, with what is in it."""
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise TaskRefused([f"Line {line}: anchors and aliases (& and *) are not read; write it out."])
        if self._depth == _DEEPEST:
            raise TaskRefused([f"Line {line}: this is nested deeper than {_DEEPEST} levels, which no description is."])
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_yaml_int(self, node: yaml.ScalarNode) -> Any:
        """A whole number of a length that can mean something."""
        if len(node.value) > _MOST_DIGITS:
            line = node.start_mark.line + 1
            raise TaskRefused([f"Line {line}: this number is too long; at most {_MOST_DIGITS} digits are read."])
        return super().construct_yaml_int(node)


_BOOL, _INT = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:int"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in (_BOOL, _INT)]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF"))
_Loader.add_implicit_resolver(_INT, re.compile(r"-?(?:0|[1-9][0-9]*)\Z"), list("-0123456789"))
_Loader.add_constructor(_INT, _Loader.construct_yaml_int)


class TaskRefused(ValueError):
    """A description that cannot be; `problems` are sentences, each with the path of its field."""

    def __init__(self, problems: list[str]) -> None:
        further = len(problems) - _MOST_PROBLEMS
        self.problems = [*problems[:_MOST_PROBLEMS], *([f"There are {further} more."] if further > 0 else [])]
        super().__init__("\n".join(self.problems))


def read(text: str) -> Task:
    """A description in YAML (JSON is YAML). Raises TaskRefused."""
    return task_from_plain(mapping_in(text))


def mapping_in(text: str) -> Mapping[str, Any]:
    """What a description in YAML says, right or wrong. Raises TaskRefused for what is none."""
    if len(text) > LONGEST_FILE:
        raise TaskRefused([f"The description has {len(text)} characters; at most {LONGEST_FILE} are read."])
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if twice := list(_repeated_keys(root)):
            raise TaskRefused(twice)
        data = None if root is None else loader.construct_document(root)
    except TaskRefused:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"Line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        what = getattr(error, "problem", None) or "this is no YAML"
        raise TaskRefused([f"{where}the YAML cannot be read: {what}."]) from None
    except ValueError as error:
        raise TaskRefused([f"The YAML cannot be read: {error}."]) from None
    return _check_mapping(data)


def _repeated_keys(root: yaml.Node | None) -> Iterator[str]:
    """A sentence for each key that stands twice in one mapping, with both lines: else the last one would count."""
    nodes = [root] if root is not None else []
    for node in nodes:  # which grows meanwhile
        if isinstance(node, yaml.SequenceNode):
            nodes += node.value
        elif isinstance(node, yaml.MappingNode):
            lines: dict[str, int] = {}
            for key, value in node.value:
                nodes.append(value)
                line, name = key.start_mark.line + 1, str(key.value)
                if name in lines:
                    yield f"Line {line}: the key “{name[:40]}” stands in line {lines[name]} already; keep one of them."
                lines.setdefault(name, line)


def task_from_plain(data: Any, *, stored: bool = False) -> Task:
    """A description as JSON has it; a `stored` one was checked when it was new. Raises TaskRefused."""
    try:
        return Task.model_validate(_check_mapping(data), context={"stored": stored})
    except ValidationError as error:
        found = (each if each.field else f"task: {each}" for each in validation_problems(error, _REASONS))
        raise TaskRefused(list(dict.fromkeys(f"{each}." for each in found))) from None


def _check_mapping(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise TaskRefused(["The description must be a mapping; begin with version, name, source, questions."])
    return data


def canonical_bytes(task: Task) -> bytes:
    """The description as bytes that are the same for the same description."""
    return json.dumps(task.plain(), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def slug_of(task: Task) -> str:
    """The slug of the kind that a description makes: its hash, so that a kind never changes."""
    return f"{SLUG_PREFIX}{sha256(canonical_bytes(task)).hexdigest()[:_HASH_DIGITS]}"


def task_as_yaml(task: Task) -> str:
    """The description in YAML, fields in their order; what `read` gives back."""
    return as_yaml(task.plain())


def as_yaml(data: Mapping[str, Any]) -> str:
    """What a description says, right or wrong, in YAML."""
    return str(yaml.safe_dump(dict(data), allow_unicode=True, sort_keys=False, width=110))


def task_file(suffix: str = "") -> str:
    """The name of a description in a release; `suffix` distinguishes projects if there are several."""
    return f"task_{suffix}.yaml" if suffix else "task.yaml"


def json_schema() -> bytes:
    """The JSON Schema of descriptions, as docs/task.schema.json holds it."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Task.model_json_schema()}
    return json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True).encode() + b"\n"
