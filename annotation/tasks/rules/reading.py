"""A task's description in YAML or JSON: read, refused with sentences that name the field, written, and its schema."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import yaml
from pydantic import ValidationError

from annotation.tasks.rules.task import Task

LONGEST_FILE = 100_000
# A slug of kinds: fits into Project.kind, and says which description is meant.
PREFIX = "task-"
_HASH = 32
_DEEPEST = 12
_SENTENCES: Mapping[str, str] = {
    "missing": "is missing; add it",
    "extra_forbidden": "is no field here; take it out or look for a typing error",
    "string_type": "must be a text; put it in quotation marks",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "tuple_type": "must be a list; begin each entry with a hyphen",
    "dict_type": "must be a mapping of names to values",
    "model_type": "must be a mapping of names to values",
    "model_attributes_type": "must be a mapping of names to values",
    "string_pattern_mismatch": "must begin with a small letter and hold small letters, digits and underscores only, at "
    "most 30",
}


class TaskRefused(ValueError):
    """A description that cannot be; `problems` are sentences, each with the path of its field."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def read(text: str) -> Task:
    """A description in YAML (JSON is YAML). Raises TaskRefused."""
    if len(text) > LONGEST_FILE:
        raise TaskRefused([f"The description has {len(text)} characters; at most {LONGEST_FILE} are read."])
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            # A few lines with aliases can stand for gigabytes.
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                line = event.start_mark.line + 1 if event.start_mark else 0
                raise TaskRefused([f"Line {line}: anchors and aliases (& and *) are not read; write it out."])
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"Line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        what = getattr(error, "problem", None) or "this is no YAML"
        raise TaskRefused([f"{where}the YAML cannot be read: {what}."]) from None
    except (RecursionError, ValueError) as error:
        raise TaskRefused([f"The YAML cannot be read: {error or 'it is nested too deeply'}."]) from None
    return of_plain(data)


def of_plain(data: Any) -> Task:
    """A description as JSON has it. Raises TaskRefused."""
    if not isinstance(data, Mapping):
        raise TaskRefused(["The description must be a mapping; begin with version, name, source, questions."])
    try:
        return Task.model_validate(data)
    except ValidationError as error:
        raise TaskRefused(list(dict.fromkeys(_sentences(error)))) from None


# How pydantic names the branches of “a text, or texts by language”: they are no fields of the file.
_BRANCHES = ("constrained-", "dict[", "function-", "str", "[key]", "tuple[", "lax-", "json-")


def _sentences(error: ValidationError) -> Iterator[str]:
    found = [
        (tuple(str(part) for part in each["loc"] if not str(part).startswith(_BRANCHES)), each)
        for each in error.errors(include_url=False)
    ]
    places = [place for place, _ in found]
    for place, each in found:
        what, context = each["type"], each.get("ctx", {})
        if what == "string_type" and isinstance(each["input"], Mapping):
            continue  # it has texts by language, and what is wrong with those is said
        if what == "dict_type" and places.count(place) > 1:
            continue
        if what == "too_short" and any(
            len(other) > len(place) and other[: len(place)] == place for other in places
        ):
            continue  # its entries are wrong, not missing
        path = ".".join(place)
        if what != "value_error":
            yield f"{path or 'task'}: {_SENTENCES.get(what) or _limit(what, context, each['msg'])}."
            continue
        said = str(context["error"])
        # What a whole part is refused for names the field inside it.
        yield f"{path}{'.' if path and ': ' in said else ': ' if path else ''}{said}."


def _limit(what: str, context: Mapping[str, Any], message: str) -> str:
    """A sentence with the limit that pydantic names."""
    if what in ("string_too_long", "too_long"):
        unit = "characters" if what.startswith("string") else "entries"
        return f"has more than {context['max_length']} {unit}; shorten it"
    if what in ("string_too_short", "too_short"):
        return f"needs at least {context['min_length']} entries"
    if what in ("literal_error", "enum"):
        return f"must be one of {context['expected'].replace(' or ', ', ').replace(chr(39), '')}"
    if what in ("greater_than_equal", "less_than_equal"):
        return f"must be {'at least' if what.startswith('greater') else 'at most'} {next(iter(context.values()))}"
    return message[0].lower() + message[1:]


def canonical(task: Task) -> bytes:
    """The description as bytes that are the same for the same description."""
    return json.dumps(task.plain(), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def slug_of(task: Task) -> str:
    """The slug of the kind that a description makes: its hash, so that a kind never changes."""
    return f"{PREFIX}{sha256(canonical(task)).hexdigest()[:_HASH]}"


def written(task: Task) -> str:
    """The description in YAML, fields in their order; what `read` gives back."""
    return yaml.safe_dump(task.plain(), allow_unicode=True, sort_keys=False, width=110)


def task_file(suffix: str = "") -> str:
    """The name of a description in a release; `suffix` tells the project where there are several."""
    return f"task_{suffix}.yaml" if suffix else "task.yaml"


def json_schema() -> bytes:
    """The JSON Schema of descriptions, as docs/task.schema.json holds it."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Task.model_json_schema()}
    return json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True).encode() + b"\n"
