"""The rules of the architecture, read from the sources: what is pure stays pure, and imports point one way."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conventions import sources

# What may be imported besides itself: config → exports → validation → annotation.
# What Celery tells a process of itself: its start, its logs, its end.
WORKER_SIGNALS = (
    "setup_logging",
    "task_postrun",
    "task_prerun",
    "worker_init",
    "worker_ready",
    "worker_shutting_down",
)
BELOW = {
    "annotation": set(),
    "validation": {"annotation"},
    "exports": {"annotation", "validation"},
    "config": {"annotation", "validation", "exports"},
}
# The packages of each app, from the lowest to the highest: a package imports those before it (docs/architecture.md).
ORDER = {
    "annotation": (
        "answers",
        "kinds",
        "presets",
        "text",
        "core",
        "content",
        "files",
        "catalogues",
        "jobs",
        "ui",
        "api",
        "media",
        "translation",
        "elicitation",
        "projects",
        "tasks",
        "writing",
        "concepts",
        "pay",
        "generation",
        "webhooks",
        "datasheet",
    ),
    "validation": (
        "consensus",
        "voting",
        "insights",
        "group_review",
        "review",
        "imports",
        "model_votes",
        "studies",
        "questions",
        "quality",
        "qualification",
        "notices",
        "integrity",
        "translation",
        "people",
        "sign_in",
        "overview",
        "tasks",
    ),
    "exports": (
        "formats",
        "aligned",
        "lm_eval",
        "releases",
        "verify",
        "sources",
        "scoring",
        "predictions",
        "public",
        "withdrawals",
        "statistics",
        "paper",
        "baselines",
        "evaluation",
        "backup",
        "demo",
    ),
}
# What Django looks for at the top of an app.
OF_DJANGO = {"__init__.py", "admin.py", "apps.py", "models.py"}
PURE_PACKAGES = {"answers", "kinds", "presets", "text", "consensus"}
NOT_PURE = {
    "django",
    "celery",
    "rest_framework",
    "allauth",
    "redis",
    "psycopg",
    "structlog",
    "environ",
    "config",
}


def is_pure(dotted: str) -> bool:
    """Whether a module, or what is in one, belongs to the pure part: kinds, presets, text, consensus, any `rules`."""
    app, *parts = dotted.split(".")
    return app in ORDER and bool(parts) and (parts[0] in PURE_PACKAGES or "rules" in parts[1:2])


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(sources.ROOT).with_suffix("").parts)


LONGEST_FILE = 400
# Data of one kind, as one list: splitting it would make it harder to read.
LONG_FILES: dict[str, str] = {}


def impure_imports(path: Path) -> Iterator[str]:
    for line, imported in sources.imports(path):
        ours = imported.split(".")[0] in sources.APPS
        if imported.split(".")[0] in NOT_PURE or (ours and not is_pure(imported)):
            yield f"{sources.relative_name(path)}:{line} imports {imported}"


def test_rules_kinds_presets_texts_and_consensus_are_pure() -> None:
    files = [path for path in sources.python_files(*ORDER) if is_pure(dotted(path))]
    assert len(files) > 100
    assert [fault for path in files for fault in impure_imports(path)] == []


def upward_imports(path: Path) -> Iterator[str]:
    app = path.relative_to(sources.ROOT).parts[0]
    for line, imported in sources.imports(path):
        target = imported.split(".")[0]
        if target not in sources.APPS or target == app or target in BELOW[app]:
            continue
        if is_pure(imported):
            continue  # anybody may use what is pure
        yield f"{sources.relative_name(path)}:{line} imports {imported}"


def test_packages_import_those_before_them() -> None:
    faults = []
    for path in sources.python_files(*ORDER):
        app, package = path.relative_to(sources.ROOT).parts[:2]
        if package not in ORDER[app]:
            continue
        for line, imported in sources.imports(path):
            target = imported.split(".")
            if target[0] != app or target[1] == package or is_pure(imported):
                continue
            if ORDER[app].index(target[1]) > ORDER[app].index(package):
                faults.append(f"{sources.relative_name(path)}:{line} imports {imported}")
    assert faults == []


def test_every_module_is_in_a_package() -> None:
    for app, packages in ORDER.items():
        folder = sources.ROOT / app
        assert {path.name for path in folder.glob("*.py")} <= OF_DJANGO
        folders = {path.parent.name for path in folder.glob("*/__init__.py")}
        assert folders - {"management", "migrations", "templatetags"} == set(packages)
        for package in packages:
            assert sources.syntax_tree(folder / package / "__init__.py").body, f"{app}/{package} says what it owns"


def test_imports_point_one_way() -> None:
    faults = [fault for path in sources.python_files(*sources.APPS) for fault in upward_imports(path)]
    assert faults == []


@pytest.mark.parametrize("path", ["annotation/core/invented.py", "annotation/core/rules/invented.py"])
def test_the_readers_of_imports_see(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two tests above would fail: on an import inside a function, and on a relative one."""
    source = "def f():\n    from validation.models import Vote\n    from ..models import Item\n"
    monkeypatch.setattr(sources, "syntax_tree", lambda _: ast.parse(source))
    invented = sources.ROOT / path
    assert f"{path}:2 imports validation.models.Vote" in list(upward_imports(invented))
    assert f"{path}:2 imports validation.models.Vote" in list(impure_imports(invented))


def test_no_file_is_too_long() -> None:
    files = sources.python_files(*sources.APPS, "tests", "bench")
    lengths = {sources.relative_name(path): len(path.read_text().splitlines()) for path in files}
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE and name not in LONG_FILES} == {}
    assert [name for name in LONG_FILES if lengths.get(name, 0) <= LONGEST_FILE] == []


def hidden_effects(path: Path) -> Iterator[str]:
    """Signals, and models that do something because they are saved or deleted; what a worker is told is neither."""
    where = sources.relative_name(path)
    for line, imported in sources.imports(path):
        told = imported in {f"celery.signals.{name}" for name in WORKER_SIGNALS}
        if ("signals" in imported.split(".") and not told) or imported == "django.dispatch.receiver":
            yield f"{where}:{line} imports {imported}"
        if imported.split(".")[-1] in {"local", "Local"} and imported.split(".")[0] in {
            "threading",
            "asgiref",
        }:
            yield f"{where}:{line} imports {imported}"
    for node in ast.walk(sources.syntax_tree(path)):
        if isinstance(node, ast.ClassDef) and is_model(node):
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.name in {
                    "save",
                    "delete",
                    "refresh_from_db",
                }:
                    yield f"{where}:{member.lineno} {node.name}.{member.name}"
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "threading.local":
            yield f"{where}:{node.lineno} threading.local"


def is_model(node: ast.ClassDef) -> bool:
    bases = " ".join(ast.unparse(base) for base in node.bases)
    return bool(re.search(r"Model\b|AbstractBaseUser|PermissionsMixin|QuerySet|Manager\b", bases))


def test_nothing_happens_because_something_was_saved() -> None:
    files = sources.python_files(*sources.APPS)
    assert [fault for path in files for fault in hidden_effects(path)] == []


FORBIDDEN_CALLS = {
    "eval",
    "exec",
    "compile",
    "yaml.load",
    "yaml.full_load",
    "yaml.unsafe_load",
    "mark_safe",
    "os.system",
}
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "jsonpickle", "random", "yaml"}
# The one place that reads YAML: with safe_load, without aliases, up to a size.
READS_YAML = "annotation/tasks/rules/reading.py"
# Where a reviewed line may make markup safe: name → why.
MARKUP_BY: dict[str, str] = {}


def dangers(path: Path) -> Iterator[str]:
    """Ways for data to become code or markup, and chance that cannot be repeated."""
    where = sources.relative_name(path)
    for line, imported in sources.imports(path):
        if imported.split(".")[0] in FORBIDDEN_MODULES and (imported, where) != ("yaml", READS_YAML):
            yield f"{where}:{line} imports {imported}"
    for node in ast.walk(sources.syntax_tree(path)):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        if called in FORBIDDEN_CALLS and not (called == "mark_safe" and where in MARKUP_BY):
            yield f"{where}:{node.lineno} calls {called}"
        if any(word.arg == "shell" for word in node.keywords) and called.startswith("subprocess."):
            yield f"{where}:{node.lineno} starts a shell"


def test_data_never_becomes_code_and_chance_is_seeded() -> None:
    files = sources.python_files(*sources.APPS)
    assert [fault for path in files for fault in dangers(path)] == []
    assert set(MARKUP_BY) <= {sources.relative_name(path) for path in files}


INLINE = {
    "a script in the page": re.compile(r"<script(?![^>]*\bsrc=)", re.I),
    "a style sheet in the page": re.compile(r"<style\b", re.I),
    "a handler in the markup": re.compile(r"<[a-z][^>]*\s(on[a-z]+)\s*=", re.I),
    "a style in the markup": re.compile(r"<[a-z][^>]*\sstyle\s*=", re.I),
    "a javascript: address": re.compile(r"=\s*[\"']?\s*javascript:", re.I),
    "text taken as markup": re.compile(r"\|\s*safe\b|\{%\s*autoescape\s+off"),
    "an address outside this site": re.compile(r"\b(?:src|action)\s*=\s*[\"']?(?:https?:)?//", re.I),
}
# Text that was made safe before it reached the template: name → why.
SAFE_TEXT_IN: dict[str, str] = {
    "templates/partials/field.html": "help texts of forms come from code; Django's password rules are a list",
}


def template_faults(text: str, where: str) -> list[str]:
    without_comments = re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", text, flags=re.S)
    return [
        f"{where}: {what}: {match.group(0)[:60]!r}"
        for what, pattern in INLINE.items()
        for match in pattern.finditer(without_comments)
        if not (what == "text taken as markup" and where in SAFE_TEXT_IN)
    ]


def test_templates_hold_to_the_content_security_policy() -> None:
    found = sources.templates()
    assert [fault for path in found for fault in template_faults(path.read_text(), sources.relative_name(path))] == []
    assert set(SAFE_TEXT_IN) <= {sources.relative_name(path) for path in found}


@pytest.mark.parametrize(
    "markup",
    [
        "<script>x()</script>",
        "<STYLE>p {}</STYLE>",
        '<p class="a" style="color: red">',
        '<button type="button" onclick="x()">',
        '<a href="javascript:x()">',
        "{{ text|safe }}",
        '<img alt="" src="https://example.org/x.png">',
        '<link rel="x"><script src="//example.org/x.js"></script>',
    ],
)
def test_the_reader_of_templates_sees(markup: str) -> None:
    assert template_faults(markup, "invented.html")


def test_the_reader_of_templates_lets_pass_what_is_meant() -> None:
    assert template_faults('<script src="{% static "js/a.js" %}" defer></script><p data-once="1">', "x") == []
