"""Kinds and shapes are read, not named: what depends on one is an attribute of it (docs/contributing.md)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation import kinds
from annotation.content import shapes
from tests.conventions import sources

KINDS = set(kinds.kinds_by_slug())
SHAPES = {kind.shape.name for kind in kinds.all_kinds()} | set(shapes.names())
# Keys that are words of other things too, of a relation, a column, a unit of pay: they name a kind or a shape only
# where one is looked up, compared or asked for by them.
WORDS = SHAPES | {"translation"}
# Who may name them: the kinds themselves, presets (each is of one kind), answer types, the stories of the demo.
MAY = ("annotation/kinds/", "annotation/presets/", "annotation/answers/", "exports/demo/")
# What else is called as a kind is.
OTHERS = {
    "annotation/translation/rules/source_units.py": "the task of rows of premises and hypotheses",
    "exports/lm_eval/rules/task_docs.py": "a task that models are evaluated with",
    "exports/lm_eval/rules/tasks.py": "a task that models are evaluated with",
}
# What is made for the items of one kind, and reads them with that kind's own words.
OF_ONE_KIND = {
    "annotation/generation/rules/recipes/": "recipes write questions with five choices",
    "exports/formats/paper/idcsqa.py": "the form of one published file",
    "exports/releases/rules/verify_columns.py": "rows of each kind are written again by its own writer",
    "validation/consensus/replay.py": "reads published files of pairs",
}
ASKED = re.compile(r"(^|[._])(kind|kind_spec|shape|slug|form)(\.name|\.slug)?$")


def files() -> list[Path]:
    found = sources.python_files(*sources.APPS)
    return [path for path in found if not sources.relative_name(path).startswith(MAY)]


def texts(node: ast.AST) -> set[str]:
    """The texts in an expression, or in a list, tuple or set of them."""
    listed = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return {each.value for each in listed if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def looked_up(node: ast.AST) -> set[str]:
    """The texts by which a node looks up a kind or a shape: compared, matched, keys of a table, arguments."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        asked = any(ASKED.search(ast.unparse(side)) for side in sides)
        return set().union(*map(texts, sides)) if asked else set()
    if isinstance(node, ast.Match) and ASKED.search(ast.unparse(node.subject)):
        inside = (each for case in node.cases for each in ast.walk(case.pattern))
        return {text for each in inside for text in texts(each)}
    if isinstance(node, ast.Dict):
        keys = {text for key in node.keys if key is not None for text in texts(key)}
        return keys if len(keys & (KINDS | SHAPES)) > 1 else set()
    if isinstance(node, ast.Call):
        given = {text for each in node.keywords if each.arg in ("kind", "shape") for text in texts(each.value)}
        gets = re.search(r"\b(kinds|shapes)\.get$", ast.unparse(node.func))
        return given | ({text for each in node.args for text in texts(each)} if gets else set())
    return set()


def named(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of whatever names a kind or a shape."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in KINDS - WORDS:
            yield node.lineno, str(node.value)
        for text in looked_up(node) & (KINDS | SHAPES):
            yield getattr(node, "lineno", 0), text


def test_no_file_names_a_kind_or_a_shape() -> None:
    found = {path: list(named(sources.syntax_tree(path))) for path in files()}
    wrong = [
        f"{sources.relative_name(path)}:{line} names {text!r}"
        for path, lines in found.items()
        for line, text in lines
        if sources.relative_name(path) not in OTHERS
    ]
    assert not wrong, "\n".join(wrong)
    assert {sources.relative_name(path) for path, lines in found.items() if lines} == set(OTHERS)


def test_no_file_imports_a_kind() -> None:
    modules = {f"annotation.kinds.{slug.replace('-', '_')}" for slug in KINDS}
    found = {
        sources.relative_name(path)
        for path in files()
        for _, name in sources.imports(path)
        if any(f"{name}.".startswith(f"{module}.") for module in modules)
    }
    of = {name: [each for each in OF_ONE_KIND if name.startswith(each)] for name in found}
    assert not [name for name, there in of.items() if not there]
    assert {each for there in of.values() for each in there} == set(OF_ONE_KIND)


def test_no_template_names_a_kind_or_a_shape() -> None:
    keys = "|".join(sorted(KINDS | SHAPES))
    asks = re.compile(rf"(kind|shape)\S* *(==|!=|in) *[\"']({keys})[\"']")
    wrong = [sources.relative_name(path) for path in sources.templates() if asks.search(path.read_text())]
    assert not wrong


@pytest.mark.parametrize(
    "source",
    [
        'KEYS = {"nli"}',
        'if kind.slug == "translation": pass',
        'if project.kind_spec.shape.name in ("qa", "units"): pass',
        'TABLE = {"pair": 1, "qa": 2}',
        'found = shapes.get("task")',
        'Project.objects.filter(kind="translation")',
        'match kind.shape.name:\n    case "units" | "pair": pass',
    ],
)
def test_what_names_one_is_found(source: str) -> None:
    assert list(named(ast.parse(source)))


@pytest.mark.parametrize("source", ['row["units"]', 'path("task/", name="task")', '{"units": 1, "amount": 2}'])
def test_words_that_name_none_are_left_alone(source: str) -> None:
    assert not list(named(ast.parse(source)))
