"""Releases of every kind, made once for the run; the libraries that load them get no line out."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from exports.demo import machine, prompts, questions, story, translations
from tests import services

# What a release is called here: by its kind, or by what is particular about it; the projects of the demo.
DEMO = {
    "nli": story.SLUG,
    "mcq": questions.SLUG,
    "cultural": prompts.SLUG,
    "translation": translations.SLUG,
    "mcq-judged": machine.SETS_SLUG,
    "by-machine": machine.REVIEW_SLUG,
}
# And those that are built besides, by what the command is told.
MORE = {
    "several": (f"{story.SLUG}=pasangan", f"{questions.SLUG}=soal"),
    "hidden": (story.SLUG, "--set", "hidden_test=yes"),
    "no-train": (story.SLUG, "--set", "not_sampled=leave_out", "--set", "no_gold=leave_out"),
}
# Teams' own tasks, by their template: items with votes that were given elsewhere, decided here.
TASKS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "extractive-qa": [
        {
            "id": "q1",
            "passage": "Pasar Gede dibangun kembali pada tahun 1930 dan terbakar pada tahun 2000.",
            "query": "Kapan Pasar Gede terbakar?",
            "votes": [{"annotator": name, "answer": [{"start": 68, "end": 72}]} for name in "ABC"],
        },
        {
            "id": "q2",
            "passage": "Pasar itu buka setiap hari.",
            "query": "Siapa yang mendirikan pasar itu?",
            "votes": [{"annotator": name, "answer": []} for name in "ABC"],
        },
    ],
    "preference": [
        {
            "id": f"p{n}",
            "prompt": prompt,
            "response_a": "Cuci, keringkan, lalu simpan di wadah tertutup.",
            "response_b": "Simpan saja.",
            "votes": [{"annotator": name, "better": better, "criteria_correct": "yes"} for name in "ABC"],
        }
        for n, (prompt, better) in enumerate(
            [("Bagaimana cara menyimpan cabai?", "A"), ("Bagaimana cara menyimpan jahe?", "tie")], start=1
        )
    ],
    "toxicity": [
        {
            "id": f"t{n}",
            "comment": f"Komentar nomor {n}.",
            "votes": [{"annotator": name, "toxicity": n, "reasons": ["insult"] * (n > 2)} for name in "ABC"],
        }
        for n in range(1, 6)
    ],
}
NAMES = (*DEMO, *MORE, *TASKS)


@pytest.fixture(scope="session", autouse=True)
def _settings_of_libraries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Read when the libraries are imported, which tests do themselves: nothing is kept, asked for or told."""
    home = tmp_path_factory.mktemp("home")
    told = {
        "HF_HOME": str(home / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "TQDM_DISABLE": "1",
        "XDG_CACHE_HOME": str(home / "cache"),
    }
    before = {name: os.environ.get(name) for name in told}
    os.environ |= told
    yield
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(autouse=True)
def _no_line_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for an address that is not this machine's fails the test."""
    connect = socket.socket.connect

    def here_only(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1"):
            raise AssertionError(f"something asked for {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", here_only)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of commands on the demo's projects and releases; DATA_DIR has their files.

    Made as whoever tries the platform makes them, by the commands on SQLite; no test here needs a database.
    """
    home = tmp_path_factory.mktemp("demo")
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "DATABASE_URL": f"sqlite:///{home / 'demo.sqlite3'}",
        "DATA_DIR": str(home / "data"),
        "SECRET_KEY": "only-for-this-file",
        "REDIS_URL": "",
    }
    for command in ("migrate -v0", "load_demo"):
        manage(command.split(), env)
    return env


@pytest.fixture(scope="session")
def releases(demo: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of releases by NAMES: those of the demo, one of two of its projects, one whose test is hidden."""
    home, env = tmp_path_factory.mktemp("releases"), demo
    found = {name: Path(env["DATA_DIR"]) / "releases" / f"{slug}-1" for name, slug in DEMO.items()}
    for name, of in MORE.items():
        found[name] = home / name
        confirmed = ("--no-licence", "--allow-shared")
        manage(["build_release", *of, "--out", str(found[name]), *confirmed], env)
    for slug, rows in TASKS.items():
        items, found[slug] = home / f"{slug}.jsonl", home / f"released-{slug}"
        items.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        manage(["create_project", slug, "--task", slug], env)
        manage(["import_items", slug, str(items)], env)
        manage(["runjobs", "--once"], env)
        manage(["build_release", slug, "--out", str(found[slug]), "--no-licence"], env)
        manage(["verify_release", str(found[slug])], env)
    return found


def manage(words: Sequence[str], env: Mapping[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=services.ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
